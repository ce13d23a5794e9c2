"""Whether one thing is among the items of a container, as a trace asks it and as it would find it later. No code of the program runs for that.

What nobody in sight gives may be equal to a constant, or to something else that nobody gives. Where `muted.add(name)` has put such a thing, `"b" in muted` holds
under an open condition: the one that a test for equality asks.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.guards import Guard, Identity, Literal_
from mxlint.domain.members import FALSE, TRUE, Const, Member, Ref, Symbolic, Tuple, Unknown, Value, options, scalar_type
from mxlint.domain.place import Place
from mxlint.domain.texts import cannot_be
from mxlint.interpreter.compiled.keyed import ALL
from mxlint.interpreter.expressions.arithmetic import NUMBERS
from mxlint.interpreter.machine.core import Interpreter, guarded, is_larger
from mxlint.interpreter.objects.lookup import is_itself_alone

UNDECIDED: Final = Unknown("contents")
LONGEST: Final = 96
"""Parts of the name of a condition; one of more parts is not kept."""


def is_particular(i: Interpreter, item: Member) -> bool:
    """Whether one thing is meant that no code of the program compares, so that each content of a container answers whether it is there."""
    if isinstance(item, Tuple):
        return item.items is not None and all(isinstance(part, Member) and is_particular(i, part) for part in item.items)
    return isinstance(item, (Const, Symbolic)) or isinstance(item, Ref) and is_itself_alone(i, item)


def among(i: Interpreter, item: Member, content: Member, place: Place) -> Value:
    """Whether Python finds an item in the content of a container: what is decided, what the conditions decide that are open, or nothing that is known.
    `place`: where something was put there last."""
    if not isinstance(content, Tuple):
        return UNDECIDED
    if content.items is not None and item in content.items:
        return TRUE
    answers: list[tuple[Value, Guard]] = []
    for other in content.parts:
        found = [(_equal(i, item, option.member), option.guard) for option in options(other)]
        if content.items is not None and all(answer == TRUE for answer, _ in found):
            return TRUE
        answers += [(answer, guard) for answer, guard in found if answer != FALSE]
    if not answers:
        return FALSE
    if not all(isinstance(answer, Symbolic) or answer == TRUE and _is_open(i, content, guard) for answer, guard in answers):
        return UNDECIDED
    alone, guard = answers[0]
    named = len(answers) == 1 and not guard and content.items is not None and isinstance(alone, Symbolic)
    condition: Identity = alone.identity if named else ("in", _named(item), content)  # type: ignore[union-attr]
    if is_larger(condition, LONGEST):
        return UNDECIDED
    if condition not in i.causes:
        i.causes[condition] = ("open", place)
        i.choices.add(condition)
    return guarded([(TRUE, (Literal_(condition, True),)), (FALSE, (Literal_(condition, False),))])


def _is_open(i: Interpreter, content: Tuple, guard: Guard) -> bool:
    """Whether nobody in sight says that an item which may be in a container is there: it hangs on open conditions, or on how many there are."""
    if content.items is None:
        return bool(content.given)
    return bool(guard) and all(i.why(literal.condition)[0] == "open" for literal in guard)


def _equal(i: Interpreter, a: Member, b: Member) -> Value:
    """Whether two things are equal: what is decided, the condition, or nothing that is known."""
    if isinstance(a, Const) and isinstance(b, Const):
        return TRUE if a.value == b.value else FALSE
    if isinstance(a, Symbolic) and isinstance(b, Symbolic) and a.identity == b.identity:
        return TRUE
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        return _equal_tuples(i, a, b)
    kinds = {_kind(i, member) for member in (a, b)}
    if None not in kinds and len(kinds) == 2:
        return FALSE  # equality never crosses these
    if not all(is_particular(i, member) for member in (a, b)):
        return UNDECIDED
    if not isinstance(a, Symbolic) and not isinstance(b, Symbolic):
        return TRUE if a == b else FALSE
    first, second = (a, b) if isinstance(a, Symbolic) else (b, a)
    if isinstance(first, Symbolic) and isinstance(second, Const) and cannot_be(first.identity, second.value):
        return FALSE
    return Symbolic(("==", _named(first), _named(second)), frozenset(("bool",)))


def _equal_tuples(i: Interpreter, a: Tuple, b: Tuple) -> Value:
    if a.items is None or b.items is None:
        return UNDECIDED
    if len(a.items) != len(b.items):
        return FALSE
    found: list[Value] = []
    for x, y in zip(a.items, b.items):
        found.append(_equal(i, x, y) if isinstance(x, Member) and isinstance(y, Member) else UNDECIDED)
    rest = [answer for answer in found if answer != TRUE]
    if FALSE in rest:
        return FALSE
    parts = [answer.identity for answer in rest if isinstance(answer, Symbolic)]
    if len(parts) < len(rest):
        return UNDECIDED
    return (Symbolic((ALL, *parts), frozenset(("bool",))) if len(rest) > 1 else rest[0]) if rest else TRUE


def _kind(i: Interpreter, member: Member) -> str | None:
    """What something is that equals nothing of another kind; None if it is not known."""
    if isinstance(member, Tuple):
        return "tuple"
    if isinstance(member, Ref):
        kind = i.info(member.oid).kind
        return kind if kind in ("list", "dict", "set") else "itself" if is_itself_alone(i, member) else None
    name = scalar_type(member)
    return "number" if name in (*NUMBERS, "number") else name if name in ("str", "bytes", "NoneType") else None


def _named(value: Value) -> object:
    """What stands for a thing in the name of a condition."""
    return value.identity if isinstance(value, Symbolic) else value
