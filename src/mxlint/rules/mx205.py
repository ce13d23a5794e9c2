"""MX205 dead-capture."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Modality
from mxlint.finding import Finding
from mxlint.fixes.remedies import Recapture, Refill
from mxlint.rules.dead import why_dead
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

LIVE = "capture the live container: model.state, optimizer.state, mx.random.state, or one list or dict that the body reads and writes"
OWN_NAME = 'the first call raises "uncaptured inputs", and a new array bound to the name is never seen'


def check(program: Program) -> Iterator[Finding]:
    """What inputs= or outputs= is given holds no array that the body reads, or not any more."""
    for compiled in program.log.compiled:
        dead = [*_dead(program, compiled)]
        yield from dead
        yield from _own_name(program, compiled)
        if not dead and compiled.outputs is not None and any(trace.parted for trace in program.traces.get(compiled.number, ())):
            yield from finding(
                RULE, compiled.outputs.where,
                f"inputs= and outputs= hold the same arrays in two containers: {name_of(compiled)} swaps them for placeholders in one and returns them "
                'from the other, so the first call raises "uncaptured inputs"',
                "give one and the same container to inputs= and outputs=", compiled, Modality(),
            )  # fmt: skip
        for stale in program.stale.get(compiled.number, ()):
            if stale.kind == "captured" and stale.written is not None:
                yield from finding(
                    RULE, stale.written,
                    f"this binds the captured container anew: {name_of(compiled)} keeps the old one, which nothing updates any more",
                    "change the content of the captured container in place, or compile again after this", compiled, stale.modality,
                    also=[("called again here", stale.call)], remedy=Refill(stale.written.span),
                )  # fmt: skip
    for note in program.notes.get("random state assigned", ()):
        message = "mx.random.state is bound anew: the generator and the compiled functions that capture it go on with the old one"
        if note.what:
            message = "from MLX 0.32.1 on nothing can be put into mx.random.state: this raises a TypeError"
        yield from finding(
            RULE, note.where, message, "call mx.random.seed, or give an explicit key= that is an argument", None, note.modality
        )


def _dead(program: Program, compiled: Compiled) -> Iterator[Finding]:
    put_in = any(write.how == "update" for write in program.writes.get(compiled.number, ()))
    for name, capture in (("inputs", compiled.inputs), ("outputs", compiled.outputs)):
        reason = why_dead(capture, put_in) if capture is not None else None
        if capture is not None and reason is not None:
            yield from finding(
                RULE, capture.where,
                f"{name}= is given {reason}: MLX looks for arrays in that object only, and later updates replace the arrays elsewhere, "
                f'so {name_of(compiled)} goes on with the old ones or raises "uncaptured inputs" at the first call',
                LIVE, compiled, Modality(), remedy=_live(compiled),
            )  # fmt: skip
            return


def _live(compiled: Compiled) -> Recapture:
    """Capture the live containers behind what is captured."""
    inputs, outputs = (None if capture is None else capture.elements for capture in (compiled.inputs, compiled.outputs))
    return Recapture(compiled.site.span, inputs, outputs)


def _own_name(program: Program, compiled: Compiled) -> Iterator[Finding]:
    reads = program.reads.get(compiled.number, ())
    through = {read.location[0] for read in reads if read.captured and read.kind == "array"}
    for read in reads:
        if read.alias == "captured" and read.source is not None and read.holder not in through:
            yield from finding(
                RULE, read.source,
                f"the captured container holds {quoted(read.name)}, but the body reads it by its own name: {OWN_NAME}",
                'read it through the captured container (state[0], state["w"])', compiled, read.modality, also=[("read here", read.where)],
            )  # fmt: skip
            return


RULE = Rule("MX205", "dead-capture", "error", check, fixes=("unsafe",), experiment="dead capture")
