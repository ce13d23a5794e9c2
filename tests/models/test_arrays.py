"""What the models say that a call does to an mx.array, against MLX itself: inside mx.compile what evaluates raises, and what is harmless does not."""

from __future__ import annotations

import collections
import contextlib
import io
import itertools
import logging
import random
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import mlx.core as mx
import pytest

from models.covering import NOTHING, real_object
from mxlint.models import load
from mxlint.models.schema import ArrayUse, Model, Signature

EVALUATED = "eval] Attempting to eval"


class File:
    """Where pickle writes to."""

    def write(self, data: object) -> int:
        return 0


def fillers() -> list[Any]:
    """What the other parameters are given."""
    return [
        1,
        "a%s",
        [1, 2],
        2.0,
        lambda *_: 1,
        "f",
        "i",
        (1, 2),
        (1, 2, 3),
        {"k": 1},
        io.StringIO(),
        types.SimpleNamespace(),
        "%d",
        list,
        30,
        UserWarning,
        File(),
    ]


RECEIVERS: dict[str, Callable[[Any], Any]] = {
    "builtins.list": lambda x: [x, x, 1], "builtins.tuple": lambda x: (x, x, 1), "builtins.dict": lambda x: {"k": x, x: x}, "builtins.set": lambda x: {x, 1},
    "builtins.str": lambda x: "%s{}", "builtins.bytes": lambda x: b"ab%s", "builtins.range": lambda x: range(3),
    "builtins.bytearray": lambda x: bytearray(b"%a"), "collections.deque": lambda x: collections.deque([x, x]),
    "logging.Logger": lambda x: logger(), "logging.LoggerAdapter": lambda x: logging.LoggerAdapter(logger(), {}),
}  # fmt: skip
NOT_CALLED = {
    "builtins.input", "warnings.showwarning", "warnings.warn_explicit", "pickle.Pickler.dump", "string.Template.substitute", "time.sleep",
    "string.Template.safe_substitute", "queue.Queue.put", "queue.Queue.put_nowait", "queue.SimpleQueue.put", "queue.SimpleQueue.put_nowait",
    "contextlib.nullcontext", "csv.Writer.writerow", "hashlib.HASH.update", "random.Random.randint", "random.Random.randrange", "array.array.append",
    "builtins.str.format", "builtins.str.format_map", "logging.log", "logging.Logger.log", "logging.LoggerAdapter.log",
}  # fmt: skip
# The ones above that a plain call cannot reach, written out.
BY_HAND: dict[str, Callable[[Any], Any]] = {
    "builtins.input": lambda x: input(x),
    "csv.Writer.writerow": lambda x: __import__("csv").writer(io.StringIO()).writerow([x]),
    "hashlib.HASH.update": lambda x: __import__("hashlib").md5().update(x),
    "builtins.str.format": lambda x: f"{1} {[x]}",
    "builtins.str.format_map": lambda x: "{k}".format_map({"k": x}),
    "array.array.append": lambda x: __import__("array").array("f").append(x),
    "string.Template.substitute": lambda x: __import__("string").Template("$a").substitute(a=x),
    "time.sleep": lambda x: __import__("time").sleep(x),
    "logging.log": lambda x: (logger(), logging.getLogger("mxlint.models").log(50, "%s", x)),
    "random.Random.randint": lambda x: random.Random(1).randint(0, x),
}


def logger() -> logging.Logger:
    """A logger that writes all there is, and does not hide what fails."""
    made = logging.getLogger("mxlint.models")
    made.handlers = [Raising()]
    made.setLevel(1)
    made.propagate = False
    logging.getLogger().handlers = [Raising()]
    logging.getLogger().setLevel(1)
    return made


class Raising(logging.StreamHandler[io.StringIO]):
    def __init__(self) -> None:
        super().__init__(io.StringIO())

    def handleError(self, record: logging.LogRecord) -> None:
        raise sys.exc_info()[1] or RuntimeError


def evaluates(calls: Iterable[Callable[[Any], Any]], value: Any, *, until: bool | None = None) -> set[bool | None]:
    """What becomes of each call in a trace, with the placeholder that `value` makes: it is evaluated (True), is not (False), or the call fails in
    another way (None). Stops when one is `until`."""
    seen: set[bool | None] = set()

    def traced(x: mx.array) -> mx.array:
        for call in calls:
            try:
                call(x)
            except (Exception, SystemExit) as error:  # noqa: BLE001 - MLX raises several classes
                seen.add(True if is_evaluation(error) else None)
            else:
                seen.add(False)
            if until in seen:
                break
        return x

    mx.compile(traced)(value)
    return seen


def is_evaluation(error: BaseException) -> bool:
    """Whether MLX raised it for an evaluation in a trace. The text of a KeyError shows the key, which may be the array."""
    return any(
        EVALUATED in str(each.args[0]) for each in (error, error.__context__) if each and each.args and isinstance(each.args[0], str)
    )


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    handlers, level = logging.getLogger().handlers, logging.getLogger().level
    logger()
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda message, *_, **__: str(message)
        yield
    logging.getLogger().handlers, logging.getLogger().level = handlers, level


def placed(reach: str) -> list[Callable[[Any], Any]]:
    """Ways to hand an array in: itself, as the elements of something, or deeper."""
    return {
        "itself": [lambda x: x],
        "elements": [lambda x: [x, x, x]],
        "deep": [lambda x: x, lambda x: [[x]]],
    }[reach]


def calls(
    model: Model, real: Any, signature: Signature, use: ArrayUse, place: Callable[[Any], Any], receiver: Any
) -> Iterator[Callable[[Any], Any]]:
    """Calls with the array as one parameter, and the others filled."""
    target = next((p for p in signature.parameters if p.name == use.parameter), None)
    before = [p for p in signature.parameters if p.kind in ("positional", "either") and not p.optional and p is not target]
    wanted = [p for p in signature.parameters if p.kind in ("positional", "either", "args") and (p in before or p is target)]
    if target is not None and target.kind == "args" and not before:
        wanted = [target, target]
    elif target is not None and target.kind in ("positional", "either") and target.optional:
        at = signature.parameters.index(target)
        wanted = [p for p in signature.parameters[: at + 1] if p.kind in ("positional", "either")]
    for chosen in itertools.product(range(len(fillers())), repeat=len([p for p in wanted if p is not target])):

        def call(x: Any, chosen: tuple[int, ...] = chosen) -> Any:
            pool = iter([fillers()[i] for i in chosen])
            arguments = [place(x) if p is target else next(pool) for p in wanted]
            keywords = (
                {target.name if target.kind == "keyword" else "k": place(x)} if target and target.kind in ("keyword", "kwargs") else {}
            )
            held = [receiver(x)] if receiver is not None else []
            if model.kind == "class" and use.parameter == "self":
                return None
            result = real(*held, *arguments, **keywords)
            return list(itertools.islice(result, 5)) if hasattr(result, "__next__") else result

        yield call


def outcomes(model: Model, use: ArrayUse, value: Any, *, until: bool | None, most: int) -> set[bool | None]:
    """What becomes of up to so many calls with the array in one place, and all kinds of values in the others."""
    real = real_object(model.name)
    make = RECEIVERS.get(model.name.rpartition(".")[0]) if model.kind == "method" else None
    # An element that is the very argument is found without being compared.
    receiver = None if make is None else make if use.parameter == "self" else lambda _: make(1)
    every = itertools.chain.from_iterable(
        itertools.islice(calls(model, real, signature, use, place, receiver), most)
        for signature in model.signatures
        if use.parameter == "self" or use.parameter in [p.name for p in signature.parameters]
        for place in placed(use.reach)
    )
    return evaluates(every, value, until=until)


USES = [
    (name, use)
    for top in load.libraries()
    if top != "numpy"
    for name in load.names(top)
    if (model := load.model(name)) and model.array and real_object(name) is not NOTHING and name not in NOT_CALLED
    for use in model.array
]


@pytest.mark.parametrize(("name", "use"), [each for each in USES if each[1].word != "harmless"], ids=lambda each: str(each)[:60])
def test_what_evaluates_an_array_raises_in_a_trace(name: str, use: ArrayUse) -> None:
    model = load.model(name)
    assert model is not None
    found = outcomes(model, use, mx.array(1), until=True, most=400)
    if True not in found:
        found |= outcomes(model, use, mx.array([1, 2]), until=True, most=400)
    assert True in found, f"{name}: {use}: {found}"


@pytest.mark.parametrize(("name", "use"), [each for each in USES if each[1].word == "harmless"], ids=lambda each: str(each)[:60])
def test_what_is_harmless_does_not(name: str, use: ArrayUse) -> None:
    if name.startswith("builtins.dict") and use.parameter == "self":
        return
    model = load.model(name)
    assert model is not None
    found = outcomes(model, use, mx.array([1.0, 2.0]), until=True, most=40)
    assert True not in found, f"{name}: {use}"
    assert found, f"{name}: {use}: no call"


@pytest.mark.parametrize("name", BY_HAND)
def test_what_takes_a_call_of_its_own(name: str) -> None:
    model = load.model(name)
    assert model is not None and model.array
    assert evaluates([BY_HAND[name]], mx.array(1)) == {True}


def test_a_thread_is_no_use_of_an_array() -> None:
    assert threading.Thread is real_object("threading.Thread")
    model = load.model("threading.Thread")
    assert model is not None and [each.times for each in model.calls] == ["beside"]
