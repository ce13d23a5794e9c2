"""What a child hands in: real answers have the declared form, and whatever else comes instead leads to a verdict, never to an exception."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, get_type_hints

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from needed import needs_mlx

from mxlint.engine import check
from mxlint.finding import Finding
from mxlint.report.verdict import slowdown, told
from mxlint.verify import answers
from mxlint.verify.experiment import Options, verify
from mxlint.verify.runner import Job, Outcome, run

pytestmark = needs_mlx

HEAD = "import time\n\nimport mlx.core as mx\n\nmx.eval(mx.zeros(1) + 1)\n\n\n"
PROGRAMS = {
    "MX101": "@mx.compile\ndef step(x):\n    print(x)\n    return x\n\n\nstep(mx.array(1.0))\n",
    "MX201": "scale = mx.array(1.0)\n\n\n@mx.compile\ndef step(x):\n    return x * scale\n\n\nfor _ in range(3):\n    step(mx.ones(3))\n    scale = scale + 1\n",
    "MX202": "kept = []\n\n\n@mx.compile\ndef step(x):\n    kept.append(x * 2)\n    return x\n\n\nstep(mx.ones(3))\nprint(kept[0])\n",
    "MX203": "@mx.compile\ndef step(x):\n    return x + mx.random.uniform()\n\n\nfor _ in range(3):\n    step(mx.ones(3))\n",
    "MX301": "for _ in range(3):\n    mx.compile(lambda x: mx.exp(x) * 2)(mx.ones(3))\n",
    "MX303": "@mx.compile\ndef step(x, t):\n    return mx.exp(x) * t\n\n\nfor t in range(8):\n    step(mx.ones(3), t)\n",
    "MX401": "def mean(x):\n    return mx.sum(x) / x.shape[0]\n\n\nmean = mx.compile(mean, shapeless=True)\nfor n in (2, 3):\n    mean(mx.ones(n))\n",
    "MX603": "@mx.compile\ndef step(x):\n    return mx.exp(x) * 2\n\n\ndef benchmark(x):\n    start = time.perf_counter()\n"
    "    for _ in range(3):\n        y = step(x)\n    return time.perf_counter() - start\n\n\nprint(benchmark(mx.ones(3)), benchmark(mx.ones(3)))\n",
    "MX102": "@mx.compile\ndef step(x: mx.array, n: int):\n    mx.eval(x)\n    return x * n\n",
}


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Finding, Any]]:
    """A finding of each program, with what `verify` takes beside."""
    folder, found = tmp_path_factory.mktemp("programs"), {}
    for code, text in PROGRAMS.items():
        file = folder / f"{code.lower()}.py"
        file.write_text(HEAD + text, encoding="utf-8")
        result = check([str(file)])
        found[code] = (next(one for one in result.findings if one.code == code), result)
    return found


@pytest.fixture(scope="module")
def recorded(findings: dict[str, tuple[Finding, Any]]) -> dict[str, Outcome]:
    """How each child ended that the verdicts of these findings took."""
    outcomes: dict[str, Outcome] = {}

    def record(job: Job, mode: str, *arguments: Any, **options: Any) -> Outcome:
        key = name(job, mode)
        if key not in outcomes:
            outcomes[key] = run(job, mode, *arguments, **options)  # type: ignore[arg-type]
        return outcomes[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mxlint.verify.bench.run", record)
        patch.setattr("mxlint.verify.slowdown.run", record)
        for finding, result in findings.values():
            assert verdict(finding, result, timed=True).verdict == "confirmed", finding
    return outcomes


def name(job: Job, mode: str) -> str:
    settings = {key: value for key, value in job.settings.items() if key != "timing"}
    return json.dumps([dict(job.files), settings, mode, bool(job.fixed)], sort_keys=True)


def verdict(finding: Finding, result: Any, *, timed: bool = False) -> Any:
    sites = [site.span for site in result.sites]
    (found,) = verify([finding], result.sources, sites, Options(timed=timed))
    assert found.verdict is not None
    return found.verdict


def undeclared(answer: Any, form: Any, path: str = "") -> list[str]:
    """The keys of an answer that nothing is said about."""
    if hasattr(form, "__required_keys__"):
        hints = get_type_hints(form)
        missing = [f"{path}.{key}" for key in answer if key not in hints]
        return missing + [item for key, value in answer.items() if key in hints for item in undeclared(value, hints[key], f"{path}.{key}")]
    arguments = getattr(form, "__args__", ())
    if isinstance(answer, list) and getattr(form, "__origin__", None) is list:
        return [item for value in answer for item in undeclared(value, arguments[0], path)]
    if isinstance(answer, dict) and getattr(form, "__origin__", None) is dict:
        return [item for value in answer.values() for item in undeclared(value, arguments[1], path)]
    if isinstance(answer, dict):
        records = [one for one in arguments if hasattr(one, "__required_keys__")]
        return [item for one in records for item in undeclared(answer, one, path)]
    return []


def test_all_that_real_children_hand_in_is_declared(recorded: dict[str, Outcome]) -> None:
    assert len(recorded) > 20
    for key, outcome in recorded.items():
        mode = json.loads(key)[2]
        assert outcome.answer is not None, (key, outcome)
        form = answers.Clocked if mode == "timed" else answers.Run if "calls" in outcome.answer else answers.Begun
        assert sorted(set(undeclared(outcome.answer, form))) == []


OTHERS: list[Any] = [
    None, True, -3, 3, 10**30, 10**400, 0.5, float("nan"), float("inf"), -1e308, "", "ab", [], [1, 2], ["array"], ["tuple", 3], {}, {"type": 1},
    {"type": "x", "items": 3}, {"shape": [2], "dtype": "float32"}, {"shape": [2], "dtype": "float32", "values": ["a"]},
]  # fmt: skip


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every container with each of its keys."""
    items = list(value.items()) if isinstance(value, dict) else list(enumerate(value)) if isinstance(value, list) else []
    return [found for key, item in items for found in ((value, key), *places(item))]


def mutated(random: Random, answer: Any) -> bytes:
    """Another answer: one thing of it is something else, gone, or there twice; or it is cut off, or written twice."""
    how = random.choice(["other", "other", "other", "gone", "twice", "moved", "cut", "written twice"])
    answer = deepcopy(answer)
    around = places(answer)
    holder, key = random.choice(around)
    if how == "gone":
        del holder[key]
    elif how == "twice" and isinstance(holder, list):
        holder.insert(key, holder[key])
    elif how == "moved":
        other, place = random.choice(around)
        holder[key] = deepcopy(other[place]) if other is not holder else None
    else:
        holder[key] = random.choice(OTHERS)
    text = json.dumps(answer).encode()
    return text[: random.randrange(len(text))] if how == "cut" else text * 2 if how == "written twice" else text


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 1 << 32))
@pytest.mark.parametrize("code", PROGRAMS)
def test_whatever_is_handed_in_leads_to_a_verdict(
    code: str, seed: int, findings: dict[str, tuple[Finding, Any]], recorded: dict[str, Outcome]
) -> None:
    finding, result = findings[code]
    random = Random(seed)
    waiting = [random.choice(range(6))]  # so many answers are as they were before one is not

    def hand_in(job: Job, mode: str, *arguments: Any, **options: Any) -> Outcome:
        outcome = recorded.get(name(job, mode))
        if outcome is None:
            return Outcome(None, "time", None, None, "", "", 1.0, 0)
        waiting[0] -= 1
        if waiting[0] != -1:
            return outcome
        answer = answers.read(mutated(random, outcome.answer), mode, len(job.settings["watches"]))
        return replace(outcome, answer=answer, stopped=None if answer is not None else "interfered")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("mxlint.verify.bench.run", hand_in)
        patch.setattr("mxlint.verify.slowdown.run", hand_in)
        found = verdict(finding, result, timed=True)
    said = "; ".join([*told(found), slowdown(found) or "", found.reason or "", (found.evidence.note if found.evidence else None) or ""])
    assert "mxlint failed" not in said


@pytest.mark.parametrize(
    "forged",
    [
        b"{}", b"[]", b"null", b"\xff\xfe", b"[" * 100_000, b'{"status": "ok", "calls": []}', b'{"status": "no mlx"}', b'{"status": "failed", "canary": 3}',
        b'{"status": "ok", "calls": [{"object": 7}]}',
    ],
)  # fmt: skip
def test_what_a_program_writes_in_place_of_the_experiment(forged: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    writes = f"import os\nfor end in range(3, 64):\n    try:\n        os.write(end, {forged!r})\n    except OSError:\n        pass\n"
    text = HEAD + PROGRAMS["MX101"].replace(
        "    print(x)\n", "    " + writes.replace("\n", "\n    ").rstrip() + "\n    if os.getpid():\n        os._exit(0)\n    print(x)\n"
    )
    Path("main.py").write_text(text, encoding="utf-8")
    result = check(["main.py"])
    finding = next(one for one in result.findings if one.code == "MX101")
    found = verdict(finding, result)
    assert found.verdict == "inconclusive"
    assert "the program interfered with its measurement" in found.reason
