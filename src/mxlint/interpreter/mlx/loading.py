"""What `mx.load` gives: one array, or a dict of arrays by their names."""

from __future__ import annotations

from typing import Final

from mxlint.domain.members import NONE, TRUE, Const, Tuple, Value
from mxlint.domain.place import Place
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Handler, Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.mlx import computing

LOAD: Final = "mlx.core.load"
ONE: Final = "npy"
"""The format of a file that holds one array. A file of any other holds several; which it is that one of an unknown name holds is not known."""


def _load(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`mx.load(file, format, return_metadata)`."""
    file, given = args.get(0, "file"), args.get(1, "format")
    name = file.value if isinstance(file, Const) else None
    written = given.value if isinstance(given, Const) and given != NONE else name.rpartition(".")[2] if isinstance(name, str) else None
    if written == ONE:
        return computing.compute(i, LOAD, args.args, args.keywords, place, frame)
    i.may_raise()
    loaded = i.symbolic(place, LOAD, "mx.load()", source="environment")
    if args.get(2, "return_metadata") == TRUE:
        return Tuple((loaded, i.symbolic(place, f"{LOAD} metadata", source="environment")))
    return loaded


HANDLERS: Final[dict[str, Handler]] = {LOAD: _load}
