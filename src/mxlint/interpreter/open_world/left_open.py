"""The client of what functions and methods compile and leave where others come to it: `model.build()`, and then `model.run(x)`.

`kept_objects.py` says what lies where others come to it, and by which way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mxlint.domain.members import NONE, Ref, Value, members
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.calls.caches import memoising
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.objects.lookup import CLASS
from mxlint.interpreter.open_world import closures, kept_objects
from mxlint.interpreter.open_world.alone import called_alone
from mxlint.interpreter.open_world.client_methods import Method, context_managers, methods_of_given, methods_of_object
from mxlint.interpreter.open_world.public_attributes import made, others_have
from mxlint.interpreter.open_world.setters import Setters, with_given
from mxlint.interpreter.open_world.turns import Callee, called, calling, given, run, run_rest, run_within, stale_alone
from mxlint.interpreter.open_world.uncalled import call_compiled_alone
from mxlint.interpreter.open_world.unchanged import Unchanged


def lies_open(i: Interpreter) -> bool:
    """Whether something compiled that nothing in sight calls lies where others come to it."""
    return any(True for _ in kept_objects.kept(i, _uncalled(i), ()))


class File(NamedTuple):
    """What the client knows of a file: its module, its public functions and methods, those by classes, those that may write what a trace has read, those
    that give context managers and may do so, those of objects under public names of the module, and those beside classes that set what traces have read of objects."""

    module: int
    public: Sequence[Method]
    classes: Mapping[int, Sequence[Method]]
    writing: Sequence[Method]
    around: Sequence[tuple[Ref, Method]]
    lying_open: Sequence[Method]
    setters: Setters


def run_left(
    i: Interpreter,
    file: File,
    make: Callable[[], Sequence[Value]],
    wanted: Callable[[kept_objects.Kept], bool],
    unchanged: Unchanged,
    frame: Frame,
    maker: Ref | None = None,
) -> None:
    """Call what is compiled and left where others come to it, let others run, and call what lies there again. `make`: what runs before, if anything; it gives
    what others have then. `wanted`: which of that is to be called. `maker`: the function that makes it, which does not run between the calls."""
    found: list[tuple[Callee, list[Method], list[tuple[Ref, Method]]]] = []

    def look() -> None:
        had = make()
        for left in filter(wanted, kept_objects.kept(i, _uncalled(i), had)):
            others, managers = _beside(i, file, left)
            for callee, asked in _callees(i, left, frame):
                if asked is None or asked != maker:
                    rest = [other for other in dict.fromkeys(others) if other.ref not in (maker, asked)]
                    found.append((callee._replace(prepare=make), rest, managers))

    stale_alone(i, look)
    for callee, others, managers in found:
        if others and not unchanged.by(called(i, other) for other in others):
            anew: list[Method] = []
            others = [other for other in others if not unchanged.is_idle(with_given(i, other))]
            run(i, callee, others, frame, anew)
            run_rest(i, callee, others, anew, frame)
        run_within(i, callee, managers, frame)


def _uncalled(i: Interpreter) -> list[int]:
    """The compiled objects of which nothing in sight calls one that is made where they are."""
    called = set(made(i, (record.object for record in journal(i).records if type(record) is events.Call)).values())
    return [number for number, of in made(i, journal(i).compiled).items() if of not in called]


def _beside(i: Interpreter, file: File, left: kept_objects.Kept) -> tuple[list[Method], list[tuple[Ref, Method]]]:
    """What may run between two calls of what was left in objects, and the context managers inside which it may be called."""
    others, managers = list(file.writing), list(file.around)
    for each in left.objects:
        cls = i.heap.get(each.oid, CLASS)
        if (
            each in members(i.heap.get(left.root.oid, left.path[0]) or NONE if left.path else NONE)
            and i.info(left.root.oid).kind == "module"
        ):
            others += (method for method in file.lying_open if method.owner == each)
        elif isinstance(cls, Ref) and others_have(i, file.module, cls, each):
            others += methods_of_object(i, each)
            others += methods_of_given(i, each, file.classes)
            managers += ((ref, manager._replace(owner=each)) for ref, manager in context_managers(i, cls.oid, cls))
    return [*others, *file.setters.of({left.ref.oid})], managers


def _callees(i: Interpreter, left: kept_objects.Kept, frame: Frame) -> Iterator[tuple[Callee, Ref | None]]:
    """The calls of what was left, each by what an object is asked for it, if that is a function: of that object, and in later turns of whatever lies there."""

    def call(ref: Ref, turn: int) -> None:
        if turn > 1 or ref == left.ref:
            call_compiled_alone(i, ref, turn, frame)

    def ask(holder: Ref, reader: kept_objects.Reader, turn: int) -> None:
        i.split(asked(i, holder, reader, turn, frame), lambda member: given_back(member, turn))

    def given_back(member: Value, turn: int) -> Value:
        for ref in closures.handed(i, member):
            if i.info(ref.oid).kind == "compiled":
                call(ref, turn)
        return NONE

    if not left.readers:
        yield Callee(left.name, lambda turn: kept_objects.read(i, left, lambda ref: call(ref, turn))), None
    for reader in left.readers:
        callee = Callee(
            f"`{reader.name}`",
            lambda turn, reader=reader: kept_objects.read(i, left, lambda holder: ask(holder, reader, turn)),  # type: ignore[misc]
        )
        yield callee, reader.ref


def asked(i: Interpreter, holder: Ref, reader: kept_objects.Reader, turn: int, frame: Frame) -> Value:
    """What an object gives that is asked by a method or property."""
    place = Place(reader.info.source, reader.info.node.start, reader.info.node.end)
    if not reader.is_property:
        return called_alone(i, (reader.ref, reader.info), (holder,), turn, frame)
    with i.within(("entry", place, turn)):
        return i.attribute(holder, reader.name, place, frame)


def make(i: Interpreter, maker: Method, frame: Frame) -> tuple[Value, ...]:
    """Call a function that nothing in sight calls: what others have then."""
    its = given(i, maker)
    calling(i, maker, frame).prepare()
    return (*its, *closures.handed(i, called_alone(i, (maker.ref, maker.info), its, 1, frame, memoising(i, maker.ref))))
