"""What to call where no call is in sight: the compiled function itself, or the function or method that compiles it."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from mxlint.facts.values import ArrayValue, ScalarValue, Value
from mxlint.verify.child.paths import attribute_path
from mxlint.verify.comparison import Claim
from mxlint.verify.modules import Module
from mxlint.verify.units import DEFINITIONS, first_row

HINT = re.compile(r"#\s*mxlint:\s*(inputs?\b.*)$")
_INPUTS = re.compile(r"inputs\((.*)\)\s*$")
_SIZE = re.compile(r"\s*(\d+|[^\W\d]\w*)\s*")
MOST_NUMBERS = 1 << 24
"""So many an array may have."""
_PART = re.compile(r"\s*(\w+)\s*=\s*(\w+)\s*(?:\[([^\]]*)\])?\s*(?:,|$)")
DTYPES = frozenset(
    {
        "bool",
        "bool_",
        "float16",
        "float32",
        "bfloat16",
        "float64",
        "complex64",
        *(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)),
    }
)
SCALARS = {"int": 2, "float": 0.5, "bool": True, "str": "", "None": None}


DRIVEN: dict[str, Any] = {
    "method": None,
    "hints": {},
    "scalars": [],
    "calls": 3,
    "varies": "",
    "raises": False,
    "stand_ins": False,
    "trees": {},
}
"""What the child is told of a function to call, where nothing else is known."""


def order_for(claim: Claim, module: Module, *, varied: bool) -> dict[str, Any] | None:
    """How the child is to call what the claim is about, which is compiled in `module`; None where that cannot be told. `varied`: the shapes
    have to vary, whatever calls give."""
    rows = [first for path, first, _ in claim.sites if path == module.path]
    known = {} if varied else _given_in_calls(claim)
    for unit in module.units:
        node = unit.node
        if not any(first_row(node) <= row <= (node.end_lineno or node.lineno) for row in rows):
            continue
        if isinstance(node, ast.ClassDef):
            method = _method(node, rows)
            return None if method is None else _order(module, node.name, method)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            return _order(module, node.name, node, plain=True, known=known)
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            return _order(module, node.targets[0].id, _function(module, node.value), plain=True, known=known)
    return None


def order_for_caller(module: Module, row: int) -> dict[str, Any] | None:
    """How the child is to call the function or method of `module` that a row stands in, as a whole; None for code at module level."""
    for unit in module.units:
        node = unit.node
        if first_row(node) <= row <= (node.end_lineno or node.lineno):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                return _order(module, node.name, node, plain=True)
            if isinstance(node, ast.ClassDef):
                method = _method(node, [row])
                return None if method is None else _order(module, node.name, method)
    return None


def _order(
    module: Module, name: str, function: ast.AST | None, plain: bool = False, known: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    hints, problem = _known(module, function)
    hints = {**(known or {}), **hints}
    return {**DRIVEN, "name": name, "method": None if plain else getattr(function, "name", None), "hints": hints, "problem": problem}


def _given_in_calls(claim: Claim) -> dict[str, Any]:
    """What calls in sight give the parameters of the compiled function, where that is known and the same in all of them."""
    found: dict[str, Any] = {}
    for made in claim.objects:
        parameters = made.compiled.function.parameters[made.compiled.function.bound :]
        for number, parameter in enumerate(parameters):
            given = [argument.value for call in made.calls for argument in call.arguments if argument.name in (str(number), parameter.name)]
            specs = [spec for spec in map(spec_of, given) if spec is not None]
            if specs and len(specs) == len(made.calls) and all(spec == specs[0] for spec in specs):
                found[parameter.name] = specs[0]
    return found


def spec_of(value: Value) -> dict[str, Any] | None:
    """A value as child/inputs.py makes it; None where too little is known of it."""
    if isinstance(value, ScalarValue) and value.known:
        return {"value": value.value}
    if isinstance(value, ArrayValue) and value.shape is not None:
        sizes = [size for size in value.shape if isinstance(size, int) and size >= 0]
        if len(sizes) == len(value.shape) and math.prod(sizes) <= MOST_NUMBERS:
            return {"array": sizes, "dtype": value.dtype or "float32", "from_call": True}
    return None


def trees(texts: Iterable[str]) -> dict[str, Any]:
    """The attributes and entries that a program reads, by the name before them: `cfg.train.lr` is {"cfg": {"train": {"lr": {}}}}."""
    found: dict[str, Any] = {}
    for text in texts:
        try:
            nodes = list(ast.walk(ast.parse(text)))
        except (SyntaxError, ValueError, RecursionError):
            continue
        for node in nodes:
            path = attribute_path(node)
            for number in range(len(path) - 1):
                tree = found
                for name in path[number:]:
                    tree = tree.setdefault(name, {})
    return found


def _method(node: ast.ClassDef, rows: list[int]) -> ast.FunctionDef | None:
    """The method to call for a site in a class: its own, or one that uses what __init__ compiles."""
    methods = [item for item in node.body if isinstance(item, ast.FunctionDef)]
    own = next((item for item in methods if any(first_row(item) <= row <= (item.end_lineno or 0) for row in rows)), None)
    if own is None or own.name != "__init__":
        return own
    kept = {
        target.attr
        for part in ast.walk(own)
        if isinstance(part, ast.Assign) and any(part.lineno <= row <= (part.end_lineno or 0) for row in rows)
        for target in part.targets
        if isinstance(target, ast.Attribute)
    }
    users = [
        item
        for item in methods
        if item is not own and any(isinstance(part, ast.Attribute) and part.attr in kept for part in ast.walk(item))
    ]
    return next(iter(users), None)


def _function(module: Module, value: ast.expr) -> ast.AST | None:
    """The function that `mx.compile(f)` names."""
    if isinstance(value, ast.Call) and value.args:
        if isinstance(value.args[0], ast.Lambda):
            return value.args[0]
        if isinstance(value.args[0], ast.Name):
            name = value.args[0].id
            return next((unit.node for unit in module.units if isinstance(unit.node, DEFINITIONS) and unit.node.name == name), None)
    return None


def _known(module: Module, function: ast.AST | None) -> tuple[dict[str, Any], str | None]:
    """What hints, annotations and comments say of a function and of those in it, and what is wrong with a hint."""
    inside = (
        [part for part in ast.walk(function) if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef))] if function is not None else []
    )
    found: dict[str, Any] = {}
    for part in reversed(inside):
        hints: dict[str, Any] = {}
        for row in range(max(1, first_row(part) - 1), part.body[0].lineno + 1):
            if match := HINT.search(module.source.line(row)):
                inputs = _INPUTS.match(match[1])
                problem = _problem(inputs[1], part) if inputs is not None else _unread(match[1])
                if inputs is None or problem is not None:
                    return found, f"the hint in line {row} {problem}"
                hints |= dict(_parts(inputs[1]))
        found |= {**_comments(module, part), **_annotations(part), **hints}
    return found, None


def _problem(text: str, function: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
    """What is wrong with what a hint says."""
    rest = _PART.sub("", text).strip()
    if rest:
        return _unread(rest)
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    known: set[str] = set()
    for name, kind, shape in _PART.findall(text):
        if name not in names:
            return f"names `{name}`, but {function.name}() takes {', '.join(names) or 'nothing'}"
        if name in known:
            return f"names `{name}` twice"
        known.add(name)
        if kind not in DTYPES and (shape or kind not in SCALARS):
            return f"says `{kind}`, which is neither a dtype of MLX nor one of {', '.join(SCALARS)}"
        sizes = [word for word in shape.split(",") if word.strip()]
        if wrong := next((word.strip() for word in sizes if not _SIZE.fullmatch(word)), None):
            return f"says `{wrong}`, which is neither a size nor a name for one"
        if math.prod(int(word) for word in sizes if word.strip().isdecimal()) > MOST_NUMBERS:
            return f"says `{kind}[{shape}]`, which has more than {MOST_NUMBERS:,} numbers"
    return None


def _unread(rest: str) -> str:
    return f"cannot be read from `{rest.strip()}` on: it should be like inputs(x=float32[B,512], step=int)"


def _annotations(function: ast.AST) -> dict[str, Any]:
    """Shapes in annotations: `Float[Array, "B 512"]`."""
    found = {}
    for argument in getattr(getattr(function, "args", None), "args", []):
        if isinstance(argument.annotation, ast.Subscript):
            texts = [
                part.value for part in ast.walk(argument.annotation.slice) if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            kind = ast.unparse(argument.annotation.value).rpartition(".")[2]
            if len(texts) == 1 and kind in ("Float", "Int", "Bool", "Num", "Shaped"):
                dtype = {"Int": "int32", "Bool": "bool_"}.get(kind, "float32")
                found[argument.arg] = {"array": [_dimension(word) for word in texts[0].split() if word != "..."], "dtype": dtype}
    return found


_MOST_DIGITS = 18  # of a size
_SHAPE = re.compile(r"[(\[]\s*((?:\w+\s*,\s*)+\w*)\s*[)\]]")
_OF_NAME = re.compile(r"\b(\w+)\s*(?::|=|is|has shape|shape)?\s*(?:of shape|has shape|shape)?\s*[(\[]\s*((?:\w+\s*,\s*)+\w*)\s*[)\]]")


def _comments(module: Module, function: ast.FunctionDef | ast.AsyncFunctionDef) -> dict[str, Any]:
    """Shapes in comments of a function's head and in its docstring: `x,  # (B, L, 512)`, `x: [B, 512]`, `x: (B, 512) token ids`."""
    parameters = {argument.arg: argument for argument in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    found: dict[str, Any] = {}
    lines = [
        (row, module.source.line(row).partition("#")[2]) for row in range(max(1, first_row(function) - 1), function.body[0].lineno + 1)
    ]
    lines += [(0, line) for line in (ast.get_docstring(function) or "").splitlines()]
    for row, text in lines:
        line = " ".join(text.split())  # the expressions take their time over many blanks
        if "mxlint:" in line:
            continue
        for name, shape in _OF_NAME.findall(line):
            if name in parameters:
                found[name] = _shaped(shape)
        own = [name for name, argument in parameters.items() if argument.lineno == row]
        if row and len(own) == 1 and own[0] not in found and (match := _SHAPE.search(line)):
            found[own[0]] = _shaped(match[1])
    return {name: spec for name, spec in found.items() if _is_array(parameters[name].annotation)}


def _shaped(shape: str) -> dict[str, Any]:
    """An array of a shape that a comment says; what it holds is told by its use."""
    return {"array": [_dimension(word) for word in shape.split(",") if word.strip()], "dtype": "float32", "any_dtype": True}


def _is_array(annotation: ast.expr | None) -> bool:
    return annotation is None or "array" in ast.unparse(annotation).lower()


def _parts(text: str) -> Iterator[tuple[str, Any]]:
    for name, kind, shape in _PART.findall(text):
        if kind in SCALARS and not shape:
            yield name, {"value": SCALARS[kind]}
        else:
            yield (
                name,
                {"array": [_dimension(word) for word in shape.split(",") if word.strip()], "dtype": "bool_" if kind == "bool" else kind},
            )


def _dimension(word: str) -> Any:
    word = word.strip()
    return int(word) if word.isdecimal() and len(word) <= _MOST_DIGITS else word
