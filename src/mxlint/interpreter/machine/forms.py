"""What is seen of a container from outside, as far as it is known item by item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from mxlint.domain.join import itemwise
from mxlint.domain.members import Const, Member, Ref, Tuple, Value
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, REST


class Form(NamedTuple):
    """The kind of a container, its keys and its items; None where these are not known one by one."""

    kind: Literal["list", "tuple", "dict"]
    keys: tuple[str, ...]
    items: Sequence[Value] | None


def form_of(i: Interpreter, member: Member) -> Form | None:
    """The form of a container; None of anything else."""
    if isinstance(member, Tuple):
        return Form("tuple", (), member.items)
    kind = i.mlx.tree(i, member) if isinstance(member, Ref) else ""
    if kind == "list" and isinstance(member, Ref):
        return Form("list", (), itemwise(i.heap.get(member.oid, ITEMS)))
    if kind == "dict" and isinstance(member, Ref):
        entries = i.heap.entries(member.oid)
        keys = tuple(str(key.value) for key, _ in entries if isinstance(key, Const))
        if len(keys) < len(entries) or not entries and i.heap.get(member.oid, REST) is not None:
            return Form("dict", (), None)
        return Form("dict", keys, [value for _, value in entries])
    return None
