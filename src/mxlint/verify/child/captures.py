"""Compiled functions with other captures than those that the program gives: what a claim about captures says would help.

"complete": what is given as inputs= or as outputs= is given as both, with the state of the optimizers in reach. "live": the arrays are looked for,
at every call, where the names of the program lead to them, and go in and come out there.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet
from typing import Any

import mlx.core as mx
import mlx.optimizers as optim

from . import observe, values

MOST = 20_000
names: set[str] = set()
"""The names that led to what was captured."""
Step = tuple[str, Any]
Path = tuple[Any, tuple[Step, ...]]
"""Something that holds names, and the way from there: items and attributes."""


def mended(how: str, fun: Any, options: Mapping[str, Any], roots: list[Any]) -> Any:
    """The compiled function with the captures that it should have."""
    given = [options[name] for name in ("inputs", "outputs") if options.get(name) is not None]
    rest = {name: value for name, value in options.items() if name not in ("inputs", "outputs")}
    if how == "complete":
        both = [*given, *(held.state for held in _within(roots) if isinstance(held, optim.Optimizer))]
        whole = list({id(part): part for one in both for part in _containers(one)}.values())
        names.update(named(_ways(roots, {id(part) for one in (whole, both) for part in one})))
        return observe.real_compile(fun, inputs=whole, outputs=whole, **rest)
    return Live(fun, given, rest, roots)


def _containers(given: Any) -> Iterator[Any]:
    """The containers in a list of them."""
    if type(given) in (list, tuple) and not any(isinstance(part, mx.array) for part in given):
        for part in given:
            yield from _containers(part)
    else:
        yield given


class Live:
    """A function compiled with the places of its captured arrays as arguments and as results."""

    def __init__(self, fun: Any, given: list[Any], rest: Mapping[str, Any], roots: list[Any]) -> None:
        self.fun, self.roots = fun, roots
        self.given = [list(one) if isinstance(one, types.GeneratorType) else one for one in given]
        random = any(_is_random(part) for one in self.given for part in [one, *_containers(one), *_below(one)])
        captured = {"inputs": mx.random.state, "outputs": mx.random.state} if random else {}
        self.wanted = {id(part) for one in self.given for part in [one, *_below(one)] if not isinstance(part, _PLAIN)}
        self.paths = list(self.find())
        names.update(named(self.paths))
        self.after: dict[str, list[Path]] = {}
        self.key = ""
        self.compiled: Callable[..., Any] = observe.real_compile(
            lambda arrays, args, kwargs: self.body(arrays, args, kwargs), **captured, **rest
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["fun"], name)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.paths = self.paths or list(self.find())
        arrays = [_get(place) for place in self.places()]
        self.key = str(values.signature([arrays, args, kwargs]))
        result, new = self.compiled(arrays, args, kwargs)
        for place, array in zip(self.after.get(self.key, ()), new):
            _put(place, array)
        return result

    def body(self, arrays: list[Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Any, list[Any]]:
        for place, array in zip(list(self.places()), arrays):
            _put(place, array)
        result = self.fun(*args, **kwargs)
        self.after[self.key] = list(self.places())
        return result, [_get(place) for place in self.after[self.key]]

    def find(self) -> Iterator[Path]:
        """The ways to what was given."""
        return _ways(self.roots, self.wanted)

    def places(self) -> Iterator[Path]:
        """The ways to all arrays in what was given, each place once."""
        done: set[tuple[int, Step]] = set()
        for root, steps in self.paths:
            waiting: list[tuple[tuple[Step, ...], Any]] = [(steps, _get((root, steps)))]
            while waiting:
                way, value = waiting.pop(0)
                holder = id(_get((root, way[:-1]))), way[-1]
                if holder in done or len(way) > 2 * values.DEPTH:
                    continue
                done.add(holder)
                if isinstance(value, mx.array):
                    yield root, way
                else:
                    waiting += [((*way, step), inner) for step, inner in _parts(value)]


def named(paths: Iterable[Path]) -> Iterator[str]:
    """Paths as they are told: `model.state`."""
    return (".".join(str(key) for _, key in steps if key != "cell_contents") for _, steps in paths)


def _ways(roots: list[Any], wanted: AbstractSet[int]) -> Iterator[Path]:
    """The ways from roots to the objects with these ids."""
    done: set[int] = set()
    waiting: list[tuple[Path, Any]] = [((root, ()), root) for root in roots]
    while waiting and len(done) < MOST:
        (root, steps), value = waiting.pop(0)
        if steps and id(value) in wanted:
            yield root, steps
            continue
        if id(value) in done or len(steps) > values.DEPTH:
            continue
        done.add(id(value))
        waiting += [((root, (*steps, step)), inner) for step, inner in _parts(value)]


_PLAIN = (str, int, float, bool, type(None), mx.Dtype)


def _parts(value: Any) -> Iterator[tuple[Step, Any]]:
    """What a value holds, and how to get there."""
    if isinstance(value, (types.ModuleType, type, types.FunctionType, types.BuiltinFunctionType, mx.array, *_PLAIN)):
        return
    if isinstance(value, types.CellType):
        try:
            yield ("attribute", "cell_contents"), value.cell_contents
        except ValueError:  # it is empty
            pass
        return
    if isinstance(value, dict):
        yield from ((("item", key), inner) for key, inner in list(value.items()) if not str(key).startswith("__"))
    elif isinstance(value, (list, tuple)):
        yield from ((("item", number), inner) for number, inner in enumerate(value[: values.ITEMS]))
    if not getattr(type(value), "is_shell", False):
        yield from ((("attribute", key), inner) for key, inner in list(getattr(value, "__dict__", {}).items()))


def _below(value: Any) -> Iterator[Any]:
    done: set[int] = set()
    waiting = [inner for _, inner in _parts(value)]
    while waiting and len(done) < MOST:
        part = waiting.pop()
        if id(part) not in done:
            done.add(id(part))
            yield part
            waiting += [inner for _, inner in _parts(part)]


def _within(roots: list[Any]) -> Iterator[Any]:
    return (part for root in roots for part in _below(root))


def _is_random(value: Any) -> bool:
    """Whether it is the state of the global generator, or a copy of what that holds."""
    key = mx.random.state[0]  # type: ignore[index]
    if isinstance(value, mx.array):
        return value.shape == key.shape and value.dtype == key.dtype and bool(mx.array_equal(value, key))
    return type(value) is type(mx.random.state) and type(value) is not list


def _get(path: Path) -> Any:
    value, steps = path
    for how, key in steps:
        value = value[key] if how == "item" else getattr(value, key)
    return value


def _put(path: Path, array: Any) -> None:
    root, steps = path
    holder = _get((root, steps[:-1]))
    how, key = steps[-1]
    if isinstance(holder, dict) and how == "item":
        dict.__setitem__(holder, key, array)
    elif isinstance(holder, list):
        holder[key] = array
    elif how == "attribute":
        setattr(holder, key, array)
