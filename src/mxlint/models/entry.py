"""From an entry of a data file to a Model."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import cache
from typing import Any, get_args

from mxlint.models import schema
from mxlint.models.expression import ANY, NONE, Type, TypeSyntaxError, of_node, operand, parameters, parse
from mxlint.models.schema import (
    ArrayUse,
    Callback,
    Effect,
    Long,
    Lookup,
    Model,
    Mutation,
    Parameter,
    Raises,
    Share,
    Signature,
    Store,
    Times,
)

_FOLDS: dict[object, schema.Fold] = {True: "always", False: "no", "small": "small"}
FIELDS = frozenset(
    ["signature", "fold", "calls", "stores", "mutates", "shares", "raises", "source", "draws", "seeds", "effect", "iterates", "entry", "length", "imports", "array", "unordered", "few", "spread", "rounds", "since", "until"]
)  # fmt: skip


def read(name: str, entry: str | dict[str, Any], *, of_class: bool = False, constructor: bool = False) -> Model:
    """The model of one entry: a signature alone, or a table with one. Raises TypeSyntaxError, which says what is wrong."""
    table: dict[str, Any] = {"signature": entry} if isinstance(entry, str) else entry
    if unknown := table.keys() - FIELDS:
        raise TypeSyntaxError(f"no such field: {', '.join(sorted(unknown))}")
    if "signature" not in table:
        raise TypeSyntaxError("it has no signature")
    texts = _listed(table["signature"])
    if texts[0].startswith("->"):
        return Model(name, "attribute", tuple(Signature((), parse(text[2:])) for text in texts), **_effects(table, frozenset(("self",))))
    read_ = [signature(text, receiver=of_class) for text in texts]
    receivers = {first for first, _ in read_}
    if len(receivers) > 1:
        raise TypeSyntaxError("its signatures differ in `self` and `cls`")
    known = frozenset(p.name for _, each in read_ for p in each.parameters)
    kind = _kind(receivers.pop(), of_class, constructor)
    known |= {"self"} if kind == "method" else frozenset()
    for _, each in read_:
        if wrong := set(parameters(each.result)) - {p.name for p in each.parameters} - {"cls"}:
            raise TypeSyntaxError(f"its result speaks of {', '.join(sorted(wrong))}, which is no parameter")
    return Model(name, kind, tuple(each for _, each in read_), **_effects(table, known))


def _kind(receiver: str, of_class: bool, constructor: bool) -> Any:
    if constructor:
        return "class"
    return {"self": "method", "cls": "classmethod"}.get(receiver, "staticmethod" if of_class else "function")


def signature(text: str, *, receiver: bool) -> tuple[str, Signature]:
    """A text such as `(self, key, default=None, /) -> arg(default)`: the name of the receiver, if it may have one, and the rest."""
    try:
        function = ast.parse(f"def f{text}: 0").body[0]
    except SyntaxError as error:
        raise TypeSyntaxError(f"{text!r} is no signature") from error
    if not isinstance(function, ast.FunctionDef):
        raise TypeSyntaxError(f"{text!r} is no signature")
    given = function.args
    places = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(places) - len(given.defaults)) + list(given.defaults)
    found = [
        _parameter(each, "positional" if i < len(given.posonlyargs) else "either", default)
        for i, (each, default) in enumerate(zip(places, defaults))
    ]
    if given.vararg:
        found.append(Parameter(given.vararg.arg, "args", True))
    found += [_parameter(each, "keyword", default) for each, default in zip(given.kwonlyargs, given.kw_defaults)]
    if given.kwarg:
        found.append(Parameter(given.kwarg.arg, "kwargs", True))
    first = found[0].name if receiver and found and found[0].name in ("self", "cls") else ""
    result = of_node(function.returns) if function.returns is not None else NONE
    return first, Signature(tuple(found[1:] if first else found), result)


def _parameter(given: ast.arg, kind: schema.ParameterKind, default: ast.expr | None) -> Parameter:
    accepted = ANY if given.annotation is None else of_node(given.annotation)
    if default is None:
        return Parameter(given.arg, kind, type=accepted)
    try:
        constant = default.value if isinstance(default, ast.Constant) else ast.literal_eval(default)
        return Parameter(given.arg, kind, True, constant, accepted)
    except ValueError as error:
        raise TypeSyntaxError(f"the default of {given.arg} is no constant; `...` stands for what is none") from error


# -- effects ----------------------------------------------------------------------------------------------------------


def _effects(table: dict[str, Any], known: frozenset[str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field, reader in _READERS.items():
        if field in table:
            found[field] = tuple(reader(text) for text in _listed(table[field]))
    for field in ("draws", "seeds", "imports", "unordered", "few", "spread", "rounds", "since", "until"):
        if field in table:
            found[field] = table[field]
    if "source" in table:
        word, _, without = table["source"].partition(" without ")
        found["source"], found["source_without"] = _one_of(word, schema.SOURCES), without
    if "fold" in table:
        found["fold"] = _FOLDS[table["fold"]] if table["fold"] in _FOLDS else _one_of(table["fold"], frozenset())
    if "effect" in table:
        word, _, detail = table["effect"].partition(" ")
        found["effect"] = Effect(_one_of(word, schema.EFFECTS), detail)
    if "entry" in table:
        key, _, of = table["entry"].partition(" of ")
        found["entry"] = Lookup(key, of)
    if "length" in table:
        found["length"] = _long(table["length"])
    if "array" in table:
        found["array"] = _array(table["array"], known)
    used = {name for field in ("calls", "stores", "mutates") for each in found.get(field, ()) for name in _names(each)}
    used |= {
        *found.get("iterates", ()),
        *filter(None, [found.get("source_without"), found.get("imports")]),
        *(each.without for field in ("raises", "array") for each in found.get(field) or () if each.without),
        *(each.target for each in found.get("shares", ())),
        *([found["entry"].key] if "entry" in found else []),
        *(filter(None, [found["length"].target, found["length"].without]) if "length" in found else ()),
        *(name for field in ("spread", "rounds") if field in found for name in _names_in(found[field])),
    }
    if wrong := used - known - {"cls"}:
        raise TypeSyntaxError(f"an effect speaks of {', '.join(sorted(wrong))}, which is no parameter")
    return found


def _names(effect: Callback | Store | Mutation) -> list[str]:
    if isinstance(effect, Callback):
        types: tuple[Type, ...] = (effect.function, *(effect.arguments or ()))
        return [*effect.spread, *(name for each in types for name in parameters(each))]
    types = (effect.what, effect.where) if isinstance(effect, Store) else (effect.target,)
    return [name for each in types for name in parameters(each)]


def _names_in(expression: str) -> set[str]:
    """The parameters that an expression for a number speaks of."""
    return {node.id for node in ast.walk(_expression(expression)) if isinstance(node, ast.Name)}


def _callback(text: str) -> Callback:
    """`key(element(iterable)) each`; `f(...) some` where the arguments are not known."""
    left, _, times = text.rpartition(" ")
    call = _expression(left)
    if not isinstance(call, ast.Call):
        raise TypeSyntaxError(f"{text!r} is no call")
    spread = [each.value for each in call.args if isinstance(each, ast.Starred)]
    spread += [each.value for each in call.keywords if each.arg is None]
    plain = [each for each in call.args if not isinstance(each, ast.Starred)]
    unknown = len(plain) == 1 and isinstance(plain[0], ast.Constant) and plain[0].value is ...
    return Callback(
        operand(call.func),
        None if unknown else tuple(map(of_node, plain)),
        tuple(each.id for each in spread if isinstance(each, ast.Name)),
        _one_of(times, frozenset(get_args(Times))),  # type: ignore[arg-type]
    )


def _store(text: str) -> Store:
    """`arg(object) in self as element`."""
    what, _, rest = text.partition(" in ")
    where, _, role = rest.partition(" as ")
    return Store(of_node(_expression(what)), _target(where), _one_of(role, schema.ROLES))


def mutations(entry: dict[str, Any]) -> tuple[Mutation, ...]:
    """What an entry says is changed, without the rest of it."""
    return tuple(map(_mutation, _listed(entry["mutates"])))


def _mutation(text: str) -> Mutation:
    """`self adds`, `self adds last`."""
    target, _, how = text.rpartition(" ")
    end = how if how in schema.ENDS else ""
    if end:
        target, _, how = target.rpartition(" ")
    return Mutation(_target(target), _one_of(how, schema.MUTATIONS), end)


def _share(text: str) -> Share:
    """`a`, `a rows`, `a part`, each with or without `perhaps`."""
    target, *words = text.split()
    if wrong := set(words) - {"rows", "part", "perhaps"}:
        raise TypeSyntaxError(f"{wrong.pop()!r} is no way to share")
    return Share(target, "rows" in words, "part" in words, "perhaps" in words)


def _long(text: str) -> Long:
    """`as self`, `where condition without x`, `by key`."""
    said, _, without = text.partition(" without ")
    how, _, target = said.partition(" ")
    return Long(_one_of(how, schema.LENGTHS), target, without)


@cache
def _target(text: str) -> Type:
    return schema.RESULT if text == "result" else operand(_expression(text))


def _raises(text: str) -> Raises:
    """`KeyError without default`; names without a dot are builtins."""
    error, _, without = text.partition(" without ")
    return Raises(error if "." in error else f"builtins.{error}", without)


def _array(given: str | dict[str, str], known: frozenset[str]) -> tuple[ArrayUse, ...]:
    """One word for all parameters, or a table by parameter."""
    table = dict.fromkeys(sorted(known), given) if isinstance(given, str) else given
    if wrong := table.keys() - known:
        raise TypeSyntaxError(f"`array` speaks of {', '.join(sorted(wrong))}, which is no parameter")
    found = []
    for name, text in table.items():
        use, _, without = text.partition(" without ")
        word, _, reach = use.partition(" ")
        found.append(ArrayUse(name, _one_of(word, schema.ARRAY_WORDS), _one_of(reach or "itself", schema.REACHES), without))
    return tuple(found)


_READERS: dict[str, Callable[[str], object]] = {
    "calls": _callback,
    "stores": _store,
    "mutates": _mutation,
    "shares": _share,
    "raises": _raises,
    "iterates": str,
}


def _expression(text: str) -> ast.expr:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError as error:
        raise TypeSyntaxError(f"{text!r} is no expression") from error


def _one_of(word: str, words: frozenset[str]) -> str:
    if word not in words:
        raise TypeSyntaxError(f"{word!r} is none of: {', '.join(sorted(words))}")
    return word


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value
