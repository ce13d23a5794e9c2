"""The arguments that a function of a library cannot go without: a call that gives none for one of these parameters raises TypeError. So does one that gives
a function of MLX what it has no parameter for.

A keyword, or a star of unknown length, may give one of them. So what models a function finds all of them among the positional arguments.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from mxlint.domain.members import Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.exceptions import throw_named
from mxlint.models.load import model
from mxlint.models.mlx.members import defined
from mxlint.models.mlx.names import canonical
from mxlint.models.mlx.signatures import takes
from mxlint.models.mlx.traits import needs

NEEDS: Final = {"copy.replace": ("obj",), "itertools.batched": ("iterable", "n")}
"""The parameters without default of functions of Pythons that are newer than the one that runs."""


TOLD: Final = frozenset(("mlx.core.compile",))
"""What a rule says of calls that raise."""


def completed(i: Interpreter, name: str, args: Arguments, place: Place) -> Arguments:
    """The arguments with what keywords, or a star of unknown length, give for the leading parameters; raises TypeError where nothing does, or where a
    function of MLX has no such parameter."""
    known = name.startswith("mlx.") and name not in TOLD and args.star is None and args.kwstar is None
    if known and not takes(canonical(name), len(args.args), args.keywords):
        throw_named(i, "builtins.TypeError", place)
    wanted = NEEDS.get(name) or needs(defined(canonical(name))) or (_of_mlx(i, name) if name.startswith("mlx.") else _of_library(name))
    if len(args.args) >= len(wanted):
        return args
    given, keywords, places = list(args.args), dict(args.keywords), list(args.places)
    for parameter in wanted[len(given) :]:
        value: Value | None = keywords.pop(parameter, None)
        if value is None:
            value = args.star
        if value is None and args.kwstar is not None:
            value = i.symbolic(place, "argument", parameter)
        if value is None:
            throw_named(i, "builtins.TypeError", place)
        given.append(value)
        places.append(args.keyword_places.get(parameter, place))
    made = Arguments(given, keywords, args.star, args.kwstar, places, args.keyword_places, args.node)
    made.bound_node, made.decorates = args.bound_node, args.decorates
    return made


@cache
def _of_library(name: str) -> tuple[str, ...]:
    """The fewest parameters that a signature of it demands by position, `self` in front of those of a method."""
    found = model(name)
    if found is None or found.kind == "attribute":
        return ()
    # `__new__` is static: nothing is bound to it, so a call gives the class itself.
    receiver = ("self",) if found.kind == "method" else ("cls",) if name.endswith(".__new__") else ()
    demanded = [
        tuple(p.name for p in signature.parameters if p.kind in ("positional", "either") and not p.optional)
        for signature in found.signatures
    ]
    return receiver + min(demanded, key=len, default=())


def _of_mlx(i: Interpreter, name: str) -> tuple[str, ...]:
    owner, _, member = canonical(name).rpartition(".")
    entry = i.table.entry(owner)
    return ("self",) if entry is not None and entry.kind != "function" and member != "__init_subclass__" else ()
