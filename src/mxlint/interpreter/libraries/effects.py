"""What a call of a library does beside giving a result, by its model: uses of arrays, callbacks, changes in place, and what it keeps.

`sorted(x, key=f)` calls `f` for each element, `np.savez(file, x)` needs the values of `x`, `random.shuffle(x)` puts a list in another order, and
`queue.put(x)` keeps `x`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import Final, NamedTuple

from mxlint.domain.arrays import Array
from mxlint.domain.join import join
from mxlint.domain.members import (
    NONE,
    TRUE,
    UNBOUND,
    Bound,
    Const,
    External,
    Member,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Value,
    library_class,
    members,
)
from mxlint.domain.place import Place
from mxlint.interpreter.calls.later import run_later
from mxlint.interpreter.compiled.sinks import ARRAY_LIKE
from mxlint.interpreter.containers import aspects, orders
from mxlint.interpreter.containers.elements import append, known_items
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.equality import is_same_thing
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.expressions.text import Asking, text_of
from mxlint.interpreter.libraries import opaque
from mxlint.interpreter.libraries.logs import configure, is_logged, silence
from mxlint.interpreter.libraries.results import Called, result_of
from mxlint.interpreter.libraries.signatures import bind_signature
from mxlint.interpreter.libraries.threads import running_in
from mxlint.interpreter.loops.fixpoint import repeat
from mxlint.interpreter.loops.folding import make_room
from mxlint.interpreter.loops.lengths import resized
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.garbage import CalledBack
from mxlint.interpreter.machine.handed_out import hand_out
from mxlint.interpreter.machine.locations import ADDED, ITEMS, STORED
from mxlint.interpreter.machine.paths import CALLED_BACK, Condition
from mxlint.interpreter.objects.lookup import is_of_library
from mxlint.interpreter.open_world import given_contents
from mxlint.models.evaluate import evaluate_on_list
from mxlint.models.expression import Type
from mxlint.models.load import model
from mxlint.models.schema import ARRAY_WORDS, Model, Times

MAX_REACH: Final = 3
"""Depth of the containers in which what a use reaches is looked for."""
CHANGES: Final = frozenset(("adds", "removes", "reorders", "replaces"))
"""How a call may change what an object holds; what only `sets` its state, as a draw does, is a fact of its own."""


def numbers_asked(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> None:
    """What a call that code models asks of arrays that it is handed as numbers: the model tells which these are."""
    found = model(name) if any(isinstance(member, Array) for value in args.values for member in members(value)) else None
    if found is None or not found.signatures:
        return
    given = Arguments(args.args[1:], args.keywords, places=args.places[1:]) if found.kind == "method" else args
    use_arrays(i, LibraryCall(found, given, bind_signature(found.signatures[0], given)), place, frame, frozenset(("index",)))


class LibraryCall(NamedTuple):
    """A call of something of a library: its arguments, also by parameter, and the object if it is a method."""

    model: Model
    args: Arguments
    bound: Mapping[str, Value]
    owner: Value | None = None


def use_arrays(i: Interpreter, call: LibraryCall, place: Place, frame: Frame, words: frozenset[str] = ARRAY_WORDS) -> None:
    """What a call does to arrays that it is handed. `words`: the uses that are noted."""
    found, bound = call.model, call.bound
    for use in found.array or ():
        if use.word == "harmless" or use.word not in words or use.parameter not in bound or bound.get(use.without, NONE) != NONE:
            continue
        if use.word == "logs" and found.effect is not None:
            detail = found.effect.detail
            if not is_logged(i, Const(int(detail)) if detail.isdigit() else bound.get(detail, UNBOUND)):
                continue
        given = bound[use.parameter]
        operand = next((call.args.place(n, "", place) for n, value in enumerate(call.args.args) if value is given), None)
        if use.word in COMPARED and call.owner is not None:
            _compare(i, found.name, call.owner, given, use.word == "seeks", place, frame)
            continue
        if use.word in TEXTS:
            text_of(i, given, "str", place, frame, asking=Asking(use.word, found.name, operand))
            continue
        word = ARRAY_LIKE if (use.word, use.reach) == ("converts", "deep") else use.word
        for member in _reached(i, given, use.reach):
            i.operations.use(i, word, member, found.name, place, frame, operand)


def _compare(i: Interpreter, name: str, container: Value, value: Value, seeks: bool, place: Place, frame: Frame) -> None:
    """Compare a value with the elements of a list or tuple, as `==` in a condition. `seeks`: until one surely is equal."""
    for member in i.each(container):
        items = known_items(i, member)
        for item in items if items is not None else _reached(i, member, "elements"):
            answer = TRUE if is_same_thing(i, item, value) else binary(i, "==", item, value, place, frame)
            for part in i.each(answer):
                if isinstance(part, Array):
                    i.operations.use(i, "truth", part, name, place, frame)
            if seeks and answer == TRUE and items is not None:
                break


def _reached(i: Interpreter, value: Value, reach: str, depth: int = MAX_REACH) -> Iterator[Member]:
    """The members of an argument that a use reaches (`schema.REACHES`)."""
    for member in i.each(value):
        if isinstance(member, Slice):
            for bound in (member.lower, member.upper, member.step):
                yield from i.each(bound)
        elif reach == "itself" or isinstance(member, Array) and reach == "deep":
            yield member
        elif depth:
            if isinstance(member, Array):
                if reach != "inside" or depth < MAX_REACH:
                    yield member
                continue
            items = known_items(i, member)
            parts: list[Value] = list(items) if items is not None else []
            if isinstance(member, Ref) and i.info(member.oid).kind == "dict":
                parts = [value for _, value in i.heap.entries(member.oid)]
            inner = "itself" if reach == "elements" else reach
            if items is None and isinstance(member, (Tuple, Ref)):
                # What a loop has filled may be of several lengths, which are several members: it may be empty.
                for content in i.each(i.heap.get(member.oid, ITEMS) or UNBOUND if isinstance(member, Ref) else member):
                    for part in content.parts if isinstance(content, Tuple) else ():
                        yield from _reached(i, part, inner, depth - 1)
            for part in parts:
                yield from _reached(i, part, inner, depth - 1)


COMPARED: Final = ("seeks", "counts")
"""The uses that compare an argument with what the object of the method holds."""


TEXTS: Final = ("formats", "logs")
"""The uses that ask an argument for its text: what it shows counts, wherever that lies."""


@contextmanager
def timed(i: Interpreter, found: Model, place: Place, frame: Frame) -> Iterator[None]:
    """Run what a call calls: between two readings of the clock if that is what it measures."""
    if found.source != "clock" or not found.calls:
        yield
        return
    reading = i.symbolic(place, found.name, source="clock")
    note_source(i, found, reading, place, frame)
    yield
    note_source(i, found, reading, place, frame)
    i.operations.derived(i, "-", (reading, reading), place)


def call_back(i: Interpreter, found: Model, bound: Mapping[str, Value], owner: Value | None, place: Place, frame: Frame) -> None:
    """Call the functions that a model says to be called back, as often as it says."""
    for callback in found.calls:
        function = _operand(i, callback.function, bound, owner, place, frame)
        if function is None or function == NONE:
            continue
        if isinstance(function, External) and model(function.name) is not None and model(function.name).fold == "always":  # type: ignore[union-attr]
            continue
        if callback.times == "later" and isinstance(function, Bound):  # how long a library keeps a function, nobody says
            hand_out(i, function, place)
        given = [result_of(i, argument, Called(found, bound, owner, place, frame)) for argument in callback.arguments or ()]
        for name in callback.spread:
            value = bound.get(name)
            if value is not None:
                given.append(value)
        args = Arguments(given, places=(place,) * len(given))

        def run(function: Value = function, args: Arguments = args, times: Times = callback.times) -> Value:
            with running_in(i, (place, i.context), place, found.name) if times == "beside" else nullcontext():
                return i.call(function, args, place, frame)

        i.ledger.of(CalledBack).results[(found.name, place)] = _called(i, run, callback.times, found.name, place)


def _called(i: Interpreter, run: Callable[[], Value], times: Times, name: str, place: Place) -> Value:
    """Call something as often as a library does; what it gave, `UNBOUND` if it was perhaps never called."""
    if times == "once":
        return run()
    if times in ("often", "each"):
        given: list[Value] = [] if times == "often" else [UNBOUND]
        repeat(i, place, lambda: given.append(run()), certain=times == "often")
        return join(given)
    happens = i.undecided("open", place, tag=(CALLED_BACK, name))
    never = Condition("open", place, happens.opposite)
    called = partial(run_later, i, run) if times in ("later", "beside") else run
    return i.fork([((happens,), called), ((never,), lambda: UNBOUND)])


def take_effect(i: Interpreter, found: Model, bound: Mapping[str, Value], owner: Value | None, place: Place, frame: Frame) -> None:
    """Do what a call does to the world, and to the things that it is given."""
    if found.effect is not None or found.seeds:
        why = "random" if found.effect is None else found.effect.kind
        i.operations.external(i, "#effect", Arguments((Const(found.name), Const(why)), places=(place, place)), place, frame)
    if found.effect is not None and found.effect.kind == "configures" and found.effect.detail:
        configure(i, found, found.effect.detail, bound)
    if found.effect is not None and found.effect.kind == "silences":
        silence(i, found.effect.detail, bound)
    for mutation in found.mutates:
        target = _operand(i, mutation.target, bound, owner, place, frame)
        for member in members(target) if target is not None else ():
            if isinstance(member, Ref) and i.info(member.oid).kind in ("list", "set", "dict") and mutation.how in ("reorders", "removes"):
                _forget_order(i, member, mutation.how, place, frame)
            elif isinstance(member, Ref) and is_of_library(i, member) and mutation.how in CHANGES:
                opaque.change(i, member, found.name, bound, place, frame)
                if mutation.how == "adds" and i.heap.get(member.oid, ITEMS) is None:  # else it is put there
                    i.operations.written(i, member.oid, ADDED, NONE, place, frame)
            elif isinstance(member, Symbolic) and library_class(member) is not None and mutation.how in CHANGES:
                opaque.change(i, member, found.name, bound, place, frame)  # a row of an array
            elif isinstance(member, Symbolic) and mutation.target.kind == "arg" and mutation.how in CHANGES:
                given_contents.changed_by(i, member, mutation.how, place, frame)


def mutated_constants(
    i: Interpreter, found: Model, bound: Mapping[str, Value], args: Arguments, place: Place, frame: Frame
) -> Value | None:
    """What a function gives that changes a list of constants, which holds then what the real one leaves in such a list; None for any other call."""
    names = {mutation.target.name for mutation in found.mutates if mutation.target.kind == "arg"}
    if len(names) != 1 or len(names) < len({mutation.target for mutation in found.mutates}) or len(bound) != len(args.args):
        return None
    target = bound.get(*names)
    content = i.heap.get(target.oid, ITEMS) if isinstance(target, Ref) and i.info(target.oid).kind == "list" else None
    if not isinstance(target, Ref) or i.info(target.oid).summary or not isinstance(content, Tuple) or content.items is None:
        return None
    items = [item.value for item in content.items if type(item) is Const]
    others = [value.value for value in args.args if type(value) is Const]
    if len(items) < len(content.items) or len(others) + 1 < len(args.args):
        return None
    given = [items if value is target else value.value for value in args.args]  # type: ignore[union-attr]
    outcome = evaluate_on_list(found, given) if any(value is items for value in given) else None
    if outcome is None or not (outcome.value is None or type(outcome.value) in (bool, int, float, str)):
        return None
    aspects.whole(i, Tuple((target,)), place, frame)
    left = Tuple(tuple(map(Const, items)))
    if {mutation.how for mutation in found.mutates} == {"reorders"}:
        orders.reorder(i, target.oid, left)
    else:
        i.heap.set(target.oid, ITEMS, left)
    i.operations.written(i, target.oid, ITEMS, NONE, place, frame)
    return Const(outcome.value)


def _forget_order(i: Interpreter, member: Ref, how: str, place: Place, frame: Frame) -> None:
    """Let the items of a list or set lie in any order, or be fewer. What lies where depends on what the library does."""
    content = i.heap.get(member.oid, ITEMS)
    if content is None:
        return
    parts = [
        p for m in members(content) if isinstance(m, Tuple) for p in (m.items if m.items is not None else (m.element,)) if p is not None
    ]
    if not parts:
        return
    sizes = {len(m.items) for m in members(content) if isinstance(m, Tuple) and m.items is not None}
    if how == "reorders" and len(sizes) == 1 and not any(isinstance(m, Tuple) and m.items is None for m in members(content)):
        different = list(dict.fromkeys(parts))
        left = Tuple(tuple(choices.any_of(i, different, place, ("order", number)) for number in range(sizes.pop())))
        orders.reorder(i, member.oid, left)
    else:
        i.heap.set(member.oid, ITEMS, Tuple(None, join(parts)))
    i.operations.written(i, member.oid, ITEMS, NONE, place, frame)


def store(i: Interpreter, found: Model, bound: Mapping[str, Value], owner: Value | None, result: Value, place: Place, frame: Frame) -> None:
    """Keep what a model says to be stored, in the object or the result that it names."""
    for store in found.stores:
        what = _operand(i, store.what, bound, owner, place, frame)
        where = result if store.where.kind == "result" else _operand(i, store.where, bound, owner, place, frame)
        if what is None or where is None:
            continue
        for member in members(where):
            if isinstance(member, Ref):
                whole = store.role == "content"
                field = STORED if whole else ("stored", store.role)
                present = None if whole else make_room(i, (member.oid, field))
                now = what if present is None else join((present, what))
                i.heap.set(member.oid, field, now)
                i.operations.written(i, member.oid, field, now, place, frame)
                if store.role == "element" and i.heap.get(member.oid, ITEMS) is not None:
                    append(i, member.oid, what)
                    if ends := [mutation.end for mutation in found.mutates if mutation.how == "adds"]:
                        resized(i, member.oid, True)
                        i.operations.written(i, member.oid, ADDED if ends == ["last"] else ITEMS, what, place, frame)


def _operand(i: Interpreter, of: Type, bound: Mapping[str, Value], owner: Value | None, place: Place, frame: Frame) -> Value | None:
    if of.kind == "self":
        return owner
    if of.kind == "arg":
        return bound.get(of.name)
    if of.kind == "any":
        return None
    return result_of(i, of, Called(None, bound, owner, place, frame))


def note_source(i: Interpreter, found: Model, result: Value, place: Place, frame: Frame) -> None:
    """Say that the call gives something else each time, and why."""
    why = found.source or "random"
    i.operations.external(i, "#source", Arguments((Const(found.name), Const(why), result), places=(place,) * 3), place, frame)
