"""What a command line may give a program: the namespace that argparse makes from the options it was told of."""

from __future__ import annotations

from mxlint.tracing.call import CallInfo
from mxlint.tracing.machine import Machine
from mxlint.tracing.values import NONE, UNKNOWN, Choice, External, Instance, ListV, Scalar, Tup, Value, join, one_of

PARSER = "argparse.ArgumentParser"
_TYPES = {"builtins.int": "int", "builtins.float": "float", "builtins.str": "str", "builtins.bool": "bool"}
_ACTIONS = {"store_true": Scalar("bool"), "store_false": Scalar("bool"), "count": Scalar("int")}


def parser(m: Machine, info: CallInfo) -> Value:
    return Instance(cls=External(PARSER))


def add_argument(m: Machine, info: CallInfo) -> Value:
    """One more option. Its name is that of `dest`, of the first long flag, or of what stands in its place."""
    owner, *flags = info.args
    if isinstance(owner, Instance) and not info.open:
        names = [flag.content for flag in flags if isinstance(flag, Scalar) and flag.kind == "str" and flag.known]
        dest = info.keywords.get("dest")
        chosen = (
            dest.content if isinstance(dest, Scalar) and dest.known else next((n for n in names if n[:2] == "--"), next(iter(names), ""))
        )
        if name := str(chosen).lstrip("-").replace("-", "_"):
            owner.fields[f"#{name}"] = _value(info)
    return UNKNOWN


def _value(info: CallInfo) -> Value:
    """What the option may be, as far as its declaration says."""
    action = info.keywords.get("action")
    if action is not None:
        return _ACTIONS.get(action.content, UNKNOWN) if isinstance(action, Scalar) and action.known else UNKNOWN
    if "nargs" in info.keywords:
        return UNKNOWN
    choices, kind, default = info.keywords.get("choices"), info.keywords.get("type"), info.keywords.get("default", NONE)
    if choices is not None:
        items = choices.items if isinstance(choices, (ListV, Tup)) else None
        if not items or not all(isinstance(item, Scalar) and item.known for item in items):
            return UNKNOWN
        given = one_of(items)
    elif kind is None:
        given = Scalar("str")
    else:
        given = Scalar(_TYPES[kind.name]) if isinstance(kind, External) and kind.name in _TYPES else UNKNOWN
    return given if _is_among(default, given) else join(given, _open(default))


def _is_among(default: Value, given: Value) -> bool:
    """Whether the default adds nothing to what may be given."""
    if isinstance(given, Choice):
        return default in given.options
    return isinstance(default, Scalar) and isinstance(given, Scalar) and default.kind == given.kind


def _open(default: Value) -> Value:
    return default if isinstance(default, Scalar) else UNKNOWN


def same_parser(m: Machine, info: CallInfo) -> Value:
    """A group of options puts them where its parser does."""
    return info.args[0]


def set_defaults(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    if isinstance(owner, Instance):
        for name in info.keywords:
            owner.fields[f"#{name}"] = UNKNOWN
    return NONE


def parse_args(m: Machine, info: CallInfo) -> Value:
    owner = info.args[0]
    fields = {name[1:]: value for name, value in owner.fields.items() if str(name)[:1] == "#"} if isinstance(owner, Instance) else {}
    return Instance(fields, cls=External("types.SimpleNamespace"))


def parse_known_args(m: Machine, info: CallInfo) -> Value:
    return Tup((parse_args(m, info), UNKNOWN))


HANDLERS = {
    PARSER: parser,
    f"{PARSER}.add_argument": add_argument,
    f"{PARSER}.add_argument_group": same_parser,
    f"{PARSER}.add_mutually_exclusive_group": same_parser,
    f"{PARSER}.set_defaults": set_defaults,
    f"{PARSER}.parse_args": parse_args,
    f"{PARSER}.parse_known_args": parse_known_args,
}
