"""einx: axes of several arrays by their names. Patterns are followed for arrays of MLX; what a function gives for others is not known."""

import builtins

import mlx.core as mx
from einops import rearrange as _arranged
from einops import reduce as _reduced
from mxlint.says import data

__all__ = [
    "add", "all", "any", "divide", "equal", "floor_divide", "greater", "greater_equal", "id", "less", "less_equal", "logaddexp", "logical_and",
    "logical_or", "max", "maximum", "mean", "min", "minimum", "multiply", "not_equal", "prod", "rearrange", "subtract", "sum", "true_divide", "where",
]  # fmt: skip


def add(description, *tensors, **parameters):
    return _elementwise("einx.add", mx.add, description, tensors, parameters)


def subtract(description, *tensors, **parameters):
    return _elementwise("einx.subtract", mx.subtract, description, tensors, parameters)


def multiply(description, *tensors, **parameters):
    return _elementwise("einx.multiply", mx.multiply, description, tensors, parameters)


def divide(description, *tensors, **parameters):
    return _elementwise("einx.divide", mx.divide, description, tensors, parameters)


def true_divide(description, *tensors, **parameters):
    return _elementwise("einx.true_divide", mx.divide, description, tensors, parameters)


def floor_divide(description, *tensors, **parameters):
    return _elementwise("einx.floor_divide", mx.floor_divide, description, tensors, parameters)


def maximum(description, *tensors, **parameters):
    return _elementwise("einx.maximum", mx.maximum, description, tensors, parameters)


def minimum(description, *tensors, **parameters):
    return _elementwise("einx.minimum", mx.minimum, description, tensors, parameters)


def less(description, *tensors, **parameters):
    return _elementwise("einx.less", mx.less, description, tensors, parameters)


def less_equal(description, *tensors, **parameters):
    return _elementwise("einx.less_equal", mx.less_equal, description, tensors, parameters)


def greater(description, *tensors, **parameters):
    return _elementwise("einx.greater", mx.greater, description, tensors, parameters)


def greater_equal(description, *tensors, **parameters):
    return _elementwise("einx.greater_equal", mx.greater_equal, description, tensors, parameters)


def equal(description, *tensors, **parameters):
    return _elementwise("einx.equal", mx.equal, description, tensors, parameters)


def not_equal(description, *tensors, **parameters):
    return _elementwise("einx.not_equal", mx.not_equal, description, tensors, parameters)


def logical_and(description, *tensors, **parameters):
    return _elementwise("einx.logical_and", mx.logical_and, description, tensors, parameters)


def logical_or(description, *tensors, **parameters):
    return _elementwise("einx.logical_or", mx.logical_or, description, tensors, parameters)


def logaddexp(description, *tensors, **parameters):
    return _elementwise("einx.logaddexp", mx.logaddexp, description, tensors, parameters)


def where(description, *tensors, **parameters):
    return _elementwise("einx.where", mx.where, description, tensors, parameters)


def sum(description, *tensors, **parameters):
    return _reduction("einx.sum", "sum", description, tensors, parameters)


def mean(description, *tensors, **parameters):
    return _reduction("einx.mean", "mean", description, tensors, parameters)


def max(description, *tensors, **parameters):
    return _reduction("einx.max", "max", description, tensors, parameters)


def min(description, *tensors, **parameters):
    return _reduction("einx.min", "min", description, tensors, parameters)


def prod(description, *tensors, **parameters):
    return _reduction("einx.prod", "prod", description, tensors, parameters)


def any(description, *tensors, **parameters):
    return _reduction("einx.any", "any", description, tensors, parameters)


def all(description, *tensors, **parameters):
    return _reduction("einx.all", "all", description, tensors, parameters)


def rearrange(description, *tensors, **parameters):
    if len(tensors) != 1 or not isinstance(tensors[0], mx.array) or builtins.any(mark in description for mark in ("[", "|", ",")):
        return data("einx.rearrange", description, *tensors, **parameters)
    return _arranged(tensors[0], description, **parameters)


id = rearrange


def _elementwise(name, operation, description, tensors, parameters):
    before, _, after = description.partition("->")
    sides = before.split(",")
    arrays = [tensor for tensor in tensors if isinstance(tensor, mx.array)]
    if parameters or not arrays or len(sides) != len(tensors) or builtins.any(mark in description for mark in (".", "[", "|")):
        return data(name, description, *tensors, **parameters)
    axes = [_names(side) for side in sides]
    wanted = after if after.strip() else _widest(sides, axes)
    names = _names(wanted)
    sizes = {}
    for tensor, side in zip(tensors, sides):
        if isinstance(tensor, mx.array) and "(" not in side:
            for number, axis in enumerate(side.split()):
                sizes[axis] = tensor.shape[number]
    operands = []
    for tensor, side, own in zip(tensors, sides, axes):
        if isinstance(tensor, mx.array) and own:
            shown = " ".join(axis if axis in own else "1" for axis in names)
            tensor = _arranged(tensor, f"{side} -> {shown}", **{axis: sizes[axis] for axis in own if axis in sizes})
        operands.append(tensor)
    result = operation(*operands)
    return _arranged(result, f"{' '.join(names)} -> {wanted}") if "(" in wanted or "1" in wanted.split() else result


def _reduction(name, operation, description, tensors, parameters):
    before, arrow, after = description.partition("->")
    marks = builtins.any(mark in description for mark in (".", "(", "|", ","))
    if len(tensors) != 1 or not isinstance(tensors[0], mx.array) or parameters or marks:
        return data(name, description, *tensors, **parameters)
    plain = before.replace("[", " ").replace("]", " ")
    return _reduced(tensors[0], f"{plain} -> {after if arrow else _outside(before)}", operation)


def _names(side):
    """The axes that a side of a pattern names, in order."""
    return [name for name in side.replace("(", " ").replace(")", " ").split() if name != "1"]


def _widest(sides, axes):
    """The side that names all axes there are."""
    every = {name for names in axes for name in names}
    for side, names in zip(sides, axes):
        if len(set(names)) == len(every):
            return side
    return ""


def _outside(side):
    """What a side of a pattern names outside of brackets."""
    return "".join(part.partition("]")[2] if number else part for number, part in enumerate(side.split("[")))
