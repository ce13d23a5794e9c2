"""What a trace has made of a list that a library puts in another order later: no site says that it was followed in full where the order may matter."""

from __future__ import annotations

from pathlib import Path

import pytest

from mxlint.analysis import analyze
from mxlint.models.mlx.table import load_table
from mxlint.project import Project
from mxlint.source import read_source

PROGRAM = """\
import heapq
import random
import mlx.core as mx

order = [3.0, 1.0, 2.0]


@mx.compile
def step(x):
    return {made}


mx.eval(step(mx.ones(2)))
{changed}
mx.eval(step(mx.ones(2)))
"""


@pytest.mark.parametrize("changed", ["random.shuffle(order)", "heapq.heapify(order)"])
@pytest.mark.parametrize(
    ("made", "told", "followed"),
    [
        ("x * order[0]", ["MX209"], "full"),
        ("x * order[0] + order[1] * x * x + order[2]", [], "partial"),
        ("x * mx.array(order)[:2]", [], "partial"),
        ("x * len(order)", [], "full"),
    ],
)
def test_what_may_hang_on_the_order_is_stale_or_not_followed(
    tmp_path: Path, changed: str, made: str, told: list[str], followed: str
) -> None:
    (tmp_path / "main.py").write_text(PROGRAM.format(made=made, changed=changed), encoding="utf-8")
    found = analyze(read_source(tmp_path / "main.py", "main.py"), Project(), load_table())
    assert ([finding.code for finding in found.findings], [site.followed for site in found.sites]) == (told, [followed])
