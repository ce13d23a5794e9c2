"""Classes as fixes have to know them: a name that nothing at hand has, what is made for objects of subclasses, a line more in `__init__`."""

from __future__ import annotations

import ast
import re

from mxlint.facts.events import Class
from mxlint.finding import Edit, Span
from mxlint.fixes.scopes import bound
from mxlint.fixes.syntax import Sources, Syntax, syntax_of


def free_name(sources: Sources, wanted: str) -> str:
    """A name that no file at hand knows: what a class adds under it hides nothing of its bases and subclasses."""
    texts = [source.text for source in sources.values()]
    names = (wanted, *(f"{wanted}_{number}" for number in range(2, 100)))
    return next(name for name in names if not any(re.search(rf"\b{name}\b", text) for text in texts))


def class_at(place: Span, sources: Sources) -> tuple[Syntax, ast.ClassDef] | None:
    """The class statement at a place, with or without its decorators."""
    syntax = syntax_of(sources, place)
    start, end = syntax.stretch(place) if syntax is not None else (0, 0)
    for node in ast.walk(syntax.tree) if syntax is not None else ():
        assert syntax is not None
        if isinstance(node, ast.ClassDef) and start <= syntax.start(node) and syntax.end(node) == end and node.lineno >= place.start.row:
            return syntax, node
    return None


def all_are_made(cls: Class, sources: Sources) -> bool:
    """Whether what the `__init__` of a class makes is made for objects of all its subclasses: they have none of their own, or one that
    calls that of the class above."""
    if cls.elsewhere:
        return False
    below = [class_at(place, sources) for place in cls.below]
    return all(found is not None and _calls_above(*found) for found in below)


def _calls_above(syntax: Syntax, cls: ast.ClassDef) -> bool:
    init = _init(cls)
    above = {"super()", *(syntax.text(base) for base in cls.bases)}
    return init is None or any(
        isinstance(part, ast.Expr)
        and isinstance(part.value, ast.Call)
        and isinstance(part.value.func, ast.Attribute)
        and part.value.func.attr == "__init__"
        and syntax.text(part.value.func.value) in above
        for part in init.body
    )


def _init(cls: ast.ClassDef) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
    return next((node for node in cls.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == "__init__"), None)


# -- __init__ ---------------------------------------------------------------------------------------------------------


def in_init(known: Class, sources: Sources, own: str, line: str) -> Edit | None:
    """A last line of a class's `__init__`, which is made if the class has none and what that must do is known: nothing of the program above has one,
    and what is above of MLX is a plain module."""
    found = class_at(known.where, sources)
    if found is None:
        return None
    syntax, cls = found
    above = [class_at(place, sources) for place in known.above]
    if any(_is_closed(each) for each in (cls, *(other[1] for other in above if other is not None))):
        return None
    init = _init(cls)
    if init is not None:
        plain = init.args.args and init.args.args[0].arg == own and not any(isinstance(node, ast.Return) for node in ast.walk(init))
        return syntax.after(init.body[-1], [line]) if plain and isinstance(init, ast.FunctionDef) else None
    if any(other is None or _init(other[1]) is not None or other[1].decorator_list for other in above):
        return None
    if known.library not in ("", "mlx.nn.Module") or cls.decorator_list or cls.keywords:
        return None
    first = next(node for node in cls.body if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)))
    step = _step(syntax, cls)
    lines = [*([f"{step}super().__init__()"] if known.library or known.above else []), step + line]
    return syntax.before(first, [f"def __init__({own}):", *lines, ""])


def _is_closed(cls: ast.ClassDef) -> bool:
    """Whether a class says which attributes its objects may be given, or what giving them one does."""
    own = {name for part in cls.body for name in bound(part)}
    options = {item.arg for decorator in cls.decorator_list if isinstance(decorator, ast.Call) for item in decorator.keywords}
    return not own.isdisjoint({"__slots__", "__setattr__"}) or not options.isdisjoint({"slots", "frozen"})


def _step(syntax: Syntax, cls: ast.ClassDef) -> str:
    """One level of indentation, as the class has it."""
    outer, inner = syntax.indent(cls) or "", syntax.indent(cls.body[0]) or "    "
    return inner.removeprefix(outer) or "    "
