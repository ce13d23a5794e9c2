"""MX401: an operation that follows the shape, in place of one that is given sizes; and shapeless=True left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import takewhile
from math import prod

from mxlint.facts.events import Axis, Extent
from mxlint.finding import Edit, Fix
from mxlint.fixes.importing import module_alias
from mxlint.fixes.remedies import Unbake
from mxlint.fixes.syntax import Sources, Syntax, syntax_of


def unbake(remedy: Unbake, sources: Sources) -> Iterator[Fix]:
    """Let MLX find the sizes that the program computes: `mx.zeros_like(x)` for `mx.zeros(x.shape)`."""
    syntax = syntax_of(sources, remedy.place)
    node = syntax.at(remedy.place) if syntax is not None else None
    if syntax is not None and node is not None and (mlx := module_alias(syntax, "mlx.core")) is not None:
        for text in (_like(syntax, node, mlx), _reshaped(syntax, node, mlx, remedy), _mean(syntax, node, mlx)):
            if text is not None:
                yield Fix("unsafe", f"write {text}", (syntax.replace(node, text),))
    yield from _not_shapeless(remedy, sources)


# -- creation ---------------------------------------------------------------------------------------------------------


def _like(syntax: Syntax, node: ast.expr, mlx: str) -> str | None:
    """`mx.zeros(x.shape)` as `mx.zeros_like(x)`."""
    if not isinstance(node, ast.Call) or syntax.text(node.func) not in (f"{mlx}.zeros", f"{mlx}.ones"):
        return None
    given = dict(zip(("shape", "dtype"), node.args)) | {item.arg: item.value for item in node.keywords if item.arg is not None}
    shape, dtype = given.pop("shape", None), given.pop("dtype", None)
    if given or not isinstance(shape, ast.Attribute) or shape.attr != "shape":
        return None
    made = f"{syntax.text(node.func)}_like({syntax.text(shape.value)})"
    same = dtype is None or syntax.text(dtype) == f"{syntax.text(shape.value)}.dtype"
    return made if same or dtype is None else f"{made}.astype({syntax.text(dtype)})"


# -- reshape ----------------------------------------------------------------------------------------------------------


def _reshaped(syntax: Syntax, node: ast.expr, mlx: str, remedy: Unbake) -> str | None:
    """A reshape that merges neighbouring axes, as flatten, or splits one, as unflatten: proven by the sizes themselves, or as it is written."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "reshape":
        return None
    function = syntax.text(node.func.value) == mlx
    if function and not node.args:
        return None
    operand = node.args[0] if function else node.func.value
    given = node.args[1:] if function else node.args
    if len(given) == 1 and isinstance(given[0], (ast.Tuple, ast.List)):
        given = given[0].elts
    shape, sizes = remedy.shape, remedy.sizes
    texts = [" ".join(syntax.text(size).split()) for size in given]
    made = _between(shape, _filled(shape, sizes), texts) if shape is not None and sizes is not None and len(sizes) == len(given) else None
    made = made or (_as_written(syntax, operand, given) if shape is None or len(shape) > 1 else None)
    if made is None:
        return None
    name, arguments = made
    text = syntax.text(operand) if function or name == "unflatten" else _operand(syntax, operand)
    # Arrays have a method flatten, but none that is called unflatten.
    if function or name == "unflatten":
        return f"{mlx}.{name}({', '.join(filter(None, (text, arguments)))})"
    return f"{text}.{name}({arguments})"


def _operand(syntax: Syntax, node: ast.expr) -> str:
    """An expression as it is written before a dot."""
    text = syntax.text(node)
    return text if isinstance(node, (ast.Name, ast.Attribute, ast.Call, ast.Subscript)) else f"({text})"


def _filled(shape: Sequence[Extent], sizes: Sequence[Extent]) -> Sequence[Extent]:
    """The sizes with what a -1 among them stands for: what is left of all elements, and the axes that no other size has to do with."""
    others = [size for size in sizes if size.size != -1]
    old, rest = _numbers(shape), _numbers(others)
    if len(others) != len(sizes) - 1 or old is None or rest is None:
        return sizes
    axes = frozenset[Axis]().union(*(size.axes for size in shape)) - frozenset[Axis]().union(*(size.axes for size in others))
    if not prod(rest) or prod(old) % prod(rest):
        return sizes
    return [Extent(prod(old) // prod(rest), axes) if size.size == -1 else size for size in sizes]


def _numbers(sizes: Sequence[Extent]) -> list[int] | None:
    """Sizes all of which are known."""
    numbers = [size.size for size in sizes if isinstance(size.size, int)]
    return numbers if len(numbers) == len(sizes) else None


def _between(shape: Sequence[Extent], sizes: Sequence[Extent], texts: Sequence[str]) -> tuple[str, str] | None:
    """What has to be done to the axes between those that stay. `texts`: how the program writes the sizes; those that come from no axis stay as they are."""
    first = len(list(takewhile(lambda pair: _equal(*pair), zip(shape, sizes))))
    rest = zip(shape[first:][::-1], sizes[first:][::-1])
    last = len(list(takewhile(lambda pair: _equal(*pair), rest)))
    old, new = shape[first : len(shape) - last], sizes[first : len(sizes) - last]
    if len(new) == 1 and len(old) > 1:
        return "flatten", f"{first}, {-last - 1}" if first or last else ""
    if len(old) == 1 and len(new) > 1:
        texts = texts[first : len(sizes) - last]
        texts = [text if isinstance(size.size, int) and not size.axes else "-1" for size, text in zip(new, texts)]
        if texts.count("-1") <= 1:
            return "unflatten", f"{first if last else -1}, ({', '.join(texts)})"
    return None


def _equal(old: Extent, new: Extent) -> bool:
    """Whether a size that is asked for is that of the axis, at every shape."""
    if old.size is None or old.size != new.size:
        return False
    # A name stands for one length; two numbers may be equal at the first shape only.
    return isinstance(old.size, str) or old.axes == new.axes and len(old.axes) <= 1


def _as_written(syntax: Syntax, operand: ast.expr, given: Sequence[ast.expr]) -> tuple[str, str] | None:
    """`x.reshape(-1, x.shape[-1])` and `x.reshape(x.shape[0], -1)`, of whatever rank."""
    if len(given) != 2:
        return None
    of, texts = _operand(syntax, operand), [syntax.text(size) for size in given]
    if texts == ["-1", f"{of}.shape[-1]"]:
        return "flatten", "0, -2"
    if texts == [f"{of}.shape[0]", "-1"]:
        return "flatten", "1"
    return None


# -- arithmetic -------------------------------------------------------------------------------------------------------


def _mean(syntax: Syntax, node: ast.expr, mlx: str) -> str | None:
    """A sum divided by how much was summed, as a mean."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div) or not isinstance(node.left, ast.Call):
        return None
    call = node.left
    if not isinstance(call.func, ast.Attribute) or call.func.attr != "sum":
        return None
    function = syntax.text(call.func.value) == mlx
    if function and not call.args:
        return None
    operand = call.args[0] if function else call.func.value
    rest = call.args[1:] if function else call.args
    options = {item.arg: item.value for item in call.keywords}
    axis = options.get("axis", rest[0] if rest else None)
    of, count = _operand(syntax, operand), syntax.text(node.right)
    if axis is None:
        fits = count == f"{of}.size"
    else:
        number = syntax.text(axis)
        fits = count == f"{of}.shape[{number}]" or number == "0" and count == f"len({of})"
    if not fits:
        return None
    text = syntax.text(call)
    at = syntax.end(call.func) - syntax.start(call)
    return f"{text[: at - len('sum')]}mean{text[at:]}"


# -- shapeless --------------------------------------------------------------------------------------------------------


def _not_shapeless(remedy: Unbake, sources: Sources) -> Iterator[Fix]:
    """The same function, traced once for each shape."""
    syntax = syntax_of(sources, remedy.site)
    site = syntax.at(remedy.site) if syntax is not None else None
    if syntax is None or not isinstance(site, ast.Call):
        return
    keyword = next((item for item in site.keywords if item.arg == "shapeless"), None)
    if keyword is None:
        return
    others = [item for item in (*site.args, *site.keywords) if item is not keyword]
    decorates = site in getattr(syntax.parents[site], "decorator_list", [])
    edit: Edit
    if decorates and len(others) == 1 and isinstance(others[0], (ast.Name, ast.Attribute)):
        edit = syntax.replace(site, syntax.text(others[0]))
    else:
        before = max((syntax.end(item) for item in others if syntax.end(item) <= syntax.start(keyword)), default=None)
        if before is None or "#" in syntax.source.text[before : syntax.start(keyword)]:
            return
        edit = syntax.edit(before, syntax.end(keyword), "")
    yield Fix("display", "leave out shapeless=True", (edit,))
