"""Methods that classes inherit and that come to something else in them: template methods.

In `class Base` with a compiled `forward` that calls `self.hook()`, and `class Noisy(Base)` with another `hook`, `forward` of a `Noisy` is another one than that
of a `Base`. What the methods of `Base` compile is traced once more, on an object of `Noisy`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from mxlint.domain.members import NONE, UNBOUND, Member, Ref, Unbound, members
from mxlint.interpreter.calls.activations import Ran
from mxlint.interpreter.machine.constructors import CONSTRUCTORS, OF_CLASSES_MADE
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import class_attribute, mro
from mxlint.interpreter.open_world.calls_by_name import last_name
from mxlint.interpreter.open_world.candidates import Function, classes, imports_compiling
from mxlint.interpreter.open_world.client_methods import changed_attributes
from mxlint.interpreter.open_world.public import is_called
from mxlint.source import Source
from mxlint.syntax import ir
from mxlint.syntax.index import ANY, Block


def differing(i: Interpreter, source: Source, module: int, found: Iterable[Function]) -> Iterator[tuple[Ref, list[Ref]]]:
    """The classes of a file of which an object is another thing than one of their bases, each with the bases: the class has something else in the place of
    what an inherited method asks for, and nothing has run it, or it has a method that sets what the method of a base asks for. `found`: the functions of
    the file."""
    unrun: dict[Ref, list[str]] = {}
    for ref, cls, _ in found:
        info = i.info(ref.oid).payload
        if cls is not None and isinstance(info, FunctionInfo) and id(info.node) not in i.ledger.of(Ran).functions:
            unrun.setdefault(cls, []).append(info.name)
    asked: dict[Ref, frozenset[str]] = {}
    for cls in classes(i, source, module):
        bases = [base for base in mro(i, cls)[1:] if isinstance(base, Ref)]
        elsewhere = all(getattr(i.info(base.oid).payload, "source", source) is not source for base in bases)
        if not bases or elsewhere and not imports_compiling(i, source, cls):
            continue
        asked.update((base, _asked(i, base)) for base in bases if base not in asked)
        names = unrun.get(cls, ())
        replaces = any(i.heap.get(base.oid, name) is not None for base in bases for name in names)
        if (
            replaces
            or any(name in asked[base] for base in bases for name in names)
            or _differs(i, cls, {base: asked[base] for base in bases})
            or _joins(i, cls, {base: asked[base] for base in bases})
        ):
            yield cls, bases


def inherited(
    i: Interpreter, source: Source, differing: Iterable[tuple[Ref, Sequence[Ref]]], reaching: Callable[[ir.Node], bool]
) -> Iterator[Function]:
    """The methods that such classes inherit and that may reach something compiled, each with the class: the method may come to what is other there."""
    for cls, bases in differing:
        yield from _inherited(i, cls, bases, source, reaching)


def _inherited(i: Interpreter, cls: Ref, bases: Sequence[Ref], source: Source, reaching: Callable[[ir.Node], bool]) -> Iterator[Function]:
    """The public methods, and class methods, that a class has from its bases and that may reach something compiled. Those that Python calls where a class or an object is
    made have run for it."""
    own = {name for name in i.heap.fields(cls.oid) if isinstance(name, str)}
    for base in bases:
        held = {name: value for name, value in i.heap.fields(base.oid).items() if isinstance(name, str) and name not in own}
        own |= held.keys()
        for name, value in held.items():
            for member in members(value) if is_called(name) and name not in OF_CLASSES_MADE else ():
                of_class = (
                    isinstance(member, Ref) and i.info(member.oid).kind == "descriptor" and i.info(member.oid).payload == "classmethod"
                )
                method = i.heap.get(member.oid, "fget") if of_class and isinstance(member, Ref) else member
                info = i.info(method.oid).payload if isinstance(method, Ref) else None
                if not isinstance(method, Ref) or not isinstance(info, FunctionInfo) or i.info(method.oid).kind != "function":
                    continue
                if info.source is not source or reaching(info.node):
                    yield (method, None, cls) if of_class else (method, cls, None)


def _differs(i: Interpreter, cls: Ref, asked: Mapping[Ref, Collection[str]]) -> bool:
    """Whether a method of a base asks for an attribute that is another one in a class than in that base, and that nothing has run: a value, or a method that
    the class has from another base. `asked`: what each base asks for."""
    for base, names in asked.items():
        for name in names:
            here, there = class_attribute(i, cls, name) or UNBOUND, class_attribute(i, base, name) or UNBOUND
            if here != there and not any(isinstance(member, Unbound) or _has_run(i, member) for member in members(here)):
                return True
    return False


def _has_run(i: Interpreter, member: Member) -> bool:
    """Whether something is a function that has run, or a property of one."""
    if isinstance(member, Ref) and i.info(member.oid).kind == "descriptor":
        return any(_has_run(i, getter) for getter in members(i.heap.get(member.oid, "fget") or NONE))
    info = i.info(member.oid).payload if isinstance(member, Ref) else None
    return isinstance(info, FunctionInfo) and id(info.node) in i.ledger.of(Ran).functions


def _joins(i: Interpreter, cls: Ref, asked: Mapping[Ref, Collection[str]]) -> bool:
    """Whether a class, or a base of it, has a method that sets what the method of another base asks for, where no base has both of these among its own."""
    together = [frozenset(mro(i, base)) for base in asked]
    for setting in (cls, *asked):
        names = _set(i, setting)
        for base, its in asked.items():
            if (
                base != setting
                and (not names.isdisjoint(its) or its and ANY in names)
                and not any(setting in each and base in each for each in together)
            ):
                return True
    return False


def _asked(i: Interpreter, cls: Ref) -> frozenset[str]:
    """The names of attributes for which the methods of a class ask, of whatever object."""
    return frozenset().union(*(block.attributes | block.calls for block in _blocks(i, cls)))


def _set(i: Interpreter, cls: Ref) -> frozenset[str]:
    """The names of attributes that the methods of a class set, of whatever object, or of which they change in place what lies there, but for what its constructors do."""
    blocks = [block for block in _blocks(i, cls) if last_name(block) not in CONSTRUCTORS]
    return frozenset().union(*(block.writes | changed_attributes(block) for block in blocks))


def _blocks(i: Interpreter, cls: Ref) -> Iterator[Block]:
    """What stands in the definition of a class."""
    place = i.info(cls.oid).place
    for block in i.project.symbols(place.source, i.tracers).blocks if place is not None else ():
        if place is not None and place.start <= block.start and block.end <= place.end:
            yield block
