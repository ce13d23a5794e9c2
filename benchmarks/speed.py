"""What mxlint costs, in CPU seconds of whole processes, beside Fixit and ruff on the same files in the same run.

    pip install -e '.[bench]'
    python benchmarks/speed.py [--short] [FOLDER]

FOLDER is a tree that uses MLX; without it mlx-lm 0.32.2 is downloaded from the package index. The repeats are interleaved,
so that a busy minute of the machine hits every tool alike; the table shows medians. --short measures once and leaves Fixit out.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import sysconfig
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

MLX_LM = "mlx-lm==0.32.2"
NOT_LIBRARY = frozenset({"site-packages", "dist-packages", "__pycache__"})

READ = """
import os, sys
for folder, _, names in os.walk(sys.argv[1]):
    for name in names:
        if name.endswith(".py"):
            with open(os.path.join(folder, name), "rb") as file:
                file.read()
"""


ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


@dataclass(frozen=True, slots=True)
class Case:
    """A command to measure, and what it is measured for."""

    name: str
    command: tuple[str, ...]
    codes: tuple[int, ...] = (0,)


@dataclass(frozen=True, slots=True)
class Target:
    """`case` may cost at most `limit`: seconds, or times the cost of `against`."""

    text: str
    case: str
    limit: float
    against: str | None = None


TARGETS = (
    Target("mxlint on the MLX tree: at most 3 s", "mxlint", 3.0),
    Target("mxlint on the MLX tree: at most 1/30 of Fixit", "mxlint", 1 / 30, "fixit"),
    Target("a tree without MLX: at most 5 times reading it", "mxlint, standard library", 5.0, "read the standard library"),
    Target("one file without a site: at most 0.15 s", "mxlint, one file as a hook", 0.15),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, help=f"a tree that uses MLX (default: {MLX_LM}, downloaded)")
    parser.add_argument("--short", action="store_true", help="each once, without Fixit")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        scratch = Path(name)
        tree = arguments.folder.resolve() if arguments.folder else download(scratch / "mlx-lm")
        library = standard_library(scratch / "library")
        one = scratch / "one.py"
        one.write_text('"""Nothing about MLX."""\n\n\ndef double(x: int) -> int:\n    return 2 * x\n', encoding="utf-8")
        cases = [case for case in all_cases(tree, library, one) if not (arguments.short and case.name == "fixit")]
        times = measure(cases, repeats=1 if arguments.short else 5, scratch=scratch)
        print(f"{tree.name}: {describe(tree)}; standard library: {describe(library)}; Python {sys.version.split()[0]}\n")
        report({name: statistics.median(seconds) for name, seconds in times.items()})


def all_cases(tree: Path, library: Path, one: Path) -> list[Case]:
    mxlint = (sys.executable, "-m", "mxlint", "check", "--isolated", "--no-cache", "--exit-zero", "--quiet")
    return [
        Case("mxlint", (*mxlint, str(tree))),
        Case("fixit", (sys.executable, "-m", "fixit", "--quiet", "lint", str(tree)), codes=(0, 1, 2, 3)),
        Case("ruff", (sys.executable, "-m", "ruff", "check", "--isolated", "--no-cache", "--exit-zero", "--quiet", str(tree))),
        Case("mxlint, standard library", (*mxlint, str(library))),
        Case("read the standard library", (sys.executable, "-c", READ, str(library))),
        Case("mxlint, one file as a hook", (sys.executable, "-m", "mxlint", "check", "--force-exclude", "--no-cache", str(one))),
    ]


def measure(cases: list[Case], repeats: int, scratch: Path) -> dict[str, list[float]]:
    """Run every case once to warm the disk and the byte code, then `repeats` times in turn; Fixit is slow and warms nothing of ours.
    What is measured only once is not warmed: nobody reads those times."""
    times: dict[str, list[float]] = {case.name: [] for case in cases}
    for case in cases:
        if case.name != "fixit" and repeats > 1:
            cpu_seconds(case, scratch)
    for number in range(1, repeats + 1):
        for case in cases:
            print(f"\r\033[Kround {number} of {repeats}: {case.name}", end="", file=sys.stderr, flush=True)
            times[case.name].append(cpu_seconds(case, scratch))
    print("\r\033[K", end="", file=sys.stderr)
    return times


def cpu_seconds(case: Case, scratch: Path) -> float:
    """User and system time of the command and of every process it waited for; all tools may keep their byte code, as they do for users."""
    with (scratch / "output").open("w+b") as output:
        process = subprocess.Popen(case.command, stdout=output, stderr=output, cwd=scratch, env=ENVIRONMENT)
        _, status, usage = os.wait4(process.pid, 0)
        # wait4 took the status before Popen could: tell it, or it warns of a process still running.
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode not in case.codes:
            output.seek(0)
            sys.exit(f"{case.name} ended with {process.returncode}:\n{output.read().decode(errors='replace')[-2000:]}")
    return usage.ru_utime + usage.ru_stime


def report(seconds: dict[str, float]) -> None:
    print(f"{'what ran':<28} {'CPU s':>8} {'× mxlint':>9}")
    for name, value in seconds.items():
        print(f"{name:<28} {value:>8.3f} {value / seconds['mxlint']:>9.2f}")
    print()
    for target in TARGETS:
        if target.against is None:
            print(f"{verdict(seconds[target.case], target.limit)}  {target.text} (measured {seconds[target.case]:.3f} s)")
        elif target.against in seconds:
            ratio = seconds[target.case] / seconds[target.against]
            shown = f"{ratio:.2f} times" if ratio >= 1 else f"1/{1 / ratio:.0f}"
            print(f"{verdict(ratio, target.limit)}  {target.text} (measured {shown})")


def verdict(value: float, limit: float) -> str:
    return "met   " if value <= limit else "MISSED"


def download(folder: Path) -> Path:
    """The unpacked wheel of mlx-lm."""
    subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), MLX_LM], check=True)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    return folder / "mlx_lm"


def standard_library(folder: Path) -> Path:
    """A copy of the standard library's sources, so that both sides see the same files and nothing installed beside them."""
    source = Path(sysconfig.get_path("stdlib"))

    def leave_out(where: str, names: list[str]) -> Iterable[str]:
        return [name for name in names if not (name.endswith(".py") or (Path(where, name).is_dir() and name not in NOT_LIBRARY))]

    shutil.copytree(source, folder, ignore=leave_out)
    return folder


def describe(tree: Path) -> str:
    files = list(tree.rglob("*.py"))
    lines = sum(path.read_bytes().count(b"\n") for path in files)
    return f"{len(files):,} files, {lines:,} lines"


if __name__ == "__main__":
    main()
