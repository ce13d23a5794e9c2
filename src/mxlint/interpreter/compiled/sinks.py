"""Uses of values that need their content: `print(x)`, `if x:`, `float(x)`, `mx.eval(x)`.

Of a placeholder that is an event of the trace, of which MX1 rules speak. Any other array is computed by it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from mxlint.domain.arrays import Array, Chain, Operands, ShapeOf
from mxlint.domain.members import FALSE, TRUE, Const, Length, Measure, Member, Ref, Symbolic, Value
from mxlint.domain.parts import each_part
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.facts.values import Step
from mxlint.interpreter.compiled import clocks
from mxlint.interpreter.compiled.reads import relied_content
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.compiled.unevaluated import asked_for
from mxlint.interpreter.expressions.arithmetic import origins
from mxlint.interpreter.expressions.choices import CHOICE
from mxlint.interpreter.machine.behind import places_behind
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import (
    call_places,
    imprecise,
    journal,
    modality,
    note,
    open_literals,
    qualname,
    where,
    wheres,
)
from mxlint.interpreter.machine.locations import LAZY, OPERANDS
from mxlint.interpreter.machine.reach import arrays_in, each_place
from mxlint.interpreter.open_world.presumptions import GIVEN, root, words
from mxlint.syntax.inline import in_one_line


def draws(i: Interpreter) -> bool:
    """Whether random numbers that are drawn now come from the state before the trace: it has set no seed, and what draws them is not done once anyway."""
    return i.trace is not None and not i.trace.seeded and not i.modes.memoised


MLX_ERROR: Final = "builtins.ValueError"
"""What MLX raises in a trace."""


def event(
    i: Interpreter,
    kind: str,
    place: Place,
    what: str,
    frame: Frame,
    *,
    note_: str = "",
    member: Member | None = None,
    target_name: str = "",
    axes: Sequence[events.Axis] = (),
    effects: tuple[events.Effect, ...] = (),
    shape: tuple[events.Extent, ...] | None = None,
    sizes: tuple[events.Extent, ...] | None = None,
    presumption: str = "",
    decision: events.Decision | None = None,
    noted: bool = True,
    error: str = MLX_ERROR,
) -> events.Event | None:
    """Note something that happens in the running trace; None if nothing is said of it. `presumption`: what it depends on, in words; `noted`: whether it happens
    for sure, or the fact is kept by whoever asks, until it turns out to; `error`: the class of what it raises."""
    trace = i.trace
    if trace is None or kind in RAISING and expected(i):
        return None
    of_member = words(i, member) if isinstance(member, Array) else ""
    presumed = of_member or presumption
    path = i.path
    if trace.only_if is not None and kind in SHAPELESS:
        i.path = (*path, trace.only_if)
    elif trace.only_if is not None and kind == DRAW:
        i.path = (*path, trace.only_if.otherwise)
    m = modality(i, trace.path, presumed=(presumed,) if presumed else ())
    hangs = open_literals(i, trace.path, m) if m is not None and m.conditions else {}
    i.path = path
    if m is None:
        return None
    swallowed = _may_be_caught(i, trace, None if kind == "raise" else error)
    chain = _chain(member.chain) if isinstance(member, Array) and member.chain is not None else ()
    fact = events.Event(
        trace.oid,
        trace.number,
        kind,
        where(place),
        what,
        note_,
        qualname(frame),
        wheres(call_places(i, trace.depth + 1)),
        chain,
        tuple(axes),
        m,
        swallowed,
        target_name,
        effects,
        shape,
        sizes,
        decision,
    )
    if hangs:
        journal(i).hanging[fact] = hangs
    if of_member and isinstance(member, Array) and i.heap.get(root(member) or 0, GIVEN) is None:
        journal(i).presuming[fact] = root(member)
        if kind == "truth" and member.ident in journal(i).items:
            journal(i).lists_too.add(fact)
    if noted:
        note(i, fact)
    return fact


def expected(i: Interpreter) -> bool:
    """Whether a test says that a ValueError is raised here."""
    return any(not EVAL_ERRORS.isdisjoint(names) for _, names in i.modes.expected)


def prepared_event(i: Interpreter, kind: str, place: Place, what: str, frame: Frame, about: str) -> events.Event | None:
    """What may turn out to matter in the running trace; None if something imprecise decides."""
    trace = i.trace
    m = modality(i, trace.path) if trace is not None else None
    if trace is None or m is None:
        return None
    calls = wheres(call_places(i, trace.depth + 1))
    return events.Event(
        trace.oid, trace.number, kind, where(place), what, about, qualname(frame), calls, (), (), m, _may_be_caught(i, trace)
    )


def _may_be_caught(i: Interpreter, trace: Trace, name: str | None = MLX_ERROR) -> bool:
    """Whether the body of a trace goes on where an exception is raised now: some handler in it may catch it. `name`: of its class; None
    for a `raise`, of which it is seen later whether what it raises leaves the trace."""
    handlers = [target.catches for target in i.tries[trace.tries :] if target.catches is not None]
    return any(name is None or catches(name) for catches in handlers)


SEQUENCES: Final = ("list",)
"""What MLX makes arrays of. A dict is handed on as it is: who is given one need not use all of it."""


def source_use(i: Interpreter, value: Value) -> None:
    """The running trace computes with a value, or decides by it: what it comes from is frozen in the trace."""
    trace = i.trace
    if trace is None or not trace.sources:
        return
    for _, _, held in each_place(i, (value,), SEQUENCES):
        for member in each_part(held):  # as the bounds of a slice
            for place in places_behind(i, member.identity) if isinstance(member, Symbolic) else ():
                fact = trace.sources.pop(place, None)
                if fact is not None:
                    note(i, fact)


def array_use(i: Interpreter, value: Value) -> None:
    """The content of the arrays in a value becomes part of the running trace."""
    trace = i.trace
    source_use(i, value)
    if trace is not None:
        trace.computes_with(i, (array.ident for array in arrays_in(i, value)))


DECISIONS: Final = ("<", "<=", ">", ">=", "==", "!=", CHOICE)
"""Operations that decide by what they are given: what comes of them does not name it."""


def derived(i: Interpreter, operation: str, parts: Sequence[Member], place: Place) -> None:
    """Something is computed from symbolic values: a measurement of time, a decision by a random number."""
    clocks.subtracted(i, operation, parts, place)
    if operation in DECISIONS:
        for part in parts:
            source_use(i, part)


def _chain(chain: Chain | None) -> tuple[Any, ...]:
    found: list[Step] = []
    while chain is not None and len(found) < 8:
        if isinstance(chain.place, Place):
            found.append(Step(where(chain.place).text, chain.place.span))
        chain = chain.origin
    return tuple(reversed(found))


def computed(i: Interpreter, array: Array) -> None:
    """An array is computed now, and so is what it was computed from."""
    clocks.forced(i)
    todo = [array.ident]
    while todo:
        ident = todo.pop()
        asked_for(i, ident)
        if i.heap.get(ident, LAZY) == TRUE:
            i.heap.set(ident, LAZY, FALSE)
            origin = i.heap.get(ident, OPERANDS)
            todo.extend(origin.idents or () if isinstance(origin, Operands) else ())


def as_module(i: Interpreter, member: Member, place: Place, frame: Frame, name: str = "") -> None:
    """A module that is an argument of the running trace is used as only a module can be, and is a dict there: it is called, handed to what may do that,
    or asked for an attribute by a `name` that dicts do not have."""
    if not isinstance(member, Ref) or i.info(member.oid).kind != "dict" or hasattr(dict, name):
        return
    original = i.heap.get(member.oid, ("#", "original"))
    if isinstance(original, Ref) and i.mlx.object_kind(i, original) == "module":
        event(i, "module", place, "", frame)


def _operand(what: str, place: Place, operand: Place | None) -> str:
    """The text of the value that is used, where it stands by itself."""
    if operand is None and what not in ("truth", "f-string"):
        return ""
    return in_one_line((operand or place).text)


ARRAY_LIKE: Final = "converts deep"
"""A conversion that looks into containers: it is for arrays and what is like them, a number alone is not handed to it."""
USES: Final = {"formats": "format", "format": "format", "logs": "log", "converts": "convert", "convert": "convert", ARRAY_LIKE: "convert", "truth": "truth", "index": "index",
               "bytes": "convert", "saves": "evaluate", "evaluates": "evaluate"}  # fmt: skip


SHAPELESS: Final = frozenset(("bake", "branch", "unsafe", "unsupported"))
"""The events that there are in a trace with shapeless=True alone."""
DRAW: Final = "draw"
"""The event that there is in a trace without it alone: with it, whatever draws raises before it does."""
RAISING: Final = frozenset(USES.values()) - {"log"} | {"unsupported"}
"""The events at which MLX raises a ValueError."""
KEPT: Final = ("convert", "truth", "index")
"""The events at which a trace keeps what is in an array, where it can look at that."""
EVAL_ERRORS: Final = frozenset(("builtins.ValueError", "builtins.Exception", "builtins.BaseException"))
"""Its classes: where a test says that one of them is raised, that is what the program is to do."""


def compared(i: Interpreter, op: str, a: Member, b: Member, place: Place, frame: Frame) -> None:
    """A comparison of numbers, of which one at least comes from sizes: a shapeless trace keeps the outcome."""
    sides = [_side(member) for member in (a, b)]
    decision = events.Decision(op, sides[0], sides[1]) if sides[0] is not None and sides[1] is not None else None
    for member in (a, b):
        if isinstance(member, (Length, Measure, ShapeOf)):
            use(i, "compare", member, op, place, frame, decision=decision)


def _side(member: Member) -> events.Axis | int | None:
    """One side of a comparison: an axis as it is, or a number; None for anything else."""
    if isinstance(member, Const) and type(member.value) is int:
        return member.value
    return member.size.axis if isinstance(member, Length) else None


def use(
    i: Interpreter,
    kind: str,
    member: Member,
    what: str,
    place: Place,
    frame: Frame,
    operand: Place | None = None,
    decision: events.Decision | None = None,
) -> None:
    """A use of a value that needs its content: of a placeholder it raises; of the size of one, a shapeless trace keeps the outcome. What is computed from
    a size says where it comes from, and text decides nothing."""
    trace = i.trace
    if isinstance(member, (Length, Measure, ShapeOf)) or isinstance(member, Symbolic) and origins(member):
        if trace is not None and trace.shapeless and USES.get(kind, kind) not in ("format", "log", "convert"):
            axes = (
                [(number, None) for number in sorted(member.origin)] if isinstance(member, ShapeOf) else sorted(origins(member), key=repr)
            )
            if axes:
                event(i, "branch", place, in_one_line(place.text), frame, axes=axes, decision=decision)
        return
    if trace is None:
        for array in arrays_in(i, member):
            computed(i, array)
            if kind in USES and kind != "evaluates":
                relied_content(i, array.ident, place)
    elif isinstance(member, Array):
        if member.trace == -1:
            imprecise(i, place, "an array that may be a constant")
        elif trace.holds(member.trace):
            asks = frame.function_of_library() or what
            found = event(i, USES.get(kind, kind), place, asks, frame, note_=_operand(what, place, operand), member=member)
            if kind == ARRAY_LIKE and found is not None:
                journal(i).array_like.add(found)
        elif USES.get(kind, kind) in KEPT:
            trace.computes_with(i, (member.ident,))
