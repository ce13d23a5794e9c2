"""Which signatures of a model a call fits, and which argument each parameter gets.

`dict.get(key)` and `dict.get(key, default)` have two signatures, and `math.floor(x)` one for each kind of `x`. An argument whose kind is not known may fit several.
"""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.domain.join import join
from mxlint.domain.members import (
    Bound,
    Member,
    Ref,
    Symbolic,
    Unknown,
    Value,
    members,
    scalar_type,
)
from mxlint.interpreter.libraries.results import SCALARS
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.objects.type_tests import type_names
from mxlint.models.expression import Type
from mxlint.models.schema import Signature


def bind_signature(signature: Signature, args: Arguments) -> dict[str, Value]:
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


def fitting(i: Interpreter, signatures: Sequence[Signature], args: Arguments) -> list[Signature]:
    """The signatures that may hold for the types of the arguments: up to the first that surely does."""
    fitting: list[Signature] = []
    for signature in signatures:
        bound = bind_signature(signature, args)
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
