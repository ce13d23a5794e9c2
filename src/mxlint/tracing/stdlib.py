"""itertools, operator, dataclasses and what else of the standard library takes values apart and puts them together."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace

from mxlint.syntax import ir
from mxlint.tracing import attribute, operators
from mxlint.tracing.call import CallInfo, call, dunder
from mxlint.tracing.machine import Machine
from mxlint.tracing.sequences import MAX_ITEMS, elements, iterator, iterator_like, joined, representative
from mxlint.tracing.values import (
    NONE,
    UNKNOWN,
    ClassV,
    DictV,
    External,
    Instance,
    PartialV,
    Scalar,
    Tup,
    Value,
)  # fmt: skip

Handler = Callable[[Machine, CallInfo], Value]


def _node(info: CallInfo) -> ir.Expr:
    """The expression that stands where a call does."""
    return info.node or ir.Opaque(info.place.start, info.place.end)


def _with(info: CallInfo, *args: Value) -> CallInfo:
    return replace(info, args=list(args), keywords={}, places=[info.place] * len(args), nodes={}, node=None)


def _known(m: Machine, values: list[Value], info: CallInfo) -> list[list[Value]] | None:
    """The elements of each, if those of all are known and few."""
    found = [elements(m, value, info) for value in values]
    few = [items for items in found if items is not None and len(items) <= MAX_ITEMS]
    return few if len(few) == len(found) else None


# -- itertools --------------------------------------------------------------------------------------------------------


def _chained(m: Machine, parts: list[Value], info: CallInfo) -> Value:
    known = _known(m, parts, info)
    if known is not None:
        return iterator([item for items in known for item in items])
    return iterator_like(joined([representative(m, value, info) for value in parts]))


def _chain(m: Machine, info: CallInfo) -> Value:
    return UNKNOWN if info.open else _chained(m, info.args, info)


def _chain_from(m: Machine, info: CallInfo) -> Value:
    parts = elements(m, info.args[0], info) if info.args else []
    return _chained(m, parts if parts is not None else [representative(m, info.args[0], info)], info)


def _islice(m: Machine, info: CallInfo) -> Value:
    bounds = [value.content if isinstance(value, Scalar) else -1 for value in info.args[1:]]
    known = _known(m, info.args[:1], info)
    if known and all(bound is None or isinstance(bound, int) and bound >= 0 for bound in bounds):
        return iterator(list(itertools.islice(known[0], *bounds)))
    return iterator_like(representative(m, info.args[0], info)) if info.args else UNKNOWN


def _combined(combine: Callable[..., object]) -> Handler:
    """product, zip and their like: tuples of the elements of several."""

    def run(m: Machine, info: CallInfo) -> Value:
        known = None if info.keywords else _known(m, [value for value in info.args if not isinstance(value, Scalar)], info)
        if known is not None:
            numbers = [value.content for value in info.args if isinstance(value, Scalar)]
            if all(isinstance(number, int) for number in numbers):
                rows = list(itertools.islice(combine(*known, *numbers), MAX_ITEMS + 1))  # type: ignore[call-overload]
                if len(rows) <= MAX_ITEMS:
                    return iterator([Tup(tuple(NONE if item is None else item for item in row)) for row in rows])
        return iterator_like(Tup(tuple(representative(m, value, info) for value in info.args)))

    return run


def _accumulate(m: Machine, info: CallInfo) -> Value:
    known = _known(m, info.args[:1], info)
    function = info.get(1, "func") or External("operator.add")
    items = list(known[0]) if known else [representative(m, info.args[0], info)] * 2 if info.args else []
    if "initial" in info.keywords:
        items.insert(0, info.keywords["initial"])
    made = items[:1]
    for item in items[1:]:
        made.append(call(m, function, _with(info, made[-1], item)))
    return iterator(made) if known else iterator_like(joined(made))


def _repeat(m: Machine, info: CallInfo) -> Value:
    times = info.get(1, "times")
    value = info.args[0] if info.args else UNKNOWN
    if isinstance(times, Scalar) and isinstance(times.content, int) and times.content <= MAX_ITEMS:
        return iterator([value] * max(times.content, 0))
    return iterator_like(value)


def _starmap(m: Machine, info: CallInfo) -> Value:
    known = _known(m, info.args[1:2], info)
    rows = known[0] if known else [representative(m, value, info) for value in info.args[1:2]]
    made = [call(m, info.args[0], _with(info, *row.items)) if isinstance(row, Tup) else UNKNOWN for row in rows]
    return iterator(made) if known else iterator_like(joined(made))


def _filtered(wanted: bool) -> Handler:
    """filter and filterfalse: the truth of each element is asked."""

    def run(m: Machine, info: CallInfo) -> Value:
        if len(info.args) != 2:
            return UNKNOWN
        function, source = info.args
        known = _known(m, [source], info)
        kept: list[Value] = []
        exact = known is not None
        for item in known[0] if known else [representative(m, source, info)]:
            test = item if isinstance(function, Scalar) else call(m, function, _with(info, item))
            truth = operators.truth(m, test, _node(info), info.frame)
            exact = exact and truth is not None
            if truth is None or truth == wanted:
                kept.append(item)
        return iterator(kept) if exact else iterator_like(joined(kept))

    return run


# -- operator ---------------------------------------------------------------------------------------------------------


def _binary(op: str) -> Handler:
    def run(m: Machine, info: CallInfo) -> Value:
        if len(info.args) != 2:
            return UNKNOWN
        apply = operators.compare if op in ("==", "!=", "<", "<=", ">", ">=") else operators.binary
        return apply(m, op, info.args[0], info.args[1], _node(info), info.frame)

    return run


def _negative(m: Machine, info: CallInfo) -> Value:
    return operators.unary(m, "-", info.args[0], _node(info), info.frame) if info.args else UNKNOWN


def _get_item(m: Machine, info: CallInfo) -> Value:
    if len(info.args) != 2:
        return UNKNOWN
    here = _node(info)
    return attribute.get_item(m, info.args[0], info.args[1], ir.Sub(here.start, here.end, here, here), info.frame)


def _getter(what: str) -> Handler:
    """itemgetter and attrgetter: functions of one argument."""

    def run(m: Machine, info: CallInfo) -> Value:
        return PartialV(External(f"operator.#{what}"), tuple(info.args), (), (), info.place)

    return run


def _items(m: Machine, info: CallInfo) -> Value:
    *keys, owner = info.args
    found = tuple(_get_item(m, _with(info, owner, key)) for key in keys)
    return found[0] if len(found) == 1 else Tup(found)


def _attributes(m: Machine, info: CallInfo) -> Value:
    *names, owner = info.args
    here = _node(info)
    found: list[Value] = []
    for name in names:
        value = owner
        for part in str(name.content).split(".") if isinstance(name, Scalar) and name.known else ():
            value = attribute.get(m, value, part, ir.Attr(here.start, here.end, here, part), info.frame)
        found.append(value if isinstance(name, Scalar) and name.known else UNKNOWN)
    return found[0] if len(found) == 1 else Tup(tuple(found))


# -- dataclasses and named tuples -------------------------------------------------------------------------------------


def _field(m: Machine, info: CallInfo) -> Value:
    return Instance(cls=External(attribute.FIELD), keywords=dict(info.keywords))


def _replaced(m: Machine, info: CallInfo) -> Value:
    """A copy of a dataclass object or named tuple with some of its fields changed."""
    owner = info.args[0] if info.args else UNKNOWN
    if isinstance(owner, Tup) and owner.cls is not None:
        names = owner.cls.fields.get("#annotated", ())
        return Tup(tuple(info.keywords.get(name, item) for name, item in zip(names, owner.items)), owner.cls)
    if not isinstance(owner, Instance) or not isinstance(owner.cls, ClassV):
        return UNKNOWN
    made = Instance({**owner.fields, **info.keywords}, cls=owner.cls, args=owner.args, keywords=dict(owner.keywords))
    finish = dunder(made, "__post_init__")
    if finish is not None:
        call(m, finish, _with(info))
    return made


def _as_dict(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0] if info.args else UNKNOWN
    if isinstance(owner, Tup) and owner.cls is not None:
        return DictV({("k", name): item for name, item in zip(owner.cls.fields.get("#annotated", ()), owner.items)})
    if not isinstance(owner, Instance):
        return UNKNOWN
    return DictV({("k", name): value for name, value in owner.fields.items() if isinstance(name, str) and not name.startswith("#")})


def _as_tuple(m: Machine, info: CallInfo) -> Value:
    made = _as_dict(m, info)
    return Tup(tuple(made.fields["k", key] for key in made.keys)) if isinstance(made, DictV) else UNKNOWN


_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "and_": "&", "or_": "|",
    "xor": "^", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip

HANDLERS: dict[str, Handler] = {
    "itertools.chain": _chain, "itertools.chain.from_iterable": _chain_from, "itertools.islice": _islice,
    "itertools.product": _combined(itertools.product), "itertools.zip_longest": _combined(itertools.zip_longest),
    "itertools.pairwise": _combined(itertools.pairwise), "itertools.combinations": _combined(itertools.combinations),
    "itertools.permutations": _combined(itertools.permutations), "itertools.accumulate": _accumulate, "itertools.repeat": _repeat,
    "itertools.starmap": _starmap, "itertools.filterfalse": _filtered(False), "builtins.filter": _filtered(True),
    **{f"operator.{name}": _binary(op) for name, op in _OPERATORS.items()}, "operator.neg": _negative, "operator.getitem": _get_item,
    "operator.itemgetter": _getter("items"), "operator.attrgetter": _getter("attributes"), "operator.#items": _items,
    "operator.#attributes": _attributes,
    "dataclasses.field": _field, "dataclasses.replace": _replaced, "dataclasses.asdict": _as_dict, "dataclasses.astuple": _as_tuple,
    "copy.replace": _replaced, "builtins.tuple._replace": _replaced, "builtins.tuple._asdict": _as_dict,
}  # fmt: skip
