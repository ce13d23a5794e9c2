"""Fixes that change calls: which ones are found, what names mean where they stand, and when nothing is offered."""

from __future__ import annotations

from functools import partial
from itertools import product
from pathlib import Path

import pytest

from mxlint.analysis import analyze
from mxlint.config import Settings
from mxlint.engine import check
from mxlint.fixes.early import reads_too_early
from mxlint.fixes.edits import apply
from mxlint.fixes.run import made, wanted_by
from mxlint.fixes.syntax import Syntax
from mxlint.models.mlx.table import Table, load_table
from mxlint.project import Project
from mxlint.rules.variation import OTHER_DTYPE
from mxlint.source import Source


@pytest.fixture(scope="module")
def table() -> Table:
    return load_table()


def fixed(text: str, code: str, table: Table) -> str | None:
    """The text with the one finding of a code fixed, if there is a fix."""
    found = analyze(Source(None, "main.py", text.encode(), text), Project(), table).findings
    (finding,) = [finding for finding in found if finding.code == code]
    fix = finding.remedy() if finding.remedy is not None else None
    return apply(text, fix.edits) if fix is not None else None


# -- what names mean --------------------------------------------------------------------------------------------------

SCOPES = """\
k = 1
def f(a=k, *, z=[k for k in range(k)]):
    global k
    k = 2
    def g():
        return k
    return [k for k in [k]]
class A(k):
    k = 3
    y = k
    z = [k for _ in range(k)]
    def m(self): return k
    h = lambda k=k: k
"""
OWNERS = {
    (2, 8): "Module", (2, 17): "ListComp", (2, 34): "Module", (6, 15): "Module", (7, 12): "ListComp", (7, 24): "Module", (8, 8): "Module",
    (10, 8): "ClassDef", (11, 9): "Module", (11, 26): "ClassDef", (12, 24): "Module", (13, 17): "ClassDef", (13, 20): "Lambda",
}  # fmt: skip


@pytest.mark.parametrize("place", OWNERS, ids=str)
def test_whose_name_it_is(place: tuple[int, int]) -> None:
    """As Python looks it up: decorators, defaults and what is gone over first belong to the scope around."""
    syntax = Syntax(Source(None, "main.py", SCOPES.encode(), SCOPES))
    row, column = place
    node = syntax.at(syntax.source.span(syntax.offset(row, column), syntax.offset(row, column) + 1))
    assert node is not None
    assert type(syntax.owner(node)).__name__ == OWNERS[place]


GLOBAL = """\
import mlx.core as mx

k = 1


@mx.compile
def f(x):
    return x * k


def main():
    {}
    for i in range(3):
        k = i
        print(f(mx.array(1.0)).item())


main()
"""


def test_a_number_that_a_function_sets_for_all(table: Table) -> None:
    made = fixed(GLOBAL.format("global k"), "MX209", table)
    assert made == GLOBAL.format("global k").replace("f(x):", "f(x, k):").replace("array(1.0))", "array(1.0), mx.array(k))")


NAMED_ALIKE = """\
import mlx.core as mx

k = 1


@mx.compile
def f(x):
    return x * k


for i in range(3):
    {}
    k += 1
"""
ALIKE = {
    "a comprehension": "print([f(mx.array(1.0)).item() for k in range(2)])",
    "a lambda": "print((lambda k: f(mx.array(1.0)).item())(i))",
}


@pytest.mark.parametrize("line", ALIKE.values(), ids=ALIKE)
def test_another_variable_of_the_same_name(line: str, table: Table) -> None:
    assert fixed(NAMED_ALIKE.format(line), "MX209", table) is None


PRIVATE = """\
import mlx.core as mx


class Scaled:
    def __init__(self):
        self.__by = 1.0
        self.call = mx.compile(self.__apply)

    def __apply(self, x):
        return x * self.__by + 1

    def next(self, x):
        self.__by += 1.0
        return {}


scaled = Scaled()
for i in range(3):
    print({})
"""


def test_private_names_stay_in_their_class(table: Table) -> None:
    within = PRIVATE.format("self.call(x)", "scaled.next(mx.ones(2))")
    made = within.replace("__apply(self, x)", "__apply(self, x, __by)").replace("x * self.__by", "x * __by")
    assert fixed(within, "MX209", table) == made.replace("self.call(x)", "self.call(x, mx.array(self.__by))")
    assert fixed(PRIVATE.format("self.call", "scaled.next(0)(mx.ones(2))"), "MX209", table) is None
    per_call = "import mlx.core as mx\n\n\nclass C:\n    @staticmethod\n    def __twice(x):\n        return mx.exp(x) * 2\n\n    @staticmethod\n    def act(x):\n        return mx.compile(lambda x: {}(x) + 1)(x)\n\n\nfor k in range(3):\n    print(C.act(mx.ones(2) * k))\n"
    assert fixed(per_call.format("C.__twice"), "MX302", table) is None
    assert fixed(per_call.replace("__twice", "twice").format("C.twice"), "MX302", table) is not None


# -- calls that are given more ----------------------------------------------------------------------------------------

GIVEN = {
    "a default": ("x, n=2", "x * n * k", "mx.array(1.0)", "x, n=2, *, k", "mx.array(1.0), k=mx.array(k)"),
    "by name": ("x, n", "x * n * k", "mx.array(1.0), n=2", "x, n, k", "mx.array(1.0), n=2, k=mx.array(k)"),
    "keywords only": ("x, *, n", "x * n * k", "mx.array(1.0), n=2", "x, *, n, k", "mx.array(1.0), n=2, k=mx.array(k)"),
    "a trailing comma": ("x,", "x * k", "mx.array(1.0),", "x, k", "mx.array(1.0), mx.array(k),"),
    "a comment behind": ("x", "x * k", "mx.array(1.0),  # one\n    ", "x, k", "mx.array(1.0), mx.array(k),  # one\n    "),
    "a row that goes on": ("x", "x * k", "mx.array(1.0) \\\n    ", "x, k", "mx.array(1.0), mx.array(k) \\\n    "),
}
PASSED = """\
import mlx.core as mx

k = 1


@mx.compile
def f({}):
    return {}


for i in range(3):
    print(f({}).item())
    k += 1
"""


@pytest.mark.parametrize(("params", "body", "args", "new_params", "new_args"), GIVEN.values(), ids=GIVEN)
def test_an_argument_more(params: str, body: str, args: str, new_params: str, new_args: str, table: Table) -> None:
    made = fixed(PASSED.format(params, body, args), "MX209", table)
    assert made is not None
    assert made.replace("k,)", "k)") == PASSED.format(new_params, body, new_args)


KEPT = """\
import mlx.core as mx


class Scheduler:
    def __init__(self):
        self.count = 0
        self.fn = mx.compile(self._fn)

    def _fn(this, x):
        return x * this.count

    def step(self, x):
        self.count += 1
        return self.fn(x)
{}

scheduler = Scheduler()
for i in range(4):
    print({}(mx.array(1.0) + i).item())
"""
STEPS = {
    "": ("scheduler.step", True),
    "\n    def other(self, x):\n        return self._fn(x)\n": ("scheduler.step", False),  # it runs uncompiled, too
    "\n    def other(self):\n        return list(map(self.fn, []))\n": ("scheduler.step", False),
    "\n    def other(self):\n        self.fn = print\n": ("scheduler.step", False),
    "\n    def other(self):\n        return getattr(self, 'fn')\n": ("scheduler.step", False),
    "\n\nclass Other(Scheduler):\n    def _fn(self, x):\n        return x\n": ("scheduler.step", False),
    "\n    def other(self, x):\n        return self.fn(x)\n": ("scheduler.step", True),  # what nothing in sight calls is followed as well
}


@pytest.mark.parametrize(("rest", "call", "made"), [(rest, *expected) for rest, expected in STEPS.items()])
def test_a_method_that_is_kept_compiled(rest: str, call: str, made: bool, table: Table) -> None:
    text = KEPT.format(rest, call)
    new = text.replace("(this, x)", "(this, x, count)").replace("x * this.count", "x * count")
    new = new.replace("self.fn(x)", "self.fn(x, mx.array(self.count))")
    assert fixed(text, "MX209", table) == (new if made else None)


def test_the_object_that_a_kept_method_belongs_to(table: Table) -> None:
    text = KEPT.format("", "scheduler.fn").replace("item())", "item())\n    scheduler.count = i")
    text = text.replace("    def step(self, x):\n        self.count += 1\n        return self.fn(x)\n", "")
    made = fixed(text, "MX209", table)
    assert made is not None
    assert "scheduler.fn(mx.array(1.0) + i, mx.array(scheduler.count))" in made
    call = text.replace("scheduler.fn(", "[scheduler][0].fn(")
    assert fixed(call, "MX209", table) is None


# -- calls inside of statements ---------------------------------------------------------------------------------------

PRINTED = """\
import mlx.core as mx


@mx.compile
def f(x):
    y = x * 2
    print(y)
    return y + 1


def run(x, n):
    {}


for i in range(3):
    print(run(mx.ones(2), i))
"""
TAKEN = "result, y = f(x)\n    print(y)\n    "
LIFTED = {
    "return f(x)": TAKEN + "return result",
    "return f(x).tolist()[0] + n": TAKEN + "return result.tolist()[0] + n",
    "return n + f(x).sum().item()": TAKEN + "return n + result.sum().item()",
    "z = [n, f(x)]\n    return z": TAKEN + "z = [n, result]\n    return z",
    "result = 1\n    return f(x).item(n) if n == 0 else result": None,
    "return n and f(x).tolist()": None,
    "return [f(x) for _ in range(n)]": None,
    "return str(n) + str(f(x))": None,  # something is called before
    "return (lambda: f(x))()": None,
    "if n: return f(x)": None,
}


@pytest.mark.parametrize(("old", "new"), LIFTED.items())
def test_a_call_within_a_statement(old: str, new: str | None, table: Table) -> None:
    made = fixed(PRINTED.format(old), "MX101", table)
    moved = PRINTED.replace("    print(y)\n    return y + 1", "    return y + 1, y")
    left_out = PRINTED.replace("    print(y)\n", "")
    assert made == (moved.format(new) if new is not None else left_out.format(old))


def test_names_of_the_result_are_used(table: Table) -> None:
    text = PRINTED.format("a, b = f(x)\n    return a").replace("return y + 1", "return x + 1, y")
    expected = text.replace("    print(y)\n", "").replace("a, b = f(x)\n", "a, b = f(x)\n    print(b)\n")
    assert fixed(text, "MX101", table) == expected


RESULTS = {
    "a tuple that one call keeps whole": ("a, b = f(x)\n    c = f(x)", "return x, y", "(a, b), y = f(x)\n    print(y)\n    c, y = f(x)\n    print(y)", "return (x, y), y"),
    "a name that translates": ("f(x)\n    _(n)", "return x", "result, y = f(x)\n    print(y)\n    _(n)", "return x, y"),
    "a name that is thrown away": ("f(x)\n    _ = n", "return x", "_, y = f(x)\n    print(y)\n    _ = n", "return x, y"),
}  # fmt: skip


@pytest.mark.parametrize(("calls", "returned", "new_calls", "new_returned"), RESULTS.values(), ids=RESULTS)
def test_what_the_result_is_bound_to(calls: str, returned: str, new_calls: str, new_returned: str, table: Table) -> None:
    made = fixed(PRINTED.format(calls).replace("return y + 1", returned), "MX101", table)
    assert made == PRINTED.format(new_calls).replace("    print(y)\n    return y + 1", f"    {new_returned}")


def test_names_that_a_statement_binds_stay_in_the_function(table: Table) -> None:
    assert fixed(PRINTED.format("return f(x)").replace("print(y)", "print(z := y)").replace("y + 1", "y + z"), "MX101", table) is None


def test_names_in_a_class_are_attributes(table: Table) -> None:
    text = PRINTED.format("class Held:\n        z = f(x)\n\n    return Held.z")
    assert fixed(text, "MX101", table) == text.replace("    print(y)\n", "")


COMMENTS = {
    "above and behind": ("    # why\n    print(y)  # TODO\n", "    # why\n    # TODO\n"),
    "for mxlint": ("    print(y)  # mxlint: ignore[MX102]\n", ""),
    "alone in its block": ("    if x.ndim:\n        print(y)  # TODO\n", "    if x.ndim:\n        pass  # TODO\n"),
}


@pytest.mark.parametrize(("old", "new"), COMMENTS.values(), ids=COMMENTS)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_what_is_left_out_leaves_its_comments(old: str, new: str, newline: str, table: Table) -> None:
    text = PRINTED.format("return [f(x) for _ in range(n)]")
    made = fixed(text.replace("    print(y)\n", old).replace("\n", newline), "MX101", table)
    assert made == text.replace("    print(y)\n", new).replace("\n", newline)


def test_a_comment_is_no_price_for_a_fix(table: Table) -> None:
    text = "from functools import partial\n\nimport mlx.core as mx\n\n\n@partial(mx.compile, shapeless=True)\ndef f(x):\n    return mx.exp(x), mx.zeros({}x.shape)\n\n\nfor n in (2, 3):\n    f(mx.zeros((n, 4)))\n"
    for comment, expected in (("", True), ("\n        # as large\n        ", False)):
        new = fixed(text.format(comment), "MX401", table)
        assert (new is not None and "mx.zeros_like(x)" in new) == expected


HEADS = "from functools import partial\n\nimport mlx.core as mx\n\nH = 2\n\n\n@partial(mx.compile, shapeless=True)\ndef f(x):\n    B, L, D = x.shape\n    return {}\n\n\nfor n in (2, 3, 4):\n    f(mx.zeros((2, n, 4)))\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("x.reshape(B, L, H, D // H)", "mx.unflatten(x, -1, (H, -1))"),
        ("x.reshape(B, L, H * 1, -1)", "mx.unflatten(x, -1, (H * 1, -1))"),
        ("x.reshape(B, L, 2, D // 2)", "mx.unflatten(x, -1, (2, -1))"),
        ("x.reshape(B, L, -1, H)", "mx.unflatten(x, -1, (-1, H))"),
    ],
)
def test_sizes_stay_as_the_program_writes_them(old: str, new: str, table: Table) -> None:
    assert fixed(HEADS.format(old), "MX401", table) == HEADS.format(new)


# -- numbers as arrays ------------------------------------------------------------------------------------------------

HELPED = """\
import mlx.core as mx


def faded(x, t):
    return {}


@mx.compile
def f(x, t):
    return faded(x, t) + t


for i in range(4):
    print(f(mx.ones(2), {}).tolist())
"""


@pytest.mark.parametrize(("body", "made"), [("mx.exp(-x * t)", True), ("x * 0.5**t", False), ("x[t:]", False), ("x", True)])
def test_a_number_that_a_helper_is_given(body: str, made: bool, table: Table) -> None:
    assert fixed(HELPED.format(body, "i"), "MX303", table) == (HELPED.format(body, "mx.array(i)") if made else None)


@pytest.mark.parametrize(
    ("dtype", "number", "made"),
    [("float16", "0.5 * i", False), ("float16", "i", True), ("uint8", "i", False), ("float32", "0.5 * i", True)],
)
def test_numbers_that_keep_the_dtype_of_what_is_beside_them(dtype: str, number: str, made: bool, table: Table) -> None:
    text = f"import mlx.core as mx\n\n\n@mx.compile\ndef f(x, t):\n    return mx.abs(x) * t\n\n\nfor i in range(4):\n    print(f(mx.ones(2, mx.{dtype}), {number}))\n"
    assert (fixed(text, "MX303", table) is not None) == made


@pytest.mark.mlx
def test_dtypes_beside_a_number_and_an_array_of_it() -> None:
    mx = pytest.importorskip("mlx.core")
    names = [
        "bool_",
        "int8",
        "int16",
        "int32",
        "int64",
        "uint8",
        "uint16",
        "uint32",
        "uint64",
        "float16",
        "bfloat16",
        "float32",
        "complex64",
    ]
    for name, number in product(names, (3, 0.5)):
        array = mx.zeros(2, getattr(mx, name))
        other = (array * number).dtype != (array * mx.array(number)).dtype
        assert other == (name in OTHER_DTYPE[type(number).__name__]), (name, number)


# -- classes ----------------------------------------------------------------------------------------------------------

LAYER = """\
import mlx.core as mx
{}

class Layer{}:
    def __init__(self):
        {}

    def body(self, x):
        return mx.exp(x) * self.w

    def forward(self, x):
        return mx.compile(self.body)(x)

{}
layer = Layer()
for i in range(3):
    print(layer.forward(mx.ones(2)))
"""
WITHOUT = "    def __init__(self):\n        self.w = mx.zeros(2)\n"
CLASSES = {
    "no base": ("", "", "self.w = 2", "", True),
    "object": ("", "(object)", "self.w = 2", "", True),
    "a module": ("import mlx.nn as nn\n", "(nn.Module)", "super().__init__()\n        self.w = 2", "", True),
    "another library's module": ("from torch.nn import Module\n", "(Module)", "super().__init__()\n        self.w = 2", "", False),
    "a base that is not known": ("from somewhere import Base\n", "(Base)", "super().__init__()\n        self.w = 2", "", False),
    "a class under another name": ("", "", "self.w = 2", f"\nOther = Layer\n\n\nclass Sub(Other):\n{WITHOUT}\n", False),
    "another class of that name": ("", "", "self.w = 2", f"\nclass Outer:\n    class Layer:\n        pass\n\n    class Sub(Layer):\n    {WITHOUT.replace(chr(10) + '  ', chr(10) + '      ')}\n", True),
}  # fmt: skip


@pytest.mark.parametrize(("imports", "base", "init", "rest", "made"), CLASSES.values(), ids=CLASSES)
def test_classes_are_known_by_what_they_are(imports: str, base: str, init: str, rest: str, made: bool, table: Table) -> None:
    assert (fixed(LAYER.format(imports, base, init, rest), "MX302", table) is not None) == made


@pytest.mark.parametrize(
    ("other", "made"),
    [
        ("from layer import Layer\n\nlayer = Layer()\n", True),
        (f"from layer import Layer\n\n\nclass Sub(Layer):\n{WITHOUT}", False),
        (f"import layer\n\n\nclass Sub(layer.Layer):\n{WITHOUT}", False),
        (f"from layer import Layer as Base\n\n\nclass Sub(Base):\n{WITHOUT}", False),
        ("class Layer(  # no Python\n", True),
    ],
)
def test_subclasses_in_files_that_import_it(other: str, made: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("layer.py").write_text(LAYER.format("", "", "self.w = 2", ""))
    Path("other.py").write_text(other)
    found = check(["."], Settings(isolated=True)).findings
    (finding,) = [finding for finding in found if finding.code == "MX302"]
    assert (finding.fix is not None and finding.fix.applicability == "unsafe") == made


TRAINER = """\
import mlx.core as mx
import mlx.nn as nn
import mlx.optimizers as optim


class Trainer:
    def __init__(self):
        self.model = nn.Linear(2, 1)
        self.opt = optim.Adam(0.01)
        mx.eval(self.model.parameters())
        self.step = mx.compile(self._step, inputs={}, outputs={})

    def _step(this, x):
        loss, grads = nn.value_and_grad(this.model, lambda x: this.model(x).sum())(x)
        this.opt.update(this.model, grads)
        return loss


trainer = Trainer()
for i in range(4):
    print(trainer.step(mx.ones((1, 2)) * i).item())
    mx.eval(trainer.model.state, trainer.opt.state)
"""


def test_what_methods_of_one_object_capture(table: Table) -> None:
    whole = "[self.model.state, self.opt.state]"
    assert fixed(TRAINER.format(*["self.model.state"] * 2), "MX204", table) == TRAINER.format(whole, whole)


LAZY = """\
import mlx.core as mx


class Embedding:
    def __init__(self):
        self.table = mx.cumsum(mx.exp(mx.arange(64) * 0.1))
{}        self.f = mx.compile(self.apply)

    def apply(this, x):
        return x * this.table


embedding = Embedding()
for i in range(4):
    print(embedding.f(mx.ones(64) * i).sum().item())
"""


def test_what_an_object_holds_is_computed_where_it_is_made(table: Table) -> None:
    assert fixed(LAZY.format(""), "MX210", table) == LAZY.format("        mx.eval(self.table)\n")


OF_OBJECTS = """\
import mlx.core as mx
import mlx.nn as nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(4, 4)

    def __call__(self, x):
        return mx.tanh(self.lin(x))

    def look(self, x):
        return mx.tanh(self.lin(x))


net = Net()
forward = mx.compile({})
for i in range(4):
    print(forward(mx.ones((1, 4)) * i).tolist())
"""


HELD = "import mlx.core as mx\n\nheld = {}\n{}\n\n@mx.compile\ndef f(x):\n    return x * mx.exp({})\n\n\nfor n in range(3):\n    print(f(mx.ones(3)))\n"


@pytest.mark.parametrize(("held", "read"), [("{'a': mx.ones(3) * 2}", "held['a']"), ("[mx.ones(3) * k for k in range(2)]", "held[0]")])
def test_what_lies_in_a_list_or_dict_is_computed_with_it(held: str, read: str, table: Table) -> None:
    assert fixed(HELD.format(held, "", read), "MX210", table) == HELD.format(held, "mx.eval(held)\n", read)


def test_a_dict_called_state_is_no_module(table: Table) -> None:
    lazy = LAZY.replace("self.table = ", "self.state = [").replace("* 0.1))", "* 0.1))]").replace("this.table", "this.state[0]")
    assert fixed(lazy.format(""), "MX210", table) == lazy.format("        mx.eval(self.state)\n")


@pytest.mark.parametrize("compiled", ["net", "net.look"])
def test_an_object_has_the_name_that_it_is_compiled_by(compiled: str, table: Table) -> None:
    text = OF_OBJECTS.format(compiled)
    assert fixed(text, "MX210", table) == text.replace("net = Net()\n", "net = Net()\nmx.eval(net.parameters())\n")


TWO = PRINTED.format("z = f(x)\n    return z").replace("    y = x * 2\n", "    a = x * 3\n    print(a)\n    y = x * 2\n")


def test_statements_done_after_the_call_keep_their_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("main.py").write_text(TWO)
    look = partial(check, ["main.py"], Settings(isolated=True))
    (group,) = made(look(), lambda unsaved: look(unsaved=unsaved), wanted_by(unsafe_fixes=True, verify=False)).groups
    after = group.after["main.py"].text
    assert "    z, y, a = f(x)\n    print(a)\n    print(y)\n    return z\n" in after


CHECKED = """\
from functools import partial

import mlx.core as mx

state = [mx.zeros(2)]


@partial(mx.compile, inputs=state, outputs=state)
def step(x, k):
{}    if not 0 < k < width:
        raise ValueError(
            f"not in (0, {{width}}),"
            f" but {{k}}"
        )
    state[0] = state[0] + x.sum() * k{}
    return state[0] * 2


for k in (1, 5, 2):
    for x in (mx.ones(2), mx.ones(3)):
        try:
            print(step(x, k))
        except ValueError as error:
            print(error)
"""
WIDTHS = {
    "a size": ("    width = x.shape[-1]\n", "", True, False),
    "that is used": ("    width = x.shape[-1]\n", " * width", True, True),
    "all sizes": ("    (width,) = x.shape\n", "", True, False),
    "of another array": ("    x = x + 1\n    width = x.shape[0]\n", "", False, False),
    "set again": ("    width = x.shape[0]\n    width = width + 1\n", "", False, False),
}


@pytest.mark.parametrize(("before", "use", "made", "kept"), WIDTHS.values(), ids=WIDTHS)
def test_checks_of_sizes_take_them_along(before: str, use: str, made: bool, kept: bool, table: Table) -> None:
    after = fixed(CHECKED.format(before, use), "MX208", table)
    assert (after is not None) == made
    if after is not None:
        inner, outer = after.split("def step(x, k):\n")
        assert outer.startswith(before + "    if not 0 < k < width:\n")
        assert (before in inner) == kept


ELSEWHERE = {
    "import mlx.core as mx\n\nf = mx.exp\nf(mx.ones(2))\n": True,
    "from layers import f\n\nf(1)\n": False,
    "from layers import *\n\nf(1)\n": False,
    "import layers\n\nlayers.f(1)\n": False,
    "import layers as of\n\nof.f(1)\n": False,
    "from . import layers\n\nlayers.f(1)\n": False,
    "from other import f\n\nf(1)\n": True,
    "import layers\n\nlayers.k\n": True,
    "from layers import f as (\n": True,  # no Python
}


@pytest.mark.parametrize(("other", "made"), ELSEWHERE.items())
def test_calls_in_other_files_of_the_run(other: str, made: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("__init__.py").touch()
    Path("layers.py").write_text(NAMED_ALIKE.format("print(f(mx.array(1.0)).item())"))
    Path("main.py").write_text(other)
    found = check(["."], Settings(isolated=True)).findings
    (finding,) = [finding for finding in found if finding.code == "MX209"]
    assert (finding.fix is not None) == made


@pytest.mark.parametrize(
    ("other", "made"), [("def g(thing):\n    return thing.fn(1)\n", False), ("def g(thing):\n    return thing.gn(1), 'fn'\n", True)]
)
def test_attributes_in_other_files_of_the_run(other: str, made: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kept.py").write_text(KEPT.format("", "scheduler.step"))
    Path("main.py").write_text(other)
    found = check(["."], Settings(isolated=True)).findings
    (finding,) = [finding for finding in found if finding.code == "MX209"]
    assert (finding.fix is not None) == made


# -- what stands further down -----------------------------------------------------------------------------------------

HOISTED = "import mlx.core as mx\n\n\n{}def go(x):\n    g = mx.compile(norm)\n    return g(x)\n\n\n{}for i in range(3):\n    print(go(mx.ones(2)))\n"
NORM = "def norm(v):\n    return v * mx.exp(v)\n\n\n"
STATED = "import mlx.core as mx\n\n{}\n@mx.compile\ndef f(x):\n    kept['w'] = kept['w'] + x\n    return x\n\n{}\nfor i in range(3):\n    print(f(mx.ones(2)), kept['w'])\n"


def test_what_is_compiled_further_out_is_there_by_then(table: Table) -> None:
    assert "\ng = mx.compile(norm)\n" in (fixed(HOISTED.format(NORM, ""), "MX302", table) or "")
    assert fixed(HOISTED.format("", NORM), "MX302", table) is None


def test_what_is_captured_is_there_by_then(table: Table) -> None:
    state = "kept = {'w': mx.zeros(2)}\n"
    assert "inputs=kept, outputs=kept" in (fixed(STATED.format(state, ""), "MX202", table) or "")
    below = fixed(STATED.format("", state), "MX202", table)
    assert below is not None and "inputs=" not in below


EARLY = {
    "x = a\na = 1\n": True,
    "a = 1\nx = a\na = 2\n": False,
    "def f():\n    return a\na = 1\n": False,
    "def f(k=a):\n    return k\na = 1\n": True,
    "@a\ndef f(): ...\ndef a(f): ...\n": True,
    "x = lambda: a\na = 1\n": False,
    "x = [a for _ in b]\nb = []\n": True,
    "class C:\n    y = 1\n    x = y, a\ny = a = 1\n": True,
    "class C:\n    y = 1\n    x = y\ny = 1\n": False,
    "def f(a):\n    x = a\n    a = 1\n": False,
    "def f():\n    x = a\n    a = 1\n": True,
    "def f():\n    x = a\n    a.b = 1\n": False,
    "def f():\n    global a\n    a = 1\nf()\nx = a\na = 2\n": False,
    "for i in x:\n    print(a)\n    a = 1\n": False,
}


@pytest.mark.parametrize(("text", "expected"), EARLY.items())
def test_names_that_are_read_above_what_binds_them(text: str, expected: bool) -> None:
    before, after = (Source(None, "a.py", part.encode(), part) for part in ("", text))
    assert reads_too_early(before, after) == expected
    assert not reads_too_early(after, after)
