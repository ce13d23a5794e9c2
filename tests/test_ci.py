"""The action, the recipes of docs/ci.md and the Dockerfile: read by a parser, and their shell steps run as they stand."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from mxlint import __version__

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
DEFAULTS = {name: declared["default"] for name, declared in ACTION["inputs"].items()}
CI = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BAD = (ROOT / "tests" / "fixtures" / "demo" / "print_in_compiled.py").read_text(encoding="utf-8")


class Job:
    """A job in a folder, which runs steps of the action as a runner does: with their inputs and the outputs of earlier steps."""

    def __init__(self, folder: Path, **inputs: str) -> None:
        self.work, self.temp = folder / "work", folder / "temp"
        self.work.mkdir(parents=True)
        self.temp.mkdir()
        self.values = {f"inputs.{name}": value for name, value in {**DEFAULTS, **inputs}.items()}

    def run(self, name: str) -> subprocess.CompletedProcess[str]:
        step = STEPS[name]
        output = self.temp / "output"
        output.write_text("")
        own = {"GITHUB_OUTPUT": str(output), "RUNNER_TEMP": str(self.temp), "GITHUB_ACTION_PATH": str(ROOT)}
        clean = {key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "VIRTUAL_ENV", "MXLINT"))}
        environment = {**clean, **own, **{key: self.value(text) for key, text in step["env"].items()}}
        # As `shell: bash` does it.
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        done = subprocess.run(command, cwd=self.work, env=environment, capture_output=True, text=True, check=False)
        for line in output.read_text().splitlines():
            key, _, value = line.partition("=")
            self.values[f"steps.{step.get('id')}.outputs.{key}"] = value
        return done

    def value(self, text: str) -> str:
        """A text with its expressions replaced; of those that choose, the one that the action has is known."""
        choice = re.compile(r"\$\{\{ (\S+) == '(\w+)' && '(\w+)' \|\| '(\w+)' \}\}")
        text = choice.sub(lambda match: match[3] if self.values[match[1]] == match[2] else match[4], text)
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: self.values[match[1]], text)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What the step that installs gave to later ones, in an environment of its own."""
    job = Job(tmp_path_factory.mktemp("action"))
    done = job.run("Install mxlint")
    assert done.returncode == 0, done.stderr
    return job.values


@pytest.fixture
def job(installed: dict[str, str], tmp_path: Path) -> Job:
    made = Job(tmp_path)
    made.values = {**installed, **made.values}
    return made


def test_inputs_and_outputs_are_declared() -> None:
    """Every expression of a step names an input, or the output of an earlier step; every input is described in docs/ci.md with its default."""
    declared = {f"inputs.{name}" for name in DEFAULTS}
    for step in ACTION["runs"]["steps"]:
        named = set(re.findall(r"(?:inputs|steps)\.[\w.-]+", json.dumps(step)))
        assert named <= declared, step["name"]
        declared |= {f"steps.{step.get('id')}.outputs.{key}" for key in re.findall(r'echo "(\w+)=', step.get("run", ""))}
        assert "${{" not in step.get("run", ""), "an input in a script is code"
    assert {output["value"] for output in ACTION["outputs"].values()} <= {f"${{{{ {name} }}}}" for name in declared}
    shown = dict(re.findall(r"^\| `([\w-]+)` \| ([^|]*?) ?\|", CI.partition("| input |")[2].partition("\n\n")[0], re.MULTILINE))
    assert list(shown) == list(DEFAULTS)
    assert all(text == f"`{DEFAULTS[name]}`" for name, text in shown.items() if DEFAULTS[name])


def test_actions_of_others_are_pinned() -> None:
    used = [step["uses"] for step in ACTION["runs"]["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", name) for name in used)


@pytest.mark.slow
def test_action_annotates_and_fails(job: Job) -> None:
    (job.work / "bad one.py").write_text(BAD, encoding="utf-8")
    done = job.run("Check")
    assert done.returncode == 1, done.stderr
    assert done.stdout.startswith("::error title=mxlint (MX101),file=bad one.py,")
    assert job.values["steps.install.outputs.version"] == __version__


@pytest.mark.slow
def test_action_passes_arguments_as_a_shell_reads_them(job: Job) -> None:
    (job.work / "bad one.py").write_text(BAD, encoding="utf-8")
    job.values |= {"inputs.args": "--ignore MX101 --statistics", "inputs.src": "'bad one.py'", "inputs.annotations": "false"}
    done = job.run("Check")
    assert (done.returncode, done.stderr) == (0, "")
    job.values |= {"inputs.args": "", "inputs.src": "$(touch stolen) ; 'bad one.py'"}
    assert job.run("Check").returncode == 2
    job.values |= {"inputs.src": "'not closed"}
    assert job.run("Check").returncode != 0
    assert {path.name for path in job.work.glob("*")} == {"bad one.py", ".mxlint_cache"}


@pytest.mark.slow
def test_action_writes_sarif(job: Job) -> None:
    (job.work / "bad.py").write_text(BAD, encoding="utf-8")
    done = job.run("Write SARIF")
    assert (done.returncode, done.stderr) == (0, "")
    log = json.loads(Path(job.values["steps.sarif.outputs.file"]).read_text(encoding="utf-8"))
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["MX101"]


def recipes() -> list[dict[str, Any]]:
    return [yaml.safe_load(text) for text in re.findall(r"^```yaml\n(.*?)^```$", CI, re.MULTILINE | re.DOTALL)]


def test_recipes_use_what_there_is() -> None:
    """What recipes of GitHub give to the action are inputs of it, of this version; hooks are those of the repository."""
    steps = [step for recipe in recipes() for job in recipe.get("jobs", {}).values() for step in job["steps"]]
    ours = [step for step in steps if step["uses"].startswith("mxlint/")]
    assert len(ours) == 3
    assert all(step["uses"] == f"mxlint/mxlint@v{__version__}" and set(step.get("with", {})) <= set(DEFAULTS) for step in ours)
    hooks = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    (repository,) = (each for recipe in recipes() for each in recipe.get("repos", ()))
    assert repository["rev"] == f"v{__version__}"
    assert {hook["id"] for hook in repository["hooks"]} <= hooks
    assert set(re.findall(r"^\| `(mxlint[\w-]*)` \|", CI, re.MULTILINE)) == hooks


@pytest.mark.slow
def test_recipe_of_gitlab(tmp_path: Path) -> None:
    """The script leaves the reports that the job declares, and fails for a finding; what installs mxlint is left out."""
    (job,) = (recipe["mxlint"] for recipe in recipes() if "mxlint" in recipe)
    install, *commands = job["script"]
    assert install == "pip install mxlint"
    (tmp_path / "bad.py").write_text(BAD, encoding="utf-8")
    codes = [
        subprocess.run([sys.executable, "-m", *command.split()], cwd=tmp_path, capture_output=True, check=False).returncode
        for command in commands
    ]
    assert codes == [0, 1]
    assert {path.name for path in tmp_path.glob("*")} - {"bad.py", ".mxlint_cache"} == set(job["artifacts"]["reports"].values())


def test_container_holds_what_the_wheel_is_built_from() -> None:
    """What .dockerignore lets in is what pyproject.toml names for the wheel."""
    admitted = {line[1:] for line in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines() if line.startswith("!")}
    assert admitted == {"src", "rules", "pyproject.toml", "README.md", "LICENSE"}
    instructions = re.findall(
        r"^(FROM|COPY|RUN|USER|WORKDIR|ENTRYPOINT|CMD) (.*)$", (ROOT / "Dockerfile").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert instructions[-2:] == [("ENTRYPOINT", '["mxlint"]'), ("CMD", '["check", "."]')]
