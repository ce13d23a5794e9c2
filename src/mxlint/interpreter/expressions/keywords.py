"""Keywords that `**value` spreads: a call is made with each of the several sets of keywords that a few dicts in sight have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.guards import Guard
from mxlint.domain.join import bound, join
from mxlint.domain.members import UNBOUND, Const, Ref, Symbolic, Unbound, Unknown, Value, options
from mxlint.domain.place import Place
from mxlint.interpreter.containers import aspects
from mxlint.interpreter.containers.merging import as_dict, under_open_keys
from mxlint.interpreter.containers.open_entries import VALUES_OF
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter, guarded
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.locations import REST

MAX_PERHAPS: Final = 2
"""Keywords of one call that are tried with and without; of more it is not known what is given."""


def spread(
    i: Interpreter,
    value: Value,
    keywords: dict[str, Value],
    places: dict[str, Place],
    perhaps: dict[str, Value],
    named: dict[str, Value],
    place: Place,
    frame: Frame,
) -> Value | None:
    """Put the entries of `**value` among the keywords, those that are not there on all paths among those that are given `perhaps`, or, where that would be
    many calls or others may be there, among what is `named`. What else it may hold is returned."""
    rest: list[Value] = []
    closed: list[Guard] = []
    entries: dict[str, dict[Guard, Value]] = {}
    for option in options(value):
        member = as_dict(i, option.member, place, frame)
        if isinstance(member, Ref):
            aspects.ask_for_entries(i, member.oid, place, frame)
            other = bound(i.heap.get(member.oid, REST) or UNBOUND)
            others = [*([] if other is None else [other]), *under_open_keys(i, member.oid)]
            rest += others
            if not others:
                closed.append(option.guard)
            for key, entry in i.heap.entries(member.oid):
                if isinstance(key, Const) and isinstance(key.value, str):
                    entries.setdefault(key.value, {})[option.guard] = i.live(entry)
        elif isinstance(member, Unknown):
            rest.append(member)
        else:
            mapping = member if isinstance(member, Symbolic) else i.symbolic(place, "keywords")
            rest.append(i.derived(VALUES_OF, (mapping,), None, place))
    for name, held in entries.items():
        absent = [option.guard for option in options(value) if option.guard not in held]
        found = guarded([*((part, guard) for guard, part in held.items()), *((UNBOUND, guard) for guard in absent)])
        lacking = [option for option in options(found) if isinstance(option.member, Unbound)]
        if bound(found) is None:
            continue
        if not lacking and len(held) == len(options(value)):
            keywords[name], places[name] = found, place
        elif len(closed) == len(options(value)) and all(option.guard for option in lacking) and len(perhaps) < MAX_PERHAPS:
            perhaps[name], places[name] = found, place
        else:
            named[name], places[name] = found, place
    return join(rest) if rest else None


def unless_named(i: Interpreter, args: Arguments, name: str, otherwise: Callable[[], Value]) -> Value:
    """What `**` gives under a name; where it has nothing there that is known, what is given `otherwise`."""
    return i.split(args.named.get(name, UNBOUND), lambda member: otherwise() if isinstance(member, Unbound) else member)


def each_way(i: Interpreter, args: Arguments, call: Callable[[Arguments], Value]) -> Value:
    """Make a call with and without each keyword that is given perhaps."""
    if not args.perhaps:
        return call(args)
    name = next(iter(args.perhaps))
    return i.split(args.perhaps[name], lambda member: each_way(i, args.deciding(name, member), call))
