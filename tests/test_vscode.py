"""The extension for VS Code: its settings are the server's, and it builds where Node and its packages are."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from mxlint.config import ConfigError
from mxlint.server.settings import KEYS, read_options

FOLDER = Path(__file__).parents[1] / "editors" / "vscode"


def test_every_setting_is_one_that_the_server_takes_and_so_is_its_default() -> None:
    properties = json.loads((FOLDER / "package.json").read_text())["contributes"]["configuration"]["properties"]
    given = {name.removeprefix("mxlint."): value.get("default") for name, value in properties.items()}
    given["trace"] = {"server": given.pop("trace.server")}
    assert read_options({"mxlint": given}, FOLDER).enable
    assert set(given) - {"path", "interpreter", "trace"} <= set(KEYS)
    with pytest.raises(ConfigError):
        read_options({"mxlint": {**given, "selekt": []}}, FOLDER)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
@pytest.mark.skipif(not (FOLDER / "node_modules").is_dir(), reason="the packages of the extension are not installed: npm ci")
def test_it_builds_packages_and_starts_the_server() -> None:
    environment = {**os.environ, "MXLINT_PYTHON": sys.executable}
    for command in (["npm", "run", "check"], ["npm", "test"], ["npm", "run", "package"]):
        done = subprocess.run(command, check=False, cwd=FOLDER, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
    listed = subprocess.run(["npx", "vsce", "ls", "--no-dependencies"], check=False, cwd=FOLDER, capture_output=True, text=True)
    assert sorted(listed.stdout.split()) == ["LICENSE", "README.md", "dist/extension.js", "package.json"]
