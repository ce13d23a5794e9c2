"""What the calls in sight hand to one compiled object: numbers and shapes that never stop changing, and trees that the cache confuses."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.finding import Finding
from mxlint.fixes.remedies import Wrap
from mxlint.rules.report import finding, line, name_of, quoted, span
from mxlint.tracing.events import Call, Record
from mxlint.tracing.presume import target_of
from mxlint.tracing.values import Place, Scalar

FEW = 4
"""So many numbers that are written out in a loop are so many traces, and that is all."""


def varying(record: Record) -> Iterator[Finding]:
    """MX303 and MX304: arguments that differ from call to call without bound."""
    by_place: dict[Place, list[Call]] = {}
    for call in record.calls:
        by_place.setdefault(call.place, []).append(call)
    for calls in by_place.values():
        loop = next((call.loop for call in calls if call.loop is not None and call.loop.repeated), None)
        if loop is None:
            continue
        few = FEW if loop.literal and record.shapeless is False else 0  # who asks for shapeless=True wants one trace
        for parameter, (place, value) in calls[0].scalars.items():
            values = [call.scalars[parameter][1] for call in calls if parameter in call.scalars]
            if value.kind in ("int", "float", "number") and len(values) > few and _many(values, exact=loop.exact):
                yield finding(
                    "MX303", place,
                    f"{quoted(place.text)} is a Python number that changes from call to call: {name_of(record)} is traced and compiled again "
                    "for every value, and each trace is kept for ever",
                    f"pass an array: mx.array({place.text})", record, remedy=_wrap(record, place),
                )  # fmt: skip
        if record.shapeless is False:
            for parameter, (place, shape) in calls[0].arrays.items():
                shapes = [call.arrays[parameter][1] for call in calls if parameter in call.arrays]
                if shape is not None and not loop.literal and _growing(shapes, exact=loop.exact):
                    yield finding(
                        "MX304", place,
                        f"the shape of {quoted(place.text)} changes from call to call: {name_of(record)} is traced and compiled again "
                        "for every shape, and each trace is kept for ever",
                        "pad to a few sizes, or keep the data in an array of fixed size; shapeless=True where MX4 has nothing against it",
                        record,
                    )  # fmt: skip


def _wrap(record: Record, argument: Place) -> Wrap | None:
    target, bound, _ = target_of(record.function)
    if target is None or target.node is None:
        return None
    return Wrap(span(argument), target.source.span(target.node.start, target.node.end), bound)


def _many(values: list[Scalar], *, exact: bool) -> bool:
    """Whether a number is seen to change without bound: round by round, three values are many; otherwise a first and a later one."""
    if any(value.few for value in values):
        return False
    if any(value.varies for value in values):
        return True
    known = {value.content for value in values if value.known}
    return len(known) >= (3 if exact else 2) and len(known) == len(values)


def _growing(shapes: list[tuple[object, ...] | None], *, exact: bool) -> bool:
    if any(shape is not None and "varies" in shape for shape in shapes):
        return True
    known = {shape for shape in shapes if shape is not None and None not in shape}
    return len(known) >= (3 if exact else 2) and len(known) == len(shapes)


def ambiguous(record: Record) -> Iterator[Finding]:
    """MX506: two calls whose argument trees differ for Python and are the same for the cache."""
    seen: dict[object, Call] = {}
    for call in record.calls:
        if call.flat is None:
            continue
        first = seen.setdefault(call.flat, call)
        if first is not call and first.exact != call.exact and first.epoch == call.epoch:
            yield finding(
                "MX506", call.place,
                f"the cache of {name_of(record)} cannot tell this call from {'an earlier one' if first.place == call.place else 'that in ' + line(first.place)}: True and 1, 0 and 0.0, and "
                "differently nested lists and dicts have one key, so this call runs the other one's trace",
                "give both calls the same form of arguments, or compile two functions", record, also=[("the other call", first.place)],
            )  # fmt: skip
            return
