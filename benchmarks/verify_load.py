"""Whether the load of the machine decides what --verify says: verdicts of many runs, with and without busy processes beside them.

    pip install -e '.[verify-cpu]'
    python benchmarks/verify_load.py [--runs 20] [--busy 8] [PATH...]

PATH is a folder with a project (default: the quick start of README.md, and tests/fixtures/demo and project). Printed are the different sets of
verdicts (code, place, verdict, level, what became of the fix) with the runs that gave each; there must be one. What something costs is not
among them: that is measured, and nothing is left of it in a verdict. The exit code is 1 if there is another.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

from mxlint.engine import check
from mxlint.verify.experiment import Options, verified

ROOT = Path(__file__).parents[1]
PROJECTS = (ROOT / "tests" / "fixtures" / "demo", ROOT / "tests" / "fixtures" / "project")
QUICK_START = re.compile(r"^```python (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
Row = tuple[str, ...]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("paths", nargs="*", type=Path, metavar="PATH")
    parser.add_argument("--runs", type=int, default=20, help="so many of each kind (default: %(default)s)")
    parser.add_argument(
        "--busy", type=int, default=8, help="processes that only compute, beside every other kind of run (default: %(default)s)"
    )
    arguments = parser.parse_args()
    apart = False
    with tempfile.TemporaryDirectory() as folder:
        for name, text in QUICK_START.findall((ROOT / "README.md").read_text(encoding="utf-8")):
            Path(folder, name).write_text(text, encoding="utf-8")
        for path in arguments.paths or (Path(folder), *PROJECTS):
            shown = "README.md" if path == Path(folder) else path
            found: Counter[tuple[Row, ...]] = Counter()
            for busy in (0, arguments.busy):
                started = monotonic()
                with computing(busy):
                    found.update(verdicts(path) for _ in range(arguments.runs))
                print(
                    f"{shown}: {arguments.runs} runs beside {busy} busy processes, {(monotonic() - started) / arguments.runs:.1f} s each",
                    flush=True,
                )
            for rows, count in found.most_common():
                print(f"  {count} runs:")
                for row in rows:
                    print(f"    {' '.join(row)}")
            apart = apart or len(found) > 1
    return int(apart)


def verdicts(path: Path) -> tuple[Row, ...]:
    """What one run says of a project."""
    result = check([str(path)], with_facts=True)
    jobs = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    findings = verified(result, Options(jobs=jobs, timed=False)).findings
    return tuple(
        (finding.code, f"{Path(finding.span.filename).name}:{finding.span.start.row}", found.verdict, str(found.level), str(found.fix))
        for finding in findings
        if (found := finding.verdict) is not None
    )


@contextmanager
def computing(count: int) -> Iterator[None]:
    """So many processes that want a core all the time."""
    processes = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for process in processes:
            process.kill()
            process.wait()


if __name__ == "__main__":
    sys.exit(main())
