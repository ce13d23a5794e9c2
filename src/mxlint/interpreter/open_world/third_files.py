"""Files that a file does not import, and that write what its traces have read: state lies in one file, a compiled function reads it, and a third file sets it.

Nobody in sight says when the functions of such a file run: the client lets them run between two calls, as others. What the file calls or hands on itself is in sight
there, and so is what another file calls.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from mxlint.domain.members import External, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.imports.idle import imported_by
from mxlint.interpreter.imports.modules import load
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.open_world import keeping_names
from mxlint.interpreter.open_world.client_methods import Method, changed_in_place, public_methods
from mxlint.interpreter.open_world.guarded import kept_run
from mxlint.interpreter.open_world.unchanged import NAMED
from mxlint.source import Source
from mxlint.syntax.index import Block

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
        place = Place(source, 0, 0)
        kept_run(i, partial(load, i, other, i.project.module_name(other), place))
        oid = i.modules.get(other.name)
        for method in public_methods(i, other, oid) if oid is not None and i.heap.exists(oid) else ():
            if (method.info.node.start, method.info.node.end) in spans:
                yield method


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
    try:
        index = i.project.symbols(other, i.tracers)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return set()
    writing = [block for block in index.blocks if _writes(block, name)]
    names = {block.name.rpartition(".")[2] for block in writing if block.kind == "function"}
    while more := [block for block in index.blocks if block not in writing and block.kind == "function" and block.calls & names]:
        writing += more
        names |= {block.name.rpartition(".")[2] for block in more}
    if not writing or any(block.kind not in ("function", "lambda") for block in writing):
        return set()
    imported = {found for item in index.imports for found in imported_by(i.project, other, other, item)}
    said = frozenset().union(*(block.reads | block.attributes for block in index.blocks))
    if holder not in imported or source in imported and not said.isdisjoint(_called_by_name(i, source)):
        return set()
    alone = {last for last in names - said if not i.project.used_elsewhere(last, other, attribute=False)}
    return {(block.start, block.end) for block in writing if block.name.rpartition(".")[2] in alone}


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
