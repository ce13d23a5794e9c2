"""Which protocol puts which rule to the test."""

from __future__ import annotations

from mxlint.verify.protocols.advice import across_threads, idle_inside, mistimed, nothing_to_fuse, switched_off, used_once
from mxlint.verify.protocols.answer import Protocol
from mxlint.verify.protocols.evaluation import evaluation
from mxlint.verify.protocols.recompilation import kernel_shapes, made_again, many_shapes, many_values, transformed
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
_VALUES = {"results": True, "state": True}


PROTOCOLS: dict[str, Protocol] = {
    **dict.fromkeys(("MX101", "MX102", "MX103", "MX104", "MX105"), Protocol(evaluation, results=True, attempts=("given", "flags"))),
    **dict.fromkeys(("MX201", "MX209"), Protocol(stale_read, results=True, state=True, later=True)),
    "MX202": Protocol(lost_write, results=True, attempts=("given", "flags")),
    "MX203": Protocol(random_state, results=True, random=True, later=True, attempts=("again", "given", "flags")),
    **dict.fromkeys(("MX204", "MX205"), Protocol(captures, results=True)),
    "MX212": Protocol(aliased),
    "MX206": Protocol(once, results=True, state=True, unstable=True, later=True, attempts=("again",)),
    "MX207": Protocol(mutation, results=True, state=True),
    "MX208": Protocol(raising, raises=True, attempts=("given", "flags", "sizes")),
    "MX210": Protocol(recomputed, memory=True, fused=True, reference="computed"),
    "MX211": Protocol(growing, results=True),
    **dict.fromkeys(("MX301", "MX302"), Protocol(made_again)),
    "MX303": Protocol(many_values, calls=6, survey=SURVEY),
    "MX304": Protocol(many_shapes, calls=6, survey=SURVEY),
    "MX305": Protocol(transformed, transforms=True),
    "MX306": Protocol(used_once, complete=True),
    "MX403": Protocol(unsupported, results=True, fused=True, attempts=("given", "flags", "sizes")),
    **dict.fromkeys(("MX401", "MX402", "MX404"), Protocol(frozen_shape, results=True, fused=True, attempts=("sizes", "given"))),
    **dict.fromkeys(("MX501", "MX505"), Protocol(refused, results=True)),
    "MX502": Protocol(bad_argument, results=True),
    "MX503": Protocol(untracked, results=True, attempts=("given", "flags")),
    "MX504": Protocol(nothing_returned, results=True),
    "MX506": Protocol(ambiguous, results=True, attempts=("given", "scalars")),
    "MX507": Protocol(without_effect, results=True, switched=True),
    "MX601": Protocol(nothing_to_fuse, graph=True, fused=True, unstable=True),
    "MX602": Protocol(idle_inside, complete=True),
    "MX603": Protocol(mistimed, clocks=True, fused=True, transforms=True, unstable=True),
    "MX604": Protocol(switched_off, switched=True, unstable=True),
    "MX605": Protocol(kernel_shapes, calls=6, survey=SURVEY),
    "MX606": Protocol(across_threads, reference="serial"),
}
"""The rules whose claims can be put to the test, on the devices that their pages name."""
