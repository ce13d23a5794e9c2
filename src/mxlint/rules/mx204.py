"""MX204 half-captured-state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mxlint.facts.events import Compiled, Write
from mxlint.finding import Finding
from mxlint.fixes.remedies import Recapture
from mxlint.rules.captures import advice, captured, elements, is_outside, whole, with_the_rest
from mxlint.rules.findings import finding, line, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """State that the body writes is captured in one direction only, or that of a model without that of its optimizer."""
    for compiled in program.log.compiled:
        every = program.writes.get(compiled.number, ())
        writes = [write for write in every if write.placeholder]
        # What is computed from constants alone is put out as well.
        put_out = (write for write in every if not write.placeholder and write.kind == "array" and write.captured_out)
        half = next((found for write in (*writes, *put_out) if (found := _half(compiled, write))), None)
        if half is not None:
            write, message, note = half
            states = whole(captured(compiled))
            yield from finding(
                RULE, compiled.site, message, f"pass inputs={states} and outputs={states}", compiled, write.modality,
                also=[("written here", write.where)], remedy=Recapture(compiled.site.span, elements(compiled), elements(compiled)),
                note=note,
            )  # fmt: skip
            continue
        read = {read.location for read in program.reads.get(compiled.number, ())}
        counted = [write for write in every if write.location in read]
        alone = next((write for write in (*writes, *counted) if _alone(writes, write)), None)
        if alone is not None:
            yield from finding(
                RULE, compiled.site,
                f"the optimizer's state is not captured by {name_of(compiled)}: its {_part(alone)}",
                advice(program, compiled, "capture the optimizer's state, too"), compiled, alone.modality, also=[("updated here", alone.where)],
                remedy=with_the_rest(program, compiled),
                note=f"that of the model is; the moments and the step of what {line(alone.where, compiled.site)} updates are constants of the trace",
            )  # fmt: skip


def _half(compiled: Compiled, write: Write) -> tuple[Write, str, str] | None:
    """A write of state that is captured in one direction, with headline and note."""
    name, where = name_of(compiled), line(write.where, compiled.site)
    if write.captured_in and not write.captured_out:
        note = (
            "it differentiates a module whose state is in inputs= only: the weights are put into it anew, so placeholders stay in it: what needs them next raises"
            if write.how == "differentiate"
            else "it is in inputs= only, so the placeholder stays in it: what needs it next raises"
        )
        return write, f"{name} leaves a placeholder: what {where} writes is not in outputs=", note
    if write.captured_out and not write.captured_in and write.again:
        note = "that is in outputs= only: what is read is the value of the first trace"
        return write, f"every call of {name} starts anew: what {where} reads and writes is not in inputs=", note
    return None


def is_half(compiled: Compiled, write: Write, writes: Sequence[Write]) -> bool:
    """Whether a write is of state that is captured in one direction alone, or of an optimizer whose model is captured."""
    return _half(compiled, write) is not None or _alone(writes, write)


def _part(write: Write) -> str:
    return "step never moves" if write.how == "step" else "moments never move"


def _alone(writes: Sequence[Write], write: Write) -> bool:
    """Whether an optimizer's moments, or a step that its update computes with, lie outside of the captures while weights are updated inside."""
    moments = write.how in ("moments", "step") and is_outside(write)
    return moments and any(other.how == "weights" and other.captured_out and other.where == write.where for other in writes)


RULE = Rule("MX204", "half-captured-state", "error", check, after_in_object=("MX205",), fixes=("unsafe",), experiment="half capture")
