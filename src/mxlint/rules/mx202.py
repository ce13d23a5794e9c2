"""MX202 uncaptured-write."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from mxlint.facts.events import PUT_RIGHT, Compiled, Where, Write
from mxlint.finding import Finding
from mxlint.fixes.remedies import Either, Outside, Remedy
from mxlint.rules.captures import advice, with_the_rest
from mxlint.rules.findings import finding, function_of, name_of, quoted
from mxlint.rules.mx204 import is_half
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

UPDATES: Final = ("update", "fill", "weights", "moments", "step")
LEFT: Final = "what is kept there is a placeholder, written once per trace and not once per call"
NOT_CAPTURED: Final = ("items", "content", "name", "property")
"""Ways to write that no capture takes part in: it would hold a list that grows, an array itself, or nothing."""
USED: Final = 'using it later raises "[eval] Attempting to eval an array without a primitive"'


def check(program: Program) -> Iterator[Finding]:
    """A traced value is kept in something older than the trace that no capture takes out."""
    for compiled in program.log.compiled:
        told: dict[object, list[Write]] = {}
        for write in leaving(program, compiled):
            told.setdefault(_cause(write), []).append(write)
        for first, *others in told.values():
            yield from _finding(program, compiled, first, [each.where for each in others])


def leaving(program: Program, compiled: Compiled) -> Iterator[Write]:
    """The writes of an object's traces that leave placeholders in what is older."""
    righted = {at for note in program.notes.get(PUT_RIGHT, ()) if note.object == compiled.number for at in note.also}
    relied = program.relied(compiled.number)
    writes = program.writes.get(compiled.number, ())
    names = {write.where.span.start for write in writes if write.how == "name"}
    used = {write.location for write in writes if write.where in relied}
    filled = {write.location for write in writes if write.how == "fill" and not write.modality.conditions}
    for write in writes:
        if (write.how == "fill" or write.how == "weights" and write.location in filled) and write.location not in used:
            continue  # a module that is filled with arguments before each use, and may be updated then
        if write.where in righted:
            continue  # the caller puts something else there, before anybody looks
        if write.how == "content" and write.where.span.start in names:
            continue  # `name += …` binds the array that it changes: once is enough
        if write.how == "differentiate":
            continue  # it puts the weights back: what put placeholders there, or captured them, is the cause
        if write.placeholder and not write.captured_out and not is_half(compiled, write, writes):
            yield write


def _cause(write: Write) -> object:
    """What lines put into the lists and dicts that one capture would take out they put there for one reason, and so does one line into one of them."""
    if write.how not in ("item", "items"):
        return write
    if write.container:
        return (write.container, write.modality)
    return (write.location[0], write.where.span.filename, write.where.span.start.row, write.modality)


def _finding(program: Program, compiled: Compiled, write: Write, others: Sequence[Where]) -> Iterator[Finding]:
    if write.how in UPDATES:
        message = f"{quoted(write.where.text)} leaves placeholders in the model instead of weights"
        note = f"it changes state that is not in outputs= of {name_of(compiled)}, so that what the trace computes never gets there"
        help = advice(program, compiled, "give the container that it changes, such as model.state, to inputs= and to outputs=")
    else:
        left = "leaves a placeholder behind" if write.how == "items" else "is left with a placeholder"
        message = f"{quoted(write.name)} {left} when {name_of(compiled)} is traced"
        note = f"it is older than the trace: {LEFT}; {USED}"
        help = "return the value and store it outside the compiled function, or pass the container as outputs="
        if write.how == "property":
            help = "make it a plain property: what a cached one keeps is no part of the module's state, so no capture takes it out"
    remedy = _remedy(program, compiled, write)
    also = [("and here", where) for where in dict.fromkeys(others) if where != write.where]
    yield from finding(RULE, write.where, message, help, compiled, write.modality, calls=write.calls, also=also, remedy=remedy, note=note)


def _remedy(program: Program, compiled: Compiled, write: Write) -> Remedy:
    """Capture the containers that are written, both ways if the trace reads what lies there; else write after the call."""
    calls, others = program.calls_of_site(compiled.site), program.leaving(compiled.number)
    after = Outside(write.where.span, compiled.site.span, function_of(compiled), calls, others)
    writes = [one for one in program.writes.get(compiled.number, ()) if one.placeholder and not one.captured_out]
    if not write.container or any(one.how in NOT_CAPTURED for one in writes):
        return after
    also = tuple(dict.fromkeys((one.where.span, one.container) for one in writes if one.container))
    recapture = with_the_rest(program, compiled).but(also=also)
    read = {read.location for read in program.reads.get(compiled.number, ())} & {one.location for one in writes}
    if compiled.inputs is None and not read and not recapture.random and write.how not in UPDATES:
        recapture = recapture.but(inputs=None)
    return Either((recapture, after))


RULE = Rule(
    "MX202",
    "uncaptured-write",
    "error",
    check,
    after=("MX503",),
    after_in_object=("MX205",),
    fixes=("unsafe",),
    experiment="lost write",
)
