"""Arguments behind a star of unknown length, one by one: `step(*args)` hands over as many as `step` has parameters."""

from __future__ import annotations

from mxlint.domain.members import NONE, Value
from mxlint.domain.place import Place
from mxlint.interpreter.compiled.making import target
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.functions import FunctionInfo
from mxlint.interpreter.open_world.given_stars import item
from mxlint.interpreter.open_world.parameters import presumed


def spread_out(i: Interpreter, function: Value, args: Arguments, place: Place) -> Arguments:
    """The arguments of a call one by one, where the function that it comes to says how many the stars hold."""
    ref, bound, names = target(i, function) if args.is_given else (None, 0, frozenset[str]())
    info = i.info(ref.oid).payload if ref is not None else None
    if ref is None or not isinstance(info, FunctionInfo):
        return args
    given, places = list(args.args), list(args.places)
    keywords = dict(args.keywords)
    params = [param for param in info.node.params[bound:] if param.name not in names and param.name not in keywords]
    positional = [param for param in params if not param.star and not param.kwonly]
    for number, param in enumerate(positional[len(given) :] if args.star is not None else ()):
        says = param.annotation is not None or param.default is not None
        at = Place(info.source, param.start, param.end)
        given.append(presumed(i, ref, info, param, at, compiled_function=False) if says else item(i, args.star or NONE, number, place))
        places.append(place)
    stars = {param.star for param in params}
    if args.kwstar is not None:
        for param in [*positional[len(given) :], *(param for param in params if param.kwonly)]:
            says = param.kwonly or param.annotation is not None or param.default is not None
            at = Place(info.source, param.start, param.end)
            keywords[param.name] = (
                presumed(i, ref, info, param, at, compiled_function=False) if says else item(i, args.kwstar, param.name, place)
            )
    made = Arguments(
        given,
        keywords,
        args.star if "*" in stars else None,
        args.kwstar if "**" in stars else None,
        places,
        args.keyword_places | {name: place for name in keywords if name not in args.keyword_places},
        args.node,
    )
    made.is_given = True
    return made
