"""Prove what MLX's layers and optimizers make, and write it down as data.

measure_layers.py write      prove the statements of the catalogue with the installed MLX, write layers.json and optimizers.json
measure_layers.py survey     prove the data with the installed MLX, which may be an older one, and note what does not hold (see measure_results.py)

For random arguments of the constructor the arrays that the real instance holds are compared with the stated ones, name by name and down into sublayers,
and what calling it makes, before and after its weights were brought to another dtype. Settings (attributes that are the parameter of a name, or always one
constant) are found here.
"""

from __future__ import annotations

import ast
import inspect
import json
import os
import sys
import textwrap
from collections.abc import Iterator, Mapping
from typing import Any

import mlx.core as mx
import mlx.optimizers
from layers_catalogue import LAYERS, OPTIMIZERS, UNKNOWN_LAYERS, UNKNOWN_OPTIMIZERS, LayerStatement
from measure_results import DATA, covers, described, find, first_version, isolated, survey, veiled
from mlx import nn
from result_samples import Sampling, dtype_named

from mxlint.models.mlx.arguments import UNKNOWN, ArrayType, signature
from mxlint.models.mlx.layers import Layer, LayerModel, Repeated, layer_model
from mxlint.models.mlx.results import default

SAMPLES = int(os.environ.get("MEASURE_SAMPLES", "60"))
ERRORS = (ValueError, RuntimeError, TypeError, IndexError)


MODEL = LayerModel({}, {})
"""What is proved so far; sublayers are stated before the layers that have them."""


def parameters(function: Any) -> str:
    """The parameters of a method, without `self` and annotations; a default that is no constant is unknown."""
    given = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    arguments = given.args if isinstance(given, ast.FunctionDef) else ast.parse("lambda self, x: 0", mode="eval").body.args  # type: ignore[attr-defined]
    for argument in (*arguments.args, *arguments.kwonlyargs, *filter(None, (arguments.vararg, arguments.kwarg))):
        argument.annotation = None
    arguments.defaults = [default if _literal(default) else ast.Name("unknown") for default in arguments.defaults]
    arguments.args = arguments.args[1:]
    arguments.kwarg = None
    return ast.unparse(arguments)


def _literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except ValueError:
        return False
    return True


def call_parameters(kind: type, method: str) -> str:
    function = getattr(kind, method)
    return "x" if function.__qualname__.endswith("<lambda>") else parameters(function)


def constructor_parameters(kind: type) -> str:
    return "" if kind.__init__ is nn.Module.__init__ else parameters(kind.__init__)


def held(module: nn.Module) -> dict[str, ArrayType | None]:
    """The arrays of an instance itself, and the attributes that are None though they may be arrays."""
    items = {**vars(module), **dict(module.items())}
    return {name: described(value) for name, value in items.items() if isinstance(value, mx.array) or value is None}


def inside(module: nn.Module) -> dict[str, Any]:
    """The sublayers of an instance, single or in lists."""
    return {
        name: value
        for name, value in module.items()
        if isinstance(value, nn.Module) or isinstance(value, list) and value and isinstance(value[0], nn.Module)
    }


def differs(layer: Layer, module: nn.Module) -> str | None:
    """What is wrong with a constructed layer, or None."""
    real = held(module)
    for name, weight in layer.weights.items():
        if name not in real:
            return f"{name} is not there"
        unknown = weight is not None and (weight.shape is None or None in weight.shape)
        if (weight is None) != (real[name] is None) or weight is not None and not covers(weight, real[name], not unknown):
            return f"{name}: {weight}, but MLX has {real[name]}"
    if missing := [name for name, array in real.items() if array is not None and name not in layer.weights]:
        return f"{missing} are not stated"
    if set(inside(module)) != set(layer.sublayers):
        return f"sublayers {sorted(layer.sublayers)}, but MLX has {sorted(inside(module))}"
    for name, part in layer.sublayers.items():
        whole = inside(module)[name]
        one = part.layer if isinstance(part, Repeated) else part
        if isinstance(part, Repeated) and part.count != len(whole):
            return f"{name}: {part.count}, but MLX has {len(whole)}"
        for each in whole if isinstance(whole, list) else [whole]:
            if one.name != "mlx.nn." + type(each).__name__ or (why := differs(one, each)):
                return f"{name}: {one.name} {why}"
    return None


def trials(name: str, statement: LayerStatement, method: str, count: int, seed: str) -> Iterator[tuple[Any, Any, nn.Module]]:
    """Constructor calls and method calls, with a real instance."""
    for i in range(count):
        made, used = statement.samples[method](Sampling(f"{name} {method} {seed}{i}"))
        try:
            yield made, used, find(name)(*made[0], **made[1])
        except ERRORS:
            continue


def wrong_call(layer: Layer, module: nn.Module, method: str, used: Any, dtype: str | None, exact: bool) -> str | None:
    """What is wrong with the result of a call, or None; None also where MLX raises."""
    arguments, keywords = described(used[0]), described(used[1])
    weights = {name: array for name, array in held(module).items() if name in layer.weights}
    training = module.training
    try:
        real = described(getattr(module, method)(*used[0], **used[1]))
    except ERRORS:
        return None
    for given, words, is_exact in ((arguments, keywords, exact), (list(map(veiled, arguments)), keywords, False)):
        found = MODEL.call(layer, given, words, method, weights, training, dtype)
        if not covers(found, real, is_exact):
            return f"{given} {words} (weights {dtype}, training {training}): {found}, but MLX makes {real}"
    return None


def refuted(name: str, statement: LayerStatement, count: int = SAMPLES, seed: str = "") -> str | None:
    """What is wrong with what `MODEL` says of a layer, or None."""
    exact = not any("unknown" in shape for shape, _ in statement.weights.values())
    for method in statement.methods:
        seen = 0
        for made, used, module in trials(name, statement, method, count, seed):
            layer = MODEL.construct(name, described(made[0]), described(made[1]))
            if layer is None:
                return f"{made} does not bind"
            if why := differs(layer, module):
                return f"{made}: {why}"
            g = Sampling(f"{name} {made!r} {seed}")
            dtype = None
            if g.chance():
                dtype = g.dtype_name("float16", "bfloat16")
                module.set_dtype(dtype_named(dtype))
            module.train(g.chance())
            if why := wrong_call(layer, module, method, used, dtype, exact):
                return f"{made}.{method}: {why}"
            seen += 1
        if not seen:
            return f"MLX accepts none of the samples of {method}"
    return None


def settings(name: str, statement: LayerStatement) -> dict[str, str]:
    """Attributes that are always the value of one parameter, or always the same constant."""
    text = constructor_parameters(find(name))
    candidates: dict[str, set[str]] | None = None
    names: dict[str, Any] | None = {}
    for method in statement.samples:
        for made, _, module in trials(name, statement, method, SAMPLES, ""):
            names = signature(text).bind(made[0], made[1], default)
            assert names is not None
            values = {
                key: value
                for key, value in {**vars(module), **dict(module.items())}.items()
                if not isinstance(value, (mx.array, nn.Module)) and not key.startswith("_")
            }
            fits = {
                key: {p for p, given in names.items() if given is not UNKNOWN and type(given) is type(value) and given == value}
                | ({repr(value)} if isinstance(value, (int, float, str)) else set())
                for key, value in values.items()
            }
            candidates = fits if candidates is None else {key: candidates[key] & fits[key] for key in candidates.keys() & fits.keys()}
    weights = statement.weights.keys() | statement.sublayers.keys()
    return {
        key: min(fits, key=lambda text, key=key: (text != key, text not in (names or ()), text))
        for key, fits in sorted((candidates or {}).items())
        if fits and key not in weights
    }


def drawn(name: str, statement: LayerStatement) -> list[str]:
    """The weights that a constructor draws: those that two instances which are made alike do not share."""
    found: set[str] = set()
    for made, _, module in (trial for method in statement.samples for trial in trials(name, statement, method, SAMPLES, "")):
        another = {**vars(other := find(name)(*made[0], **made[1])), **dict(other.items())}
        for key, value in {**vars(module), **dict(module.items())}.items():
            if isinstance(value, mx.array) and value.size and not mx.array_equal(value, another[key], equal_nan=True).item():
                found.add(key)
    return sorted(found)


def entry(name: str, statement: LayerStatement) -> tuple[dict[str, Any], str | None]:
    """The data on a layer, and what is wrong with it. Of several candidates for the dtype of a method the first that holds is taken."""
    kind = find(name)
    made: dict[str, Any] = {"parameters": constructor_parameters(kind)}
    if statement.weights:
        made["weights"] = statement.weights
    if statement.sublayers:
        made["sublayers"] = statement.sublayers
    if found := settings(name, statement):
        made["settings"] = found
    if numbers := drawn(name, statement):
        made["drawn"] = numbers
    if statement.does:
        made["does"] = statement.does
    made["methods"] = {}
    MODEL.entries[name] = made
    for method, (shapes, dtypes) in statement.methods.items():
        only = LayerStatement(statement.weights, statement.sublayers, {method: (shapes, dtypes)})
        only.samples = statement.samples
        wrong: str | None = None
        for dtype in dtypes:
            made["methods"][method] = {"parameters": call_parameters(kind, method), "shape": shapes[0], "dtype": dtype}
            wrong = refuted(name, only)
            if wrong is None:
                break
        if wrong is not None:
            return made, wrong
    return made, None


def optimizer(name: str) -> tuple[dict[str, Any], str | None]:
    """The data on an optimizer, and what is wrong with it."""
    state, _ = OPTIMIZERS[name]
    text = parameters(getattr(mlx.optimizers, name).__init__)
    made = {"parameters": text, "state": state, "updated": ["same(parameter)", "promote(parameter, gradient)"]}
    return made, wrong_optimizer(name, made)


def wrong_optimizer(name: str, entry: Mapping[str, Any]) -> str | None:
    """What is wrong with the data on an optimizer, or None."""
    full = "mlx.optimizers." + name
    model = LayerModel({}, {full: entry})
    for i in range(SAMPLES):
        g = Sampling(f"{name} {i}")
        arguments, keywords = OPTIMIZERS[name][1](g)
        shape = g.lengths(2, 2) if name == "Muon" else g.lengths(1, 3)
        dtype = g.dtype_name("float32", "float16", "bfloat16")
        parameter = g.array(shape, dtype)
        real = getattr(mlx.optimizers, name)(*arguments, **keywords)
        real.init({"w": parameter})
        found = model.optimizer_state(full, arguments, keywords, described(parameter))
        kept = {leaf: described(array) for leaf, array in real.state["w"].items()}
        if found != kept:
            return f"{arguments} {keywords}: {found}, but MLX keeps {kept}"
        try:
            after = real.apply_gradients({"w": g.array(shape, dtype)}, {"w": parameter})["w"]
        except ERRORS:
            continue
        if model.updated(full, described(parameter), described(parameter)) != described(after):
            return f"a parameter {described(parameter)} becomes {described(after)}"
        if (later := {leaf: described(array) for leaf, array in real.state["w"].items()}) != kept:
            return f"{kept} becomes {later}"
    return None


def check() -> dict[str, str]:
    """Prove the data as it is: what is wrong, by name."""
    known = layer_model()
    MODEL.entries.update(known.entries)
    work = {name: lambda name=name: refuted(name, LAYERS[name]) for name in LAYERS}
    work |= {
        "mlx.optimizers." + name: lambda name=name: wrong_optimizer(name, known.optimizers["mlx.optimizers." + name]) for name in OPTIMIZERS
    }
    wrong: dict[str, str] = {}
    for name, one in work.items():
        answer = isolated(lambda one=one: [one()]) or ["the process died"]
        if answer[0] is not None or len(answer) > 1:
            wrong[name] = str(answer[-1])
    print(f"MLX {mx.__version__}: {len(work) - len(wrong)} of {len(work)} hold", file=sys.stderr)
    return wrong


def write() -> int:
    bad = 0
    for path, stated, unknown, measure in (
        ("layers.json", dict(LAYERS), UNKNOWN_LAYERS, lambda name: entry(name, LAYERS[name])),
        (
            "optimizers.json",
            {"mlx.optimizers." + name: 0 for name in OPTIMIZERS},
            UNKNOWN_OPTIMIZERS,
            lambda name: optimizer(name.rpartition(".")[2]),
        ),
    ):
        found: dict[str, Mapping[str, Any]] = {name: {"unknown": reason} for name, reason in unknown.items()}
        for name in stated:
            found[name], wrong = measure(name)
            if since := first_version("layers", name):
                found[name] = {"from": since} | found[name]
            if wrong:
                bad += 1
                print(f"{name}: {wrong}", file=sys.stderr)
        rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
        version = mx.__version__.partition("+")[0]
        (DATA / path).write_text(f'{{"mlx": "{version}", "entries": {{\n{rows}\n}}}}\n')
        print(f"{path}: {len(found)} names", file=sys.stderr)
    print(f"{bad} do not hold", file=sys.stderr)
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        sys.exit(write())
    if sys.argv[1:] != ["survey"]:
        sys.exit(__doc__)
    survey("layers", check())
