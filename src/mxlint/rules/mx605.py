"""MX605 shape-dependent-kernel."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.values import ArrayValue
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A custom kernel whose size comes from an axis that is seen to vary between calls."""
    for compiled in program.log.compiled:
        varying = _varying(program, compiled.number) if compiled.shapeless is False else set()
        for event in program.events.get(compiled.number, ()):
            if event.kind == "kernel" and not varying.isdisjoint(event.axes):
                yield from finding(
                    RULE, event.where,
                    f"{name_of(compiled)} is traced, and this kernel built, once for each shape of its input",
                    "pad the data to a few sizes", compiled, event.modality, within=event.within, calls=event.calls,
                )  # fmt: skip


def _varying(program: Program, number: int) -> set[tuple[int, int | None]]:
    """The (argument, axis) pairs whose length differs between calls in sight; axis None: one of them."""
    lengths: dict[tuple[int, int | None], set[object]] = {}
    varying: set[tuple[int, int | None]] = set()
    for call in program.calls.get(number, ()):
        arrays = [(argument.value, argument.grows) for argument in call.arguments if isinstance(argument.value, ArrayValue)]
        for place, (array, grows) in enumerate(arrays):
            shape = array.shape or ()
            for axis, size in enumerate(shape):
                lengths.setdefault((place, axis), set()).add(size)
            if grows:  # of several lengths that are not known it is one
                varying.add((place, shape.index(None) if shape.count(None) == 1 else None))
    varying |= {pair for pair, sizes in lengths.items() if len(sizes - {None}) > 1}
    return varying | {(place, None) for place, _ in varying}


RULE = Rule("MX605", "shape-dependent-kernel", "warning", check, cost_only=True, experiment="kernel shapes")
