"""MX209 frozen-python-state."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from mxlint.facts.events import Compiled, Event, Stale
from mxlint.facts.values import ContainerValue, ObjectValue
from mxlint.finding import Finding, Span
from mxlint.fixes.remedies import Argument
from mxlint.rules.findings import finding, function_of, line, name_of, quoted
from mxlint.rules.mx202 import leaving
from mxlint.rules.program import Program
from mxlint.rules.rule import Rule
from mxlint.rules.variation import arrays_given, same_dtypes

KINDS = ("python", "mode", "frozen", "object", "symbolic")
"""What is stale in an array is MX201. Of something symbolic nobody says whether it is a number, an object or an array: it is stale in any case."""
COUNT = "count outside and pass the number as an array argument, or keep it as an array in inputs= and outputs="
CHANGE = "change it outside and pass it as an argument, or compile one function for each value"
"""What to do about what the function itself changes."""
KEPT = {"mode": "what train() and eval() set", "frozen": "what freeze() and unfreeze() set", "symbolic": "what it held"}
"""What is kept from the trace: of a module, and of something symbolic."""

ARGUMENT = "pass it as an argument (as an array if it changes often), or compile one function for each value"
HELP = {
    "mode": "compile one function for each mode, and call train() or eval() before the first call of each",
    "frozen": "freeze and unfreeze before the first call, or compile the function again after it",
    "object": "put it there before the first call, or compile one function for each",
}
"""What to do about what no argument can be."""


def check(program: Program) -> Iterator[Finding]:
    """A Python value that the trace read is another one at a later call. All that one object holds are one finding."""
    for alike in _by_site(program):
        found: list[tuple[Compiled, list[Stale]]] = []
        names: set[str] = set()
        for compiled in alike:
            groups: dict[int, list[Stale]] = {}
            left = {(write.location[0], write.where) for write in leaving(program, compiled)}
            for stale in program.stale.get(compiled.number, ()):
                if stale.kind in KINDS and (stale.location[0], stale.written) not in left:  # what leaves placeholders there is the cause
                    groups.setdefault(stale.location[0] if stale.kind in ("python", "object", "symbolic") else -1, []).append(stale)
            for group in groups.values():
                held = {stale.name for stale in group}
                names |= held
                same = next((other for _, other in found if not held.isdisjoint(stale.name for stale in other)), None)
                if same is not None:
                    same += group
                else:
                    found.append((compiled, group))
        for compiled, group in found:
            yield from _finding(program, compiled, group)
        yield from _counted(program, alike, names)


def _by_site(program: Program) -> Iterable[list[Compiled]]:
    """The compiled objects of each site: what it makes in several calls, or on several paths, goes stale for one cause."""
    sites: dict[Span, list[Compiled]] = {}
    for compiled in program.log.compiled:
        sites.setdefault(compiled.site.span, []).append(compiled)
    return sites.values()


def _finding(program: Program, compiled: Compiled, stale: list[Stale]) -> Iterator[Finding]:
    first = min(stale, key=lambda found: (found.modality.steps, bool(found.modality.conditions), found.read.span))
    others = {found.read: found for found in stale if found.read != first.read}
    names = dict.fromkeys(found.name for found in others.values() if found.name != first.name)
    too = f", as {'are' if len(names) > 1 else 'is'} {', '.join(map(quoted, list(names)[:3]))}" if names else ""
    also = [("changed here", first.written), ("called again here", first.call), *(("read here, too", read) for read in others)]
    yield from finding(
        RULE, first.read,
        f"{line(first.call, first.read)} calls {name_of(compiled)} with {_what(first)}",
        HELP.get(first.kind, ARGUMENT), compiled, first.modality,
        calls=first.calls, also=also, cause=first.name, remedy=_remedy(program, compiled, stale),
        note=f"{_kept(first)} is kept from the trace{too}; {line(first.written, first.read)} changes it before that call",
    )  # fmt: skip


def _remedy(program: Program, compiled: Compiled, stale: list[Stale]) -> Argument | None:
    """Numbers and strings can be arguments, where the compiled function itself reads them."""
    if any(one.kind != "python" or one.calls or isinstance(one.before, ObjectValue) for one in stale):
        return None
    places = tuple(dict.fromkeys(one.read.span for one in stale))
    alike = same_dtypes(program, compiled, [value for one in stale for value in (one.before, one.after)])
    return Argument(
        places, compiled.site.span, function_of(compiled), program.calls_of_site(compiled.site), arrays_given(program, compiled), alike
    )


def _kept(stale: Stale) -> str:
    return KEPT.get(stale.kind, "what it held" if isinstance(stale.before, ContainerValue) else "a Python value")


def _what(stale: Stale) -> str:
    if stale.kind == "mode":
        return "a layer in its old mode"
    if stale.kind == "frozen":
        return "the same weights frozen as before"
    return f"the old object {quoted(stale.name)}" if isinstance(stale.before, ObjectValue) else f"the old value of {quoted(stale.name)}"


def _counted(program: Program, alike: Iterable[Compiled], said: Collection[str]) -> Iterator[Finding]:
    """What the traces of a site change themselves and use: one finding for each write, at the first use. What they change outside of the program, and read
    there again, is MX206 alone."""
    groups: dict[object, list[tuple[Compiled, Event]]] = {}
    for compiled in alike:
        happens = {(event.kind, event.where) for event in program.events.get(compiled.number, ())}
        for event in program.events.get(compiled.number, ()):
            if event.kind == "counted" and event.what not in said and ("effect", event.written) not in happens:
                groups.setdefault((event.what, event.written), []).append((compiled, event))
    for group in groups.values():
        compiled, event = min(group, key=lambda found: (found[1].modality.steps, found[1].where.span))
        assert event.written is not None
        used_too = dict.fromkeys(other.where for _, other in group if other.where != event.where)
        is_number = event.note == "number"
        yield from finding(
            RULE, event.where,
            f"{quoted(event.what)} is {'counted' if is_number else 'changed'} once per trace of {name_of(compiled)}: later calls use the same {event.note}",
            COUNT if is_number else CHANGE, compiled, event.modality,
            calls=event.calls, also=[("used here, too", use) for use in used_too],
            note=f"{line(event.written, event.where)} changes it while the function is traced",
        )  # fmt: skip


RULE = Rule(
    "MX209",
    "frozen-python-state",
    "error",
    check,
    after=("MX205", "MX204", "MX202", "MX201"),
    after_around=("MX202",),
    after_in_object=("MX205",),
    fixes=("unsafe",),
    experiment="stale value",
)
