"""What an operation does in a shapeless trace, by the measured table: raise at the first call, or go wrong when a size changes later."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.tracing.events import Effect
from mxlint.tracing.machine import Machine
from mxlint.tracing.mlx.table import Shapeless
from mxlint.tracing.values import NO_AXES, Array, Axis, Frame, Place, Value

_Found = tuple[str, frozenset[Axis], str, tuple[str, ...]]
"""One way to fail, the dimensions it depends on, on what else, and the devices without it: see Effect."""
_FIRST: _Found = ("first", NO_AXES, "every", ())


def on(m: Machine) -> bool:
    """Whether the running trace was started by an object with shapeless=True."""
    return m.trace is not None and m.trace.record.shapeless is True


def unsupported(m: Machine, name: str, place: Place, what: str, operand: Value, frame: Frame) -> bool:
    """Note what an operation does in a shapeless trace. Returns whether it raises at the first call in every version."""
    if not on(m):
        return False
    found: dict[_Found, list[str]] = {}
    entries = m.table.entries(name)
    for version, entry in entries.items():
        for effect in _effects(m, name, version, entry.shapeless, operand) if entry.shapeless is not None else ():
            found.setdefault(effect, []).append(version)
    if found:
        chain = operand.chain if isinstance(operand, Array) else None
        effects = tuple(Effect(*effect[:3], tuple(versions), m.table.judged, effect[3]) for effect, versions in found.items())
        axes = frozenset(axis for effect in effects for axis in effect.axes)
        m.emit("unsupported" if _FIRST in found else "unsafe", place, what, frame, chain, axes=axes, effects=effects)
    return _FIRST in found and len(found[_FIRST]) == len(entries)


def _effects(m: Machine, name: str, version: str, measured: Shapeless, operand: Value) -> Iterator[_Found]:
    """The effects in one version."""
    array = operand if isinstance(operand, Array) else None
    rank = len(array.shape) if array is not None and array.shape is not None else None
    facts = measured.at(rank)
    if facts.forward == "raises":
        yield _FIRST
        return
    if array is None or array.traced is not True:
        return
    if facts.unit and name.endswith("squeeze"):
        sizes = frozenset(axis for size in array.shape or () for axis in size.axes) or frozenset((n, None) for n in array.like)
        yield "wrong", sizes, "unit", ()
        return
    harmful = facts.axes if facts.forward == "unsafe" else facts.grad_axes if m.differentiating and facts.grad == "unsafe" else None
    if not harmful or not array.sure:
        return
    bad = {int(axis): outcome for axis, outcome in harmful.items() if outcome not in ("ok", "unknown")}
    if rank == 1 and bad and len(bad) < len(harmful):
        return  # measured with more dimensions, of which this one was sometimes the first and sometimes the last
    every = "one" if "ok" in harmful.values() else "every"
    nameless = array.shape is None and not array.like
    for way in sorted({way for outcome in bad.values() for way in outcome.split("|")}):
        axes: frozenset[Axis] = NO_AXES
        harm = [axis for axis, outcome in bad.items() if way in outcome.split("|")]
        for axis in harm:
            if array.shape is None:
                axes |= {(number, axis) for number in array.like}
            elif -len(array.shape) <= axis < len(array.shape):
                axes |= array.shape[axis].axes
        if axes or nameless:
            yield way, axes, every, m.table.right_on(name, version, rank, harm)


def reduced(m: Machine, what: str, place: Place, operand: Array, axes: list[int], frame: Frame) -> None:
    """A reduction along some of the axes: to MLX one of length 1 is reduced already, and that is decided by the first trace."""
    along = frozenset(axis for number in axes for axis in (operand.shape or ())[number].axes)
    if along and len(axes) < len(operand.shape or ()):
        way = "wrong" if what.startswith("mx.arg") else "crash"
        m.emit(
            "unsafe", place, what, frame, operand.chain, axes=along, effects=(Effect(way, along, "seen", m.table.judged, m.table.judged),)
        )


def at_first_call(m: Machine) -> tuple[Effect, ...]:
    """The effect of what raises at the first call in every version."""
    way, axes, when, _ = _FIRST
    return (Effect(way, axes, when, m.table.judged, m.table.judged),)


def whatever_changes(m: Machine, name: str, axes: frozenset[Axis] = NO_AXES) -> tuple[Effect, ...]:
    """All that a change of any size leads to under a name of the table; nothing where that was not measured."""
    found: dict[str, list[str]] = {}
    for version, entry in m.table.entries(name).items() if m.table.has(name) else ():
        outcomes = (entry.shapeless.axes or {}).values() if entry.shapeless is not None else ()
        for way in {way for outcome in outcomes for way in outcome.split("|")} - {"ok", "unknown"}:
            found.setdefault(way, []).append(version)
    return tuple(Effect(way, axes, "every", tuple(versions), m.table.judged) for way, versions in found.items())
