"""Make the models of numpy: call its functions with samples, look at what they give, and at what they do to an mx.array in a trace.

    python scripts/measure_numpy.py            write src/mxlint/models/data/numpy.json
    python scripts/measure_numpy.py --check    fail if the committed data differs

Parameters are those of inspect.signature. A function that no sample fits gives `any`; what samples do not show is in overlay/numpy.toml.
"""

from __future__ import annotations

import contextlib
import copy
import inspect
import itertools
import math
import operator
import re
import sys
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import fold_stubs
import measured
import mlx.core as mx
import numpy as np

MODULES = ["numpy", "numpy.random", "numpy.linalg", "numpy.fft", "numpy.testing"]
SOURCE = f"numpy {np.__version__} (BSD-3-Clause; https://numpy.org), measured by scripts/measure_numpy.py under MLX {mx.__version__}"
CLASSES = [
    "numpy.ndarray", "numpy.dtype", "numpy.generic", "numpy.finfo", "numpy.iinfo", "numpy.nditer", "numpy.flatiter", "numpy.vectorize",
    "numpy.random.Generator", "numpy.random.RandomState", "numpy.random.SeedSequence", "numpy.random.BitGenerator", "numpy.random.PCG64",
    "numpy.random.MT19937", "numpy.random.Philox", "numpy.poly1d", "numpy.matrix", "numpy.memmap", "numpy.errstate", "numpy.ufunc",
    "numpy.linalg.LinAlgError", "numpy.broadcast", "numpy.ndenumerate", "numpy.ndindex", "numpy.recarray", "numpy.record",
]  # fmt: skip
NOT_CALLED = {
    # They read or write files, print, change settings, run commands, or give something that is no result of theirs.
    "save", "savez", "savez_compressed", "savetxt", "load", "loadtxt", "fromfile", "genfromtxt", "fromregex", "tofile", "dump", "memmap", "show_config",
    "show_runtime", "info", "seterr", "seterrcall", "setbufsize", "set_printoptions", "test", "get_include", "fromfunction", "run_module_suite",
    "rundocs", "runstring", "measure", "dumps", "resize", "setflags", "bench", "fromiter", "apply_along_axis", "apply_over_axes", "frompyfunc",
    "nested_iters", "piecewise", "assert_no_gc_cycles", "break_cycles", "bytes", "set_state", "set_bit_generator", "__reduce__",
    "assert_raises", "assert_raises_regex", "assert_warns", "assert_no_warnings", "check_support_sve", "clear_and_catch_warnings",
    "suppress_warnings", "temppath", "tempdir", "KnownFailureException", "KnownFailureTest", "SkipTest", "extbuild",
}  # fmt: skip
OPERATORS = [f"__{r}{n}__" for n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul") for r in ("", "r", "i")]
OPERATORS += [f"__i{n}__" for n in ("and", "or", "xor", "lshift", "rshift")]
OPERATORS += [f"__{n}__" for n in ("eq", "ne", "lt", "le", "gt", "ge", "and", "or", "xor", "neg", "pos", "abs", "invert")]
OPERATORS += [f"__{n}__" for n in ("len", "iter", "getitem", "setitem", "contains", "bool", "int", "float", "index", "complex", "array")]
AT = {
    "signature": "(a, indices, b=None, /) -> None",
    "mutates": ["a replaces"],
    "array": {"a": "converts deep", "b": "converts deep", "indices": "converts deep"},
}
"""The method `at` of all functions that go element by element."""
IN_PLACE = {name for name in OPERATORS if name.startswith("__i") and name not in ("__invert__", "__iter__", "__int__", "__index__")}
MOST = 600
"""Calls of one function, at most."""


def samples() -> list[Any]:
    """Arguments that most functions take one of."""
    return [
        np.arange(6.0).reshape(2, 3) + 1, np.array([3, 1, 2]), np.array([[2.0, 1.0], [1.0, 3.0]]), np.array([True, False, True]), 2.0, 2, True,
        (2, 3), [1.0, 2.0, 3.0], 0, "i4", [np.ones(3), np.ones(3)], [np.ones(3, np.float32)] * 2, np.float64(0.5), np.float32(0.5), np.ones(3, np.float32),
        np.ones((2, 2, 2)), np.array(1.5), 1j, {}, np.int32(3), np.bool_(True), np.eye(3, dtype=np.float32), [[1, 2], [3, 4]], np.array([1 + 2j, 0]),
    ]  # fmt: skip


def is_scalar(value: object) -> bool:
    return isinstance(value, (bool, int, float, complex, np.generic))


def shown(value: Any) -> str:
    """The type of a result in the models' language."""
    if value is None:
        return "None"
    if isinstance(value, np.generic):
        return f"numpy.{type(value).__name__}"
    if type(value) is np.ndarray and value.dtype.kind in "biufc":
        return f"{ARRAY}[numpy.{value.dtype.type.__name__}]"
    if isinstance(value, np.ndarray):
        return ARRAY
    if type(value) in (bool, int, float, complex, str, bytes):
        return type(value).__name__
    if type(value) is tuple:
        parts = common(dict.fromkeys(bare(shown(each)) for each in value))
        return f"tuple[{' | '.join(parts) if 'any' not in parts else 'any'}, ...]" if parts else "tuple[never, ...]"
    if type(value) is list:
        parts = common(dict.fromkeys(bare(shown(each)) for each in value))
        return f"list[{' | '.join(parts) if 'any' not in parts else 'any'}]" if parts else "list[never]"
    if isinstance(value, type):
        return "type[any]"
    names = [name for name in CLASSES if isinstance(value, measured.resolve(name))]
    return names[0] if names else "any"


ARRAY = "numpy.ndarray"


def common(types: Iterable[str]) -> list[str]:
    """The types, with the one class of numpy that takes in all of its scalars among them in their place, and so for what lies in arrays."""
    found = list(types)
    arrays = [name for name in found if name.startswith(ARRAY)]
    inside = [name.removeprefix(f"{ARRAY}[").removesuffix("]") for name in arrays]
    scalars = [
        name for name in found if name.startswith("numpy.") and name not in arrays and issubclass(measured.resolve(name), np.generic)
    ]
    whole = [ARRAY] if ARRAY in arrays else [f"{ARRAY}[{base_of(inside)}]"] if arrays else []
    return [*([base_of(scalars)] if scalars else []), *whole, *(name for name in found if name not in (*arrays, *scalars))]


def base_of(names: list[str]) -> str:
    """The class of numpy that takes in some classes of its scalars."""
    classes = [measured.resolve(name) for name in names]
    base = next(cls for cls in classes[0].__mro__ if all(issubclass(other, cls) for other in classes))
    return f"numpy.{base.__name__}"


def bare(text: str) -> str:
    """A type without what lies in arrays."""
    return re.sub(rf"{ARRAY}\[[\w.]+\]", ARRAY, text)


def union(types: set[str]) -> str:
    """The union of types; tuples of any length are joined to one."""
    inside = sorted(
        common(
            {
                part
                for each in types
                if each.startswith("tuple[")
                for part in each[6:].removesuffix(", ...]").split(" | ")
                if part != "never"
            }
        )
    )
    tuples = (
        [f"tuple[{'any' if 'any' in inside else ' | '.join(inside) or 'never'}, ...]"] if any(e.startswith("tuple[") for e in types) else []
    )
    found = sorted(common({each for each in types if not each.startswith("tuple[")})) + tuples
    return "any" if not found or "any" in found else " | ".join(found)


def parameters_text(signature: inspect.Signature, annotation: str = "", least: int = 0) -> str:
    """The parameters as the data writes them; the first `least`, which are required, with an annotation."""
    parts: list[str] = []
    star = False
    slash = False
    for number, p in enumerate(signature.parameters.values()):
        if slash and p.kind is not p.POSITIONAL_ONLY:
            parts.append("/")
            slash = False
        slash = slash or p.kind is p.POSITIONAL_ONLY
        if p.kind is p.KEYWORD_ONLY and not star:
            parts.append("*")
            star = True
        mark = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        star = star or mark == "*"
        note = f": {annotation}" if annotation and number < least else ""
        default = ""
        if p.default is not p.empty and not mark:
            default = "=" + (repr(p.default) if type(p.default) in (bool, int, float, str, type(None)) else "...")
        parts.append(f"{mark}{p.name}{note}{default}")
    if slash:
        parts.append("/")
    return ", ".join(parts)


def required(signature: inspect.Signature) -> list[inspect.Parameter]:
    return [
        p
        for p in signature.parameters.values()
        if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.name != "self"
    ]


def attempts(count: int) -> list[list[Any]]:
    indices = list(itertools.product(range(len(samples())), repeat=count))
    step = next(each for each in itertools.count(max(1, len(indices) // MOST)) if math.gcd(each, len(samples())) == 1)
    return [[samples()[i] for i in each] for each in indices[::step]]


SHAPING = ("axis", "keepdims", "out", "dtype")
"""What decides of how many axes a result is, and of which class."""


def measure(function: Callable[..., Any], receiver: list[Any]) -> dict[str, Any] | None:
    """The entry of a function: parameters, results by kinds of arguments, and what becomes of an array of MLX's."""
    try:
        signature = inspect.signature(function)
    except (ValueError, TypeError):
        return None
    needed = required(signature)
    if len(needed) > 3:
        return {"signature": f"({parameters_text(signature)}) -> any"}
    every: set[str] = set()
    plainly: set[str] = set()
    scalars: set[str] = set()
    fits: list[list[Any]] = []
    extra: list[dict[str, Any]] = [{}]
    if "axis" in signature.parameters and signature.parameters["axis"].default is not inspect.Parameter.empty:
        extra.append({"axis": 0})
    if "size" in signature.parameters:
        extra.append({"size": 3})
    for arguments in attempts(len(needed)):
        for keywords in extra:
            try:
                value = function(*(each() for each in receiver), *arguments, **keywords)
            except Exception:  # noqa: BLE001, S112 - the sample does not fit
                continue
            every.add(shown(value))
            if not keywords:
                plainly.add(shown(value))
                fits.append(arguments)
                if arguments and all(map(is_scalar, arguments)) or not arguments:
                    scalars.add(shown(value))
    whole = union(every)
    texts = [f"({parameters_text(signature)}) -> {bare(whole) if 'dtype' in signature.parameters else whole}"]
    if scalars and scalars < every and needed:
        # With nothing said of what is optional, and with nothing but scalars.
        plain = signature.replace(parameters=[p for p in signature.parameters.values() if p in needed or p.name == "self"])
        skip = len([p for p in plain.parameters.values() if p.name == "self"])
        text = parameters_text(plain, "bool | int | float | complex | numpy.generic", len(needed) + skip)
        texts.insert(0, f"({text.replace('self: bool | int | float | complex | numpy.generic', 'self')}) -> {union(scalars)}")
        texts[:0] = [text for text in of_numbers(function, receiver, plain, len(needed)) if not text.endswith(f"-> {union(scalars)}")]
    elif scalars < every and not needed and "size" in signature.parameters and scalars:
        names = [p.name for p in signature.parameters.values() if type(p.default) in (int, float) and p.kind is p.POSITIONAL_OR_KEYWORD]
        plain = signature.replace(parameters=[p for p in signature.parameters.values() if p.name in names or p.name == "self"])
        inner = ", ".join(f"{p.name}: bool | int | float = {p.default!r}" if p.name in names else p.name for p in plain.parameters.values())
        texts.insert(0, f"({inner}) -> {union(scalars)}")
    of_all = len(extra) > 1 and "axis" in extra[-1] or len(extra) > 2
    arrays = any(isinstance(each, (np.ndarray, list)) for arguments in fits for each in arguments)
    if (of_all or needed and arrays) and (text := union(plainly)) != texts[-1].rpartition(" -> ")[2]:
        # Over all axes what is optional besides changes no class; else nothing is said of it.
        left_out = (*SHAPING, *(p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD)) if of_all else ()
        asked = [p for p in signature.parameters.values() if p in needed or p.name == "self"]
        if of_all:  # by keyword: what stands behind the axis
            others = (p for p in signature.parameters.values() if p not in asked and p.name not in left_out)
            asked += [p if p.kind is p.VAR_POSITIONAL else p.replace(kind=p.KEYWORD_ONLY) for p in others]
        texts.insert(len(texts) - 1, f"({parameters_text(signature.replace(parameters=asked))}) -> {text}")
    texts[-1:-1] = of_a_size(function, receiver, signature, fits, every)
    entry: dict[str, Any] = {"signature": texts if len(texts) > 1 else texts[0]}
    optional = [
        p for p in signature.parameters.values() if p.default is not p.empty and p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)
    ]
    if uses := array_uses(function, receiver, needed, optional, fits):
        entry["array"] = uses
    names = [*("self" for _ in receiver), *(p.name for p in needed)]
    written, shared = aliases(function, receiver, fits, names)
    if "out" in signature.parameters:
        written, shared = [*written, "out replaces"], [*shared, "out rows"]
    if written:
        entry["mutates"] = written
    if shared:
        entry["shares"] = shared
    if getattr(function, "__name__", "") in IN_PLACE:
        entry["signature"] = f"({parameters_text(signature)}) -> self"
        entry["mutates"] = ["self replaces"]
        entry.pop("shares", None)
    return entry


WHOLE, REAL = "int", "float | numpy.float64"
NUMBERS = {f"int | {REAL}": [2, 3, 2.0, 0.5, np.float64(0.5)], WHOLE: [2, 3], REAL: [2.0, 0.5, np.float64(0.5)]}
"""Numbers of Python, of which numpy makes scalars of its own kinds, by the types of the models' language."""


def of_numbers(function: Callable[..., Any], receiver: list[Any], plain: inspect.Signature, count: int) -> list[str]:
    """The signatures with nothing but numbers of Python, where these always give one class of numpy's scalars."""
    texts: list[str] = []
    skip = len([p for p in plain.parameters.values() if p.name == "self"])
    for types, numbers in NUMBERS.items():
        found: set[str] = set()
        for arguments in itertools.product(numbers, repeat=count):
            with contextlib.suppress(Exception):  # the sample does not fit
                found.add(shown(function(*(each() for each in receiver), *arguments)))
        if len(found) == 1 and (text := found.pop()).startswith("numpy."):
            texts.append(f"({parameters_text(plain, types, count + skip).replace(f'self: {types}', 'self')}) -> {text}")
            if types not in (WHOLE, REAL):
                break
    return texts


def of_a_size(
    function: Callable[..., Any], receiver: list[Any], signature: inspect.Signature, fits: list[list[Any]], every: set[str]
) -> list[str]:
    """The signatures with a number or shape as `size`, by position and by keyword, where the result is then of another type than without."""
    size = signature.parameters.get("size")
    if size is None or size.default is not None:
        return []
    found: set[str] = set()
    for arguments, given in itertools.product(fits, (3, [2], (2, 2))):
        with contextlib.suppress(Exception):  # the sample does not fit
            found.add(shown(function(*(each() for each in receiver), *arguments, size=given)))
    if not found or found == every:
        return []
    parts = list(signature.parameters.values())
    at = parts.index(size)
    needed = size.replace(default=size.empty)
    by_position = [*(p.replace(default=p.empty) for p in parts[:at]), needed, *parts[at + 1 :]]
    by_keyword = [*parts[:at], *(p.replace(kind=p.KEYWORD_ONLY) for p in (needed, *parts[at + 1 :]))]
    result = union(found)
    ways = [(way, bare(result) if "dtype" in signature.parameters else result) for way in (by_position, by_keyword)]
    if "dtype" in signature.parameters:
        ways[:0] = [([p for p in way if p.name != "dtype"], result) for way, _ in ways]
    texts = [(parameters_text(signature.replace(parameters=way)), result) for way, result in ways]
    return [f"({text.replace('size', 'size: int | list | tuple', 1)}) -> {result}" for text, result in texts]


def layouts(value: Any) -> list[Any]:
    """A sample, and if it is an array of several axes the same with its elements in another order, of which some functions make a copy, and one row of
    it, which some functions take apart."""
    return [value, np.asfortranarray(value), value[:1]] if isinstance(value, np.ndarray) and value.ndim > 1 else [value]


def shares(result: Any, argument: np.ndarray) -> str | None:
    """How a result shares the data of an argument: "" all of it, "rows" row by row, "part"; None: not at all."""
    items = result if type(result) in (tuple, list) else [result]
    found = [each for each in items if isinstance(each, np.ndarray) and np.shares_memory(each, argument)]
    if not found:
        return None
    if found[0] is not result or result.nbytes < argument.nbytes:
        return "part"
    same = result.shape[:1] == argument.shape[:1] and all(
        np.shares_memory(result[i : i + 1], argument[k : k + 1]) is (i == k) for i in range(len(argument)) for k in range(len(argument))
    )
    return "rows" if same else ""


def aliases(function: Callable[..., Any], receiver: list[Any], fits: list[list[Any]], names: list[str]) -> tuple[list[str], list[str]]:
    """Which arguments that are arrays a call changes, and which of them what it gives shares data with."""
    changed: set[str] = set()
    found: dict[str, set[str | None]] = {}
    for sample in fits:
        for given in itertools.product(*map(layouts, (*(make() for make in receiver), *sample))):
            copies = [copy.deepcopy(each) for each in given]
            same = [np.copy(each) if isinstance(each, np.ndarray) else None for each in copies]
            try:
                result = function(*copies)
            except Exception:  # noqa: BLE001, S112 - it does not fit in this layout
                continue
            for name, argument, before in zip(names, copies, same):
                if isinstance(argument, np.ndarray):
                    if before.shape != argument.shape or not np.array_equal(before, argument, equal_nan=before.dtype.kind in "fc"):
                        changed.add(name)
                    if argument.size > 1:
                        found.setdefault(name, set()).add(shares(result, argument))
    words = {
        name: " ".join(
            [name, *(["part"] if "part" in ways else ["rows"] if ways <= {"rows", None} else []), *(["perhaps"] if None in ways else [])]
        )
        for name, ways in found.items()
        if ways != {None}
    }
    return [f"{name} replaces" for name in names if name in changed], [words[name] for name in names if name in words]


def array_uses(
    function: Callable[..., Any],
    receiver: list[Any],
    needed: list[inspect.Parameter],
    optional: list[inspect.Parameter],
    fits: list[list[Any]],
) -> dict[str, str]:
    """What becomes of a placeholder as each of the parameters, the others being what fits."""
    found: dict[str, str] = {}
    for at, parameter in [*enumerate(needed), *((-1, each) for each in optional)]:
        others = [each for each in fits if at < 0 or isinstance(each[at], (np.ndarray, float, list))][:12]
        place: int | str = parameter.name if at < 0 else at
        itself, inside = (outcomes(function, receiver, others, place, wrap) for wrap in (False, True))
        if True in itself:
            found[parameter.name] = "converts deep" if True in inside else "converts"
        elif True in inside:
            found[parameter.name] = "converts inside"
        elif False in itself and at >= 0:
            found[parameter.name] = "harmless"
    return found


def outcomes(function: Callable[..., Any], receiver: list[Any], others: list[list[Any]], place: int | str, wrap: bool) -> set[bool | None]:
    """What becomes of calls with a placeholder in one place, alone or in a list: evaluated, not evaluated, or None: they fail otherwise."""
    seen: set[bool | None] = set()

    def traced(x: mx.array, row: mx.array) -> mx.array:
        for arguments in others:
            for each in (x, row):
                given, keywords = list(arguments), {}
                if isinstance(place, str):
                    keywords[place] = [each] if wrap else each
                else:
                    given[place] = [each] if wrap else each
                try:
                    function(*(make() for make in receiver), *given, **keywords)
                except Exception as error:  # noqa: BLE001 - MLX raises several classes
                    seen.add(True if is_evaluation(error) else None)
                else:
                    seen.add(False)
        return x

    mx.compile(traced)(mx.array(1), mx.array([1.0, 2.0, 3.0]))
    return seen


def is_evaluation(error: BaseException) -> bool:
    """Whether MLX raised it for an evaluation in a trace. Only its own text is asked: that of a KeyError shows the key, which may be an array."""
    chain = [each for each in (error, error.__context__, error.__cause__) if each is not None]
    return any("eval]" in part for each in chain for part in each.args if isinstance(part, str))


# -- the whole library ------------------------------------------------------------------------------------------------


def library() -> dict[str, Any]:
    table: dict[str, Any] = {
        "source": SOURCE,
        "versioned": True,
        "modules": MODULES,
        "aliases": {},
        "functions": {},
        "classes": {},
        "constants": {},
    }
    seen: dict[int, str] = {}
    for module in MODULES:
        real = measured.resolve(module)
        for name in sorted(vars(real)):
            value = getattr(real, name)
            full = f"{module}.{name}"
            if name.startswith("_") or inspect.ismodule(value):
                continue
            if isinstance(value, type):
                is_own = issubclass(value, np.generic) or full in CLASSES
                if is_own:
                    known = seen.setdefault(id(value), f"{module}.{value.__name__}" if hasattr(real, value.__name__) else full)
                    if known != full:
                        table["aliases"][full] = known
            elif callable(value):
                own = getattr(value, "__name__", name)
                home = f"{module}.{own}" if own != name and getattr(real, own, None) is value else full
                known = seen.setdefault(id(value), home)
                if known != full:
                    table["aliases"][full] = known
                    continue
                entry = plain(value) if name in NOT_CALLED else measure(value, [])
                if entry is not None:
                    table["functions"][full] = [entry]
                if isinstance(value, np.ufunc):
                    table["functions"][f"{full}.at"] = [dict(AT)]
            elif isinstance(value, (float, int, str)) or value is None:
                kind = "None" if value is None else type(value).__name__
                table["constants"][full] = {"type": kind, "value": value} if kind == "float" and np.isfinite(value) else {"type": kind}
            elif isinstance(value, np.generic):
                table["constants"][full] = {"type": shown(value)}
    wanted = dict.fromkeys([*CLASSES, *(name for name in seen.values() if isinstance(measured.resolve(name), type))])
    bases = [cls for name in wanted for cls in measured.resolve(name).__mro__ if cls.__module__.startswith("numpy")]
    names = {id(measured.resolve(name)): name for name in wanted}
    for cls in bases:
        if id(cls) not in names and measured.resolve(f"{cls.__module__}.{cls.__name__}") is cls:
            names[id(cls)] = f"{cls.__module__}.{cls.__name__}"
            wanted[names[id(cls)]] = None
    names |= {
        id(cls): f"builtins.{cls.__name__}"
        for cls in (int, float, complex, str, bytes, bool, dict, list, tuple, Exception, BaseException, ValueError)
    }
    for name in wanted:
        table["classes"][name] = class_table(name, names)
    for module in sorted({name.rpartition(".")[0] for name in wanted} - set(MODULES)):
        table["modules"] = [*table["modules"], module]
    return table


def plain(function: Callable[..., Any]) -> dict[str, Any] | None:
    """The entry of what is not called: its parameters."""
    try:
        return {"signature": f"({parameters_text(inspect.signature(function))}) -> any"}
    except (ValueError, TypeError):
        return {"signature": "(*args, **kwargs) -> any"}


RECEIVERS: dict[str, list[Callable[[], Any]]] = {
    "numpy.ndarray": [lambda: np.arange(6.0).reshape(2, 3) + 1],
    "numpy.generic": [lambda: np.float64(2.5)],
    "numpy.random.Generator": [lambda: np.random.default_rng(1)],
    "numpy.random.RandomState": [lambda: np.random.RandomState(1)],
    "numpy.dtype": [lambda: np.dtype("float32")],
    "numpy.finfo": [lambda: np.finfo("float32")],
    "numpy.iinfo": [lambda: np.iinfo("int32")],
}


ANY = "bool | int | float | complex | numpy.generic"
"""Any number, in the models' language."""
KINDS: dict[str, list[Any]] = {
    "numpy.float64": [np.float64(2.5), np.float64(2)],
    "numpy.floating": [np.float32(2.5), np.float16(2), np.float64(2.5)],
    "numpy.integer": [np.int64(2), np.int32(3), np.uint8(2)],
}
"""Scalars of numpy by their class, for what their operators give."""
OTHERS: dict[str, list[Any]] = {
    "bool | int": [True, 2, 3],
    "float": [2.0, 0.5],
    "numpy.float64": [np.float64(2.0)],
    "numpy.integer": [np.int64(2), np.int32(3), np.uint8(2)],
    ANY: [True, 2, 2.0, 1j, np.int64(2), np.float32(0.5), np.float64(0.5), np.bool_(True)],
}
"""What they are computed with."""


def of_kind(name: str, special: str) -> dict[str, Any] | None:
    """The entry of an operator of scalars of a class, where the class tells what it gives; None if it does not."""
    word = special.strip("_")
    reflected = word.startswith("r") and hasattr(operator, word[1:])
    apply = getattr(operator, f"__{word.removeprefix('r')}__" if reflected else special, None)
    if apply is None or special in IN_PLACE or special in UNLIKE or not hasattr(KINDS[name][0], special):
        return None
    if special in ALONE:
        return {"signature": f"(self, /) -> {kind_of_result(name, apply, [()])}"}
    results = {
        types: kind_of_result(name, (lambda a, b: apply(b, a)) if reflected else apply, [(o,) for o in others])
        for types, others in OTHERS.items()
    }
    widest = results[ANY]
    texts = [f"(self, value: {types}, /) -> {result}" for types, result in results.items() if types == ANY or result != widest]
    return {"signature": [*texts, "(self, value, /) -> any"], "array": {"value": "converts"}}


def kind_of_result(name: str, apply: Callable[..., Any], others: list[tuple[Any, ...]]) -> str:
    """What an operator gives of scalars of a class: another scalar of the class that each is of, or something else."""
    found: set[tuple[str, bool]] = set()
    for scalar, other in itertools.product(KINDS[name], others):
        with contextlib.suppress(Exception):  # the sample does not fit
            value = apply(scalar, *other)
            found.add((shown(value), type(value) is type(scalar)))
    return "like(self)" if found and all(same for _, same in found) else union({text for text, _ in found})


UNLIKE = {f"__{n}__" for n in ("len", "iter", "getitem", "setitem", "contains", "bool", "int", "float", "index", "complex", "array")}
ALONE = {f"__{n}__" for n in ("neg", "pos", "abs", "invert")}


def class_table(name: str, names: dict[int, str]) -> dict[str, Any]:
    cls = measured.resolve(name)
    mro = [names[id(base)] for base in cls.__mro__[1:-1] if id(base) in names]
    table: dict[str, Any] = {"mro": mro, "members": {}}
    if virtual := measured.registered(name, mro):
        table["virtual"] = virtual
    table["new"] = [{"signature": f"(*args, **kwargs) -> {name}"}]
    if issubclass(cls, np.generic):
        # With a sequence they make an array.
        table["new"] = [{"signature": [f"(x: bool | int | float | complex | str = 0, /) -> {name}", f"(x, /) -> {name} | numpy.ndarray"]}]
        probe = outcomes(cls, [], [[1.0]], 0, wrap=False)
        if True in probe:
            table["new"][0]["array"] = {"x": "converts deep"}
    if name in KINDS:
        table["members"] = {special: [entry] for special in OPERATORS if (entry := of_kind(name, special)) is not None}
    for member in sorted(vars(cls)) if name in RECEIVERS else []:
        if (member.startswith("_") and member not in OPERATORS) or member == "ctypes":
            continue
        attribute = inspect.getattr_static(cls, member)
        if callable(getattr(cls, member, None)) and not isinstance(attribute, property):
            function = getattr(cls, member)
            entry = plain(function) if member in NOT_CALLED else measure(function, RECEIVERS[name])
            entry = entry or {"signature": "(self, *args, **kwargs) -> any"}
            if "(self" not in str(entry["signature"]):
                entry["signature"] = [
                    text.replace("(", "(self, ", 1).replace("(self, )", "(self)") for text in fold_stubs.listed(entry["signature"])
                ]
                entry["signature"] = entry["signature"] if len(entry["signature"]) > 1 else entry["signature"][0]
            if name == ARRAY:
                entry["signature"] = of_array(member, entry["signature"])
            table["members"][member] = [entry]
        else:
            try:
                value = getattr(RECEIVERS[name][0](), member)
            except Exception:  # noqa: BLE001, S112 - not there for this one
                continue
            entry = {"signature": f"-> {attribute_type(member, value)}"}
            if isinstance(value, np.ndarray):
                owner = RECEIVERS[name][0]()
                way = shares(getattr(owner, member), owner)
                entry |= {"shares": [f"self {way}".strip()]} if way is not None else {}
            table["members"][member] = [entry]
    return table


def of_array(member: str, signatures: str | list[str]) -> str | list[str]:
    """What a method of an array gives, whatever lies in the array: the sample holds floats."""
    texts = [bare(text) if "numpy.bool]" not in text else text for text in fold_stubs.listed(signatures)]
    if member in COMPUTES:
        held = ", element(self)" if member not in TOGETHER else ""
        texts = [text.replace(f"-> {ARRAY}", f"-> {ARRAY}[like(self){held}]") for text in texts]
    texts = [re.sub(r"-> .*", lambda found: found[0].replace("numpy.float64", "numpy.generic"), text) for text in texts]
    return texts if len(texts) > 1 else texts[0]


COMPUTES = {f"__{r}{n}__" for n in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow") for r in ("", "r")} | {
    "__neg__",
    "__pos__",
    "__abs__",
}
TOGETHER = {f"__{r}{n}__" for n in ("floordiv", "mod") for r in ("", "r")}
"""What makes one number of many."""


def attribute_type(member: str, value: Any) -> str:
    """The type of an attribute: a None is there for want of something else, and a shape may be empty."""
    return "any" if value is None else "tuple[int, ...]" if member in ("shape", "strides") else shown(value)


def main() -> int:
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    np.random.seed(0)
    table = library()
    fold_stubs.overlay({"numpy": table})
    known = {name for section in ("functions", "classes", "constants") for name in table[section]}
    table["aliases"] = {alias: name for alias, name in table["aliases"].items() if name in known and alias not in known}
    path = fold_stubs.MODELS / "data/numpy.json"
    text = fold_stubs.rendered(table)
    if "--check" in sys.argv:
        same = path.read_text() == text
        print("the data is what numpy gives" if same else "differs: numpy.json")
        return not same
    path.write_text(text)
    print(f"{len(table['functions'])} functions, {len(table['classes'])} classes, {len(text) / 1e6:.2f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
