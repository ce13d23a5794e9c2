"""Small programs in plain Python that end and print the same each time, drawn by Hypothesis. They use no input, clock or chance."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random

from hypothesis import strategies as st

from .constructs import HELPER, IMPORTS, TEMPLATES
from .expressions import LITERALS, PRODUCERS
from .statements import STATEMENTS

_HOLE = re.compile(r"«([^«»]*)»")
_NAME = re.compile(r"\$(\w+)")
_SIGNATURE = re.compile(r": \$(\w+)\((.*?)\) -> (\w+)")
_BLOCK = re.compile(r"(?m)^( *)«block([^«»]*)»$")
DEEPEST = 3
"""How deep expressions and blocks nest."""
MOST_WORK = 600
"""About so many times may one call run a statement: calls in loops cost what they call, times the rounds."""


@dataclass(frozen=True, slots=True)
class Program:
    """`files` by name; `main.py` is run. `parts`: the constructs that it was made of."""

    files: Mapping[str, str]
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """A function that expressions may call. `work` says about how many statements a call runs."""

    name: str
    takes: tuple[str, ...]
    gives: str
    work: int


class Draft:
    """A program in the making. `variables` are the names in scope with their types, `fixed` those that may not be changed where it stands."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.variables: dict[str, str] = {}
        self.fixed: frozenset[str] = frozenset()
        self.functions: list[Function] = []
        self.count = 0
        self.depth = 0
        self.rounds: int = 1
        """How often what is drawn here is run at most, by the loops around it."""
        self.work = 0
        self.in_loop: bool = False

    # -- drawing ---------------------------------------------------------------------------------------------------

    def chance(self, share: float) -> bool:
        """Rather not: so do programs shrink."""
        return self.random.randrange(20) >= round(20 * (1 - share))

    def pick(self, items: Sequence[str]) -> str:
        return items[self.random.randrange(len(items))]

    def name(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def of_type(self, kind: str, *, writable: bool = False) -> list[str]:
        """The variables of a type."""
        return [name for name, own in self.variables.items() if own == kind and not (writable and name in self.fixed)]

    @contextmanager
    def scope(
        self, variables: Mapping[str, str], *, fixed: Sequence[str] = (), rounds: int = 1, loop: bool | None = None
    ) -> Iterator[None]:
        """Within it there are these variables too, and what is bound there is not seen after it."""
        before = self.variables, self.fixed, self.rounds, self.in_loop
        self.variables = {**self.variables, **variables}
        self.fixed = (self.fixed - variables.keys()) | frozenset(fixed)
        self.rounds *= rounds
        self.in_loop = self.in_loop if loop is None else loop
        self.depth += 1
        yield
        self.depth -= 1
        self.variables, self.fixed, self.rounds, self.in_loop = before

    # -- what programs are made of ---------------------------------------------------------------------------------

    def expression(self, kind: str) -> str:
        """An expression of a type, over the variables and functions in scope."""
        if self.depth >= DEEPEST or self.chance(0.35):
            names = self.of_type(kind)
            return self.pick(names) if names and self.chance(0.75) else self.pick(LITERALS[kind])
        callable_here = [f for f in self.functions if f.gives == kind and (self.work + f.work) * self.rounds <= MOST_WORK]
        self.depth += 1
        if callable_here and self.chance(0.25):
            function = self.random.choice(callable_here)
            self.work += function.work * self.rounds
            text = f"{function.name}({', '.join(self.expression(item) for item in function.takes)})"
        else:
            text = self.filled(self.pick(PRODUCERS[kind]))
        self.depth -= 1
        return text

    def block(self, most: int = 3) -> list[str]:
        """Statements, at least one."""
        lines: list[str] = []
        for _ in range(1 + self.random.randrange(most)):
            self.work += self.rounds
            kinds = [name for name, (condition, _) in STATEMENTS.items() if condition(self)]
            lines += STATEMENTS[self.pick(kinds)][1](self)
        return lines

    def filled(self, text: str) -> str:
        """A template with its holes filled. Blocks come first: holes in them have been filled where they were made."""
        text = _BLOCK.sub(self._block, text)
        return _HOLE.sub(self._hole, text)

    def _block(self, match: re.Match[str]) -> str:
        with self.scope(_declared(match[2]), loop=False):
            return "\n".join(match[1] + line for line in self.block())

    def _hole(self, match: re.Match[str]) -> str:
        kind, _, rest = match[1].partition(" ")
        if kind in PRODUCERS:
            with self.scope(_declared(rest)):
                text = self.expression(kind)
            return text if text.isidentifier() or text.isdigit() else f"({text})"
        return self.pick(match[1].split("|"))

    def instance(self, text: str) -> tuple[str, str]:
        """The definitions of a template and the use of them, under names of their own. Its functions can be called from then on."""
        names: dict[str, str] = {}
        signatures = _SIGNATURE.findall(text)
        body = _SIGNATURE.sub("", text).lstrip("\n")
        body = _NAME.sub(lambda match: names.setdefault(match[1], self.name(match[1])), body)
        definitions, separator, use = body.rpartition("---\n")
        if not separator:
            definitions, use = body, ""
        self.work = 0
        definitions = self.filled(definitions)
        work = 3 + self.work
        self.functions += [Function(names[name], tuple(takes.split(", ")), gives, work) for name, takes, gives in signatures]
        self.work = 0
        return definitions.strip("\n"), self.filled(use).strip("\n")


def _declared(text: str) -> dict[str, str]:
    """The variables that a hole declares: `n s:str` are an int and a str."""
    pairs = [item.partition(":") for item in text.split()]
    return {name: kind or "int" for name, _, kind in pairs}


def draw_program(random: Random) -> Program:
    """A program that depends on the random numbers alone."""
    d = Draft(random)
    names = list(TEMPLATES)
    parts = [names[random.randrange(len(names))] for _ in range(1 + random.randrange(4))]
    files: dict[str, str] = {}
    top: list[str] = []
    driver: list[str] = []
    if d.chance(0.25):
        module = d.name("part")
        files, use = _second_file(d, module)
        top.append(use[0])
        driver.append(use[1])
        parts.append("second file")
    for part in parts:
        if part in TEMPLATES:
            definitions, use_of = d.instance(TEMPLATES[part])
            whole = d.chance(0.15) and definitions and use_of and "global " not in definitions
            if whole:
                function = d.name("whole")
                top.append(_function(function, f"{definitions}\n{use_of}"))
                driver.append(f"{function}()")
                own = definitions.replace("@", " ")
                d.functions = [f for f in d.functions if f"def {f.name}(" not in own and f"{f.name} = " not in own]
                d.functions = [f for f in d.functions if f.name not in re.findall(r"\w+", own)]
            else:
                top.append(definitions)
                driver.append(use_of)
    d.work = 0
    if d.chance(0.6):
        driver.append("\n".join(d.block(4)))
    body = "\n".join(text for text in driver if text) or "pass"
    if d.chance(0.4):
        body = f"{_function('main', body)}\n\n\n{d.pick(('main()', _GUARDED, 'print(main())'))}"
    files["main.py"] = "\n\n".join(text for text in [*top, body] if text) + "\n"
    return Program(files, tuple(parts))


_GUARDED = 'if __name__ == "__main__":\n    main()'


def _function(name: str, body: str) -> str:
    return f"def {name}():\n" + "\n".join(f"    {line}" if line else line for line in body.split("\n"))


def _second_file(d: Draft, module: str) -> tuple[dict[str, str], tuple[str, str]]:
    """A module, or a package that hands on what is in it, and how it is imported and used."""
    names: dict[str, str] = {"m": module}

    def own(text: str) -> str:
        return d.filled(_NAME.sub(lambda match: names.setdefault(match[1], d.name(match[1])), text))

    text = own(HELPER).lstrip("\n")
    statement, use = IMPORTS[d.random.randrange(len(IMPORTS))]
    if d.chance(0.4):
        files = {f"{module}/__init__.py": d.pick(("from .inner import *\n", f"from {module}.inner import *\n")), f"{module}/inner.py": text}
    else:
        files = {f"{module}.py": text}
    return files, (own(statement), own(use))


@st.composite
def programs(draw: Callable[[st.SearchStrategy[Random]], Random]) -> Program:
    """The strategy of programs."""
    return draw_program(draw(st.randoms(use_true_random=False)))
