"""Which statements of a project an experiment needs. Whatever else the modules do when they are run is left out, with every row in its place.

Names are followed in both directions: forward from what is compiled to the statements that use it, and back from these to all that they need.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mxlint.verify.modules import Module, Modules, Name
from mxlint.verify.units import DEFINITIONS, IMPORTS, Unit, first_row

HARMLESS = frozenset({"mlx", "random", "numpy", "logging", "warnings", "math"})
"""Modules whose own state a program may set up by plain calls, such as a seed or a level."""


@dataclass(frozen=True, slots=True)
class Slice:
    """The statements kept, as text per place in the program; `driven` whether the entry calls what is compiled. `roots`: the folders of the
    program where imports are looked for, in order."""

    entry: Module
    roots: tuple[str, ...]
    files: Mapping[str, str]
    modules: Mapping[str, Module]
    driven: bool
    outside: frozenset[str]


def cut(
    modules: Modules,
    entry: Module,
    roots: Mapping[str, Iterable[int]],
    results: Mapping[str, frozenset[str]],
    *,
    stateful: bool,
    driven: bool = True,
) -> Slice:
    """The slice that runs `entry`. `roots`: per place the rows that it is about; `results`: names of compiled objects, whose results lead nowhere.

    Without `driven` nothing that uses what is compiled is looked for. `stateful`: what changes the values of needed names counts as well,
    whoever does it.
    """
    keep: set[tuple[str, int]] = set()
    kept: dict[str, set[int]] = {}
    forward: set[Name] = set()
    needed: set[Name] = set()

    def take(module: Module, number: int) -> bool:
        if (module.path, number) in keep:
            return False
        keep.add((module.path, number))
        kept.setdefault(module.path, set()).add(number)
        unit = module.units[number]
        if isinstance(unit.node, IMPORTS):
            for name in unit.binds & module.imports.keys():
                path, attribute = module.imports[name]
                kept.setdefault(path, set())
                if attribute is not None:
                    needed.add((path, attribute))
        for name in unit.uses | unit.changes:
            needed.add((module.path, name))
            target = module.imports.get(name)
            if target is None:
                needed.update((star, name) for star in module.stars)
            elif target[1] is not None:
                needed.add((target[0], target[1]))
            else:
                needed.update((target[0], attribute) for attribute in unit.attributes.get(name, ()))
        return True

    started = False
    for path, rows in roots.items():
        module = modules.by_path[path]
        for number, unit in enumerate(module.units):
            if any(
                unit.node.lineno <= row <= (unit.node.end_lineno or 0) or first_row(unit.node) <= row < unit.node.lineno for row in rows
            ):
                take(module, number)
                started = started or module is entry and unit.drives
                if isinstance(unit.node, (*DEFINITIONS, ast.Assign, ast.AnnAssign)):
                    forward |= {(path, name) for name in unit.binds}
    if driven:
        _follow(modules, entry, forward, results, take)
    _gather(modules, needed, kept, take, stateful)
    drives = started or any(
        unit.drives and _names(entry, unit) & forward for number, unit in enumerate(entry.units) if number in kept.get(entry.path, ())
    )
    kept.setdefault(entry.path, set())
    modules_kept = [modules.by_path[path] for path in kept]
    for module in modules_kept:
        for package in module.packages:
            kept.setdefault(f"{package}/__init__.py", set())
    folders = dict.fromkeys((*entry.roots, *(module.roots[0] for module in modules_kept if module.roots)))
    files = {path: text(modules.by_path[path], numbers) if path in modules.by_path else "" for path, numbers in kept.items()}
    outside = {
        name.partition(".")[0]
        for path, numbers in kept.items()
        if path in modules.by_path
        for number in numbers
        for name in _imported_outside(modules.by_path[path], modules.by_path[path].units[number].node)
    }
    return Slice(entry, tuple(folders), files, modules.by_path, drives, frozenset(outside))


def _follow(
    modules: Modules, entry: Module, forward: set[Name], results: Mapping[str, frozenset[str]], take: Callable[[Module, int], bool]
) -> None:
    """Keep what uses the names in `forward`, and what uses that."""
    changed = True
    while changed:
        changed = False
        for module in list(modules.by_path.values()):
            for number, unit in enumerate(module.units):
                if not _names(module, unit) & forward:
                    continue
                if isinstance(unit.node, IMPORTS):
                    new = {(module.path, name) for name in unit.binds if module.imports.get(name, ("", None)) in forward} - forward
                    forward |= new
                    changed = changed or bool(new)
                    continue
                if unit.drives and module is not entry and not isinstance(unit.node, (ast.Assign, ast.AnnAssign)):
                    continue
                if take(module, number):
                    changed = True
                if not _is_result(unit.node, results.get(module.path, frozenset())) and isinstance(
                    unit.node, (*DEFINITIONS, ast.Assign, ast.AnnAssign)
                ):
                    new = {(module.path, name) for name in unit.binds} - forward
                    forward |= new
                    changed = changed or bool(new)


def _gather(modules: Modules, needed: set[Name], kept: Mapping[str, set[int]], take: Callable[[Module, int], bool], stateful: bool) -> None:
    """Keep what gives the needed names their values."""
    changed = True
    while changed:
        changed = False
        for module in list(modules.by_path.values()):
            for number, unit in enumerate(module.units):
                if number in kept.get(module.path, ()):
                    continue
                here = {name for path, name in needed if path == module.path}
                if unit.binds & here or _sets_up(module, unit, here, stateful) or _is_star(unit.node) and here:
                    take(module, number)
                    changed = True


def _sets_up(module: Module, unit: Unit, needed: set[str], stateful: bool) -> bool:
    """Whether a statement changes what a needed name holds, or the state of a library that MLX programs set up."""
    roots = {module.outside[name].partition(".")[0] for name in unit.changes if name in module.outside}
    if roots:
        names_environment = any(isinstance(part, ast.Attribute) and part.attr == "environ" for part in ast.walk(unit.node))
        return (
            bool(roots & HARMLESS)
            or (roots == {"os"} and names_environment)
            or (stateful and bool((unit.uses - unit.changes) & _own(module, needed)))
        )
    if unit.changes & _own(module, needed):
        return True
    return stateful and isinstance(unit.node, ast.Expr) and bool(unit.uses & _own(module, needed))


def _own(module: Module, needed: set[str]) -> set[str]:
    """The needed names that hold values of the program, not functions, classes or modules."""
    defined = {name for unit in module.units if isinstance(unit.node, (*DEFINITIONS, *IMPORTS)) for name in unit.binds}
    return needed - defined


def text(module: Module, kept: Iterable[int]) -> str:
    """The text of a module with all other statements blank; rows and columns stay."""
    wanted = set(kept)
    source = module.source
    characters = list(source.text)
    occupied = [False] * len(characters)
    for number in wanted:
        unit = module.units[number]
        occupied[unit.start : unit.end] = [True] * (unit.end - unit.start)
    rows = {row for number in wanted for row in _rows(module.units[number])}
    for number, unit in enumerate(module.units):
        for index in range(unit.start, unit.end):
            if not occupied[index] and characters[index] not in "\r\n":
                characters[index] = " "
        if number not in wanted and not rows.isdisjoint(_rows(unit)):
            characters[unit.start] = "0"  # between semicolons something has to stand
    for guard in {id(unit.guard): unit.guard for unit in module.units if unit.guard is not None}.values():
        inside = [number for number, unit in enumerate(module.units) if unit.guard is guard]
        if not wanted & set(inside):
            first = module.units[inside[0]]
            characters[first.start : first.start + 4] = "pass"
    return _trimmed("".join(characters), occupied)


def _trimmed(text: str, occupied: list[bool]) -> str:
    """The text without the blanks of what was left out, so that nothing tells of it: the same slice is the same text."""
    lines, last, start = [], 0, 0
    for line in text.split("\n"):
        kept = any(occupied[start : start + len(line)]) or bool(line.strip())
        lines.append(line if kept else "")
        last = len(lines) if kept else last
        start += len(line) + 1
    return "\n".join([*lines[:last], ""])


def _rows(unit: Unit) -> range:
    return range(first_row(unit.node), (unit.node.end_lineno or unit.node.lineno) + 1)


def _names(module: Module, unit: Unit) -> set[Name]:
    """What a unit names, here and in the modules that it imports from."""
    names: set[Name] = set()
    for name in unit.uses | (unit.binds if isinstance(unit.node, IMPORTS) else frozenset()):
        names.add((module.path, name))
        target = module.imports.get(name)
        if target is None:
            names.update((star, name) for star in module.stars)
        elif target[1] is not None:
            names.add((target[0], target[1]))
        else:
            names.update((target[0], attribute) for attribute in unit.attributes.get(name, ()))
    return names


def _is_result(node: ast.stmt, compiled: frozenset[str]) -> bool:
    """`y = step(x)`: the result of a compiled function, not another thing that can be called."""
    value = getattr(node, "value", None)
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in compiled


def _is_star(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.ImportFrom)
        and any(alias.name == "*" for alias in node.names)
        or isinstance(node, ast.ImportFrom)
        and node.module == "__future__"
    )


def _imported_outside(module: Module, node: ast.stmt) -> Iterator[str]:
    """Modules that are not of the project and that a statement of the module imports, unless it is ready for their absence."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if (alias.asname or alias.name.partition(".")[0]) in module.outside:
                yield alias.name
    elif (
        isinstance(node, ast.ImportFrom)
        and not node.level
        and node.module
        and any((alias.asname or alias.name) in module.outside for alias in node.names)
    ):
        yield node.module
