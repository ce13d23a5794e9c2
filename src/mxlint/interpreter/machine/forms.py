"""What is seen of a container from outside, as far as it is known item by item."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from mxlint.domain.join import itemwise, join
from mxlint.domain.members import Const, Member, Ref, Tuple, Value, options
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.locations import ITEMS, REST, REST_KEY
from mxlint.interpreter.machine.paths import ROUNDS


class Form(NamedTuple):
    """The kind of a container, its keys and its items; None where these are not known one by one. `each`: what each of those may be that are not;
    `key`: what their keys may be."""

    kind: Literal["list", "tuple", "dict"]
    keys: tuple[str, ...]
    items: Sequence[Value] | None
    each: Value | None = None
    key: Value | None = None


def _each(content: Value | None) -> Value | None:
    """What each item of a list of unknown length may be. A loop is taken to have a round; if anything else decides whether they are there, it is not said."""
    found = [(option.member, option.guard) for option in options(content)] if content is not None else []
    parts = [member.element for member, _ in found if isinstance(member, Tuple) and member.element is not None]
    filled = all(isinstance(member, Tuple) and all(literal.condition[0] == ROUNDS for literal in guard) for member, guard in found)
    return join(parts) if parts and filled else None


def form_of(i: Interpreter, member: Member) -> Form | None:
    """The form of a container; None of anything else."""
    if isinstance(member, Tuple):
        return Form("tuple", (), member.items, member.element)
    kind = i.mlx.tree(i, member) if isinstance(member, Ref) else ""
    if kind == "list" and isinstance(member, Ref):
        content = i.heap.get(member.oid, ITEMS)
        return Form("list", (), itemwise(content), _each(content))
    if kind == "dict" and isinstance(member, Ref):
        entries = i.heap.entries(member.oid)
        keys = tuple(str(key.value) for key, _ in entries if isinstance(key, Const))
        rest, key = i.heap.get(member.oid, REST), i.heap.get(member.oid, REST_KEY)
        if len(keys) < len(entries) or not entries and rest is not None:
            return Form("dict", (), None, rest, key)
        return Form("dict", keys, [value for _, value in entries], rest, key)
    return None
