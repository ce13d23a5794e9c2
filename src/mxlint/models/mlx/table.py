"""What MLX functions do, as measured from MLX itself by scripts/measure_mlx.py: facts by canonical name, resolved for one version or several.

    table = load_table("0.31.2")
    table.entry("mlx.core.sum")                      what the function does
    table.entry("mlx.core.array.__getitem__[int]")   a form of call that behaves in its own way
    table.entry("mlx.core.take[axis=0]")             … by an argument that it gives, or by the value of one
    table.entry("mlx.core.sum[axis]")                a form that behaves like the plain name gives the plain name's entry
    load_table("0.28.0", "0.30.6").entries("mlx.core.cumsum")    by version, for a range of them

The facts are those of the CPU. `right_on` says which other devices do well what goes wrong there (scripts/measure_device.py).

A fact that holds at two neighbouring measured versions holds between them; where they differ it is None between them: unknown. None is also
what is not so at all: no fact is ever claimed by its absence.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property, lru_cache
from typing import Any, Literal

from mxlint.resources import resource

Verdict = Literal["ok", "raises", "unsafe", "unknown"]


@dataclass(frozen=True, slots=True)
class Shapeless:
    """What happens under shapeless=True. `raises` is at the first call; `unsafe` runs at the first shape and fails at a later one.

    `axes` says, for an unsafe one, what a change of that axis alone of the first argument leads to ("0", "1", "-1"): "ok", "unknown", or the
    ways in which it goes wrong, as "raises|wrong"; "crash" is reading or writing memory out of bounds, and wrong values with it. `unit` is
    set where all is well except between sizes of 1 and others. `ranks` holds the same by number of dimensions, where they differ; a verdict that is not the
    same for all of them is "unknown" here.
    """

    forward: Verdict = "unknown"
    message: str | None = None
    axes: Mapping[str, str] | None = None
    unit: str | None = None
    grad: Verdict = "unknown"
    grad_message: str | None = None
    grad_axes: Mapping[str, str] | None = None
    grad_unit: str | None = None
    ranks: Mapping[str, Shapeless] | None = None

    def at(self, ndim: int | None) -> Shapeless:
        """The facts for a first argument of `ndim` dimensions, as far as that number was measured."""
        return self.ranks.get(str(ndim), self) if self.ranks and ndim is not None else self


@dataclass(frozen=True, slots=True)
class Entry:
    """The facts about one name in one version of MLX."""

    name: str
    kind: str  # function, method, property, operator, index, layer, optimizer, transform, class
    returns: str | None = None  # array, arrays, tree, python, none, function
    python: str | None = None  # what type, if it returns "python"
    reads_shape: bool | None = None  # the Python value is a size or a shape
    shape: str | None = None  # same, broadcast, reduce
    evaluates: bool | None = None  # a traced argument raises, because its value is needed
    message: str | None = None  # what it raises then
    raises: str | None = None  # it cannot be traced for another reason
    random: bool | None = None  # draws from mx.random.state unless given a key
    params: tuple[str, ...] | None = None  # its positional parameters, without self; of a layer or optimizer those of the constructor
    key: int | None = None  # the position of its parameter `key`
    inplace: bool | None = None
    already_compiled: bool | None = None  # mlx.nn ships it compiled
    stochastic: bool | None = None  # layer: draws in training mode, built with default arguments
    active_when: str | None = None  # layer: the constructor's parameter that makes it draw, when not 0
    stateful: tuple[str, ...] | None = None  # layer: attributes it rewrites in training mode
    weights: tuple[str, ...] | None = None  # layer: its own parameters
    state: tuple[str, ...] | None = None  # optimizer: leaves that steps change, besides step and learning_rate
    state_when: Mapping[str, tuple[str, ...]] | None = None  # optimizer: the same when that constructor parameter is set
    settings: Mapping[str, Any] | None = None  # optimizer: attributes that steps read, as constructor parameters with their defaults
    shapeless: Shapeless | None = None


_FIELDS = frozenset(field.name for field in fields(Entry)) - {"name", "shapeless"}
_LISTS = ("params", "stateful", "weights", "state")
Version = tuple[int, ...]


def _parse(version: str) -> Version:
    """The release of a version, as numbers to compare: what follows the third number (dev, rc, local) does not count."""
    parts: list[int] = []
    for part in version.split(".")[:3]:
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        parts.append(int(digits or "0"))
    return tuple(parts + [0] * (3 - len(parts)))


class Table:
    """The facts for the versions `judged`, in ascending order: without any, the newest of `versions`, which were measured.

    `version` is the newest judged. `note` says so if it was not measured.
    """

    def __init__(self, data: Mapping[str, Any], *judged: str) -> None:
        self.versions: tuple[str, ...] = tuple(data["versions"])
        oldest, newest = self.versions[0], self.versions[-1]
        self.judged = judged or (newest,)
        self.version = self.judged[-1]
        self.note: str | None = None
        asked = _parse(self.version)
        if asked > _parse(newest):
            self.note = f"MLX {self.version} is newer than {newest}, the newest version measured: the facts of {newest} are used"
        elif asked < _parse(oldest):
            self.note = f"MLX {self.version} is older than {oldest}, the oldest version measured: the facts of {oldest} are used"
        elif asked not in map(_parse, self.versions):
            below = max((version for version in self.versions if _parse(version) < asked), key=_parse)
            above = min((version for version in self.versions if _parse(version) > asked), key=_parse)
            self.note = f"MLX {self.version} was not measured: what differs between {below} and {above} is taken to be unknown"
        self._at = {version: min(max(_parse(version), _parse(oldest)), _parse(newest)) for version in self.judged}
        self._entries: Mapping[str, Mapping[str, Any]] = data["entries"]
        self._aliases: Mapping[str, str] = data["aliases"]
        self._skipped: Mapping[str, str] = data["skipped"]
        self._resolved: dict[str, dict[str, Entry]] = {}

    def __iter__(self) -> Iterator[str]:
        """Every name that the table holds for any version."""
        return iter(self._entries)

    def before(self, version: str) -> tuple[str, ...]:
        """The versions judged that are older than this one."""
        return tuple(judged for judged, at in self._at.items() if at < _parse(version))

    def has(self, name: str) -> bool:
        """Whether a name or form has facts of its own."""
        return name in self._entries

    @cached_property
    def modules(self) -> frozenset[str]:
        """The canonical names of the modules of which the table holds something."""
        return frozenset(name.rpartition(".")[0] for name in self._entries if "[" not in name) - self._entries.keys()

    def entry(self, name: str) -> Entry | None:
        """The facts about a canonical name, or None where nothing is known; an unlisted form is the plain name.

        They are those of the newest version judged that has the name. What differs between versions is asked of `entries`.
        """
        entries = self.entries(name)
        return next(reversed(entries.values()), None)

    def entries(self, name: str) -> dict[str, Entry]:
        """The facts about a canonical name by version judged, for those that have it."""
        if name not in self._resolved:
            found = {version: self._resolve(name, at) for version, at in self._at.items()}
            self._resolved[name] = {version: entry for version, entry in found.items() if entry is not None}
        return self._resolved[name]

    def right_on(self, name: str, version: str, ndim: int | None, axes: Iterable[int]) -> tuple[str, ...]:
        """The devices on which a change of these axes, of a first argument with `ndim` dimensions, was measured to do no harm, though it does on the CPU."""
        wanted = {str(axis) for axis in axes}
        known = name if self.has(name) else name.partition("[")[0]
        found = []
        for device, names in _devices().items():
            measured = names.get(known, {})
            used = next((one for one in measured if _parse(one) == self._at[version]), None)
            if used is not None and wanted and wanted <= {*measured[used].get(str(ndim), ())}:
                found.append(device)
        return tuple(found)

    def skipped(self, name: str) -> str | None:
        """Why a public name of MLX was not measured."""
        return self._skipped.get(name) or self._skipped.get(name.rpartition(".")[0] + ".*")

    def _resolve(self, name: str, at: Version) -> Entry | None:
        plain, bracket, form = name.partition("[")
        plain = self._aliases.get(plain, plain)
        raw = self._entries.get(plain + bracket + form) or self._entries.get(plain)
        if raw is None:
            return None
        if "versions" in raw:
            first, last = raw["versions"]
            if not _parse(first) <= at <= _parse(last):
                return None
        facts: dict[str, Any] = {"name": plain + bracket + form}
        for field in _FIELDS & raw.keys():
            value = _value(raw[field], at)
            facts[field] = tuple(value) if field in _LISTS and value is not None else value
        if "state_when" in facts:
            facts["state_when"] = {key: tuple(names) for key, names in facts["state_when"].items()}
        shapeless = _value(raw.get("shapeless"), at)
        if shapeless is not None:
            facts["shapeless"] = _shapeless(shapeless, at)
        return Entry(**facts) if facts.get("kind") else None


def _shapeless(raw: Mapping[str, Any], at: Version) -> Shapeless:
    facts = {field: _value(value, at) for field, value in raw.items()}
    ranks = facts.pop("ranks", None)
    facts = {field: value for field, value in facts.items() if value is not None}
    return Shapeless(**facts, ranks={rank: _shapeless(found, at) for rank, found in ranks.items()} if ranks else None)


def _value(value: Any, at: Version) -> Any:
    """A plain value, or that of the interval which a version lies in."""
    if not (isinstance(value, list) and value and isinstance(value[0], list)):
        return value
    return next((found for first, last, found in value if _parse(first) <= at <= _parse(last)), None)


@lru_cache(maxsize=1)
def _data() -> Mapping[str, Any]:
    data: Mapping[str, Any] = json.loads(resource("models", "mlx", "facts.json").read_bytes())
    return data


@lru_cache(maxsize=1)
def _devices() -> Mapping[str, Mapping[str, Mapping[str, Mapping[str, Sequence[str]]]]]:
    """By device, name, version and number of dimensions: axes."""
    data: Mapping[str, Any] = json.loads(resource("models", "mlx", "devices.json").read_bytes())
    return data


@lru_cache(maxsize=8)
def load_table(*judged: str) -> Table:
    """The table as of some versions, in ascending order; without any, as of the newest version measured."""
    return Table(_data(), *judged)
