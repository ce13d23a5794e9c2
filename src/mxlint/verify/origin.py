"""Whether what was seen comes from the flagged expression, and not from what else the function does: the program is run with that one changed.

Each rule says how. Where an expression does harm as a constant of the trace, the uncompiled program must go wrong with that constant in its
place; where it does by what it is compiled to, so it must by itself; where it acts on something, nothing of it must be seen without it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from mxlint.verify.bench import Bench
from mxlint.verify.comparison import Claim, Comparison, Run, at_site, only_arrays, same
from mxlint.verify.endings import died, unusable
from mxlint.verify.protocols.answer import Answer, Protocol, says, short
from mxlint.verify.protocols.comparing import CALL, difference, differing, ended, files_differ, new_leaks, repeated
from mxlint.verify.protocols.shapeless import SHAPES
from mxlint.verify.protocols.state import CLOSED
from mxlint.verify.runner import Job
from mxlint.verify.steady import masked, quieted
from mxlint.verify.variants import (
    BLANK,
    Probed,
    alone,
    assigned,
    blanked,
    detached,
    in_display,
    probed,
    probed_together,
    replaced,
    shares_row,
    tied,
    without,
)

Found = str | None
"""Why it cannot be said to come from there; None if it does."""
WHOLE = 0
"""The number of an expression among its parts, where it is the only one."""
NOWHERE = "it cannot be told whether what was seen comes from the flagged expression"


def elsewhere(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Why what was seen may not come from the flagged expression."""
    if protocol.origin is None or comparison.crashed is not None:
        return None
    return protocol.origin(bench, job, comparison, protocol, answer)


# -- constants of the trace --------------------------------------------------------------------------------------------


def _constants(run: Run) -> dict[int, bool]:
    """The parts of a probed expression that are constants of the trace, and whether each was seen live. A probe of draws says neither."""
    return {int(number): known.get("live", False) for number, known in run["probes"].items() if known.get("constant")}


def constant(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Parts of the expression are constants of the trace, and with these constants the uncompiled program does something else, in the results
    of calls if it was seen in those; where its
    names are not known to be those of changing state, just what it does compiled."""
    job, probes = probed_together(job, comparison.claim.group)
    seen = _answer(bench, job, "real") if probes else None
    if seen is None:
        return NOWHERE
    constants = _constants(seen)
    parts = [part for probe in probes for part in probe.largest(constants)]
    if not parts:
        return "nothing in the flagged expression is a constant of the trace"
    run = _holding(bench, job, comparison, parts, [number for number in parts if constants[number]])
    if run is None:
        return "what is read here was not seen to change"
    held = replace(comparison, real=run)
    in_calls = answer.evidence is not None and answer.evidence.observed.startswith(CALL)
    matters = any(differing(held)) if in_calls else differs(held)
    if matters and (not answer.held or _reproduced(comparison, run)) or _together(bench, job, probes, comparison, parts, constants):
        return None
    if not matters:
        return "the results differ, but not for the flagged expression: held at its first value it makes no difference"
    return "the results differ, but not as they do if the flagged expression is held at its first value"


def _reproduced(comparison: Comparison, run: Mapping[str, Any]) -> bool:
    """Whether a run of the uncompiled program does what the compiled one does."""
    held = replace(comparison, plain=quieted(run, comparison.plain))
    return not (difference(held) or ended(held))


def _together(
    bench: Bench, job: Job, probes: Sequence[Probed], comparison: Comparison, parts: list[int], constants: Mapping[int, bool]
) -> bool:
    """Whether the uncompiled program does what the compiled one does once the flagged expressions and those of the other findings of
    this compiled function keep their values of the trace, and does not if only those of the others do."""
    first, others = sum(len(probe.within) for probe in probes), []
    mine = comparison.claim.group
    for claim in bench.claims:
        if not claim.lasting or claim.sites != comparison.claim.sites:
            continue
        for other in claim.group:
            more = probed(job, other, first) if not any(shares_row(other, one) for one in mine) else None
            if more is not None:
                others.append(more)
                job, first = more.job, first + len(more.within)
    seen = _answer(bench, job, "real") if others else None
    if seen is None:
        return False
    known = _constants(seen) | dict(constants)
    rest = [part for more in others for part in more.largest(known)]
    runs = [_holding(bench, job, comparison, held, [number for number in held if known[number]]) for held in ([*parts, *rest], rest)]
    return runs[0] is not None and _reproduced(comparison, runs[0]) and (runs[1] is None or not _reproduced(comparison, runs[1]))


def matters(bench: Bench, job: Job, comparison: Comparison) -> bool:
    """Whether what is flagged changes between calls, so that the uncompiled program goes wrong if it is held at its first value."""
    job, probes = probed_together(job, comparison.claim.group)
    run = _holding(bench, job, comparison, [probe.whole for probe in probes]) if probes else None
    return run is not None and differs(replace(comparison, real=run))


def evaluated_once(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Evaluated in the calls that are traced only, the expression makes the uncompiled program do something else."""
    probe = probed(job, comparison.claim)
    run = _holding(bench, probe.job, comparison, [WHOLE]) if probe is not None else None
    if run is None:
        return gone(bench, job, comparison, protocol, answer)
    if differs(replace(comparison, real=run)) or repeated(comparison, run) is not None:
        return None
    return "the results differ, but not for what happens here: done once it makes no difference"


def _holding(bench: Bench, job: Job, comparison: Comparison, parts: list[int], live: Sequence[int] = ()) -> Mapping[str, Any] | None:
    """The uncompiled program in which parts of the flagged expression keep their values of the trace, if it can be run and does; of the `live`
    ones the arrays are new at every call."""
    traced = [number for number, call in enumerate(comparison.real["calls"]) if call["traced"]]
    run = _answer(bench, _set(job, hold=parts, live=list(live), traced_calls=traced), "plain")
    return run if run is not None and run["held"] else None


# -- random numbers ----------------------------------------------------------------------------------------------------


def drawn(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """What is flagged draws, with a key that is a constant of the trace, and the same numbers in each call make the uncompiled program do
    something else. Where the key is no constant, it is one half of the random state that was captured: the generator is broken."""
    job, probes = probed_together(job, comparison.claim.group)
    seen = _answer(bench, job, "real") if probes else None
    keys = [key for probe in probes if seen is not None and (key := str(probe.whole)) in seen["probes"]]  # as the child reports them
    if seen is None or not keys:
        return NOWHERE
    fresh, again = (_answer(bench, _set(job, draws=how), "plain") for how in ("fresh", "again"))
    if fresh is None or again is None or not any(fresh["probes"].get(key, {}).get("drew") for key in keys):
        return "the flagged expression was not seen to draw from the global random state"
    if not any(seen["probes"][key].get("key") for key in keys):
        broken = answer.evidence is not None and answer.evidence.kind in ("leak", "exception")
        return None if broken else "the random state is captured: its key is no constant of the trace"
    if answer.evidence is not None and answer.evidence.kind in ("leak", "exception"):
        return None
    return (
        None
        if differs(replace(comparison, real=again, plain=quieted(fresh, comparison.plain)))
        else "the results differ, but not for the numbers that are drawn here"
    )


# -- one expression compiled -------------------------------------------------------------------------------------------


def unsupported_alone(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Compiled by itself the expression raises the same; or without it nothing does."""
    compared = _compiled_alone(bench, job, comparison.claim) or ()
    if any(says(item.get("error", ""), SHAPES) for item in compared):
        return None
    return gone(bench, job, comparison, protocol, answer)


def unsafe_alone(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Compiled by itself for one shape, the expression gives something else for another, or kills the process; or without it all is well."""
    compared = _compiled_alone(bench, job, comparison.claim)
    if compared is None:
        return None
    if compared and not any(only_arrays(item["plain"]) for item in compared):
        return "no operation on arrays stands here"
    for item in compared:
        first = next(other for other in compared if other["of"] == item["of"])
        right = "error" not in first and same(first["plain"], first["compiled"])
        if right and item["shapes"] != first["shapes"] and ("error" in item or not same(item["plain"], item["compiled"])):
            return None
    return gone(bench, job, comparison, protocol, answer)


def _compiled_alone(bench: Bench, job: Job, claim: Claim) -> list[Mapping[str, Any]] | None:
    """How the expression, compiled by itself, compares with the uncompiled one; None if the process dies of it."""
    variant = alone(job, claim)
    if variant is None:
        return []
    outcome = bench.run(variant, "plain")
    if died(outcome):
        return None
    return [] if unusable(outcome) or outcome.answer is None else list(outcome.answer["alone"])


# -- captures ----------------------------------------------------------------------------------------------------------


def half(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """With all that is captured as inputs= and as outputs= both, and the optimizers' state, nothing is seen any more."""
    return _captured(bench, job, comparison, "complete")


def dead(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """With captures that are looked for where the names lead to them, nothing is seen any more. Away from the compile site it must be what is
    captured that is written there: part of a list or dict, or another value for a name that leads to it."""
    if any(item["object"] is None and comparison.hits(item) and says(item["message"], CLOSED) for item in comparison.exceptions(new=False)):
        return None
    return _captured(bench, job, comparison, "live")


def _captured(bench: Bench, job: Job, comparison: Comparison, how: str) -> Found:
    run = _answer(bench, _set(job, captures=[how, list(comparison.claim.sites)]), "real")
    if run is None or "calls" not in run:
        return NOWHERE
    other = replace(comparison, real=run)
    well = not difference(other) and not ended(other) and as_far(run, comparison.plain)
    if not well and not (how == "complete" and _mended(comparison, other)):
        return "the results differ, but not for what is captured: they do with other captures, too"
    given = {re.sub(r"\b_+", "", name) for name in run["captured"]}
    if not at_site(comparison.claim) and not in_display(job, comparison.claim) and given.isdisjoint(assigned(job, comparison.claim)):
        return "what is captured is not given here"
    return None


def _mended(comparison: Comparison, other: Comparison) -> bool:
    """Whether something that is wrong as the program is, is right with other captures, or wrong in another way, while more is wrong for other
    reasons. Where these captures make a call trace anew, it reads all else anew, too, and tells nothing."""
    pairs = list(zip(comparison.pairs, other.pairs))
    if any(whole["traced"] and not real["traced"] and real["error"] is None for (_, real, _), (_, whole, _) in pairs):
        return False
    if comparison.real["random_poisoned"] < other.real["random_poisoned"] or not set(new_leaks(other)) <= set(new_leaks(comparison)):
        return False
    wrong, still = ({number for number, *_ in differing(one)} for one in (comparison, other))
    for (number, real, plain), (_, whole, _) in pairs:
        if whole["error"] is not None or plain["error"] is not None:
            break
        if number in wrong and (number not in still or real["error"] is not None or not _same_result(real, whole, plain)):
            return True
    if len(other.real["calls"]) < len(comparison.real["calls"]) or other.real["status"] not in (
        comparison.real["status"],
        comparison.plain["status"],
    ):
        return False
    captured = _captured_names(other)
    lifted = {path for path in new_leaks(comparison) if path not in new_leaks(other)}
    return any(not captured.isdisjoint(re.findall(r"\w+", path)) for path in lifted) or any(
        _ends_wrong(comparison, name) and not _ends_wrong(other, name) for name in comparison.plain["end"] if short(name) in captured
    )


def _same_result(one: Mapping[str, Any], other: Mapping[str, Any], usual: Mapping[str, Any]) -> bool:
    return same(*(masked(call["result"], usual["result"]) for call in (one, other)))


def _captured_names(comparison: Comparison) -> frozenset[str]:
    """The names that what is captured is held by, and those of the attributes and items that lead to it."""
    return frozenset(part for name in comparison.real["captured"] for part in re.findall(r"\w+", name))


def _ends_wrong(comparison: Comparison, name: str) -> bool:
    """Whether a name holds something else at the end than without compile."""
    one = {name: comparison.plain["end"][name]}
    return ended(replace(comparison, plain={**comparison.plain, "end": one, "status": comparison.real["status"]})) is not None


# -- the program without the expression --------------------------------------------------------------------------------


def gone(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Without the expression nothing is seen any more."""
    return _gone(bench, protocol.instead(job, comparison.claim), comparison, protocol)


def constant_instead(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Nothing is seen any more with zeros for the expression, or without it."""
    return _gone(bench, chain(replaced(job, comparison.claim, "zeros", BLANK), without(job, comparison.claim)), comparison, protocol)


def detached_instead(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Nothing is seen any more where the function reads copies of what the expression names, or where the expression adds nothing of its own:
    what is read in a function that it calls is only there."""
    found = _gone(bench, detached(job, comparison.claim), comparison, protocol)
    if found is None:
        return None
    again = _gone(bench, tied(job, comparison.claim), comparison, protocol)
    return None if again is None else found if again == NOWHERE else again


def handed_on(bench: Bench, job: Job, comparison: Comparison, protocol: Protocol, answer: Answer) -> Found:
    """Nothing is seen any more without the expression, or where what it hands on is nothing of the trace."""
    return _gone(bench, chain(without(job, comparison.claim, acts=True), blanked(job, comparison.claim)), comparison, protocol)


def _gone(bench: Bench, variants: Iterable[tuple[str, Job]], comparison: Comparison, protocol: Protocol) -> Found:
    for part, variant in variants:
        reference = bench.run(variant, protocol.reference)
        if unusable(reference) or reference.answer is None or not as_far(reference.answer, comparison.plain):
            continue
        real = bench.run(variant, "real")
        if died(real):
            return f"with {part} in place of the flagged expression it happens, too"
        if unusable(real) or real.answer is None:
            continue
        # What was reached is what was reached with the expression in place.
        plain = quieted(reference.answer, comparison.plain)
        other = replace(comparison, real={**real.answer, "watches": comparison.real["watches"]}, plain=plain)
        if protocol.judge(other).word != "seen" or len(new_leaks(other)) < len(new_leaks(comparison)):
            return None
        return f"with {part} in place of the flagged expression it happens, too"
    return NOWHERE


def as_far(run: Mapping[str, Any], plain: Mapping[str, Any]) -> bool:
    return run["status"] == plain["status"] and len(run["calls"]) == len(plain["calls"])


def differs(comparison: Comparison) -> bool:
    return bool(difference(comparison) or ended(comparison, arrays=False) or files_differ(comparison))


def _answer(bench: Bench, job: Job, mode: Any) -> Mapping[str, Any] | None:
    outcome = bench.run(job, mode)
    return None if unusable(outcome) else outcome.answer


def _set(job: Job, **settings: Any) -> Job:
    return replace(job, settings={**job.settings, **settings})
