"""What a file is interested in: the pieces of text that may make or call something compiled, told by the names in them."""

from __future__ import annotations

import builtins
import keyword
import re
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TYPE_CHECKING

from mxlint.syntax import ir
from mxlint.tracing import call as calls
from mxlint.tracing.machine import Machine
from mxlint.tracing.spelling import compile_words, says_compile, whole_words
from mxlint.tracing.values import CompiledV, External, Frame, FuncV, Lazy, PartialV, TransformV, Value

if TYPE_CHECKING:
    from mxlint.source import Source
    from mxlint.tracing.chunks import Piece

MAX_ASIDE = 400
"""Characters of a function that is followed on a search although nothing tells that it leads to anything compiled."""

_GLOBAL = re.compile(r"\n[ \t]+global ")
_CHANGES = re.compile(r"\.eval\(\)|\.(?:train|freeze|unfreeze)\(|^[ \t]+(?:global |(?!self\b)\w+(?:\.\w+)+[ \t]*=(?!=))", re.MULTILINE)
"""How a function changes what others read later: a mode, a global, an attribute of what it is given."""
_HANDLE = re.compile(r"(\.?)\b(\w+)\s*(?::[^=\n]+)?=\s*[^=\n]*compile")


def imported_handles(m: Machine, source: Source, frame: Frame) -> set[str]:
    """The names under which compiled objects of other files, and functions that make such, are imported."""
    names: set[str] = set()
    for name, value in list(frame.fields.items()):
        if isinstance(value, Lazy) and value.origin is not None:
            found = m.project.find(*value.origin, source)
            if found is not None and (found.source is None or m.files.says_compile(found.source)):
                made = calls.force(frame, name, value)
                if isinstance(made, CompiledV) or isinstance(made, FuncV) and compiles(made) or _is_compile(made):
                    names.add(name)
    return names


def of_file(m: Machine, source: Source, frame: Frame, handles: set[str]) -> Callable[[str], bool]:
    """Whether a piece of text may make or call a compiled object."""
    mentions = mention(_names(m, source, frame, handles))
    if compiles_here(m, source):
        return lambda text: says_compile(text) or mentions(text)
    return lambda text: mentions(text) and (_TELLS.search(text) is not None or any(map(mentions, _DECORATOR.findall(text))))


def _names(m: Machine, source: Source, frame: Frame, handles: set[str]) -> set[str]:
    """What a file calls its compiled objects, and what makes or calls one."""
    names = handles | {name for name, value in frame.fields.items() if isinstance(name, str) and _runs_compiled(value)}
    return names | _wrappers(m) | _spelled_handles(m, source)


def _wrappers(m: Machine) -> set[str]:
    """What the functions that do what mx.compile does are called, without their modules."""
    return {wrapper.rsplit(".", 1)[-1] for wrapper in m.wrappers}


def makers(m: Machine, source: Source, frame: Frame, handles: set[str]) -> set[str]:
    """Those that are functions: what they are given may be captured."""
    return {name for name in _names(m, source, frame, handles) if isinstance(frame.fields.get(name), FuncV)}


def _imported_names(m: Machine, source: Source, seen: set[int]) -> set[str]:
    """The names under which a file that is not run imports compile, or what spells it elsewhere."""
    names: set[str] = set()
    seen.add(id(source))
    for node in chain.from_iterable(m.files.body(source, piece) if piece.plain else () for piece in m.files.pieces(source)):
        if isinstance(node, ir.ImportFrom):
            found = m.project.find(node.module, node.level, source)
            other = found.source if found is not None else None
            known = {"compile"}
            if other is not None and id(other) not in seen and m.files.says_compile(other):
                known = _spelled_handles(m, other, _imported_names(m, other, seen))
            names.update(alias or name for name, alias in node.names if name in known)
    return names


def _spelled_handles(m: Machine, source: Source, imported: Iterable[str] = ()) -> set[str]:
    """The names that a file gives to something compiled on the same line, and its functions that compile or call such a one, or one of `imported`."""
    names = set(imported)
    text, pieces = source.text, m.files.pieces(source)
    for piece in pieces:
        end = piece.start
        for at in compile_words(text, piece.start, piece.end):  # the lines that say so, and no others: the pattern is slow on a whole file
            if at >= end:
                end = text.find("\n", at) + 1 or len(text)
                found = _HANDLE.findall(text, text.rfind("\n", 0, at) + 1, end)
                names.update(name for dot, name in found if dot or not _is_local(text, piece, at))
    functions = {chunk.name: text[chunk.start : chunk.end] for chunk in pieces if chunk.kind == "def" and chunk.name}
    # Who calls a function that compiles may do so in a loop: two steps outward.
    makers = names.intersection(imported) | {name for name, body in functions.items() if says_compile(body)}
    for _ in range(2):
        if makers:
            calls_maker = mention(makers)
            makers |= {name for name, body in functions.items() if calls_maker(body)}
    return names | makers


def _is_local(text: str, piece: Piece, at: int) -> bool:
    """Whether a name that is bound there belongs to a function."""
    inside = piece.kind == "def" or any(suite.start <= at < suite.end for suite in piece.methods)
    return inside and _GLOBAL.search(text, piece.start, piece.end) is None


def leads(m: Machine, source: Source, interesting: Callable[[str], bool]) -> Callable[[FuncV], bool]:
    """Whether a function may come to something compiled by itself, or takes so little that it does not matter."""
    tests = {id(source): interesting}
    known: dict[tuple[int, int], bool] = {}

    def leads(function: FuncV) -> bool:
        where = function.node or function.place
        if where is None or where.end - where.start <= MAX_ASIDE:
            return True
        own = function.source
        key = id(own), where.start
        if key not in known:
            if key[0] not in tests:
                mentions = mention(_spelled_handles(m, own, _imported_names(m, own, set()) | _wrappers(m)))
                tests[key[0]] = lambda text: says_compile(text) or mentions(text)
            known[key] = tests[key[0]](own.text[where.start : where.end]) or _CHANGES.search(own.text, where.start, where.end) is not None
        return known[key]

    return leads


_NAME = re.compile(r"[^\W\d]\w*")
_NO_DATA = frozenset((*keyword.kwlist, *dir(builtins), "self", "mx", "nn"))


def shares(function: FuncV, mentions: Callable[[str], bool]) -> Callable[[calls.CallInfo], bool]:
    """Whether a call in a function is made of names that this one says together with something compiled."""
    names: set[str] | None = None
    text = function.source.text

    def shares(info: calls.CallInfo) -> bool:
        nonlocal names
        frame: Frame | None = info.frame
        while frame is not None and frame.kind == "comprehension":
            frame = frame.parent
        if frame is None or frame.function is not function:
            return False
        if names is None:
            where = function.node or function.place
            lines = text[where.start : where.end].split("\n") if where is not None else []
            names = {name for line in lines if mentions(line) for name in _NAME.findall(line)} - _NO_DATA
        start = text.rfind("\n", 0, info.place.start) + 1
        return not names.isdisjoint(_NAME.findall(text, start, info.place.end))

    return shares


def _runs_compiled(value: Value) -> bool:
    """Whether a value is a compiled object, or made of one by transforms and partials."""
    while isinstance(value, (TransformV, PartialV)):
        value = value.function
    return isinstance(value, CompiledV)


_DECORATOR = re.compile(r"(?m)^[ \t]*@(.*)$")
_TELLS = re.compile(r"\b(?:for|while|lambda|yield|int|float|bool|str|len|range|item|tolist|shape|size|ndim|None|True|False)\b|[\d\"'\[{]")
"""What a body needs to say about its calls more than that it passes on arrays which it was given: a loop, a constant, a conversion."""


def compiles_here(m: Machine, source: Source) -> bool:
    """Whether a file may hold a compile site."""
    return m.files.says_compile(source) or any(name in source.text for name in _wrappers(m))


def _is_compile(value: Value) -> bool:
    """Whether a value is mx.compile, or a partial of it."""
    function = value.function if isinstance(value, PartialV) else value
    return isinstance(function, External) and function.name == "mlx.core.compile"


def compiles(function: FuncV) -> bool:
    """Whether a function of another file makes compiled objects."""
    where = function.node or function.place
    return where is not None and says_compile(function.source.text, where.start, where.end)


def has_site(function: FuncV) -> bool:
    """Whether a function itself compiles something."""
    where = function.node or function.place
    return where is not None and next(whole_words(function.source.text, where.start, where.end), None) is not None


def mention(names: set[str]) -> Callable[[str], bool]:
    """Whether a text says one of these names. Most texts say none, which a plain search finds out ten times as fast as the pattern."""
    pattern = re.compile(r"\b(?:" + "|".join(sorted(map(re.escape, names))) + r")\b" if names else r"(?!)")
    return lambda text: any(name in text for name in names) and pattern.search(text) is not None
