"""CPU seconds that a verdict takes: of mxlint and of all that it starts, with nothing known from a run before.

    python benchmarks/verify_cost.py [CODE…] [--times N]

The first bad block of each rule's page is checked with and without `--verify`, each time by a process of its own; the difference is what verify costs.
One JSON line a block: `static` without it, `verify` the difference, both in CPU seconds (the lower of N runs, so that a busy machine counts less), `elapsed` the
wall clock of the run with it, and whether a slowdown was timed. The last line has the medians. It needs what mxlint itself needs, and MLX.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from mxlint.pages import load_page
from mxlint.rules.registry import RULES


def spent(arguments: list[str], folder: Path) -> tuple[float, float, str]:
    """CPU seconds of a command and its descendants, its wall clock, and what it printed."""
    started = time.monotonic()
    with (folder / "out.txt").open("w+b") as out:
        environment = {
            name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
        }  # compiled, as pip installs it
        process = subprocess.Popen([sys.executable, "-m", "mxlint", *arguments], cwd=folder, stdout=out, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        text = out.read().decode()
    if process.returncode not in (0, 1):
        raise SystemExit(f"mxlint {' '.join(arguments)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - started, text


def measured(code: str, text: str, times: int) -> dict[str, Any]:
    """What a block costs."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "block.py").write_text(text, encoding="utf-8")
        check = ["check", "--no-cache", "--output-format", "json", "--select", code, "block.py"]
        static = min(spent(check, folder)[0] for _ in range(times))
        runs = [spent([*check, "--verify"], folder) for _ in range(times)]
    verdicts = [one["verify"] for one in json.loads(runs[0][2])["diagnostics"] if one["verify"] is not None]
    cpu, elapsed, _ = min(runs)
    return {
        "code": code,
        "findings": len(verdicts),
        "confirmed": sum(one["verdict"] == "confirmed" for one in verdicts),
        "timed": any(one["slowdown"] is not None for one in verdicts),
        "static": round(static, 2),
        "verify": round(cpu - static, 2),
        "elapsed": round(elapsed, 2),
    }


def main() -> None:
    """Print the lines as they come."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("codes", nargs="*", metavar="CODE")
    parser.add_argument("--times", type=int, default=2, metavar="N")
    arguments = parser.parse_args()
    lines = []
    for code in arguments.codes or [code for code, rule in RULES.items() if rule.experiment is not None]:
        page = load_page(code)
        block = next((block for block in page.blocks if block.language == "python" and block.attributes == ("bad",)), None)
        if block is None or page.verify != "cpu":
            continue
        line = measured(code, block.text, arguments.times)
        if line["findings"]:
            lines.append(line)
            print(json.dumps(line), flush=True)
    for timed in (False, True):
        chosen = [line["verify"] / line["findings"] for line in lines if line["timed"] is timed]
        if chosen:
            print(json.dumps({"timed": timed, "blocks": len(chosen), "median_of_a_finding": round(median(chosen), 2), "most": max(chosen)}))


if __name__ == "__main__":
    main()
