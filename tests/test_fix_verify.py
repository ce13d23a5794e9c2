"""`--fix --verify` and decoding: only what MLX proved is written, and a number that becomes an array costs one trace in place of many."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from command_line import Run
from needed import needs_mlx

from mxlint.config import Settings
from mxlint.engine import check
from mxlint.finding import Edit, Finding, Fix
from mxlint.fixes.run import made, wanted_by
from mxlint.pages import load_page
from mxlint.result import Result
from mxlint.rules.registry import RULES
from mxlint.verify.experiment import Options, verified

pytestmark = [
    pytest.mark.mlx,
    needs_mlx,
]

SCALED = """\
import mlx.core as mx

mx.eval(mx.zeros(1) + 1)


@mx.compile
def scaled(x, step):
    return x * step + 1


for step in range(4):
    y = scaled(mx.array([1.0, 2.0]), step)
    print(y.tolist())
"""
WRONG = {
    "another value": "mx.array(step + 1)",
    "one value for all": "mx.array(1)",
    "another type": "mx.array([step, step, step])",
    "no cure": "step + 0",
    "a name that is not there": "mx.array(stop)",
}


def fixed_with(new: str, *, verify: bool) -> str:
    """What a program holds after `--fix --unsafe-fixes`, where the fix that is offered writes `new` for the argument."""
    file = Path("main.py")
    file.write_text(SCALED, encoding="utf-8")

    def look(unsaved: Mapping[str, bytes]) -> Result:
        result = check(["main.py"], Settings(isolated=True), unsaved=unsaved, with_facts=True)
        found = replace(result, findings=tuple(instead(finding, result) for finding in result.findings))
        return verified(found, Options(timed=False)) if verify else found

    def instead(finding: Finding, result: Result) -> Finding:
        source = result.sources["main.py"]
        at = source.text.find("]), step)") + len("]), ")
        edit = Edit(new, source.span(at, at + len("step")))
        return finding if source.text != SCALED else replace(finding, fix=Fix("unsafe", "wrong on purpose", (edit,)))

    done = made(look({}), look, wanted_by(unsafe_fixes=True, verify=verify))
    assert not done.given_up
    return next((source.text for group in done.groups for source in group.after.values()), SCALED)


@pytest.mark.parametrize("new", WRONG.values(), ids=WRONG)
def test_a_wrong_fix_is_not_made_of_what_mlx_was_asked_about(new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fixed_with(new, verify=False) != SCALED
    assert fixed_with(new, verify=True) == SCALED


def test_a_right_one_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert fixed_with("mx.array(step)", verify=True) == SCALED.replace("]), step)", "]), mx.array(step))")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("code", [code for code in RULES if RULES[code].fixes])
def test_the_fix_of_a_page_is_written_once_it_is_proved(code: str, run: Run) -> None:
    file = Path("main.py")
    for block in load_page(code).blocks:
        if "bad" in block.attributes:
            file.write_text(block.text, encoding="utf-8")
            assert run("check", "--fix", "--unsafe-fixes", "main.py").code == 0 or code != "MX001"
            if (fixed := file.read_text(encoding="utf-8")) != block.text:
                break
    file.write_text(block.text, encoding="utf-8")
    done = run("check", "--fix", "--unsafe-fixes", "--verify", "main.py")
    if RULES[code].experiment is None:  # nothing that runs shows it
        assert file.read_text(encoding="utf-8") == block.text
        assert "Not proved by MLX, and not written with `--verify`: 1 fix." in done.out
    else:
        assert file.read_text(encoding="utf-8") == fixed, done.out


DECODE = """\
import mlx.core as mx

mx.eval(mx.zeros(1) + 1)
WIDTH = 16


class Cache:
    def __init__(self):
        self.keys = None
        self.offset = 0

    def update(self, keys):
        self.keys = keys if self.keys is None else mx.concatenate([self.keys, keys], axis=2)
        self.offset += keys.shape[2]
        return self.keys


@mx.compile
def rotated(q, k, offset):
    print("tracing")
    q = mx.fast.rope(q, WIDTH, traditional=False, base=10000.0, scale=1.0, offset=offset)
    k = mx.fast.rope(k, WIDTH, traditional=False, base=10000.0, scale=1.0, offset=offset)
    return q * 0.5, mx.tanh(k)


def decode(steps):
    cache = Cache()
    x = mx.ones((1, 2, 1, WIDTH))
    for _ in range(steps):
        q, k = rotated(x, x + 1, cache.offset)
        keys = cache.update(k)
        x = mx.softmax(q @ keys.transpose(0, 1, 3, 2), axis=-1) @ keys
        mx.eval(x)
    return x


print(decode(8).sum().item())
"""


def printed(file: str) -> tuple[int, float]:
    """How often a program traces, and the number that it ends with."""
    lines = subprocess.run([sys.executable, file], capture_output=True, text=True, check=True).stdout.splitlines()
    return lines.count("tracing"), float(lines[-1])


def test_the_offset_of_a_cache_becomes_an_array(run: Run) -> None:
    Path("decode.py").write_text(DECODE, encoding="utf-8")
    traces, before = printed("decode.py")
    done = run("check", "--fix", "--unsafe-fixes", "--verify", "--no-cache", "--output-format", "json", "decode.py")
    assert (done.code, json.loads(done.out)["diagnostics"]) == (0, [])
    text = Path("decode.py").read_text(encoding="utf-8")
    assert text == DECODE.replace("cache.offset)", "mx.array(cache.offset))")
    again, after = printed("decode.py")
    assert (traces, again) == (8, 1)
    assert after == pytest.approx(before, rel=1e-5)


def test_what_the_offset_costs_is_measured(run: Run) -> None:
    Path("decode.py").write_text(DECODE, encoding="utf-8")
    done = run("check", "--verify", "--no-cache", "--output-format", "json", "decode.py")
    (found,) = json.loads(done.out)["diagnostics"]
    assert (found["code"], found["verify"]["verdict"], found["verify"]["fix"]) == ("MX303", "confirmed", "resolves")
    assert found["verify"]["slowdown"]["rounds"] > 0


@pytest.mark.parametrize("shape", [(1, 2, 1, 16), (2, 4, 3, 16)])
@pytest.mark.parametrize("traditional", [True, False])
def test_rope_takes_an_array_for_a_number(shape: tuple[int, ...], traditional: bool) -> None:
    import mlx.core as mx

    x = mx.random.normal(shape)
    rope = partial(mx.fast.rope, x, 16, traditional=traditional, base=10000.0, scale=1.0)
    for offset in (0, 1, 7, 300):
        assert mx.allclose(rope(offset=offset), rope(offset=mx.array(offset)), atol=1e-5).item()
