"""How many of TypeEvalPy's annotations an abstract interpreter infers, and what it misses.

    python benchmarks/type_annotations.py FOLDER [--abstract MODULE:FUNCTION] [--misses]

FOLDER is `micro-benchmark` of github.com/secure-software-engineering/TypeEvalPy, or a folder in it: each `X.py` has an `X_gt.json` beside it. An
annotation is met if the types that the interpreter admits at its place are exactly the annotated ones. Attributes, items of containers and what
`exec` binds are read after the annotated statement, in a copy of the snippet.
Without --abstract CPython itself is scored, which shows how far the annotations are true of a run. --misses lists each one that is not met.
"""

from __future__ import annotations

import argparse
import ast
import json
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from oracle.abstract import AbstractFile, Adapter, load
from oracle.definitions import Offsets
from oracle.model import Kind, PointKey
from oracle.record import ProgramFailed

ALIASES = {"nonetype": "None", "none": "None", "callable": "function", "type": "class"}
"""What the annotations call a kind, in lower case, if it has another tag."""


@dataclass(frozen=True, slots=True)
class Annotation:
    """`point` is None where the place is none at which a value can be observed. `what`: return, parameter, variable, attribute, item, other."""

    row: int
    what: str
    name: str
    types: frozenset[str]
    point: PointKey | None


def main() -> None:
    """Print the score of each kind of annotation, and of each folder."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--abstract", default="oracle.replay:adapter", metavar="MODULE:FUNCTION")
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    adapter = load(arguments.abstract)
    outcomes: Counter[tuple[str, str]] = Counter()
    snippets = 0
    for truth in sorted(arguments.folder.rglob("*_gt.json")):
        program = truth.with_name(truth.name.replace("_gt.json", ".py"))
        if not program.exists():
            continue
        snippets += 1
        text, items = read_annotations(program.read_text(encoding="utf-8"), json.loads(truth.read_text()))
        believed = run(adapter, program, text)
        for item in items:
            outcome, admitted = judge(item, believed)
            outcomes[item.what, outcome] += 1
            if arguments.misses and outcome != "met":
                place = f"{program.relative_to(arguments.folder)}:{item.row}"
                print(f"{outcome}: {place} {item.what} {item.name}: {_list(item.types)}, but {_list(admitted)}")
    print_scores(outcomes, snippets)


def run(adapter: Adapter, program: Path, text: str) -> AbstractFile | None:
    """What the interpreter believes of a snippet with another text, in a copy of its folder."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "snippet")
        shutil.copytree(program.parent, copy)
        (copy / program.name).write_text(text, encoding="utf-8")
        try:
            return adapter(copy, program.name).get(program.name)
        except ProgramFailed as error:
            print(f"{program}: {error}", file=sys.stderr)
            return None


def print_scores(outcomes: Counter[tuple[str, str]], snippets: int) -> None:
    words = ("met", "too wide", "uncovered", "no value")
    print(f"{'':10} {'of':>5} " + " ".join(f"{word:>10}" for word in words))
    for what in [*sorted({what for what, _ in outcomes}), "all"]:
        counts = [sum(count for (own, outcome), count in outcomes.items() if outcome == word and what in (own, "all")) for word in words]
        print(f"{what:10} {sum(counts):5} " + " ".join(f"{count:10}" for count in counts))
    total = sum(outcomes.values())
    met = sum(count for (_, outcome), count in outcomes.items() if outcome == "met")
    print(f"{met} of {total} annotations met in {snippets} snippets, {met / max(total, 1):.1%}")


def judge(item: Annotation, believed: AbstractFile | None) -> tuple[str, frozenset[str]]:
    """How well an annotation is met, and the types that are admitted in its place."""
    view = believed.points.get(item.point) if believed is not None and item.point is not None else None
    kinds = view.kinds() if view is not None else None
    if view is not None and kinds is None:
        return "too wide", frozenset({view.reason or "anything"})
    if not kinds:
        return "no value", frozenset()
    missing = {name for name in item.types if not any(is_called(kind, name) for kind in kinds)}
    excess = {kind for kind in kinds if not any(is_called(kind, name) for name in item.types)}
    names = frozenset(map(str, kinds))
    return ("uncovered" if missing else "too wide" if excess else "met"), names


def is_called(kind: Kind, name: str) -> bool:
    """Whether the annotations may call a kind so. Classes go by the last part of their name, with or without what encloses them."""
    lower = name.lower()
    if kind.tag == ALIASES.get(lower, lower):
        return True
    if kind.tag in ("instance", "class"):
        return kind.name == name or _last(kind.name) == _last(name)
    return kind.tag == "function" and _last(kind.name) == name


def read_annotations(text: str, truth: list[dict[str, Any]]) -> tuple[str, list[Annotation]]:
    """The annotations of a file with the points that they speak of, and the text that has these points."""
    places = _Places(text)
    names: list[str] = [item.get("variable") or item.get("parameter") or item["function"] for item in truth]
    read = [(number, item) for number, item in enumerate(truth) if places.kind(item) in ("attribute", "item", "other")]
    lines = text.split("\n")
    added: dict[int, int] = {}
    for number, item in sorted(read, key=lambda pair: (places.last_row(pair[1]["line_number"]), pair[0]), reverse=True):
        row = places.last_row(item["line_number"])
        indent = " " * places.indent(item["line_number"])
        lines[row:row] = [f"{indent}try:", f"{indent}    {names[number]}", f"{indent}except Exception: pass"]
        added = {other: at + 3 for other, at in added.items()} | {number: row + 2}
    text = "\n".join(lines)
    moved = _Places(text)
    found = []
    for number, (item, name) in enumerate(zip(truth, names)):
        shift = 3 * sum(places.last_row(other["line_number"]) < item["line_number"] for _, other in read)
        point = moved.loaded(added[number]) if number in added else moved.point({**item, "line_number": item["line_number"] + shift})
        found.append(Annotation(item["line_number"], places.kind(item), name, frozenset(item["type"]), point))
    return text, found


class _Places:
    """The syntax of a snippet, asked by the rows and columns of annotations (both from 1)."""

    def __init__(self, text: str) -> None:
        self.offsets = Offsets(text)
        nodes = list(ast.walk(ast.parse(text)))
        self.functions = {(node.lineno, node.name): node for node in nodes if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))}
        self.names = {
            (node.lineno, node.col_offset + 1, node.id) for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        }
        self.statements = [node for node in nodes if isinstance(node, ast.stmt)]

    def kind(self, item: Mapping[str, Any]) -> str:
        if "parameter" in item:
            return "parameter"
        if "variable" not in item:
            return "return"
        name = item["variable"]
        if (item["line_number"], item["col_offset"], _last(name)) in self.names:
            return "variable"
        return "item" if "[" in name else "attribute" if "." in name else "other"

    def point(self, item: Mapping[str, Any]) -> PointKey | None:
        row = item["line_number"]
        if self.kind(item) == "return":
            function = self.functions.get((row, _last(item["function"])))
            return PointKey(*self.offsets.range(function), "return") if function is not None else None
        name = _last(item.get("variable", item.get("parameter")))
        start = self.offsets.starts[row - 1] + item["col_offset"] - 1
        return PointKey(start, start + len(name), "parameter" if "parameter" in item else "target")

    def loaded(self, row: int) -> PointKey:
        """The expression that is the whole of a row."""
        (statement,) = (node for node in self.statements if isinstance(node, ast.Expr) and node.lineno == row)
        return PointKey(*self.offsets.range(statement), "expression")

    def statement(self, row: int) -> ast.stmt:
        """The innermost statement of a row."""
        return max(
            (node for node in self.statements if node.lineno <= row <= (node.end_lineno or 0)),
            key=lambda node: (node.lineno, node.col_offset),
        )

    def last_row(self, row: int) -> int:
        return self.statement(row).end_lineno or row

    def indent(self, row: int) -> int:
        return self.statement(row).col_offset


def _last(name: str) -> str:
    """The last part of a dotted name."""
    return name.rpartition(".")[2]


def _list(names: frozenset[str]) -> str:
    return ", ".join(sorted(names)) or "nothing"


if __name__ == "__main__":
    main()
