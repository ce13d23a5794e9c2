"""--verify: verdicts of real MLX on the pages' examples and on small projects, through the command line and the engine."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result
from needed import needs_mlx
from writing import write

import mxlint
from mxlint import cli
from mxlint.engine import check
from mxlint.finding import Finding, Verdict
from mxlint.pages import load_page
from mxlint.report.verdict import notes, told
from mxlint.rules.registry import RULES
from mxlint.verify.arguments import MOST_REASON
from mxlint.verify.claims import forced
from mxlint.verify.experiment import Options, verify

pytestmark = [needs_mlx, pytest.mark.usefixtures("folder")]

SCHEMA = json.loads((Path(mxlint.__file__).parent / "schema" / "v1.json").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Block:
    code: str
    kind: str
    row: int
    text: str


def blocks(kind: str) -> Iterator[Block]:
    """The first of each page; all of them, which takes a quarter of an hour, if MXLINT_ALL_BLOCKS is set."""
    for code, rule in RULES.items():
        if rule.experiment is None:
            continue
        page = load_page(code)
        found = [block for block in page.blocks if page.verify == "cpu" and block.language == "python" and block.attributes == (kind,)]
        for block in found if os.environ.get("MXLINT_ALL_BLOCKS") else found[:1]:
            yield Block(code, kind, block.row, block.text)


def named(block: Block) -> str:
    return f"{block.code}-{block.row}"


def verdicts(files: dict[str, str], code: str, paths: tuple[str, ...] = (".",)) -> list[Verdict]:
    """The verdicts on the findings of one rule in a project."""
    write(Path(), files)
    result = check(paths, with_facts=True)
    wanted = [finding for finding in result.findings if finding.code == code]
    found = verify(wanted, result.sources, [site.span for site in result.sites], Options(timed=False), result.facts)
    for finding in found:
        for_people(finding)
    return [finding.verdict for finding in found if finding.verdict is not None]


def for_people(finding: Finding) -> None:
    """What a verdict says is short, and nothing of it comes from the place where it was made."""
    verdict = finding.verdict
    assert verdict is not None
    line = "".join(told(verdict))
    said = [line, verdict.reason or "", notes(verdict) or "", (verdict.evidence and verdict.evidence.arguments) or ""]
    for text in said:
        assert not re.search(r"/tmp\b|mxlint-verify-|__mxlint|mxlint_program|experiment/|witness\.py", text), text
        assert len(text.splitlines()) <= 1, text
    assert len(verdict.reason or "") <= MOST_REASON


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli.main, list(arguments))


def explained(findings: list[Finding] | tuple[Finding, ...]) -> str:
    return "\n".join(f"{finding.code} {finding.span.start.row}: {finding.verdict}" for finding in findings)


# -- the pages --------------------------------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("block", list(blocks("bad")), ids=named)
def test_bad_blocks_are_confirmed(block: Block) -> None:
    write(Path(), {"block.py": block.text})
    result = check(["block.py"], with_facts=True)
    wanted = [finding for finding in result.findings if finding.code == block.code]
    found = verify(wanted, result.sources, [site.span for site in result.sites], Options(timed=False), result.facts)
    assert found
    assert all(finding.verdict is not None and finding.verdict.verdict == "confirmed" for finding in found), explained(found)
    assert all(finding.verdict is not None and finding.verdict.level == "in-place" for finding in found), explained(found)
    cured = [finding.verdict.fix for finding in found if finding.verdict is not None and finding.fix is not None]
    assert all(word == "resolves" for word in cured), explained(found)
    for finding in found:
        for_people(finding)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("block", list(blocks("good")), ids=named)
def test_good_blocks_are_not(block: Block) -> None:
    """Presented as if each compile site, and each row, had been flagged."""
    write(Path(), {"block.py": block.text})
    result = check(["block.py"], with_facts=True)
    sites = [site.span for site in result.sites]
    source = result.sources["block.py"]
    rows = range(1, block.text.count("\n") + 1)
    claims = {claim.span: claim for row in rows if (claim := forced(source, row, block.code, sites)) is not None}
    found = verify(list(claims.values()), result.sources, sites, Options(timed=False), result.facts)
    assert not [finding for finding in found if finding.verdict is not None and finding.verdict.verdict == "confirmed"], explained(found)


# -- verdicts ---------------------------------------------------------------------------------------------------------

FALSE_ALARM = """import mlx.core as mx


@mx.compile
def step(x):
    return x * 2


step(mx.array(1.0))
"""


def test_refuted_does_not_fail_the_run() -> None:
    """A finding that two runs contradict becomes info."""
    write(Path(), {"a.py": FALSE_ALARM})
    result = check(["a.py"], with_facts=True)
    claim = forced(result.sources["a.py"], 6, "MX103", [site.span for site in result.sites])
    assert claim is not None
    assert (claim.severity, claim.claimed) == ("info", "error")  # nobody found it
    (finding,) = verify([replace(claim, severity="error", claimed=None)], result.sources, facts=result.facts)
    assert finding.verdict is not None
    assert (finding.verdict.verdict, finding.verdict.level) == ("refuted", "in-place")
    assert (finding.severity, finding.claimed) == ("info", "error")


LOWERED = """import os

import mlx.core as mx

debug = os.environ.get("DEBUG")


@mx.compile
def step(x):
    if debug:
        print(x)
    return x * 2


step(mx.ones(3))
"""


def test_what_was_seen_to_happen_has_the_full_severity_of_its_rule() -> None:
    write(Path(), {"a.py": LOWERED})
    (said,) = json.loads(run("check", "a.py", "--output-format", "json").stdout)["diagnostics"]
    assert (said["severity"], said["claimed_severity"]) == ("warning", "error")
    (said,) = json.loads(run("check", "--verify", "a.py", "--output-format", "json").stdout)["diagnostics"]
    assert (said["verify"]["verdict"], said["verify"]["level"]) == ("confirmed", "in-place")
    assert (said["severity"], said.get("claimed_severity"), said["conditions"]) == ("error", None, ["when `debug` is true"])


def test_an_experiment_that_somebody_asked_for_is_no_finding_before_it_is_confirmed() -> None:
    write(Path(), {"a.py": FALSE_ALARM.replace("step(mx.array(1.0))", "step(mx.array(1.0))\nprint(step(mx.array(2.0)))")})
    (said,) = json.loads(run("verify", "a.py:6", "--as", "MX201", "--output-format", "json").stdout)["diagnostics"]
    assert said["verify"]["verdict"] != "confirmed"
    assert (said["severity"], said["claimed_severity"]) == ("info", "error")


def test_an_expression_that_is_not_reached_is_inconclusive() -> None:
    write(Path(), {"a.py": FALSE_ALARM.replace("    return", "    if x.ndim > 3:\n        y = x.item()\n    return")})
    done = run("verify", "a.py:7", "--as", "MX103", "--output-format", "json")
    (diagnostic,) = json.loads(done.stdout)["diagnostics"]
    assert done.exit_code == 0
    assert diagnostic["verify"]["verdict"] == "inconclusive"
    assert "not reached" in diagnostic["verify"]["reason"]


def test_what_raises_without_compile_too_is_not_confirmed() -> None:
    write(Path(), {"a.py": FALSE_ALARM.replace("x * 2", "round(x)")})
    done = run("verify", "a.py:6", "--as", "MX103", "--output-format", "json")
    assert json.loads(done.stdout)["diagnostics"][0]["verify"]["verdict"] == "inconclusive"


LIBRARY = """import argparse
import mlx.core as mx
import a_module_that_nobody_has

open("executed", "w").write("x")
parser = argparse.ArgumentParser()
parser.add_argument("--needed", required=True)
options = parser.parse_args()


@mx.compile
def loss_fn(prediction, target):
    error = prediction - target
    print(mx.mean(error))
    return mx.mean(error * error)


# mxlint: inputs(x=float32[B,512], step=int)
def _heads(x, step):
    return mx.reshape(mx.exp(x) * step, (x.shape[0], 2, 256))


heads = mx.compile(_heads, shapeless=True)


def serve():
    a_module_that_nobody_has.serve(loss_fn)


if __name__ == "__main__":
    serve()
"""


def test_a_function_that_nobody_calls_is_called_with_what_fits() -> None:
    (verdict,) = verdicts({"lib.py": LIBRARY}, "MX101")
    assert (verdict.verdict, verdict.level) == ("confirmed", "in-place")
    assert verdict.evidence is not None
    assert verdict.evidence.note is not None
    assert "prediction=float32[8,6], target=float32[8,6]" in verdict.evidence.note
    assert not Path("executed").exists()


def test_hints_say_what_to_call_with() -> None:
    (verdict,) = verdicts({"lib.py": LIBRARY}, "MX401")
    assert verdict.verdict == "confirmed"
    assert verdict.evidence is not None
    assert verdict.evidence.note is not None
    assert "x=float32[8,512], step=2" in verdict.evidence.note


def test_only_what_is_needed_is_run() -> None:
    """The kept program holds no statement that the function can do without, and every row is where it was."""
    write(Path(), {"lib.py": LIBRARY})
    assert run("check", "--verify", "--verify-keep", "kept", "--select", "MX101", "lib.py").exit_code == 1
    (kept,) = Path("kept").glob("*-called")
    text = (kept / "program" / "lib.py").read_text(encoding="utf-8")
    assert "parse_args" not in text
    assert "open(" not in text
    assert "nobody_has" not in text
    assert text.splitlines()[10:15] == LIBRARY.splitlines()[10:15]


def test_a_folder_to_keep_experiments_in_that_cannot_be_made() -> None:
    write(Path(), {"a.py": ""})
    done = run("check", "--verify", "--verify-keep", "a.py/kept", "a.py")
    assert done.exit_code == 2
    assert "Error: --verify-keep: " in done.output


def test_whether_it_is_an_array_is_not_guessed() -> None:
    """What the search took for an array may be a number in the program."""
    text = "import mlx.core as mx\n\n\n@mx.compile\ndef pick(x, special):\n    if special > 0:\n        x = mx.exp(x)\n    return x * 2\n"
    write(Path(), {"lib.py": text})
    done = run("verify", "lib.py:6", "--as", "MX104", "--output-format", "json")
    verdict = json.loads(done.stdout)["diagnostics"][0]["verify"]
    assert verdict["verdict"] == "inconclusive"
    assert "special" in verdict["reason"]


PROJECT = {
    "model/__init__.py": "from .layers import forward\n",
    "model/layers.py": "import mlx.core as mx\n\nfrom . import settings\n\n\n@mx.compile\ndef forward(x):\n    return mx.exp(x) * settings.scale\n",
    "model/settings.py": "import mlx.core as mx\n\nscale = mx.array(1.0)\n\n\ndef unused():\n    raise SystemExit\n",
    "train.py": (
        "import mlx.core as mx\n\nfrom model import forward, settings\n\nx = mx.array(0.0)\nprint(forward(x))\n"
        "settings.scale = mx.array(5.0)\nprint(forward(x))\n"
    ),
}


def test_projects_of_several_files() -> None:
    (verdict,) = verdicts(PROJECT, "MX201")
    assert (verdict.verdict, verdict.level) == ("confirmed", "in-place"), verdict
    assert verdict.evidence is not None
    assert (verdict.evidence.kind, verdict.evidence.expected) == ("stale", "5")


# -- the command line -------------------------------------------------------------------------------------------------

PRINTS = "import mlx.core as mx\n\n\n@mx.compile\ndef step(x):\n    print(x)\n    return x\n\n\nstep(mx.array(1.0))\n"


def test_text_and_summary() -> None:
    write(Path(), {"a.py": PRINTS})
    done = run("check", "--verify", "a.py")
    assert done.exit_code == 1
    assert "verify: confirmed in-place: called step(x=float32[]): ValueError: [eval]" in " ".join(done.stdout.split())
    assert "Verified 1 finding: 1 confirmed (MLX " in done.stdout
    assert "contained by" not in done.output
    for command in (("check", "--verify", "a.py"), ("verify", "a.py:6")):
        assert "contained by: limits" in run(*command, "--verbose").stderr


def test_json_follows_the_schema() -> None:
    write(Path(), {"a.py": PRINTS + "x = 1  # mxlint: ignore[MX301]\n"})
    done = run("check", "--verify", "--output-format", "json", "a.py")
    document = json.loads(done.stdout)
    jsonschema.validate(document, SCHEMA)
    assert document["summary"]["verify"] == {
        "confirmed": 1,
        "refuted": 0,
        "inconclusive": 0,
        "unavailable": 0,
        "by_level": {"in-place": 1},
        "missing": [],
    }
    by_code = {diagnostic["code"]: diagnostic for diagnostic in document["diagnostics"]}
    assert by_code["MX101"]["verify"]["evidence"]["kind"] == "exception"
    assert by_code["MX001"]["verify"] is None  # MLX has nothing to say about it


def test_verify_of_a_row() -> None:
    write(Path(), {"a.py": PRINTS})
    assert run("verify", "a.py:6").exit_code == 1
    assert run("verify", "a.py:7", "--as", "MX101").exit_code == 0
    assert run("verify", "a.py:7").exit_code == 2
    assert run("verify", "a.py").exit_code == 2
    assert run("verify", "a.py:7", "--as", "MX999").exit_code == 2
    without = run("verify", "a.py:6", "--as", "MX001")
    assert without.exit_code == 2 and "MX001 has no experiment" in without.output


def test_kept_scripts_run_by_hand(tmp_path: Path) -> None:
    write(Path(), {"a.py": PRINTS})
    run("check", "--verify", "--verify-keep", "kept", "--select", "MX101", "a.py")
    (kept,) = Path("kept").iterdir()
    real, plain = (
        subprocess.run([sys.executable, "-I", str(kept / "run.py"), mode], capture_output=True, text=True, check=False, timeout=60)
        for mode in ("real", "plain")
    )
    assert "[eval] Attempting to eval an array" in real.stdout
    assert "[eval]" not in plain.stdout
    assert real.returncode == plain.returncode == 0


def test_scripts_and_helpers_of_one_name_are_kept_apart() -> None:
    script = (
        "import mlx.core as mx\nfrom helper import SIGN\nfrom parts.scale import scale\n\n@mx.compile\ndef step(x):\n    y = scale(x)\n"
    )
    script += "    if SIGN > 0:\n        print(y)\n    return y\n\nstep(mx.ones((2,)))\n"
    found = verdicts(
        {
            "a/main.py": script,
            "a/helper.py": "SIGN = -1\n",
            "a/parts/scale.py": "def scale(x):\n    return x * 3\n",
            "b/main.py": script,
            "b/helper.py": "SIGN = 1\n",
            "b/parts/scale.py": "def scale(x):\n    return x + 3\n",
        },
        "MX101",
    )
    assert [(verdict.verdict, verdict.level) for verdict in found] == [("confirmed", "in-place")]
