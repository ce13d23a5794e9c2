"""Files that a file does not import, and that write what its traces have read: state lies in one file, a compiled function reads it, and a third file sets it.

Nobody in sight says when the functions of such a file run: the client lets them run between two calls, as others. What the file calls or hands on itself is in sight
there, and so is what another file calls.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import partial
from itertools import islice
from typing import Final

from mxlint.domain.members import External, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.imports.idle import imported_by
from mxlint.interpreter.imports.modules import load
from mxlint.interpreter.imports.unrun import handed_on
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.open_world import keeping_names
from mxlint.interpreter.open_world.calls_by_name import FUNCTIONS, last_name, with_callers
from mxlint.interpreter.open_world.client_methods import Method, changed_in_place, public_methods
from mxlint.interpreter.open_world.guarded import kept_run
from mxlint.interpreter.open_world.read_state import State, state_of
from mxlint.interpreter.open_world.setters import may_set
from mxlint.interpreter.open_world.unchanged import NAMED
from mxlint.source import Source
from mxlint.syntax.index import ANY, Block, Index

CALLED: Final = frozenset(("class", "compiled", "function"))
"""Kinds of objects that another file may call by a name."""
MOST_FILES: Final = 8
"""So many third files are run for one file."""


def writers(i: Interpreter, source: Source) -> Iterator[Method]:
    """The public functions of third files that write a name of a module which a trace has read, or change what lies there, themselves or through others of
    their file, and that nothing in sight calls."""
    names = _read(i)
    third: dict[str, tuple[Source, set[tuple[int, int]]]] = {}
    for holder, name in names:
        stem = holder.path.stem if holder.path is not None else ""
        for other in i.project.saying(name, holder):
            if len(third) == MOST_FILES or other.name in i.modules or stem != "__init__" and stem not in other.text:
                continue  # who imports a module says its name
            if spans := _writing(i, other, source, holder, name):
                third.setdefault(other.name, (other, set()))[1].update(spans)
    for other, spans in third.values():
        yield from _methods(i, source, other, spans)


def setters(i: Interpreter, source: Source) -> list[Method]:
    """The public functions and methods of other files that may set what traces have read of objects, and that nothing in sight calls."""
    state = state_of(i, {oid for oid, _ in i.traced})
    found: list[Method] = []
    third: list[Source] = []
    for other in dict.fromkeys(_leading_there(i, source, state)):
        alone = _setting(i, other, state)
        if alone and other.name not in i.modules:
            if len(third) == MOST_FILES:
                break
            third.append(other)
        found += _methods(i, source, other, alone) if alone else ()
    return found


def _setting(i: Interpreter, other: Source, state: State) -> set[tuple[int, int]]:
    """Where the functions of a file stand that may set some of a state, directly or through others of the file, and that nothing in sight calls."""
    index = _index(i, other)
    functions = [(other, block) for block in index.blocks if block.kind in FUNCTIONS] if index is not None else []
    setting = with_callers(functions, (held for held in functions if may_set(held[1], state)))
    return {(block.start, block.end) for _, block in setting if not _is_called(i, other, block)}


def _methods(i: Interpreter, source: Source, other: Source, spans: Collection[tuple[int, int]]) -> Iterator[Method]:
    """The public functions and methods of a third file that stand somewhere, once it has run."""
    if other.name not in i.modules:
        kept_run(i, partial(load, i, other, i.project.module_name(other), Place(source, 0, 0)))
    oid = i.modules.get(other.name)
    for method in public_methods(i, other, oid) if oid is not None and i.heap.exists(oid) else ():
        if (method.info.node.start, method.info.node.end) in spans:
            yield method


def _leading_there(i: Interpreter, source: Source, state: State) -> Iterator[Source]:
    """The files that may set what traces have read: they say a name of that, or set attributes by names that are not said; and they import a class of these objects
    by its name, or a file that makes one."""
    setting = sorted({*(f".{name}" for name in (*state.attributes, *state.under)), *BY_NAME})
    for cls in sorted(state.classes, key=lambda ref: ref.oid):
        place, label = i.info(cls.oid).place, i.info(cls.oid).label
        if place is None:
            continue
        yield from (other for other in i.project.saying(label, source, setting) if _imports(i, other, place.source))
        others = i.project.saying(f"{label}(", source, _said_to_import(place.source))
        makes = re.compile(rf"(?<!class )\b{re.escape(label)}\(")
        makers = [other for other in (place.source, *islice(others, MOST_FILES)) if makes.search(other.text)]
        for maker in makers:
            for word in _said_to_import(maker) if maker is place.source or _imports(i, maker, place.source) else ():
                yield from (other for other in i.project.saying(word, source, setting) if _imports(i, other, maker))


BY_NAME: Final = ("setattr", "delattr", "__dict__", "vars(")
"""What sets attributes whose names are not said."""


def _said_to_import(source: Source) -> tuple[str, ...]:
    """What a file has to say to import another: its name, or that of the package that hands it on."""
    if source.path is None:
        return ()
    folder, stem = source.path.parent.name, source.path.stem
    return tuple(word for word in ((folder,) if stem == "__init__" else (stem, folder)) if word)


class Imported:
    """The files of which each file imports something, also by what others hand on: by their identities."""

    __slots__ = ("by_file",)

    def __init__(self) -> None:
        self.by_file: dict[int, frozenset[int]] = {}


def _imports(i: Interpreter, other: Source, wanted: Source) -> bool:
    """Whether a file imports something of another one, also by what others hand on."""
    known = i.ledger.of(Imported).by_file
    if id(other) not in known:
        index = _index(i, other)
        bound = {item.bound for item in (index.imports if index is not None else ())}
        names = bound if ANY not in bound else bound | _said(i, other)[0]
        known[id(other)] = frozenset(id(module) for name in names for module, _ in handed_on(i, other, name))
    return id(wanted) in known[id(other)]


def _index(i: Interpreter, source: Source) -> Index | None:
    """The symbol index of a file, None if it is none of Python."""
    try:
        return i.project.symbols(source, i.tracers)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _is_called(i: Interpreter, source: Source, block: Block) -> bool:
    """Whether something in sight may call a function or method: its file, or another one, says its name, and that of its class."""
    first, last = block.name.partition(".")[0], last_name(block)
    reads, attributes = _said(i, source)
    if first == last:
        return last in reads or _is_used(i, source, last)
    if last in attributes and first in reads:
        return True
    return _is_used(i, source, first) and any(last in _said(i, other)[1] for other in i.project.saying(last, source))


class Said:
    """The names that files read, and those of attributes."""

    __slots__ = ("by_file",)

    def __init__(self) -> None:
        self.by_file: dict[int, tuple[frozenset[str], frozenset[str]]] = {}


def _said(i: Interpreter, source: Source) -> tuple[frozenset[str], frozenset[str]]:
    """The names that a file reads, and those of attributes."""
    known = i.ledger.of(Said).by_file
    if id(source) not in known:
        index = _index(i, source)
        blocks = index.blocks if index is not None else ()
        parts = (block.reads for block in blocks), (block.attributes for block in blocks)
        known[id(source)] = frozenset().union(*parts[0]), frozenset().union(*parts[1])
    return known[id(source)]


def _is_used(i: Interpreter, source: Source, name: str) -> bool:
    """Whether another file reads what a name of a file holds. One that imports it and does no more hands it on."""
    holders = [source]
    for holder in holders:
        for other in i.project.saying(name, holder):
            index = _index(i, other) if other not in holders else None
            imports = index.imports if index is not None else ()
            found = [item for item in imports if holder in imported_by(i.project, other, other, item)]
            if not found:
                continue
            bound = {name if item.name == ANY else item.bound for item in found if item.name in (name, ANY)}
            reads, attributes = _said(i, other)
            if bound & reads or name in attributes and any(item.name not in (name, ANY) for item in found):
                return True
            if bound:
                holders.append(other)
    return False


def _read(i: Interpreter) -> list[tuple[Source, str]]:
    """The names of modules that hold data which traces have read, or that lead to such, with the files of these modules."""
    named = {(oid, field) for oid, field in i.traced if isinstance(field, str)}
    leading = keeping_names.names_of(i, keeping_names.read_objects(i))
    return [
        (info.source, name)
        for oid in i.modules.values()
        if isinstance(info := i.info(oid).payload, FrameInfo) and i.heap.exists(oid)
        for name, value in i.heap.fields(oid).items()
        if isinstance(name, str) and ((oid, name) in named or name in leading) and _is_own(i, info.source, value)
    ]


def _is_own(i: Interpreter, source: Source, value: Value) -> bool:
    """Whether what a name of a module holds is data, and no object of another file."""
    infos = [i.info(member.oid) if isinstance(member, Ref) else None for member in members(value)]
    known = (info is None or info.kind not in NAMED and info.place is not None and info.place.source is source for info in infos)
    return all(known) and not any(isinstance(member, External) for member in members(value))


def _writing(i: Interpreter, other: Source, source: Source, holder: Source, name: str) -> set[tuple[int, int]]:
    """Where the functions of a file stand that write a name of another one, if the file imports that, and names nothing of `source` that may be called: it would
    see the calls."""
    index = _index(i, other)
    if index is None:
        return set()
    writing = [block for block in index.blocks if _writes(block, name)]
    if not writing or any(block.kind not in FUNCTIONS for block in writing):
        return set()
    functions = [(other, block) for block in index.blocks if block.kind == "function"]
    writing = [block for _, block in with_callers(functions, ((other, block) for block in writing))]
    names = {last_name(block) for block in writing}
    imported = {found for item in index.imports for found in imported_by(i.project, other, other, item)}
    said = frozenset().union(*(block.reads | block.attributes for block in index.blocks))
    if holder not in imported or source in imported and not said.isdisjoint(_called_by_name(i, source)):
        return set()
    alone = {last for last in names - said if not i.project.used_elsewhere(last, other, attribute=False)}
    return {(block.start, block.end) for block in writing if last_name(block) in alone}


def _called_by_name(i: Interpreter, source: Source) -> set[str]:
    """The names of the functions and classes of a file, and of what is compiled there."""
    module = i.modules.get(source.name)
    fields = i.heap.fields(module).items() if module is not None and i.heap.exists(module) else ()
    return {
        name
        for name, value in fields
        for member in members(value)
        if isinstance(name, str) and isinstance(member, Ref) and i.info(member.oid).kind in CALLED
    }


def _writes(block: Block, name: str) -> bool:
    """Whether a block may set a name of a module, or change what lies under it."""
    return name in block.writes or name in changed_in_place(block)
