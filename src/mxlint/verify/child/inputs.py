"""Arguments for a function that nobody calls in sight: what hints, annotations, uses and names say of each parameter, the likeliest first."""

from __future__ import annotations

import ast
import inspect
import itertools
import math
import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import mlx.core as mx

from . import standins
from .uses import ARRAY_USES, Uses, uses

Spec = dict[str, Any]

MOST_ITEMS = 64
SIZE = 8
SIZES = (SIZE, 2 * SIZE, SIZE - 3)
"""Of a dimension that is free: at the first call, at a later one that is larger, and at one that is smaller."""
OTHER_SIZES = (SIZE, 6, 10, 12, 7, 9, 11, 14, 13, 15, 5, 16, 17, 18, 19, 20)
"""Of dimensions that are distinguished, in the order of their names."""
SHAPES: tuple[list[Any], ...] = (["n", "n"], [2, "n", "n"], [2, "n", "n", "n"], ["n"], [])
VALUES: dict[str, list[Any]] = {
    "float": [0.5, 1.0, 2.0, -1.0], "int": [2, 1, 4, SIZE, 3, 0, -1, 100], "bool": [True, False], "str": ["", "mxlint"], "None": [None],
}  # fmt: skip
EVERY_NUMBER: list[Spec] = [{"value": value} for kind in ("int", "float", "bool") for value in VALUES[kind][:4]]
OMITTED: Spec = {"omitted": True}
ARRAYS: list[Spec] = [{"array": shape, "dtype": "float32"} for shape in SHAPES]
WHOLE: list[Spec] = [{"array": shape, "dtype": "int32"} for shape in (["n"], ["n", "n"], [])]
MASKS: list[Spec] = [{"array": shape, "dtype": "bool_"} for shape in (["n", "n"], ["n"])]
PAIR: Spec = {"tuple": [{"value": 2}, {"value": 2}]}


@dataclass(frozen=True, slots=True)
class Clues:
    """What is known of the parameters of one function. `hints`: specs by name, or of an array that a call in sight gives ("from_call"); `scalars`: names that must not be given arrays; `trees`:
    attributes that the program reads, by the name before them; `stand_ins`: whether these may be given."""

    hints: Mapping[str, Spec]
    scalars: Sequence[str]
    trees: Mapping[str, Any]
    stand_ins: bool
    uses: Mapping[str, Uses] = field(default_factory=dict)


OF_KINDS: Mapping[str, Sequence[Spec]] = {
    "array": ARRAYS, "whole": [*WHOLE, *MASKS], "int": [{"value": value} for value in VALUES["int"]], "float": [{"value": value} for value in VALUES["float"]],
    "bool": [{"value": True}, {"value": False}], "shape": [{"value": [-1]}, {"value": [SIZE, SIZE]}], "None": [{"value": None}],
    "dtype": [{"dtype_of": "float32"}, {"dtype_of": "float16"}], "items": [{"list": [ARRAYS[0], ARRAYS[0]]}, {"value": [1, 2]}],
}  # fmt: skip
"""Arguments of each kind that a use may ask for."""


def parameters(fun: Callable[..., Any]) -> list[inspect.Parameter]:
    """The parameters that may be given an argument."""
    try:
        found = inspect.signature(fun).parameters.values()
    except (TypeError, ValueError):
        return []
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [parameter for parameter in found if parameter.kind in kinds]


def choices(parameter: inspect.Parameter, found_uses: Uses, clues: Clues) -> list[Spec]:
    """What may be given for a parameter, the most likely first."""
    name = parameter.name
    if name in clues.hints:
        hint = clues.hints[name]
        if "any_dtype" in hint:
            whole = ("int32", "bool_") if "whole" in found_uses.kinds else ()
            shape = {key: value for key, value in hint.items() if key != "any_dtype"}
            return [{**shape, "dtype": dtype} for dtype in dict.fromkeys((*whole, "float32", "int32", "bool_"))]
        return [hint, *ARRAYS] if hint.get("from_call") else [hint]  # with a stand-in for something else another shape may be needed
    if name in clues.scalars:
        return [*EVERY_NUMBER, {"value": [1, 2]}]
    found = list(_choices(parameter, found_uses, clues))
    if parameter.default is not inspect.Parameter.empty:
        if not found or parameter.annotation is inspect.Parameter.empty and isinstance(parameter.default, (bool, int, float, str)):
            found = [{"value": value} for value in VALUES[type(parameter.default).__name__]] if parameter.default is not None else found
        found.insert(0, OMITTED)
    return _without_repeats(found)


def _choices(parameter: inspect.Parameter, found: Uses, clues: Clues) -> Iterator[Spec]:
    name = parameter.name
    texts: list[Spec] = [{"value": text} for text in found.texts]
    stand_ins = standins.specs(name, found, clues.trees.get(name, {}), of=clues.uses) if clues.stand_ins else []
    if parameter.annotation is not inspect.Parameter.empty:
        known = list(annotated(annotation_text(parameter.annotation)))
        if known:
            yield from texts if known[0] == {"value": ""} else ()
            yield from known
            return
        kind = OF_STAND_INS.get(annotation_text(parameter.annotation).rpartition(".")[2].partition("[")[0].strip("'\""))
        if kind is not None and clues.stand_ins:
            yield from standins.specs(name, found, clues.trees.get(name, {}), kind, clues.uses)
    yield from texts
    if found.kinds.keys() & {"module", "optimizer", "function"} or found.called or set(found.attributes) - ARRAY_USES:
        yield from stand_ins
    for rank in found.ranks:
        yield from ({"array": ["n"] * rank, "dtype": dtype} for dtype in ("float32", "int32"))
    arrays = bool(found.ranks or set(found.attributes) & ARRAY_USES or "array" in found.kinds)
    if arrays and "whole" not in found.kinds:
        yield from ARRAYS
    if found.items is not None:
        yield from ({"tuple": [item] * found.items} for item in (ARRAYS[0], ARRAYS[3], {"value": 2}, ARRAYS[1]))
    for kind in sorted(found.kinds, key="None".__eq__):  # a branch for None is mostly the shorter one
        yield from OF_KINDS.get(kind, ())
    yield from ARRAYS
    yield from ({"value": type(number)(number + by)} for number in found.numbers for by in (0, 1, -1))
    yield from EVERY_NUMBER
    yield {"list": [ARRAYS[0], ARRAYS[0]]}
    yield from [{"value": [1, 2]}, PAIR, {"value": None}, *WHOLE, {"value": ""}, *MASKS[:1]]
    yield from stand_ins


def _values(kind: str) -> Iterator[Spec]:
    return ({"value": value} for value in VALUES[kind])


def _without_repeats(found: Iterable[Spec]) -> list[Spec]:
    return list({repr(spec): spec for spec in found}.values())


def annotation_text(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def annotated(text: str) -> Iterator[Spec]:
    """Arguments that an annotation allows; none where it says nothing."""
    try:
        node = ast.parse(text, mode="eval").body
    except SyntaxError:
        return
    yield from _of_type(node)


BARE: dict[str, list[Spec]] = {
    **{kind: [{"value": value} for value in values] for kind, values in VALUES.items()},
    "array": [*ARRAYS, *WHOLE], "Array": [*ARRAYS, *WHOLE], "list": [{"value": [1, 2]}, {"list": [ARRAYS[0], ARRAYS[0]]}],
    "tuple": [PAIR, {"tuple": [ARRAYS[0], ARRAYS[0]]}], "dict": [{"dict": {}}],
    "Dtype": [{"dtype_of": "float32"}, {"dtype_of": "float16"}],
}  # fmt: skip
BARE |= {"List": BARE["list"], "Sequence": BARE["list"], "Iterable": BARE["list"], "Tuple": BARE["tuple"], "Dict": BARE["dict"]}
OF_STAND_INS = {"Module": "module", "Optimizer": "optimizer", "Callable": "function"}


def _of_type(node: ast.expr) -> Iterator[Spec]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield from annotated(node.value)
    elif isinstance(node, ast.Constant) and node.value is None:
        yield {"value": None}
    elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        yield from _of_type(node.left)
        yield from _of_type(node.right)
    elif isinstance(node, ast.Subscript):
        yield from _of_generic(_last(node.value), node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice])
    else:
        yield from BARE.get(_last(node), ())


def _of_generic(kind: str, arguments: list[ast.expr]) -> Iterator[Spec]:
    if kind == "Optional":
        yield from _of_type(arguments[0])
        yield {"value": None}
    elif kind in ("Union", "Annotated"):
        for argument in arguments[: 1 if kind == "Annotated" else None]:
            yield from _of_type(argument)
    elif kind == "Literal":
        yield from ({"value": item.value} for item in arguments if isinstance(item, ast.Constant))
    elif kind in ("list", "List", "Sequence", "Iterable"):
        for spec in list(_of_type(arguments[0]))[:3]:
            yield {"list": [spec, spec]}
    elif kind in ("tuple", "Tuple"):
        if len(arguments) == 2 and isinstance(arguments[1], ast.Constant) and arguments[1].value is Ellipsis:
            arguments = [arguments[0]] * 2
        options = [list(_of_type(argument))[:3] for argument in arguments]
        for number in range(max((len(found) for found in options), default=0) if all(options) else 0):
            yield {"tuple": [found[min(number, len(found) - 1)] for found in options]}
    elif kind in ("dict", "Dict", "Mapping") and len(arguments) == 2:
        for spec in list(_of_type(arguments[1]))[:2]:
            yield {"dict": {"a": spec, "b": spec}}


def _last(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def uses_of(fun: Callable[..., Any], root: str) -> dict[str, Uses]:
    """What a function of the program, and what it calls, does with its parameters and their attributes."""
    node = _node_of(fun, root)
    return {} if node is None else uses(node, getattr(body(fun), "__globals__", {}), lambda inner: _node_of(inner, root))


def body(fun: Any) -> Any:
    """The function that runs when `fun` is called: of a class, what makes its objects."""
    return vars(fun).get("__init__") or getattr(fun, "__init__") if isinstance(fun, type) else getattr(fun, "__func__", fun)  # noqa: B009


@cache
def _nodes(name: str) -> Sequence[ast.AST]:
    """Everything in a file of the program."""
    try:
        with open(name, encoding="utf-8") as file:
            return list(ast.walk(ast.parse(file.read())))
    except (OSError, SyntaxError):
        return []


def _node_of(fun: Callable[..., Any], root: str) -> ast.AST | None:
    code = getattr(body(fun), "__code__", None)
    if code is None or not code.co_filename.startswith(root):
        return None
    for node in _nodes(code.co_filename):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            first = min([node.lineno, *(item.lineno for item in getattr(node, "decorator_list", []))])
            if first == code.co_firstlineno and getattr(node, "name", "<lambda>") == code.co_name:
                return node
    return None


def make(spec: Spec, name: str, call: int, position: int, varies: str) -> Any:
    """The argument of a call. Arrays of later calls hold other numbers and, if `varies`, have other sizes: in all free dimensions, or in all
    but the last, which is mostly a number of features, if it is "leading"."""
    for kind, container in (("list", list), ("tuple", tuple)):
        if kind in spec:
            return container(make(item, name, call, position * 7 + number, varies) for number, item in enumerate(spec[kind]))
    if "dict" in spec:
        return {key: make(item, name, call, position * 7 + number, varies) for number, (key, item) in enumerate(spec["dict"].items())}
    if "stand_in" in spec:
        return standins.make(spec, name)
    if "dtype_of" in spec:
        return getattr(mx, spec["dtype_of"])
    if "made" in spec:
        cls = getattr(sys.modules[spec["module"]], spec["made"])
        return apply(cls, spec["specs"], spec["names"], 0, "")
    if "value" in spec:
        return spec["value"]
    shape = sizes(spec, call, varies)
    dtype = getattr(mx, spec["dtype"])
    tenths = (mx.arange(math.prod(shape)) * 37 + position * 11 + call * 5) % 19 + 1
    if mx.issubdtype(dtype, mx.inexact):
        made = (tenths / 10).astype(dtype)
    else:
        made = tenths > 10 if dtype == mx.bool_ else (tenths % 4).astype(dtype)
    made = mx.reshape(made, shape)
    mx.eval(made)
    return made


def sizes(spec: Spec, call: int, varies: str) -> list[int]:
    """The shape of an array at a call."""
    named: dict[str, int] = spec.get("sizes", {})
    shape = [named.get(item, SIZE) if isinstance(item, str) else item for item in spec["array"]]
    if varies:
        last = len(shape) - 1 if varies == "leading" and len(shape) > 1 else len(shape)
        by = SIZES[call % len(SIZES)] - SIZE
        return [size + by if isinstance(item, str) and axis < last else size for axis, (item, size) in enumerate(zip(spec["array"], shape))]
    return shape


def apply(fun: Callable[..., Any], specs: Sequence[Spec], names: Sequence[str], call: int, varies: str) -> Any:
    """One call. Names that begin with a star can only be given by name, and so are those behind one that is left out."""
    given: list[Any] = []
    named: dict[str, Any] = {}
    for position, (name, spec) in enumerate(zip(names, specs)):
        if "omitted" in spec:
            named["*"] = None
        elif name[0] == "*" or "*" in named:
            named[name.lstrip("*")] = make(spec, name.lstrip("*"), call, position, varies)
        else:
            given.append(make(spec, name, call, position, varies))
    named.pop("*", None)
    return fun(*given, **named)


def evaluate(result: Any) -> None:
    """Compute every array in a result, and the first MOST_ITEMS of a generator: a wrong argument may show only then."""
    if isinstance(result, mx.array):
        mx.eval(result)
    elif isinstance(result, (list, tuple)):
        for item in result:
            evaluate(item)
    elif isinstance(result, dict):
        for item in result.values():
            evaluate(item)
    elif isinstance(result, types.GeneratorType):
        for item in itertools.islice(result, MOST_ITEMS):
            evaluate(item)


def described(names: Sequence[str], specs: Sequence[Spec]) -> str:
    """Arguments in words, as a hint comment would give them."""
    given = [(name.lstrip("*"), spec) for name, spec in zip(names, specs) if "omitted" not in spec and not name.startswith("self.")]
    return ", ".join(f"{name}={_word(spec)}" for name, spec in given)


def _word(spec: Spec) -> str:
    if "list" in spec:
        return f"[{', '.join(_word(item) for item in spec['list'])}]"
    if "tuple" in spec:
        return f"({', '.join(_word(item) for item in spec['tuple'])})"
    if "dict" in spec:
        return "{" + ", ".join(f"{key!r}: {_word(item)}" for key, item in spec["dict"].items()) + "}"
    if "stand_in" in spec:
        return f"<{standins.KINDS[spec['stand_in']]}>"
    if "made" in spec:
        return f"{spec['made']}({described(spec['names'], spec['specs'])})"
    if "dtype_of" in spec:
        return f"mx.{spec['dtype_of']}"
    return repr(spec["value"]) if "value" in spec else f"{spec['dtype']}[{','.join(map(str, sizes(spec, 0, '')))}]"
