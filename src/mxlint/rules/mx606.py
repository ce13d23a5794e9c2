"""MX606 compiled-across-threads."""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.facts.events import LEFT_UNEVALUATED, Compiled, Modality, Note
from mxlint.finding import Finding
from mxlint.rules.captures import elements
from mxlint.rules.findings import finding, line, name_of
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """One compiled function called from several threads, or state of it that another thread asks for."""
    said: set[int] = set()
    for compiled in program.log.compiled:
        calls = program.calls.get(compiled.number, ())
        threads = {call.thread_number: call.thread for call in calls if call.thread is not None}
        if not threads or len(threads) < 2 and all(call.thread is not None for call in calls):
            continue
        first = next(iter(threads.values()))
        state = any(element.kind != "random" for element in elements(compiled))  # the random state is each thread's own
        what = (
            f"threads that call {name_of(compiled)} get placeholders of one another, or raise"
            if state
            else f"every thread that calls {name_of(compiled)} traces it anew"
        )
        said.add(compiled.number)
        yield from finding(
            RULE, first, what,
            "call it from one thread, or give each thread a function and state of its own", compiled, Modality(), severity=None if state else "info",
            note="each thread traces anew, and the captured arrays of one are placeholders or belong to the stream of another" if state else "",
        )  # fmt: skip
    for note, compiled in program.noted(LEFT_UNEVALUATED):
        if compiled.number not in said:
            said.add(compiled.number)
            yield from _left(compiled, note)


def _left(compiled: Compiled, note: Note) -> Iterator[Finding]:
    """A thread asks for state that another one has not evaluated."""
    asked = note.also[0]
    yield from finding(
        RULE, note.where,
        f"{line(asked, note.where)} asks for state that this thread leaves unevaluated, and raises",
        "evaluate the state where the function is called, as by mx.eval(state)", compiled, note.modality, also=[("asked for here", asked)],
        note=f"what {name_of(compiled)} puts into outputs= belongs to a stream of the thread that calls it until it is evaluated; its result alone is not enough",
    )  # fmt: skip


RULE = Rule("MX606", "compiled-across-threads", "error", check, experiment="threads")
