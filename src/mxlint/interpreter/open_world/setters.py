"""Functions that set what traces have read of objects, and that are no methods of these: `def configure(model: Model): model.scale = 2.0`.

Somebody out of sight calls them. They are given such an object, or their own object was made with one, as annotations say; or they come to one by names of modules
and classes, as `MODEL.scale = 2.0` does, also through functions that give it. The symbol index tells which may set something; who runs them sees on what.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from mxlint.domain.members import Ref, Value
from mxlint.facts import events
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import FrameInfo
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.objects.annotations import alternatives, named
from mxlint.interpreter.objects.hints import Annotations
from mxlint.interpreter.objects.lookup import class_attribute, fields_of, mro
from mxlint.interpreter.open_world import keeping_names
from mxlint.interpreter.open_world.alone import sample
from mxlint.interpreter.open_world.calls_by_name import FUNCTIONS, Held, by_last_name, with_called, with_callers
from mxlint.interpreter.open_world.client_methods import Method, changed_attributes, function_info
from mxlint.interpreter.open_world.read_state import State, classes_of, state_of
from mxlint.interpreter.open_world.standing import Standing
from mxlint.interpreter.open_world.turns import called
from mxlint.syntax import ir
from mxlint.syntax.index import ANY, Block


def may_set(block: Block, state: State) -> bool:
    """Whether a block may set something, other than as a method on its own object."""
    names = block.writes - block.own
    return ANY in names or not state.attributes.isdisjoint(names) or not state.under.isdisjoint(changed_attributes(block))


def read_by(i: Interpreter, compiled: Collection[int]) -> set[int]:
    """The objects that traces of some compiled objects have read."""
    return {record.location[0] for record in journal(i).records if type(record) is events.Read and record.object in compiled}


class Setters:
    """Those among some functions and methods."""

    def __init__(self, i: Interpreter, methods: Sequence[Method]) -> None:
        self._i = i
        self._methods = methods
        self._known: dict[State, dict[Method, frozenset[str]]] = {}

    def of(self, compiled: Collection[int]) -> list[Method]:
        """Those that may set what traces of some compiled objects have read."""
        return list(self._setting(compiled))

    def objects(self, cls: Ref, compiled: Collection[int]) -> list[Ref]:
        """The objects of a class that there are, and to which some of those come by names that lead there."""
        said = frozenset[str]().union(*self._setting(compiled).values())
        found = objects_of(self._i, (cls,)) if said else []
        return [ref for ref in found if not said.isdisjoint(keeping_names.names_of(self._i, (ref.oid,)))]

    def _setting(self, compiled: Collection[int]) -> dict[Method, frozenset[str]]:
        """Those that may set what traces of some compiled objects have read, with the names by which they come to it; none where they are given it."""
        state = state_of(self._i, read_by(self._i, compiled)) if self._methods else None
        if state is None or not state.classes:
            return {}
        if state not in self._known:
            self._known[state] = dict(self._find(state))
        return self._known[state]

    def _find(self, state: State) -> Iterator[tuple[Method, frozenset[str]]]:
        i = self._i
        blocks = list(_blocks(i))
        setting = with_callers(blocks, (held for held in blocks if may_set(held[1], state)))
        if not setting:
            return
        named = by_last_name(blocks)
        at = {(id(source), block.start, block.end): (source, block) for source, block in setting}
        leading = keeping_names.names_of(i, (ref.oid for ref in objects_of(i, state.classes)))
        leading |= {i.info(cls.oid).label for cls in state.classes}
        for method in self._methods:
            held = at.get((id(method.info.source), method.info.node.start, method.info.node.end))
            if held is None or method.cls in state.classes:
                continue
            said = frozenset().union(*(block.reads | block.attributes for _, block in with_called(named, held))) & leading
            given = [cls for cls in (*_given(i, method.ref), *_made_of(i, method.cls)) if cls in state.classes]
            for cls in given:
                if isinstance(cls, Ref) and (place := i.info(cls.oid).place) is not None:
                    sample(i, cls, place)  # that is what others are given as well
            if said or given:
                yield method, said


def _blocks(i: Interpreter) -> Iterator[Held]:
    """The functions of all files in sight."""
    for oid in i.modules.values():
        if isinstance(module := i.info(oid).payload, FrameInfo):
            for block in i.project.symbols(module.source, i.tracers).blocks:
                if block.kind in FUNCTIONS:
                    yield module.source, block


def objects_of(i: Interpreter, classes: Collection[Ref]) -> list[Ref]:
    """The objects of some classes that there are."""
    return [
        Ref(number)
        for number, info in enumerate(i.heap.infos)
        if info.kind == "instance" and i.heap.exists(number) and not classes_of(i, number).isdisjoint(classes)
    ]


def with_given(i: Interpreter, method: Method) -> tuple[Value, ...]:
    """What the client calls, and what it gives it, the objects among that which stand for what annotations say."""
    samples = i.ledger.of(Standing).samples
    objects = (samples.get(cls.oid) for cls in _given(i, method.ref) if isinstance(cls, Ref))
    return (*called(i, method), *(value for value in objects if value is not None))


def _given(i: Interpreter, function: Ref) -> Iterator[Value]:
    """The classes that the annotations of a function name."""
    info = function_info(i, function)
    for param in info.node.params if info is not None else ():
        yield from _named(i, function, param.annotation)


def _made_of(i: Interpreter, cls: Ref | None) -> Iterator[Value]:
    """The classes that the annotations of a constructor name, or of the fields that it takes."""
    constructor = class_attribute(i, cls, "__init__") if cls is not None else None
    if isinstance(constructor, Ref):
        yield from _given(i, constructor)
        return
    written = i.ledger.of(Annotations).names
    for base in mro(i, cls) if cls is not None else ():
        for name, _, takes in fields_of(i, base):
            if takes and isinstance(base, Ref):
                yield from _named(i, base, written.get((base.oid, name)))


def _named(i: Interpreter, around: Ref, annotation: ir.Expr | None) -> Iterator[Value]:
    """The classes that an annotation names, also those of what lies in a container."""
    for part in alternatives(i, around, annotation):
        if (found := named(i, around, part)) is not None:
            yield found
        if isinstance(part, ir.Sub):
            for item in part.index.items if isinstance(part.index, ir.Seq) else (part.index,):
                yield from _named(i, around, item)
