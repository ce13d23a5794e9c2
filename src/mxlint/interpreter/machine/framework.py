"""The questions that the machine asks of the part for MLX. These answers are those of Python alone, where nothing is known of a framework."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mxlint.domain.members import NONE, Member, Ref, Symbolic, Value

if TYPE_CHECKING:
    from mxlint.domain.place import Place
    from mxlint.interpreter.compiled.traces import Trace
    from mxlint.interpreter.machine.arguments import Arguments
    from mxlint.interpreter.machine.core import Interpreter
    from mxlint.interpreter.machine.frames import Frame


class Framework:
    """What the machine asks of the part for MLX, answered as if no framework were known. `Mlx` in mlx/calls.py overrides these, and says what each means."""

    def dtype(self, name: str) -> str | None:
        return None

    def object_kind(self, i: Interpreter, ref: Ref) -> str | None:
        return None

    def class_kind(self, i: Interpreter, cls: Value) -> str | None:
        return None

    def entries(self, i: Interpreter, ref: Ref) -> Mapping[str, Value]:
        return {}

    def assigned(self, i: Interpreter, oid: int, field: object, value: Value, place: Place, frame: Frame) -> None:
        return None

    def tree(self, i: Interpreter, member: Member) -> str:
        return i.info(member.oid).kind if isinstance(member, Ref) and i.info(member.oid).kind in ("list", "dict") else ""

    def refused_name(self, name: str) -> str:
        return ""

    def refused_class(self, name: str) -> str:
        return ""

    def refused(self, i: Interpreter, ref: Ref) -> str:
        return ""

    def has(self, name: str) -> bool:
        return False

    def canonical(self, name: str) -> str:
        return name

    def defines(self, owner: str, name: str) -> bool:
        return False

    def bases(self, name: str) -> tuple[str, ...]:
        return ()

    def lineage(self, name: str) -> tuple[str, ...]:
        return ()

    def works(self, i: Interpreter, name: str, args: Arguments) -> bool:
        """Whether a call raises nothing, whatever it is that nobody knows of it."""
        return False

    def call(self, i: Interpreter, name: str, args: Arguments, place: Place, frame: Frame) -> Value | None:
        return None

    def member(self, i: Interpreter, owner: str, name: str, place: Place, frame: Frame) -> Value | None:
        return None

    def instance_attribute(self, i: Interpreter, owner: Value, cls: Value, name: str, place: Place, frame: Frame) -> Value | None:
        return None

    def effect(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return NONE

    def set_member(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return NONE

    def given(self, i: Interpreter, values: Iterable[Value]) -> None:
        return None

    def handed(self, i: Interpreter, values: Sequence[Value], place: Place, frame: Frame) -> None:
        return None

    def put_into(self, i: Interpreter, owner: Symbolic) -> None:
        return None

    def called(self, i: Interpreter, function: Symbolic, args: Arguments, place: Place, frame: Frame) -> Value | None:
        return None

    def gave(self, i: Interpreter, function: Symbolic, result: Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
        return None

    def source(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return NONE

    def looped(self, i: Interpreter, trace: Trace, rounds: int, operations: int, begun: int, place: Place, frame: Frame) -> None:
        return None

    def set_item(self, i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        return NONE
