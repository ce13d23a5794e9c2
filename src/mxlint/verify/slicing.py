"""Which statements of a project an experiment needs. Whatever else the modules do when they are run is left out, with every row in its place.

Names are followed in both directions: forward from what is compiled to the statements that use it, and back from these to all that they need.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from mxlint.syntax.trees import TRIES
from mxlint.verify.influence import Influence, imported, meets
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
    reads: bool = False,
) -> Slice:
    """The slice that runs `entry`. `roots`: per place the rows that it is about; `results`: names of compiled objects, whose results lead nowhere.

    Without `driven` nothing that uses what is compiled is looked for. `stateful`: what changes the values of needed names counts as well,
    whoever does it; `reads`: so does what uses them.
    """
    program = _Program(modules)
    forward: list[Name] = []
    started = False
    for path, rows in roots.items():
        module = modules.by_path[path]
        for number, unit in enumerate(module.units):
            if any(
                unit.node.lineno <= row <= (unit.node.end_lineno or 0) or first_row(unit.node) <= row < unit.node.lineno for row in rows
            ):
                program.take(module, number)
                started = started or module is entry and unit.drives
                if isinstance(unit.node, (*DEFINITIONS, ast.Assign, ast.AnnAssign)):
                    forward.extend((path, name) for name in unit.binds)
    followed = _follow(program, entry, forward, results) if driven else set(forward)
    drives = started or any(
        unit.drives and _used(entry, unit) & followed
        for number, unit in enumerate(entry.units)
        if number in program.kept.get(entry.path, ())
    )
    if driven and not drives:
        return Slice(entry, entry.roots, {}, modules.by_path, driven=False, outside=frozenset())
    _gather(program, stateful)
    program.enter(entry.path)
    _complete(program, entry, Influence(modules, reads), stateful, driven)
    kept = program.kept
    modules_kept = [modules.by_path[path] for path in kept]
    for module in modules_kept:
        for package in module.packages:
            kept.setdefault(f"{package}/__init__.py", set())
    folders = dict.fromkeys((*entry.roots, *(module.roots[0] for module in modules_kept if module.roots)))
    files = {path: text(modules.by_path[path], numbers) if path in modules.by_path else "" for path, numbers in kept.items()}
    return Slice(entry, tuple(folders), files, modules.by_path, drives, _outside(modules, kept))


def _outside(modules: Modules, kept: Mapping[str, set[int]]) -> frozenset[str]:
    """The packages outside of the project that the kept statements need."""
    return frozenset(
        part
        for path, numbers in kept.items()
        if path in modules.by_path
        for number in numbers
        for whole in _needs(modules.by_path[path], number)
        for part in _packages(whole)
    )


class _Program:
    """What is kept so far: by place the numbers of statements. `needed`: names that they use, and whose statements are not yet looked for; `done`: those
    that were."""

    __slots__ = ("done", "kept", "modules", "needed")

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        self.kept: dict[str, set[int]] = {}
        self.needed: list[Name] = []
        self.done: set[Name] = set()

    def enter(self, path: str) -> None:
        """Keep a module that is imported, and so run: what sets up libraries there goes with it."""
        if path in self.kept:
            return
        self.kept[path] = set()
        module = self.modules.by_path.get(path)
        for number, unit in enumerate(module.units if module is not None else ()):
            if module is not None and (_is_future(unit.node) or _sets_up_library(module, unit)):
                self.take(module, number)

    def take(self, module: Module, number: int) -> None:
        """Keep a statement, the modules that it imports, and note the names that it needs."""
        self.enter(module.path)
        if number in self.kept[module.path]:
            return
        self.kept[module.path].add(number)
        unit = module.units[number]
        if isinstance(unit.node, IMPORTS):
            for name in unit.binds & module.imports.keys():
                path, attribute = module.imports[name]
                self.enter(path)
                if attribute is not None:
                    self.needed.append((path, attribute))
        self.needed.extend(names_in(module, unit, unit.uses | unit.changes))


def _follow(program: _Program, entry: Module, forward: list[Name], results: Mapping[str, frozenset[str]]) -> set[Name]:
    """Keep what uses the names in `forward`, and what uses that; all the names that lead there."""
    users = users_of(program.modules)
    followed = set(forward)
    while forward:
        name = forward.pop()
        for module, number in users.get(name, ()):
            unit = module.units[number]
            if isinstance(unit.node, IMPORTS):
                new = {(module.path, bound) for bound in unit.binds if module.imports.get(bound) == name}
            elif unit.drives and module is not entry and not isinstance(unit.node, (ast.Assign, ast.AnnAssign)):
                continue
            else:
                program.take(module, number)
                leads = isinstance(unit.node, (*DEFINITIONS, ast.Assign, ast.AnnAssign))
                if not leads or _is_result(unit.node, results.get(module.path, frozenset())):
                    continue
                new = {(module.path, bound) for bound in unit.binds}
            forward.extend(new - followed)
            followed |= new
    return followed


def users_of(modules: Modules) -> dict[Name, list[tuple[Module, int]]]:
    """The statements that use each name of the project."""
    if modules.counted != len(modules.by_path):
        modules.counted = len(modules.by_path)
        modules.users = {}
        for module in list(modules.by_path.values()):
            for number, unit in enumerate(module.units):
                for name in _used(module, unit):
                    modules.users.setdefault(name, []).append((module, number))
    return modules.users


def _complete(program: _Program, entry: Module, influence: Influence, stateful: bool, driven: bool) -> None:
    """Keep what may change the values of the needed names, in all modules that are run, and what imports these."""
    modules, kept = program.modules, program.kept
    reached = imported(modules, entry)
    changed = True
    while changed:
        changed = False
        used = _used_libraries(modules, kept)
        for path in reached:
            module = modules.by_path.get(path)
            for number, unit in enumerate(module.units if module is not None else ()):
                run = unit.drives and (unit.guard is None or driven and module is entry)
                if module is None or not run or number in kept.get(path, ()):
                    continue
                if not meets(influence.of(module, number), program.done) and not (path in kept and _sets_up_library(module, unit, used)):
                    continue
                program.take(module, number)
                if unit.deep or unit.sets or meets(influence.later(module, number), program.done):  # whoever calls what it makes does that
                    program.needed.extend((path, name) for name in unit.binds)
                changed = True
                step = reached[path]
                while step is not None and step[1] not in kept.get(step[0], ()):
                    program.take(modules.by_path[step[0]], step[1])
                    step = reached[step[0]]
        _gather(program, stateful)


def _gather(program: _Program, stateful: bool) -> None:
    """Keep what gives the needed names their values."""
    while program.needed:
        path, name = program.needed.pop()
        module = program.modules.by_path.get(path)
        if module is None or (path, name) in program.done:
            continue
        program.done.add((path, name))
        for number in module.mentions.get(name, ()):
            unit = module.units[number]
            if name in unit.binds or _sets_up(module, unit, name, stateful):
                program.take(module, number)
        for number in module.star_rows:
            program.take(module, number)


def _sets_up_library(module: Module, unit: Unit, used: Collection[str] = ("mlx",)) -> bool:
    """Whether a statement changes the state of a library that MLX programs set up, and that is used."""
    roots = _libraries(module, unit)
    names_environment = any(isinstance(part, ast.Attribute) and part.attr == "environ" for part in ast.walk(unit.node)) if roots else False
    return bool(roots & HARMLESS & {*used}) or (roots == {"os"} and names_environment)


def _used_libraries(modules: Modules, kept: Mapping[str, set[int]]) -> set[str]:
    """The libraries that statements of a program use."""
    units = (
        (modules.by_path[path], modules.by_path[path].units[number])
        for path, numbers in kept.items()
        if path in modules.by_path
        for number in numbers
    )
    return {
        module.outside[name].partition(".")[0]
        for module, unit in units
        if unit.drives or isinstance(unit.node, DEFINITIONS)
        for name in unit.uses
        if name in module.outside
    }


def _sets_up(module: Module, unit: Unit, name: str, stateful: bool) -> bool:
    """Whether a statement changes what a needed name holds."""
    if name in module.defined:  # it holds no value of the program
        return False
    if _libraries(module, unit):
        return stateful and name in unit.uses - unit.changes
    return name in unit.changes or stateful and isinstance(unit.node, ast.Expr) and name in unit.uses


def _libraries(module: Module, unit: Unit) -> set[str]:
    return {module.outside[name].partition(".")[0] for name in unit.changes if name in module.outside}


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
        kept = any(occupied[start : start + len(line)]) or bool(line.strip(" \t\f\r;"))
        lines.append(line if kept else "")
        last = len(lines) if kept else last
        start += len(line) + 1
    return "\n".join([*lines[:last], ""])


def _rows(unit: Unit) -> range:
    return range(first_row(unit.node), (unit.node.end_lineno or unit.node.lineno) + 1)


def _used(module: Module, unit: Unit) -> set[Name]:
    """What a unit names, here and in the modules that it imports from."""
    return names_in(module, unit, unit.uses | (unit.binds if isinstance(unit.node, IMPORTS) else frozenset()))


def names_in(module: Module, unit: Unit, used: Iterable[str]) -> set[Name]:
    """Names of a unit, and what they are in the modules that they come from."""
    names: set[Name] = set()
    for name in used:
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


def _packages(name: str) -> Iterator[str]:
    """The package that a module is in; of MLX's own namespace, which others put packages into, the part."""
    parts = name.split(".")
    yield parts[0]
    if parts[0] == "mlx" and len(parts) > 1:
        yield ".".join(parts[:2])


def _is_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _needs(module: Module, number: int) -> tuple[str, ...]:
    """What `_imported_outside` yields for a statement, found once: many programs are cut from the same modules."""
    if number not in module.needs:
        module.needs[number] = tuple(_imported_outside(module, module.units[number].node))
    return module.needs[number]


def _imported_outside(module: Module, node: ast.AST) -> Iterator[str]:
    """Modules that are not of the project and that a statement of the module imports, in itself or in functions, unless it is ready for their
    absence: that a `try` around an import sees to."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if (alias.asname or alias.name.partition(".")[0]) in module.outside:
                yield alias.name
    elif isinstance(node, ast.ImportFrom):
        if not node.level and node.module and any((alias.asname or alias.name) in module.outside for alias in node.names):
            yield node.module
    elif not (isinstance(node, TRIES) and node.handlers):
        for part in ast.iter_child_nodes(node):
            yield from _imported_outside(module, part)
