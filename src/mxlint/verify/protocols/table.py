"""The protocols by name: each rule names the one that puts it to the test."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from mxlint.rules.registry import RULES
from mxlint.verify import origin, variants, witness
from mxlint.verify.protocols import cost
from mxlint.verify.protocols.advice import across_threads, idle_inside, mistimed, nothing_to_fuse, switched_off, used_once
from mxlint.verify.protocols.answer import Protocol
from mxlint.verify.protocols.evaluation import evaluation
from mxlint.verify.protocols.recompilation import kernel_shapes, large_graph, made_again, many_shapes, many_values, transformed
from mxlint.verify.protocols.shapeless import frozen_shape, unsupported
from mxlint.verify.protocols.signature import ambiguous, bad_argument, nothing_returned, refused, untracked, without_effect
from mxlint.verify.protocols.state import (
    aliased,
    captures,
    growing,
    lost_write,
    mutation,
    once,
    raising,
    random_state,
    recomputed,
    stale_read,
)

SURVEY = 200
_ARGUMENTS = ("given", "flags")
_evaluated = partial(Protocol, results=True, attempts=_ARGUMENTS, kinds=True)
_stale = partial(Protocol, stale_read, origin.constant, results=True, state=True, later=True, stateful=True, changing=True)
_captured = partial(Protocol, captures, results=True, stateful=True)
_frozen = partial(Protocol, frozen_shape, results=True, fused=True, attempts=("sizes", "given"), lengths=True, witness=witness.SHAPELESS)
_counted = partial(Protocol, counts=True, traces=True)

PROTOCOLS: dict[str, Protocol] = {
    "text": _evaluated(partial(evaluation, "text"), witness=witness.CALLED),
    "evaluation": _evaluated(partial(evaluation, "evaluation"), witness=witness.CALLED),
    "conversion": _evaluated(partial(evaluation, "conversion"), witness=witness.CALLED),
    "truth": _evaluated(partial(evaluation, "truth"), witness=witness.TESTED),
    "index": _evaluated(partial(evaluation, "index"), witness=witness.CALLED),
    "stale array": _stale(witness=witness.OF_ARRAYS),
    "stale value": _stale(witness=witness.OF_NUMBERS),
    "lost write": Protocol(lost_write, origin.handed_on, results=True, attempts=_ARGUMENTS, stateful=True),
    "random state": Protocol(
        random_state,
        origin.drawn,
        results=True,
        random=True,
        later=True,
        attempts=("again", *_ARGUMENTS),
        stateful=True,
        witness=witness.DRAWN,
    ),
    "half capture": _captured(origin.half, site="must be"),
    "dead capture": _captured(origin.dead, site="may be"),
    "once": Protocol(once, origin.evaluated_once, results=True, state=True, unstable=True, later=True, attempts=("again",), stateful=True),
    "mutation": Protocol(mutation, origin.gone, results=True, state=True, stateful=True),
    "raise": Protocol(raising, raises=True, attempts=(*_ARGUMENTS, "sizes"), stateful=True),
    "recomputation": Protocol(
        recomputed, origin.constant_instead, cost=cost.COMPUTED, memory=True, fused=True, reference="computed", stateful=True, traces=True
    ),
    "growth": Protocol(growing, origin.gone, results=True, stateful=True, traces=True),
    "alias": Protocol(aliased, origin.detached_instead, stateful=True),
    "made again": _counted(made_again, cost=cost.KEPT, site="may be", witness=witness.AGAIN),
    "many values": _counted(many_values, cost=cost.ARRAYS, calls=6, survey=SURVEY),
    "many shapes": _counted(many_shapes, cost=cost.SHAPES, calls=6, survey=SURVEY),
    "transform": _counted(transformed, cost=cost.TURNED, transforms=True),
    "used once": Protocol(used_once, cost=replace(cost.PLAIN, event="once"), complete=True, site="must be", counts=True),
    "large graph": Protocol(large_graph, origin.gone, graph=True, calls=12, instead=variants.one_round),
    "frozen size": _frozen(origin.constant, sizes="leading"),
    "frozen branch": _frozen(origin.constant, sizes="all"),
    "unsafe operation": _frozen(origin.unsafe_alone, sizes="all"),
    "unsupported operation": Protocol(
        unsupported,
        origin.unsupported_alone,
        results=True,
        fused=True,
        attempts=(*_ARGUMENTS, "sizes"),
        sizes="all",
        witness=witness.SHAPELESS,
    ),
    "method": Protocol(partial(refused, method=True), results=True, site="must be"),
    "no function": Protocol(refused, results=True, site="must be"),
    "bad argument": Protocol(bad_argument, results=True),
    "untracked return": Protocol(untracked, origin.handed_on, results=True, attempts=_ARGUMENTS),
    "nothing returned": Protocol(nothing_returned, results=True, site="must be", incomplete=True),
    "ambiguous argument": Protocol(ambiguous, results=True, attempts=("given", "scalars")),
    "no effect": Protocol(without_effect, results=True, switched=True, site="may be"),
    "nothing to fuse": Protocol(nothing_to_fuse, cost=cost.PLAIN, graph=True, fused=True, unstable=True, site="must be"),
    "idle inside": Protocol(idle_inside, cost=replace(cost.PLAIN, everywhere=True), complete=True, site="must be"),
    "clock": Protocol(mistimed, clocks=True, fused=True, transforms=True, unstable=True),
    "switch": Protocol(switched_off, origin.gone, switched=True, unstable=True, stateful=True),
    "kernel shapes": Protocol(kernel_shapes, calls=6, survey=SURVEY),
    "threads": Protocol(across_threads, reference="serial", stateful=True),
}


def protocol_of(code: str) -> Protocol | None:
    """The protocol of a rule; None if no run decides what it says."""
    name = RULES[code].experiment
    return PROTOCOLS[name] if name is not None else None
