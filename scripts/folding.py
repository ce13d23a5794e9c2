"""From single experiments to facts, and from the facts of several versions to one table with version intervals. Needs no MLX."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from recipes import Recipe

Facts = dict[str, Any]
_WORST = ("ok", "unknown", "wrong", "raises", "crash")
"""One way to go wrong; an outcome of several is written `crash|raises`. What is wrong because it reads out of bounds is a crash."""


def combine(name: str, recipe: Recipe, steps: dict[str, Any]) -> Facts:
    """The facts about one name, from the results of its experiments."""
    facts: Facts = {"kind": recipe.kind or "function", **steps["basic"], **steps["compiled"]}
    if facts.get("evaluates"):
        facts.pop("reads_shape", None)
    by_rank: dict[str, list[dict[str, dict[str, Any]]]] = defaultdict(list)
    cases: dict[tuple[str, str], dict[str, dict[str, Any]]] = defaultdict(lambda: defaultdict(dict))
    for step, result in steps.items():
        if step not in ("basic", "compiled") and result is not None:
            number, rank, mode, axis = step.split(":")
            cases[number, rank][mode][axis] = result
    for (_, rank), modes in cases.items():
        by_rank[rank].append(modes)
    ranks = {rank: _agree([_behaviour(modes) for modes in group]) for rank, group in by_rank.items()}
    if ranks:
        merged = _agree(list(ranks.values()))
        if any(_core(value) != _core(merged, value) for value in ranks.values()):
            merged["ranks"] = {rank: _final(value) for rank, value in ranks.items()}
        facts["shapeless"] = _final(merged)
    return facts


def _final(facts: Facts) -> Facts:
    """What was not measured is as unknown to the reader as what was measured and is not always the same."""
    return {field: "unknown" if value == "unmeasured" else value for field, value in facts.items()}


def _behaviour(modes: dict[str, dict[str, Any]]) -> Facts:
    """One case under shapeless, forward and under grad: `ok`, `raises` at the first call, or `unsafe`."""
    found: Facts = {}
    for mode, prefix in (("forward", ""), ("grad", "grad_")):
        axes = dict(modes.get(mode, {}))
        units = [result for axis in ("from_unit", "to_unit") if (result := axes.pop(axis, None))]
        known = {axis: result for axis, result in axes.items() if "later" in result or result["first"] != "ok"}
        if not known:
            found[mode] = "unmeasured"
            continue
        messages = [result["message"] for result in known.values() if "message" in result]
        later = {axis: _all_of((result["first"], result.get("later", "ok"))) for axis, result in known.items()}
        if all(result["first"] == "raises" for result in known.values()):
            found[mode] = "raises"
        elif all(result == "ok" for result in later.values()):
            found[mode] = "ok"
            # traced where every size is 1 and called where none is, or the other way round
            unit = _worst(["ok", *(result["later"] for result in units if result["first"] == "ok" and "later" in result)])
            if unit != "ok":
                found[prefix + "unit"] = unit
        else:
            found[mode] = "unsafe"
            single = {axis: result for axis, result in later.items() if axis != "all"}
            if single:
                found[prefix + "axes"] = single
        if messages and found[mode] != "ok":
            found[prefix + "message"] = messages[0].partition(": ")[2] or messages[0]
    return found


def _core(facts: Facts, like: Facts | None = None) -> Facts:
    """What tells two behaviours apart: not the messages, and of the axes only those that `like` has too."""
    like = facts if like is None else like
    axes = {field: {axis: loosely(facts.get(field, {}).get(axis)) for axis in like.get(field, {})} for field in ("axes", "grad_axes")}
    return {"forward": facts["forward"], "grad": facts["grad"], **axes}


def _worst(outcomes: Iterable[str]) -> str:
    return max((way for outcome in outcomes for way in outcome.split("|")), key=_WORST.index)


def _all_of(outcomes: Iterable[str]) -> str:
    """Every way to go wrong that several outcomes name."""
    return "|".join(sorted({way for outcome in outcomes for way in outcome.split("|")} - {"ok"})) or "ok"


def _agree(all_facts: list[Facts]) -> Facts:
    """What several cases have in common: a mode in which one is fine and another is not is unknown; of failures, `unsafe` unless all raise."""
    merged: Facts = {}
    for mode, prefix in (("forward", ""), ("grad", "grad_")):
        outcomes = {facts[mode] for facts in all_facts} - {"unmeasured"}
        if not outcomes:
            merged[mode] = "unmeasured"
        elif len(outcomes) == 1:
            merged[mode] = outcomes.pop()
        else:
            merged[mode] = "unknown" if outcomes & {"ok", "unknown"} else "unsafe"
        if merged[mode] in ("raises", "unsafe"):
            messages = [facts[prefix + "message"] for facts in all_facts if prefix + "message" in facts]
            if messages:
                merged[prefix + "message"] = messages[0]
        if merged[mode] == "unsafe":
            tables = [facts[prefix + "axes"] for facts in all_facts if prefix + "axes" in facts]
            axes = {}
            for axis in sorted({axis for table in tables for axis in table}):
                seen = {table[axis] for table in tables if axis in table}
                axes[axis] = _all_of(seen) if len(seen) == 1 or not seen & {"ok", "unknown"} else "unknown"
            if axes:
                merged[prefix + "axes"] = axes
        units = {facts.get(prefix + "unit") for facts in all_facts} - {None}
        if merged[mode] == "ok" and len(units) > 0 and all(prefix + "unit" in facts for facts in all_facts if facts[mode] == "ok"):
            merged[prefix + "unit"] = _worst(unit for unit in units if unit)
    return merged


def loosely(facts: Any) -> Any:
    """Facts for comparing two measurements: what reads out of bounds is wrong in one run and a crash, or raises, in another."""
    if isinstance(facts, dict):
        return {key: loosely(value) for key, value in facts.items() if "message" not in key}
    if isinstance(facts, str) and set(facts.split("|")) <= {"crash", "raises", "wrong"}:
        return "raises" if facts == "raises" else "wrong"
    return facts


# -- versions ------------------------------------------------------------------------------------------------------------------------------


def version_key(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


def fold(raws: list[dict[str, Any]]) -> dict[str, Any]:
    """One table from the measurements of several versions."""
    raws = sorted(raws, key=lambda raw: version_key(raw["mlx"]))
    versions = [raw["mlx"] for raw in raws]
    entries: dict[str, Facts] = {}
    aliases: dict[str, str] = {}
    for raw in raws:
        aliases.update(raw["aliases"])
    for name in sorted({name for raw in raws for name in raw["entries"]}):
        measured = [raw["entries"].get(name) for raw in raws]
        entry = _fold_facts(versions, measured)
        present = [version for version, facts in zip(versions, measured) if facts is not None]
        if present != versions:
            entry["versions"] = [present[0], present[-1]]
        entries[name] = entry
    for name, entry in list(entries.items()):
        base, _, form = name.partition("[")
        if form and entry.get("kind") == "optimizer" and base in entries:
            # what the constructor argument adds to the state is a fact of the optimizer itself
            entries[base].setdefault("state_when", {})[form.rstrip("]")] = entry.get("state", [])
            entries.pop(name)
        elif form and base in entries and entries[base] == entry:
            entries.pop(name)
    return {"versions": versions, "aliases": dict(sorted(aliases.items())), "entries": entries}


def _fold_facts(versions: list[str], measured: list[Facts | None]) -> Facts:
    """Field by field: a plain value where every version that has the name agrees, else intervals."""
    folded: Facts = {}
    present = [(version, facts) for version, facts in zip(versions, measured) if facts is not None]
    for field in sorted({field for _, facts in present for field in facts}):
        values = [facts.get(field) for _, facts in present]
        if all(value == values[0] for value in values):
            folded[field] = values[0]
        elif field == "shapeless" and all(isinstance(value, dict) for value in values):
            folded[field] = _fold_facts([version for version, _ in present], values)
        else:
            folded[field] = _intervals([version for version, _ in present], values)
    return folded


def _intervals(versions: list[str], values: list[Any]) -> list[list[Any]]:
    """Runs of versions with equal values; what lies between two runs is unknown, and a version without the fact is in none."""
    runs: list[list[Any]] = []
    previous: Any = None
    for version, value in zip(versions, values):
        if value is not None:
            if runs and previous == value:
                runs[-1][1] = version
            else:
                runs.append([version, version, value])
        previous = value
    return runs


def resolve(table: dict[str, Any], version: str) -> dict[str, Facts]:
    """The facts of one measured version, as they were measured."""
    found: dict[str, Facts] = {}
    for name, entry in table["entries"].items():
        first, last = entry.get("versions", (version, version))
        if version_key(first) <= version_key(version) <= version_key(last):
            found[name] = _resolve_facts(
                {field: value for field, value in entry.items() if field not in ("versions", "state_when")}, version
            )
    return found


def _resolve_facts(entry: Facts, version: str) -> Facts:
    found: Facts = {}
    for field, value in entry.items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            value = next((run[2] for run in value if version_key(run[0]) <= version_key(version) <= version_key(run[1])), None)
        elif field == "shapeless" and isinstance(value, dict):
            value = _resolve_facts(value, version)
        if value is not None:
            found[field] = value
    return found
