"""Methods of what nobody in sight gives that read and write entries, as those of a dict: `config.get("scale")`, `config.update(scale=2.0)`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mxlint.domain.members import Const, External, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.objects.lookup import environment
from mxlint.interpreter.open_world import shadows


def called(i: Interpreter, function: Symbolic, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a method gives; `made`: what it gives if nothing in sight put an entry there."""
    name, *owner = function.identity
    method = METHODS.get(name) if isinstance(name, str) and len(owner) == 1 else None
    if method is None or not isinstance(owner[0], tuple):
        return made
    return method(i, Symbolic(owner[0], None, function.label), made, args, place, frame)


def of_environment(i: Interpreter, name: str, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    """What a function of Python gives of an environment variable; `made`: what it gives if the program did not set that."""
    position = VARIABLES.get(name)
    owner = environment(i, External("os.environ")) if position is not None else None
    if position is None or owner is None or len(args.args) <= position:
        return made
    key = args.args[position]
    return shadows.read_item(i, owner, key, made, place, frame) if isinstance(key, Const) else made


def _get(i: Interpreter, owner: Symbolic, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    key = args.args[0] if args.args else None
    return shadows.read_item(i, owner, key, made, place, frame) if isinstance(key, Const) else made


def _update(i: Interpreter, owner: Symbolic, made: Value, args: Arguments, place: Place, frame: Frame) -> Value:
    for name, value in args.keywords.items() if not args.args else ():
        for member in members(value):
            if isinstance(member, Const):
                shadows.write_item(i, owner, Const(name), value, place, frame)
                break
    return made


METHODS: Final[dict[str, Callable[[Interpreter, Symbolic, Value, Arguments, Place, Frame], Value]]] = {".get": _get, ".update": _update}
"""By name, as identities have it."""
VARIABLES: Final = {"os.getenv": 0, "os._Environ.get": 1}
"""Functions that give the value of an environment variable, and which argument names it."""
