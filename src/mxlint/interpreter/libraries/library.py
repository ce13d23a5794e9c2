"""Calls of what a library defines, by its model: fold constants, call back, store, and make what the result type says."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Final, NamedTuple

from mxlint.domain.arrays import Array
from mxlint.domain.enumerated import computed
from mxlint.domain.join import join
from mxlint.domain.members import (
    FALSE,
    NONE,
    TRUE,
    UNBOUND,
    Bound,
    Const,
    External,
    Kind,
    Member,
    Range,
    RangeObject,
    Ref,
    Slice,
    Symbolic,
    Tuple,
    Unknown,
    Value,
    members,
    scalar_type,
)
from mxlint.domain.place import Place
from mxlint.domain.varying import loops_of, united
from mxlint.interpreter.compiled.sinks import ARRAY_LIKE
from mxlint.interpreter.containers import aspects, orders
from mxlint.interpreter.containers.builders import new_list, new_set, put
from mxlint.interpreter.containers.elements import STORED, append, known_items
from mxlint.interpreter.expressions import choices
from mxlint.interpreter.expressions.constants import MISSING, python_value
from mxlint.interpreter.expressions.equality import is_same_thing
from mxlint.interpreter.expressions.operators import binary
from mxlint.interpreter.expressions.text import Asking, text_of
from mxlint.interpreter.libraries import opaque, sharing
from mxlint.interpreter.libraries.results import SCALARS, Called, result_of
from mxlint.interpreter.libraries.threads import running_in
from mxlint.interpreter.loops.fixpoint import repeat
from mxlint.interpreter.loops.iteration import collected
from mxlint.interpreter.loops.lengths import resized
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Halt, Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.garbage import CalledBack
from mxlint.interpreter.machine.locations import ADDED, ITEMS
from mxlint.interpreter.machine.paths import CALLED_BACK, Condition
from mxlint.interpreter.objects.lookup import environment, is_of_library
from mxlint.interpreter.objects.type_tests import type_names
from mxlint.interpreter.open_world.possible import POSSIBLE
from mxlint.models.evaluate import evaluate, evaluate_on_list
from mxlint.models.expression import Type
from mxlint.models.load import canonical, constant, kind_of, model
from mxlint.models.schema import ARRAY_WORDS, Model, Signature, Times

_NOTHING: Final = Type("None")


def _computes_from_contents(found: Model) -> bool:
    """Whether what a call gives may depend on what its arguments hold: not if it gives nothing, keeps them, or says which objects they are."""
    return found.result != _NOTHING and not found.stores and found.source != "identity"


def call_model(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
    """Call something of a library by its model; None if it has none."""
    found = model(name)
    if found is None:
        return None
    owner: Value | None = None
    cls = External(name.rpartition(".")[0])
    if found.kind == "classmethod" and not (args.args and _is_of(i, args.args[0], cls)):
        owner = cls
    elif found.kind in ("method", "classmethod") and args.args:
        owner = args.args[0]
        args = Arguments(args.args[1:], args.keywords, args.star, args.kwstar, args.places[1:], args.keyword_places, args.node)
    signatures = found.binding(len(args.args), args.keywords) if args.star is None and args.kwstar is None else found.signatures
    if found.kind == "attribute":
        of = args.args[0] if args.args else None
        result = result_of(i, found.result, Called(found, {}, of, place, frame))
        sharing.share(i, found.shares, {}, of, result)
        return result
    if not signatures:
        throw_named(i, "builtins.TypeError", place)
    args, owner = _iterated(i, found, signatures[0], args, owner, place, frame)
    bound = _bind(signatures[0], args)
    chosen = _fitting(i, signatures, args)
    _arrays(i, _Call(found, args, bound, owner), place, frame)
    folded = _fold(i, found, owner, args, place)
    given = (*(() if owner is None else (owner,)), *args.values)
    if folded is not None and not args.keywords:
        aspects.answered(i, found.name, given, folded, place, frame)
        return folded
    if _computes_from_contents(found):
        read = given if opaque.read_cell(i, found.name, given, place, frame) is None else given[1:]
        aspects.whole(i, Tuple(read), place, frame, ordered=not found.unordered or bool(args.keywords))
    if folded is not None:
        return folded
    bound = _bind(chosen[0], args)
    for error in found.raises:
        if not error.without or error.without not in bound:
            i.may_raise(error.error)
    known = _mutated_constants(i, found, bound, args, place, frame) if owner is None else None
    if known is not None:
        return known
    with _timed(i, found, place, frame):
        _callbacks(i, found, bound, owner, place, frame)
    _effects(i, found, bound, owner, place, frame)
    if found.effect is not None and found.effect.kind == "exits":
        raise Halt
    results = [result_of(i, signature.result, Called(found, _bind(signature, args), owner, place, frame)) for signature in chosen]
    result = join(results)
    if found.source or found.draws:
        _source(i, found, result, place, frame)
    _stores(i, found, bound, owner, result, place, frame)
    sharing.share(i, found.shares, bound, owner, result, "key" if found.name.endswith(".__getitem__") else "")
    return result


def _source(i: Interpreter, found: Model, result: Value, place: Place, frame: Frame) -> None:
    """Say that the call gives something else each time, and why."""
    why = found.source or "random"
    i.operations.external(i, "#source", Arguments((Const(found.name), Const(why), result), places=(place,) * 3), place, frame)


def _is_of(i: Interpreter, value: Value, cls: External) -> bool:
    """Whether a value is a class of a library, a class of the program, or an instance of either: what a class method is bound to."""
    return value == cls or isinstance(value, Ref) and (i.info(value.oid).kind == "class" or i.heap.get(value.oid, ("#", "class")) == cls)


def _bind(signature: Signature, args: Arguments) -> dict[str, Value]:
    """The arguments by the names of the parameters; a star parameter holds the join of its arguments."""
    bound: dict[str, Value] = {}
    rest = list(args.args)
    for parameter in signature.parameters:
        if parameter.kind in ("positional", "either") and rest:
            bound[parameter.name] = rest.pop(0)
        elif parameter.kind == "args" and (rest or args.star is not None):
            bound[parameter.name] = join([*rest, *([args.star] if args.star is not None else [])])
            rest = []
        elif parameter.name in args.keywords:
            bound[parameter.name] = args.keywords[parameter.name]
        elif args.star is not None and parameter.kind in ("positional", "either"):
            bound[parameter.name] = args.star
        elif parameter.kind == "kwargs":
            named = {p.name for p in signature.parameters}
            others = [value for key, value in args.keywords.items() if key not in named]
            if others or args.kwstar is not None:
                bound[parameter.name] = join([*others, *([args.kwstar] if args.kwstar is not None else [])])
    return bound


def _iterated(
    i: Interpreter, found: Model, signature: Signature, args: Arguments, owner: Value | None, place: Place, frame: Frame
) -> tuple[Arguments, Value | None]:
    """Run what the call iterates over, where that runs code of the program; the argument is then the tuple of what came."""
    if not found.iterates:
        return args, owner
    names = [parameter.name for parameter in signature.parameters if parameter.kind in ("positional", "either")]
    given = list(args.args)
    for name in found.iterates:
        at = names.index(name) if name in names else len(given)
        if at < len(given) and _runs_code(i, given[at]):
            given[at] = collected(i, given[at], place, frame)
    return Arguments(given, args.keywords, args.star, args.kwstar, args.places, args.keyword_places, args.node), owner


def _runs_code(i: Interpreter, value: Value) -> bool:
    """Whether iterating over a value runs code, or uses it up."""
    return any(isinstance(member, Ref) and i.info(member.oid).kind in ("generator", "iterator", "instance") for member in members(value))


def _fitting(i: Interpreter, signatures: Sequence[Signature], args: Arguments) -> list[Signature]:
    """The signatures that may hold for the types of the arguments: up to the first that surely does."""
    fitting: list[Signature] = []
    for signature in signatures:
        bound = _bind(signature, args)
        answers = [_is(i, bound[p.name], p.type) for p in signature.parameters if p.name in bound and p.type.kind != "any"]
        if False in answers:
            continue
        fitting.append(signature)
        if None not in answers:
            break
    return fitting or [signatures[-1]]


def _is(i: Interpreter, value: Value, of: Type) -> bool | None:
    """Whether a value is of a type."""
    wanted = of.args if of.kind == "union" else (of,)
    answers: list[bool | None] = []
    for member in members(value):
        found: bool | None = False
        for part in wanted:
            answer = _member_is(i, member, part)
            found = True if answer else None if answer is None and found is False else found
        answers.append(found)
    return answers[0] if len(set(answers)) == 1 else None


def _member_is(i: Interpreter, member: Member, part: Type) -> bool | None:
    if part.kind == "any":
        return True
    if part.kind in SCALARS:
        name = scalar_type(member)
        if name is not None:
            return name == SCALARS[part.kind] or (None if name == "number" and part.kind in ("int", "float") else False)
        return None if isinstance(member, (Symbolic, Unknown)) else False
    names = type_names(i, member)
    if names is None:
        return None
    wanted = {
        "list": "builtins.list",
        "dict": "builtins.dict",
        "set": "builtins.set",
        "tuple": "builtins.tuple",
        "items": "builtins.tuple",
    }.get(part.kind, part.name)
    if part.kind == "function":
        return (
            isinstance(member, (Bound,))
            or isinstance(member, Ref)
            and i.info(member.oid).kind in ("function", "class", "partial", "cached")
        )
    return wanted in names


# -- constants ---------------------------------------------------------------------------------------------------------


def abstract(i: Interpreter, value: Any, place: Place, tag: object = None) -> Value:
    """A value of Python's own as an abstract one."""
    if value is None or isinstance(value, (bool, int, float, complex, str, bytes)) or value is ...:
        return Const(value)
    if isinstance(value, tuple) and type(value) is tuple:
        return Tuple(tuple(abstract(i, item, place, (tag, n)) for n, item in enumerate(value)))
    if isinstance(value, list):
        return new_list(i, Tuple(tuple(abstract(i, item, place, (tag, n)) for n, item in enumerate(value))), place, ("folded", tag))
    if isinstance(value, (set, frozenset)):
        return new_set(
            i, Tuple(tuple(abstract(i, item, place, (tag, n)) for n, item in enumerate(sorted(value, key=repr)))), place, ("folded", tag)
        )
    if isinstance(value, dict):
        oid = i.allocate("dict", None, place, ("folded", tag))
        for key, item in value.items():
            put(i, oid, abstract(i, key, place), abstract(i, item, place, (tag, key)))
        return Ref(oid)
    if isinstance(value, range):
        return RangeObject(Const(value.start), Const(value.stop), Const(value.step))
    if isinstance(value, type):
        return External(f"{value.__module__}.{value.__qualname__}")
    return i.symbolic(place, "folded", kinds=frozenset((f"{type(value).__module__}.{type(value).__qualname__}",)))


def _fold(i: Interpreter, found: Model, owner: Value | None, args: Arguments, place: Place) -> Value | None:
    if found.fold == "no" or args.star is not None or args.kwstar is not None:
        return None
    given = [*([owner] if owner is not None else []), *args.args]
    plain = [python_value(i, value) for value in given]
    named = {key: python_value(i, value) for key, value in args.keywords.items()}
    if any(value is MISSING for value in (*plain, *named.values())):
        return _fold_each(found, given) if not named else None
    outcome = evaluate(found, plain, named)
    if outcome is None:
        return None
    if outcome.error:
        throw_named(i, outcome.error, place)
    if hasattr(outcome.value, "__next__"):
        return None
    return abstract(i, outcome.value, place)


def _fold_each(found: Model, given: Sequence[Value]) -> Value | None:
    """The same for a number of which all values are known, and constants."""
    operands = [value for value in given if isinstance(value, (Const, Range, Kind))]
    if len(operands) < len(given):
        return None

    def one(*values: object) -> object:
        outcome = evaluate(found, values)
        return None if outcome is None or outcome.error or not isinstance(outcome.value, (int, float)) else outcome.value

    return computed(one, operands, united(map(loops_of, operands)))


LOG_LEVEL: Final = ("#", "log level")
"""Of object 0: the levels that the program has configured, in whatever order."""


def _is_logged(i: Interpreter, level: Value) -> bool:
    """Whether the program surely lets records of a level through: Python does those of warnings and above, unless it is told otherwise."""
    least = min(_number(member, logging.NOTSET) for member in members(level))
    return least >= max(_number(member, logging.WARNING) for member in members(i.heap.get(0, LOG_LEVEL) or UNBOUND))


def is_enabled(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`logger.isEnabledFor(level)`: surely not, if the level that the program configures is above."""
    level, configured = args.get(1, "level"), i.heap.get(0, LOG_LEVEL)
    if level is not None and isinstance(configured, Const) and not _is_logged(i, level) and _number(configured, logging.NOTSET):
        return FALSE
    return call_model(i, "logging.Logger.isEnabledFor", args, place, frame) or NONE


def _number(level: Member, unknown: int) -> int:
    """A level as a number; `unknown` where none is known."""
    given = level.value if isinstance(level, Const) else None
    number = logging.getLevelName(given) if isinstance(given, str) else given
    return number if isinstance(number, int) else unknown


def _configured(i: Interpreter, found: Model, detail: str, bound: Mapping[str, Value]) -> None:
    """A level was configured. Which of several holds hangs on loggers, handlers and their order: the highest does; a first one for the process is
    alone."""
    if detail != "other" and detail not in bound:
        return
    before = i.heap.get(0, LOG_LEVEL)
    level = bound.get(detail, UNBOUND)
    alone = before is None and found.kind == "function" and detail in bound
    i.heap.set(0, LOG_LEVEL, level if alone else join((UNBOUND if before is None else before, level)))


CHANGES: Final = frozenset(("adds", "removes", "reorders", "replaces"))
"""How a call may change what an object holds; what only `sets` its state, as a draw does, is a fact of its own."""


# -- effects -----------------------------------------------------------------------------------------------------------


def numbers_asked(i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> None:
    """What a call that code models asks of arrays that it is handed as numbers: the model tells which these are."""
    found = model(name) if any(isinstance(member, Array) for value in args.values for member in members(value)) else None
    if found is None or not found.signatures:
        return
    given = Arguments(args.args[1:], args.keywords, places=args.places[1:]) if found.kind == "method" else args
    _arrays(i, _Call(found, given, _bind(found.signatures[0], given)), place, frame, frozenset(("index",)))


class _Call(NamedTuple):
    """A call of something of a library: its arguments, also by parameter, and the object if it is a method."""

    model: Model
    args: Arguments
    bound: Mapping[str, Value]
    owner: Value | None = None


def _arrays(i: Interpreter, call: _Call, place: Place, frame: Frame, words: frozenset[str] = ARRAY_WORDS) -> None:
    """What a call does to arrays that it is handed. `words`: the uses that are noted."""
    found, bound = call.model, call.bound
    for use in found.array or ():
        if use.word == "harmless" or use.word not in words or use.parameter not in bound or bound.get(use.without, NONE) != NONE:
            continue
        if use.word == "logs" and found.effect is not None:
            detail = found.effect.detail
            if not _is_logged(i, Const(int(detail)) if detail.isdigit() else bound.get(detail, UNBOUND)):
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


def _reached(i: Interpreter, value: Value, reach: str, depth: int = 3) -> Iterator[Member]:
    for member in i.each(value):
        if isinstance(member, Slice):
            for bound in (member.lower, member.upper, member.step):
                yield from i.each(bound)
        elif reach == "itself" or isinstance(member, Array) and reach == "deep":
            yield member
        elif depth:
            if isinstance(member, Array):
                yield member
                continue
            items = known_items(i, member)
            parts: list[Value] = list(items) if items is not None else []
            if isinstance(member, Ref) and i.info(member.oid).kind == "dict":
                parts = [value for _, value in i.heap.entries(member.oid)]
            elif items is None and isinstance(member, (Tuple, Ref)):
                content = i.heap.get(member.oid, ITEMS) if isinstance(member, Ref) else member
                parts = [content.element] if isinstance(content, Tuple) and content.element is not None else []
            for part in parts:
                yield from _reached(i, part, "itself" if reach == "elements" else reach, depth - 1)


COMPARED: Final = ("seeks", "counts")
"""The uses that compare an argument with what the object of the method holds."""
TEXTS: Final = ("formats", "logs")
"""The uses that ask an argument for its text: what it shows counts, wherever that lies."""


@contextmanager
def _timed(i: Interpreter, found: Model, place: Place, frame: Frame) -> Iterator[None]:
    """Run what a call calls: between two readings of the clock if that is what it measures."""
    if found.source != "clock" or not found.calls:
        yield
        return
    reading = i.symbolic(place, found.name, source="clock")
    _source(i, found, reading, place, frame)
    yield
    _source(i, found, reading, place, frame)
    i.operations.derived(i, "-", (reading, reading), place)


def _callbacks(i: Interpreter, found: Model, bound: Mapping[str, Value], owner: Value | None, place: Place, frame: Frame) -> None:
    for callback in found.calls:
        function = _operand(i, callback.function, bound, owner, place, frame)
        if function is None or function == NONE:
            continue
        if isinstance(function, External) and model(function.name) is not None and model(function.name).fold == "always":  # type: ignore[union-attr]
            continue
        given = [result_of(i, argument, Called(found, bound, owner, place, frame)) for argument in callback.arguments or ()]
        for name in callback.spread:
            value = bound.get(name)
            if value is not None:
                given.append(value)
        args = Arguments(given, places=(place,) * len(given))

        def run(function: Value = function, args: Arguments = args, times: Times = callback.times) -> Value:
            with running_in(i, (place, i.context), place) if times == "beside" else nullcontext():
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
    return i.fork([((happens,), run), ((never,), lambda: UNBOUND)])


def _effects(i: Interpreter, found: Model, bound: Mapping[str, Value], owner: Value | None, place: Place, frame: Frame) -> None:
    if found.effect is not None or found.seeds:
        why = "random" if found.effect is None else found.effect.kind
        i.operations.external(i, "#effect", Arguments((Const(found.name), Const(why)), places=(place, place)), place, frame)
    if found.effect is not None and found.effect.kind == "configures" and found.effect.detail:
        _configured(i, found, found.effect.detail, bound)
    for mutation in found.mutates:
        target = _operand(i, mutation.target, bound, owner, place, frame)
        for member in members(target) if target is not None else ():
            if isinstance(member, Ref) and i.info(member.oid).kind in ("list", "set", "dict") and mutation.how in ("reorders", "removes"):
                _blur(i, member, mutation.how, place, frame)
            elif isinstance(member, Ref) and is_of_library(i, member) and mutation.how in CHANGES:
                opaque.change(i, member, found.name, bound, place, frame)
                if mutation.how == "adds" and i.heap.get(member.oid, ITEMS) is None:  # else it is put there
                    i.operations.written(i, member.oid, ADDED, NONE, place, frame)


def _mutated_constants(
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


def _blur(i: Interpreter, member: Ref, how: str, place: Place, frame: Frame) -> None:
    """Let the items of a list or set lie in any order, or be fewer. What lies where hangs on what the library does."""
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


def _stores(
    i: Interpreter, found: Model, bound: Mapping[str, Value], owner: Value | None, result: Value, place: Place, frame: Frame
) -> None:
    for store in found.stores:
        what = _operand(i, store.what, bound, owner, place, frame)
        where = result if store.where.kind == "result" else _operand(i, store.where, bound, owner, place, frame)
        if what is None or where is None:
            continue
        for member in members(where):
            if isinstance(member, Ref):
                whole = store.role == "content"
                field = STORED if whole else ("stored", store.role)
                present = None if whole else i.heap.get(member.oid, field)
                now = what if present is None else join((present, what))
                i.heap.set(member.oid, field, now)
                i.operations.written(i, member.oid, field, now, place, frame)
                if store.role == "element" and i.heap.get(member.oid, ITEMS) is not None:
                    append(i, member.oid, what)
                    if any(mutation.how == "adds" for mutation in found.mutates):
                        resized(i, member.oid, True)
                        i.operations.written(i, member.oid, ADDED, what, place, frame)


def _operand(i: Interpreter, of: Type, bound: Mapping[str, Value], owner: Value | None, place: Place, frame: Frame) -> Value | None:
    if of.kind == "self":
        return owner
    if of.kind == "arg":
        return bound.get(of.name)
    if of.kind == "any":
        return None
    return result_of(i, of, Called(None, bound, owner, place, frame))


# -- results -----------------------------------------------------------------------------------------------------------


# -- names -------------------------------------------------------------------------------------------------------------


def library_member(i: Interpreter, owner: str, name: str, place: Place) -> Value:
    """`owner.name` of something of a library: a constant's value, or the thing by its canonical name."""
    full = canonical(f"{owner}.{name}")
    held = constant(full)
    if ("constant", full) in POSSIBLE:
        return Symbolic(("constant", full), None, full, source="environment")
    if held is not None:
        if held.known:
            return abstract(i, held.value, place)
        value = External(full)
        if held.type.kind in SCALARS and held.type.kind != "None":
            return i.symbolic(place, full, name, frozenset((SCALARS[held.type.kind],)), source="environment")
        return value
    found = model(full)
    if found is not None and found.kind == "method" and kind_of(canonical(owner)) == "constant":
        return Bound(External(canonical(owner)), External(found.name))
    whole = environment(i, External(canonical(owner)))
    if whole is not None and (found is None or found.kind == "attribute"):
        kind = SCALARS.get(found.signatures[0].result.kind) if found is not None else None
        return i.derived(f".{name}", (whole,), frozenset((kind,)) if kind is not None else None, place, name)
    return External(full)


def has_effect(name: str) -> Model | None:
    """The model of a call that does something to the world, or gives something else each time."""
    found = model(name)
    return found if found is not None and (found.effect is not None or found.source or found.draws or found.seeds) else None
