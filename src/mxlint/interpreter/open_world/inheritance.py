"""The classes in which something is compiled, with their bases and the classes that extend them: a rule and its fix ask for these."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Sequence

from mxlint.domain.members import External, Member, Ref
from mxlint.domain.place import Place
from mxlint.facts import events
from mxlint.finding import Span
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.objects.lookup import PLAIN, mro
from mxlint.project import Project
from mxlint.source import Source


def classes(i: Interpreter, project: Project, sites: Collection[Span]) -> Iterator[events.Class]:
    """The classes in whose definition one of the sites lies."""
    if not sites:
        return
    found = {oid: info.place for oid, info in enumerate(i.heap.infos) if info.kind == "class" and isinstance(info.place, Place)}
    for oid, place in found.items():
        span = place.span
        if not any(site.filename == span.filename and span.start <= site.start and site.end <= span.end for site in sites):
            continue
        above = mro(i, Ref(oid))[1:]
        below = [found[other] for other in found if other != oid and Ref(oid) in mro(i, Ref(other))]
        yield events.Class(
            span, _library(above), tuple(_places(i, above)), tuple(dict.fromkeys(place.span for place in below)),
            known=all(isinstance(base, Ref) or isinstance(base, External) and _is_known(base.name) for base in above),
            elsewhere=any(_inherits(tree, i.info(oid).label) for tree in _not_run(i, project, i.info(oid).label, place.source)),
        )  # fmt: skip


def _library(above: Sequence[Member]) -> str:
    return next((base.name for base in above if isinstance(base, External) and base.name not in PLAIN), "")


def _is_known(name: str) -> bool:
    return name in PLAIN or name.startswith("mlx.nn.")


def _places(i: Interpreter, found: Sequence[Member]) -> Iterator[Span]:
    for member in found:
        place = i.info(member.oid).place if isinstance(member, Ref) else None
        if isinstance(place, Place):
            yield place.span


def _not_run(i: Interpreter, project: Project, name: str, source: Source) -> Iterator[ast.Module]:
    """The files that say a name and that this run did not come to."""
    for other in project.saying(name, source):
        if other.name not in i.modules:
            try:
                yield ast.parse(other.text)
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue


def _inherits(tree: ast.Module, name: str) -> bool:
    """Whether a file that was not run may have a subclass: of what it calls by that name, or imports under another one."""
    names = {name} | {
        item.asname
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom)
        for item in node.names
        if item.name == name and item.asname is not None
    }
    bases = (base for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for base in node.bases)
    return any(isinstance(base, ast.Name) and base.id in names or isinstance(base, ast.Attribute) and base.attr == name for base in bases)
