"""What names mean that imports bind, by the symbol indexes: also of imports that do not run, as those under `if TYPE_CHECKING:` for annotations."""

from __future__ import annotations

import builtins
from collections.abc import Iterator

from mxlint.domain.members import Ref, Value
from mxlint.interpreter.imports.idle import imported_by
from mxlint.interpreter.machine.core import Interpreter
from mxlint.source import Source
from mxlint.syntax.index import ANY, Import


def meant(i: Interpreter, source: Source, name: str) -> Value | None:
    """What a file imports under a name, of modules that have run: a module that only hands the name on need not have."""
    if hasattr(builtins, name):
        return None
    for module, wanted in handed_on(i, source, name):
        oid = i.modules.get(module.name)
        if oid is None or not i.heap.exists(oid):
            continue
        found = i.heap.get(oid, wanted) if wanted else None
        if found is not None:
            return found
        if not wanted or module.path is not None and module.path.stem == wanted:
            return Ref(oid)
    return None


def handed_on(i: Interpreter, source: Source, name: str) -> Iterator[tuple[Source, str]]:
    """The files from which a file has a name, each with what it is called there: the one that it imports, and those from which that imports it. "" of what is a module
    itself."""
    todo, seen = [(source, name)], {(id(source), name)}
    for file, bound in todo:
        for item in _imports(i, file):
            if item.bound not in (bound, ANY):
                continue
            wanted = bound if item.name == ANY else item.name or ""
            for module in imported_by(i.project, file, file, item):
                if wanted or _is_last(module, item):
                    yield module, wanted
                if wanted and (id(module), wanted) not in seen:
                    seen.add((id(module), wanted))
                    todo.append((module, wanted))


def _is_last(module: Source, item: Import) -> bool:
    """Whether a module is the one that an import names, and none of the packages around it."""
    last = item.module.rpartition(".")[2]
    return module.path is not None and last in (module.path.stem, module.path.parent.name if module.path.stem == "__init__" else "")


def _imports(i: Interpreter, source: Source) -> tuple[Import, ...]:
    try:
        return i.project.symbols(source, i.tracers).imports
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ()
