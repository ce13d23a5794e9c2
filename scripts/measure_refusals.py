"""Prove which calls MLX refuses for sure, and write it down as data.

measure_refusals.py write           prove it of all functions and layers with the installed MLX, write refusals.json
measure_refusals.py check [NAME...] prove what refusals.json says; 1 if anything does not hold

The samples of the catalogues are calls that MLX accepts. Here they are changed: axes come and go, lengths and numbers change. A function has an entry if MLX raises in
each of these calls of which its expression makes nothing, and if one of the classes below names each exception. What may be unknown of the arguments is
proved by leaving some of it out: the expression still makes nothing of no call that MLX takes.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import mlx.core as mx
from layers_catalogue import LAYERS
from measure_layers import held, trials
from measure_results import DATA, described, find, isolated
from refusals_catalogue import OTHERS, TAKES
from result_samples import Sampler, Sampling
from results_catalogue import STATEMENTS

from mxlint.models.mlx import refusals, results
from mxlint.models.mlx.arguments import ArrayType, Scalar, signature
from mxlint.models.mlx.layers import layer_model
from mxlint.models.mlx.refusals import DTYPES, LENGTHS, NUMBERS

SAMPLES = int(os.environ.get("MEASURE_SAMPLES", "800"))
"""Calls that a function is tried with."""
FEWEST = 5
"""Calls that MLX has to refuse before anything is said of a function."""
AXES = ("axis", "axes", "axis1", "axis2", "source", "destination")
"""Names of parameters that name axes."""
Given = Mapping[str, Any]


# -- calls -----------------------------------------------------------------------------------------------------------------------------------


def changed(g: Sampling, value: Any, careful: bool) -> Any:
    """An argument that is a little different. `careful`: with no smaller number, as MLX ends the process at some of these."""
    if isinstance(value, mx.array):
        return mx.zeros(_changed_shape(g, list(value.shape)), value.dtype)
    if isinstance(value, (list, tuple)) and value:
        parts, at = list(value), g.int(0, len(value) - 1)
        if g.chance(0.25):
            del parts[at]
        elif g.chance(0.3):
            parts.insert(at, parts[at])
        else:
            parts[at] = changed(g, parts[at], careful)
        return type(value)(parts)
    if type(value) is int:
        return value + g.int(1, 2) if careful else g.one_of(value + 1, value - 1, -value, value + 2, g.int(-5, 5))
    return value


def _changed_shape(g: Sampling, shape: list[int]) -> list[int]:
    if not shape or g.chance(0.2):
        shape.insert(g.int(0, len(shape)), g.one_of(1, 2, 3))
        return shape
    at = g.int(0, len(shape) - 1)
    if g.chance(0.3):
        del shape[at]
    elif g.chance(0.3):
        shape[at], shape[0] = shape[0], shape[at]
    else:
        shape[at] = g.one_of(shape[at] + 1, 1, 2, 3, 4, 5)
    return shape


def disturbed(g: Sampling, arguments: Sequence[Any], keywords: Given, careful: bool) -> tuple[list[Any], dict[str, Any]]:
    """A call of which nothing, one thing or two are different."""
    args, words = list(arguments), dict(keywords)
    places: list[Any] = [*range(len(args)), *words]
    for _ in range(g.int(0, 2) if places else 0):
        at = g.one_of(*places)
        holder: Any = words if isinstance(at, str) else args
        holder[at] = changed(g, holder[at], careful)
    return args, words


def outcome(function: Any, args: Sequence[Any], words: Given) -> str | None:
    """The class of what a call raises; None if it returns."""
    try:
        function(*args, **words)
    except Exception as error:  # noqa: BLE001  which one is what is asked
        return type(error).__name__
    return None


def calls(function: Any, sample: Sampler, seed: str, careful: bool, count: int) -> Iterator[tuple[Any, Any, str | None]]:
    """Calls of a function as the model sees them, with what MLX raises."""
    for i in range(count):
        g = Sampling(f"refused {seed}{i}")
        args, words = disturbed(g, *sample(g), careful)
        yield described(args), described(words), outcome(function, args, words)


def vaguer(g: Sampling, value: Any, what: str) -> Any:
    """A description that leaves out some lengths, dtypes or numbers."""
    if isinstance(value, ArrayType):
        assert value.shape is not None
        shape = tuple(None if what == LENGTHS and g.chance() else length for length in value.shape)
        return ArrayType(shape, None if what == DTYPES and g.chance() else value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)(vaguer(g, part, what) for part in value)
    return Scalar(type(value).__name__) if what == NUMBERS and type(value) in (int, float, bool) and g.chance() else value


# -- proofs ----------------------------------------------------------------------------------------------------------------------------------


def candidates(text: str) -> list[str]:
    """Expressions for the class of an exception, over the parameters of a function: one class, or one of two by whether the axes exist; of some calls alone. The
    one is taken that is right of most calls."""
    form = signature(text)
    words = (*form.positional, *form.keyword_only, *((form.variadic,) if form.variadic else ()))
    if not words:
        return []
    first = words[0]
    found = ["'ValueError'", "'IndexError'"]
    named = [word for word in AXES if word in words]
    if named:
        adding = ("0", "1", f"number_of({named[0]})")
        there = [" and ".join(f"has_axes({first}, {word}, {more})" for word in named) for more in adding]
        single = " and ".join(f"is_number({word})" for word in named)
        order = "(axes[0] if number_of(axes) == 1 else axes)" if form.variadic == "axes" else named[0]
        each = f"number_of({order}) != rank({first}) or has_axes({first}, {order})"
        whole = [f"'ValueError' if {test} else 'IndexError'" for test in (*there, each, f"rank({first}) == 0")]
        whole += [f"{made} if elements({first}) != 0 else unknown" for made in ("'IndexError'", *(f"({one})" for one in whole))]
        whole += [f"({one}) if {single} else unknown" for one in whole]
        found += [*whole, *(f"'ValueError' if {test} else unknown" for test in (each, *there))]
    settings = [
        word
        for word in ("stride", "padding", "dilation", "kernel_dilation", "input_dilation", "output_padding", "pad_width")
        if word in words
    ]
    if settings:
        found.append(f"'ValueError' if {' and '.join(f'is_number({word})' for word in settings)} else unknown")
    if "pad_width" in words:
        found.append("'ValueError' if is_pairs(pad_width) else unknown")
    if len(words) > 1:
        found.append(f"'ValueError' if is_whole({first}) and is_whole({words[1]}) else unknown")
    return found


def proved(form: Mapping[str, str], takes: str, tried: Sequence[tuple[Given, str | None]]) -> dict[str, Any] | None:
    """What holds of a form for all calls, each with its bound arguments and what MLX raises. `takes`: what is asked of the arguments besides."""
    text = form["parameters"]
    asked = {"takes": takes.format(*(word.strip() for word in text.replace("/,", "").split(",")[:2]), "")} if takes else {}

    def unmade(names: Given) -> bool:
        return refusals.refuses(form, names, asked)

    refused = [(names, error) for names, error in tried if unmade(names)]
    best, most = "", FEWEST - 1
    for expression in candidates(text):
        said = _said(expression, refused)
        if len(said) > most and all(one == f"builtins.{error}" for one, error in said):
            best, most = expression, len(said)
    if not best:
        return None
    needs = []
    for what in (LENGTHS, DTYPES, NUMBERS):
        g = Sampling(what)
        vague = [({key: vaguer(g, value, what) for key, value in names.items()}, error) for names, error in tried * 3]
        if any(one != f"builtins.{error}" for one, error in _said(best, [each for each in vague if unmade(each[0])])):
            needs.append(what)
    sorts: dict[str, set[str]] = {}
    for names, _ in tried:
        for word, value in names.items():
            sorts.setdefault(word, set()).update(refusals.kinds(value))
    never = (set(), {"NoneType"})
    found = {word: sorted(kinds) for word, kinds in sorts.items() if kinds not in never and word not in refusals.OF_LAYERS}
    return {"raises": best, "needs": needs, "kinds": found} | asked


def _said(expression: str, refused: Sequence[tuple[Given, str | None]]) -> list[tuple[str, str | None]]:
    """The classes that an expression names, each with what MLX raises."""
    found = [(refusals.raised(expression, names), error) for names, error in refused]
    return [(one, error) for one, error in found if one is not None]


Tried = list[tuple[Given, str | None]]
"""Calls of one form: the bound arguments, and what MLX raises."""


def of_function(name: str, careful: bool = False, count: int = SAMPLES, seed: str = "") -> list[tuple[Mapping[str, str], Tried]]:
    """Calls of a function, by the forms of its parameters."""
    if name in OTHERS:
        forms: Sequence[Mapping[str, str]] = [{"parameters": OTHERS[name].parameters}]
        sources = [(OTHERS[name].function, OTHERS[name].sample, 0)]
    else:
        entry = results.entries()[name]
        forms = entry.get("forms", [entry])
        sources = [(find(name), one.sample, one.form) for one in STATEMENTS[name] if "inner" not in forms[0]]
    tried: list[Tried] = [[] for _ in forms]
    for function, sample, number in sources:
        for args, words, error in calls(function, sample, f"{name} {number} {seed}", careful, count):
            for form, found in zip(forms, tried):
                names = results.bound(form, args, words, (), {})
                if names is not None:
                    found.append((names, error))
                    break
    return list(zip(forms, tried))


def of_layer(name: str, method: str, count: int = SAMPLES // 3, seed: str = "") -> list[tuple[Mapping[str, str], Tried]]:
    """Calls of a method of a layer."""
    form = layer_model().entries[name]["methods"][method]
    tried: Tried = []
    for made, used, module in trials(name, LAYERS[name], method, count, f"refused {seed}"):
        layer = layer_model().construct(name, described(made[0]), described(made[1]))
        g = Sampling(f"refused {name} {made!r} {len(tried)}")
        args, words = disturbed(g, *used, careful=True)
        weights = {key: array for key, array in held(module).items() if layer is not None and key in layer.weights}
        names = layer_model().names(layer, form, described(args), described(words), weights) if layer is not None else None
        if names is not None:
            tried.append((names, outcome(getattr(module, method), args, words)))
    return [(form, tried)]


def tried(name: str, careful: bool = False, count: int | None = None, seed: str = "") -> list[tuple[Mapping[str, str], Tried]]:
    """Calls of a function, or of a method of a layer."""
    layer, _, method = name.rpartition(".")
    if layer in LAYERS:
        return of_layer(layer, method, SAMPLES // 3 if count is None else count, seed)
    return of_function(name, careful, SAMPLES if count is None else count, seed)


def disagreements(name: str, count: int, seed: str) -> list[str]:
    """Calls of which the data says something else than MLX does, also where some of the arguments are left out."""
    found = []
    for (form, cases), said in zip(tried(name, True, count, seed), refusals.entries()[name]):
        for names, error in cases if said is not None else ():
            g = Sampling(repr(names))
            for known in (names, *({key: vaguer(g, value, what) for key, value in names.items()} for what in (LENGTHS, DTYPES, NUMBERS))):
                one = refusals.of_form(form, known, said)
                if one is not None and one != f"builtins.{error}":
                    found.append(f"{name}: {known} raises {error}, and not {one}")
    return found


def entry(name: str) -> Any:
    """What is proved of a name; None if that is nothing. Where the process dies of a number, as of a stride of 0, it is asked again more carefully."""
    takes = OTHERS[name].takes if name in OTHERS else TAKES.get(name, "")

    def work(careful: bool) -> list[dict[str, Any] | None]:
        own = {"parameters": OTHERS[name].parameters} if name in OTHERS else {}
        made = [proved(form, takes, cases) for form, cases in tried(name, careful)]
        return [None if one is None else own | one for one in made]

    found = isolated(lambda: work(False)) or isolated(lambda: work(True))
    return found if found is not None and any(isinstance(part, dict) for part in found) else None


def names() -> list[str]:
    functions = [name for name in STATEMENTS if "unknown" not in results.entries()[name]]
    layers = [f"{name}.{method}" for name in LAYERS for method in layer_model().entries[name].get("methods", ())]
    return sorted((*functions, *layers, *OTHERS))


def write() -> int:
    found = {name: made for name in names() if (made := entry(name)) is not None}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(made)}" for name, made in found.items())
    version = mx.__version__.partition("+")[0]
    (DATA / "refusals.json").write_text(f'{{"mlx": "{version}", "entries": {{\n{rows}\n}}}}\n')
    print(f"{len(found)} of {len(names())} names", file=sys.stderr)
    return 0


def check(wanted: Sequence[str]) -> int:
    bad = [name for name in wanted or refusals.entries() if entry(name) != refusals.entries()[name]]
    print("\n".join(bad))
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        sys.exit(write())
    if sys.argv[1:2] == ["check"]:
        sys.exit(check(sys.argv[2:]))
    sys.exit(__doc__)
