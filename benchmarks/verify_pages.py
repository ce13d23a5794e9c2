"""Every bad and good block of the pages through `--verify`, on the default device of the MLX that is installed: one JSON line a claim.

    python benchmarks/verify_pages.py [CODE…] [--kind bad|good] [--timed]

A bad block is put to the test by its findings. A good one by claims that no rule makes, about each of its rows. `wrong` marks what is not as
the pages say: a finding of a bad block that is not confirmed, though its device is here and the finding does not say that all goes well there; a claim
on a good block, or a finding that says so, that is. The exit status is 1 if there is any.
It needs what mxlint itself needs, and MLX.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mxlint.engine import check
from mxlint.finding import Finding
from mxlint.pages import Block, load_page
from mxlint.result import Result
from mxlint.rules.registry import RULES
from mxlint.verify.claims import forced
from mxlint.verify.devices import kind as device_kind
from mxlint.verify.experiment import Options, verify


def claims(code: str, block: Block, result: Result) -> list[Finding]:
    """What is put to the test of a block."""
    if block.attributes == ("bad",):
        return [finding for finding in result.findings if finding.code == code]
    sites = [site.span for site in result.sites]
    (source,) = result.sources.values()
    found = (forced(source, row, code, sites) for row in range(1, block.text.count("\n") + 1))
    return list({claim.span: claim for claim in found if claim is not None}.values())


def lines(code: str, block: Block, options: Options) -> Iterator[dict[str, Any]]:
    """What comes of a block. A page whose device is not here is not wrong."""
    Path("block.py").write_text(block.text, encoding="utf-8")
    result = check(["block.py"])
    (kind,) = block.attributes
    for finding in verify(claims(code, block, result), result.sources, [site.span for site in result.sites], options):
        verdict = finding.verdict
        if verdict is None:
            continue
        missing = verdict.verdict == "unavailable" and load_page(code).verify != "cpu"
        right = verdict.mlx is not None and device_kind(verdict.mlx[1]) in finding.right_on
        yield {
            "code": code,
            "block": block.row,
            "kind": kind,
            "row": finding.span.start.row,
            "verdict": verdict.verdict,
            "level": verdict.level,
            "reason": verdict.reason,
            "evidence": None
            if (seen := verdict.evidence) is None
            else {"kind": seen.kind, "observed": seen.observed, "expected": seen.expected, "note": seen.note},
            "mlx": None if verdict.mlx is None else {"version": verdict.mlx[0], "device": verdict.mlx[1]},
            "slowdown": None if (cost := verdict.slowdown) is None else [cost.ratio, cost.low, cost.high],
            "seconds": round(verdict.duration, 2),
            "wrong": not missing and (verdict.verdict == "confirmed") != (kind == "bad" and not right),
        }


def main() -> int:
    """Print the lines as they come."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("codes", nargs="*", default=[code for code, rule in RULES.items() if rule.experiment is not None], metavar="CODE")
    parser.add_argument("--kind", choices=["bad", "good"])
    parser.add_argument("--timed", action="store_true", help="measure what the flagged form costs, too")
    arguments = parser.parse_args()
    wrong = False
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for code in arguments.codes:
            for block in load_page(code).blocks:
                if block.language == "python" and (arguments.kind is None or block.attributes == (arguments.kind,)):
                    for line in lines(code, block, Options(timed=arguments.timed)):
                        wrong = wrong or line["wrong"]
                        print(json.dumps(line), flush=True)
        os.chdir("/")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
