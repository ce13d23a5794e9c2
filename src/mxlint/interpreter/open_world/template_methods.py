"""Methods that classes inherit and that come to something else in them: template methods.

In `class Base` with a compiled `forward` that calls `self.hook()`, and `class Noisy(Base)` with another `hook`, `forward` of a `Noisy` is another one than that
of a `Base`. What the methods of `Base` compile is traced once more, on an object of `Noisy`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from mxlint.domain.members import NONE, UNBOUND, Member, Ref, Unbound, members
from mxlint.interpreter.calls.activations import Ran
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.objects.lookup import class_attribute, mro
from mxlint.interpreter.open_world.candidates import Function, classes, imports_compiling
from mxlint.interpreter.open_world.public import is_called
from mxlint.source import Source
from mxlint.syntax import ir


def inherited(
    i: Interpreter, source: Source, module: int, found: Iterable[Function], reaching: Callable[[ir.Node], bool]
) -> Iterator[Function]:
    """The methods that classes of a file inherit and that may reach something compiled, each with the class, where that has something else in the place of
    what an inherited method asks for, and nothing has run it: the method may come to it. `found`: the functions of the file."""
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
        ):
            yield from _inherited(i, cls, bases, source, reaching)


def _inherited(i: Interpreter, cls: Ref, bases: Sequence[Ref], source: Source, reaching: Callable[[ir.Node], bool]) -> Iterator[Function]:
    """The public methods, and class methods, that a class has from its bases and that may reach something compiled."""
    own = {name for name in i.heap.fields(cls.oid) if isinstance(name, str)}
    for base in bases:
        held = {name: value for name, value in i.heap.fields(base.oid).items() if isinstance(name, str) and name not in own}
        own |= held.keys()
        for name, value in held.items():
            for member in members(value) if is_called(name) else ():
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


def _asked(i: Interpreter, cls: Ref) -> frozenset[str]:
    """The names of attributes for which the methods of a class ask, of whatever object."""
    place = i.info(cls.oid).place
    blocks = i.project.symbols(place.source, i.tracers).blocks if place is not None else ()
    inside = (block for block in blocks if place is not None and place.start <= block.start and block.end <= place.end)
    return frozenset().union(*(block.attributes | block.calls for block in inside))
