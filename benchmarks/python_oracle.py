"""An abstract interpreter against CPython: every value seen, function entered and statement executed is to be accounted for.

    python benchmarks/python_oracle.py --abstract MODULE:FUNCTION [--programs N] [--seed S] [--flaws N] [PATH …]

A PATH is a Markdown file of cases as in tests/fixtures/shapes, a Python file, or a folder: each folder under it with a `main.py` is a program,
and if there is none, each Python file. --programs draws so many programs, of --seed or of a new seed, which is told; the shortest one with a
flaw is made small. --abstract names an adapter as tests/oracle/abstract.py describes it. Exits 1 if there is a flaw.
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle.abstract import Adapter, load
from oracle.compare import Flaw, Report, compare, total
from oracle.generate import Program, draw_program
from oracle.record import MLX, ProgramFailed, Record, recording
from oracle.reduce import reduce_program

from mxlint.workdir import working_in

SECONDS = 20
"""What the abstract interpreter may take for one program."""


def main() -> int:
    """Print one report for each path and one for the generated programs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", type=Path, nargs="*", metavar="PATH")
    parser.add_argument("--abstract", required=True, metavar="MODULE:FUNCTION")
    parser.add_argument("--programs", type=int, default=0, metavar="N")
    parser.add_argument("--seed", type=int, default=secrets.randbits(32), metavar="S")
    parser.add_argument("--flaws", type=int, default=20, metavar="N")
    arguments = parser.parse_args()
    adapter = load(arguments.abstract)
    sound = True
    with recording(MLX) as record, tempfile.TemporaryDirectory() as folder:
        for path in arguments.paths:
            reports = [judge(record, adapter, Path(folder), files, main) for files, main in read_programs(path)]
            report = total(item for item in reports if item is not None)
            print(f"{path}: {len(reports)} programs, {report.text(arguments.flaws)}")
            sound &= not report.flaws
        if arguments.programs:
            sound &= explore(record, adapter, Path(folder), arguments)
    return int(not sound)


def judge(record: Record, adapter: Adapter, folder: Path, files: Mapping[str, bytes], main: str, seconds: int = 20) -> Report | None:
    """The report of one program, written to a folder of its own; None where CPython was killed."""
    root = Path(tempfile.mkdtemp(dir=folder))
    for name, data in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    try:
        recorded = record(root, main, seconds=seconds)
    except ProgramFailed as error:
        print(f"{main}: {error}", file=sys.stderr)
        return None
    try:
        with working_in(root), time_limit():
            believed = adapter(root, main)
    except Exception as error:  # noqa: BLE001 - whatever it raises is its flaw
        detail = "".join(traceback.format_exception(error)[-4:])
        return Report((Flaw("failed", main, 0, 0, detail),), points=sum(len(file.points) for file in recorded.files.values()))
    return compare(recorded, believed, {name: data.decode(errors="replace") for name, data in files.items()})


def explore(record: Record, adapter: Adapter, folder: Path, arguments: argparse.Namespace) -> bool:
    """Compare generated programs. Returns whether there is no flaw; prints the shortest program that has one, made small."""

    def judged(program: Program) -> Report | None:
        return judge(record, adapter, folder, {name: text.encode() for name, text in program.files.items()}, "main.py", seconds=2)

    reports: list[Report] = []
    flawed: list[tuple[Program, Report]] = []
    for number in range(arguments.programs):
        program = draw_program(Random(f"{arguments.seed} {number}"))
        report = judged(program)
        reports.extend([report] if report is not None else [])
        if report is not None and report.flaws:
            flawed.append((program, report))
    print(f"seed {arguments.seed}: {len(reports)} programs, {len(flawed)} with flaws, {total(reports).text(arguments.flaws)}")
    if not flawed:
        return True
    program, report = min(flawed, key=lambda pair: sum(map(len, pair[0].files.values())))
    kind = report.flaws[0].kind

    def shows(smaller: Program) -> bool:
        new = judged(smaller)
        return new is not None and any(flaw.kind == kind for flaw in new.flaws)

    program = reduce_program(program, shows)
    report = judged(program) or report
    print("\n".join([f"# {name}\n{text}" for name, text in program.files.items()]), report.text(arguments.flaws), sep="\n")
    return False


def read_programs(path: Path) -> Iterator[tuple[dict[str, bytes], str]]:
    """The programs that a path holds, as files with the one that is run."""
    if path.suffix == ".md":
        from cases import read_cases

        for case in read_cases(str(path.absolute())).values():
            texts = case.variant("x").files if "THING" in "".join(case.files.values()) else case.files
            yield {name: text.encode() for name, text in texts.items()}, "main.py"
    elif path.is_dir():
        roots = [main.parent for main in sorted(path.rglob("main.py"))]
        for root in roots:
            yield {file.relative_to(root).as_posix(): file.read_bytes() for file in root.rglob("*.py")}, "main.py"
        if not roots:
            files = {file.relative_to(path).as_posix(): file.read_bytes() for file in path.rglob("*.py")}
            yield from ((files, name) for name in sorted(files))
    else:
        yield {path.name: path.read_bytes()}, path.name


@contextlib.contextmanager
def time_limit() -> Iterator[None]:
    """Raise TimeoutError after SECONDS."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"not done after {SECONDS} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


if __name__ == "__main__":
    sys.exit(main())
