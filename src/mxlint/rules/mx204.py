"""MX204 half-captured-state."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Write
from mxlint.finding import Finding
from mxlint.fixes.remedies import Recapture
from mxlint.rules.captures import advice, captured, elements, whole, with_the_rest
from mxlint.rules.findings import finding, line
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """State that the body writes is captured in one direction only, or that of a model without that of its optimizer."""
    for compiled in program.log.compiled:
        writes = [write for write in program.writes.get(compiled.number, ()) if write.placeholder]
        half = next((found for write in writes if (found := _half(compiled, write))), None)
        if half is not None:
            write, message = half
            states = whole(captured(compiled))
            yield from finding(
                RULE, compiled.site, message, f"pass inputs={states} and outputs={states}", compiled, write.modality,
                also=[("written here", write.where)], remedy=Recapture(compiled.site.span, elements(compiled), elements(compiled)),
            )  # fmt: skip
            continue
        read = {read.location for read in program.reads.get(compiled.number, ())}
        steps = [write for write in program.writes.get(compiled.number, ()) if write.how == "step" and write.location in read]
        alone = next((write for write in (*writes, *steps) if _alone(writes, write)), None)
        if alone is not None:
            yield from finding(
                RULE, compiled.site,
                f"the model's state is captured but not that of the optimizer, which {line(alone.where)} updates: its moments and its step are "
                "constants of the trace",
                advice(program, compiled, "capture the optimizer's state, too"), compiled, alone.modality, also=[("updated here", alone.where)],
                remedy=with_the_rest(program, compiled),
            )  # fmt: skip


def _half(compiled: Compiled, write: Write) -> tuple[Write, str] | None:
    if write.captured_in and not write.captured_out:
        if write.how == "differentiate":
            what = "differentiates a module whose state is in inputs= but not in outputs=: the weights are put into it anew, so placeholders stay in it"
        else:
            what = "writes state that is in inputs= but not in outputs=: the placeholder stays in it"
        return write, f"{line(write.where)} {what}, and the second call raises"
    if write.captured_out and not write.captured_in and write.again:
        return write, (
            f"{line(write.where)} reads and writes state that is in outputs= but not in inputs=: every call starts again from the value of "
            "the first trace"
        )
    return None


def _alone(writes: list[Write], write: Write) -> bool:
    """Whether an optimizer's moments, or a step that its update computes with, lie outside of the captures while weights are updated inside."""
    moments = write.how in ("moments", "step") and not write.captured_in and not write.captured_out
    return moments and any(other.how == "weights" and other.captured_out and other.where == write.where for other in writes)


RULE = Rule("MX204", "half-captured-state", "error", check, after_in_object=("MX205",), fixes=("unsafe",), experiment="half capture")
