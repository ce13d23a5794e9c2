"""What is a text, as the program compares it with strings: neither an array nor a number is ever equal to one."""

from __future__ import annotations

from itertools import islice

from mxlint.domain.members import Const, Symbolic, Tuple, Value
from mxlint.domain.parts import each_part
from mxlint.interpreter.machine.core import Interpreter


class Texts:
    """What is compared with strings."""

    __slots__ = ("asked", "compared")

    def __init__(self) -> None:
        self.compared: set[object] = set()
        """What is compared with strings, by identity, as far as the conditions have been gone through: the first `asked`."""
        self.asked: int = 0


def is_text(i: Interpreter, value: Value) -> bool:
    """Whether a symbolic value is looked up or compared among strings, which an array is never equal to. Conditions only become more: of them those are
    gone through that came into being since the last question."""
    texts = i.ledger.of(Texts).compared
    for condition in islice(reversed(i.causes), len(i.causes) - i.ledger.of(Texts).asked):
        if condition[0] == "==" and _text(condition[2:]):
            texts.add(condition[1])
    i.ledger.of(Texts).asked = len(i.causes)
    return any(isinstance(member, Symbolic) and member.identity in texts for member in each_part(value, Tuple))


def _text(others: tuple[object, ...]) -> bool:
    return len(others) == 1 and isinstance(others[0], Const) and isinstance(others[0].value, str)
