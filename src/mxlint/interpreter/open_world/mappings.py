"""Methods of what nobody in sight gives that read and write entries, as those of a dict: `config.get("scale")`, `config.update(scale=2.0)`,
`config.update({"scale": 2.0})`.

Which do so says the model of the method of a dict, or of the function of a library (`os.getenv`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mxlint.domain.guards import MAX_GUARD, Literal_, opposite
from mxlint.domain.join import of
from mxlint.domain.members import NONE, Const, External, Option, Ref, Symbolic, Value, members, options
from mxlint.domain.place import Place
from mxlint.interpreter.containers.elements import dict_keys
from mxlint.interpreter.containers.open_entries import VIEW
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import environment
from mxlint.interpreter.open_world import given_contents, shadows
from mxlint.models.load import model
from mxlint.models.schema import Model

VIEWS: Final = frozenset((".items", ".keys", ".values"))
"""Methods that give a view of a mapping."""


def called(i: Interpreter, function: Symbolic, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a method gives; `made`: what it gives if nothing in sight put an entry there."""
    name, *owners = function.identity
    owner = owners[0] if len(owners) == 1 else None
    if isinstance(owner, tuple):
        given_contents.called(i, function.identity, Symbolic(owner, None, function.label), args, place, frame)
    found = model(f"builtins.dict{name}") if isinstance(name, str) and isinstance(owner, tuple) else None
    if found is None or not isinstance(owner, tuple):
        return made
    return _entries(i, found, Symbolic(owner, None, function.label), made, args, place, frame)


def asked(i: Interpreter, function: Symbolic, args: Arguments, place: Place) -> Symbolic | None:
    """What a method gives that reads an entry under a constant key, as `config.get("scale", 1.0)`, or all entries, as `config.items()`: the same each time;
    None for any other call."""
    name = function.identity[0]
    if name in VIEWS and len(function.identity) == 2 and not args.values:
        return i.derived(VIEW, (function,), None, place, function.label)
    found = model(f"builtins.dict{name}") if isinstance(name, str) and len(function.identity) == 2 else None
    given = [value for value in args.args if isinstance(value, Const)]
    if found is None or found.entry is None or not given or len(given) < len(args.values) or isinstance(given[0].value, bool):
        return None  # `get` of a queue takes names, and says first whether it waits
    return i.derived("entry", (function, *given), None, place, function.label)


def of_environment(i: Interpreter, name: str, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a function of a library gives of a constant that the environment decides; `made`: what it gives if the program did not set that. What it puts there
    is put there as an assignment does."""
    found = model(name)
    if found is None or found.entry is None and not found.stores:
        return made
    whole: Value | None = External(found.entry.of) if found.entry is not None and found.entry.of else None
    if found.kind == "method":
        whole, args = args.args[0] if args.args else None, Arguments(args.args[1:], args.keywords)
    owner = environment(i, whole) if isinstance(whole, External) else None
    if owner is None or not isinstance(whole, External):
        return made
    for key, value in _given(i, found, args).items() if i.trace is None else ():
        i.operations.external(i, "#set_item", Arguments((whole, key, value), places=(place,) * 3), place, frame)
    if found.entry is None:
        return _entries(i, found, owner, made, args, place, frame)
    return _entries(i, found, owner, _same_each_time(i, found, whole, owner, made, args, place), args, place, frame)


def _same_each_time(i: Interpreter, found: Model, whole: External, owner: Symbolic, made: Value, args: Arguments, place: Place) -> Value:
    """The entry under a constant key, as an index gives it, or what the call gives where a test of `key in owner` is false. Nobody in sight changes it
    between two calls; what the program puts there is looked for after that."""
    key = _key(found, args)
    if not isinstance(key, Const):
        return made
    kinds = frozenset(kind for member in members(made) if isinstance(member, Symbolic) and member.source for kind in member.kinds or ())
    entry = i.derived("[]", (owner, key), kinds or None, place)
    i.sources[entry.identity] = owner.source
    there = Literal_(i.derived("in", (key, whole), frozenset(("bool",)), place).identity, True)
    default = args.get(1, "default") or NONE
    absent = [Option(option.member, (*option.guard, opposite(there))[-MAX_GUARD:]) for option in options(default)]
    return of([Option(Symbolic(entry.identity, entry.kinds, entry.label, source=owner.source), (there,)), *absent])


def _key(found: Model, args: Arguments) -> Value | None:
    """The key of the entry that a call reads."""
    names = [parameter.name for parameter in found.parameters]
    return args.get(names.index(found.entry.key), found.entry.key) if found.entry is not None else None


def _entries(i: Interpreter, found: Model, owner: Symbolic, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a call gives that reads an entry, or sets those of its keywords and of the dict that it is given."""
    for key, value in _given(i, found, args).items():
        if any(isinstance(member, Const) for member in members(value)):
            shadows.write_item(i, owner, key, value, place, frame)
    if found.entry is None:
        return _put_where_missing(i, found, owner, made, args, place, frame)
    read = _key(found, args)
    return shadows.read_item(i, owner, read, made, place, frame) if isinstance(read, Const) else made


def _given(i: Interpreter, found: Model, args: Arguments) -> dict[Const, Value]:
    """The entries that a call sets, those of its keywords and of the dict that it is given, if all are known."""
    kept = {store.what.name for store in found.stores if store.role == "value" and store.what.kind == "arg"}
    if not any(parameter.kind == "kwargs" and parameter.name in kept for parameter in found.parameters):
        return {}
    given = _of_dict(i, args.args) if args.args else {}
    return {**given, **{Const(name): value for name, value in args.keywords.items()}} if given is not None else {}


def _put_where_missing(i: Interpreter, found: Model, owner: Symbolic, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a call gives that puts one of its arguments under another one, where nothing lies there, as `setdefault` does."""
    names = [parameter.name for parameter in found.parameters]
    roles = {store.role: names.index(store.what.name) for store in found.stores if store.what.kind == "arg" and store.what.name in names}
    key = args.get(roles["key"], names[roles["key"]]) if roles.keys() == {"key", "value"} else None
    if not isinstance(key, Const):
        return made
    default = args.get(roles["value"], names[roles["value"]]) or NONE
    there = Literal_(i.derived("in", (key, owner), frozenset(("bool",)), place).identity, True)
    entry = i.derived("[]", (owner, key), None, place)
    value = of([Option(entry, (there,)), *(Option(o.member, (*o.guard, opposite(there))[-MAX_GUARD:]) for o in options(default))])
    value = shadows.read_item(i, owner, key, value, place, frame)
    shadows.write_item(i, owner, key, value, place, frame)
    return value


def _of_dict(i: Interpreter, args: Sequence[Value]) -> dict[Const, Value] | None:
    """The entries of a dict that is the one argument; None if it is anything else, or not all of its keys are constants."""
    source = args[0]
    keys = dict_keys(i, source.oid) if len(args) == 1 and isinstance(source, Ref) and i.info(source.oid).kind == "dict" else None
    if keys is None or not isinstance(source, Ref):
        return None
    found = {key: i.heap.get(source.oid, ("k", key)) for key in keys if isinstance(key, Const)}
    held = {key: value for key, value in found.items() if value is not None}
    return held if len(held) == len(keys) else None
