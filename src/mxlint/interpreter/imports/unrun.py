"""What names mean that only imports bind which do not run, as those under `if TYPE_CHECKING:` for annotations."""

from __future__ import annotations

import builtins

from mxlint.domain.members import Ref, Value
from mxlint.interpreter.imports.idle import imported_by
from mxlint.interpreter.machine.core import Interpreter
from mxlint.source import Source
from mxlint.syntax.index import ANY


def meant(i: Interpreter, source: Source, name: str) -> Value | None:
    """What a file imports under a name, of modules that have run: a module that only hands the name on need not have."""
    if hasattr(builtins, name):
        return None
    todo, seen = [(source, name)], {(id(source), name)}
    for file, bound in todo:
        try:
            imports = i.project.symbols(file, i.tracers).imports
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for item in imports:
            if item.bound not in (bound, ANY):
                continue
            wanted = bound if item.name == ANY else item.name
            for module in imported_by(i.project, file, file, item):
                oid = i.modules.get(module.name)
                ran = oid is not None and i.heap.exists(oid)
                found = i.heap.get(oid, wanted) if ran and wanted is not None else None  # type: ignore[arg-type]
                if found is not None:
                    return found
                if ran and module.path is not None and module.path.stem == (wanted or item.module.rpartition(".")[2]):
                    return Ref(oid)  # type: ignore[arg-type]
                if wanted is not None and (id(module), wanted) not in seen:
                    seen.add((id(module), wanted))
                    todo.append((module, wanted))
    return None
