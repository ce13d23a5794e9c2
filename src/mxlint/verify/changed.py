"""State that a finding says changes between calls, where no such change is in sight: it is changed by hand, and the function called again."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mxlint.verify.bench import Bench
from mxlint.verify.protocols.answer import Answer, Protocol
from mxlint.verify.runner import Job
from mxlint.verify.sight import Claim
from mxlint.verify.trial import tried
from mxlint.verify.units import library_names
from mxlint.verify.variants import state_read

STATE = ("MX201", "MX209")


def with_change(bench: Bench, job: Job, claim: Claim, protocol: Protocol) -> tuple[Answer, Mapping[str, Any], Job] | None:
    """The answer for a program after which what is read is changed, the run, and the job; None where there is nothing to change, or where
    nobody says that it changes."""
    names = state_read(claim, library_names(ast.parse(job.files[claim.place])))
    if claim.code not in STATE or not claim.changes or not names:
        return None
    other = replace(job, settings={**job.settings, "change": {"names": names, "file": claim.place}})
    plain = bench.run(other, "plain").answer
    if plain is None or not plain.get("changed") or any(call["error"] is not None for call in plain["calls"][-2:]):
        return None
    answer, run, _ = tried(bench, other, claim, protocol)
    if run is None:
        return None
    told = (
        f"mxlint changed {', '.join(f'`{name}`' for name in dict.fromkeys(plain['changed']))} between two calls; nothing else in sight does"
    )
    if answer.evidence is not None:
        answer = replace(answer, evidence=replace(answer.evidence, note="; ".join(filter(None, (answer.evidence.note, told)))))
    return answer, run, other
