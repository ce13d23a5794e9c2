"""The committed data is what its scripts make."""

from __future__ import annotations

import importlib.metadata
import platform
import subprocess
import sys
from pathlib import Path

import pytest

from mxlint.resources import resource

SCRIPTS = Path(__file__).parents[2] / "scripts"


@pytest.mark.slow
@pytest.mark.parametrize(("script", "top", "package"), [("fold_stubs.py", "math", "mypy"), ("measure_numpy.py", "numpy", "numpy")])
def test_the_data_is_up_to_date(script: str, top: str, package: str, tmp_path: Path) -> None:
    source = resource("models", "data", f"{top}.json").read_text().partition("\n")[0]
    if importlib.metadata.version(package) not in source or sys.version_info[:2] != (3, 11):
        pytest.skip(f"the data was made with another {package} or Python")
    done = subprocess.run([sys.executable, SCRIPTS / script, "--check"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.mlx
@pytest.mark.parametrize(
    ("script", "folder", "file"),
    [
        ("measure_members.py", "mlx", "members.json"),
        ("fold_signatures.py", "mlx", "signatures.json"),
        ("measure_binding.py", "data", "binding.json"),
    ],
)
def test_attributes_and_signatures_are_those_of_mlx(script: str, folder: str, file: str) -> None:
    source = resource("models", folder, file).read_text().partition("\n")[0]
    made_by = f"Python {platform.python_version()}, " if folder == "data" else ""
    if importlib.metadata.version("mlx") not in source or made_by not in source:
        pytest.skip("the data was made with another MLX or Python")
    done = subprocess.run([sys.executable, SCRIPTS / script, "--check"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
