"""What a callable that nobody in sight gives makes of placeholders: taken to be an array where only an array will do.

The result of such a call has no kind. Printed, tested or converted it may be anything; asked to be evaluated, it is an array or something that
holds arrays, and in a trace it was computed from placeholders.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from mxlint.domain.arrays import Array, Chain
from mxlint.domain.guards import Identity
from mxlint.domain.members import TRUE, Composite, Const, Symbolic, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.compiled import sinks
from mxlint.interpreter.loops.novelty import OF_SHAPES
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import journal
from mxlint.interpreter.machine.reach import arrays_in, each_place
from mxlint.interpreter.mlx.descriptions import ARRAY
from mxlint.interpreter.open_world import bounded, installed
from mxlint.interpreter.open_world.presumptions import GIVEN, PRESUMED

COMPUTED: Final = "computed"
"""The source of a result that was computed from placeholders."""
SEVERAL: Final = 2
"""The operations of what nobody sees: more than one, as far as anybody knows."""
DEMANDS: Final = {".item": ".item()", ".tolist": ".tolist()"}
"""What only arrays have, and what it is called in messages."""


OF_OTHERS: Final = frozenset(name for cls in (str, bytes, list, tuple, dict, set, int, float, complex) for name in dir(cls))
"""What built-in types of Python have as well."""


class OutOfSight:
    """What calls of symbolic things have shown."""

    __slots__ = ("computes", "differentiated", "layers", "taken")

    def __init__(self) -> None:
        self.computes: bool = False
        """Something symbolic was called with placeholders, and gave something."""
        self.differentiated: set[Identity] = set()
        """Symbolic things that `nn.value_and_grad` is given as models."""
        self.layers: set[Place] = set()
        """Calls of what is a layer of a model: each gives an array."""
        self.taken: set[Place] = set()
        """Calls of modules whose layers are not in sight: what they give is taken to be an array."""


def gave(i: Interpreter, function: Symbolic, result: Symbolic, args: Arguments, place: Place, frame: Frame) -> None:
    """A symbolic callable gave something: keep whether a placeholder of the running trace was among its arguments, or something computed from one;
    a method of such a thing computes with it. What is differentiated has weights and layers that nobody sees."""
    if i.trace is None or function.identity[0] in DEMANDS:
        return
    placeholder = any(array.trace is not None and i.trace.holds(array.trace) for array in arrays_in(i, *args.values))
    if placeholder or source(i, (function, *args.values)) is not None:
        i.sources[result.identity] = COMPUTED
        i.ledger.of(OutOfSight).computes = True
        i.trace.operations += SEVERAL
        if installed.is_layer(i, function):
            i.ledger.of(OutOfSight).layers.add(place)
        bounded.called(i, function, place, frame, is_model=function.identity in i.ledger.of(OutOfSight).differentiated)


def shown_as_other(i: Interpreter, array: Array, operation: str, operands: Sequence[Value]) -> Symbolic | None:
    """What an operation that no array has gives of what a layer out of sight gave, which was taken to be an array; None of anything else."""
    made = i.info(array.ident)
    if made.place not in i.ledger.of(OutOfSight).taken:
        return None
    other = Symbolic(("call", made.place, made.payload), None, "call")
    i.causes.setdefault(other.identity, ("open", made.place))
    if i.trace is not None and i.trace.holds(array.trace):
        i.sources[other.identity] = COMPUTED
        i.ledger.of(OutOfSight).computes = True
    given = [member for operand in operands for member in members(operand)]
    name = {"__getitem__": "[]", "__contains__": "in"}.get(operation, f".{operation}")
    return i.derived(name, (other, *given), frozenset(("bool",)) if name == "in" else None, made.place, operation)


def source(i: Interpreter, values: Iterable[Value]) -> Place | None:
    """The call of a symbolic callable that some of these values were computed by, from placeholders; what containers hold counts."""
    if i.ledger.of(OutOfSight).computes:
        for _, _, member in each_place(i, values, ("list",)):
            if isinstance(member, Symbolic) and member.kinds is None and (call := next(_calls(i, (member.identity,)), None)) is not None:
                return call
    return None


def taken(i: Interpreter, values: Iterable[Value]) -> Chain | None:
    """Where what MLX makes of values comes from, if a symbolic callable computed some of them from placeholders: MLX takes arrays, so that is one, and
    a placeholder."""
    call = source(i, values)
    if call is None:
        return None
    _is_array(i, call)
    ident = i.ident(call, COMPUTED)
    presumption = words(i, call)
    if not presumption:
        return Chain(call, "call")
    i.heap.set(ident, PRESUMED, Const(presumption))
    i.heap.set(ident, GIVEN, TRUE)
    return Chain(call, "call", presumed=ident)


def returned(i: Interpreter, value: Value) -> None:
    """A trace returns something: what callables out of sight gave there are arrays."""
    for _, _, member in each_place(i, (value,), ("list", "dict")) if i.ledger.of(OutOfSight).computes else ():
        for call in _calls(i, (member,)):
            _is_array(i, call)


def _is_array(i: Interpreter, call: Place) -> None:
    """What a call gave is used as an array of MLX, so that what its methods give are such arrays as well."""
    if call not in journal(i).taken:
        journal(i).taken.add(call)
        if i.heap.recording is not None:
            i.heap.recording.valid = False


def words(i: Interpreter, call: Place) -> str:
    """The presumption that a call gives an array; empty if it surely does."""
    return "" if call in i.ledger.of(OutOfSight).layers else f"what `{' '.join(call.text.partition('(')[0].split())}` returns is an array"


def demanded(i: Interpreter, method: Symbolic, place: Place, frame: Frame) -> None:
    """Something symbolic is called: a method that evaluates the array whose method it is."""
    name, *owner = method.identity
    if name in DEMANDS and i.trace is not None:
        _evaluated(i, owner, "convert", DEMANDS[name], place, frame)


def array_of(i: Interpreter, method: Symbolic) -> Array | None:
    """What is presumed to be an array as a method of it is called that arrays have and no built-in type of Python, and that computes: a symbolic callable computed
    it from placeholders. Arrays of other libraries and objects of others have such methods, too. So the presumption is said of what comes of it only where the
    trace uses that, or what it is a method of, as an array of MLX: it returns it, computes it with another one or hands it to MLX."""
    name, *owner = method.identity
    if i.trace is None or not isinstance(name, str) or name in DEMANDS or not owner or not isinstance(owner[0], tuple):
        return None
    entry = i.table.entry(f"{ARRAY}{name}")
    is_own = entry is not None and entry.kind == "method" and name[1:] not in OF_OTHERS
    call = next(_calls(i, owner), None) if is_own else None
    if call is None:
        return None
    made, root = i.ident(call, "of a method"), i.ident(call, "presumed of a method")
    presumption = words(i, call)
    if presumption:
        i.heap.set(root, PRESUMED, Const(presumption))
        journal(i).results[root] = call
    return Array(made, i.trace.number, None, None, Chain(call, "call", presumed=root if presumption else None))


def evaluated(i: Interpreter, values: Iterable[Value], what: str, place: Place, frame: Frame) -> None:
    """Values are evaluated."""
    if i.trace is not None:
        for value in values:
            for member in members(value):
                if isinstance(member, Symbolic):
                    _evaluated(i, (member.identity,), "evaluate", what, place, frame)
                elif isinstance(member, Composite):
                    evaluated(i, member.parts, what, place, frame)


def _evaluated(i: Interpreter, parts: Iterable[object], kind: str, what: str, place: Place, frame: Frame) -> None:
    call = next(_calls(i, parts), None)
    if call is not None:
        sinks.event(i, kind, place, what, frame, presumption=words(i, call))


def _calls(i: Interpreter, parts: Iterable[object]) -> Iterator[Place]:
    """The calls whose results a value is, is taken out of or is computed from."""
    for part in parts:
        if isinstance(part, Symbolic):
            yield from _calls(i, (part.identity,))
        elif isinstance(part, tuple) and part and part[0] not in OF_SHAPES:
            if i.sources.get(part) == COMPUTED and isinstance(part[1], Place):
                yield part[1]
            else:
                yield from _calls(i, part[1:])
