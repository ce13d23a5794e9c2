"""What one name of MLX does, found by running it: the experiments behind the table.

`run` yields (step, result) pairs in a fixed order, so that the caller can go on after a step that killed the process: it starts again and
names the steps that are done.
"""

from __future__ import annotations

import copy
import ctypes
import importlib
import inspect
import math
import operator
import os
import pickle
import re
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.optimizers
import mlx.utils
from mlx import nn
from recipes import SIZES, Case, Recipe

EVALUATED = re.compile(r"Attempting to eval|\[async_eval\]|Not allowed inside a graph transformation|can only be called on evaled")
COMPILED = type(mx.compile(lambda x: x))
DEVICE = "MEASURE_DEVICE"
"""The environment variable under which the default device of the installed MLX is measured, and not the CPU."""
STEPS = 3 if os.environ.get("MEASURE_LARGER") else 4
"""Sizes in an experiment: that of the trace, two that are larger, and a smaller one."""
Shape = tuple[int, ...]


def resolve(name: str) -> Any:
    """The object that a canonical name (without its form) stands for; AttributeError if this MLX has none."""
    parts = name.partition("[")[0].split(".")
    target: Any = None
    for count in range(len(parts), 0, -1):
        try:
            target = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            target = getattr(target, part)
        return target
    raise AttributeError(name)


# -- inputs -------------------------------------------------------------------------------------------------------------------------------


def arr(*shape: int, seed: int = 1) -> Any:
    """Float values in (0.05, 1), all different, so that a wrong element never passes for the right one."""
    count = math.prod(shape)
    return mx.array([((k * 7919 + seed * 104729) % 9973) / 10498 + 0.05 for k in range(count)], mx.float32).reshape(shape)


def _value(kind: str, shape: Shape, seed: int, shortest: int) -> Any:
    count = math.prod(shape)
    if kind == "int":
        return mx.array([(k * 7 + seed) % 5 + 1 for k in range(count)], mx.int32).reshape(shape)
    if kind == "idx":  # valid along every axis
        return mx.array([(k + seed) % min(shortest, 2) for k in range(count)], mx.int32).reshape(shape)
    if kind == "order":  # a permutation of the last axis, so that scattering has one meaning
        return mx.array([(k + seed) % shape[-1] for k in range(count)], mx.int32).reshape(shape)
    if kind == "bool":
        return mx.array([(k * 7 + seed) % 3 > 0 for k in range(count)]).reshape(shape)
    if kind == "u8":
        return mx.array([(k * 7 + seed) % 100 for k in range(count)], mx.uint8).reshape(shape)
    if kind == "u32":
        return mx.array([(k * 2654435761 + seed) % (1 << 32) for k in range(count)], mx.uint32).reshape(shape)
    if kind == "lower":
        return mx.array([[column <= row for column in range(shape[1])] for row in range(shape[0])])
    if kind == "key":
        return mx.random.key(seed)
    values = arr(*shape, seed=seed)
    if kind == "spd":
        return (values + values.swapaxes(-1, -2)) * 0.1 + mx.eye(shape[-1]) * shape[-1]
    return values


def _dims(spec: str) -> tuple[str, ...]:
    return tuple(part for part in spec.split(",") if part)


class Inputs:
    """The traced inputs of a case, at any choice of sizes."""

    def __init__(self, case: Case) -> None:
        self.specs: list[tuple[str, str, tuple[str, ...]]] = []
        for word in case.inputs.split():
            name, _, rest = word.partition(":")
            kind, _, dims = rest.rpartition(":")
            self.specs.append((name, kind, _dims(dims)))

    @property
    def names(self) -> list[str]:
        return [name for name, _, _ in self.specs]

    @property
    def rank(self) -> int:
        return len(self.specs[0][2])

    @property
    def symbols(self) -> set[str]:
        return {dim for _, _, dims in self.specs for dim in dims if not dim.isdigit()}

    def axes(self) -> dict[str, set[str]]:
        """Which sizes vary in each experiment: one axis of the first input at a time, and all together."""
        dims = self.specs[0][2]
        found: dict[str, set[str]] = {}
        for axis, dim in enumerate(dims):
            if not dim.isdigit():
                found["-1" if axis == len(dims) - 1 and axis > 0 else str(axis)] = {dim}
        if self.symbols:
            found["all"] = self.symbols
        return found

    def make(self, sizes: dict[str, int], round_: int = 0) -> list[Any]:
        made = []
        for place, (_, kind, dims) in enumerate(self.specs):
            shape = tuple(int(dim) if dim.isdigit() else sizes[dim] for dim in dims)
            made.append(_value(kind, shape, 1 + place * 3 + round_ * 11, min(sizes.values(), default=2)))
        mx.eval(made)
        return made

    def ones(self, sizes: dict[str, int]) -> list[Any]:
        made = [mx.ones(value.shape, value.dtype) for value in self.make(sizes)]
        mx.eval(made)
        return made

    def worlds(self, varying: set[str]) -> list[dict[str, int]]:
        """The sizes of the traced call, then those of the later calls."""
        return [{symbol: SIZES[symbol][step if symbol in varying else 0] for symbol in self.symbols} for step in range(STEPS)]


# -- one case as a function ------------------------------------------------------------------------------------------------------------------


def _assign(target: Any, key: Any, value: Any) -> Any:
    target = mx.array(target)
    target[key] = value
    return target


class _Index:
    def __getitem__(self, key: Any) -> Any:
        return key


def leaves(tree: Any) -> list[Any]:
    """The arrays in a result, in order."""
    if isinstance(tree, mx.array):
        return [tree]
    if isinstance(tree, dict):
        return [leaf for value in tree.values() for leaf in leaves(value)]
    if isinstance(tree, (list, tuple)):
        return [leaf for value in tree for leaf in leaves(value)]
    return []


def _scratch() -> str:
    """A folder for what files are written to; every process uses it in turn."""
    folder = Path(tempfile.gettempdir()) / "mxlint-scratch"
    folder.mkdir(exist_ok=True)
    return str(folder)


class Subject:
    """A case made callable: `call(*inputs)` gives what the expression gives; a module or optimizer is put back into its first state before each."""

    def __init__(self, name: str, case: Case) -> None:
        plain = name.partition("[")[0]
        namespace: dict[str, Any] = {
            "mx": mx, "nn": nn, "mlx": importlib.import_module("mlx"), "arr": arr, "assign": _assign, "index": _Index(), "operator": operator,
            "copy": copy, "pickle": pickle, "tmp": _scratch(),
        }  # fmt: skip
        if "np." in case.call:
            namespace["np"] = importlib.import_module("numpy")
        mx.random.seed(3)
        exec(case.setup.replace("{f}", plain), namespace)  # noqa: S102  our own recipes
        mx.eval([value for value in namespace.values() if isinstance(value, (mx.array, tuple)) and leaves(value)])
        self.inputs = Inputs(case)
        self.namespace = namespace
        self.source = case.call.replace("{f}", plain).replace("{m}", plain.rpartition(".")[2])
        self.code: Callable[..., Any] = eval(f"lambda {', '.join(self.inputs.names)}: {self.source}", namespace)
        module = namespace.get("m")
        self.module = module if isinstance(module, nn.Module) else None
        self._state = dict(mlx.utils.tree_flatten(self.module.parameters())) if self.module is not None else {}
        mx.eval(list(self._state.values()))
        self.optimizer = namespace.get("o")
        if self.optimizer is not None:
            mx.eval(self.optimizer.state)
            self._kept = mlx.utils.tree_map(lambda leaf: leaf, self.optimizer.state)

    def reset(self) -> None:
        mx.random.seed(5)
        if self.optimizer is not None:
            self.optimizer.state = mlx.utils.tree_map(lambda leaf: leaf, self._kept)
        if self.module is not None and self._state:
            self.module.update(mlx.utils.tree_unflatten(list(self._state.items())))

    def reads(self, place: int) -> bool:
        """Does the expression use that input?"""
        return re.search(rf"\b{self.inputs.names[place]}\b", self.source) is not None

    def call(self, *inputs: Any) -> Any:
        self.reset()
        return self.code(*inputs)

    def arrays(self, *inputs: Any) -> list[Any]:
        return leaves(self.code(*inputs))

    def gradient(self, *inputs: Any) -> list[Any]:
        """The gradient of the sum of squares, with respect to the first input and to the weights of the module; none if it has no meaning."""
        if not any(mx.issubdtype(leaf.dtype, mx.inexact) for leaf in self.arrays(*inputs)):
            return []

        def loss(*inner: Any) -> Any:
            total = mx.array(0.0)
            for leaf in leaves(self.code(*inner)):
                if mx.issubdtype(leaf.dtype, mx.inexact):
                    leaf = mx.abs(leaf) if mx.issubdtype(leaf.dtype, mx.complexfloating) else leaf
                    total = total + mx.square(leaf.astype(mx.float32)).sum()
            return total

        found: list[Any] = []
        self.reset()
        if self.reads(0) and mx.issubdtype(inputs[0].dtype, mx.inexact):
            found += leaves(mx.grad(loss)(*inputs))
        if self.module is not None and mlx.utils.tree_flatten(self.module.trainable_parameters()):
            found += leaves(nn.value_and_grad(self.module, loss)(*inputs)[1])
        return found


# -- comparisons -----------------------------------------------------------------------------------------------------------------------------


def _same(got: list[Any], expected: list[Any], shapes_only: bool) -> bool:
    if [(a.shape, a.dtype) for a in got] != [(a.shape, a.dtype) for a in expected]:
        return False
    if shapes_only:
        return True
    for a, b in zip(got, expected):
        parts = (mx.real, mx.imag) if mx.issubdtype(a.dtype, mx.complexfloating) else (lambda whole: whole,)
        for part in parts:
            left, right = part(a), part(b)
            if mx.issubdtype(left.dtype, mx.inexact):
                if not mx.allclose(left, right, rtol=1e-3, atol=1e-4, equal_nan=True).item():
                    return False
            elif not mx.array_equal(left, right).item():
                return False
    return True


def first_line(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}".split("\n")[0][:160]


def shapeless(
    subject: Subject, function: Callable[..., list[Any]], worlds: list[dict[str, int]], shapes_only: bool
) -> dict[str, str] | None:
    """Trace at the first world, call in all of them. None when the function itself fails or gives no array there.

    `later` is "ok", or what went wrong in the later worlds: "raises", "wrong", or both, as "raises|wrong".
    """
    outcome: dict[str, str] = {}
    later: set[str] = set()

    def body(*inputs: Any) -> list[Any]:
        # a second output that depends on the input keeps the call alive where the expression reads no input at all
        return [*function(*inputs), inputs[0] * 1]

    subject.reset()
    compiled = mx.compile(body, shapeless=True)
    called = False
    for step, sizes in enumerate(worlds):
        inputs = subject.inputs.make(sizes, step)
        try:
            subject.reset()
            expected = function(*subject.inputs.make(sizes, step))  # inputs of its own: some operations write into theirs
            mx.eval(expected)
            if not expected:
                return None
        except Exception:  # noqa: BLE001  the recipe does not fit these sizes
            if step == 0:
                return None
            continue
        try:
            subject.reset()
            got = compiled(*inputs)
            mx.eval(got)
        except Exception as error:  # noqa: BLE001  whatever it raises is the result
            outcome.setdefault("message", first_line(error))
            if step == 0:
                outcome["first"] = "raises"
                break
            later.add("raises")
            continue
        finally:
            subject.reset()
        if not _same(got[:-1], expected, shapes_only):
            if step == 0:
                outcome["first"] = "wrong"
            else:
                later.add("wrong")
        called = called or step > 0
    outcome.setdefault("first", "ok")
    if called or later or outcome["first"] != "ok":
        outcome["later"] = "|".join(sorted(later)) or "ok"
    return outcome


# -- the steps -------------------------------------------------------------------------------------------------------------------------------


def _python(value: Any) -> str:
    for kind in (bool, int, float, complex, str, bytes, tuple, list, dict):
        if type(value) is kind:
            return kind.__name__
    return "dtype" if isinstance(value, mx.Dtype) else type(value).__name__


def _returns(value: Any) -> dict[str, Any]:
    if isinstance(value, mx.array):
        return {"returns": "array"}
    if value is None:
        return {"returns": "none"}
    if isinstance(value, (list, tuple)) and value and all(isinstance(item, mx.array) for item in value):
        return {"returns": "arrays"}
    if leaves(value):
        return {"returns": "tree"}
    if callable(value) and not isinstance(value, (type, mx.Dtype)):
        return {"returns": "function"}
    return {"returns": "python", "python": _python(value)}


def _random_state() -> list[Any]:
    return [leaf.tolist() for leaf in list(mx.random.state)]


def _draws(action: Callable[[], Any]) -> bool:
    mx.random.seed(5)
    before = _random_state()
    mx.eval(leaves(action()))
    return _random_state() != before


def _result_shape(name: str, recipe: Recipe) -> str | None:
    """How the shape of the result follows from the inputs, in every case of the recipe."""
    relations: set[str] = set()
    for case in recipe.cases:
        subject = Subject(name, case)
        symbols = subject.inputs.symbols
        inputs = subject.inputs.make({symbol: SIZES[symbol][0] for symbol in symbols})
        result = subject.call(*inputs)
        if not isinstance(result, mx.array) or not symbols:
            return None
        arguments = [value for place, value in enumerate(inputs) if subject.reads(place)]
        if not arguments:
            return None
        x, shape = inputs[0], tuple(result.shape)
        axis = re.search(r"axis=(-?\d+|\([^)]*\))", case.call)
        axes = None
        if axis:
            value = eval(axis[1])
            axes = {a % x.ndim for a in (value if isinstance(value, tuple) else (value,))}
        reduced = tuple(1 if axes is None or i in axes else n for i, n in enumerate(x.shape))
        dropped = tuple(n for i, n in enumerate(x.shape) if axes is not None and i not in axes)
        follows: set[str] = set()
        if len(arguments) == 1 and shape == tuple(x.shape):
            follows.add("same")
        try:
            if shape == tuple(mx.broadcast_shapes(*(a.shape for a in arguments))):
                follows.add("broadcast")
        except ValueError:
            pass
        if len(arguments) == 1 and shape == (reduced if "keepdims=True" in case.call else dropped):
            follows.add("reduce")
        relations = follows if not relations else relations & follows
        if not relations:
            return None
    return next((relation for relation in ("reduce", "same", "broadcast") if relation in relations), None)


def _parameters(target: Any) -> list[str]:
    """The names of the positional parameters, without self: from the signature, or from the docstring where nanobind keeps it."""
    if inspect.isclass(target) or inspect.isfunction(target):
        try:
            found = inspect.signature(target).parameters.values()
        except (ValueError, TypeError):
            found = ()
        return [p.name for p in found if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    lines = (getattr(target, "__doc__", None) or "").strip().split("\n")
    head = re.match(r"\w+\((.*)\) ->", lines[0])
    if not head or lines[0].startswith("Overload"):
        return []
    depth, names, word = 0, [], ""
    for char in head[1] + ",":
        depth += (char in "[(") - (char in "])")
        if char == "," and not depth:
            names.append(re.split("[:=]", word)[0].strip())
            word = ""
        else:
            word += char
    ends = [names.index(name) for name in names if name.startswith("*")]
    return [name for name in names[: min(ends, default=None)] if name not in ("/", "self", "stream")]


def _basic(name: str, recipe: Recipe) -> dict[str, Any]:
    case = recipe.cases[0]
    subject = Subject(name, case)
    sizes = [{symbol: SIZES[symbol][step] for symbol in subject.inputs.symbols} for step in (0, 1)]
    inputs = subject.inputs.make(sizes[0])
    result = subject.call(*inputs)
    facts = _returns(result)
    target = resolve(name) if recipe.kind != "operator" else None
    if recipe.returns:
        facts = {"returns": recipe.returns}
    if facts["returns"] in ("array", "arrays", "tree", "function") and _draws(lambda: subject.call(*inputs)):
        facts["random"] = True
    if facts.get("python") in ("int", "tuple"):
        # the same values in another shape: a result that changes tells the shape
        other, plain, again = (repr(subject.call(*subject.inputs.ones(sizes[at]))) for at in (1, 0, 0))
        if other != plain and plain == again:
            facts["reads_shape"] = True
    if ".__i" in name and isinstance(result, mx.array) and result is subject_argument(subject, inputs):
        facts["inplace"] = True
    if "__setitem__" in name:
        before = inputs[0].tolist()
        eval(subject.source.replace("assign(", "operator.setitem("), subject.namespace, dict(zip(subject.inputs.names, inputs)))
        if inputs[0].tolist() != before:
            facts["inplace"] = True
    if name.startswith("mlx.nn.") and isinstance(target, COMPILED):
        facts["already_compiled"] = True
    if parameters := _parameters(target) if recipe.kind not in ("operator", "index", "property") else []:
        facts["params"] = parameters
    if "random" in facts and "key" in parameters:
        facts["key"] = parameters.index("key")
    if recipe.kind == "layer":
        facts |= _layer(name, recipe)
    elif recipe.kind == "optimizer":
        facts["state"] = _optimizer_state(name, recipe.facts[0])
        if "[" not in name:
            facts["settings"] = _settings(name, recipe.facts[0])
    if facts["returns"] == "array" and recipe.kind != "index" and (shape := _result_shape(name, recipe)):
        facts["shape"] = shape
    return facts


def subject_argument(subject: Subject, inputs: list[Any]) -> Any:
    """Run an in-place operator on its own: the object that comes back, when it is the one that went in."""
    result = subject.call(*inputs)
    return result if result is inputs[0] else None


def _layer(name: str, recipe: Recipe) -> dict[str, Any]:
    case = recipe.cases[0]
    subject = Subject(name, case)
    assert subject.module is not None
    inputs = subject.inputs.make({symbol: SIZES[symbol][0] for symbol in subject.inputs.symbols})
    facts: dict[str, Any] = {}
    weights = [path for path, _ in mlx.utils.tree_flatten(subject.module.parameters())]
    if direct := sorted(path for path in weights if "." not in path):
        facts["weights"] = direct
    before = {path: value.tolist() for path, value in mlx.utils.tree_flatten(subject.module.parameters())}
    subject.code(*inputs)
    after = {path: value.tolist() for path, value in mlx.utils.tree_flatten(subject.module.parameters())}
    if changed := sorted(path for path, value in after.items() if value != before.get(path)):
        facts["stateful"] = changed
    if _draws(lambda: subject.call(*inputs)):
        facts["stochastic"] = True
    for parameter in recipe.facts:
        joiner = "" if case.setup.endswith("()") else ", "
        drawn = []
        for value in ("0.0", "0.3"):
            varied = Subject(name, Case(case.call, case.inputs, f"{case.setup[:-1]}{joiner}{parameter}={value})"))
            drawn.append(_draws(partial(varied.call, *inputs)))
        if drawn == [False, True]:
            facts["active_when"] = parameter
    return facts


def _optimizer_state(name: str, arguments: str) -> list[str]:
    """The leaves, other than the step and the rate, that change when a second gradient is applied."""
    namespace = {"mlx": importlib.import_module("mlx")}
    made = eval(f"{name.partition('[')[0]}({arguments})", namespace)
    weights = {"w": arr(4, 6), "b": arr(6)}
    snapshots = []
    for seed in (4, 5):
        weights = made.apply_gradients({"w": arr(4, 6, seed=seed), "b": arr(6, seed=seed)}, weights)
        mx.eval(weights, made.state)
        snapshots.append({path: value.tolist() for path, value in mlx.utils.tree_flatten(made.state) if isinstance(value, mx.array)})
    changed = {path.rpartition(".")[2] for path, value in snapshots[1].items() if value != snapshots[0].get(path)}
    return sorted(changed - {"step", "learning_rate"})


def _settings(name: str, arguments: str) -> dict[str, Any]:
    """The numbers that an optimizer keeps under the names of its constructor's parameters, with what they are by default."""
    made = eval(f"{name}({arguments})", {"mlx": importlib.import_module("mlx")})
    given = inspect.signature(type(made)).parameters.values()
    defaults = {p.name: p.default for p in given if p.default is not p.empty and p.name != "learning_rate"}
    return {key: value for key, value in defaults.items() if not callable(value) and getattr(made, key, made) == value}


def _compiled(name: str, recipe: Recipe) -> dict[str, Any]:
    for case in recipe.cases:
        subject = Subject(name, case)
        sizes = {symbol: SIZES[symbol][0] for symbol in subject.inputs.symbols}
        inputs = subject.inputs.make(sizes)

        def body(*values: Any, subject: Subject = subject) -> list[Any]:
            return [*subject.arrays(*values), values[0] * 1]

        subject.call(*inputs)  # what raises without compile too is a wrong recipe
        try:
            subject.reset()
            mx.eval(mx.compile(body)(*subject.inputs.make(sizes)))  # mxlint: ignore[MX301] each subject is another function
        except Exception as error:  # noqa: BLE001  whatever it raises is the result
            message = first_line(error)
            return {"evaluates": True, "message": message} if EVALUATED.search(message) else {"raises": message}
        finally:
            subject.reset()
    return {}


def run(name: str, recipe: Recipe, done: set[str], guarded: bool = False) -> Iterator[tuple[str, Any]]:
    """All experiments on one name. Yields (step, None) before and (step, result) after each; steps in `done` are left out.

    `guarded`: with scripts/guard.c armed, so that the process dies of what reads or writes out of bounds.
    """
    if not os.environ.get(DEVICE):
        mx.set_default_device(mx.cpu)
    mx.eval(mx.array([1.0]) + 1)  # the first compiled call of a process traces twice where no operation ran before
    if hasattr(mx, "set_cache_limit"):
        mx.set_cache_limit(0)  # freed buffers go back at once, so that a read out of bounds does not find old values
    for step, action in (("basic", _basic), ("compiled", _compiled)):
        if step not in done:
            yield step, None
            found = action(name, recipe)
            yield step, found
            if "evaluates" in found:
                return
    shapes_only = "empty" in name
    for number, case in enumerate(recipe.cases):
        subject = Subject(name, case)
        base = subject.inputs.worlds(set())[0]
        if not leaves(subject.call(*subject.inputs.make(base))):
            continue  # Python values: nothing that could be frozen into a graph
        for mode, function in (("forward", subject.arrays), ("grad", subject.gradient)):
            experiments = {axis: subject.inputs.worlds(symbols) for axis, symbols in subject.inputs.axes().items()}
            experiments = experiments or {"all": subject.inputs.worlds(set())}
            if subject.inputs.symbols:
                ones = dict.fromkeys(subject.inputs.symbols, 1)
                experiments |= {"from_unit": [ones, base], "to_unit": [base, ones]}
            for axis, worlds in experiments.items():
                step = f"{number}:{subject.inputs.rank}:{mode}:{axis}"
                if step not in done:
                    yield step, None
                    if guarded:
                        ctypes.CDLL(None).guard(1)
                    yield step, shapeless(subject, function, worlds, shapes_only)
