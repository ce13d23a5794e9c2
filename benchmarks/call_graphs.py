"""Which functions of PyCG's micro-benchmark an abstract interpreter enters.

    python benchmarks/call_graphs.py FOLDER [--abstract MODULE:FUNCTION]

FOLDER is `micro-benchmark/snippets` of github.com/vitsalis/PyCG, or a folder in it: each program has a `callgraph.json` beside it. A function
counts if that graph reaches it from a module and the program defines it. Without --abstract CPython itself is scored, which shows what the
snippets really run. --abstract names an adapter as tests/oracle/abstract.py describes it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle import replay
from oracle.abstract import Adapter, load
from oracle.definitions import definitions, modules
from oracle.model import Range
from oracle.record import ProgramFailed


def main() -> int:
    """Print what is missed and the sums; 1 if a function is missed that CPython enters."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--abstract", default="oracle.replay:adapter", metavar="MODULE:FUNCTION")
    arguments = parser.parse_args()
    adapter = load(arguments.abstract)
    found = reachable = programs = 0
    missed: list[str] = []
    for graph in sorted(arguments.folder.rglob("callgraph.json")):
        programs += 1
        folder = graph.parent
        expected = reachable_functions(json.loads(graph.read_text()), folder)
        lost = expected - entered(adapter, folder)
        reachable += len(expected)
        found += len(expected) - len(lost)
        run = entered(replay.adapter, folder) if lost else set()
        for name in sorted(lost):
            missed += [name] if name in run else []
            print(f"{folder.relative_to(arguments.folder)}: {name}{'' if name in run else ' (nor does CPython)'}")
    print(f"{found} of {reachable} reachable functions entered in {programs} programs, {len(missed)} missed that CPython enters")
    return int(bool(missed))


def reachable_functions(graph: Mapping[str, Sequence[str]], folder: Path) -> set[str]:
    """The functions of the folder that the graph reaches from its modules."""
    todo = list(modules(folder))
    seen: set[str] = set()
    while todo:
        new = [name for name in graph.get(todo.pop(), ()) if name not in seen]
        seen.update(new)
        todo.extend(new)
    return seen & definitions(folder).keys()


def entered(adapter: Adapter, folder: Path) -> set[str]:
    """The dotted names of the functions that the interpreter enters when `main.py` is run."""
    try:
        files = adapter(folder, "main.py")
    except ProgramFailed as error:
        print(f"{folder}: {error}", file=sys.stderr)
        return set()
    ranges = {(file, span) for file, believed in files.items() for span in believed.entered}
    return {name for name, (file, *span) in definitions(folder).items() if (file, Range(*span)) in ranges}


if __name__ == "__main__":
    sys.exit(main())
