"""What a trace has made of all items of a list or set: it is stale if the program changes that, not if it puts the items in another order."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

HEAD = """\
import heapq
import math
import random
import statistics
import mlx.core as mx

order = [3, 1, 2, 3]
parts = [mx.ones(2), mx.zeros(2)]
"""
STEP = """
@mx.compile
def step{number}(x):
    return {made}

"""


OF_ALL = (
    "x * sum(order)", "x * max(order)", "x * min(order)", "x * sorted(order)[0]", "x * len(set(order))", "x if 3 in frozenset(order) else -x",
    "x if any(order) else -x", "x if all(order) else -x", "x * len(order)", "x if 3 in order else -x", "x * math.prod(order)", "x * math.fsum(order)",
    "x * statistics.median(order)", "x * order.count(3)", "x * sorted(order, reverse=True)[0]", "x * max(order, key=lambda n: -n)", "sum(parts, x)",
)  # fmt: skip
ORDERS = (
    "order.sort()", "order.reverse()", "order[:] = sorted(order)", "order[0], order[1] = order[1], order[0]", "order.append(order.pop(0))",
    "order = sorted(order)", "random.shuffle(order)", "heapq.heapify(order)", "parts.reverse()", "random.shuffle(parts)",
)  # fmt: skip


def analysed(folder: Path, made: Sequence[str], changed: Sequence[str]) -> tuple[list[str], set[str]]:
    """What is found where each of some functions is called, and again after each of some changes, and how far they were followed."""
    calls = "".join(f"mx.eval(step{number}(mx.ones(2)))\n" for number in range(len(made)))
    steps = "".join(STEP.format(number=number, made=each) for number, each in enumerate(made))
    (folder / "main.py").write_text(HEAD + steps + calls + "".join(f"{each}\n{calls}" for each in changed), encoding="utf-8")
    found = analyze(read_source(folder / "main.py", "main.py"), Project(), load_table())
    return [f"{finding.code} {finding.severity}" for finding in found.findings], {site.followed for site in found.sites}


def test_another_order_is_nothing_to_what_is_made_of_all(tmp_path: Path) -> None:
    assert analysed(tmp_path, OF_ALL, ORDERS) == ([], {"full"})


@pytest.mark.parametrize(
    ("made", "changed", "told"),
    [
        ("x * sum(order)", "order[0] = 7", "MX209 error"),
        ("x * max(order)", "order.append(4)", "MX209 error"),
        ("x * max(order)", "order.append(2)", ""),
        ("x * min(order)", "order.append(0)", "MX209 error"),
        ("x if sum(order) > 4 else -x", "order.append(1)", ""),
        ("x if sum(order) > 4 else -x", "order.append(-9)", "MX209 error"),
        ("x if any(order) else -x", "order.append(0)", ""),
        ("x if all(order) else -x", "order.append(0)", "MX209 error"),
        ("x * len(set(order))", "order.append(3)", ""),
        ("x * len(set(order))", "order.append(4)", "MX209 error"),
        ("x * sorted(order)[0]", "order[1] = 0", "MX209 error"),
        ("x * order.count(3)", "order.append(3)", "MX209 error"),
        ("x * statistics.mean(order)", "order.append(9)", "MX209 error"),
        ("x * order[0]", "order.reverse()", ""),
        ("x * order[0]", "order.sort()", "MX209 error"),
        ("x * order[0]", "random.shuffle(order)", "MX209 warning"),
        ("x * order[0] + order[1] * x * x + order[2] + order[3]", "order.reverse()", "MX209 error"),
        ("x * mx.array(order)[:2]", "order.sort()", "MX209 error"),
        ("x * sorted(order, key=lambda n: n % 2)[0]", "order[0], order[1] = order[1], order[0]", "MX209 error"),
        ("sum(parts, x)", "parts[0] = mx.zeros(2)", "MX201 error"),
    ],
)
def test_other_items_are_another_answer(tmp_path: Path, made: str, changed: str, told: str) -> None:
    assert analysed(tmp_path, [made], [changed]) == ([told] if told else [], {"full"})


@pytest.mark.parametrize("made", ["x * order[0] + order[1] * x * x + order[2] + order[3]", "x * mx.array(order)[:2]"])
def test_what_may_hang_on_the_order_of_all_is_not_followed(tmp_path: Path, made: str) -> None:
    assert analysed(tmp_path, [made], ["random.shuffle(order)"]) == ([], {"partial"})
