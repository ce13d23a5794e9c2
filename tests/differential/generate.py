"""Small programs around one compiled function, drawn by Hypothesis. Nothing here knows what MLX does with them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

FRAME = frozenset({"step", "fast", "run", "make", "__init__", "__call__"})
"""What stands in a program that is all in one piece."""
X = "mx.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])"


@dataclass(frozen=True, slots=True)
class Program:
    """`files` by name; `main.py` is run. `parts`: what it was made of, for tables."""

    files: Mapping[str, str]
    parts: tuple[str, ...]

    @property
    def helped(self) -> bool:
        """Whether it uses a helper, a class or a second file."""
        main = self.files["main.py"]
        names = {*re.findall(r"(?:def|class) (\w+)", main)} - FRAME
        return len(self.files) > 1 or any(len(re.findall(rf"\b{name}\b", main)) > 1 for name in names)

    @property
    def text(self) -> str:
        return "\n".join(f"# {name}\n{text}" for name, text in sorted(self.files.items(), reverse=True))


class Draft:
    """A program in the making: `top` before the compiled function, its `body`, the options of compile, and what happens `before`, between and `after` calls."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.imports: set[str] = set()
        self.others: dict[str, list[str]] = {}
        self.top: list[str] = []
        self.body: list[str] = []
        self.parameters: list[str] = ["x"]
        self.options: list[str] = []
        self.driver: list[str] = []
        self.parts: list[str] = []
        self.outside = 0
        self.count = 0

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def pick(self, *items: str) -> str:
        return self.random.choice(items)

    def maybe(self, chance: float = 0.5) -> bool:
        """Rather not: so do programs shrink."""
        return self.random.randrange(20) >= round(20 * (1 - chance))

    def define(self, lines: str, *names: str) -> None:
        """A helper, here, in the second file, or in a package that hands it on."""
        place = 0 if re.search(r"\bC\b", lines) else self.random.randrange(10)
        if place < 6:
            self.top += ["", "", *lines.splitlines()]
            self.parts.append("helper")
        else:
            self.elsewhere("helper.py" if place < 8 else "parts/inner.py", lines)
            self.imports.add(f"from {'helper' if place < 8 else 'parts'} import {', '.join(names)}")

    def elsewhere(self, file: str, lines: str) -> None:
        self.others.setdefault(file, []).extend(["", "", *lines.splitlines()])
        self.parts.append("second file")


@st.composite
def programs(draw: st.DrawFn) -> Program:
    d = Draft(draw(st.randoms(use_true_random=False)))
    frame = d.random.choice([frame for frame, weight in FRAMES.items() for _ in range(weight)])
    d.parts.append(frame.__name__)
    for _ in range(d.random.randrange(3)):
        decoy(d)
    frame(d)
    if frame is not shapeless and d.maybe(0.3):
        decoy(d)
    body = ["y = x", *(line for item in d.body for line in _lines(item)), "return y"]
    definitions = [*d.top, "", "", *site(d, body)]
    if d.maybe(0.12):
        d.parts.append("second file")
        files = {"work.py": _file(definitions, d.imports), "main.py": _file(d.driver, {_all_of("work", definitions, d)})}
    else:
        files = {"main.py": _file([*definitions, "", "", *d.driver], d.imports)}
    files |= {name: _file(lines, set()) for name, lines in d.others.items()}
    if "parts/inner.py" in files:
        files["parts/__init__.py"] = d.pick("from .inner import *\n", "from parts.inner import *\n")
    return Program(files, tuple(d.parts))


def _all_of(module: str, lines: list[str], d: Draft) -> str:
    """The import of what a module defines at its top."""
    names = [match[1] for match in map(re.compile(r"(?:def |class )?(\w+)(?: = |\(|:)").match, lines) if match]
    names += [name for line in d.imports if line.startswith("from helper ") for name in line.split(" import ")[1].split(", ")]
    return d.pick(f"from {module} import *", f"from {module} import {', '.join(dict.fromkeys(names))}")


def _file(lines: list[str], imports: set[str]) -> str:
    """A file, with the imports of what is used in it."""
    joined = "\n".join(lines)
    modules = [
        name
        for name in ("math", "itertools", "functools", "dataclasses", "random", "settings")
        if f"{name}." in joined.replace("mx.random.", "")
    ]
    used = {
        *(f"import {name}" for name in modules),
        *("import numpy as np" for _ in re.findall(r"\bnp\.", joined)[:1]),
        *("from functools import partial" for _ in re.findall(r"\bpartial\(", joined)[:1]),
        *("import mlx.nn as nn" for _ in re.findall(r"\bnn\.", joined)[:1]),
        *("import mlx.optimizers as optim" for _ in re.findall(r"\boptim\.", joined)[:1]),
    }
    return "\n".join([*sorted(used | imports), "import mlx.core as mx", *lines, ""])


def _lines(item: str) -> list[str]:
    """The lines of a piece of the body; those after the first are written as they stand in it."""
    first, *others = item.split("\n")
    return [first, *(line.removeprefix("    ") for line in others)]


def indent(lines: list[str], by: int = 1) -> list[str]:
    return ["    " * by + line if line else line for line in lines]


def site(d: Draft, body: list[str]) -> list[str]:
    """How the function is compiled; calls say `fast(…)`."""
    head = f"def step({', '.join(d.parameters)}):"
    options = "".join(f", {option}" for option in d.options)
    form = d.random.randrange(8)
    if form == 0 and not d.options:
        return ["@mx.compile", head.replace("step", "fast"), *indent(body)]
    if form in (0, 1):
        return [f"@partial(mx.compile{options})", head.replace("step", "fast"), *indent(body)]
    if form == 2:
        names = ", ".join(parameter.split("=")[0] for parameter in d.parameters)
        return [head, *indent(body), "", "", f"fast = mx.compile(lambda {names}: step({names}){options})"]
    if form == 3:
        return [head, *indent(body), "", "", f"fast = partial(mx.compile{options})(step)"]
    if form == 4 and "global " not in "\n".join(body):
        return ["def make():", *indent([head, *indent(body), "", f"return mx.compile(step{options})"]), "", "", "fast = make()"]
    if form == 5 and "nonlocal" not in "\n".join(body):
        inner = ["class Runner:", *indent(["def __init__(self):", f"    self.fast = mx.compile(self.step{options})", ""])]
        return [*inner, *indent([head.replace("(", "(self, "), *indent(body)]), "", "", "fast = Runner().fast"]
    if form == 6:
        d.imports.add("from mlx.core import compile as jit")
        return [head, *indent(body), "", "", f"fast = jit(step{options})"]
    return [head, *indent(body), "", "", f"fast = mx.compile(step{options})"]


# -- what changes nothing ---------------------------------------------------------------------------------------------


def decoy(d: Draft) -> None:
    n = d.name("c")
    kind = d.random.choice([*range(16), 2, 2, 9, 9, 15, 15, 15])
    if kind == 0:
        d.top.append(f"{n} = mx.array([1.0, 2.0, 3.0])")
        d.body.append(f"y = y * {n}")
        d.body.append("y = y + x")
    elif kind == 1:
        d.body.append(f"y = y * 2 + {d.pick('1', '0.5', '3')}")
    elif kind == 2:
        d.define(f"def {n}(t, scale=2.0):\n    return t * scale", n)
        d.body.append(f"y = {n}(y{d.pick('', ', 3.0', ', scale=0.5')})")
    elif kind == 3:
        d.body += [f"print({d.pick('x.shape', 'x.dtype', repr('tracing'), 'x.ndim', 'len(x)')})"]
    elif kind == 4:
        d.body += [f"if x.ndim {d.pick('==', '>', '<')} 2:", "    y = y + 1"]
    elif kind == 5:
        d.top.append(f"{n} = {d.pick('True', 'False')}")
        d.body += [f"if {n}:", "    y = y * 3"]
    elif kind == 6:
        d.body += ["y = mx.where(y > 2, y, -x)"]
    elif kind == 7:
        d.body += [f"{n} = []", "for i in range(3):", f"    {n}.append(y * i)", f"y = {n}[0] + {n}[2]"]
    elif kind == 8:
        d.top.append(f"{n} = mx.array([3.0, 1.0])")
        d.body += [
            d.pick(f"print({n})", f"if {n}.sum() > 1:\n    y = y + 1".replace("\n", "\n    "), f"k = {n}[0].item()", f"k = f'{{{n}}}'")
        ]
    elif kind == 9:
        d.define(
            f"class {n.upper()}:\n    def __init__(self, k):\n        self.k = k\n\n    def __call__(self, t):\n        return t * self.k + 1",
            n.upper(),
        )
        d.top.append(f"{n} = {n.upper()}({d.pick('2.0', '3')})")
        d.body.append(f"y = {n}(y)")
    elif kind == 10:
        d.body += [f"{n} = {{'a': y, 'b': 2.0}}", f"y = {n}['a'] * {n}['b']"]
    elif kind == 11:
        d.body += ["y = x.sum(axis=0) + y"]
    elif kind == 12:
        d.body += ["y += 1"]
    elif kind == 13:
        d.body += [f"if x is None or not isinstance(x, mx.array):\n{' ' * 8}raise ValueError(f'not an array: {{x}}')"]
    elif kind == 14:
        d.top.append(f"{n} = {{'scale': 2.0, 'bias': [1.0, 2.0]}}")
        d.body.append(f"y = y * {n}['scale'] + {n}['bias'][1]")
    else:
        d.define(
            f"def {n}(*ts, **options):\n    total = 0\n    for t in ts:\n        total = total + t\n    return total * options.get('k', 1)",
            n,
        )
        d.body.append(f"y = {n}(y, x{d.pick('', ', k=2')})")


def calls(d: Draft, arguments: str = "x", between: list[str] | None = None, again: bool = True) -> None:
    """Two or three calls of `fast`, and what stands between them."""
    d.driver.append(f"x = {X}")
    style = d.random.randrange(4)
    if style == 0:
        d.driver += ["for n in range(3):", f"    r = fast({arguments})", *indent(between or [])]
    elif style == 1:
        d.driver += [
            "def run():",
            *indent(["out = []", "for n in range(3):", f"    out.append(fast({arguments}))", *indent(between or []), "return out"]),
            "",
            "",
            "r = run()",
        ]
        if between and any("=" in line for line in between):
            names = sorted({line.split()[0] for line in between if " = " in line or "+= " in line} & {"W", "N"})
            if names:
                d.driver[2:2] = [f"    global {', '.join(names)}"]
    else:
        d.driver += [f"r1 = fast({arguments})", *(between or []), f"r2 = fast({arguments})"]
        if d.maybe(0.3):
            d.driver += [*(between or []), f"r3 = fast({arguments})"]


# -- MX1 --------------------------------------------------------------------------------------------------------------

SINKS = (
    "print({v})", "print('v', {v}, sep=' ')", "s = f'{{ {v} }}'", "s = f'{{ {s}:.2f}}'", "s = str({v})", "s = repr({s})", "s = 'value %s' % ({v},)",
    "s = '{{}}'.format({v})", "n = {s}.item()", "n = float({s})", "n = int({s})", "n = bool({s} > 0)", "n = {v}.tolist()", "n = np.array({v})",
    "n = math.sqrt({s})", "n = max({s}, 0)", "n = min(1.0, {s})", "n = sorted([{s}, 2.0])", "n = any([{s} > 0])",
    "if {s} > 0:\n    k = 1", "n = 1 if {s} > 0 else 2", "n = {s} > 0 and 1", "n = not ({s} > 0)", "assert {s} > -100000", "while {s} > 100000:\n    break",
    "n = 0 < {s} < 9", "n = {s} in [1.0, 2.0]", "n = [1, 2, 3][({s} * 0).astype(mx.int32)]", "n = (4, 5)[({s} > 0).astype(mx.int32)]", "n = [C][({s} * 0).astype(mx.int32)]", "n = ((1, 2), (3, 4))[({s} > 0).astype(mx.int32)]", "n = list(range(3))[({s} * 0).astype(mx.int32)]", "n = range(({s} > 0).astype(mx.int32))", "n = 'ab' * ({s} > 0).astype(mx.int32)", "n = [1, 2, 3][:({s} * 0).astype(mx.int32)]", "n = 'abc'[({s} > 0).astype(mx.int32)]", "for _ in range(({s} * 0).astype(mx.int32)):\n    pass",
    "mx.eval({v})", "mx.async_eval({v})", "mx.eval({{'a': {v}}})", "if mx.all({v} > 0):\n    k = 2", "if mx.array_equal({v}, {v}):\n    k = 3",
    "n = {s}.item() if {s}.ndim else 0", "n = np.float32(2) * {s}", "n = math.floor({s})", "n = f'{{ {v}.shape}} {{ {s}!r}}'", "if {v}.any():\n    k = 4",
    "mx.eval([{v}, 1])", "mx.eval(C, {s})", "mx.eval({s}, {v})", "mx.async_eval([{v}])", "mx.eval([{v}], [C])", "mx.async_eval({s})",
)  # fmt: skip
HARMLESS = (
    "s = str({v}.shape)", "print({v}.dtype, {v}.ndim)", "n = len({v})", "n = {v}.size", "if {v} is None:\n    k = 1", "n = isinstance({v}, mx.array)", "n = abs({v})", "n = sum({v})",
    "for row in {v}:\n    k = row", "n = {{'k': {v}}}", "n = [{v}, {v}]", "n = ({v}, 1)[1]", "print(type({v}))", "n = {v}.shape[0] > 1 and 2", "n = id({v})",
    "n = {v} * np.array([1.0, 2.0, 3.0], dtype=np.float32)", "mx.eval()", "mx.synchronize()", "n = mx.array([{s}, 1.0])", "n = mx.arange(10)[({s} * 0).astype(mx.int32)]",
    "if {v}.shape == (2, 3):\n    k = 1", "n = hash({v})", "n = {v} is not None and {v}.ndim > 1", "n = hasattr({v}, 'shape')",
)  # fmt: skip
CONSTANTS = ("C", "(C + 1)", "BOX.c", "PAIR[0]", 'TABLE["c"]', "mx.ones((2, 3))")
TRACED = (
    "x",
    "y",
    "(x * 2)",
    "x[0:1]",
    "mx.abs(x)",
    "(x, C)[0]",
    '{"a": x}["a"]',
    "[C, x][1]",
    "(C + x)",
    "mx.stop_gradient(x)",
    "mx.where(C > 0, x, C)",
    "mx.concatenate([C, x])[:2]",
)


def source(d: Draft) -> str:
    d.body.append("y = y + C")
    value = d.random.choice(TRACED if d.maybe(0.7) else CONSTANTS)
    d.top += ["", "", f"C = {X}", "PAIR = [C, 1.0]", "TABLE = {'c': C, 'n': 2}"]
    if "BOX" in value:
        d.top += [*BOX, "BOX = Box(C)"]
    return value


BOX = ("", "", "class Box:", "    def __init__(self, c):", "        self.c = c", "", "")


def evaluation(d: Draft) -> None:
    value = source(d)
    sink = d.random.choice(SINKS if d.maybe(0.8) else HARMLESS)
    d.parts.append(sink)

    def use(v: str) -> list[str]:
        return sink.format(v=v, s=f"{v}.sum()").splitlines()

    d.random.choice(PATHS)(d, value, use)
    calls(d)


Use = Callable[[str], list[str]]


def inline(d: Draft, value: str, use: Use) -> None:
    d.body += use(value)


def assigned(d: Draft, value: str, use: Use) -> None:
    d.body += [f"t = {value}", *use("t")]


def in_function(d: Draft, value: str, use: Use) -> None:
    n = d.name("look")
    d.define("\n".join([f"def {n}(t, flag=True):", *indent(use("t")), "    return t"]), n)
    d.body.append(f"y = {n}({value})" if d.maybe() else f"{n}(t={value}, flag=False)")


def two_deep(d: Draft, value: str, use: Use) -> None:
    n, outer = d.name("inner"), d.name("outer")
    d.define(
        "\n".join([f"def {n}(t):", *indent(use("t")), "    return t", "", "", f"def {outer}(a, *rest):", f"    return {n}(*rest) + a"]),
        outer,
    )
    d.body.append(f"y = {outer}(1.0, {value})")


def in_method(d: Draft, value: str, use: Use) -> None:
    n = d.name("Layer")
    base = d.maybe(0.3)
    lines = [f"class {n}Base:" if base else f"class {n}:", "    def look(self, t):", *indent(use("t"), 2), "        return t"]
    if base:
        lines += ["", "", f"class {n}({n}Base):", "    def run(self, t):", "        return self.look(t)"]
    d.define("\n".join(lines), n)
    d.body.append(f"y = {n}().{'run' if base else 'look'}({value})")


def in_module(d: Draft, value: str, use: Use) -> None:
    n = d.name("Net")
    d.imports.add("import mlx.nn as nn")
    d.define(
        "\n".join(
            [
                f"class {n}(nn.Module):",
                "    def __init__(self):",
                "        super().__init__()",
                "        self.scale = 2.0",
                "",
                "    def __call__(self, t):",
                *indent(use("t"), 2),
                "        return t * self.scale",
            ]
        ),
        n,
    )
    d.top.append(f"net = {n}()")
    d.body.append(f"y = net({value})")


def under_flag(d: Draft, value: str, use: Use) -> None:
    d.top.append(f"FLAG = {d.pick('True', 'False', '0', '3 > 2', 'None')}")
    condition = d.pick(
        "FLAG",
        "not FLAG",
        "x.ndim == 2",
        "x.shape[0] == 2",
        "x.shape[1] > 5",
        "FLAG is not None",
        "x.dtype == mx.float32",
        "C is None",
        "C.sum() > 0",
        "isinstance(x, mx.array)",
    )
    d.body += [f"if {condition}:", *indent(use(value))]
    if d.maybe(0.3):
        d.body += ["else:", "    y = y + 1"]


def in_loop(d: Draft, value: str, use: Use) -> None:
    d.body += [
        d.pick(
            f"for t in [{value}, 1.0 * {value}]:",
            f"for i, t in enumerate(({value},)):",
            f"for t, u in zip([{value}], [1]):",
            f"for t in {{'a': {value}}}.values():",
        ),
        *indent(use("t")),
    ]


def empty_loop(d: Draft, value: str, use: Use) -> None:
    d.body += [d.pick("for i in range(0):", "for i in []:", "for i in range(x.ndim - 2):", "while False:"), *indent(use(value))]


def attribute(d: Draft, value: str, use: Use) -> None:
    if "BOX" not in value:
        d.top += BOX
    d.body += [f"b = Box({value})", *use("b.c")]


def container(d: Draft, value: str, use: Use) -> None:
    d.body += [
        d.pick(
            f"items = [{value}]",
            f"items = []\n    items.append({value})",
            f"items = {{0: {value}}}",
            f"items = {{}}\n    items[0] = {value}",
            f"items = tuple(v for v in ({value}, C))",
            f"items = [v for v in [{value}]]",
            f"items = list(map(lambda v: v, [{value}]))",
        ),
        *use("items[0]"),
    ]


def comprehension(d: Draft, value: str, use: Use) -> None:
    n = d.name("each")
    d.define("\n".join([f"def {n}(t):", *indent(use("t")), "    return t"]), n)
    d.body += [
        d.pick(
            f"y = [{n}(v) for v in ({value},)][0]",
            f"y = list(map({n}, [{value}]))[0]",
            f"y = (lambda v: {n}(v))({value})",
            f"y = partial({n}, {value})()",
            f"y = sum({n}(v) for v in [{value}])",
            f"y = {{k: {n}(v) for k, v in {{'a': {value}}}.items()}}['a']",
        )
    ]


def nested(d: Draft, value: str, use: Use) -> None:
    d.body += ["def inner(k=1):", *indent(use(value)), "    return k", d.pick("inner()", "n = inner(k=2)", "pass")]


def unpacked(d: Draft, value: str, use: Use) -> None:
    d.body += [
        d.pick(
            f"t, u = {value}, C",
            f"(u, t) = C, {value}",
            f"u, *rest = [1, {value}]\n    t = rest[0]",
            f"t = u = {value}",
            f"d = dict(a={value})\n    t = d.get('a')",
            f"d = dict(a={value})\n    t = d.pop('a', None)",
        ),
        *use("t"),
    ]


def tried(d: Draft, value: str, use: Use) -> None:
    d.body += ["try:", *indent(use(value)), d.pick("finally:", "except KeyError:"), "    y = y + 1"]


def decorated(d: Draft, value: str, use: Use) -> None:
    n = d.name("deco")
    d.define(
        "\n".join(
            [
                f"def {n}(f):",
                "    @functools.wraps(f)",
                "    def wrapper(*args, **kwargs):",
                "        return f(*args, **kwargs)",
                "",
                "    return wrapper",
                "",
                "",
                f"@{n}",
                f"def {n}_look(t):",
                *indent(use("t")),
                "    return t",
            ]
        ).replace("    @functools.wraps(f)\n", ""),
        f"{n}_look",
    )
    d.body.append(f"y = {n}_look({value})")


def generator(d: Draft, value: str, use: Use) -> None:
    n = d.name("gen")
    d.define("\n".join([f"def {n}(t):", "    yield t", "    yield t + 1"]), n)
    d.body += [f"for g in {n}({value}):", *indent(use("g"))]


def closure(d: Draft, value: str, use: Use) -> None:
    n = d.name("maker")
    d.define("\n".join([f"def {n}(t):", "    def look(k):", *indent(use("t"), 2), "        return k", "", "    return look"]), n)
    d.body.append(f"y = y * {n}({value})(2.0)")


def recursive(d: Draft, value: str, use: Use) -> None:
    n = d.name("deep")
    d.define("\n".join([f"def {n}(t, k):", "    if k > 0:", f"        return {n}(t + 1, k - 1)", *indent(use("t")), "    return t"]), n)
    d.body.append(f"y = {n}({value}, 2)")


def early(d: Draft, value: str, use: Use) -> None:
    n = d.name("guard")
    d.define(
        "\n".join(
            [
                f"def {n}(t, mode='off'):",
                f"    if mode == '{d.pick('off', 'on')}':",
                "        return t",
                *indent(use("t")),
                "    return t + 1",
            ]
        ),
        n,
    )
    d.body.append(f"y = {n}({value})")


def prop(d: Draft, value: str, use: Use) -> None:
    n = d.name("Prop")
    decoration = d.pick("@property", "@staticmethod", "@classmethod")
    if decoration == "@property":
        lines, call = ["    @property", "    def look(self):", *indent(use("self.t"), 2), "        return self.t"], f"{n}({value}).look"
    elif decoration == "@staticmethod":
        lines, call = ["    @staticmethod", "    def look(t):", *indent(use("t"), 2), "        return t"], f"{n}.look({value})"
    else:
        lines, call = ["    @classmethod", "    def look(cls, t):", *indent(use("t"), 2), "        return t"], f"{n}.look({value})"
    d.define("\n".join([f"class {n}:", "    def __init__(self, t):", "        self.t = t", "", *lines]), n)
    d.body.append(f"y = {call}")


def data(d: Draft, value: str, use: Use) -> None:
    n = d.name("Data")
    d.top += ["", "", "@dataclasses.dataclass", f"class {n}:", "    t: mx.array", "    n: int = 1"]
    d.body += [f"d = {n}({value})", *use("d.t")]


def managed(d: Draft, value: str, use: Use) -> None:
    d.body += [d.pick("with mx.stream(mx.cpu):", "with mx.stream(mx.default_stream(mx.default_device())):"), *indent(use(value))]


def under_grad(d: Draft, value: str, use: Use) -> None:
    d.body += ["def loss(w):", *indent([f"t = {value} * w.sum()", *use("t"), "return t.sum()"]), "y = mx.grad(loss)(x)"]


def registered(d: Draft, value: str, use: Use) -> None:
    n = d.name("REG")
    lines = [f"{n} = {{}}", "", "", "def register(name):", "    def keep(function):", f"        {n}[name] = function", "        return function", "", "    return keep", "", "",
             "@register('look')", "def look(t):", *indent(use("t")), "    return t", "", "", "@register('other')", "def other(t):", "    return t + 1"]  # fmt: skip
    d.define("\n".join(lines), n)
    d.body.append(f"y = {n}['{d.pick('look', 'look', 'other')}']({value})")


def through_module(d: Draft, value: str, use: Use) -> None:
    """A function of a module, by the module's name."""
    d.elsewhere("tools.py", "\n".join(["def look(t, k=1):", *indent(use("t")), "    return t * k"]))
    name, line = d.random.choice([("tools", "import tools"), ("kit", "import tools as kit"), ("check", "from tools import look as check")])
    d.imports.add(line)
    d.body.append(f"y = {name if name == 'check' else f'{name}.look'}({value})")


def inherited(d: Draft, value: str, use: Use) -> None:
    """A class of one file, made from one of another."""
    n = d.name("Kind")
    base = ["class Base:", "    def look(self, t):", *indent(use("t"), 2), "        return t", "", "    def run(self, t):", "        return self.look(t) + 1"]  # fmt: skip
    d.elsewhere("base.py", "\n".join(base))
    d.imports.add("from base import Base")
    own = ["", "    def look(self, t):", f"        return {d.pick('t * 2', 'super().look(t)')}"] if d.maybe() else []
    d.top += ["", "", f"class {n}(Base):", "    size = 3", *own]
    d.body.append(f"y = {n}().run({value})")


PATHS = (
    registered,
    through_module,
    inherited,
    inline,
    assigned,
    in_function,
    two_deep,
    in_method,
    in_module,
    under_flag,
    in_loop,
    empty_loop,
    attribute,
    container,
    comprehension,
    nested,
    unpacked,
    tried,
    decorated,
    generator,
    closure,
    recursive,
    early,
    prop,
    data,
    managed,
    under_grad,
)

# -- MX2 --------------------------------------------------------------------------------------------------------------


def state(d: Draft) -> None:
    kind = d.pick(*["array", "list", "dict", "object", "module"] * 2, "number", "config", "settings", *["counter"] * 4, "frozen")
    d.parts.append(kind)
    reads = d.maybe(0.85)
    writes = d.maybe(0.35)
    moment = d.pick(*["between"] * 6, "before", "after", "never")
    capture = d.pick("", "", "", "inputs", "outputs", "both", "both")
    change: list[str] = []
    read = ""
    write: list[str] = []
    names = ""
    if kind == "array":
        d.top.append(f"W = {X}")
        read, write = "y = y + W", ["global W", d.pick("W = W + x", "W = y", "W += x")]
        change = [d.pick("W = W + 1", "W += 1", "W[0] = 5.0", "W = mx.zeros((2, 3))", "W = W")]
        names, capture = d.pick("[W]", "W", "(W,)"), capture if d.maybe(0.3) else ""
    elif kind == "list":
        d.top.append(f"state = [{X}, mx.array([1.0, 2.0, 3.0])]")
        read, write = (
            d.pick("y = y + state[0]", "y = y * state[1]", "for s in state:\n        y = y + s"),
            [
                d.pick(
                    "state[0] = state[0] + x",
                    "state[0] = y",
                    "state.append(y)",
                    "state[1] = mx.array([0.0, 1.0, 0.0])",
                    "state.append(2.0)",
                )
            ],
        )
        change = [
            d.pick(
                "state[0] = state[0] * 2",
                "state[1] = mx.array([3.0, 3.0, 3.0])",
                "state[0][0] = 7.0",
                "state = [mx.zeros((2, 3)), mx.array([0.0, 0.0, 1.0])]",
                "state[0] = mx.ones((2, 3))",
            )
        ]
        if change[0].startswith("state = "):
            change = ["state.clear()", "state.extend([mx.zeros((2, 3)), mx.array([0.0, 0.0, 1.0])])"] if d.maybe() else change
        names = d.pick("state", "state", "[state]", "{'s': state}", "list(state)", "tuple(state)", "[s for s in state]")
    elif kind == "dict":
        d.top.append(f"state = {{'w': {X}, 'n': 2.0}}")
        read, write = (
            d.pick("y = y + state['w']", "y = y * state['n']", "y = y + state.get('w')"),
            [
                d.pick(
                    "state['w'] = state['w'] + x",
                    "state['w'] = y",
                    "state['new'] = y",
                    "state.update(w=y)",
                    "state['n'] = 3.0",
                    "state['k'] = x.shape",
                )
            ],
        )
        change = [
            d.pick(
                "state['w'] = state['w'] * 2",
                "state.update({'w': mx.zeros((2, 3))})",
                "state['n'] = 4.0",
                "state['n'] += 1",
                "state['other'] = 5",
            )
        ]
        names = d.pick("state", "state", "[state]", "dict(state)", "[state['w']]", "state['w']")
    elif kind == "object":
        d.define(
            "class Holder:\n    def __init__(self, n=2.0):\n        self.w = mx.array([n, 2.0, 3.0])\n        self.n = n\n        self.log = []\n\n    def bump(self):\n        self.n = self.n + 1\n        self.w = self.w * 2\n\n    def apply(self, t):\n        return t * self.w + self.n",
            "Holder",
        )
        d.top.append("holder = Holder()")
        read = d.pick("y = y * holder.w", "y = y * holder.n", "y = holder.apply(y)")
        write = [
            d.pick(
                "holder.w = y",
                "holder.log.append(y)",
                "holder.last = y.shape",
                "holder.n = 5.0",
                "holder.bump()",
                "holder.log.append(y.shape[0])",
                "setattr(holder, 'kept', y)",
            )
        ]
        change = [
            d.pick(
                "holder.w = holder.w + 1",
                "holder.n += 1",
                "holder.bump()",
                "setattr(holder, 'n', 7.0)",
                "holder.other = 3",
                "holder = Holder(5.0)",
            )
        ]
        names = d.pick("[holder.w]", "holder", "vars(holder)", "holder.__dict__")
    elif kind == "module":
        d.imports.add("import mlx.nn as nn")
        d.top += [
            "net = nn.Linear(3, 3)",
            "net.weight = mx.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])",
            "mx.eval(net.parameters())",
        ]
        read, write = "y = net(y)", [d.pick("net.weight = net.weight * 2", "net.update({'bias': x.sum(axis=0)})", "net.bias = x[0]")]
        change = [
            d.pick(
                "net.weight = net.weight * 2",
                "net.update({'bias': mx.array([1.0, 1.0, 1.0])})",
                "net.weight[0] = 3.0",
                "net.load_weights([('bias', mx.ones((3,)))], strict=False)",
                "net.freeze()",
                "net.eval()",
                "net.apply(lambda w: w + 1)",
            )
        ]
        names = d.pick("net.state", "net", "[net.state]", "net.parameters()", "net.trainable_parameters()", "[net]")
    elif kind == "number":
        d.top.append("N = 2.0")
        read, write = (
            d.pick("y = y * N", "y = y + (1 if N > 2 else 0)"),
            ["global N", d.pick("N = N + 1", "N = 4.0", "N = y.shape[0]", "N = y.sum()")],
        )
        change, capture = [d.pick("N = 3.0", "N += 1", "N = 2.0", "N = N * 2")], ""
    elif kind == "config":
        d.top += ["", "", "class Config:", "    scale = 2.0", "    on = True"]
        read, write = d.pick("y = y * Config.scale", "y = y + (1 if Config.on else 2)"), [d.pick("Config.scale = 3.0", "Config.last = y")]
        change, capture = [d.pick("Config.scale = 3.0", "Config.on = not Config.on", "Config.on = False", "Config.name = 'a'")], ""
    elif kind == "settings":
        d.elsewhere("settings.py", f"scale = 2.0\nweight = {X}\n\n\ndef rescale():\n    global scale\n    scale = scale + 1")
        read, write = (
            d.pick("y = y * settings.scale", "y = y + settings.weight"),
            [d.pick("settings.scale = 5.0", "settings.last = y", "settings.rescale()")],
        )
        change = [d.pick("settings.scale = 3.0", "settings.rescale()", "settings.weight = settings.weight * 2", "settings.name = 'a'")]
        capture = ""
    elif kind == "counter":
        d.top += [d.pick("ticks = itertools.count(1)", "ticks = iter([1, 2, 3, 4, 5, 6, 7])"), "seen = []"]
        read, write = (
            d.pick("y = y * next(ticks)", "y = y + random.random()", "y = y + len(seen)"),
            [d.pick("seen.append(1)", "seen.append(y.shape)", "seen.append(y)")],
        )
        change, capture = [d.pick("next(ticks)", "seen.append(2)", "n = 3")], ""
    else:
        d.define(
            "def cached(t, memo={}):\n    if 'k' not in memo:\n        memo['k'] = "
            + d.pick("t * 2", "mx.array([1.0, 2.0, 3.0])", "mx.ones((3,)) * 3", "t.shape[0]")
            + "\n    return t + memo['k']",
            "cached",
        )
        read, reads, capture, change = "y = cached(y)", True, "", ["n = 3"]
    if reads:
        d.body += [read]
    else:
        d.body += ["y = x * 2"]
    if writes:
        if write and write[0].startswith("global"):
            d.body.insert(0, write.pop(0))
        where = d.random.randrange(3)
        if where == 0 and write and kind in ("list", "dict", "object"):
            n = d.name("store")
            d.top += ["", "", f"def {n}(y, x):", *indent(write)]
            d.body.append(f"{n}(y, x)")
        else:
            d.body += write
    if capture and names:
        if capture in ("inputs", "both"):
            d.options.append(f"inputs={names}")
        if capture in ("outputs", "both"):
            d.options.append(f"outputs={names}")
    if moment == "before" and "global" not in "".join(change):
        calls(d)
        d.driver[1:1] = change
    elif moment == "after":
        calls(d)
        d.driver += change
    elif moment == "between":
        if d.maybe(0.3) and change[0].split()[0] not in ("W", "N", "state", "holder") and len(change) == 1:
            d.top += ["", "", "def change():", *indent(change)]
            change = ["change()"]
        if change[0].startswith("state = ") or change[0].startswith("holder = "):
            d.driver += [f"x = {X}", "r1 = fast(x)", *change, "r2 = fast(x)"]
        else:
            calls(d, between=change)
    else:
        calls(d)


def containers(d: Draft) -> None:
    """What is captured by halves, grows, or is handed over as well."""
    kind = d.pick(*["half"] * 2, *["growing"] * 3, *["aliased"] * 7)
    d.parts.append(kind)
    listed = d.maybe()
    d.top.append(f"state = [{X}]" if listed else f"state = {{'w': {X}}}")
    w = "state[0]" if listed else "state['w']"
    if kind == "half":
        d.options.append(d.pick("inputs=state", "outputs=state", "inputs=[state]"))
        d.body += [f"y = y + {w}", d.pick(f"{w} = y", f"{w} = {w} + x", f"{w} = {w} * 2")]
        calls(d)
    elif kind == "growing":
        d.options += d.pick("outputs=state", "outputs=state inputs=state").split()
        d.body += ["y = y * 2", "state.append(y)" if listed else "state[f'k{len(state)}'] = y"]
        calls(d)
    else:
        if d.maybe(0.25):
            d.options += ["inputs=state", "outputs=state"]
        d.body += [f"y = y + {w}"]
        d.driver += [
            *d.pick("", "", "warm = fast(mx.ones((2, 3)))").splitlines(),
            f"r1 = fast({w if d.maybe(0.8) else X})",
            f"r2 = fast({w if d.maybe() else X})",
        ]


def training(d: Draft) -> None:
    """A step of an optimizer, or the gradients for one outside."""
    d.top += [
        "net = nn.Linear(3, 1)",
        f"opt = optim.{d.pick('SGD(learning_rate=0.1)', 'SGD(learning_rate=0.1, momentum=0.9)', 'Adam(learning_rate=0.1)', 'AdamW(learning_rate=0.1)')}",
        *d.pick("", "opt.init(net.trainable_parameters())").splitlines(),
        "mx.eval(net.parameters(), opt.state)",
    ]
    d.define("def loss_of(model, t):\n    return mx.mean(model(t) ** 2)", "loss_of")
    inside = d.maybe(0.7)
    grad = d.pick("nn.value_and_grad(net, loss_of)(net, x)", "vg(net, x)")
    if "vg" in grad:
        d.top.append("vg = nn.value_and_grad(net, loss_of)")
    d.body += [f"loss, grads = {grad}", *(["opt.update(net, grads)"] if inside else []), "y = loss" if inside else "return loss, grads"]
    state = d.pick("[net.state, opt.state]", "[net.state, opt.state]", "[net.state, opt.state]", "net.state", "opt.state", "")
    if state.count(",") and d.maybe():
        d.top.append(f"state = {state}")
        state = "state"
    kinds = d.pick("both", "both", "both", "inputs", "outputs")
    if state and (inside or d.maybe(0.3)):
        d.options += [f"{name}={state}" for name in ("inputs", "outputs") if kinds in ("both", name)]
    d.parts.append(f"{'step' if inside else 'gradients'} {'captured' if len(d.options) > 1 else 'by halves' if d.options else 'bare'}")
    change = d.pick("", "", "", "", "opt.learning_rate = 0.01", "net.eval()", "net.weight = net.weight * 2", "mx.eval(net.parameters(), opt.state)", "mx.eval(net.state, opt.state)").splitlines()  # fmt: skip
    apply = [] if inside else ["opt.update(net, g)"]
    result = "r" if inside else "r, g"
    if d.maybe(0.6):
        d.driver += [f"x = {X}", "for n in range(3):", f"    {result} = fast(x)", *indent([*apply, *change])]
    else:
        d.driver += [f"x = {X}", f"{result} = fast(x)", *apply, *change, f"{result} = fast(x)", *apply]


def randomness(d: Draft) -> None:
    draw = d.pick(
        "y = x + mx.random.normal((2, 3))", "y = x * mx.random.uniform(shape=(2, 3))", "y = x + mx.random.normal((2, 3), key=mx.random.key(3))", "y = drop(x)",
        "y = noise(x)", "y = x + mx.random.randint(0, 10, (2, 3))", "y = x + mx.random.normal((2, 3), key=KEY)", "y = x * mx.random.bernoulli(0.5, (2, 3))",
        "k1, k2 = mx.random.split(KEY)\n    y = x + mx.random.normal((2, 3), key=k2)",
    )  # fmt: skip
    d.parts.append(draw)
    if "KEY" in draw:
        d.top.append("KEY = mx.random.key(1)")
    if "drop" in draw:
        d.imports.add("import mlx.nn as nn")
        d.top += [f"drop = nn.Dropout({d.pick('0.5', '0.5', '0.0', 'p=0.3')})", *d.pick("", "drop.eval()", "drop.train()").splitlines()]
    if "noise" in draw:
        d.define(f"def noise(t, scale=1.0, key=None):\n    return t + scale * mx.random.normal(t.shape{d.pick('', ', key=key')})", "noise")
        if d.maybe(0.3):
            draw = "y = noise(x, key=mx.random.key(0))"
    d.body += [draw]
    capture = d.pick("", "", "both", "both", "inputs", "outputs", "list")
    if capture in ("inputs", "both"):
        d.options.append("inputs=mx.random.state")
    if capture in ("outputs", "both"):
        d.options.append("outputs=mx.random.state")
    if capture == "list":
        d.top.append("kept = [mx.random.state]")
        d.options += ["inputs=kept", "outputs=kept"]
    calls(d)


# -- MX3 --------------------------------------------------------------------------------------------------------------


def recompilation(d: Draft) -> None:
    d.driver.append(f"x = {X}")
    kind = d.pick(*["scalar"] * 4, *["shape"] * 5, *["compile"] * 5, *["grad"] * 2)
    d.parts.append(kind)
    count = d.pick("8", "8", "8", "2", "8", "8", "8")
    if kind == "scalar":
        d.parameters.append("k")
        d.body += [d.pick("y = y * k", "y = y + k", "y = y * (k if k is not None else 2)")]
        argument = d.pick(
            "n",
            "n",
            "n * 0.5",
            "n % 2",
            "n > 3",
            "3",
            "mx.array(n)",
            "x.shape[0]",
            "n / 10",
            "mx.array(n * 0.5)",
            "float(n)",
            "t",
            "sizes[n % 2]",
            "rate",
            "max(n, 6)",
            "n // 8",
            "not n",
        )
        setup = {"t": ["t = 0"], "rate": ["rate = 1.0"], "sizes[n % 2]": ["sizes = [1, 2]"]}.get(argument, [])
        after = {"t": ["t += 1"], "rate": ["rate = rate * 0.5"]}.get(argument, [])
        loop = d.pick(f"for n in range({count}):", f"for n, _ in enumerate([0] * {count}):", f"for n in list(range({count})):")
        if d.maybe(0.3):
            d.driver += [
                "def run(x):",
                *indent([*setup, loop, f"    x = fast(x, {argument})", *indent(after), "return x"]),
                "",
                "",
                "r = run(x)",
            ]
        elif d.maybe(0.15) and not after:
            d.driver += [*setup, f"r = [fast(x, {argument}) for n in range({count})]"]
        else:
            d.driver += [*setup, loop, f"    r = fast(x, {argument})", *indent(after)]
    elif kind == "shape":
        d.body += ["y = y * 2"]
        if d.maybe(0.3):
            d.options.append("shapeless=True")
        d.driver += d.pick(
            f"for n in range(1, {count}):\n    r = fast(mx.ones((n, 3)))", f"for n in range({count}):\n    x = mx.concatenate([x, x[:1]])\n    r = fast(x)",
            f"big = mx.ones((16, 3))\nfor n in range(1, {count}):\n    r = fast(big[:n])", f"for n in range({count}):\n    r = fast(mx.ones((2 + n % 2, 3)))",
            f"for n in range({count}):\n    r = fast(x)", "big = mx.ones((16, 3))\nfor n in range(0, 16, 2):\n    r = fast(big[n:n + 2])", f"for n in range({count}):\n    r = fast(mx.ones((2, 3)) * n)",
            f"for n in range({count}):\n    x = fast(x)", "xs = [x]\nfor n in range(8):\n    xs.append(x)\n    r = fast(mx.concatenate(xs))",
            "for batch in [mx.ones((4, 3)), mx.ones((4, 3)), mx.ones((4, 3)), mx.ones((4, 3)), mx.ones((4, 3)), mx.ones((1, 3))]:\n    r = fast(batch)",
        ).splitlines()  # fmt: skip
    elif kind == "compile":
        d.top += ["", "", "def work(x):", "    return x * 2 + 1"]
        d.body += ["y = x * 2"]
        d.driver += d.pick(
            f"for n in range({count}):\n    f = mx.compile(lambda x: x * 2)\n    r = f(x)", f"for n in range({count}):\n    f = mx.compile(work)\n    r = f(x)",
            f"for n in range({count}):\n    r = mx.compile(work)(x)", f"f = mx.compile(work)\nfor n in range({count}):\n    r = f(x)",
            f"def run(x):\n    f = mx.compile(work)\n    return f(x)\n\n\nfor n in range({count}):\n    r = run(x)",
            f"def run(x):\n    return mx.compile(lambda t: t * 3)(x)\n\n\nr = [run(x) for n in range({count})]",
            f"def get():\n    return mx.compile(work)\n\n\nf = get()\nfor n in range({count}):\n    r = f(x)",
            f"def get():\n    return mx.compile(work)\n\n\nfor n in range({count}):\n    r = get()(x)",
            f"memo = {{}}\nfor n in range({count}):\n    if 'f' not in memo:\n        memo['f'] = mx.compile(work)\n    r = memo['f'](x)",
            f"@functools.lru_cache\ndef get():\n    return mx.compile(work)\n\n\nfor n in range({count}):\n    r = get()(x)",
            "layers = [mx.compile(lambda x, k=k: x * k) for k in (1.0, 2.0)]\nfor f in layers:\n    for n in range(8):\n        r = f(x)",
            f"class Net:\n    def __init__(self):\n        self.f = None\n\n    def __call__(self, x):\n        if self.f is None:\n            self.f = mx.compile(work)\n        return self.f(x)\n\n\nnet = Net()\nfor n in range({count}):\n    r = net(x)",
            f"class Net:\n    def __call__(self, x):\n        f = mx.compile(self.run)\n        return f(x)\n\n    def run(self, x):\n        return x * 2\n\n\nnet = Net()\nfor n in range({count}):\n    r = net(x)",
            f"for n in range({count}):\n    def inner(x):\n        return x + n\n\n    r = mx.compile(inner)(x)",
            "for n in range(2):\n    f = mx.compile(work)\n    for k in range(8):\n        r = f(x)",
            f"kept = mx.compile(work)\nfor n in range({count}):\n    r = mx.compile(work)(x)",
            f"for n in range({count}):\n    r = mx.compile(partial(work))(x)",
        ).splitlines()  # fmt: skip
    else:
        d.body += ["y = x.sum()"]
        d.driver += d.pick(
            f"g = mx.grad(fast)\nfor n in range({count}):\n    r = g(x)", f"for n in range({count}):\n    r = mx.grad(fast)(x)", f"g = mx.compile(mx.grad(fast))\nfor n in range({count}):\n    r = g(x)",
            f"g = mx.vmap(fast)\nfor n in range({count}):\n    r = g(x)", f"g = mx.value_and_grad(fast)\nfor n in range({count}):\n    v, r = g(x)", f"g = mx.compile(mx.value_and_grad(lambda x: (x * 2).sum()))\nfor n in range({count}):\n    r = g(x)",
        ).splitlines()  # fmt: skip
        if "g(x)" in d.driver[-1] and d.maybe(0.3):
            d.driver.append("r = fast(x)")


# -- MX4 --------------------------------------------------------------------------------------------------------------


SHAPED = (
    "y = x.reshape(-1)", "y = x.reshape(x.shape[0] * x.shape[1])", "y = (x * 2).reshape(x.shape)", "y = x.reshape(x.shape[0], -1)", "y = x.reshape(-1, 3)", "y = x.sum(axis=0)", "y = x.mean(-1, keepdims=True)", "y = x[0]", "y = x[-1]",
    "y = x[:, 0]", "y = x[:1]", "y = x[None]", "y = x[..., None]", "y = x.T", "y = x / x.shape[-1]", "y = x / x.shape[0]", "y = x * len(x)", "y = mx.ones(x.shape) + x", "y = mx.zeros_like(x)",
    "y = mx.concatenate([x, x])", "y = mx.stack([x, x])", "y = mx.tril(x)", "y = mx.softmax(x, axis=-1)", "y = x.flatten()", "y = mx.broadcast_to(x.sum(), x.shape)", "y = mx.arange(x.shape[0])", "y = mx.arange(x.shape[1]) + x",
    "y = mx.take(x, mx.array([0, 1]), axis=0)", "y = x @ M", "y = net(x)", "y = net0(x)", "y = mx.split(x, 2, axis=0)[0]", "y = mx.pad(x, 1)", "y = mx.repeat(x, 2, axis=0)", "y = mx.tile(x, (2, 1))", "y = mx.expand_dims(x, 0)",
    "y = mx.where(x > 0, x, 0.0)", "y = x.max(axis=1)", "y = mx.argmax(x, axis=1)", "y = mx.sort(x, axis=-1)", "if x.shape[0] > 3:\n    y = y + 1", "for i in range(x.shape[0]):\n    y = y + i", "y = x * x.ndim", "y = x.size * x",
    "n, m = x.shape\ny = x * n", "n, m = x.shape\ny = x * m", "y = x + mx.ones((x.shape[-1],))", "y = mx.full(x.shape, 2.0)", "y = x.swapaxes(0, 1)", "y = x.sum()", "y = x * x.mean()", "y = mx.cumsum(x, axis=0)", "y = norm(x)",
    "y = 1 if x.shape[1] == 3 else 2\ny = x * y", "y = mx.linspace(0, 1, x.shape[0])", "y = x.shape[0]\ny = x + 1", "s = x.shape\ny = x + s[1]", "y = mx.expand_dims(x, -1).squeeze(-1)", "y = mx.logsumexp(x, axis=1)", "y = mx.eye(3) @ x.T",
    "y = x[..., :2]", "y = x[mx.array([0, 1])]", "y = mx.take_along_axis(x, mx.argmax(x, axis=1, keepdims=True), axis=1)", "y = x.transpose(1, 0)", "y = mx.concatenate([x, ROW])", "y = mx.unflatten(x, 0, (1, -1))", "y = mx.clip(x, 0.0, 3.0)",
    "y = x @ x.T", "y = mx.fast.rms_norm(x, None, 1e-5)", "y = mx.addmm(ROW, x, M)", "y = x if x.shape[0] == 2 else x * 2", "while x.shape[0] > 3:\n    y = y * 2\n    break", "if len(x) > 2 and x.ndim:\n    y = y * 3", "if x.size > 8:\n    y = x * 0.3", "y = x * max(x.shape[0], 3)", "if x.shape != (2, 3):\n    y = y - 1", "if x.shape[1] % 3:\n    y = y * 2", "k = x.shape[0]\nif k == 2:\n    y = y + k", "y = y + 1 if len(x) == 2 else y", "for row in range(len(x)):\n    y = y * 2", "y = mx.roll(x, 1)", "y = mx.topk(x, 2)", "y = x.astype(mx.float16)", "y = mx.var(x, axis=0)",
    "y = mx.ones(x.shape[:1] + (3,)) + x", "y = sum(x.shape) + x", "y = x * math.sqrt(x.shape[-1])", "y = x * (x.shape[-1] ** -0.5)", "y = mx.zeros((1,) + x.shape)", "y = mx.moveaxis(x, 0, 1)", "y = x.reshape(1, *x.shape)", "y = mx.diag(x)", "y = mx.triu(x)",
)  # fmt: skip


def shapeless(d: Draft) -> None:
    op = d.random.choice(SHAPED)
    d.parts.append(op.replace("\n", "; "))
    if "M" in op.replace("MX", ""):
        d.top.append("M = mx.array([[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 3.0]])")
    if "ROW" in op:
        d.top.append("ROW = mx.array([[1.0, 2.0, 3.0]])")
    if "net" in op or "norm(" in op and "rms" not in op:
        d.imports.add("import mlx.nn as nn")
        d.top += [
            "net = nn.Linear(3, 3)",
            "net0 = nn.Linear(3, 3, bias=False)",
            "norm = nn.LayerNorm(3)",
            "mx.eval(net.parameters(), net0.parameters(), norm.parameters())",
        ]
    if d.maybe(0.4):
        n = d.name("shape")
        d.top = d.top or []
        d.top += ["", "", f"def {n}(x):", "    y = x", *indent(op.splitlines()), "    return y"]
        d.parts.append("helper")
        d.body += ["y = x + 1", f"y = {n}({d.pick('x', 'y', 'x * 2')})"]
    else:
        d.body += [*op.splitlines()]
    d.options.append("shapeless=True" if d.maybe(0.85) else "shapeless=False")
    second = d.pick("(4, 3)", "(4, 3)", "(2, 5)", "(5, 3)")
    if d.maybe(0.7):
        d.driver += [f"x = {X}", "r1 = fast(x)", f"r2 = fast({_counted(second)})"]
    else:
        d.driver += [f"for x in [{X}, {_counted(second)}]:", "    r = fast(x)"]


def _counted(shape: str) -> str:
    """An array of different numbers: among equal ones a wrong row does not show."""
    rows, columns = (int(size) for size in shape.strip("()").split(","))
    return f"mx.array({[[float(10 + row * columns + column) for column in range(columns)] for row in range(rows)]})"


# -- MX5, arguments ---------------------------------------------------------------------------------------------------


def signature(d: Draft) -> None:
    kind = d.pick(*["argument"] * 2, *["method"] * 3, *["returned"] * 4, *["collision"] * 4, *["definition"] * 5)
    d.parts.append(kind)
    if kind == "argument":
        d.parameters.append("a")
        module = d.maybe(0.15)
        d.body += ["y = a(x)" if module else "y = x * 2"]
        d.top += ["", "", "@dataclasses.dataclass", "class Config:", "    n: int = 1", "", "", "class Plain:", "    pass"]
        a = d.pick("np.ones(3)", "np.float64(2.0)", "np.float32(2.0)", "Config()", "Plain()", "mx.float32", "{1, 2}", "len", "(1, 2)", "[x, 2.0]", "{'a': x}", "None", "'mode'", "True", "1j", "b'a'", "range(3)", "slice(0, 1)", "2 ** 70", "lambda t: t", "[x, [Plain()]]", "{'k': {1}}", "x.shape", "x.dtype", "[1, (2, {'a': None})]")  # fmt: skip
        calls(d, "x, nn.Linear(3, 3)" if module else f"x, {a}")
    elif kind == "method":
        decoration = d.pick("@mx.compile\n", "@mx.compile\n", "@partial(mx.compile)\n", "@staticmethod\n@mx.compile\n", "")
        static = "static" in decoration
        d.body += ["y = y + 1"]
        lines = [
            "class Model:",
            "    k = 2.0",
            "",
            *indent(decoration.splitlines()),
            f"    def run({'' if static else 'self, '}x):",
            f"        return x * {'2' if static else 'self.k'}",
            "",
            "    def twice(self, x):",
            "        return self.run(self.run(x))",
        ]
        d.top += ["", "", *lines]
        d.driver += [
            f"x = {X}",
            "r = fast(x)",
            d.pick(
                "m = Model().run(x)",
                "m = Model().twice(x)",
                "model = Model()\nm = model.run(x)",
                "model = Model()\nm = [model.run(x) for _ in range(3)]",
            ),
        ]
    elif kind == "returned":
        d.top += ["", "", "@dataclasses.dataclass", "class Out:", "    y: mx.array", "    n: int = 1"]
        result = d.pick(
            "Out(y)",
            "(y, 2)",
            "{'a': y, 'b': [y]}",
            "lambda: y",
            "[y, None]",
            "'text', y",
            "(v for v in [y])",
            "y.shape",
            "{y.ndim: y}",
            "Out(C)",
            "y, Out(y)",
            "Out(y)",
            "[Out(y)]",
            "lambda: y",
            "(v for v in [y])",
            "mx.float32, y",
            "True, y",
            "None",
        )
        d.top.append(f"C = {X}")
        d.body += ["y = x * 2", f"if x.ndim == 2:\n        return {result}"]
        calls(d)
    elif kind == "collision":
        d.parameters.append("k")
        d.body += [
            d.pick(
                "y = y * 2 if k is True else y * 3",
                "y = y + (1 if isinstance(k, bool) else 2)",
                "y = y + (len(k) if isinstance(k, (list, tuple)) else 0)",
                "y = y * (2 if k else 1)",
                "y = y + (1 if isinstance(k, float) else 2)",
            )
        ]
        first, second = d.random.choice(
            [
                ("True", "1"),
                ("0", "0.0"),
                ("1", "True"),
                ("[1, 2]", "(1, 2)"),
                ("False", "None"),
                ("[x, x]", "(x, x)"),
                ("[1, [2]]", "[1, 2]"),
                ("0", "False"),
                ("1", "1"),
                ("[[x], x]", "[[x, x]]"),
                ("'a'", "'b'"),
                ("{'a': 1}", "{'a': 2}"),
            ]
        )
        d.driver += [f"x = {X}", f"r1 = fast(x, {first})", f"r2 = fast(x, {second})"]
    else:
        d.body += ["y = y + 1"]
        d.top += d.pick(
            "\n\n@mx.compile\ndef gen(x):\n    yield x * 2", "\n\n@mx.compile()\ndef gen(x):\n    return x * 2", "\n\n@mx.compile(shapeless=True)\ndef gen(x):\n    return x * 2",
            "\n\n@partial(mx.compile, shapeless=False)\ndef gen(x):\n    return x * 2", "\n\ndef double(x):\n    return x * 2\n\n\ngen = mx.compile(double)", "\n\ndef double(x):\n    return x * 2\n\n\ngen = mx.compile(mx.compile(double))",
        ).splitlines()  # fmt: skip
        d.driver += [f"x = {X}", "r = fast(x)", d.pick("g = gen(x)", "g = list(gen(x))")]


def mutation(d: Draft) -> None:
    kind = d.pick("array", "list", "dict")
    d.parts.append(kind)
    d.parameters.append("a")
    if kind == "array":
        d.body += [
            "y = x * 2",
            d.pick("a[0] = 9.0", "a += 1", "a = a + 1", "b = a + 0\n    b[0] = 1.0", "x[0] = a[1]", "a[:, 0] = 1.0"),
            "y = y + a",
        ]
        initial = X
    elif kind == "list":
        d.body += [
            "y = x * 2",
            d.pick("a.append(y)", "a[0] = a[0] + x", "a = a + [y]", "a = list(a)\n    a.append(y)", "b = [*a]\n    b[0] = y"),
            "y = y + a[0]",
        ]
        initial = f"[{X}]"
    else:
        d.body += [
            "y = x * 2",
            d.pick("a['w'] = y", "a['n'] = 3", "a = {**a, 'w': y}", "a = dict(a)\n    a['w'] = y", "a.update(w=y)", "k = a.get('w')"),
            "y = y + a['w']",
        ]
        initial = f"{{'w': {X}}}"
    d.driver += [
        f"a = {initial}",
        f"x = {X}",
        d.pick(
            "r1 = fast(x, a)\nr2 = fast(x, a)",
            "r = fast(x, a)\nprint(a)",
            f"r1 = fast(x, {initial})\nr2 = fast(x, {initial})",
            "for n in range(3):\n    r = fast(x, a)",
        ),
    ]
    if d.maybe(0.3):
        d.driver.append("total = a" if kind == "array" else "total = len(a)")


FRAMES: Mapping[Callable[[Draft], None], int] = {
    evaluation: 30, shapeless: 32, state: 22, recompilation: 27, signature: 25, containers: 11, training: 5, randomness: 8, mutation: 2,
}  # fmt: skip
"""What a program is about, and how often."""
