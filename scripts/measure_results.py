"""Prove what the results of MLX's functions are, and write it down as data.

measure_results.py write           prove every statement of the catalogue with the installed MLX, write results.json and dtypes.json
measure_results.py check           prove what results.json says; 1 if anything does not hold
measure_results.py check NAME...   these names only
measure_results.py survey          prove it with the installed MLX, which may be an older one, and note in results_versions.json what does not hold; `write`
                                   makes of that the version from which an entry holds

A statement holds if for each of many random calls that MLX accepts the expression gives exactly the shape and the dtype that MLX has, and if the same
expression covers them with symbols in the place of lengths. What holds for no expression is listed as unknown, with the call that refutes it.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

import mlx.core as mx
import results_methods  # noqa: F401  it states what is proved here, with what it imports
from result_samples import Call, Sampling, dtype_named
from results_catalogue import FUNCTIONS, REPRESENTATIVES, STATEMENTS, UNKNOWN, Statement

from mxlint.domain.shape import shape_of
from mxlint.domain.size import number, substitute, symbol
from mxlint.models.mlx import results
from mxlint.models.mlx.arguments import UNKNOWN as NOTHING
from mxlint.models.mlx.arguments import ArrayType, Dtype, Scalar
from mxlint.models.mlx.language import DTYPES

DATA = Path(__file__).resolve().parent.parent / "src" / "mxlint" / "models" / "mlx"
SAMPLES = int(os.environ.get("MEASURE_SAMPLES", "300"))
"""Calls that a statement is tried with."""


def find(name: str) -> Any:
    """The function of a canonical name."""
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    for cut in range(name.count("."), 0, -1):
        module, rest = name.rsplit(".", name.count(".") - cut + 1)[0], name.split(".")[cut:]
        try:
            found = importlib.import_module(module)
        except ImportError:
            continue
        for part in rest:
            found = getattr(found, part)
        return found
    raise ImportError(name)


# -- parameters ------------------------------------------------------------------------------------------------------------------------------


def parameters(name: str) -> str:
    """The parameters of a function, without annotations, from its documentation or its source."""
    function = find(name)
    first = (function.__doc__ or "").strip().partition("\n")[0] if not inspect.isfunction(function) else ""
    text = f"def {first}: pass" if "(" in first else _source(name, function)
    made = ast.parse(text).body[0]
    assert isinstance(made, ast.FunctionDef)
    for argument in (*made.args.posonlyargs, *made.args.args, *made.args.kwonlyargs, *filter(None, (made.args.vararg, made.args.kwarg))):
        argument.annotation = None
    return ast.unparse(made.args).replace("mx.", "")


def _source(name: str, function: Any) -> str:
    """The definition of a Python function, which may be wrapped by a decorator."""
    last = name.rpartition(".")[2]
    module = sys.modules[getattr(function, "__module__", None) or "mlx.nn.layers.activations"]
    tree = ast.parse(inspect.getsource(module))
    found = next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == last)
    return ast.unparse(found)


# -- what MLX does ---------------------------------------------------------------------------------------------------------------------------


def described(value: Any) -> Any:
    """A real argument as the model sees it."""
    if isinstance(value, mx.array):
        return ArrayType(shape_of(value.shape), str(value.dtype).rpartition(".")[2])
    if isinstance(value, mx.Dtype):
        return Dtype(str(value).rpartition(".")[2])
    if isinstance(value, (list, tuple)):
        return type(value)(map(described, value))
    if isinstance(value, dict):
        return {key: described(part) for key, part in value.items()}
    return value


def veiled(value: Any) -> Any:
    """The same with symbols for lengths other than 1, equal ones for equal lengths."""
    if isinstance(value, ArrayType):
        assert value.shape is not None
        return ArrayType(tuple(size if size == 1 else symbol(f"s{size!r}") for size in value.shape), value.dtype)
    if isinstance(value, (list, tuple)):
        return type(value)(map(veiled, value))
    return value


def vaguer(value: Any) -> Any:
    """The same with numbers of unknown value."""
    if type(value) in (int, float, bool, str):
        return Scalar(type(value).__name__)
    return NOTHING if isinstance(value, (list, tuple)) and not any(isinstance(part, ArrayType) for part in value) else value


BACK = {f"s{n}": number(n) for n in range(5000)}


def covers(found: Any, real: Any, exact: bool) -> bool:
    """Whether a modelled result stands for a real one; with `exact` it has to say all of it."""
    if found is NOTHING:
        return not exact
    if isinstance(real, (list, tuple)):
        return type(found) is type(real) and len(found) == len(real) and all(covers(one, other, exact) for one, other in zip(found, real))
    if not isinstance(found, ArrayType) or not isinstance(real, ArrayType):
        return False
    if found.dtype != real.dtype and (found.dtype is not None or exact):
        return False
    if found.shape is None or real.shape is None:
        return not exact
    back = [substitute(size, BACK) for size in found.shape]
    return len(back) == len(real.shape) and all(a == b or a is None and not exact for a, b in zip(back, real.shape))


def calls(name: str, statement: Statement, count: int = 0, seed: str = "") -> Iterator[tuple[Call, Any]]:
    """Random calls that MLX accepts, as the model sees them, with what MLX makes."""
    function = find(name)
    accepted = 0
    for i in range(count or SAMPLES):
        try:
            arguments, keywords = statement.sample(Sampling(f"{name} {statement.form} {seed}{i}"))
            rest = {key: value for key, value in keywords.items() if key != "outer"}
            before = described(arguments), described(keywords)
            called = function(*keywords["outer"][0], **keywords["outer"][1]) if "outer" in keywords else function
            real = called(*arguments, **rest)
        except (ValueError, RuntimeError, TypeError, IndexError, OverflowError):
            continue
        accepted += 1
        yield before, described(real)
    if not accepted:
        raise AssertionError(f"{name}: MLX accepts none of the samples")


def refuted(call: Call, real: Any, form: Mapping[str, str]) -> str | None:
    """What is wrong with a form for a call, or None."""
    arguments, keywords = call[0], {key: part for key, part in call[1].items() if key != "outer"}
    outer = call[1].get("outer", ((), {}))

    def value(args: Any, kwargs: Any) -> Any:
        names = results.bound(form, args, kwargs, *outer)
        return "does not bind" if names is None else results.typed(form["shape"], form["dtype"], names)

    for exact, (args, kwargs) in (
        (True, (arguments, keywords)),
        (False, (veiled(arguments), {key: veiled(part) for key, part in keywords.items()})),
        (False, (list(map(vaguer, arguments)), {key: vaguer(part) for key, part in keywords.items()})),
    ):
        try:
            found = value(args, kwargs)
        except Exception as error:  # noqa: BLE001  a defect of the expression
            return f"{type(error).__name__}: {error} for {args} {kwargs}"
        if not covers(found, real, exact):
            return f"{args} {kwargs}: {found}, but MLX makes {real}"
    return None


def prove(name: str, statement: Statement) -> tuple[dict[str, str] | None, str]:
    """The first form of a statement that holds for all samples; or None and what refutes the last."""
    text = statement.parameters if statement.parameters is not None else parameters(name)
    if statement.owner is not None:
        text = text.replace("self", parameters(statement.owner).partition(",")[0], 1)
    words = [word.strip().lstrip("*").partition("=")[0] for word in text.split(",")]
    first, second, third = ([word for word in words if word and word != "/"] + ["?"] * 3)[:3]
    forms = [
        ({"parameters": text} | ({"inner": statement.inner} if statement.inner else {}))
        | {"shape": shape.format(first, second, third), "dtype": dtype.format(first, second, third)}
        for shape in statement.shapes
        for dtype in statement.dtypes
    ]
    for call, real in calls(name, statement):
        why = [refuted(call, real, form) for form in forms]
        left = [form for form, wrong in zip(forms, why) if wrong is None]
        if not left:
            return None, f"{forms[0]['shape']} : {forms[0]['dtype']} for {why[0]}"
        forms = left
    return forms[0], ""


def isolated(work: Any) -> Any:
    """The answer of a function in a process of its own, as JSON; None if it died."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        with os.fdopen(writer, "w") as out:
            try:
                answer = work()
            except Exception as error:  # noqa: BLE001  the parent reports it
                answer = None, f"{type(error).__name__}: {error}"
            out.write(json.dumps(answer))
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        text = pipe.read()
    os.waitpid(child, 0)
    return json.loads(text) if text else None


# -- dtypes ----------------------------------------------------------------------------------------------------------------------------------

_NUMBERS = {"bool": True, "int": 3, "float": 2.5, "complex": 1j}


def _dtype_of(work: Any) -> str | None:
    try:
        return str(work().dtype).rpartition(".")[2]
    except (ValueError, RuntimeError):
        return None


def dtype_tables() -> dict[str, Any]:
    """Promotion of two arrays, of an array and a number, what `full` makes of a number, the named maps, and the bytes of an element."""
    one = {name: mx.zeros((4, 4), dtype_named(name)) for name in DTYPES}
    return {
        "promote": {a: {b: _dtype_of(lambda a=a, b=b: one[a] + one[b]) for b in DTYPES} for a in DTYPES},
        "weak": {kind: {a: _dtype_of(lambda a=a, value=value: one[a] + value) for a in DTYPES} for kind, value in _NUMBERS.items()},
        "filled": {
            kind: {a: _dtype_of(lambda a=a, value=value: mx.full((1,), value, dtype_named(a))) for a in DTYPES}
            for kind, value in _NUMBERS.items()
        },
        "alone": {kind: _dtype_of(lambda value=value: mx.array(value)) for kind, value in _NUMBERS.items()},
        "maps": {name: {a: _dtype_of(lambda a=a, work=work: work(one[a])) for a in DTYPES} for name, work in REPRESENTATIVES.items()},
        "bytes": {a: one[a].itemsize for a in DTYPES},
    }


# -- the data --------------------------------------------------------------------------------------------------------------------------------


def entry(name: str) -> dict[str, Any]:
    """What is proved of a name."""
    forms = []
    for statement in STATEMENTS[name]:
        answer = isolated(lambda statement=statement: prove(name, statement))
        form, why = answer or (None, "the process died")
        if form is None:
            return {"unknown": why}
        if form not in forms:
            forms.append(form)
    return forms[0] if len(forms) == 1 else {"forms": forms}


def write() -> int:
    (DATA / "dtypes.json").write_text(json.dumps(dtype_tables(), indent=1) + "\n")
    results.dtypes.tables.cache_clear()
    bad = 0
    found: dict[str, Any] = {}
    for name in STATEMENTS:
        found[name] = entry(name)
        if "unknown" in found[name]:
            bad += 1
            print(f"{name}: {found[name].pop('unknown')}", file=sys.stderr)
            found[name] = {"unknown": "no expression fits"}
        elif since := first_version("results", name):
            found[name] = {"from": since} | found[name]
    found |= {name: {"unknown": reason} for name, reason in UNKNOWN.items()}
    rows = ",\n".join(f"{json.dumps(name)}: {json.dumps(found[name])}" for name in sorted(found))
    version = mx.__version__.partition("+")[0]
    (DATA / "results.json").write_text(f'{{"mlx": "{version}", "entries": {{\n{rows}\n}}}}\n')
    print(f"{len(found)} names, {bad} of them without an expression that fits", file=sys.stderr)
    return 1 if bad else 0


def holds(name: str, known: Mapping[str, Any]) -> str | None:
    """What refutes the data on a name under the installed MLX, or None; "absent" where there is no such name or MLX takes none of the calls."""
    try:
        find(name)
        for i, statement in enumerate(STATEMENTS[name]):
            forms = known.get("forms", [known])
            for call, real in calls(name, statement):
                if why := refuted(call, real, forms[min(i, len(forms) - 1)]):
                    return why
    except (AttributeError, ImportError, AssertionError):
        return "absent"
    return None


def check(names: Sequence[str]) -> dict[str, str]:
    """Prove the data as it is: what is wrong, by name."""
    entries = json.loads((DATA / "results.json").read_text())["entries"]
    found = {
        name: isolated(lambda name=name: [holds(name, entries[name])]) or ["the process died"]
        for name in names or sorted(STATEMENTS)
        if "unknown" not in entries[name]
    }
    wrong = {name: why for name, (why,) in found.items() if why is not None}
    print(f"MLX {mx.__version__}: {len(found) - len(wrong)} of {len(found)} hold", file=sys.stderr)
    return wrong


VERSIONS = Path(__file__).with_name("results_versions.json")
"""By version of MLX: the names of which the data does not hold there, with what refutes it."""


def survey(part: str, wrong: Mapping[str, str]) -> None:
    """Note what does not hold with the installed version."""
    known = json.loads(VERSIONS.read_text()) if VERSIONS.exists() else {}
    known.setdefault(mx.__version__.partition("+")[0], {})[part] = {name: why[:160] for name, why in sorted(wrong.items())}
    VERSIONS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def first_version(part: str, name: str) -> str | None:
    """The oldest surveyed version from which the data on a name holds in all later ones; None if it holds in all."""
    known = json.loads(VERSIONS.read_text()) if VERSIONS.exists() else {}
    versions = sorted(known, key=lambda text: [int(number) for number in text.split(".")])
    newest = mx.__version__.partition("+")[0]
    bad = [i for i, version in enumerate(versions) if name in known[version].get(part, {})]
    return None if not bad else [*versions, newest][bad[-1] + 1]


if __name__ == "__main__":
    if sys.argv[1:] == ["write"]:
        sys.exit(write())
    if sys.argv[1:] == ["survey"]:
        survey("results", check([]))
    elif sys.argv[1:2] == ["check"]:
        refutations = check(sys.argv[2:])
        print("\n".join(f"{name}: {why}" for name, why in refutations.items()))
        sys.exit(1 if refutations else 0)
    else:
        sys.exit(__doc__)
