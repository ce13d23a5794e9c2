"""MX205 dead-capture."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import Compiled, Modality, Where
from mxlint.finding import Finding
from mxlint.fixes.remedies import Recapture, Refill
from mxlint.rules.captures import is_outside, with_the_rest
from mxlint.rules.dead import IGNORED, why_dead
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

LIVE = "capture the live container: model.state, optimizer.state, mx.random.state, or one list or dict that the body reads and writes"

NAMED = {"optimizer": "the optimizer", "object": "the object", "generator": "the generator", "set": "the set"}
"""What a captured container holds in vain, by its kind."""


def check(program: Program) -> Iterator[Finding]:
    """What inputs= or outputs= is given holds no array that the body reads, or not any more."""
    for compiled in program.log.compiled:
        dead = [*_dead(program, compiled)]
        yield from dead or [*_ignored(program, compiled)] or _own_name(program, compiled)
        if not dead and any(trace.parted for trace in program.traces.get(compiled.number, ())):
            assert compiled.outputs is not None
            yield from finding(
                RULE, compiled.outputs.where,
                f"the first call of {name_of(compiled)} raises: outputs= is another container than inputs=",
                "give one and the same container to inputs= and outputs=", compiled, Modality(),
                note='both hold the same arrays: they are swapped for placeholders in one and returned from the other, and MLX says "uncaptured inputs"',
            )  # fmt: skip
        for stale in program.stale.get(compiled.number, ()):
            if stale.kind == "captured":
                yield from finding(
                    RULE, stale.written,
                    f"{name_of(compiled)} does not see what is bound here: it keeps the container it has captured",
                    "change the content of the captured container in place, or compile again after this", compiled, stale.modality,
                    also=[("called again here", stale.call)], remedy=Refill(stale.written.span), note="nothing updates that one any more",
                )  # fmt: skip
    for note in program.notes.get("random state assigned", ()):
        message = "binding mx.random.state anew changes nothing: the generator goes on with the old one"
        if note.what:
            message = "this raises TypeError: from MLX 0.32.1 on nothing can be put into mx.random.state"
        yield from finding(
            RULE, note.where, message, "call mx.random.seed, or give an explicit key= that is an argument", None, note.modality,
            note="" if note.what else "so do the compiled functions that capture it",
        )  # fmt: skip


def _dead(program: Program, compiled: Compiled) -> Iterator[Finding]:
    reads, writes = program.reads.get(compiled.number, ()), program.writes.get(compiled.number, ())
    lives = any(read.captured for read in reads) and any(write.how == "update" for write in writes)
    through = {read.location[0] for read in reads if read.captured}
    for name, capture in (("inputs", compiled.inputs), ("outputs", compiled.outputs)):
        if capture is None:
            continue
        reason = why_dead(capture, lives, through)
        if reason is not None:
            yield from finding(
                RULE, capture.where,
                f"{name_of(compiled)} sees no later update: {name}= is given {reason[0]}",
                LIVE, compiled, Modality(), remedy=_live(compiled),
                note=f'{reason[1]}: the function goes on with the old arrays, or its first call raises "uncaptured inputs"',
            )  # fmt: skip
            return


def _ignored(program: Program, compiled: Compiled) -> Iterator[Finding]:
    """A captured container holds something into which MLX does not look, and there lies what the body writes or what changes between two calls."""
    changed = [*_changed(program, compiled)]
    for capture in (compiled.inputs, compiled.outputs):
        for element in capture.elements if capture is not None else ():
            for ignored in element.ignored:
                found = next((change for change in changed if change[0] in ignored.objects), None)
                if found is not None:
                    _, label, where, modality = found
                    name, what = quoted(element.where.text), NAMED[ignored.kind]
                    yield from finding(
                        RULE, element.where, f"{name_of(compiled)} sees nothing of {what} that {name} holds", LIVE, compiled, modality,
                        also=[(label, where)], remedy=with_the_rest(program, compiled),
                        note=f"{IGNORED}: what lies there is a constant of the trace",
                    )  # fmt: skip
                    return


def _changed(program: Program, compiled: Compiled) -> Iterator[tuple[int, str, Where, Modality]]:
    """The objects outside of all captures that the body changes, as far as it reads what it writes, and those that are changed between two calls."""
    read = {read.location for read in program.reads.get(compiled.number, ())}
    for write in program.writes.get(compiled.number, ()):
        if is_outside(write) and (write.placeholder or write.location in read):
            yield write.location[0], "written here", write.where, write.modality
    for stale in program.stale.get(compiled.number, ()):
        yield stale.location[0], "written here", stale.written, stale.modality


def _live(compiled: Compiled) -> Recapture:
    """Capture the live containers behind what is captured."""
    inputs, outputs = (None if capture is None else capture.elements for capture in (compiled.inputs, compiled.outputs))
    return Recapture(compiled.site.span, inputs, outputs)


def _own_name(program: Program, compiled: Compiled) -> Iterator[Finding]:
    reads = program.reads.get(compiled.number, ())
    through = {read.location[0] for read in reads if read.kind == "array"}
    inputs = compiled.inputs
    alone = inputs.where if inputs is not None and any(element.kind == "array" for element in inputs.elements) else None
    for read in reads:
        captured = read.alias == "captured" or (read.alias, read.source) == ("operand", alone)
        if captured and read.source is not None and read.holder not in through:
            yield from finding(
                RULE, read.source,
                f"the first call of {name_of(compiled)} raises: captured, {quoted(read.name)} is read by its own name",
                'read it through the captured container (state[0], state["w"])', compiled, read.modality, also=[("read here", read.where)],
                note='MLX says "uncaptured inputs"; and a new array that is bound to the name is never seen',
            )  # fmt: skip
            return


RULE = Rule("MX205", "dead-capture", "error", check, fixes=("unsafe",), experiment="dead capture")
