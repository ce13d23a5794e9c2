"""The functions of itertools: iterators over what others give.

Where the elements of the sources are known one by one, so are those of the result; else it is any number of one joined element. Callbacks are
called when the iterator is made.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from typing import Final

from mxlint.domain.arrays import Array
from mxlint.domain.join import join
from mxlint.domain.members import NONE, UNBOUND, Const, Ref, Symbolic, Tuple, Union, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.domain.widening import widen
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.elements import items_in_turn
from mxlint.interpreter.expressions.equality import is_same_thing
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.generators.advancing import element_of, opened, stepping
from mxlint.interpreter.generators.iterators import ENDLESS, POSITION, new_iterator
from mxlint.interpreter.generators.yielding import as_iterator, asked_at_once
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.paths import Condition, Truth

Handler = Callable[[Interpreter, Arguments, Place, Frame], Value]
MAX_RESULTS: Final = 64
"""Elements of a result that are kept one by one."""
MAX_ROUNDS: Final = 8
"""Rounds after which what a function adds up is as wide as it gets: widening ends sooner."""


def _stream(i: Interpreter, value: Value, place: Place, frame: Frame) -> Value:
    """What elements are taken of: of a generator what it gives, which is computed once."""
    value = i.live(value)
    return as_iterator(i, value, place, frame) if isinstance(value, Ref) and i.info(value.oid).kind == "generator" else value


def _source(i: Interpreter, value: Value, place: Place, frame: Frame, some: tuple[int, int] | None = None) -> tuple[Value, ...] | None:
    """The elements of a source one by one, None if they are not known. An iterator is used up. `some`: from which to before which they are used,
    if not all are."""
    value = _stream(i, value, place, frame)
    if isinstance(value, (Union, Symbolic, Unknown, Array)):
        return None
    items = items_in_turn(i, value)
    step = aspects.steps(i, value, place, frame) if items is not None and some is not None else None
    if step is None or items is None or some is None:
        aspects.iterated(i, value, place, frame)
    else:
        for number in (*range(len(items))[slice(*some)], *((None,) if some[1] > len(items) else ())):
            step(number)
    if items is not None and isinstance(value, Ref) and i.info(value.oid).kind == "iterator":
        position = i.heap.get(value.oid, POSITION)
        i.heap.set(value.oid, POSITION, binary(i, "+", position if position is not None else Const(0), Const(len(items)), place, frame))
    return items


def _of(i: Interpreter, items: Iterable[Value], place: Place) -> Value:
    """An iterator over known elements."""
    found = tuple(itertools.islice(items, MAX_RESULTS + 1))
    return new_iterator(i, "iter", (Tuple(found) if len(found) <= MAX_RESULTS else Tuple(None, join(found)),), place)


def _any_of(i: Interpreter, element: Value, place: Place) -> Value:
    """An iterator over any number of one element."""
    return new_iterator(i, "iter", (Tuple(None, element),), place)


def _number(value: Value | None, default: int) -> int | None:
    if value is None or value == NONE:
        return default
    return value.value if isinstance(value, Const) and isinstance(value.value, int) else None


def _called(i: Interpreter, function: Value, args: tuple[Value, ...], number: int, place: Place, frame: Frame) -> Value:
    with i.within((place, number)):
        return i.call(function, Arguments(args, places=(place,) * len(args)), place, frame)


def _maybe_called(i: Interpreter, function: Value, args: tuple[Value, ...], place: Place, frame: Frame) -> Value:
    """What a function gives that is called any number of times; UNBOUND among it if it may not be called."""
    cause = (Condition("varying", place, None),)
    return i.fork([(cause, lambda: _called(i, function, args, 0, place, frame)), (cause, lambda: UNBOUND)])


def _chain(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    if args.star is not None:
        return _any_of(i, join([element_of(i, part, place, frame) for part in (*args.args, args.star)]), place)
    return _chained(i, args.args, place, frame)


def _chained(i: Interpreter, parts: Iterable[Value], place: Place, frame: Frame) -> Value:
    given = list(parts)
    known = [_source(i, part, place, frame) for part in given]
    if any(items is None for items in known):
        return _any_of(
            i,
            join([element_of(i, part, place, frame) if items is None else join(items) for part, items in zip(given, known) if items != ()]),
            place,
        )
    return _of(i, itertools.chain.from_iterable(items for items in known if items is not None), place)


def _from_iterable(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    parts = _source(i, args.args[-1], place, frame)
    parts = parts if parts is not None else (element_of(i, args.args[-1], place, frame),)
    return _chained(i, [_opened(i, "itertools.chain", part, place, frame) for part in parts], place, frame)


def _islice(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    value = args.args[0]
    bounds = (NONE, args.args[1], NONE) if len(args.args) == 2 else (*args.args[1:4], NONE)[:3]
    if any(map(_is_refused, bounds, (0, 0, 1))):
        throw_named(i, "builtins.ValueError", place)
    for number, bound in enumerate(args.args[1:], 1):
        for member in members(bound):
            if isinstance(member, Array):
                i.operations.use(i, "index", member, "itertools.islice", place, frame, args.place(number, "", place))
    if stepping(i, value, place, frame) is not None:
        first, each = (Const(usual) if bound == NONE else bound for bound, usual in zip(bounds[::2], (0, 1)))
        return new_iterator(i, "some", (value, first, bounds[1], each), place)
    value = _stream(i, value, place, frame)
    start, stop, step = (_number(bound, default) for bound, default in zip(bounds, (0, -1, 1)))
    position = i.heap.get(value.oid, POSITION) if isinstance(value, Ref) and i.info(value.oid).kind == "iterator" else None
    items = _source(i, value, place, frame, (start, stop) if start is not None and stop is not None and stop >= 0 else None)
    if items is None or start is None or stop is None or step is None:
        return _any_of(i, element_of(i, value, place, frame), place)
    asked = max(start, stop)  # what lies before the start is taken and left out, even where nothing comes after it
    if isinstance(value, Ref) and position is not None and stop >= 0 and asked < len(items):
        i.heap.set(value.oid, POSITION, binary(i, "+", position, Const(asked), place, frame))
    return _of(i, items[start : None if stop < 0 else stop : step], place)


def _is_refused(bound: Value, least: int) -> bool:
    """Whether `islice` takes no such bound: it is no integer, or less than one may be."""
    return isinstance(bound, Const) and bound != NONE and not (isinstance(bound.value, int) and bound.value >= least)


def _product(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    times = _number(args.keywords.get("repeat"), 1)
    known = [_source(i, part, place, frame) for part in args.args]
    complete = [items for items in known if items is not None]
    if times is None or args.star is not None or len(complete) < len(known):
        element = tuple(element_of(i, part, place, frame) for part in args.args)
        return _any_of(
            i, Tuple(element) if times == 1 and args.star is None else Tuple(None, join(element or (Unknown("product"),))), place
        )
    return _of(i, map(Tuple, itertools.product(*complete, repeat=times)), place)


def _selection(select: Callable[[tuple[Value, ...], int], Iterable[tuple[Value, ...]]]) -> Handler:
    """permutations, combinations and their like."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        items = _source(i, args.args[0], place, frame)
        size = args.get(1, "r")
        count = _number(size, len(items) if items is not None else -1)
        if items is None or count is None:
            element = element_of(i, args.args[0], place, frame)
            return _any_of(i, Tuple((element,) * count) if count is not None and count >= 0 else Tuple(None, element), place)
        return _of(i, map(Tuple, select(items, count)), place)

    return run


def _pairwise(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    items = _source(i, args.args[0], place, frame)
    if items is None:
        element = element_of(i, args.args[0], place, frame)
        return _any_of(i, Tuple((element, element)), place)
    return _of(i, (Tuple(pair) for pair in itertools.pairwise(items)), place)


def _batched(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    items, size = _source(i, args.args[0], place, frame), _number(args.get(1, "n"), 1)
    if items is None or size is None or size < 1:
        return _any_of(i, Tuple(None, element_of(i, args.args[0], place, frame)), place)
    return _of(i, (Tuple(items[start : start + size]) for start in range(0, len(items), size)), place)


def _zip_longest(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    fill = args.keywords.get("fillvalue", NONE)
    known = [_source(i, part, place, frame) for part in args.args]
    complete = [items for items in known if items is not None]
    if len(complete) < len(known):
        return _any_of(i, Tuple(tuple(join((element_of(i, part, place, frame), fill)) for part in args.args)), place)
    return _of(i, (Tuple(row) for row in itertools.zip_longest(*complete, fillvalue=fill)), place)


def _accumulate(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    function, initial = args.get(1, "func"), args.keywords.get("initial", NONE)

    def step(total: Value, item: Value, number: int) -> Value:
        if function is None or function == NONE:
            return binary(i, "+", total, item, place, frame)
        return _called(i, function, (total, item), number, place, frame)

    items = _source(i, args.args[0], place, frame)
    if items is None:
        element = element_of(i, args.args[0], place, frame)
        total = join((element, *(() if initial == NONE else (initial,))))
        for _ in range(MAX_ROUNDS):
            wider = widen(total, join((total, step(total, element, 0))))
            if wider == total:
                break
            total = wider
        return _any_of(i, total, place)
    found: list[Value] = [] if initial == NONE else [initial]
    for number, item in enumerate(items):
        found.append(step(found[-1], item, number) if found else item)
    return _of(i, found, place)


def _outcomes(i: Interpreter, function: Value, items: tuple[Value, ...], place: Place, frame: Frame, stop: bool | None) -> list[Truth]:
    """What a predicate says of each item, up to the first for which it surely says `stop`."""
    found: list[Truth] = []
    for number, item in enumerate(items):
        answer = item if function == NONE else _called(i, function, (item,), number, place, frame)
        found.append(i.truth(answer, place, frame))
        if stop is not None and found[-1].outcome is stop:
            break
    return found


def _maybe_asked(i: Interpreter, function: Value, element: Value, place: Place, frame: Frame) -> None:
    """A predicate is asked of any number of elements."""

    def ask() -> Value:
        i.truth(element if function == NONE else _called(i, function, (element,), 0, place, frame), place, frame)
        return UNBOUND

    cause = (Condition("varying", place, None),)
    i.fork([(cause, ask), (cause, lambda: UNBOUND)])


def _while_true(*, takes: bool) -> Handler:
    """`itertools.takewhile`, which gives the items before the first for which a predicate says no, or `dropwhile`, which gives the others."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        function, value = args.args[:2]
        items = _source(i, value, place, frame)
        if items is None:
            element = element_of(i, value, place, frame)
            _maybe_asked(i, function, element, place, frame)
            return _any_of(i, element, place)
        outcomes = _outcomes(i, function, items, place, frame, False)
        count = len(outcomes) - (outcomes[-1].outcome is False if outcomes else 0)
        if any(truth.outcome is None for truth in outcomes):
            return _any_of(i, join(takes and items[:count] or items), place)
        return _of(i, items[:count] if takes else items[count:], place)

    return run


def _filterfalse(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    function, value = args.args[:2]
    items = _source(i, value, place, frame)
    if items is None:
        element = element_of(i, value, place, frame)
        _maybe_asked(i, function, element, place, frame)
        return _any_of(i, element, place)
    outcomes = _outcomes(i, function, items, place, frame, None)
    kept = [item for item, truth in zip(items, outcomes) if truth.outcome is not True]
    if any(truth.outcome is None for truth in outcomes):
        return _any_of(i, join(kept), place)
    return _of(i, kept, place)


def _starmap(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    function, value = args.args[:2]
    items = _source(i, value, place, frame)
    if items is not None:
        rows = [_source(i, item, place, frame) for item in items]
        complete = [row for row in rows if row is not None]
        if len(complete) == len(rows):
            return _of(i, [_called(i, function, row, number, place, frame) for number, row in enumerate(complete)], place)
    row = element_of(i, value, place, frame)
    known = _source(i, row, place, frame)
    given = Arguments(known, places=(place,) * len(known)) if known is not None else Arguments((), star=element_of(i, row, place, frame))
    return _any_of(i, i.call(function, given, place, frame), place)


def _repeat(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    times = args.get(1, "times")
    count = _number(times, -1)
    if times is None:
        return new_iterator(i, ENDLESS, (Tuple(None, args.args[0]),), place)
    if count is None:
        return _any_of(i, args.args[0], place)
    return _of(i, [args.args[0]] * min(max(count, 0), MAX_RESULTS + 1), place)


def _cycle(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    items = _source(i, args.args[0], place, frame)
    return _any_of(i, join(items) if items else element_of(i, args.args[0], place, frame), place)


def _count(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    return new_iterator(i, "count", (args.get(0, "start") or Const(0), args.get(1, "step") or Const(1)), place)


def _groupby(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    key = args.get(1, "key") or NONE
    items = _source(i, args.args[0], place, frame)
    if items is None:
        element = element_of(i, args.args[0], place, frame)
        found = element if key == NONE else _maybe_called(i, key, (element,), place, frame)
        if any(isinstance(member, Array) and (not member.shape or member.shape[0] != 1) for member in members(args.args[0])):
            _changes(i, found, found, place, frame)
        return _any_of(i, Tuple((found, new_iterator(i, "iter", (Tuple(None, element),), place, "itertools._grouper"))), place)
    keys = [item if key == NONE else _called(i, key, (item,), number, place, frame) for number, item in enumerate(items)]
    if not all(isinstance(k, Const) for k in keys):
        if not items:
            return _of(i, (), place)
        for earlier, later in itertools.pairwise(keys):
            if not is_same_thing(i, earlier, later):
                _changes(i, earlier, later, place, frame)
        return _any_of(i, Tuple((join(keys), new_iterator(i, "iter", (Tuple(None, join(items)),), place, "itertools._grouper"))), place)
    groups = [(k, [items[n] for n in numbers]) for k, numbers in itertools.groupby(range(len(items)), keys.__getitem__)]
    made = []
    for number, (k, group) in enumerate(groups):
        with i.within((place, number)):
            made.append(Tuple((k, new_iterator(i, "iter", (Tuple(tuple(group)),), place, "itertools._grouper"))))
    return _of(i, made, place)


def _changes(i: Interpreter, earlier: Value, later: Value, place: Place, frame: Frame) -> None:
    """Ask whether one key differs from the one before, as `==` in a condition."""
    for member in (*i.each(earlier), *i.each(later)):
        if isinstance(member, Array):
            i.operations.use(i, "truth", member, "itertools.groupby", place, frame)
            return
    if earlier is not later:
        i.truth(binary(i, "==", earlier, later, place, frame), place, frame)


def _tee(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    items, count = _source(i, args.args[0], place, frame), _number(args.get(1, "n"), 2)
    content = Tuple(items) if items is not None else Tuple(None, element_of(i, args.args[0], place, frame))
    made = []
    for number in range(min(count if count is not None else 1, MAX_RESULTS)):
        with i.within((place, number)):
            made.append(new_iterator(i, "iter", (content,), place))
    return Tuple(tuple(made)) if count is not None else Tuple(None, join(made))


OVER_NOTHING: Final = frozenset(("itertools.repeat", "itertools.count"))
"""Those that give what they are given, and ask it for no elements."""
ONE_BY_ONE: Final = frozenset(("itertools.islice",))
"""Those that ask for one element after the other, as they are asked for it."""


def _opened(i: Interpreter, name: str, value: Value, place: Place, frame: Frame) -> Value:
    """What a function goes over that is given an object of the program: what its `__iter__` gives, or all that its `__next__` gives."""
    made = opened(i, value, place, frame)
    stepped = stepping(i, made, place, frame) if name not in ONE_BY_ONE else None
    return asked_at_once(i, stepped, place, frame) if stepped is not None and i.info(stepped.oid).kind == "instance" else made


def _named(name: str, handler: Handler) -> Handler:
    """A handler of itertools whose result is an iterator of the class `name`, and which goes over what objects of the program give."""

    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        over = args.args if name in OVER_NOTHING else tuple(_opened(i, name, value, place, frame) for value in args.args)
        if over != args.args:
            args = Arguments(over, args.keywords, args.star, args.kwstar, args.places, args.keyword_places, args.node)
        made = handler(i, args, place, frame)
        if isinstance(made, Ref):
            i.heap.infos[made.oid].label = name
        return made

    return run


_FUNCTIONS: Final[dict[str, Handler]] = {
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _from_iterable,
    "itertools.islice": _islice,
    "itertools.product": _product,
    "itertools.permutations": _selection(itertools.permutations),
    "itertools.combinations": _selection(itertools.combinations),
    "itertools.combinations_with_replacement": _selection(itertools.combinations_with_replacement),
    "itertools.pairwise": _pairwise,
    "itertools.batched": _batched,
    "itertools.zip_longest": _zip_longest,
    "itertools.accumulate": _accumulate,
    "itertools.takewhile": _while_true(takes=True),
    "itertools.dropwhile": _while_true(takes=False),
    "itertools.filterfalse": _filterfalse,
    "itertools.starmap": _starmap,
    "itertools.repeat": _repeat,
    "itertools.cycle": _cycle,
    "itertools.count": _count,
    "itertools.groupby": _groupby,
    "itertools.tee": _tee,
}
HANDLERS: Final = {name: _named(name.removesuffix(".from_iterable"), handler) for name, handler in _FUNCTIONS.items()}
"""By canonical name."""
