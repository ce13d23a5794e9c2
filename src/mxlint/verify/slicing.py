"""Which statements of a project an experiment needs. Whatever else the modules do when they are run is left out, with every row in its place.

Names are followed in both directions: forward from what is compiled to the statements that use it, and back from these to all that they need.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from mxlint.project import Project
from mxlint.source import Source

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
IMPORTS = (ast.Import, ast.ImportFrom)
HARMLESS = frozenset({"mlx", "random", "numpy", "logging", "warnings", "math"})
"""Modules whose own state a program may set up by plain calls, such as a seed or a level."""

Name = tuple[str, str]  # file, name


@dataclass(slots=True)
class Unit:
    """One statement of a module. `binds`: names that it gives a value; `uses`: all that it names; `changes`: names whose value it changes in place."""

    node: ast.stmt
    start: int
    end: int
    guard: ast.If | None
    binds: frozenset[str]
    uses: frozenset[str]
    changes: frozenset[str]
    attributes: Mapping[str, frozenset[str]]

    @property
    def drives(self) -> bool:
        """Whether it does something, rather than give names to things."""
        return not isinstance(self.node, (*DEFINITIONS, *IMPORTS))


@dataclass(slots=True)
class Module:
    """A file as units. `imports`: name → (file of the project, name there or None for the module itself); `outside`: name → module elsewhere."""

    source: Source
    path: str
    units: list[Unit]
    imports: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    outside: dict[str, str] = field(default_factory=dict)
    stars: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Slice:
    """The statements kept, as text per place in the program; `driven` whether the entry calls what is compiled."""

    entry: str
    files: Mapping[str, str]
    modules: Mapping[str, Module]
    driven: bool
    outside: frozenset[str]


class Modules:
    """The files of a project, parsed when first asked for."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.by_path: dict[str, Module] = {}
        self.by_file: dict[str, Module | None] = {}

    def of(self, source: Source) -> Module | None:
        key = str(source.path.resolve()) if source.path is not None else source.name
        if key not in self.by_file:
            self.by_file[key] = None
            try:
                tree = ast.parse(source.text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                return None
            module = Module(source, self.place(source), list(_units(source, tree)))
            self.by_file[key] = module
            self.by_path[module.path] = module
            self._link(module)
        return self.by_file[key]

    def place(self, source: Source) -> str:
        """Where a file goes in the program: by the dotted name that others import it by."""
        dotted = self.project.module_name(source).replace(".", "/")
        if source.path is None:
            return "main.py"
        return f"{dotted}/__init__.py" if source.path.name == "__init__.py" else f"{dotted}.py"

    def _link(self, module: Module) -> None:
        """What the imports of a module mean. Those inside functions count as well: they may be run."""
        for unit in module.units:
            for node in ast.walk(unit.node):
                if isinstance(node, ast.Import):
                    for alias in node.names:
                        self._import(module, alias)
                elif isinstance(node, ast.ImportFrom):
                    self._import_from(module, node)

    def _import(self, module: Module, alias: ast.alias) -> None:
        found = self._find(alias.name if alias.asname else alias.name.partition(".")[0], 0, module)
        for part in _prefixes(alias.name):
            self._find(part, 0, module)
        bound = alias.asname or alias.name.partition(".")[0]
        if found is not None:
            module.imports[bound] = (found.path, None)
        elif bound not in module.imports:
            module.outside[bound] = alias.name

    def _import_from(self, module: Module, node: ast.ImportFrom) -> None:
        base = self._find(node.module or "", node.level, module)
        for alias in node.names:
            if alias.name == "*":
                if base is not None:
                    module.stars.append(base.path)
                continue
            name = f"{node.module}.{alias.name}" if node.module else alias.name
            submodule = self._find(name, node.level, module)
            bound = alias.asname or alias.name
            if submodule is not None:
                module.imports[bound] = (submodule.path, None)
            elif base is not None:
                module.imports[bound] = (base.path, alias.name)
            elif bound not in module.imports:
                module.outside[bound] = node.module or ""

    def _find(self, name: str, level: int, module: Module) -> Module | None:
        found = self.project.find(name, level, module.source)
        return self.of(found.source) if found is not None and found.source is not None else None


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
    for path in list(kept):  # packages on the way
        parts = path.split("/")[:-1]
        for depth in range(1, len(parts) + 1):
            kept.setdefault("/".join([*parts[:depth], "__init__.py"]), set())
    kept.setdefault(entry.path, set())
    files = {path: text(modules.by_path[path], numbers) if path in modules.by_path else "" for path, numbers in kept.items()}
    outside = {
        name.partition(".")[0]
        for path, numbers in kept.items()
        if path in modules.by_path
        for number in numbers
        for name in _imported_outside(modules.by_path[path], modules.by_path[path].units[number].node)
    }
    return Slice(entry.path, files, modules.by_path, drives, frozenset(outside))


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
    return "".join(characters)


def _rows(unit: Unit) -> range:
    return range(first_row(unit.node), (unit.node.end_lineno or unit.node.lineno) + 1)


# -- names ------------------------------------------------------------------------------------------------------------


def _units(source: Source, tree: ast.Module) -> Iterator[Unit]:
    """The statements of a module, those under `if __name__ == "__main__":` one by one."""
    for node in tree.body:
        if isinstance(node, ast.If) and _is_main_guard(node.test) and not node.orelse:
            yield from (_unit(source, inner, node) for inner in node.body)
        else:
            yield _unit(source, node, None)


def _is_main_guard(test: ast.expr) -> bool:
    names = {part.id for part in ast.walk(test) if isinstance(part, ast.Name)}
    texts = {part.value for part in ast.walk(test) if isinstance(part, ast.Constant)}
    return isinstance(test, ast.Compare) and names == {"__name__"} and texts == {"__main__"}


def _unit(source: Source, node: ast.stmt, guard: ast.If | None) -> Unit:
    names = _Names()
    names.visit(node)
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        root = _root(node.value.func) if isinstance(node.value.func, ast.Attribute) else None
        if root is not None:
            names.changes.add(root)
    lines = source.text.splitlines(keepends=True)
    start = source.offset(first_row(node)) + _characters(lines, first_row(node), _first_column(node))
    end = source.offset(node.end_lineno or node.lineno) + _characters(lines, node.end_lineno or node.lineno, node.end_col_offset or 0)
    attributes = {name: frozenset(found) for name, found in names.attributes.items()}
    return Unit(node, start, end, guard, frozenset(names.binds), frozenset(names.uses), frozenset(names.changes), attributes)


def _characters(lines: list[str], row: int, column: int) -> int:
    """A column in bytes as one in characters."""
    line = lines[row - 1] if row <= len(lines) else ""
    return column if line.isascii() else len(line.encode()[:column].decode(errors="replace"))


def first_row(node: ast.stmt) -> int:
    decorators = getattr(node, "decorator_list", None)
    rows: list[int] = [node.lineno, *(decorator.lineno for decorator in decorators or ())]
    return min(rows)


def _first_column(node: ast.stmt) -> int:
    return node.col_offset  # a decorator's @ stands where its def does


class _Names(ast.NodeVisitor):
    """What a statement binds in its module, uses anywhere within, and changes in place."""

    def __init__(self) -> None:
        self.binds: set[str] = set()
        self.uses: set[str] = set()
        self.changes: set[str] = set()
        self.attributes: dict[str, set[str]] = {}
        self.depth = 0

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.uses.add(node.id)
        elif self.depth == 0:
            self.binds.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.value, ast.Name):
            self.attributes.setdefault(node.value.id, set()).add(node.attr)
        if not isinstance(node.ctx, ast.Load):
            self._changed(node)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self._changed(node)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._changed(node.target)
        if isinstance(node.target, ast.Name):
            self.uses.add(node.target.id)
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.uses.update(node.names)

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> None:
        if self.depth == 0:
            self.binds.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)
        else:
            self.uses.update(alias.asname or alias.name.partition(".")[0] for alias in node.names)

    visit_ImportFrom = visit_Import

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> None:
        if self.depth == 0:
            self.binds.add(node.name)
        for decorator in node.decorator_list:
            self.visit(decorator)
        self.depth += 1
        for name, value in ast.iter_fields(node):
            if name != "decorator_list":
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, ast.AST):
                        self.visit(part)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef
    visit_ClassDef = visit_FunctionDef

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    def _changed(self, node: ast.expr) -> None:
        root = _root(node)
        if root is not None and self.depth == 0:
            self.changes.add(root)


def _root(node: ast.expr) -> str | None:
    """The name that `a.b[c].d` starts from."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call, ast.Starred)):
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else None


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


def _prefixes(name: str) -> Iterator[str]:
    parts = name.split(".")
    return (".".join(parts[:count]) for count in range(1, len(parts) + 1))
