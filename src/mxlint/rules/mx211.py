"""MX211 growing-capture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from mxlint.facts.events import Where
from mxlint.finding import Finding
from mxlint.rules.findings import finding, name_of, quoted
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule


def check(program: Program) -> Iterator[Finding]:
    """A captured container gets a new item in the trace, and a second call is in sight; or it gets one from outside, and the next call fills too many."""
    for fact, compiled in program.noted("outgrown"):
        yield from finding(
            RULE, fact.where, f"the next call of {name_of(compiled)} crashes: outputs= leads to more arrays than its trace gives",
            "put all arrays into the container before the first call, or capture it with inputs= as well", compiled, fact.modality, severity="error",
            also=[("called again here", fact.also[0])], note="one is put in here, and MLX fills all that it finds: it reads behind the last result",
        )  # fmt: skip
    for compiled in program.log.compiled:
        if len(program.calls.get(compiled.number, ())) < 2:
            continue
        writes = [write for write in program.writes.get(compiled.number, ()) if write.new and write.placeholder and write.captured_out]
        # A key that each trace makes anew, or a list: a fixed set of keys does not grow.
        keys: dict[Where, dict[int, set[object]]] = {}
        for write in writes:
            keys.setdefault(write.where, {}).setdefault(write.trace, set()).add(write.location)
        for write in writes:
            if write.how != "items" and (write.how != "item" or _are_alike(keys[write.where].values())):
                continue
            if write.captured_in:
                what = f"{quoted(write.name)} grows: every call of {name_of(compiled)} is traced anew"
                note = "it is captured, so that each call finds one array more among its inputs"
            elif program.never_reused(compiled.number):
                continue
            else:
                what = f"{quoted(write.name)} does not grow: only the trace of {name_of(compiled)} appends to it"
                note = "it is captured: later calls overwrite the items that are there"
            yield from finding(
                RULE, write.where, what,
                "return the value and append it outside, or use a container of fixed length", compiled, write.modality, calls=write.calls, note=note,
            )  # fmt: skip


def _are_alike(keys: Iterable[set[object]]) -> bool:
    """Whether all traces put something under the same keys."""
    first, *others = keys
    return all(other == first for other in others)


RULE = Rule("MX211", "growing-capture", "warning", check, after_in_object=("MX205", "MX204"), experiment="growth")
