"""Where something is compiled, as the names say: what an import may have made `mx.compile`, as Python looks names up."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from mxlint.models.load import libraries
from mxlint.syntax.positions import Positions

if TYPE_CHECKING:
    from mxlint.syntax.index import Block, Import

Form = Literal["decorator", "partial-decorator", "name", "attribute", "lambda", "reference"]
Role = Literal["call", "decorator", "partial-decorator", "reference"]
Mention = tuple[ast.expr, int, Role, Any]
"""An expression that may be `mx.compile`, its block, and the call or definition that it decides the form of, if any."""

Named = tuple[int, str, ast.expr, str]
"""A name that a block gives to what a call makes of a text: the block, the name, what is called, the text."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where `mx.compile` is spelled under a name that an import may have given it: a call or decorator with what it compiles, or a mere reference.

    `meant`: what it stands for by the imports; `sure`: nothing else binds that name.
    """

    block: int
    start: int
    end: int
    form: Form
    compiled: str
    meant: str
    sure: bool


class Names:
    """What imports may have made of the names of a file, as Python looks names up."""

    def __init__(self, blocks: Sequence[Block], imports: Iterable[Import]) -> None:
        self._blocks = blocks
        self._origins: dict[tuple[int, str], list[str]] = {}
        for item in imports:
            self._origins.setdefault((item.block, item.bound), []).append(item.origin)

    def home(self, name: str, number: int) -> int:
        """The block that binds a name which is read in a block; the module if none does."""
        block = self._blocks[number]
        inner = True
        while number > 0:
            if name in block.globals:
                return 0
            own = inner or block.kind != "class"  # a class binds for itself, not for its methods
            if own and (name in block.binds or name in block.params):
                return number
            number, inner = block.parent, False
            block = self._blocks[number]
        return 0

    def meant(self, node: ast.expr, number: int) -> list[str]:
        """The dotted names that an expression may stand for."""
        if isinstance(node, ast.Name):
            return self._origins.get((self.home(node.id, number), node.id), [])
        return [f"{owner}.{node.attr}" for owner in self.meant(node.value, number) if owner] if isinstance(node, ast.Attribute) else []


def imported_by_call(
    blocks: Sequence[Block], imports: Iterable[Import], named: Iterable[Named], importers: frozenset[str]
) -> Iterator[tuple[int, str, str]]:
    """The blocks, names and modules of assignments of what a call imports. `importers`: the dotted names of what does."""
    names = Names(blocks, imports)
    for number, name, function, module in named:
        if not importers.isdisjoint(names.meant(function, number)):
            yield names.home(name, number), name, module


def sites(
    positions: Positions, blocks: Sequence[Block], imports: Iterable[Import], mentions: Iterable[Mention], compilers: frozenset[str]
) -> Iterator[Site]:
    """What of the mentions a name leads to that an import may have given it, in the order of the text."""
    names = Names(blocks, imports)

    def sure(node: ast.expr, number: int) -> bool:
        """Whether nothing but imports binds the name that an expression begins with."""
        while isinstance(node, ast.Attribute):
            node = node.value
        if not isinstance(node, ast.Name) or node.id in blocks[number].loops:
            return False
        block = blocks[names.home(node.id, number)]
        return node.id not in block.assigns and node.id not in block.params

    found = []
    for mention in mentions:
        meant = names.meant(mention[0], mention[1])
        if not compilers.isdisjoint(meant):
            found.append(
                _site(positions, mention, min(compilers.intersection(meant)), compilers.issuperset(meant) and sure(mention[0], mention[1]))
            )
    yield from sorted(found, key=lambda site: (site.start, -site.end))


def perhaps(blocks: Sequence[Block], imports: Iterable[Import], mentions: Iterable[Mention]) -> Iterator[ast.Attribute]:
    """The attributes that are named as what compiles is, of something that no import of a library gives: a parameter, what a call gives, a name of another file."""
    names = Names(blocks, imports)
    for node, block, _, _ in mentions:
        if isinstance(node, ast.Attribute) and not all(map(_of_library, names.meant(node, block) or [""])):
            yield node


@cache
def _of_library(name: str) -> bool:
    top = name.partition(".")[0]
    return top in sys.stdlib_module_names or top in libraries()


def _site(positions: Positions, mention: Mention, meant: str, sure: bool) -> Site:
    at, text = positions.at, positions.text
    node, block, role, user = mention

    def span(node: Any) -> tuple[int, int]:
        return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)

    if role == "decorator":
        return Site(block, *span(node), "decorator", user.name, meant, sure)
    if role == "partial-decorator":
        decorator, definition = user
        return Site(block, *span(decorator), "partial-decorator", definition.name, meant, sure)
    given = _given(user) if role == "call" else None
    if given is None:
        return Site(block, *span(node), "reference", "", meant, sure)
    form: Form = "lambda" if isinstance(given, ast.Lambda) else "attribute" if isinstance(given, ast.Attribute) else "name"
    start, end = span(given)
    return Site(block, *span(user), form, text[start:end], meant, sure)


def _given(call: ast.Call) -> ast.expr | None:
    """What a call of `mx.compile` compiles."""
    return call.args[0] if call.args else next((keyword.value for keyword in call.keywords if keyword.arg == "fun"), None)
