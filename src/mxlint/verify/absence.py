"""Verdicts that turned on a module which is not installed: they say nothing of the program, and name what is missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from mxlint.finding import Finding
from mxlint.verify.bench import Bench
from mxlint.verify.chain import in_replaced
from mxlint.verify.protocols.answer import Answer

MARK = "<stand-in for "
"""As the child writes a stand-in down, and as MLX names its type."""
VALUES = frozenset({"refused", "taken for true", "taken for two items", "iterated", "text"})
"""Uses that make a value of a stand-in; the others hand it on, or do without it."""
SAID: Mapping[str, str] = {
    "decorator": "without the decorator {name}",
    "entered": "without what {name} does around a block",
    "iterated": "with {name} as what it wraps",
    "inherited": "without what {name} gives to classes",
    "called": "without what {name} does",
    "taken for true": "with {name} taken for true",
    "taken for two items": "with {name} taken for two items",
}
MOST_SAID = 3


def decided(bench: Bench, finding: Finding, answer: Answer, run: Mapping[str, Any] | None) -> Answer:
    """The answer of a run, if no stand-in for a missing module decided it: none flowed into a call of what is compiled, and the finding's own
    chain reads none. It says what was done without."""
    if run is None or not run.get("absences"):
        return answer
    if answer.word == "unclear":
        stopped = named(item["message"] for item in run["exceptions"]) or _flowed(run)
        return answer if stopped is None else _lacking(run, stopped)
    held = {**_imported(bench, finding, run["absences"]), **run["standing_in"]}
    if (name := _flowed(run) or held.get(in_replaced(finding, bench.sources, held) or "")) is not None:
        return _lacking(run, name)
    if answer.evidence is None:
        return answer
    said = dict.fromkeys(SAID[use["how"]].format(name=use["name"]) for use in run["uses"] if use["how"] in SAID)
    note = "; ".join(filter(None, (answer.evidence.note, ", ".join(list(said)[:MOST_SAID]))))
    return replace(answer, evidence=replace(answer.evidence, note=note or None))


def _lacking(run: Mapping[str, Any], name: str) -> Answer:
    return Answer("unclear", lacking(run, name))


def lacking(run: Mapping[str, Any], name: str) -> str:
    """That a finding needs a part of a missing module."""
    module = name.partition(".")[0]
    return f"{run['absences'].get(module, f'the module {module} is not installed')} (the finding needs {name})"


def with_absences(reason: str | None, absences: Mapping[str, str]) -> str | None:
    """A reason that names what is not installed and was used on the way to it, if it does not yet."""
    unsaid = [absence for module, absence in absences.items() if module not in (reason or "")]
    return "; ".join(filter(None, (reason, *unsaid))) or None


def needed(run: Mapping[str, Any] | None) -> tuple[str, ...]:
    """The missing modules that a run used."""
    return tuple(run.get("stand_ins", ())) if run is not None else ()


def _imported(bench: Bench, finding: Finding, absences: Mapping[str, str]) -> dict[str, str]:
    """Names that the files of a finding import from missing modules, wherever in the file, and what they are."""
    files = {finding.span.filename, *(related.span.filename for related in finding.related)}
    modules = [module for file in files if file in bench.sources and (module := bench.modules.of(bench.sources[file])) is not None]
    return {name: target for module in modules for name, target in module.outside.items() if target.partition(".")[0] in absences}


def _flowed(run: Mapping[str, Any]) -> str | None:
    """The stand-in that came to a compiled call: one whose value was asked for while the body ran, or that is in arguments, results or errors."""
    within = next((use["name"] for use in run["uses"] if use["within"] is not None and use["how"] in VALUES), None)
    if within is not None:
        return str(within)
    errors = [item["message"] for item in run["exceptions"] if item["object"] is not None]
    return named([json.dumps([(call["key"], call.get("result")) for call in run["calls"]], default=repr), *errors])


def named(texts: Iterable[str]) -> str | None:
    """The stand-in that one of the texts names."""
    return next((text.partition(MARK)[2].partition(">")[0] for text in texts if MARK in text), None)
