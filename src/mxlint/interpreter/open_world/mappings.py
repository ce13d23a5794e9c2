"""Methods of what nobody in sight gives that read and write entries, as those of a dict: `config.get("scale")`, `config.update(scale=2.0)`,
`config.update({"scale": 2.0})`.

Which do so says the model of the method of a dict, or of the function of a library (`os.getenv`).
"""

from __future__ import annotations

from collections.abc import Sequence

from mxlint.domain.members import Const, External, Ref, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers.elements import dict_keys
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import environment
from mxlint.interpreter.open_world import shadows
from mxlint.models.load import model
from mxlint.models.schema import Model


def called(i: Interpreter, function: Symbolic, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a method gives; `made`: what it gives if nothing in sight put an entry there."""
    name, *owners = function.identity
    owner = owners[0] if len(owners) == 1 else None
    found = model(f"builtins.dict{name}") if isinstance(name, str) and isinstance(owner, tuple) else None
    if found is None or not isinstance(owner, tuple):
        return made
    return _entries(i, found, Symbolic(owner, None, function.label), made, args, place, frame)


def of_environment(i: Interpreter, name: str, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a function of a library gives of a constant that the environment decides; `made`: what it gives if the program did not set that."""
    found = model(name)
    if found is None or found.entry is None:
        return made
    whole: Value | None = External(found.entry.of) if found.entry.of else None
    if found.kind == "method":
        whole, args = args.args[0] if args.args else None, Arguments(args.args[1:], args.keywords)
    owner = environment(i, whole) if isinstance(whole, External) else None
    return made if owner is None else _entries(i, found, owner, made, args, place, frame)


def _entries(i: Interpreter, found: Model, owner: Symbolic, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a call gives that reads an entry, or sets those of its keywords and of the dict that it is given."""
    kept = {store.what.name for store in found.stores if store.role == "value" and store.what.kind == "arg"}
    if any(parameter.kind == "kwargs" and parameter.name in kept for parameter in found.parameters):
        given = _of_dict(i, args.args) if args.args else {}
        named = {Const(name): value for name, value in args.keywords.items()}
        for key, value in {**given, **named}.items() if given is not None else ():
            if any(isinstance(member, Const) for member in members(value)):
                shadows.write_item(i, owner, key, value, place, frame)
    if found.entry is None:
        return made
    names = [parameter.name for parameter in found.parameters]
    asked = args.get(names.index(found.entry.key), found.entry.key)
    return shadows.read_item(i, owner, asked, made, place, frame) if isinstance(asked, Const) else made


def _of_dict(i: Interpreter, args: Sequence[Value]) -> dict[Const, Value] | None:
    """The entries of a dict that is the one argument; None if it is anything else, or not all of its keys are constants."""
    source = args[0]
    keys = dict_keys(i, source.oid) if len(args) == 1 and isinstance(source, Ref) and i.info(source.oid).kind == "dict" else None
    if keys is None or not isinstance(source, Ref):
        return None
    found = {key: i.heap.get(source.oid, ("k", key)) for key in keys if isinstance(key, Const)}
    held = {key: value for key, value in found.items() if value is not None}
    return held if len(held) == len(keys) else None
