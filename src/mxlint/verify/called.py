"""A function that nobody calls in sight is called with arguments that were looked for: in place, and where that does not go, with stand-ins for
what cannot be had here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from mxlint.finding import Finding, Level
from mxlint.verify.absence import decided, lacking, named
from mxlint.verify.bench import Bench
from mxlint.verify.chain import in_replaced
from mxlint.verify.comparison import Claim, Watched
from mxlint.verify.endings import unusable
from mxlint.verify.factory import reduced
from mxlint.verify.modules import Module
from mxlint.verify.programs import job_of, rows_of_its_own
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.runner import Job, Outcome
from mxlint.verify.slicing import Slice, cut
from mxlint.verify.targets import DRIVEN, order_for, order_for_caller, trees
from mxlint.verify.trial import long_enough, tried
from mxlint.verify.witness import PLACE, witness

MOST_CALLERS = 3
"""Functions that hold a call in sight which the program did not make, and that are called for it."""
STAND_IN_USED = "StandInUsed: "
"""How the child's account of an exception begins, where the value of something that is not installed was needed."""
MOST_GUESSES = 3
"""So many parameters that may or may not be arrays are tried as something else."""


@dataclass(frozen=True, slots=True)
class Called:
    """What came of calling it. `run`: the run that the answer is about; `level`: None if nothing could be called; `hangs`: the modules that
    it stands in do not come to their end."""

    answer: Answer
    level: Level | None
    run: Mapping[str, Any] | None
    job: Job | None = None
    hangs: bool = False


def by_callers(
    bench: Bench, finding: Finding, claim: Claim, protocol: Protocol, places: Sequence[Watched], keep: Callable[[Job, str], None]
) -> Called | None:
    """The answer of the first function that one of the places stands in and that shows something once it is called itself; None where none
    does. For a claim about sizes that no rule makes none is called: nobody says that those which would be made up come."""
    done: set[tuple[str, str, Any]] = set()
    for place, (row, _), _ in places if claim.by_rule or not protocol.sizes else ():
        module = bench.modules.by_path.get(place)
        order = order_for_caller(module, row) if module is not None else None
        if module is None or order is None or order["problem"] is not None or (place, order["name"], order["method"]) in done:
            continue
        done.add((place, order["name"], order["method"]))
        rows = rows_of_its_own(claim)
        rows.setdefault(place, set()).add(row)
        piece = cut(bench.modules, module, rows, {}, stateful=False, driven=False, reads=protocol.lazy)
        # Where a rule is about calls that differ from each other, to call the caller again would bring the same ones back.
        calls = {"calls": 1} if protocol.survey else {}
        found = _attempt(bench, finding, claim, protocol, piece, {**order, **_common(claim, protocol, piece), **calls}, keep)
        if found.answer.word == "seen":
            return found
        if len(done) == MOST_CALLERS:
            break
    return None


def _common(claim: Claim, protocol: Protocol, piece: Slice) -> dict[str, Any]:
    """What every order says: what is to be reached, where something is compiled, and how arguments are to be."""
    return {
        "aim": [claim.place, claim.start[0], claim.end[0]],
        "site": list(next(iter(claim.sites), (claim.place, claim.start[0], claim.end[0]))),
        "trees": trees(piece.files.values()),
        "raises": protocol.raises,
        "varies": protocol.sizes,
    }


def called(
    bench: Bench, finding: Finding, claim: Claim, named: Mapping[str, str], protocol: Protocol, keep: Callable[[Job, str], None]
) -> Called | None:
    """The answer of the first level that has one, else that of the last; None where nothing says what to call."""
    place, _, _ = next(iter(claim.sites), (claim.place, claim.start[0], claim.end[0]))
    module = bench.modules.by_path[place]
    order = order_for(claim, module, varied=bool(protocol.sizes))
    if order is None:
        return None
    if order["problem"] is not None:
        return Called(Answer("unclear", order["problem"]), None, None)
    piece = cut(bench.modules, module, rows_of_its_own(claim), {}, stateful=False, driven=False, reads=protocol.lazy)
    order |= _common(claim, protocol, piece)
    found = _attempt(bench, finding, claim, protocol, piece, order, keep)
    if found.answer.word != "unclear" or found.hangs:
        return found
    second = _attempt(bench, finding, claim, protocol, standing_in(piece, claim), {**order, "stand_ins": True}, keep)
    return second if second.answer.word != "unclear" or (found.run is None and second.run is not None) else found


def standing_in(piece: Slice, claim: Claim) -> Slice:
    """A program whose functions do no more than lead to what is compiled in them, with room for stand-ins."""
    rows: dict[str, list[int]] = {}
    for path, row, _ in claim.sites:
        rows.setdefault(path, []).append(row)
    return replace(piece, files={path: reduced(text, rows.get(path, ())) for path, text in piece.files.items()})


def _attempt(
    bench: Bench, finding: Finding, claim: Claim, protocol: Protocol, piece: Slice, order: dict[str, Any], keep: Callable[[Job, str], None]
) -> Called:
    """One look for arguments, and the calls with what it found."""
    job = job_of(bench, piece, claim, protocol, order)
    plain = bench.run(job, "plain")
    recipe = plain.answer.get("recipe") if plain.answer is not None else None
    if recipe is None or plain.answer is None:
        return Called(Answer("unclear", _nothing_found(plain)), None, None, hangs=plain.stopped == "time")
    made = long_enough(bench, Job(job.files, {**job.settings, "recipe": recipe}), claim, protocol)
    keep(made, "-called" if not order["stand_ins"] else "-stand-in")
    answer, run, _ = tried(bench, made, claim, protocol)
    answer = decided(bench, finding, answer, run)
    level: Level = "stand-in" if run is not None and (run.get("stand_ins") or run.get("replaced")) else "in-place"
    if answer.word == "seen" and level == "stand-in" and run is not None:
        hit = in_replaced(finding, bench.sources, run.get("replaced", {}))
        if hit is not None:
            answer = Answer("unclear", f"it happens with a stand-in for `{hit}`, on which the finding depends: only your `{hit}` can tell")
    if answer.word == "seen" and protocol.kinds:
        answer = _unless_guessed(bench, claim, protocol, job, plain.answer["guessed"], answer)
    if answer.word == "contradicted":  # other arguments might have shown it
        answer = Answer("unclear", f"{answer.reason}, but other arguments may")
    if answer.evidence is not None:
        why = f"called with {plain.answer['inputs'] or 'no arguments'}, made up"
        stand_ins = ", ".join(f"`{name}`" for name in (run or {}).get("replaced", {}))
        note = "; ".join(part for part in (answer.evidence.note, why, stand_ins and f"stand-ins for {stand_ins}") if part)
        answer = replace(answer, evidence=replace(answer.evidence, note=note))
    return Called(answer, level, run, made)


def _nothing_found(outcome: Outcome) -> str:
    """Why nothing was called, in words that say what to do."""
    answer = outcome.answer
    advice = "a comment `# mxlint: inputs(x=float32[8,16], …)` above the function says what to call it with"
    if answer is None:
        why = unusable(outcome) if outcome.stopped not in (None, "time") else None
        return why or f"the search for arguments did not come to an end; {advice}"
    refused = next((text for text in (answer.get("detail"), answer.get("problem")) if text and text.startswith(STAND_IN_USED)), None)
    if refused is not None:
        return str(refused).removeprefix(STAND_IN_USED)
    if (part := named([str(answer.get("detail")), str(answer.get("problem"))])) is not None:
        return lacking(answer, part)
    if answer.get("status") in ("raised", "exit"):
        return f"the modules that it needs do not run here: {answer.get('detail')}"
    problem = answer.get("problem") or ""
    return f"no arguments were found with which the uncompiled function runs{f' (it came furthest with {problem})' if problem else ''}; {advice}"


def _unless_guessed(bench: Bench, claim: Claim, protocol: Protocol, job: Job, guessed: list[str], answer: Answer) -> Answer:
    """An argument that the search took for an array may be a number in the program."""
    for name in guessed[:MOST_GUESSES]:
        other = Job(job.files, {**job.settings, "drive": {**job.settings["drive"], "scalars": [name]}})
        found = bench.run(other, "plain").answer
        if found is not None and found.get("recipe"):
            second, _, _ = tried(bench, Job(job.files, {**other.settings, "recipe": found["recipe"]}), claim, protocol)
            if second.word != "seen":
                return Answer("unclear", f"it depends on whether `{name}` is an array: an annotation or a call in sight would tell")
    return answer


def witnessed(bench: Bench, claim: Claim, protocol: Protocol, keep: Callable[[Job, str], None]) -> Called | None:
    """What the construct does by itself, if that can be shown."""
    module = bench.modules.by_path[claim.place]
    found = witness(claim, module, protocol.witness) if protocol.witness is not None else None
    if found is None:
        return None
    order = None
    if found.driven:
        order = {
            **DRIVEN,
            "name": "witness",
            "aim": [PLACE, found.claim.start[0], found.claim.end[0]],
            "site": list(found.claim.sites[0]),
            "varies": protocol.sizes,
        }
    alone = Slice(Module(module.source, PLACE, ("",), []), ("",), {PLACE: found.text}, {}, driven=True, outside=frozenset())
    job = job_of(bench, alone, found.claim, protocol, order)
    if order is not None:
        plain = bench.run(job, "plain")
        if plain.answer is None or plain.answer.get("recipe") is None:
            return None
        job = Job(job.files, {**job.settings, "recipe": plain.answer["recipe"]})
    keep(job, "-witness")
    answer, run, _ = tried(bench, job, found.claim, protocol)
    if answer.word != "seen" or answer.evidence is None:
        return None
    placeholders = f", with placeholders for {', '.join(found.parameters)}" if found.parameters else ""
    evidence = replace(answer.evidence, note=f"seen of `{found.claim.text}` by itself{placeholders}")
    return Called(replace(answer, evidence=evidence), "witness", run, job)
