"""Measure what gradients of MLX's functions and layers go back through, and fold the measurements of several versions into one table.

measure_gradients.py measure             run the installed MLX, write raw/gradients/<version>.json
measure_gradients.py measure NAME...     these names only, into what is there already
measure_gradients.py gather FOLDER...    the same from trials that runs of `measure` kept in folders (MEASURE_KEEP), with other seeds (MEASURE_SEED)
measure_gradients.py fold                all of raw/gradients/ → gradients.json
measure_gradients.py check [NAME...]     measure again and compare with the table; 1 and what differs

Each function is called with the random calls that prove its result (results_catalogue.py), each layer with those of layers_catalogue.py, with other
sizes at a second call. For each operand of a floating type it is asked, in a shapeless trace, whether

- computing the gradient raises, though the operation does not;
- the gradient goes back through what the operand is computed from, and depends on what is made of the result: an operation whose gradient is known to
  raise is put before it, and behind it;
- `mx.jvp` or `mx.vmap` of the operation raises though it does not;
- the operation takes up a broadcast of the operand (it is fused with it), or is such a broadcast;
- the gradient is right at both sizes. MLX leaves a sum along axes of length 1 out of the trace, but not what it takes from it, and makes no sum along axes along
  which nothing was repeated at first: so where it goes wrong shows which axes it sums along. `REPEATED` names the candidates.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import mlx.core as mx
import results_methods  # noqa: F401  it states what is called here, with what it imports
from layers_catalogue import LAYERS
from measure_results import DATA, find
from mlx import nn
from mlx.utils import tree_flatten, tree_unflatten
from result_samples import Sampling
from results_catalogue import STATEMENTS

from mxlint.models.mlx import results
from mxlint.models.mlx.arguments import signature
from mxlint.models.mlx.gradients import REPEATED

RAW = DATA / "raw" / "gradients"
TRIALS = int(os.environ.get("MEASURE_SAMPLES", "80"))
"""Calls that each statement is tried with."""
SEED = os.environ.get("MEASURE_SEED", "gradient")
"""What the choice of samples depends on."""
ATTEMPTS = 12
"""Samples that are drawn for each of them, at most: MLX takes only some."""
EXPLAINED = 0.5
"""The share of what goes wrong that a word has to tell of: what is left goes wrong for another reason, or the word would by chance."""
EVIDENCE = 3
"""Calls with such a sum that a word has to be right about."""
FUSED = 0.3
"""The share of calls in which an operation has to be fused with a broadcast: in some it makes no operation at all."""
SILENCE = 6.0
"""Seconds after which a step counts as hung."""
Shape = tuple[int, ...]


class Call:
    """A function of the arrays at some operands, at two choices of sizes. `operands` names them by parameter or weight."""

    def __init__(
        self,
        function: Callable[..., Any],
        operands: Sequence[str],
        first: Sequence[Any],
        second: Sequence[Any],
        options: Sequence[str] = (),
    ) -> None:
        self.function, self.operands, self.first, self.second, self.options = function, operands, first, second, options

    def outputs(self, *arrays: Any) -> list[Any]:
        """The arrays in the result; of complex ones the parts, so that each is real."""
        found = [leaf for _, leaf in tree_flatten(self.function(*arrays)) if isinstance(leaf, mx.array)]
        return [part for leaf in found for part in ((mx.real(leaf), mx.imag(leaf)) if leaf.dtype == mx.complex64 else (leaf,))]


# -- calls -----------------------------------------------------------------------------------------------------------------------------------


def _filled(shape: Shape, seed: int) -> Any:
    """Float values in (0.1, 1), all different."""
    count = 1
    for size in shape:
        count *= size
    return (
        mx.array([((k * 7919 + seed * 104729) % 9973) / 11000 + 0.1 for k in range(count)], mx.float32) if count else mx.zeros((0,))
    ).reshape(shape)


def _leaves(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """The arrays in arguments, each with its path."""
    if isinstance(tree, mx.array):
        yield path, tree
    elif isinstance(tree, dict):
        for key, value in tree.items():
            yield from _leaves(value, (*path, key))
    elif isinstance(tree, (list, tuple)):
        for key, value in enumerate(tree):
            yield from _leaves(value, (*path, key))


def _with(tree: Any, arrays: dict[tuple[Any, ...], Any], path: tuple[Any, ...] = ()) -> Any:
    """The same arguments with other arrays at some paths."""
    if isinstance(tree, mx.array):
        return arrays.get(path, tree)
    if isinstance(tree, dict):
        return {key: _with(value, arrays, (*path, key)) for key, value in tree.items()}
    if isinstance(tree, (list, tuple)):
        return type(tree)(_with(value, arrays, (*path, key)) for key, value in enumerate(tree))
    return tree


def _parameter(name: str, number: int, path: tuple[Any, ...]) -> str:
    """The parameter of a function that an argument stands for; with [] for what lies in a list."""
    if len(path) > 2:
        return _parameter(name, number, path[:2]) + "[]"
    entry = results.entries()[name]
    forms = entry.get("forms", [entry])
    form = signature(forms[min(number, len(forms) - 1)]["parameters"])
    if path[0] == "keywords":
        return str(path[1])
    return form.positional[path[1]] if path[1] < len(form.positional) else str(form.variadic)


def _options(name: str, number: int, keywords: dict[str, Any]) -> list[str]:
    """The keywords of a call that are not as they are by default: neither that, nor one such for each axis."""
    entry = results.entries()[name]
    forms = entry.get("forms", [entry])
    defaults = signature(forms[min(number, len(forms) - 1)]["parameters"]).defaults
    known = {key: results.default(node) for key, node in defaults.items()}
    return sorted(
        key
        for key, value in keywords.items()
        if key in known and {*(value if isinstance(value, (list, tuple)) else (value,))} != {known[key]}
    )


def _resized(g: Sampling, shapes: Sequence[Shape]) -> tuple[dict[int, int], dict[int, int]]:
    """Two choices of what each length becomes; an axis of length 1 stays, so that it is still repeated."""
    lengths = sorted({size for shape in shapes for size in shape})
    kept = g.chance(0.2)
    return tuple({n: n if n == 1 or kept and g.chance() else g.one_of(1, 1, 2, 3) for n in lengths} for _ in range(2))  # type: ignore[return-value]


def _smaller(g: Sampling, shape: Shape) -> Shape:
    """A shape with fewer axes, or with some of length 1: what has it is repeated beside others, if a function takes that."""
    return tuple(1 if g.chance(0.3) else size for size in shape[g.one_of(0, 1, 1, 2) :])


def _function_call(name: str, number: int, seed: str) -> Call | None:
    """A random call of a function, all of whose arrays are floats if it takes that."""
    statement = STATEMENTS[name][number]
    g = Sampling(f"{name} {number} {seed}")
    arguments, keywords = statement.sample(g)
    if "outer" in keywords:
        return None
    tree = {"arguments": arguments, "keywords": keywords}
    arrays = dict(_leaves(tree))
    sizes = _resized(g, [array.shape for array in arrays.values()])
    if len(arrays) > 1 and g.chance(0.7):
        path = g.one_of(*arrays)
        arrays[path] = mx.zeros(_smaller(g, arrays[path].shape), arrays[path].dtype)
    function = find(name)
    for floats in ({path for path in arrays}, {path for path, array in arrays.items() if mx.issubdtype(array.dtype, mx.inexact)}):
        if not floats:
            return None
        made = [
            {
                path: _filled(shape, seed=place + 7 * which) if path in floats else mx.zeros(shape, arrays[path].dtype)
                for place, (path, shape) in enumerate((path, tuple(sizes[which][n] for n in array.shape)) for path, array in arrays.items())
            }
            for which in (0, 1)
        ]
        chosen = [path for path in arrays if path in floats]

        def run(*given: Any, made: Any = made, chosen: Any = chosen) -> Any:
            rest = {path: array for path, array in made[0].items() if path not in chosen}
            whole = _with(tree, {**rest, **dict(zip(chosen, given))})
            return function(*whole["arguments"], **whole["keywords"])

        call = Call(
            run,
            [_parameter(name, number, path) for path in chosen],
            *([each[path] for path in chosen] for each in made),
            _options(name, number, keywords),
        )
        if _accepted(call):
            return call
    return None


def _layer_call(name: str, bare: bool, seed: str) -> Call | None:
    """A random call of a layer, as a function of what it is given and of its weights."""
    statement = LAYERS[name]
    g = Sampling(f"{name} {seed}")
    made, used = statement.samples["__call__"](g)
    if bare != (made[1].get("bias") is False):
        return None
    module = find(name)(*made[0], **made[1])
    tree = {"arguments": used[0], "keywords": used[1]}
    arrays = {path: array for path, array in _leaves(tree) if mx.issubdtype(array.dtype, mx.inexact)}
    weights = [
        (key, _filled(value.shape, 5))
        for key, value in tree_flatten(module.trainable_parameters())
        if mx.issubdtype(value.dtype, mx.floating)
    ]
    sizes = _resized(g, [array.shape for array in arrays.values()])
    features = {n for _, weight in weights for n in weight.shape}
    given = [
        [_filled(tuple(n if n in features else sizes[which][n] for n in array.shape), which + 2) for array in arrays.values()]
        for which in (0, 1)
    ]
    plain = dict(tree_flatten(module.parameters()))

    def run(*inner: Any) -> Any:
        whole = _with(tree, dict(zip(arrays, inner)))
        module.update(tree_unflatten(list(zip((key for key, _ in weights), inner[len(arrays) :]))))
        try:
            return module(*whole["arguments"], **whole["keywords"])
        finally:
            module.update(tree_unflatten(list(plain.items())))

    names = [call_parameter(module, path) for path in arrays] + [key for key, _ in weights]
    call = Call(run, names, *([*each, *(weight for _, weight in weights)] for each in given))
    return call if _accepted(call) else None


def call_parameter(module: nn.Module, path: tuple[Any, ...]) -> str:
    """The parameter of a layer's call that an argument stands for, apart from the names of weights."""
    return f"({path[1]})"


def _accepted(call: Call) -> bool:
    """Whether MLX takes a call at both sizes, and gives arrays."""
    try:
        made = [call.outputs(*each) for each in (call.first, call.second)]
        mx.eval(made, call.first, call.second)
    except (ValueError, RuntimeError, TypeError, IndexError, OverflowError):
        return False
    if not all(array.size for array in (*call.first, *call.second)):
        return False
    return bool(made[0]) and len(made[0]) == len(made[1]) and all(leaf.size for leaf in (*made[0], *made[1]))


# -- experiments -----------------------------------------------------------------------------------------------------------------------------


def _row(p: Any) -> Any:
    """An operation whose gradient raises in a shapeless trace."""
    return p[0]


def _gradient(call: Call, operand: int, before: bool = False, after: bool = False) -> Callable[..., list[Any]]:
    """The gradient by one operand, as a function of all operands and of a direction for each output."""

    def run(arrays: Sequence[Any], directions: Sequence[Any]) -> list[Any]:
        def inner(given: Any) -> list[Any]:
            whole = [*arrays[:operand], _row(given) if before else given, *arrays[operand + 1 :]]
            outputs = [leaf if mx.issubdtype(leaf.dtype, mx.inexact) else leaf.astype(mx.float32) for leaf in call.outputs(*whole)]
            return [_row(leaf[None]) if after else leaf for leaf in outputs]

        by = arrays[operand][None] if before else arrays[operand]
        return list(mx.vjp(inner, [by], list(directions))[1])

    return run


def _along(call: Call, operand: int) -> Callable[..., list[Any]]:
    """What changes with one operand, in its own direction, as a function of all operands."""

    def run(arrays: Sequence[Any]) -> list[Any]:
        def inner(given: Any) -> list[Any]:
            return [
                leaf for leaf in call.outputs(*arrays[:operand], given, *arrays[operand + 1 :]) if mx.issubdtype(leaf.dtype, mx.inexact)
            ]

        return list(mx.jvp(inner, [arrays[operand]], [arrays[operand]])[1])

    return run


def _takes_up(call: Call, operand: int) -> bool:
    """Whether an operation takes up a broadcast of an operand: fused with it, it broadcasts for itself, and its result is not as large as it should be."""

    def repeated(*arrays: Any) -> list[Any]:
        given = arrays[operand]
        return call.outputs(*arrays[:operand], mx.broadcast_to(given, (5, *(1,) * 3, *given.shape)), *arrays[operand + 1 :])

    found = mx.compile(repeated, shapeless=True)(*call.first)  # mxlint: ignore[MX301,MX306] each is another function
    return [leaf.shape for leaf in found] != [leaf.shape for leaf in repeated(*call.first)]


def _is_broadcast(call: Call, operand: int) -> bool:
    """Whether an operation is left out where what works element by element is fused with what it makes."""

    def taken(*arrays: Any) -> list[Any]:
        return [mx.exp(leaf.astype(mx.float32)) * 2 for leaf in call.outputs(*arrays)]

    found = mx.compile(taken, shapeless=True)(*call.first)  # mxlint: ignore[MX301,MX306] each is another function
    return [leaf.shape for leaf in found] != [leaf.shape for leaf in taken(*call.first)]


def _directions(call: Call, arrays: Sequence[Any]) -> list[Any]:
    found = [_filled(leaf.shape, 9 + n) for n, leaf in enumerate(call.outputs(*arrays))]
    mx.eval(found)
    return found


def _raises(function: Callable[..., Any], *given: Any) -> bool:
    """Whether a shapeless trace of a function raises for want of shapes. Nothing is computed."""
    try:
        mx.compile(function, shapeless=True)(*given)  # mxlint: ignore[MX301,MX306] each is another function
    except ValueError as error:
        if "infer output shapes" in str(error):
            return True
        raise
    return False


def _right(function: Callable[..., Any], *calls: Sequence[Any]) -> bool:
    """Whether a shapeless trace of a function gives what it gives without, at each call."""
    compiled = mx.compile(function, shapeless=True)
    for given in calls:
        expected, found = function(*given), compiled(*given)
        mx.eval(expected, found)
        if [one.shape for one in found] != [one.shape for one in expected]:
            return False
        if not all(mx.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True).item() for a, b in zip(found, expected)):
            return False
    return True


def _steps(call: Call) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The experiments on one call, by name. What a later one needs is that the earlier ones went well."""
    firsts = _directions(call, call.first)
    seconds = _directions(call, call.second)

    def forward(*arrays: Any) -> list[Any]:
        return call.outputs(*arrays)

    repeats = len(call.operands) > 1 or len(call.outputs(*call.first)[0].shape) > call.first[0].ndim
    yield "forward", lambda: not _raises(forward, *call.first) and (not repeats or _right(forward, call.first, call.second))
    for number in range(len(call.operands)):
        plain = _gradient(call, number)
        yield f"raises {number}", lambda plain=plain: _raises(plain, call.first, firsts)
        for word in ("before", "after"):
            probed = _gradient(call, number, **{word: True})
            yield f"{word} {number}", lambda probed=probed: _raises(probed, call.first, firsts)
        along = _along(call, number)
        yield f"along {number}", lambda along=along: _raises(along, call.first)
        if call.first[number].ndim:
            mapped = mx.vmap(call.outputs, tuple(0 if k == number else None for k in range(len(call.operands))))
            yield f"mapped {number}", lambda mapped=mapped: _raises(mapped, *call.first)
        yield f"fused {number}", lambda number=number: _takes_up(call, number)
        yield f"broadcast {number}", lambda number=number: _is_broadcast(call, number)
        if repeats:
            yield f"right {number}", lambda plain=plain: _right(plain, (call.first, firsts), (call.second, seconds))


def _described(call: Call) -> dict[str, Any]:
    return {
        "operands": list(call.operands),
        "options": list(call.options),
        "shapes": [[list(array.shape) for array in each] for each in (call.first, call.second)],
        "result": [next(list(leaf.shape) for leaf in call.outputs(*each)) for each in (call.first, call.second)],
    }


def _child(make: Callable[[], Call | None], done: set[str], writer: int) -> None:
    """Run the experiments on one call, a line before and after each; never returns."""
    with os.fdopen(writer, "w", buffering=1) as out:
        try:
            mx.set_default_device(mx.cpu)
            call = make()
            if call is not None:
                print(json.dumps(["call", _described(call)]), file=out)
                for step, action in _steps(call):
                    if step in done:
                        continue
                    print(json.dumps([step, None]), file=out)
                    try:
                        found = action()
                    except Exception as error:  # noqa: BLE001  no gradient at all, or none of that type
                        found = f"{type(error).__name__}: {error}"[:120]
                    print(json.dumps([step, found]), file=out)
                    if step == "forward" and found is not True:
                        break
            print(json.dumps(["end", None]), file=out)
        except Exception as error:  # noqa: BLE001
            print(json.dumps(["error", f"{type(error).__name__}: {error}"[:200]]), file=out)
    os._exit(0)


def trial(make: Callable[[], Call | None]) -> dict[str, Any] | None:
    """What the experiments on one call showed; a step of which the process died went wrong. None where there is no such call."""
    known: dict[str, Any] = {}
    for _ in range(12):
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reader)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 2)
            _child(make, set(known), writer)
        os.close(writer)
        text, ended, running = "", False, None
        with os.fdopen(reader) as lines:
            while select.select([lines], [], [], SILENCE)[0]:
                text = lines.readline()
                if not text:
                    break
                step, found = json.loads(text)
                ended = ended or step in ("end", "error")
                running = step if found is None and not ended else None
                if found is not None and step != "error":
                    known[step] = found
            else:
                os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        if ended:
            return known if known.get("forward") is True else None
        if running in (None, "forward"):
            return None
        known[running] = False if running.startswith("right") else "died"
    return None


# -- what follows ----------------------------------------------------------------------------------------------------------------------------


def _sums(word: str, own: Sequence[Shape], others: Sequence[Sequence[Shape]], result: Sequence[Shape]) -> tuple[bool, bool]:
    """Whether a gradient that sums along the axes that a word names sums at the first call, and goes wrong at that or at the second."""
    pairs = [REPEATED[word](tuple(own[n]), [tuple(other) for other in others[n]], tuple(result[n])) for n in (0, 1)]
    if any(pair is None or len(pair[0]) > len(pair[1]) for pair in pairs):
        return False, False
    (mine, whole), (mine_later, whole_later) = pairs  # type: ignore[misc]
    more = len(whole) - len(mine)
    sums = {axis for axis in range(len(whole)) if axis < more or mine[axis - more] == 1 and whole[axis] != 1}
    repeated = {axis for axis in range(len(whole)) if axis < more or mine_later[axis - more] == 1 and whole_later[axis] != 1}
    # a sum along all axes is an operation of its own, and is never left out
    left_out = sums and len(sums) < len(result[0]) and any(all(each[axis] == 1 for axis in sums) for each in (whole, whole_later))
    return bool(sums), bool(left_out or repeated - sums or any(axis >= more and mine_later[axis - more] != 1 for axis in sums))


def _facts(trials: Sequence[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The facts about each operand, from the trials of one name."""
    seen: dict[str, list[tuple[dict[str, Any], int]]] = defaultdict(list)
    for each in trials:
        if any(0 in shape for shape in each["call"]["shapes"][0]):
            continue
        for number, parameter in enumerate(each["call"]["operands"]):
            seen[parameter].append((each, number))
    found = {}
    for parameter, cases in seen.items():
        asked = [(each, n) for each, n in cases if isinstance(each.get(f"raises {n}"), bool)]
        large = [(each, n) for each, n in asked if all(1 not in shape for shape in each["call"]["shapes"][0])]
        raising = {each[f"raises {n}"] for each, n in large}  # what takes all of an axis of length 1 may be nothing at all
        raising = raising if True in raising else {each[f"raises {n}"] for each, n in asked}
        if not raising:
            continue
        facts: dict[str, Any] = {}
        if True in raising:
            facts["raises"] = "always" if len(raising) == 1 else "some"
            without = _unless([(each["call"].get("options", ()), each[f"raises {n}"]) for each, n in asked])
            if without and facts["raises"] == "some":
                facts |= {"raises": "always", "unless": without}
        for step in ("along", "mapped"):
            ways = {each[f"{step} {n}"] for each, n in large or asked if isinstance(each.get(f"{step} {n}"), bool)}
            if True in ways:
                facts[step] = "always" if len(ways) == 1 else "some"
        for step in ("fused", "broadcast"):
            # of arrays without axes sums and products work element by element
            axes = [(each, n) for each, n in cases if all(each["call"]["shapes"][0])]
            asked_so = [each[f"{step} {n}"] for each, n in axes or cases if isinstance(each.get(f"{step} {n}"), bool)]
            if sum(asked_so) > FUSED * len(asked_so):
                facts[step] = True
        quiet = [(each, n) for each, n in cases if each.get(f"raises {n}") is False]
        ways = {(each.get(f"before {n}"), each.get(f"after {n}")) for each, n in quiet if (each, n) in large}
        ways = {way for way in ways if all(isinstance(part, bool) for part in way)}
        if ways and not any(before for before, _ in ways):
            facts["back"] = "ends"
        elif ways and not any(after for _, after in ways):
            facts["back"] = "zeros"
        elif ways:
            facts["back"] = "full"
        word = _word(quiet) or ("result" if "broadcast" in facts else "")  # a broadcast repeats what it is given up to its result
        if word:
            facts["sums"] = word
        found[parameter] = facts
    return found


def _unless(cases: Sequence[tuple[Sequence[str], bool]]) -> list[str]:
    """The fewest options one of which is given wherever a gradient does not raise; none if it does not without any."""
    left = [set(options) for options, raises in cases if not raises]
    found: list[str] = []
    while left and all(left):
        counts = Counter(option for options in left for option in options)
        found.append(max(sorted(counts), key=lambda option: counts[option]))
        left = [options for options in left if found[-1] not in options]
    return [] if left else sorted(found)


def _word(cases: Sequence[tuple[dict[str, Any], int]]) -> str:
    """The word that says most often where the gradient goes wrong, out of those that say so of nothing that is right; empty if none does. It has to tell
    of most of what goes wrong, else that goes wrong for another reason."""
    judged = [(each["call"], n, each[f"right {n}"] is not True) for each, n in cases if isinstance(each.get(f"right {n}"), bool)]
    found: dict[str, int] = {}
    for word in REPEATED:
        told = [(*_told(word, call, n), wrong, call, n) for call, n, wrong in judged]
        refuted = [(call, n) for _, says, wrong, call, n in told if says and not wrong]
        if os.environ.get("MEASURE_DEBUG"):
            left = [(call, n) for _, says, wrong, call, n in told if wrong and not says]
            print(word, "refuted by", refuted[:1], "says nothing of", left[:1], file=sys.stderr)
        says_of = sum(says for _, says, *_ in told)
        well = sum(sums and not wrong for sums, _, wrong, *_ in told)
        if not refuted and says_of and says_of + well >= EVIDENCE:
            found[word] = says_of
    best = max(found, key=lambda word: found[word], default="")
    return best if best and found[best] > sum(wrong for *_, wrong in judged) * EXPLAINED else ""


def _told(word: str, call: dict[str, Any], n: int) -> tuple[bool, bool]:
    shapes = call["shapes"]
    others = [[shape for k, shape in enumerate(each) if k != n] for each in shapes]
    return _sums(word, [each[n] for each in shapes], others, call["result"])


def names() -> list[str]:
    """All that is measured: functions, layers, and layers without a bias."""
    return [*STATEMENTS, *LAYERS, *(f"{name}[bias=False]" for name, each in LAYERS.items() if "bias" in each.weights)]


def measure(name: str) -> dict[str, Any]:
    """The facts about one name by operand; none where it has no gradient."""
    plain = name.partition("[")[0]
    trials = []
    for number in range(len(STATEMENTS.get(plain, [None]))):
        accepted = 0
        for k in range(TRIALS * ATTEMPTS):
            enough = TRIALS if any("right 0" in each for each in trials) else TRIALS // 3
            if plain in LAYERS:
                made = lambda k=k: _layer_call(plain, "[" in name, f"{SEED} {k}")
            else:
                made = lambda k=k, number=number: _function_call(plain, number, f"{SEED} {k}")
            found = trial(made)
            accepted += found is not None
            trials += [found] if found is not None else []
            if accepted >= enough or k >= TRIALS and not accepted:
                break
    if kept := os.environ.get("MEASURE_KEEP"):
        Path(kept, f"{name}.json").write_text(json.dumps(trials))
    return _facts(trials)


# -- the data --------------------------------------------------------------------------------------------------------------------------------


def _raw() -> Path:
    return RAW / f"{mx.__version__.partition('+')[0]}.json"


def _write(entries: dict[str, Any]) -> None:
    _raw().parent.mkdir(exist_ok=True)
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(entries[name], sort_keys=True)}" for name in sorted(entries) if entries[name])
    _raw().write_text(f'{{"mlx": "{_raw().stem}", "entries": {{\n{rows}\n}}}}\n')


def _measure_all(chosen: Sequence[str]) -> int:
    entries: dict[str, Any] = json.loads(_raw().read_text())["entries"] if chosen and _raw().exists() else {}
    for name in chosen or names():
        try:
            find(name.partition("[")[0])
        except (AttributeError, ImportError):
            continue
        entries[name] = measure(name)
    _write(entries)
    return 0


def _gather(folders: Sequence[str]) -> int:
    """Write the facts that the trials in all of some folders show."""
    kept: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for path in sorted(path for folder in folders for path in Path(folder).glob("*.json")):
        kept[path.name.removesuffix(".json")] += json.loads(path.read_text())
    _write({name: _facts(trials) for name, trials in kept.items()})
    return 0


def fold() -> dict[str, Any]:
    """One table: by operand the number of its facts in each version, None where that version has no such operand or nothing was seen of it."""
    raws = sorted((json.loads(path.read_text()) for path in RAW.glob("*.json")), key=lambda raw: [int(n) for n in raw["mlx"].split(".")])
    kinds: list[dict[str, Any]] = []

    def number(facts: dict[str, Any] | None) -> int | None:
        if facts is None:
            return None
        if facts not in kinds:
            kinds.append(facts)
        return kinds.index(facts)

    entries: dict[str, Any] = {}
    for name in sorted({name for raw in raws for name in raw["entries"]}):
        parameters = sorted({parameter for raw in raws for parameter in raw["entries"].get(name, {})})
        entries[name] = {each: [number(raw["entries"].get(name, {}).get(each)) for raw in raws] for each in parameters}
    return {"versions": [raw["mlx"] for raw in raws], "operands": kinds, "entries": entries}


def _fold_all() -> int:
    table = fold()
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(found)}" for name, found in table["entries"].items())
    head = ",\n".join(f'"{key}": {json.dumps(table[key])}' for key in ("versions", "operands"))
    (DATA / "gradients.json").write_text(f'{{{head},\n"entries": {{\n{rows}\n}}}}\n')
    return 0


def _check(chosen: Sequence[str]) -> int:
    known = json.loads(_raw().read_text())["entries"]
    wrong = {name: found for name in chosen or names() if (found := measure(name)) != known.get(name, {})}
    for name, found in wrong.items():
        print(f"{name}\n  table    {json.dumps(known.get(name, {}), sort_keys=True)}\n  measured {json.dumps(found, sort_keys=True)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    actions = {"measure": _measure_all, "gather": _gather, "fold": lambda _: _fold_all(), "check": _check}
    if sys.argv[1:2] and sys.argv[1] in actions:
        sys.exit(actions[sys.argv[1]](sys.argv[2:]))
    sys.exit(__doc__)
