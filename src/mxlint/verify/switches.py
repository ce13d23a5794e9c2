"""Both outcomes of the switches that a program reads from outside (child/switches.py records and turns them)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from mxlint.verify.runner import Job

MOST_SWITCHES = 4
"""Switches that are turned, one in each run."""
WORDS = {"variable": "the environment variable {} set", "option": "the option {} turned"}


def turned(job: Job, run: Mapping[str, Any]) -> Iterator[tuple[Job, str]]:
    """Yield the program with one switch turned that it reads, and that in words."""
    for kind, name in run.get("switches", ())[:MOST_SWITCHES]:
        yield replace(job, settings={**job.settings, "turned": [[kind, name]]}), f"with {WORDS[kind].format(name)}"
