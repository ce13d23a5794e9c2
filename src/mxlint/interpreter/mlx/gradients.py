"""What a differentiated function gives beside its result: trees of arrays with the shapes of the arguments, computed from the result and the arguments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mxlint.domain.join import join
from mxlint.domain.members import NONE, Const, Member, Ref, Tuple, Unknown, Value, members
from mxlint.domain.place import Place
from mxlint.interpreter.containers.builders import new_list, put
from mxlint.interpreter.containers.elements import known_items
from mxlint.interpreter.machine.arguments import Arguments
from mxlint.interpreter.machine.core import Interpreter
from mxlint.interpreter.machine.reach import arrays_in
from mxlint.interpreter.mlx.computing import results
from mxlint.interpreter.mlx.descriptions import describe
from mxlint.interpreter.mlx.trees import each_leaf
from mxlint.models.mlx.arguments import UNKNOWN


def like(i: Interpreter, tree: Value, sources: Sequence[Value], place: Place) -> Value:
    """A tree with an array for each of its leaves: of the leaf's shape and dtype, computed from it and from the sources."""
    return _of(i, tree, _whole(i, sources, place), place, 0)


def _whole(i: Interpreter, sources: Sequence[Value], place: Place) -> Value:
    """One array that stands for all sources: a model among them is looked through once, and not for each of its gradients."""
    return results(i, UNKNOWN, "gradient", sources, {}, place, "whole")


def _of(i: Interpreter, tree: Value, whole: Value, place: Place, tag: object) -> Value:
    """The gradients of the leaves of a tree."""

    def leaf(member: Member, others: tuple[Value, ...], number: object) -> Value:
        with i.within((place, repr((tag, number)))):
            return results(i, describe(i, member), "gradient", (whole, member), {}, place, number)

    return each_leaf(i, leaf, tree, (), place)


def of_arguments(i: Interpreter, options: Mapping[str, Value | None], args: Arguments, result: Value, place: Place) -> Value:
    """The gradients of a function with regard to the arguments that `argnums` and `argnames` choose."""
    whole = _whole(i, (result, *args.values), place)
    numbers, names = _argnums(i, options)
    given = [_of(i, args.args[number], whole, place, number) for number in _positions(i, numbers, args)]
    single = not isinstance(numbers, Tuple) and len(given) == 1
    positional = given[0] if single else Tuple(tuple(given)) if given else NONE
    if not names:
        return positional
    named = Ref(i.allocate("dict", None, place, "gradients"))
    for name in names:
        if isinstance(name, str) and name in args.keywords:
            put(i, named.oid, Const(name), _of(i, args.keywords[name], whole, place, name))
    return Tuple((positional, named))


def differentiated_by(i: Interpreter, options: Mapping[str, Value | None], args: Arguments) -> list[Value]:
    """The arguments that `argnums` and `argnames` choose."""
    numbers, names = _argnums(i, options)
    positional = [args.args[number] for number in _positions(i, numbers, args)]
    return positional + [args.keywords[name] for name in names if isinstance(name, str) and name in args.keywords]


def _argnums(i: Interpreter, options: Mapping[str, Value | None]) -> tuple[Value, list[object]]:
    names = _chosen(i, options["argnames"])
    return options["argnums"] or (NONE if names else Const(0)), names


def _positions(i: Interpreter, numbers: Value, args: Arguments) -> list[int]:
    return [number for number in _chosen(i, numbers) if isinstance(number, int) and number < len(args.args)]


def _chosen(i: Interpreter, value: Value | None) -> list[object]:
    """The numbers or names that an option lists, or the one that it is."""
    items = known_items(i, value) if isinstance(value, (Tuple, Ref)) else None if value is None else (value,)
    return [member.value for item in items or () for member in members(item) if isinstance(member, Const) and member.value is not None]


def outputs(i: Interpreter, result: Value) -> Tuple:
    """The arrays that a function returns: those of the tuple or list, or the one."""
    items = known_items(i, result) if isinstance(result, (Tuple, Ref)) else (result,)
    return Tuple(items) if items is not None else Tuple(None, join([*arrays_in(i, result)] or [Unknown("outputs")]))


def each_like(i: Interpreter, trees: Tuple, sources: Sequence[Value], place: Place) -> Value:
    """A list of arrays like some."""
    whole = _whole(i, sources, place)
    if trees.items is None:
        return new_list(i, Tuple(None, _of(i, trees.element or Unknown("tree"), whole, place, 0)), place, "like")
    return new_list(i, Tuple(tuple(_of(i, tree, whole, place, number) for number, tree in enumerate(trees.items))), place, "like")
