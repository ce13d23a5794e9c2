"""MX206 frozen-call."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule

VALUES: Final = ("clock", "random", "counter", "input", "network")
"""Where a value comes from that is another one at the next call."""
EFFECTS: Final = ("writes", "sends", "starts", "configures", "silences", "progress")
"""What is done to the world outside of the program, and meant to happen at every call."""

HELP: Final = {"steps": "ask the iterator", "grows": "append"}


def check(program: Program) -> Iterator[Finding]:
    """A value of the outside world, or an effect on it, in a trace: once per trace, then frozen."""
    for compiled in program.log.compiled:
        if program.never_reused(compiled.number):
            continue
        for event in program.events.get(compiled.number, ()):
            if event.kind != "effect" or event.note not in VALUES + EFFECTS:
                continue
            if event.note in EFFECTS:
                message = f"{quoted(event.what)} happens once per trace of {name_of(compiled)}, and at no later call"
                help = "do it in the code that calls the compiled function"
            else:
                message = f"{quoted(event.what)} is called once per trace of {name_of(compiled)}: later calls keep its value"
                help = "call it outside and pass the value as an array argument, or use mx.random with mx.random.state captured"
            yield from finding(RULE, event.where, message, help, compiled, event.modality, within=event.within, calls=event.calls)
        if len(program.calls.get(compiled.number, ())) < 2 or not program.reused(compiled.number):
            continue
        relied = program.relied(compiled.number)
        # What is made of a traced array raises before it is put anywhere: who mends that (MX103) has no number to put there.
        converted = [
            event.where.span for event in program.events.get(compiled.number, ()) if event.kind == "convert" and not event.swallowed
        ]
        for write in program.writes.get(compiled.number, ()):
            does = "steps" if write.how == "steps" else "grows" if write.how == "items" and write.new and not write.placeholder else ""
            if does and write.where in relied and not any(span in write.where.span for span in converted):
                help = f"{HELP[does]} in the code that calls the compiled function"
                message = f"{quoted(write.name)} {does} once per trace of {name_of(compiled)}, and not once per call"
                yield from finding(RULE, write.where, message, help, compiled, write.modality, calls=write.calls)


RULE = Rule("MX206", "frozen-call", "warning", check, after=("MX205", "MX204", "MX202", "MX201", "MX209"), experiment="once")
