"""The models of builtins and the standard library against CPython itself: parameters, orders of resolution, results, exceptions."""

from __future__ import annotations

import collections
import copy
import fractions
import inspect
import itertools
import operator
import random
import sys
from typing import Any

import pytest

from models.covering import NOTHING, applies, bind, covers, real_object, signature_of
from mxlint.models import load
from mxlint.models.evaluate import evaluate
from mxlint.models.schema import Model

STANDARD = [top for top in load.libraries() if top != "numpy"]
ORDINARY = (TypeError, ValueError, AttributeError, OverflowError, MemoryError, RecursionError)
"""What bad arguments raise; a model says what good ones may."""


def answer(*_: Any) -> str:
    """A callback."""
    return "answer"


def texts() -> list[Any]:
    return ["", "ab", "12", "a b\n", "%d"]


def samples() -> list[Any]:
    """Arguments of all kinds, fresh ones at each call."""
    return [
        None, True, 0, 3, -2, 2.5, 1j, *texts(), b"ab", [3, 1, 2], ["b", "a"], (2, 1), ("a", "b"), {"k": 1}, {1, 2}, frozenset({1}),
        range(3), answer, [], (), {}, slice(1), fractions.Fraction(1, 2), int, iter([1, 2]), bytearray(b"a"), [(1, 2), (3, 4)],
    ]  # fmt: skip


RECEIVERS: dict[str, list[Any]] = {
    "builtins.str": texts(), "builtins.bytes": [b"", b"ab", b"12"], "builtins.int": [0, 7, -3], "builtins.float": [0.0, 2.5, float("nan")],
    "builtins.complex": [1j, 2 + 1j], "builtins.bool": [True, False], "builtins.list": [[], [3, 1, 2], ["b", "a"]],
    "builtins.tuple": [(), (1, 2), ("a",)], "builtins.dict": [{}, {"k": 1, 2: "x"}], "builtins.set": [set(), {1, 2}],
    "builtins.frozenset": [frozenset(), frozenset({1, 2})], "builtins.range": [range(0), range(2, 9, 3)],
    "builtins.bytearray": [bytearray(), bytearray(b"abc")],
}  # fmt: skip
# Pure libraries whose functions are called with every sample.
PURE = [
    "math", "cmath", "operator", "itertools", "functools", "bisect", "heapq", "string", "textwrap", "json", "re", "struct", "base64", "binascii",
    "fnmatch", "copy", "colorsys", "collections", "fractions", "html", "unicodedata", "keyword", "shlex", "statistics",
]  # fmt: skip
NOT_CALLED = {
    # They wait, stop the program, print, change globals, or need room for what the samples ask for.
    "builtins.breakpoint", "builtins.exit", "builtins.quit", "builtins.help", "builtins.input", "builtins.open", "builtins.print",
    "builtins.setattr", "builtins.delattr", "builtins.eval", "builtins.exec", "builtins.__import__", "builtins.type", "builtins.super",
    "math.factorial", "math.perm", "math.comb", "itertools.tee", "operator.call", "copy.replace", "collections.namedtuple",
    "re.template", "functools.update_wrapper",
}  # fmt: skip


def callables(top: str) -> list[str]:
    found = load.library(top)
    assert found is not None
    names = [name for name in (*found.functions, *found.classes) if name not in NOT_CALLED]
    return [name for name in names if real_object(name) is not NOTHING and load.model(name) is not None]


def methods() -> list[str]:
    found = load.library("builtins")
    assert found is not None
    skipped = (
        "__init__",
        "__reduce__",
        "__reduce_ex__",
        "__getattribute__",
        "__setattr__",
        "__delattr__",
        "__buffer__",
        "__release_buffer__",
    )
    return [f"{cls}.{m}" for cls in RECEIVERS for m in found.classes[cls]["members"] if m not in skipped and hasattr(real_object(cls), m)]


def argument_lists(count: int, rng: random.Random, most: int = 300) -> list[tuple[Any, ...]]:
    """Arguments of all kinds for so many parameters, at most that many lists of them."""
    every = list(itertools.product(range(len(samples())), repeat=count)) if count < 3 else []
    chosen = every if 0 < len(every) <= most else [tuple(rng.randrange(len(samples())) for _ in range(count)) for _ in range(most)]
    return [tuple(samples()[i] for i in indices) for indices in chosen] if count else [()]


CONTAINERS = (list, dict, set, bytearray, collections.deque)


def check(model: Model, real: Any, receiver: Any, arguments: tuple[Any, ...]) -> str | None:
    """What is wrong with the model about this call, if anything is."""
    given = copy.deepcopy(arguments) if not any(hasattr(a, "__next__") for a in arguments) else (*arguments,)
    before = (
        tuple(list(a) if hasattr(a, "__next__") else a for a in copy.deepcopy(given))
        if any(hasattr(a, "__next__") for a in given)
        else given
    )
    held = copy.copy(receiver)
    try:
        value = real(*([receiver] if model.kind == "method" else []), *arguments)
    except Exception as error:  # noqa: BLE001 - the model says which
        known = tuple(cls for each in model.raises if isinstance(cls := real_object(each.error), type))
        return None if isinstance(error, (*ORDINARY, *known)) else f"raises {type(error).__name__}"
    if not model.mutates and type(held) in CONTAINERS and held != receiver:
        return f"changes its receiver to {receiver!r:.80}"
    if not model.mutates and any(type(a) in CONTAINERS and a != b for a, b in zip(arguments, given)):
        return "changes an argument"
    if value is NotImplemented:
        return None  # an operator's way of saying TypeError
    fits = model.binding(len(arguments))
    if not fits:
        return "no signature fits, and it works"
    fits = tuple(each for each in fits if applies(each, arguments))
    for signature in fits:
        # The arguments may have been changed by the call, or be what it gives: both states are looked at.
        for receiver_, list_ in ((receiver, arguments), (held, before)):
            call = bind(signature, receiver_, list_, [answer()])
            if model.kind == "classmethod":
                call.bound["cls"] = getattr(real, "__self__", None)
            if covers(signature.result, value, call):
                return None
    return f"gives {value!r:.80} ({type(value).__name__}), the model says {model.result}"


def problems(name: str, receivers: list[Any]) -> list[str]:
    model = load.model(name)
    assert model is not None
    real = real_object(name)
    if model.kind == "attribute":
        return []
    rng = random.Random(name)
    found: list[str] = []
    places = [len([p for p in each.parameters if p.kind in ("positional", "either")]) for each in model.signatures]
    more = any(p.kind == "args" for each in model.signatures for p in each.parameters)
    for receiver in receivers:
        for count in range(min(max(places) + more, 3) + 1):
            for arguments in argument_lists(count, rng):
                if problem := check(model, real, copy.copy(receiver), arguments):
                    found.append(f"{name}{arguments} of {receiver!r:.40}: {problem}")
                    if len(found) > 3:
                        return found
    return found


@pytest.mark.slow
@pytest.mark.parametrize("cls", RECEIVERS)
def test_methods_of_builtin_types_give_what_their_models_say(cls: str) -> None:
    wrong = [problem for name in methods() if name.startswith(f"{cls}.") for problem in problems(name, RECEIVERS[cls])]
    assert not wrong, "\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("top", ["builtins", *PURE])
def test_functions_give_what_their_models_say(top: str) -> None:
    wrong = [problem for name in callables(top) for problem in problems(name, [None])]
    assert not wrong, "\n".join(wrong)


# Classes whose bases are others in some versions; the data has those of Python 3.11.
CHANGED = {
    "importlib.metadata.EntryPoint": lambda version: version < (3, 11),
    "tempfile.SpooledTemporaryFile": lambda version: version < (3, 11),
    "importlib.metadata.EntryPoints": lambda version: version != (3, 11),
}


@pytest.mark.parametrize("top", STANDARD)
def test_the_order_of_resolution_is_the_real_one(top: str) -> None:
    found = load.library(top)
    assert found is not None
    for name in found.classes:
        real = real_object(name)
        if not isinstance(real, type) or name.startswith("typing.") or (name in CHANGED and CHANGED[name](sys.version_info[:2])):
            continue
        ours = [cls for each in load.bases(name) if isinstance(cls := real_object(each), type)]
        theirs = [cls for cls in real.__mro__ if cls.__module__ != "typing"]
        assert [cls for cls in theirs if cls in ours] == ours, name
        assert {cls for cls in theirs if cls.__module__ == "builtins"} <= set(ours), name


def test_subclasses_are_those_of_issubclass() -> None:
    abstract = [name for name in load.library("collections").classes if name.startswith("collections.abc.")]  # type: ignore[union-attr]
    concrete = [name for top in ("builtins", "collections") for name in load.library(top).classes]  # type: ignore[union-attr]
    for name, of in itertools.product(concrete, [*abstract, "builtins.int", "builtins.OSError", "builtins.dict"]):
        real, wanted = real_object(name), real_object(of)
        if isinstance(real, type) and isinstance(wanted, type):
            if name in ("builtins.mappingproxy", "builtins.slice") and of == "collections.abc.Hashable":
                continue  # since Python 3.12
            try:
                expected = issubclass(real, wanted)
            except TypeError:
                continue
            assert load.is_subclass(name, of) is expected, (name, of)


# Constants that every call of `small` and `always` is made with.
CONSTANTS: list[Any] = ["a", "little", None, True, 0, 3, -2, 2.5, "ab", "12", "", b"ab", b"", (2, 1), ("a", "b"), [3, 1], 1j, "%d", " a "]


def folded(top: str) -> list[str]:
    return [name for name in load.names(top) if (model := load.model(name)) and model.fold != "no"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "top", [pytest.param(top, marks=pytest.mark.slow) if top == "builtins" else top for top in STANDARD if folded(top)]
)
def test_what_is_folded_is_what_cpython_gives_twice(top: str) -> None:
    for name in folded(top):
        model, real = load.model(name), real_object(name)
        assert model is not None
        if real is NOTHING:
            continue
        worked = 0
        bound = model.kind in ("method", "classmethod") and not isinstance(getattr(real, "__self__", None), type)
        for count in [each for each in range(5) if model.binding(each - bound)]:
            rng = random.Random(name)
            every = itertools.product(CONSTANTS, repeat=count)
            lists = list(every) if count < 4 else [tuple(rng.choice(CONSTANTS) for _ in range(count)) for _ in range(4000)]
            for arguments in lists:
                outcome = evaluate(model, copy.deepcopy(arguments))
                if outcome is None:
                    continue
                try:
                    expected = real(*copy.deepcopy(arguments))
                except Exception:  # noqa: BLE001
                    assert outcome.error, (name, arguments)
                    continue
                worked += 1
                assert not outcome.error, (name, arguments, outcome)
                same = repr(outcome.value) == repr(expected) and type(outcome.value) is type(expected)
                assert same, (name, arguments, outcome.value, expected)
        assert worked or not callable(real), f"{name}: no sample fits"


def test_a_result_that_grows_with_a_number_is_not_made() -> None:
    for name, arguments in [
        ("builtins.pow", (10, 10**9)), ("builtins.str.ljust", ("a", 10**9)), ("builtins.bytes", (10**9,)), ("builtins.int.__lshift__", (1, 10**9)),
        ("builtins.format", (1, "1000000000d")), ("builtins.str.__mul__", ("a", 10**9)), ("builtins.str.format", ("{:999999999}", 1)),
    ]:  # fmt: skip
        model = load.model(name)
        assert model is not None and evaluate(model, arguments) is None, name


def test_what_may_not_be_folded_is_not_called() -> None:
    model = load.model("builtins.print")
    assert model is not None and evaluate(model, ("x",)) is None


KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "positional", inspect.Parameter.POSITIONAL_OR_KEYWORD: "either",
    inspect.Parameter.KEYWORD_ONLY: "keyword", inspect.Parameter.VAR_POSITIONAL: "args", inspect.Parameter.VAR_KEYWORD: "kwargs",
}  # fmt: skip


@pytest.mark.parametrize("top", STANDARD)
def test_every_call_that_inspect_allows_is_allowed_by_name(top: str) -> None:
    """Keyword parameters have the names that CPython has, and what CPython requires is all that is required."""
    wrong = []
    found = load.library(top)
    assert found is not None
    for name in found.functions:
        if name.endswith("hook"):
            continue  # pytest has its own in their place
        model, real = load.model(name), real_object(name)
        signature = signature_of(real) if model is not None and callable(real) else None
        if model is None or signature is None:
            continue
        ours = {p.name for each in model.signatures for p in each.parameters}
        opened = any(p.kind == "kwargs" for each in model.signatures for p in each.parameters)
        for parameter in signature.parameters.values():
            named = KINDS[parameter.kind] in ("either", "keyword") and not parameter.name.startswith("_")
            if named and parameter.name not in ours and not opened:
                wrong.append(f"{name}: no parameter {parameter.name}")
        least = min(sum(p.kind in ("positional", "either") and not p.optional for p in each.parameters) for each in model.signatures)
        required = [p for p in signature.parameters.values() if p.default is p.empty and KINDS[p.kind] in ("positional", "either")]
        if least > len(required) and not any(KINDS[p.kind] == "args" for p in signature.parameters.values()):
            wrong.append(f"{name}: {least} required, CPython requires {len(required)}")
    assert not wrong, "\n".join(wrong)


def test_operators_are_functions_too() -> None:
    assert operator.add(1, 2) == evaluate(load.model("operator.add"), (1, 2)).value  # type: ignore[arg-type, union-attr]
