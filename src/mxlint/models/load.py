"""Look up models by canonical name. A library's file is read when its first name is asked for, an entry when it is."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Literal, NamedTuple

from mxlint.models import entry as entries
from mxlint.models.expression import TypeSyntaxError, parse
from mxlint.models.mlx.members import MODULE
from mxlint.models.mlx.names import CHANGE_MODULES, MODULE_CHANGES, MODULE_METHODS
from mxlint.models.schema import Constant, Model, SchemaError
from mxlint.resources import Resource, resource

RUNNING = f"{sys.version_info[0]}.{sys.version_info[1]}"
Kind = Literal["module", "class", "function", "constant"]


class Library(NamedTuple):
    """One data file, as JSON has it; all names in it are absolute."""

    file: str
    versioned: bool
    """Whether `since` and `until` speak of the library's own version, not Python's."""
    modules: frozenset[str]
    aliases: dict[str, str]
    functions: dict[str, Any]
    classes: dict[str, Any]
    constants: dict[str, Any]


@cache
def library(top: str) -> Library | None:
    """The file of a top-level package. Raises SchemaError where it is no such file."""
    path = _data(f"{top}.json")
    if top not in _index()["libraries"]:
        return None
    try:
        raw = json.loads(path.read_bytes())
        return Library(
            path.name,
            raw.get("versioned", False),
            frozenset(raw["modules"]),
            raw["aliases"],
            raw["functions"],
            raw["classes"],
            raw["constants"],
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SchemaError(f"{path.name}: not a file of models: {error!r}") from error


def _data(name: str) -> Resource:
    """One file for each top-level package, and `index.json`."""
    return resource("models", "data", name)


@cache
def _index() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(_data("index.json").read_bytes())
    return found


def libraries() -> tuple[str, ...]:
    """The top-level packages that have a file."""
    return tuple(_index()["libraries"])


def importers() -> frozenset[str]:
    """The functions that import a module which their first argument names, by canonical name."""
    return frozenset(_index()["importers"])


@cache
def canonical(name: str) -> str:
    """The name under which the data has it: the documented one, where a thing has several. A name that is not known stays as it is."""
    modules: dict[str, str] = _index()["modules"]
    for end in _ends(name):
        if name[:end] in modules:
            name = modules[name[:end]] + name[end:]
            break
    found = library(name.partition(".")[0])
    if found is not None:
        for end in _ends(name):
            if name[:end] in found.aliases:
                return canonical(found.aliases[name[:end]] + name[end:])
    return name


def _ends(name: str) -> list[int]:
    """Where the dotted prefixes of a name end, the longest first."""
    return [len(name), *(i for i in range(len(name) - 1, 0, -1) if name[i] == ".")]


@cache
def model(name: str, version: str = "") -> Model | None:
    """What is known of a function, a class (as what makes instances), a method or an attribute of a class.

    Methods are found where they are inherited from: the name of the model says where. `version` is Python's (the running one unless given), or
    for a library with versions of its own the library's (the newest unless given). None: not known, or not there in that version.
    """
    name = canonical(name)
    found = library(name.partition(".")[0])
    if found is None:
        return None
    if name in found.functions:
        return _read(found, name, found.functions[name], version)
    if name in found.classes:
        for cls in bases(name):
            table = _class(cls)
            if table is not None and "new" in table[1]:
                return _read(table[0], name, table[1]["new"], version, constructor=True)
        return None
    owner, _, member = name.rpartition(".")
    if owner in found.constants:
        held = constant(owner)
        owner = held.type.name if held is not None and held.type.kind == "instance" else ""
    for cls in bases(owner):
        table = _class(cls)
        if table is not None and member in table[1]["members"]:
            return _read(table[0], f"{cls}.{member}", table[1]["members"][member], version, of_class=True)
    return None


def _class(name: str) -> tuple[Library, dict[str, Any]] | None:
    found = library(name.partition(".")[0])
    return (found, found.classes[name]) if found is not None and name in found.classes else None


def _read(found: Library, name: str, raw: Any, version: str, *, of_class: bool = False, constructor: bool = False) -> Model | None:
    wanted = version or ("" if found.versioned else RUNNING)
    try:
        for each in raw if isinstance(raw, list) else [raw]:
            made = entries.read(name, each, of_class=of_class, constructor=constructor)
            if _within(wanted, made.since, made.until):
                return made
    except (TypeSyntaxError, TypeError, AttributeError) as error:
        raise SchemaError(f"{found.file}: {name}: {error}") from error
    return None


def _within(version: str, since: str, until: str) -> bool:
    """Whether a version lies in an interval; the newest (the empty text) does where the interval is open above."""
    if not version:
        return not until
    return (not since or _number(version) >= _number(since)) and (not until or _number(version) < _number(until))


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split("."))


@cache
def constant(name: str) -> Constant | None:
    """A module's constant. What the running Python decides (`sys.version_info`) is read from it; what the machine decides has no value."""
    name = canonical(name)
    found = library(name.partition(".")[0])
    if found is None or name not in found.constants:
        return None
    raw = found.constants[name]
    try:
        of = parse(raw["type"])
        if raw.get("running"):
            return Constant(of, True, getattr(sys, name.partition(".")[2]))
        value = raw.get("value")
        if "value" in raw and of.kind == "float":
            value = float(value)  # nan and inf are strings in JSON
        return Constant(of, "value" in raw or of.kind == "None", tuple(value) if isinstance(value, list) else value)
    except (TypeSyntaxError, TypeError, ValueError, KeyError, AttributeError) as error:
        raise SchemaError(f"{found.file}: {name}: {error!r}") from error


@cache
def bases(name: str) -> tuple[str, ...]:
    """The method resolution order of a class, itself first, `builtins.object` last. Empty where the class is not known."""
    table = _class(canonical(name))
    if table is None:
        return ()
    return (canonical(name), *table[1]["mro"], *(() if canonical(name) == "builtins.object" else ("builtins.object",)))


@cache
def subclasses(name: str) -> tuple[str, ...]:
    """The classes of its library that inherit from a class."""
    found = library(name.partition(".")[0])
    return tuple(cls for cls, table in found.classes.items() if canonical(name) in table["mro"]) if found is not None else ()


@cache
def is_subclass(name: str, of: str) -> bool | None:
    """What issubclass says, with the abstract base classes that a class is registered for. None where one of the two is not known."""
    name, of = canonical(name), canonical(of)
    table = _class(name)
    if table is None or _class(of) is None:
        return None
    return of in bases(name) or of in table[1].get("virtual", ())


@cache
def kind_of(name: str) -> Kind | None:
    """What a module's attribute is. None: not known."""
    name = canonical(name)
    found = library(name.partition(".")[0])
    if found is None:
        return None
    if name in found.modules:
        return "module"
    if name in found.classes:
        return "class"
    if name in found.constants:
        return "constant"
    return "function" if name in found.functions else None


def names(top: str) -> tuple[str, ...]:
    """All names of a library that have a model, methods under the class that defines them."""
    found = library(top)
    if found is None:
        return ()
    members = [f"{cls}.{member}" for cls, table in found.classes.items() for member in table["members"]]
    return (*found.functions, *found.classes, *members)


def _that_say(field: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """All entries of functions, methods and constructors that say something in a field, with their names."""
    for top in libraries():
        made = library(top) if f'"{field}"'.encode() in _data(f"{top}.json").read_bytes() else None
        if made is None:
            continue
        raws = [*made.functions.items()]
        for cls, table in made.classes.items():
            raws += [(cls, table.get("new")), *((f"{cls}.{member}", raw) for member, raw in table["members"].items())]
        wanted = "" if made.versioned else RUNNING
        for name, raw in raws:
            present = (
                e
                for e in (raw if isinstance(raw, list) else [raw])
                if isinstance(e, str) or e and _within(wanted, e.get("since", ""), e.get("until", ""))
            )
            entry = next(present, None)
            if isinstance(entry, dict) and field in entry:
                yield name, entry


@cache
def callers() -> frozenset[str]:
    """The last names of all that calls an argument which may be given by its place."""
    found = ((name, model(name)) for name, _ in _that_say("calls"))
    return frozenset(name.rpartition(".")[2] for name, known in found if known is not None and _calls_by_place(known))


@cache
def changers() -> Mapping[str, frozenset[tuple[str, str]]]:
    """What changes the elements of a container, by its last name: the class whose objects it changes, "" if it changes an argument, and how."""
    found: dict[str, set[tuple[str, str]]] = {}
    for name, entry in _that_say("mutates"):
        cls, _, last = name.rpartition(".")
        for mutation in entries.mutations(entry):
            if mutation.how in ("adds", "removes", "reorders", "replaces"):
                found.setdefault(last, set()).add((cls if mutation.target.kind == "self" else "", mutation.how))
    for method in MODULE_CHANGES:
        found.setdefault(method, set()).add((MODULE, MODULE_METHODS[method]))
    for function in CHANGE_MODULES:
        found.setdefault(function, set()).add(("", "changes"))
    return {last: frozenset(how) for last, how in found.items()}


class Changed(NamedTuple):
    """The places and the names of the arguments that functions of one last name change in place."""

    places: frozenset[int]
    names: frozenset[str]


@cache
def changed_arguments() -> Mapping[str, Changed]:
    """What changes an argument in place, by its last name, with the arguments that it changes."""
    found: dict[str, tuple[set[int], set[str]]] = {}
    for name, entry in _that_say("mutates"):
        targets = {mutation.target.name for mutation in entries.mutations(entry) if mutation.target.kind == "arg"}
        known = model(name) if targets else None
        if known is None:
            continue
        places, names = found.setdefault(name.rpartition(".")[2], (set(), set()))
        names |= targets
        for signature in known.signatures:
            by_place = [parameter.name for parameter in signature.parameters if parameter.kind != "keyword"]
            places.update(by_place.index(target) for target in targets if target in by_place)
    for function, (place, parameter) in CHANGE_MODULES.items():
        places, names = found.setdefault(function, (set(), set()))
        places.add(place)
        names.add(parameter)
    return {last: Changed(frozenset(places), frozenset(names)) for last, (places, names) in found.items()}


def _calls_by_place(known: Model) -> bool:
    called = {call.function.name for call in known.calls}
    return any(parameter.name in called and parameter.kind != "keyword" for parameter in known.parameters or ())
