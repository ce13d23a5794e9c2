"""What the client of a file may call: its public functions and methods, and those of what it imports, that may change what a trace has read.

Of `class Model` with `set_scale` and `step`, both are methods of the client; `_helper` is not. Which of them write a name that a trace has read is told by the
symbol index: a function that calls `set_scale` by its name may write what that writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from mxlint.domain.members import NONE, Bound, Composite, Member, Ref, Tuple, Union, Value, members
from mxlint.domain.parts import each_part, referred
from mxlint.interpreter.calls.activations import ENV
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.machine.handed_out import HandedOut, handed_functions
from mxlint.interpreter.machine.reach import HOLDERS, each_leaf
from mxlint.interpreter.objects.lookup import CLASS, class_attribute, mro
from mxlint.interpreter.objects.wrappers import implementations
from mxlint.interpreter.open_world import keeping_names
from mxlint.interpreter.open_world.calls_by_name import FUNCTIONS, with_callers
from mxlint.interpreter.open_world.candidates import classes, functions
from mxlint.interpreter.open_world.public import is_called
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.open_world.unchanged import NAMED
from mxlint.models.load import changers
from mxlint.models.written import WrittenSource
from mxlint.source import Source
from mxlint.syntax.index import Block


class Method(NamedTuple):
    """A public function or method; the class whose objects are its first argument, and the class that is. `owner`: the object, if it is a certain one.
    `descriptor`: what stands before that object, where it is the setter of a descriptor."""

    ref: Ref
    info: FunctionInfo
    cls: Ref | None
    owner_class: Ref | None
    owner: Ref | None = None
    descriptor: Ref | None = None


def public_methods(i: Interpreter, source: Source, module: int) -> list[Method]:
    """The public functions and methods of a file: those that a public name holds, whatever they are called where they are defined."""
    found = list(functions(i, source, module))
    held = _names_held(i, {module, *(cls.oid for _, *classes in found for cls in classes if cls is not None)})
    return [
        Method(ref, info, cls, owner_class)
        for ref, cls, owner_class in found
        if isinstance(info := i.info(ref.oid).payload, FunctionInfo) and any(map(is_called, held.get(ref, (info.name,))))
    ]


def _names_held(i: Interpreter, holders: Iterable[int]) -> dict[Ref, list[str]]:
    """The names under which modules and classes hold functions, also those of properties and static methods."""
    found: dict[Ref, list[str]] = {}
    for name, value in (field for oid in holders for field in i.heap.fields(oid).items()):
        for member in members(value) if isinstance(name, str) else ():
            if isinstance(member, Ref):
                parts = [i.heap.get(member.oid, part) for part in ("fget", "fset")] if i.info(member.oid).kind == "descriptor" else [member]
                for ref in (
                    part for held in (*parts, *implementations(i, member)) for part in members(held or NONE) if isinstance(part, Ref)
                ):
                    found.setdefault(ref, []).append(name)  # type: ignore[arg-type]
    return found


def methods_by_class(i: Interpreter, source: Source, module: int, public: Sequence[Method]) -> dict[int, list[Method]]:
    """The classes of a file that have methods of their own or of which an object was made for its inherited ones, with their public methods."""
    found: dict[int, list[Method]] = {cls.oid: [] for _, cls, _ in functions(i, source, module) if cls is not None}
    found |= {cls.oid: [] for cls in classes(i, source, module) if cls.oid in i.ledger.of(Standing).samples and cls.oid not in found}
    for method in public:
        if method.cls is not None:
            found.setdefault(method.cls.oid, []).append(method)
    return found


def inherited_methods(i: Interpreter, cls: Ref) -> list[Method]:
    """The public methods that a class has from its bases, setters of properties among them."""
    own = {name for name in i.heap.fields(cls.oid) if isinstance(name, str)}
    return methods_of(i, cls, mro(i, cls)[1:], own)


def methods_of(i: Interpreter, cls: Ref, bases: Iterable[Member], known: set[str]) -> list[Method]:
    """The public methods that a class has from some of its bases, but for those of names that are known."""
    found: list[Method] = []
    for base in bases:
        fields = (
            [(name, value) for name, value in i.heap.fields(base.oid).items() if isinstance(name, str)] if isinstance(base, Ref) else []
        )
        for name, value in fields:
            for member in members(value) if name not in known and is_called(name) else ():
                held = i.heap.get(member.oid, "fset") if isinstance(member, Ref) and i.info(member.oid).kind == "descriptor" else member
                for ref in (held, *(implementations(i, member) if isinstance(member, Ref) else ())):
                    info = function_info(i, ref) if isinstance(ref, Ref) and i.info(ref.oid).kind == "function" else None
                    if isinstance(ref, Ref) and info is not None:
                        found.append(Method(ref, info, cls, None))
        known.update(name for name, _ in fields)
    return found


def methods_of_object(i: Interpreter, ref: Ref) -> Iterator[Method]:
    """The public methods of an object of a class of the program, setters among them."""
    cls = i.heap.get(ref.oid, CLASS)
    if isinstance(cls, Ref):
        for method in (*methods_of(i, cls, mro(i, cls), set()), *descriptor_setters(i, cls)):
            if not isinstance(method.info.source, WrittenSource):
                yield method._replace(owner=ref)


def descriptor_setters(i: Interpreter, cls: Ref) -> list[Method]:
    """What runs where a public attribute of an object is set that is an object of the program with a `__set__` in the class, or in a base."""
    found: dict[str, list[Method]] = {}
    for base in mro(i, cls):
        for name, value in i.heap.fields(base.oid).items() if isinstance(base, Ref) else ():
            if isinstance(name, str) and not name.startswith("_") and name not in found:
                found[name] = list(_setters(i, cls, value))
    return [method for methods in found.values() for method in methods]


def _setters(i: Interpreter, cls: Ref, value: Value) -> Iterator[Method]:
    for member in members(value):
        its_class = i.heap.get(member.oid, CLASS) if isinstance(member, Ref) and i.info(member.oid).kind == "instance" else None
        setter = class_attribute(i, its_class, "__set__") if isinstance(its_class, Ref) else None
        info = function_info(i, setter) if isinstance(setter, Ref) else None
        if isinstance(member, Ref) and isinstance(setter, Ref) and info is not None:
            yield Method(setter, info, cls, None, descriptor=member)


MAKERS: Final = frozenset(("compiled", "transform", "partial", "cached"))
"""Kinds of objects that call what they hold where they are called themselves."""


def held_methods(i: Interpreter) -> dict[int, list[tuple[int | None, Ref]]]:
    """The methods of objects that something holds, by the objects: which object holds each, None for what lies out of sight."""
    found: dict[int, list[tuple[int | None, Ref]]] = {}
    cells = ((oid, cell) for oid, cell in enumerate(i.heap.cells) if cell and i.info(oid).kind not in MAKERS)
    held = ((oid, value) for oid, cell in cells for value in cell.values() if isinstance(value, (Union, Composite)))
    parts = ((oid, part) for oid, value in held for part in each_part(value, Tuple))
    for holder, part in (*parts, *((None, method) for method in i.ledger.of(HandedOut).methods)):
        if isinstance(part, Bound) and isinstance(part.owner, Ref) and isinstance(part.function, Ref):
            found.setdefault(part.owner.oid, []).append((holder, part.function))
    return found


def handed_out_methods(
    i: Interpreter, owner: Value, its: Sequence[Method], bound: Mapping[int, Sequence[tuple[int | None, Ref]]]
) -> list[Method]:
    """The methods of an object that others were given, a list of callbacks or something out of sight, besides those that are listed. What the object
    keeps for itself nobody else calls."""
    owners = [member.oid for member in members(owner) if isinstance(member, Ref) and member.oid in bound]
    if not owners:
        return []
    own = owned(i, owners)
    functions = dict.fromkeys(function for number in owners for holder, function in bound[number] if holder not in own)
    known = {method.ref for method in its}
    return [
        Method(ref, info, cls, None)
        for ref in functions
        if ref not in known and (info := function_info(i, ref)) is not None
        for cls in (i.heap.get(owners[0], CLASS),)
        if isinstance(cls, Ref)
    ]


def handed_out_closures(i: Interpreter, owner: Value) -> list[Method]:
    """The functions that something out of sight was given and that were made where an object had a name, as `self` in its constructor."""
    owners = {member for member in members(owner) if isinstance(member, Ref)}
    found = ((ref, function_info(i, ref)) for ref in handed_functions(i))
    return [Method(ref, info, None, None) for ref, info in found if info is not None and not owners.isdisjoint(_closed_over(i, ref))]


def _closed_over(i: Interpreter, function: Ref) -> Iterator[Member]:
    """What the activations around a function hold."""
    env = i.heap.get(function.oid, ENV)
    while isinstance(env, Ref) and i.info(env.oid).kind == "frame":
        for value in i.heap.fields(env.oid).values():
            yield from members(value)
        env = i.heap.get(env.oid, ENV)


def methods_of_given(i: Interpreter, owner: Value, classes: Mapping[int, Sequence[Method]]) -> Iterator[Method]:
    """The public methods of the objects that somebody out of sight has given to an object, and that it keeps: whoever has them may call these as well."""
    held = {member for _, _, member in each_leaf(i, owner) if isinstance(member, Ref) and member.oid in i.ledger.of(Standing).objects}
    for kept in sorted(held - set(members(owner)), key=lambda ref: ref.oid):
        for cls in members(i.heap.get(kept.oid, CLASS) or NONE):
            if isinstance(cls, Ref):
                yield from (method._replace(owner=kept) for method in (*classes.get(cls.oid, ()), *inherited_methods(i, cls)))


def owned(i: Interpreter, owners: Sequence[int]) -> set[int]:
    """Objects, with all that lies in them, but for what somebody out of sight gave them: that others have as well."""
    own: set[int] = set()
    todo = [*owners]
    while todo:
        oid = todo.pop()
        if oid not in own and (oid in owners or oid not in i.ledger.of(Standing).objects):
            own.add(oid)
            if i.info(oid).kind in HOLDERS:
                todo += {number for value in i.heap.fields(oid).values() for number in referred(value)}
    return own


def writing_methods(i: Interpreter, source: Source, module: int, public: Sequence[Method]) -> tuple[list[Method], list[tuple[Ref, Method]]]:
    """The public functions and methods, of a file and of those that it imports, which may write a name of a module or class that a trace has read,
    or change what it holds, directly or through others, by the names that they call; those that may fill what these find empty; and those functions of
    the file that give context managers and may do so."""
    traced = [(oid, field) for oid, field in i.traced if isinstance(field, str) and (i.info(oid).kind in NAMED or i.info(oid).trace)]
    names = {field for oid, field in traced if i.info(oid).kind == "module"}
    of_others = {field for oid, field in traced if i.info(oid).kind != "module"}
    holders = keeping_names.names_of(i, keeping_names.read_objects(i)) | i.ledger.of(keeping_names.KeepingNames).names
    holders |= keeping_names.of_libraries(i)
    of_objects = {field for oid, field in i.traced if isinstance(field, str) and i.info(oid).kind == "instance"}
    empty = keeping_names.of_empty(i, (oid for _, oid in _files(i, source, module)))
    if not traced and not holders and not (of_objects and empty):
        return [], []
    handed = ((ref, function_info(i, ref)) for ref in handed_functions(i))
    found = [*public, *(Method(ref, info, None, None) for ref, info in handed if info is not None)]
    writing: set[tuple[Source, Block]] = set()
    blocks: list[tuple[Source, Block]] = []
    for file, oid in _files(i, source, module):
        methods = functions(i, file, oid)
        on_class = {
            (info.node.start, info.node.end) for ref, _, cls in methods if cls is not None and (info := function_info(i, ref)) is not None
        }
        for block in i.project.symbols(file, i.tracers).blocks:
            if block.kind not in FUNCTIONS:
                continue
            blocks.append((file, block))
            constructor = block.name.rpartition(".")[2] == "__new__"
            others = block.writes if constructor or (block.start, block.end) in on_class else block.writes - block.own
            if (
                names & (block.globals | block.named | block.writes)
                or of_others & others
                or holders & (block.reads | block.attributes if file is source else changed_in_place(block))
            ):
                writing.add((file, block))
        if file is not source and any(other is file for other, _ in writing):
            found += public_methods(i, file, oid)
    setting = [block for _, block in blocks if of_objects & block.writes] if empty else []
    wanted = {name for block in (*setting, *(block for _, block in writing)) for name in empty & (block.reads | block.attributes)}
    writing.update((file, block) for file, block in blocks if wanted & (block.reads | block.attributes))
    spans = {(id(file), block.start, block.end) for file, block in with_callers(blocks, writing)}

    def writes(method: Method) -> bool:
        return (id(method.info.source), method.info.node.start, method.info.node.end) in spans

    return list(filter(writes, found)), [manager for manager in context_managers(i, module, None) if writes(manager[1])]


def changed_in_place(block: Block) -> set[str]:
    """The names of variables and attributes of which a block changes in place what they hold."""
    return {owner.removeprefix(".") for how, owner in block.uses if how in changers()}


def changed_attributes(block: Block) -> set[str]:
    """The names of attributes of which a block may change in place what they hold, itself, by another name for it or by what it calls."""
    changed = changed_in_place(block)
    return changed | block.attributes & block.hands | (block.attributes if "" in changed else frozenset())


def _files(i: Interpreter, source: Source, module: int) -> Iterator[tuple[Source, int]]:
    """A file, and those that it imports, with their modules."""
    yield source, module
    for name, oid in i.modules.items():
        if isinstance(info := i.info(oid).payload, FrameInfo) and name == info.source.name and info.source is not source:
            yield info.source, oid


def function_info(i: Interpreter, ref: Ref) -> FunctionInfo | None:
    info = i.info(ref.oid).payload
    return info if isinstance(info, FunctionInfo) else None


def context_managers(i: Interpreter, holder: int, cls: Ref | None) -> list[tuple[Ref, Method]]:
    """The public methods of a class, or functions of a module, that give context managers, with what is called to have one: inside it, what they change is
    another thing."""
    found: list[tuple[Ref, Method]] = []
    for field, value in i.heap.fields(holder).items():
        for member in members(value) if isinstance(field, str) and not field.startswith("_") else ():
            manager = manager_made_by(i, member, cls)
            if isinstance(member, Ref) and manager is not None:
                found.append((member, manager))
    return found


def manager_made_by(i: Interpreter, member: Member, cls: Ref | None = None) -> Method | None:
    """The generator function that a function of context managers runs, of objects of a class or by itself; None if it is no such function."""
    if not isinstance(member, Ref) or i.info(member.oid).kind != "contextmanager":
        return None
    wrapped = i.heap.get(member.oid, "__wrapped__")
    info = function_info(i, wrapped) if isinstance(wrapped, Ref) else None
    return Method(wrapped, info, cls, None) if isinstance(wrapped, Ref) and info is not None else None
