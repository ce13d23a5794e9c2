"""What the client calls again and again, as in a loop: which arguments of compiled objects differ from call to call.

What counts its own calls is made to be called so, and so is what is given the state that it gave back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from mxlint.domain.members import Value
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.values import ArrayValue, ContainerValue, ScalarValue
from mxlint.facts.values import Value as Described
from mxlint.interpreter.loops.fixpoint import repeat as in_rounds
from mxlint.interpreter.loops.lengthening import Lengthened
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.open_world import handed_back
from mxlint.interpreter.open_world.alone import alone, alone_arguments, call_with, called_alone
from mxlint.interpreter.open_world.client_methods import Method
from mxlint.interpreter.open_world.counting import leaves_another_count
from mxlint.interpreter.open_world.entered import Entries
from mxlint.interpreter.open_world.guarded import guarded_run
from mxlint.interpreter.open_world.turns import calling, calls_within, given, leading, place_of


def counts(i: Interpreter, method: Method, frame: Frame) -> bool:
    """Whether a call of a method leaves another number or list where one was: its entry has seen it, if it was one."""
    number = id(method.info.node)
    if number not in i.ledger.of(Entries).counting:
        known = journal(i).mark()

        def once() -> None:
            callee = calling(i, method, frame)
            callee.prepare()
            mark, given_before = i.heap.mark(), len(i.ledger.of(Lengthened).given)
            callee.call(1)
            i.ledger.of(Entries).counting[number] = leaves_another_count(i, mark, given_before)

        guarded_run(i, once, leading(i, (method,)))
        journal(i).keep_only(known, lambda record: False)
    return i.ledger.of(Entries).counting.get(number, False)


def may_differ(i: Interpreter, method: Method) -> bool:
    """Whether what compiled objects are given may matter that differs from call to call. Those that are shapeless have one key for all arrays that they are
    given, of whatever shape."""
    facts = journal(i).compiled
    return any(
        call.object not in facts
        or facts[call.object].shapeless is not True
        or not all(isinstance(argument.value, ArrayValue) for argument in call.arguments)
        for call in calls_within(i, method.info)
    )


def counting_for(i: Interpreter, method: Method, others: Sequence[Method], frame: Frame) -> list[Method]:
    """The methods that count something, where another one gives numbers to compiled objects."""
    its = [leaf for call in calls_within(i, method.info) for argument in call.arguments for leaf in _leaves(argument.value)]
    if not any(isinstance(leaf, ScalarValue) and leaf.known and leaf.type in ("int", "float") for leaf in its):
        return []
    return [other for other in dict.fromkeys(others) if other is not method and counts(i, other, frame)]


def repeat(i: Interpreter, method: Method, frame: Frame, other: Method | None = None) -> None:
    """Call a method again and again. `other`: what runs before each call, which is a presumption."""

    def prepared() -> Callable[[int], object]:
        its = given(i, method)
        calling(i, method, frame).prepare()

        def call(turn: int) -> None:
            if other is not None:
                called_alone(i, (other.ref, other.info), given(i, other), turn, frame)
            called_alone(i, (method.ref, method.info), its, turn, frame)

        return call

    leads = leading(i, (method,) if other is None else (method, other))
    run(i, place_of(method), prepared, f"`{other.info.name}` runs between the calls" if other is not None else "", leads)


def run(
    i: Interpreter, place: Place, prepared: Callable[[], Callable[[int], object]], presumed: str = "", leads: Sequence[Value] = ()
) -> None:
    """Call something again and again: what compiled objects are given that differs each time. Only that is noted. That it is called again lowers
    nothing. `prepared`: makes it, and gives a call of it; `presumed`: by what the rounds come about; `leads`: as in `turns.stale_alone`."""
    known = journal(i).mark()

    def once() -> None:
        call = prepared()
        in_rounds(i, place, lambda: call(1), certain=True, turns=() if presumed else None)

    guarded_run(i, once, leads)
    journal(i).keep_only(known, _shows_another(i, known), presumed)


def go_on(i: Interpreter, method: Method, frame: Frame) -> None:
    """Call a method again and again with the state that it gives back, if it does: what compiled objects are given that differs each time. Only that is
    noted. That the next state is given to it is a presumption; that the same object is, which it changes, lowers nothing."""
    found = i.ledger.of(Entries).handed_back.get(id(method.info.node))
    if not found:
        return
    known = journal(i).mark()
    place = place_of(method)

    def once() -> None:
        calling(i, method, frame).prepare()
        with alone(i, place, 1):
            args = alone_arguments(i, (method.ref, method.info), given(i, method))
            handed_back.go_on(i, found, args, lambda again: call_with(i, method.ref, again, place, frame), place)

    guarded_run(i, once, leading(i, (method,)))
    next_ones = any(way.item != handed_back.ITSELF for way in found)
    journal(i).keep_only(known, _gives_another, f"`{method.info.name}` is given what it gave back" if next_ones else "")


def _leaves(value: Described) -> Iterator[Described]:
    """The parts of an argument that hold no others."""
    if isinstance(value, ContainerValue):
        for item in (*(value.items or ()), *((value.each,) if value.each is not None else ())):
            yield from _leaves(item)
    else:
        yield value


def _gives_another(record: object) -> bool:
    """Whether a call of a compiled object is given what differs from call to call."""
    return type(record) is events.Call and any(map(_is_another, record.arguments))


def _is_another(argument: events.Argument) -> bool:
    """Whether an argument differs from call to call."""
    return bool(argument.grows) or any(isinstance(leaf, ScalarValue) and leaf.varies for leaf in _leaves(argument.value))


def _shows_another(i: Interpreter, since: tuple[int, ...]) -> Callable[[object], bool]:
    """Which records since a mark are calls that are given what differs from call to call, or one of a row of calls that were tried one by one. Such a row shows
    what differs; it does not show that something else stays, which other code may set."""
    found = [record for record in journal(i).since(since) if _gives_another(record)]
    told = {(record.where, argument.name) for record in found for argument in record.arguments if _is_another(argument)}

    def wanted(record: object) -> bool:
        if type(record) is not events.Call:
            return False
        tried = record.loops[:1] != () and record.loops[0].text.isdecimal()
        return _gives_another(record) or tried and told.isdisjoint((record.where, argument.name) for argument in record.arguments)

    return wanted
