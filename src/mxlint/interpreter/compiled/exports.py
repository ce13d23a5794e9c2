"""Functions that MLX exports (`mx.export_function`): it traces them with placeholders as `mx.compile` does, and keeps the trace in a file."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import NONE, Ref, Value
from mxlint.domain.place import Place
from mxlint.facts.events import EXPORT
from mxlint.interpreter.compiled import making
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame


def _exporter(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`mx.exporter(file, fun)`: what it gives traces the function at each call."""
    given = Arguments(
        args.args[1:2], {name: value for name, value in args.keywords.items() if name in ("fun", "shapeless")}, places=args.places[1:2]
    )
    return making.make(i, given, place, frame, EXPORT)


def _export(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`mx.export_function(file, fun, *args, **kwargs)`: one call of an exporter."""
    made = _exporter(i, args, place, frame)
    keywords = {name: value for name, value in args.keywords.items() if name not in ("file", "fun", "shapeless")}
    if isinstance(made, Ref):
        inner = Arguments(args.args[2:], keywords, args.star, args.kwstar, args.places[2:], args.keyword_places)
        i.call(made, inner, place, frame)
    return NONE


HANDLERS: Final[dict[str, Handler]] = {"mlx.core.export_function": _export, "mlx.core.exporter": _exporter}
