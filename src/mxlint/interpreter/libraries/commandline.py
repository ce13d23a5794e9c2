"""Options of the command line (argparse): a parser is told of each option, and parsing gives an object with an attribute for each.

The value is what nobody in sight gives. Its type, its default and its `choices` are known.
"""

from __future__ import annotations

from typing import Final

from mxlint.domain.guards import Identity
from mxlint.domain.join import join
from mxlint.domain.members import FALSE, NONE, UNBOUND, Const, External, Member, Ref, Symbolic, Tuple, Unbound, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.libraries.library import call_model
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.open_world import defaults, shadows

TYPES: Final = {"builtins.int": "int", "builtins.float": "float", "builtins.str": "str"}
FLAGS: Final = ("store_true", "store_false")
OPTION: Final = "option"
"""Begins the field of a parser that holds the type of an option, by where its value goes."""

TEXT: Final = External("builtins.str")
CHOICES: Final = "choices of an option"
"""Begins the field that holds what an option may be."""
DEFAULT: Final = "default of an option"
"""Begins the field that holds what an option is that nobody gives."""


class Choices:
    """What something symbolic is one of, where the program says so."""

    __slots__ = ("values",)

    def __init__(self) -> None:
        self.values: dict[Identity, tuple[Const, ...]] = {}


def _add(name: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """`parser.add_argument(…)`."""
        made = call_model(i, name, args, place, frame)
        destination, kind = _destination(args), _kind(args)
        for member in members(args.args[0]) if args.args and destination else ():
            if isinstance(member, Ref):
                i.heap.set(member.oid, (OPTION, destination), Const(kind))
                i.heap.set(member.oid, (CHOICES, destination), _choices(i, args))
                if i.heap.get(member.oid, (DEFAULT, destination)) is None:  # of several options of one name the first says it
                    i.heap.set(member.oid, (DEFAULT, destination), _default(args) or UNBOUND)
        return made if made is not None else NONE

    return run


def _destination(args: Arguments) -> str:
    """The attribute that an option is kept in."""
    given = args.keywords.get("dest")
    names = [value.value for value in ((given,) if given is not None else args.args[1:]) if isinstance(value, Const)]
    flags = [name for name in names if isinstance(name, str)]
    found = next((name for name in flags if name.startswith("--") or not name.startswith("-")), flags[0] if flags else "")
    return found.lstrip("-").replace("-", "_") if given is None else found


def _kind(args: Arguments) -> str:
    """The type of the value of an option; "" if it is not known, or there may be none."""
    action = args.keywords.get("action")
    if action is not None:
        return "bool" if isinstance(action, Const) and action.value in FLAGS else ""
    default = args.keywords.get("default", NONE)
    there = _is_positional(args) or args.keywords.get("required") == Const(True) or isinstance(default, Const) and default != NONE
    type_ = args.keywords.get("type", TEXT)
    return TYPES.get(type_.name, "") if isinstance(type_, External) and "nargs" not in args.keywords and there else ""


def _default(args: Arguments) -> Value | None:
    """What an option is that nobody gives; None if it is not said, or somebody has to."""
    action = args.keywords.get("action")
    if isinstance(action, Const) and action.value in FLAGS and "default" not in args.keywords:
        return Const(action.value == "store_false")
    default = args.keywords.get("default")
    text = isinstance(default, Const) and isinstance(default.value, str)
    if _is_given(args) or text and args.keywords.get("type", TEXT) != TEXT:
        return None
    return default


def _choices(i: Interpreter, args: Arguments) -> Value:
    """What an option may be, where the program lists it: its default as well, which is not checked."""
    listed = args.keywords.get("choices", NONE)
    items = known_items(i, listed) if isinstance(listed, (Tuple, Ref)) else None
    default = _default(args)
    more = (default,) if items is not None and default is not None and default != NONE else ()
    found = tuple(dict.fromkeys((*(items or ()), *more)))
    return Tuple(found) if all(isinstance(item, Const) for item in found) else Tuple(())


def _is_given(args: Arguments) -> bool:
    """Whether there is always a value of an option in the command line."""
    return _is_positional(args) and "nargs" not in args.keywords or args.keywords.get("required", FALSE) != FALSE


def _is_positional(args: Arguments) -> bool:
    """Whether an option is given by its position, and not by a flag."""
    return len(args.args) > 1 and isinstance(args.args[1], Const) and not str(args.args[1].value).startswith("-")


def _set_defaults(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`parser.set_defaults(…)`: what it says holds, whatever the options say."""
    made = call_model(i, "argparse._ActionsContainer.set_defaults", args, place, frame)
    for member in members(args.args[0]) if args.args else ():
        if isinstance(member, Ref):
            for name, value in args.keywords.items():
                i.heap.set(member.oid, (DEFAULT, name), value)
    return made if made is not None else NONE


def _group(name: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """A group of options: they are options of the parser."""
        call_model(i, name, args, place, frame)
        return args.args[0]

    return run


def _parse(name: str) -> Handler:
    def run(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
        """`parser.parse_args()`: what was read, each option of its type."""
        made = call_model(i, name, args, place, frame)
        given = args.get(1, "args")
        nothing = isinstance(given, (Tuple, Ref)) and known_items(i, given) == ()
        for parser in members(args.args[0]):
            if isinstance(parser, Ref) and made is not None:
                for namespace in members(made):
                    first = namespace.items[0] if isinstance(namespace, Tuple) and namespace.items else namespace
                    for member in members(first):
                        _fill(i, parser, member, place, ours=given is not None and given != NONE, nothing=nothing)
        return made if made is not None else i.symbolic(place, name)

    return run


def _fill(i: Interpreter, parser: Ref, namespace: Member, place: Place, *, ours: bool, nothing: bool) -> None:
    """Give what was read the options of a parser. `ours`: the program itself says which are given; `nothing`: it gives none, so each has its default."""
    options = {field[1]: value for field, value in i.heap.fields(parser.oid).items() if isinstance(field, tuple) and field[0] == OPTION}
    for name, kind in options.items():
        default = i.heap.get(parser.oid, (DEFAULT, name)) if nothing else None
        is_default = default is not None and not isinstance(default, Unbound)
        if not isinstance(kind, Const) or not kind.value and not is_default:
            continue
        oid = (
            shadows.shadow(i, namespace, place)
            if isinstance(namespace, Symbolic)
            else namespace.oid
            if isinstance(namespace, Ref)
            else None
        )
        if oid is not None and default is not None and is_default:
            i.heap.set(oid, name, default)
        elif oid is not None:
            read = i.symbolic(place, f"--{name}", str(name), frozenset((str(kind.value),)), "environment")
            choices = i.heap.get(parser.oid, (CHOICES, name))
            if isinstance(choices, Tuple) and choices.items:
                i.ledger.of(Choices).values[read.identity] = tuple(item for item in choices.items if isinstance(item, Const))
            if not ours:
                defaults.keep(i, read, i.heap.get(parser.oid, (DEFAULT, name)))
            present = i.heap.get(oid, name)
            i.heap.set(oid, name, read if present is None else join((present, read)))


HANDLERS: Final[dict[str, Handler]] = {
    "argparse._ActionsContainer.add_argument": _add("argparse._ActionsContainer.add_argument"),
    **{
        name: _group(name)
        for name in ("argparse._ActionsContainer.add_argument_group", "argparse._ActionsContainer.add_mutually_exclusive_group")
    },
    "argparse._ActionsContainer.set_defaults": _set_defaults,
    **{name: _parse(name) for name in ("argparse.ArgumentParser.parse_args", "argparse.ArgumentParser.parse_known_args")},
}
"""By canonical name."""
