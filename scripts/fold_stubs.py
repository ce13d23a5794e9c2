"""Make the models' data: typeshed's stubs of the standard library, what the running Python says, and src/mxlint/models/overlay on top.

    python scripts/fold_stubs.py            write src/mxlint/models/data
    python scripts/fold_stubs.py --check    fail if the committed data differs

Run it with the newest Python that the development environment has: orders of resolution and constants are its own.
"""

from __future__ import annotations

import json
import math
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import measured
from mypy.version import __version__ as mypy_version
from stub_modules import Read, Reader

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MODELS = Path(__file__).parents[1] / "src/mxlint/models"
VERSIONS = [(3, minor) for minor in range(10, 15)]
SOURCE = (
    f"typeshed as of mypy {mypy_version} (Apache-2.0, some parts MIT; https://github.com/python/typeshed), folded by scripts/fold_stubs.py"
)
Entry = dict[str, Any]


def settings() -> dict[str, Any]:
    return tomllib.loads((MODELS / "overlay/libraries.toml").read_text())


def read_all(config: dict[str, Any]) -> dict[str, Read]:
    """The stubs for each version of Python."""
    own = measured.own_names()
    found: dict[str, Read] = {}
    newer = None
    for a, b in reversed(VERSIONS):
        newer = found[f"{a}.{b}"] = Reader(config["modules"], (a, b), config["private"], own, newer).read()
    return dict(reversed(found.items()))


def versioned(texts: dict[str, list[str]], iterates: list[str]) -> Any:
    """One entry, or a list of entries with `since` and `until`, from the signatures by version; versions without it lack a key."""
    all_versions = [f"{a}.{b}" for a, b in VERSIONS]
    runs: list[tuple[int, int, list[str]]] = []
    for at, version in enumerate(all_versions):
        if version not in texts:
            continue
        if runs and runs[-1][1] == at and runs[-1][2] == texts[version]:
            runs[-1] = (runs[-1][0], at + 1, texts[version])
        else:
            runs.append((at, at + 1, texts[version]))
    entries = []
    for start, end, signatures in runs:
        entry: Entry = {"signature": signatures if len(signatures) > 1 else signatures[0]}
        named = [name for name in iterates if any(_has_parameter(each, name) for each in signatures)]
        if named:
            entry["iterates"] = named
        if start > 0:
            entry["since"] = all_versions[start]
        if end < len(all_versions):
            entry["until"] = all_versions[end]
        entries.append(entry)
    return entries


def _has_parameter(signature: str, name: str) -> bool:
    inside = signature.partition(")")[0].lstrip("(").replace("*", "").split(",")
    return name in [part.strip().partition("=")[0] for part in inside]


def fold(config: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The data of each library, by its top-level package."""
    by_version = read_all(config)
    newest = by_version[f"{VERSIONS[-1][0]}.{VERSIONS[-1][1]}"]
    libraries: dict[str, dict[str, Any]] = {}
    for module in sorted({m for read in by_version.values() for m in read.modules}):
        table = libraries.setdefault(
            module.partition(".")[0], {"source": SOURCE, "modules": [], "aliases": {}, "functions": {}, "classes": {}, "constants": {}}
        )
        table["modules"].append(module)

    def of(name: str) -> dict[str, Any]:
        return libraries[name.partition(".")[0]]

    every: dict[str, None] = {}
    for read in by_version.values():
        every.update(dict.fromkeys(read.functions))
    for name in sorted(every):
        texts = {version: read.functions[name] for version, read in by_version.items() if name in read.functions}
        of(name)["functions"][name] = versioned(texts, _iterates(by_version, name))
    classes = sorted({name for read in by_version.values() for name in read.members})
    real = {id(found): name for name in reversed(classes) if isinstance(found := measured.resolve(name), type)}
    for name in classes:
        of(name)["classes"][name] = _class(name, by_version, newest, real)
    for name, shown in sorted({n: t for read in by_version.values() for n, t in read.constants.items()}.items()):
        if name not in of(name)["functions"]:
            of(name)["constants"][name] = _constant(name, shown, config)
    for read in by_version.values():
        for alias, name in read.aliases.items():
            if alias.partition(".")[0] in libraries:
                libraries[alias.partition(".")[0]]["aliases"][alias] = name
    return libraries


def of_overlay(top: str) -> dict[str, Any]:
    """A library of which the overlay alone says something."""
    source = f"overlay/{top}.toml, folded by scripts/fold_stubs.py"
    return {"source": source, "modules": [top], "aliases": {}, "functions": {}, "classes": {}, "constants": {}}


def importers(libraries: dict[str, dict[str, Any]]) -> list[str]:
    """The functions that import a module which their first argument names."""
    entries = ((name, each) for table in libraries.values() for name, listed in table["functions"].items() for each in listed)
    return sorted({name for name, each in entries if each.get("imports")})


def _iterates(by_version: dict[str, Read], name: str) -> list[str]:
    return sorted({p for read in by_version.values() for p in read.iterates.get(name, ())})


def _class(name: str, by_version: dict[str, Read], newest: Read, real: dict[int, str]) -> dict[str, Any]:
    has = {version: read for version, read in by_version.items() if name in read.members}
    stub = next(iter(reversed(list(has.values())))).mro[name]
    mro = measured.order(name, stub, real)
    table: dict[str, Any] = {"mro": mro}
    if virtual := measured.registered(name, mro):
        table["virtual"] = virtual
    made = {version: read.new[name] for version, read in has.items() if name in read.new}
    if made:
        table["new"] = versioned(made, [])
    members = sorted({member for read in has.values() for member in read.members[name]})
    table["members"] = {}
    for member in members:
        texts = {version: read.members[name][member] for version, read in has.items() if member in read.members[name]}
        if len(has) < len(by_version):
            # The class itself came or goes: its `new` says so.
            texts |= {version: texts[min(texts, key=_number)] for version in by_version if version not in has}
        table["members"][member] = versioned(texts, _iterates(by_version, f"{name}.{member}"))
    return table


def _number(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def _constant(name: str, shown: str, config: dict[str, Any]) -> Entry:
    if name in config["running"]:
        return {"type": shown, "running": True}
    value = measured.resolve(name)
    portable = name.partition(".")[0] in config["portable"] or name in config["portable"]
    if portable and type(value) in (type(None), bool, int, float, str):
        finite = not isinstance(value, float) or math.isfinite(value)
        return {"type": type(value).__name__ if value is not None else "None", "value": value if finite else str(value)}
    return {"type": shown}


# -- overlay ----------------------------------------------------------------------------------------------------------


def overlay(libraries: dict[str, dict[str, Any]]) -> None:
    """Put the hand-written files on top. A key is a name or a pattern; later keys win; one that names nothing is an error."""
    missing: list[str] = []
    for top, table in libraries.items():
        path = MODELS / f"overlay/{top}.toml"
        if not path.exists():
            continue
        for pattern, fields in tomllib.loads(path.read_text()).items():
            if pattern in ("functions", "classes", "constants", "aliases"):
                raise SystemExit(f"{path.name}: {pattern}: write the entry's whole name in quotes")
            if "type" in fields:
                table["constants"][pattern] = fields
                table["functions"].pop(pattern, None)
                continue
            if "mro" in fields:
                table["classes"].setdefault(pattern, {"mro": [], "members": {}}).update(
                    {key: fields[key] for key in ("mro", "virtual") if key in fields}
                )
                table["constants"].pop(pattern, None)
                fields = {key: value for key, value in fields.items() if key not in ("mro", "virtual")}
                if not fields:
                    continue
            if "alias" in fields:
                table["aliases"][pattern] = fields["alias"]
                table["constants"].pop(pattern, None)
                continue
            if not _apply(table, pattern, fields):
                missing.append(f"{path.name}: {pattern}: no such name")
    if missing:
        raise SystemExit("\n".join(missing))


def _apply(table: dict[str, Any], pattern: str, fields: Entry) -> bool:
    slots = [(table["functions"], name, name) for name in table["functions"]]
    for cls, each in table["classes"].items():
        slots += [(each["members"], member, f"{cls}.{member}") for member in each["members"]]
        slots.append((each, "new", cls))
    hit = False
    for place, key, name in slots:
        matches = name == pattern or (
            ("*" in pattern or "[" in pattern) and fnmatchcase(name, pattern) and _depth(name) == _depth(pattern) and key != "new"
        )
        if matches:
            hit = True
            place[key] = _changed(place.get(key), fields, exact=name == pattern)
    if hit or "signature" not in fields:
        return hit
    owner, _, member = pattern.rpartition(".")
    place = table["classes"][owner]["members"] if owner in table["classes"] else table["functions"]
    table["constants"].pop(pattern, None)
    place[member if owner in table["classes"] else pattern] = [fields]
    return True


def _depth(name: str) -> int:
    return name.count(".")


def _changed(entries: list[Entry] | None, fields: Entry, *, exact: bool) -> list[Entry]:
    fields = dict(fields)
    result = fields.pop("result", None)
    made = []
    for entry in [_one(entries)] if entries is None or ("signature" in fields and exact) else entries:
        attribute = str(entry.get("signature", "")).startswith("->")
        if attribute and not exact:
            made.append(entry)
            continue
        entry = {**entry, **fields}
        if result is not None:
            shown = list(dict.fromkeys(f"{each.rpartition(' -> ')[0]} -> {result}".lstrip() for each in listed(entry["signature"])))
            entry["signature"] = shown if len(shown) > 1 else shown[0]
        made.append(entry)
    return made


def _one(entries: list[Entry] | None) -> Entry:
    """What earlier keys say of a name that is given one signature for all versions."""
    kept = {key: value for entry in entries or () for key, value in entry.items() if key not in ("since", "until", "iterates")}
    return kept | {"signature": ""} if kept else {}


def listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


# -- writing ----------------------------------------------------------------------------------------------------------


def compact(entries: Any) -> Any:
    """One entry instead of a list of one; a signature alone instead of a table of one field; no fields that say nothing."""
    shown = []
    for entry in entries:
        entry = {key: value for key, value in entry.items() if value not in ([], "", {}, False, None)}
        shown.append(entry["signature"] if entry.keys() == {"signature"} and isinstance(entry["signature"], str) else entry)
    return shown[0] if len(shown) == 1 else shown


def rendered(table: dict[str, Any]) -> str:
    """JSON with one entry a line."""

    def line(value: object) -> str:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))

    parts = [f'"source":{line(table["source"])}', f'"modules":{line(table["modules"])}']
    if table.get("versioned"):
        parts.append('"versioned":true')
    for section in ("aliases", "functions", "constants"):
        shown = {k: compact(v) if section == "functions" else v for k, v in sorted(table[section].items())}
        parts.append(f'"{section}":{{' + ",".join(f"\n{line(k)}:{line(v)}" for k, v in shown.items()) + "}")
    classes = []
    for name, cls in sorted(table["classes"].items()):
        head = [f'"{key}":{line(cls[key])}' for key in ("mro", "virtual") if key in cls]
        head += [f'"new":{line(compact(cls["new"]))}'] if "new" in cls else []
        members = ",".join(f"\n {line(k)}:{line(compact(v))}" for k, v in sorted(cls["members"].items()))
        classes.append(f'\n{line(name)}:{{{",".join(head)},"members":{{{members}}}}}')
    parts.append('"classes":{' + ",".join(classes) + "}")
    return "{" + ",\n".join(parts) + "}\n"


def main() -> int:
    config = settings()
    libraries = fold(config)
    libraries |= {top: of_overlay(top) for top in config["written"]}
    overlay(libraries)
    known = {name for table in libraries.values() for section in ("functions", "classes", "constants") for name in table[section]}
    for table in libraries.values():
        table["aliases"] = {alias: name for alias, name in table["aliases"].items() if name in known and alias not in known}
    files = {f"{top}.json": rendered(table) for top, table in libraries.items()}
    index = {"libraries": sorted({*libraries, *config["other"]}), "modules": config["module_aliases"], "importers": importers(libraries)}
    files["index.json"] = json.dumps(index, indent=0) + "\n"
    if "--check" in sys.argv:
        stale = [name for name, shown in files.items() if not (path := MODELS / "data" / name).exists() or path.read_text() != shown]
        print("\n".join(f"differs: {name}" for name in stale) or "the data is what the stubs and the overlay make")
        return bool(stale)
    for name, shown in files.items():
        (MODELS / "data" / name).write_text(shown)
    print(f"{len(files)} files, {sum(map(len, files.values())) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
