"""Import statements: a module of the project is run once, a module of a library is a name.

`import mlx.core as mx` binds `External("mlx.core")`. `from settings import rate` of a file of the project runs that file and binds what its `rate` holds.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable
from contextlib import nullcontext
from typing import Final

from mxlint.domain.heap import Info
from mxlint.domain.members import NONE, UNBOUND, Const, External, Ref, Symbolic, Tuple, Unknown, Value
from mxlint.domain.place import Place
from mxlint.interpreter.containers.builders import new_list
from mxlint.interpreter.expressions.constants import python_value
from mxlint.interpreter.imports.loading import loading
from mxlint.interpreter.imports.packages import submodules
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import LEFT_BY_IMPORTS, Interpreter, OutOfSteps
from mxlint.interpreter.machine.exceptions import answered, throw_named
from mxlint.interpreter.machine.frames import Frame, FrameInfo
from mxlint.interpreter.machine.paths import Path
from mxlint.interpreter.machine.targets import Recovery, Target
from mxlint.interpreter.statements.binding import store
from mxlint.models.load import canonical, kind_of, libraries
from mxlint.models.written import SAYS
from mxlint.project import Found
from mxlint.source import Source
from mxlint.syntax import ir

_BUILTINS: Final = frozenset(dir(builtins))


class CutShort:
    """The modules that took too many steps: what they would have bound is not known."""

    __slots__ = ("modules",)

    def __init__(self) -> None:
        self.modules: set[int] = set()


def run_module(i: Interpreter, source: Source, name: str) -> Frame:
    """Run a file from its top. Its globals are the fields of the module's object."""
    node = i.project.lowered(source)
    known = i.modules.get(source.name)  # a state in which it was not loaded loads it again
    oid = known if known is not None else i.heap.new(Info("module", None, Place(source, 0, 0)))
    i.heap.infos[oid].payload = FrameInfo("module", node.scope, source, "", oid)
    i.modules[source.name] = oid
    _name(i, source, name, _docstring(node), oid)
    frame = Frame(oid, "module", source, "", node.scope, oid, None)
    frame.node = node
    i.stack.append(frame)
    if i.observer is not None:
        i.observer.entered(frame, node)
    outer, i.recovery = i.recovery, Recovery(Target(i.heap.mark()), len(i.tries), i.path, source.session)
    try:
        i.execute(node.body, frame)
    except OutOfSteps:
        i.ledger.of(CutShort).modules.add(oid)
        raise
    finally:
        i.stack.pop()
        i.recovery = outer
    return frame


def _name(i: Interpreter, source: Source, name: str, doc: str | None, oid: int) -> None:
    """Bind the names that a module has before its file is run, in Python's order."""
    place = Place(source, 0, 0)

    def given(field: str, *kinds: str) -> Value:
        return i.symbolic(place, field, kinds=frozenset(kinds) or None, source="environment")

    i.heap.set(oid, "__name__", Const(name))
    i.heap.set(oid, "__doc__", Const(doc))
    for field in ("__package__", "__loader__", "__spec__"):
        i.heap.set(oid, field, given(field))
    if source.path is not None and source.path.name == "__init__.py":
        i.heap.set(oid, "__path__", new_list(i, Tuple((given("__path__", "str"),)), place, "__path__"))
    i.heap.set(oid, "__file__", given("__file__", "str"))
    i.heap.set(oid, "__cached__", given("__cached__"))
    i.heap.set(oid, "__builtins__", External("builtins") if name == "__main__" else given("__builtins__"))


def _docstring(node: ir.Module) -> str | None:
    first = node.body[0] if node.body else None
    text = first.value if isinstance(first, ir.ExprStmt) else None
    return text.value if isinstance(text, ir.Const) and isinstance(text.value, str) else None


def import_module(i: Interpreter, name: str, level: int, frame: Frame, place: Place) -> Value:
    """The module that a dotted name means in a file."""
    if name == "__main__" and i.main is not None and i.main.name in i.modules:
        return Ref(i.modules[i.main.name])
    found = _find(i, name, level, frame)
    if found is not None:
        if found.source is None:
            return _package(i, found.name, place)
        known = _loaded(i, found.source, found.name, place)
        if known is not None:
            return known
        for number in range(1, len(name.split("."))):
            above = ".".join(name.split(".")[:number])
            if _find(i, above, level, frame) is not None:
                import_module(i, above, level, frame, place)
            else:
                _package(i, above, place)
        # A package may import what lies in it.
        return _loaded(i, found.source, found.name, place) or load(i, found.source, found.name, place)
    if f"package {name}" in i.modules:
        return Ref(i.modules[f"package {name}"])
    if level:
        i.may_raise("builtins.ImportError")
        return i.symbolic(place, f"import {'.' * level}{name}", name, frozenset(("module",)))
    return library_module(i, name, place)


def _find(i: Interpreter, name: str, level: int, frame: Frame) -> Found | None:
    """The module of the project that a name means: seen from the file, or from the one that is run, whose folder Python searches as well."""
    if not name and not level:
        return None
    found = i.project.find(name, level, frame.source)
    if found is None and not level and i.main is not None and i.main is not frame.source:
        found = i.project.find(name, 0, i.main)
    return found


def _package(i: Interpreter, name: str, place: Place) -> Value:
    """A folder without `__init__.py`."""
    oid = i.modules.get(f"package {name}")
    if oid is None:
        source = place.source
        oid = i.heap.new(Info("module", None, place))
        i.heap.infos[oid].payload = FrameInfo("module", ir.Scope(frozenset(), frozenset(), frozenset()), source, "", oid)
        i.heap.infos[oid].label = name
        i.modules[f"package {name}"] = oid
    return Ref(oid)


def _loaded(i: Interpreter, source: Source, name: str, place: Place) -> Value | None:
    """A module of the project that has been imported already."""
    oid = i.modules.get(source.name)
    return _as_far_as_run(i, oid, name, place) if oid is not None and i.heap.exists(oid) else None


def load(i: Interpreter, source: Source, name: str, place: Place) -> Value:
    """Run a module of the project when it is first imported."""
    try:
        i.project.lowered(source)
    except (SyntaxError, ValueError):
        return i.unknown(place, f"{source.name} cannot be read")
    with i.leaving_steps(i.most // LEFT_BY_IMPORTS) if place.source is i.main else nullcontext(), loading(i):
        run_module(i, source, name)
    return _as_far_as_run(i, i.modules[source.name], name, place)


def _as_far_as_run(i: Interpreter, oid: int, name: str, place: Place) -> Value:
    """A module that has been imported; one that a budget cut short is as one that is not in sight."""
    if oid in i.ledger.of(CutShort).modules and oid not in [frame.oid for frame in i.stack]:
        return i.derived("import", (Const(name),), frozenset(("module",)), place, name)
    return Ref(oid)


def library_module(i: Interpreter, name: str, place: Place) -> Value:
    """A module of a library, by its canonical name; one without a model is a particular unknown thing."""
    full = canonical(name)
    top = full.partition(".")[0]
    if name == SAYS or top in libraries() or i.mlx.has(full) or top == "mlx":
        return External(full)
    i.may_raise("builtins.ImportError")
    return i.derived("import", (Const(name),), frozenset(("module",)), place, name)


def import_from(i: Interpreter, node: ir.ImportFrom, frame: Frame) -> None:
    """`from module import name`."""
    place = frame.place(node)
    module = import_module(i, node.module, node.level, frame, place)
    if not node.names:
        _star(i, module, node, frame, place)
        return
    for number, (name, alias) in enumerate(node.names):
        value = imported(i, module, name, node, frame, place)
        store(i, alias or name, value, frame)
        if i.observer is not None:
            i.observer.imported(frame, node, number, value)


def imported(i: Interpreter, module: Value, name: str, node: ir.ImportFrom, frame: Frame, place: Place) -> Value:
    """The name that `from module import name` binds: an attribute of the module, or a module below it."""
    if isinstance(module, Ref):
        value = i.heap.get(module.oid, name)
        if value is not None:
            return i.live(value)
        getter = i.heap.get(module.oid, "__getattr__")
        if getter is None:
            return _below(i, module, name, node, frame, place)
        return _asked(i, getter, name, lambda: _below(i, module, name, node, frame, place), place, frame)
    inner = f"{node.module}.{name}" if node.module else name
    found = _find(i, inner, node.level, frame) if isinstance(module, Symbolic) else None
    if found is not None and found.source is not None:
        return import_module(i, inner, node.level, frame, place)
    return i.attribute(module, name, place, frame)


def _below(i: Interpreter, module: Ref, name: str, node: ir.ImportFrom, frame: Frame, place: Place) -> Value:
    """A module below a package that has no such attribute."""
    inner = f"{node.module}.{name}" if node.module else name
    if _find(i, inner, node.level, frame) is not None:
        return import_module(i, inner, node.level, frame, place)
    if module.oid in [f.oid for f in i.stack]:
        return i.unknown(place, "an import in a circle")
    throw_named(i, "builtins.ImportError", place)


def _asked(i: Interpreter, getter: Value, name: str, otherwise: Callable[[], Value], place: Place, frame: Frame) -> Value:
    """What the `__getattr__` of a module gives; `otherwise`, where it raises AttributeError."""
    given = Target(i.heap.mark())
    with i.leaving() as missing:
        path = i.path
        with i.trying() as raised:
            i.reach(given, i.call(getter, Arguments((Const(name),), places=(place,)), place, frame))
        i.heap.undo(raised.mark)
        i.path = path
        answered(i, raised, "builtins.AttributeError", lambda: i.reach(missing, NONE))
    ways: list[tuple[Path, Callable[[], Value]]] = []
    if given.arrived:
        ways.append(((), lambda: i.arrive(given)))
    if missing.arrived:
        ways.append(((), lambda: (i.arrive(missing), otherwise())[1]))
    return i.fork(ways)


def loaded(i: Interpreter, args: Arguments, place: Place, frame: Frame) -> Value:
    """`sys.modules[name]`: a module of the project that has been imported."""
    name = args.args[1]
    found = [oid for oid in i.modules.values() if isinstance(name, Const) and i.heap.get(oid, "__name__") == name]
    return Ref(found[0]) if len(found) == 1 else UNBOUND


def _star(i: Interpreter, module: Value, node: ir.ImportFrom, frame: Frame, place: Place) -> None:
    if isinstance(module, Ref):
        listed = i.heap.get(module.oid, "__all__")
        names = python_value(i, listed) if listed is not None else None
        if isinstance(names, (list, tuple)):
            for name in names:
                if isinstance(name, str) and i.heap.get(module.oid, name) is None:
                    store(i, name, imported(i, module, name, node, frame, place), frame)
        bound: dict[object, Value] = {**dict(submodules(i, module)), **i.heap.fields(module.oid)}
        for field, value in bound.items():
            if isinstance(field, str) and (field in names if isinstance(names, (list, tuple)) else not field.startswith("_")):
                store(i, field, value, frame)
    elif isinstance(module, External):
        i.heap.set(frame.module, ("#", "star"), module)
    else:
        i.heap.set(frame.module, ("#", "star"), Unknown("import *"))


def missing_name(i: Interpreter, name: str, frame: Frame, node: ir.Expr) -> Value | None:
    """A global that no statement binds: one of `import *`, or a module's own `__getattr__`."""
    star = i.heap.get(frame.module, ("#", "star"))
    if star is None:
        return None
    if isinstance(star, External):
        full = f"{star.name}.{name}"
        if kind_of(full) is not None or i.mlx.has(full):
            return i.attribute(star, name, frame.place(node), frame)
        return None
    if name in _BUILTINS:
        return External(f"builtins.{name}")
    return i.symbolic(frame.place(node), f"import * {name}", name)
