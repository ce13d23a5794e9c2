"""einops: axes of arrays by their names. Patterns are followed for arrays of MLX; what a function gives for others is not known."""

import mlx.core as mx
from mxlint.says import data

__all__ = ["rearrange", "reduce", "repeat"]

_REDUCTIONS = {"sum": mx.sum, "mean": mx.mean, "max": mx.max, "min": mx.min, "prod": mx.prod, "any": mx.any, "all": mx.all}


def rearrange(tensor, pattern, **axes_lengths):
    return _transformed(tensor, pattern, None, axes_lengths)


def repeat(tensor, pattern, **axes_lengths):
    return _transformed(tensor, pattern, None, axes_lengths)


def reduce(tensor, pattern, reduction, **axes_lengths):
    return _transformed(tensor, pattern, reduction, axes_lengths)


def _transformed(tensor, pattern, reduction, axes_lengths):
    if isinstance(tensor, list):
        tensor = mx.stack(tensor)
    if not isinstance(tensor, mx.array):
        return data("einops.reduce", tensor, pattern, reduction)
    before, after = pattern.split("->")
    given, wanted, sizes = _groups(before), _groups(after), dict(axes_lengths)
    if ["..."] in given:
        rest = [f".{number}" for number in range(tensor.ndim - len(given) + 1)]
        given, wanted = _spread(given, rest), _spread(wanted, rest)
    apart = False
    for axis, group in enumerate(given):
        known, missing = 1, ""
        for name in group:
            if name in sizes:
                known *= sizes[name]
            else:
                missing = name
        if missing:
            sizes[missing] = tensor.shape[axis] // known if len(group) > 1 else tensor.shape[axis]
        apart = apart or not missing or len(group) > 1
    names = [name for group in given for name in group]
    kept = [name for group in wanted for name in group]
    if apart:
        tensor = tensor.reshape([sizes[name] for name in names])
    reduced = [number for number, name in enumerate(names) if name not in kept]
    if reduced:
        tensor = _REDUCTIONS[reduction](tensor, axis=reduced) if isinstance(reduction, str) else reduction(tensor, tuple(reduced))
        names = [name for name in names if name in kept]
    order = [names.index(name) for name in kept if name in names]
    if order != list(range(len(names))):
        tensor = tensor.transpose(order)
    added = [number for number, name in enumerate(kept) if name not in names]
    if added:
        tensor = mx.broadcast_to(mx.expand_dims(tensor, added), [sizes[name] for name in kept])
    if any(len(group) != 1 for group in wanted):
        tensor = tensor.reshape([_product(sizes, group) for group in wanted])
    return tensor


def _groups(side):
    """The names on one side of a pattern, those of each axis together. An axis of length one has none."""
    groups, within = [], None
    for name in side.replace("(", " ( ").replace(")", " ) ").split():
        if name == "(":
            within = []
        elif name == ")":
            groups.append(within)
            within = None
        elif within is None:
            groups.append([] if name == "1" else [name])
        elif name != "1":
            within.append(name)
    return groups


def _spread(groups, rest):
    """The groups with the axes that three dots stand for."""
    found = []
    for group in groups:
        if group == ["..."]:
            found += [[name] for name in rest]
        else:
            found.append([part for name in group for part in (rest if name == "..." else [name])])
    return found


def _product(sizes, group):
    product = 1
    for name in group:
        product *= sizes[name]
    return product
