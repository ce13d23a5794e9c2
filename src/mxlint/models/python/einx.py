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


def rearrange(description, *tensors, **parameters):
    if len(tensors) != 1 or not isinstance(tensors[0], mx.array) or builtins.any(mark in description for mark in ("[", "|", ",")):
        return data("einx.rearrange", description, *tensors, **parameters)
    return _arranged(tensors[0], description, **parameters)


id = rearrange


def _elementwise(name, operation):
    """A function that brings arrays to the axes of all of them, and gives `operation` of the elements."""

    def run(description, *tensors, **parameters):
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

    return run


def _reduction(operation):
    """A function that reduces the axes in brackets, or those that the result does not name."""

    def run(description, *tensors, **parameters):
        before, arrow, after = description.partition("->")
        marks = builtins.any(mark in description for mark in (".", "(", "|", ","))
        if len(tensors) != 1 or not isinstance(tensors[0], mx.array) or parameters or marks:
            return data(f"einx.{operation}", description, *tensors, **parameters)
        plain = before.replace("[", " ").replace("]", " ")
        return _reduced(tensors[0], f"{plain} -> {after if arrow else _outside(before)}", operation)

    return run


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


add = _elementwise("einx.add", mx.add)
subtract = _elementwise("einx.subtract", mx.subtract)
multiply = _elementwise("einx.multiply", mx.multiply)
divide = _elementwise("einx.divide", mx.divide)
true_divide = _elementwise("einx.true_divide", mx.divide)
floor_divide = _elementwise("einx.floor_divide", mx.floor_divide)
maximum = _elementwise("einx.maximum", mx.maximum)
minimum = _elementwise("einx.minimum", mx.minimum)
less = _elementwise("einx.less", mx.less)
less_equal = _elementwise("einx.less_equal", mx.less_equal)
greater = _elementwise("einx.greater", mx.greater)
greater_equal = _elementwise("einx.greater_equal", mx.greater_equal)
equal = _elementwise("einx.equal", mx.equal)
not_equal = _elementwise("einx.not_equal", mx.not_equal)
logical_and = _elementwise("einx.logical_and", mx.logical_and)
logical_or = _elementwise("einx.logical_or", mx.logical_or)
logaddexp = _elementwise("einx.logaddexp", mx.logaddexp)
where = _elementwise("einx.where", mx.where)

sum = _reduction("sum")
mean = _reduction("mean")
max = _reduction("max")
min = _reduction("min")
prod = _reduction("prod")
any = _reduction("any")
all = _reduction("all")
