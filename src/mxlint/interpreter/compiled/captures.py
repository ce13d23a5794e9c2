"""What `inputs=` and `outputs=` of a compiled object lead to, and what a trace puts there.

Under `inputs=[model.state]` the arrays in the containers of the state are placeholders while the body runs. Afterwards those of `outputs=` are results, and the
others what they were.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from mxlint.domain.arrays import Array, Chain
from mxlint.domain.guards import Identity
from mxlint.domain.heap import Location
from mxlint.domain.members import NONE, Const, External, Kind, Member, Ref, Symbolic, Tuple, Union, Unknown, Value, members
from mxlint.domain.parts import each_part, rename
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.interpreter.compiled.state import older
from mxlint.interpreter.compiled.traces import Trace
from mxlint.interpreter.compiled.trees import tree
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.frames import Frame
from mxlint.interpreter.machine.journal import (
    journal,
    where,
)
from mxlint.interpreter.machine.locations import ITEMS, OF, is_cell
from mxlint.interpreter.machine.reach import CONTAINERS, arrays_in, each_leaf, each_place
from mxlint.interpreter.open_world import installed
from mxlint.interpreter.open_world.standing import Standing
from mxlint.models.mlx.names import MODULE_WEIGHTS
from mxlint.syntax import ir

IGNORED: Final = frozenset(("optimizer", "object", "generator", "set"))
"""Kinds of things into which MLX does not look."""


def capture_facts(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> tuple[events.Capture | None, events.Capture | None]:
    """inputs= and outputs= as they are given."""
    inputs, outputs = _capture(i, args, 1, "inputs", place, frame), _capture(i, args, 2, "outputs", place, frame)
    elements = [element for capture in (inputs, outputs) if capture is not None for element in capture.elements]
    given = {element.object for element in elements if element.object is not None}
    if len(given) < 2:
        return inputs, outputs
    inside = {oid: tuple(sorted(captured(i, Ref(oid))[0] & given - {oid})) for oid in given}
    return _with_inside(inputs, inside), _with_inside(outputs, inside)


def _with_inside(capture: events.Capture | None, inside: Mapping[int, tuple[int, ...]]) -> events.Capture | None:
    """A capture whose elements say which others lie in them."""
    if capture is None:
        return None
    elements = (e if e.object is None else e.but(inside=inside[e.object]) for e in capture.elements)
    return capture.but(elements=tuple(elements))


def _capture(i: Interpreter, args: Arguments, position: int, name: str, place: Place, frame: Frame) -> events.Capture | None:
    """inputs= or outputs= as it is given."""
    value = args.get(position, name)
    if value is None or value == NONE:
        return None
    at = args.place(position, name, place)
    written = None
    if args.node is not None:
        written = next((a.value for a in args.node.args if a.name == name), None)
        if written is None and position < len(args.node.args) and args.node.args[position].name is None:
            written = args.node.args[position].value
    if written is None and args.bound_node is not None:
        written = next((a.value for a in args.bound_node.args if a.name == name), None)
    if isinstance(written, ir.Seq) and written.kind != "set":
        items = known(i, value)
        if items is not None and len(items) == len(written.items):
            parts = tuple(_element(i, item, Place(place.source, node.start, node.end)) for item, node in zip(items, written.items))
            return events.Capture(where(at), parts, True)
    return events.Capture(where(at), (_element(i, value, at, written),), isinstance(written, (ir.Seq, ir.Comp, ir.DictDisplay)))


def known(i: Interpreter, value: Value) -> tuple[Value, ...] | None:
    return known_items(i, value) if not isinstance(value, Union) else None


def _element(i: Interpreter, value: Value, place: Place, written: ir.Expr | None = None) -> events.Element:
    kind, oid = element_kind(i, value)
    if oid is not None and kind in ("list", "dict") and isinstance(written, (ir.Call, ir.Comp)) and i.info(oid).place == place:
        held = [member for _, _, member in each_leaf(i, value)]
        if held and all(_is_data(i, member) for member in held) and not _held_elsewhere(i, {oid}, held):
            kind = "copy"
    copied = tuple(sorted(_copied(i, value)))
    return events.Element(where(place), kind, oid, _holds_copy(i, value), copied=copied, ignored=tuple(_ignored(i, value)))


def _ignored(i: Interpreter, value: Value) -> Iterator[events.Ignored]:
    """What lists, dicts and tuples of a capture hold into which MLX does not look."""
    for oid, _, member in each_place(i, (value,), CONTAINERS):
        kind = element_kind(i, member)[0] if isinstance(member, Ref) and (oid is not None or isinstance(value, Tuple)) else ""
        if isinstance(member, Ref) and kind in IGNORED:
            led = {member.oid, *(inner.oid for _, _, inner in each_leaf(i, member) if isinstance(inner, Ref))}
            yield events.Ignored(kind, tuple(sorted(led)))


def _copied(i: Interpreter, value: Value) -> set[int]:
    """The containers of the fresh copies of a module's parameters that something is, or holds."""
    inner = [value, *(member for _, _, member in each_leaf(i, value) if isinstance(member, Ref))]
    copies = [part for part in inner if isinstance(part, Ref) and i.heap.get(part.oid, ("#", "copy of")) is not None]
    return {oid for copy in copies for oid, _, _ in each_leaf(i, copy)}


def _is_data(i: Interpreter, member: Member) -> bool:
    """Whether something is an array, a constant or a container of such."""
    return isinstance(member, (Array, Tuple, Const)) or isinstance(member, Ref) and i.info(member.oid).kind in CONTAINERS


def _held_elsewhere(i: Interpreter, containers: set[int], held: Iterable[Member]) -> bool:
    """Whether something else holds a container in the containers as well, and may change it."""
    inner = {member.oid for member in held if isinstance(member, Ref)}
    holders = {holder for oid in inner for holder, _ in i.heap.holders(oid)} - containers - inner
    return any(i.info(holder).kind not in CONTAINERS or i.heap.is_captured(holder) for holder in holders)


def _holds_copy(i: Interpreter, value: Value) -> bool:
    """Whether a list, tuple or dict holds a fresh copy of a module's parameters."""
    parts: list[Value] = list(value.items or ()) if isinstance(value, Tuple) else []
    if isinstance(value, Ref) and i.info(value.oid).kind in ("list", "dict"):
        parts = [held for field, held in i.heap.fields(value.oid).items() if field == ITEMS or isinstance(field, tuple) and field[0] == "k"]
        parts = [item for part in parts for item in (part.items or () if isinstance(part, Tuple) else (part,))]
    return any(isinstance(m, Ref) and i.heap.get(m.oid, ("#", "copy of")) is not None for part in parts for m in members(part))


def element_kind(i: Interpreter, value: Value) -> tuple[str, int | None]:
    """What a captured thing is, and the number of the live container."""
    if isinstance(value, Union):
        return "unknown", None
    if isinstance(value, Array):
        return "array", None
    if isinstance(value, Tuple):
        arrays = value.items is not None and value.items and all(isinstance(item, Array) for item in value.items)
        return ("tuple", None) if arrays else ("container", None)
    if isinstance(value, External):
        return ("random", None) if value.name == "mlx.core.random.state" else ("unknown", None)
    if isinstance(value, Ref):
        info = i.info(value.oid)
        if info.kind in ("list", "dict"):
            made = i.heap.get(value.oid, ("#", "copy of"))
            if not tree(i, value):
                return "object", value.oid  # a deque
            return ("parameters" if made is not None else info.kind), value.oid
        if info.kind in ("set", "generator", "iterator"):
            return ("set" if info.kind == "set" else "generator"), value.oid
        if info.kind == "instance":
            return i.mlx.object_kind(i, value) or tree(i, value) or "object", value.oid
    if isinstance(value, (Const, Kind)):
        return "number", None
    return "unknown", None


def captured(i: Interpreter, value: Value) -> tuple[set[int], bool, set[object]]:
    """The containers under a capture, whether the random state is among them, and what is symbolic in it."""
    oids: set[int] = set()
    symbolic: set[object] = set()
    random = False
    tuples: set[int] = set()
    todo = [value]
    while todo:
        for member in members(todo.pop()):
            if isinstance(member, External) and member.name == "mlx.core.random.state":
                random = True
            elif isinstance(member, Symbolic):
                symbolic.add(member.identity)
                if (put := installed.held(i, member)) is not None:
                    todo.append(put)
            elif isinstance(member, Tuple):
                if id(member) not in tuples:
                    tuples.add(id(member))
                    todo.extend(member.parts)
            elif isinstance(member, Ref) and member.oid not in oids and (oid := container_of(i, member)) is not None:
                oids.add(oid)
                todo.extend(contents(i, oid))
    return oids, random, symbolic


def container_of(i: Interpreter, ref: Ref) -> int | None:
    """The container that MLX looks into where it finds an object in a capture; None if it does not."""
    kind = i.info(ref.oid).kind
    if kind not in (*CONTAINERS, "instance", "shadow") or kind != "shadow" and i.mlx.object_kind(i, ref) != "module" and not tree(i, ref):
        return None
    of = i.heap.get(ref.oid, OF)
    return of.oid if isinstance(of, Ref) else ref.oid  # vars(object): its attributes


def contents(i: Interpreter, oid: int) -> Iterator[Value]:
    """What lies in such a container."""
    about = (("#", "class"), ("#", "alive"), ("#", "parent"))
    return (held for field, held in i.heap.fields(oid).items() if field not in about and not is_cell(field))


def arrays_out(i: Interpreter, ref: Ref) -> dict[Location, tuple[int, float]]:
    """How many arrays lie where `outputs=` leads to, at least and at most: a replay puts as many there as the trace found."""
    outputs = i.heap.get(ref.oid, "outputs")
    oids = captured(i, outputs)[0] if outputs is not None else ()
    places = {(oid, field): numbers(value) for oid in oids if not i.info(oid).summary for field, value in i.heap.fields(oid).items()}
    return {location: numbers for location, numbers in places.items() if numbers[1]}


def numbers(value: Value) -> tuple[int, float]:
    """How many arrays a value is, at least and at most; what objects hold is counted there."""
    least, most = zip(*map(_number, members(value)))
    return min(least), max(most)


def _number(member: Member) -> tuple[int, float]:
    if isinstance(member, Array):
        return 1, 1
    if isinstance(member, Tuple) and member.items is not None:
        parts = [numbers(item) for item in member.items]
        return sum(least for least, _ in parts), sum(most for _, most in parts)
    if isinstance(member, Tuple) and member.element is not None:
        fewest, most = numbers(member.element)
        return (member.least or 0) * fewest, math.inf if most else 0
    return (0, math.inf) if isinstance(member, (Tuple, Unknown, Symbolic)) else (0, 0)


def parts_of(i: Interpreter, trace: Trace, values: Iterable[Value]) -> frozenset[int]:
    """The arrays older than a trace that values in it are computed from as constants; -1 among them: and from what is not known. A captured array
    is a placeholder where it is read through what captures it."""
    found: set[int] = set()
    for _, _, member in each_place(i, values):
        if isinstance(member, Array):
            known = trace.parts.get(member.ident)
            if known is not None:
                found |= known
            elif not trace.holds(member.trace):
                found.add(member.ident if older(i, member.ident) else -1)
        elif isinstance(member, (Unknown, Symbolic)):
            found.add(-1)
    return frozenset(found)


def computes_with(i: Interpreter, trace: Trace, operands: Iterable[Value]) -> None:
    """A trace computes with values, among them what it captures and nobody in sight gives."""
    if trace.captures.symbolic_in:
        given = (_of_array(i, member.identity) for value in operands for member in members(value) if isinstance(member, Symbolic))
        trace.captures.computed.update(identity for identity in given if identity in trace.captures.symbolic_in)


def _of_array(i: Interpreter, identity: Identity) -> Identity:
    """What has an attribute that arrays have, of which something is the value, as `weights` of `weights.T`; itself, if it is none."""
    match identity:
        case (str(name), tuple(owner)) if name.startswith(".") and i.table.entry(f"mlx.core.array{name}") is not None:
            return owner
    return identity


def composed(i: Interpreter, ident: int, operands: Iterable[Value]) -> None:
    """An array of the running trace is computed from operands."""
    trace = i.trace
    if trace is not None:
        trace.parts[ident] = trace.parts.get(ident, frozenset()) | parts_of(i, trace, operands)


def keeping(i: Interpreter, oid: int) -> tuple[str, ...]:
    """The presumption that an object keeps what is written on it: of one that nobody in sight makes, or that is what its uses ask for."""
    known = i.ledger.of(Standing).presumed
    if oid in known:
        return (known[oid],)
    info = i.info(oid)
    named = f"`{info.label}`" if info.label else "the object"
    return (f"{named} keeps what is written on it",) if info.kind == "symbolic" else ()


def covers(i: Interpreter, symbolic: Collection[object], owner: Ref | Identity) -> bool:
    """Whether something symbolic that is captured is a thing that is out of sight, its state, or that of what it is a part of."""
    wholes = {found[1] if isinstance(found, tuple) and len(found) > 1 and found[0] == installed.STATE else found for found in symbolic}
    return bool(wholes) and any(root in wholes for root in installed.around(i, owner))


def is_covered(i: Interpreter, symbolic: Collection[object], oid: int) -> bool:
    """Whether what is captured holds what the program writes on something symbolic."""
    info = i.info(oid)
    return bool(symbolic) and info.kind == "symbolic" and covers(i, symbolic, info.payload)  # type: ignore[arg-type]


ATTRIBUTES: Final = frozenset((".state", *(f".{name}" for name in MODULE_WEIGHTS)))
"""What says of which model or optimizer a captured state is."""


def under_other_names(symbolic: Collection[object]) -> bool:
    """Whether something symbolic is captured that may be the state of any object that is not in sight."""
    return any(not isinstance(found, tuple) or found[0] not in ATTRIBUTES for found in symbolic)


def open_captures(i: Interpreter, trace: Trace, ref: Ref) -> None:
    """Put placeholders for the arrays in captured containers."""
    inputs, outputs = i.heap.get(ref.oid, "inputs"), i.heap.get(ref.oid, "outputs")
    if inputs is not None:
        trace.captures.ins, trace.captures.random_in, trace.captures.symbolic_in = captured(i, inputs)
    if outputs is not None:
        trace.captures.outs, trace.captures.random_out, trace.captures.symbolic_out = captured(i, outputs)
        trace.captures.parted = inputs is not None and _parted(i, trace, inputs, outputs)
        trace.captures.leaves_out = {array.ident for array in arrays_in(i, *map(Ref, trace.captures.outs))}

    def place(member: Member) -> Member:
        if not isinstance(member, Array) or member.trace not in (None, -1):
            return member
        return member.but(trace=trace.number, chain=chain)

    chain = Chain(i.info(ref.oid).payload.captures, "captured")  # type: ignore[attr-defined]
    sources, whole = _sources(i, ref)
    for array in each_part(inputs) if inputs is not None else ():
        if isinstance(array, Array):
            trace.leaves[array.ident] = ("captured", whole, None)  # nothing holds it in which a placeholder could be put
    for oid in trace.captures.ins:
        for field, value in list(i.heap.fields(oid).items()):
            changed = rename(value, place)
            if changed is not value:
                trace.captures.originals[oid, field] = value
                i.heap._put(oid, field, changed)
                what = "module" if i.info(oid).kind == "instance" else "captured"
                for array in each_part(value):
                    if isinstance(array, Array):
                        trace.leaves[array.ident] = (what, sources.get(oid, whole), oid)


def _parted(i: Interpreter, trace: Trace, inputs: Value, outputs: Value) -> bool:
    """Whether outputs= holds an array of inputs= in a container of its own."""
    given = {array.ident for array in arrays_in(i, *map(Ref, trace.captures.ins))}
    given.update(array.ident for array in each_part(inputs) if isinstance(array, Array))
    if not given:
        return False
    own = (oid for oid in trace.captures.outs - trace.captures.ins if tree(i, Ref(oid)))
    held = (value for oid in own for value in i.heap.fields(oid).values())
    return any(isinstance(array, Array) and array.ident in given for value in (outputs, *held) for array in each_part(value))


def _sources(i: Interpreter, ref: Ref) -> tuple[dict[int, events.Where], events.Where | None]:
    """Where the objects that inputs= leads to are named there, each by the first element that leads to it; and inputs= as a whole."""
    fact = journal(i).compiled.get(ref.oid)
    if fact is None or fact.inputs is None:
        return {}, None
    sources = {element.object: element.where for element in fact.inputs.elements if element.object is not None}
    for oid, _, member in each_place(i, list(map(Ref, sources)), referring=True):
        if oid is not None and isinstance(member, Ref):
            sources.setdefault(member.oid, sources[oid])
    return sources, fact.inputs.where


def close_captures(i: Interpreter, trace: Trace, place: Place) -> None:
    """What captured containers hold after the call: results where they are outputs, what they held before where they are inputs alone."""

    def of(member: Member) -> Member:
        if isinstance(member, Array) and member.trace == trace.number:
            return Array(i.ident(place, ("captured", member.ident)), None, member.shape, member.dtype, member.chain)
        return member

    for oid in trace.captures.outs:
        for field, value in list(i.heap.fields(oid).items()):
            changed = rename(value, of)
            if changed is not value:
                if (oid, field) not in trace.written and (oid, field) in trace.captures.originals:
                    changed = trace.captures.originals[oid, field]
                i.heap._put(oid, field, changed)
    for (oid, field), value in trace.captures.originals.items():
        if oid not in trace.captures.outs:
            i.heap._put(oid, field, value)
