"""What takes the place of a part of the program that cannot be had: a small module, an optimizer, a function, settings.

Each counts as replaced from the moment it is handed out; a step of a finding's chain that lies in one confirms nothing.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import mlx.core as mx

nn: Any = importlib.import_module("mlx.nn")
optim: Any = importlib.import_module("mlx.optimizers")

WIDTH = 8
replaced: dict[str, str] = {}
"""The names of the program that hold a stand-in, and what it is in words."""
handed: list[Any] = []
"""The stand-ins themselves."""
failed: list[BaseException] = []
"""What the statements raised that others took the place of."""


class Module(nn.Module):  # type: ignore[misc, unused-ignore]
    """Parameters, a state, and a result that depends on both, of the shape that it is given: whole numbers are looked up."""

    def __init__(self, results: int, parts: Sequence[str]) -> None:
        super().__init__()
        self.weight = mx.eye(WIDTH) + (mx.arange(WIDTH * WIDTH) % 7 - 3).reshape(WIDTH, WIDTH) / 20
        self.results = results
        for name in parts:
            if not hasattr(nn.Module, name):
                setattr(self, name, Module(1, ()))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = next(arrays([args, kwargs]), None)
        if found is None:
            result = mx.sum(self.weight)
        elif not mx.issubdtype(found.dtype, mx.floating):
            result = self.weight[found % WIDTH]
        elif found.ndim and found.shape[-1] == WIDTH:
            result = found @ self.weight
        else:
            result = found * mx.mean(self.weight)
        return result if self.results == 1 else (result, *[mx.mean(result)] * (self.results - 1))


class Function:
    """A function of anything: one number that depends on every array and module that it is given, or its first array unchanged."""

    def __init__(self, reduces: bool) -> None:
        self.reduces = reduces

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found = list(arrays([args, kwargs]))
        found += [part(*found) for part in args if isinstance(part, nn.Module)]
        if not self.reduces:
            return found[0] if found else None
        return sum((mx.mean(item * 1.0) for item in found), mx.array(0.0))


class Settings:
    """Attributes and entries by name, as deep as the program asks for them."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        vars(self).update(values)

    def __getitem__(self, name: str) -> Any:
        return vars(self)[name]

    def __contains__(self, name: str) -> bool:
        return name in vars(self)

    def get(self, name: str, default: Any = None) -> Any:
        return vars(self).get(name, default)


def arrays(value: Any) -> Iterator[mx.array]:
    if isinstance(value, mx.array):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from arrays(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from arrays(item)


KINDS: dict[str, str] = {
    "array": "an array", "module": "a small nn.Module", "optimizer": "a real Adam", "function": "a function of its arrays", "settings": "made-up settings",
}  # fmt: skip


def make(spec: Mapping[str, Any], name: str) -> Any:
    """The stand-in that a spec asks for, as the value of `name`."""
    kind = spec["stand_in"]
    replaced[name] = KINDS[kind]
    made: Any
    if kind == "array":
        made = mx.array(mx.eye(WIDTH) + (mx.arange(WIDTH * WIDTH) % 7 - 3).reshape(WIDTH, WIDTH) / 20)
        mx.eval(made)
    elif kind == "module":
        made = Module(spec.get("results", 1), spec.get("parts", ()))
    elif kind == "optimizer":
        made = optim.Adam(learning_rate=0.01)
    elif kind == "function":
        made = Function(spec.get("reduces", True))
    else:
        made = settings(spec["tree"], spec["variant"])
    handed.append(made)
    return made


def settings(tree: Mapping[str, Any], variant: int) -> Settings:
    return Settings({name: settings(inner, variant) if inner else leaf(name, variant) for name, inner in tree.items()})


FRACTIONS = (
    "eps", "temp", "temperature", "top_p", "min_p", "scale", "limit", "alpha", "beta", "gamma", "lr", "rate", "decay", "dropout", "weight", "norm",
    "ratio", "probability", "threshold", "momentum", "epsilon", "tau", "lambda",
)  # fmt: skip
SWITCHES = (
    "use",
    "is",
    "has",
    "enable",
    "eager",
    "debug",
    "verbose",
    "bias",
    "compile",
    "training",
    "causal",
    "flag",
    "do",
    "with",
    "no",
    "traditional",
)


def leaf(name: str, variant: int) -> Any:
    """A setting by its name: a fraction, a switch, or a size."""
    words = name.lower().split("_")
    if any(word in FRACTIONS for word in words) or name in FRACTIONS:
        return 0.5 if variant < 2 else None
    if words[0] in SWITCHES or name in SWITCHES:
        return bool(variant % 2)
    return (WIDTH, 1, None)[variant]


KIND_WORDS: dict[str, tuple[str, ...]] = {
    "optimizer": ("optimizer", "optim", "opt", "optimiser"),
    "function": ("fn", "func", "function", "loss", "criterion", "forward", "callback", "objective", "activation", "act", "grad", "update"),
    "module": (
        "model", "module", "net", "network", "encoder", "decoder", "generator", "discriminator", "teacher", "student", "layer", "backbone",
        "transformer", "unet", "vae", "head", "policy", "critic", "actor", "tokenizer", "adapter",
    ),
    "settings": ("config", "cfg", "args", "opts", "options", "settings", "hparams", "params", "conf", "hyperparameters"),
}  # fmt: skip
OF_MODULES = frozenset(
    {
        "parameters",
        "trainable_parameters",
        "state",
        "train",
        "eval",
        "freeze",
        "unfreeze",
        "apply",
        "named_modules",
        "leaf_modules",
        "update",
    }
)


def kind_of(name: str) -> str | None:
    """What a name is mostly given to, by its last word."""
    words = [word for word in name.lower().split("_") if word]
    found = [kind for word in reversed(words) for kind, known in KIND_WORDS.items() if word in known]
    return found[0] if found else None


def specs(name: str, attributes: Sequence[str], called: bool, tree: Mapping[str, Any], kind: str | None = None) -> list[dict[str, Any]]:
    """Stand-ins that may do for a name, the likeliest first. `tree`: the attributes that the program reads below it; `kind`: what it is known to be."""
    parts = [part for part in attributes if not hasattr(nn.Module, part)]
    every: dict[str, list[dict[str, Any]]] = {
        "module": [{"stand_in": "module", "results": count, "parts": parts} for count in (1, 2)],
        "optimizer": [{"stand_in": "optimizer"}],
        "function": [{"stand_in": "function", "reduces": reduces} for reduces in (True, False)],
        "settings": [{"stand_in": "settings", "tree": tree, "variant": variant} for variant in range(3)] if tree else [],
    }
    kind = kind or kind_of(name)
    if kind is None and OF_MODULES & set(attributes):
        kind = "optimizer" if "learning_rate" in attributes else "module"
    if kind is None and called:
        kind = "function"
    if kind is None:
        return every["settings"]
    return [
        *every[kind],
        *itertools.chain(*(found for other, found in every.items() if other != kind and other in ("settings", "function"))),
    ]


def or_stand_in(names: Sequence[str], kind: str | None, attempt: Callable[[], Any], trees: Mapping[str, Any]) -> Any:
    """What a statement of the program gives to `names`, or stand-ins where it cannot be had here; `kind`: what it is known to be."""
    try:
        return attempt()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever it raises: files, downloads, modules that are not there, a command line
        failed.append(error)
        made = [make(_likeliest(name, kind, trees.get(name, {})), name) for name in names]
        return made[0] if len(made) == 1 else made


def _likeliest(name: str, kind: str | None, tree: Mapping[str, Any]) -> dict[str, Any]:
    if kind == "array":
        return {"stand_in": kind}
    return next(iter(specs(name, list(tree), False, tree)), {"stand_in": "module"})


def or_left_out(name: str | None, attempt: Callable[[], Any]) -> None:
    """A statement that gives no name a value; where it cannot be run, what it does to `name` is missing."""
    try:
        attempt()
    except (Exception, SystemExit) as error:  # noqa: BLE001 - as above
        failed.append(error)
        if name is not None:
            replaced[name] = "what it is without a call that cannot be made here"
