"""Which changes of conditions the static tests notice.

    python benchmarks/mutation.py FOLDER … [--only REGEX] [--sample N] [--seed S] [--jobs N] [--tests PATH …] [--marker EXPRESSION] [--budget SECONDS]

A FOLDER is a package under src, such as src/mxlint/rules. Conditions there are changed one at a time: an operand of and/or is dropped, a comparison
negated, a condition forced true or false. Each change is behind a switch, and is tried in a fork in which the functions of its file are those with
switches, its own is on, and only the tests run that come to where it makes a difference, until one fails: those first that noticed other changes of
the file, then the fastest. An operand of `and` that was never false makes none if it is dropped, and a condition that always held
makes none if it is forced true: such changes need no run. --budget bounds the seconds of tests that are tried for a change, --only chooses changes,
such as `mx202.py:55:`. Seconds are those of the processor, so that a busy machine changes no answer. Exits 1 if fewer than 85 % are noticed. Needs fork.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import gc
import importlib
import json
import os
import random
import re
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from types import CodeType, FunctionType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
ENOUGH = 0.85
"""The share of changes that the tests are to notice."""
LEFT_OUT = (
    "test_pages.py",
    "test_pages_index.py",
    "test_metamorphic.py",
    "test_server*.py",
    "test_trees.py",
    "test_watch.py",
    "test_ci.py",
)
"""What pages and rewrites test is tested by programs of other tests, closer to the code. Processes that tests start see no switch."""
SLOWEST = 30
"""Seconds beyond ten times what its tests take, after which a change counts as noticed: it does not end."""
WAITING = 20
"""So many times that, by the clock: it waits for something."""
PATIENCE = 600
"""Seconds by the clock after which a test that is to show what it reaches is left out."""

Expression = ast.expr


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a condition. `number` is that of its switch."""

    number: int
    file: str
    row: int
    what: str

    @property
    def text(self) -> str:
        return f"{self.file}:{self.row}: {self.what}"


@dataclass(slots=True)
class Switches:
    """Which change is on, and which have made or may have made a difference since `reached` was emptied."""

    mutants: list[Mutant] = field(default_factory=list)
    tried: frozenset[int] | None = None
    """The changes that are tried, None: all. The others cost nothing."""
    on: int = -1
    reached: set[int] = field(default_factory=set)

    def among(self, first: int, count: int) -> bool:
        """Called before a condition that has `count` changes: whether one of them is on."""
        return first <= self.on < first + count

    def seen(self, if_true: int, if_false: int, value: Any) -> Any:
        """The value of a condition or operand, by which a change makes a difference: `if_true` where it holds, `if_false` where it does not. -1: none."""
        self.reached.add(if_true if value else if_false)
        return value

    def is_on(self, number: int) -> bool:
        return self.on == number


# -- changing code ------------------------------------------------------------------------------------------------------


class Mutate(ast.NodeTransformer):
    """Puts the changes of each condition beside it, behind switches."""

    def __init__(self, file: str, switches: Switches) -> None:
        self.file = file
        self.switches = switches

    def visit_BoolOp(self, node: ast.BoolOp) -> Expression:
        word = "and" if isinstance(node.op, ast.And) else "or"
        changes = []
        for number, operand in enumerate(node.values):
            others = copy.deepcopy(node.values[:number] + node.values[number + 1 :])
            new = others[0] if len(others) == 1 else ast.BoolOp(copy.copy(node.op), others)
            changes.append((f"`{ast.unparse(operand)}` dropped from {word}", new))
        first = len(self.switches.mutants)
        switched = self.switched(node, changes)
        self.generic_visit(node)
        for number, operand in enumerate(node.values if switched is not None else (), first):
            seen = (-1, number) if word == "and" else (number, -1)
            node.values[number - first] = _call("__mutant_seen__", *seen, operand)
        return ast.fix_missing_locations(switched or node)

    def visit_Compare(self, node: ast.Compare) -> Expression:
        change = (f"not ({ast.unparse(node)})", ast.UnaryOp(ast.Not(), copy.deepcopy(node)))
        number = len(self.switches.mutants)
        new = self.switched(node, [change])
        self.generic_visit(node)
        if new is None:
            return node
        new.orelse = _call("__mutant_seen__", number, number, node)
        return ast.fix_missing_locations(new)

    def condition(self, node: Expression) -> Expression:
        """What is tested: forced to each side. A comparison that is the whole of it is forced and not negated as well."""
        text = ast.unparse(node)
        changes: list[tuple[str, Expression]] = [(f"`{text}` forced {value}", ast.Constant(value)) for value in (True, False)]
        number = len(self.switches.mutants)
        new = self.switched(node, changes)
        inner: Any = self.generic_visit(node) if isinstance(node, ast.Compare) else self.visit(node)
        if new is None:
            return inner  # type: ignore[no-any-return]
        new.orelse = _call("__mutant_seen__", number + 1, number, inner)
        return ast.fix_missing_locations(new)

    def visit_If(self, node: ast.If) -> ast.stmt:
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return node
        node.test = self.condition(node.test)
        node.body = [self.visit(item) for item in node.body]
        node.orelse = [self.visit(item) for item in node.orelse]
        return node

    def visit_While(self, node: ast.While) -> ast.stmt:
        if not isinstance(node.test, ast.Constant):
            node.test = self.condition(node.test)
        node.body = [self.visit(item) for item in node.body]
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Expression:
        node.test = self.condition(node.test)
        node.body, node.orelse = self.visit(node.body), self.visit(node.orelse)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> ast.comprehension:
        node.iter = self.visit(node.iter)
        node.ifs = [self.condition(item) for item in node.ifs]
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        node.guard = node.guard and self.condition(node.guard)
        node.body = [self.visit(item) for item in node.body]
        return node

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.stmt:
        node.value = node.value and self.visit(node.value)
        return node

    def switched(self, node: Expression, changes: Sequence[tuple[str, Expression]]) -> ast.IfExp | None:
        """What chooses between a condition and its changes, None if none of them is tried."""
        first = len(self.switches.mutants)
        for number, (what, _) in enumerate(changes):
            self.switches.mutants.append(Mutant(first + number, self.file, node.lineno, what))
        if self.switches.tried is not None and self.switches.tried.isdisjoint(range(first, first + len(changes))):
            return None
        chosen: Expression = changes[-1][1]
        for number, (_, new) in reversed(list(enumerate(changes[:-1]))):
            chosen = ast.IfExp(_call("__mutant_is_on__", first + number), new, chosen)
        return ast.copy_location(ast.IfExp(_call("__mutant_among__", first, len(changes)), chosen, node), node)


def _call(name: str, *arguments: int | Expression) -> Expression:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(item) if isinstance(item, int) else item for item in arguments], [])


Key = tuple[str, int, str]
"""A function by file, row and name."""


class Package:
    """The functions of folders, and what they become when their conditions are changed."""

    def __init__(self, folders: Sequence[Path], switches: Switches) -> None:
        self.files = [path for folder in folders for path in sorted(folder.rglob("*.py")) if path.name != "__main__.py"]
        for file in self.files:
            importlib.import_module(".".join(file.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__"))
        self.switches = switches
        self.changed: dict[Key, CodeType] = {}
        self.live: list[FunctionType] = []

    def mutants(self) -> list[Mutant]:
        """All changes of conditions."""
        self._mutated()
        return self.switches.mutants

    def prepare(self, tried: Iterable[Mutant]) -> None:
        """Make the functions in which some changes can be switched on."""
        self.switches.tried = frozenset(mutant.number for mutant in tried)
        for file, tree in self._mutated():
            self.changed |= functions_in(compile(tree, str(file), "exec", dont_inherit=True))
        self.live = [found for found in gc.get_objects() if isinstance(found, FunctionType) and _key(found.__code__) in self.changed]

    def _mutated(self) -> list[tuple[Path, ast.Module]]:
        """The modules whose conditions have switches."""
        self.switches.mutants.clear()
        return [(file, Mutate(str(file.relative_to(ROOT)), self.switches).visit(ast.parse(file.read_bytes()))) for file in self.files]

    def change(self, file: str | None = None) -> None:
        """Have conditions go through their switches from now on, in all files or in one. What they are inside of keeps its speed elsewhere."""
        for function in self.live:
            key = _key(function.__code__)
            if file is None or key[0] == str(ROOT / file):
                function.__code__ = self.changed[key]


def functions_in(code: CodeType) -> dict[Key, CodeType]:
    """The functions of a module, in others as well, that their rows and names tell apart."""
    found: dict[Key, list[CodeType]] = {}
    left = [code]
    while left:
        for constant in left.pop().co_consts:
            if isinstance(constant, CodeType):
                left.append(constant)
                found.setdefault(_key(constant), []).append(constant)
    return {key: codes[0] for key, codes in found.items() if len(codes) == 1}


def _key(code: CodeType) -> Key:
    return code.co_filename, code.co_firstlineno, code.co_name


# -- running tests ------------------------------------------------------------------------------------------------------


class TooLong(BaseException):
    """Nothing that a test catches."""


class Trial:
    """The plugin that tries the changes in place of pytest's own loop. `outcomes`: for each change noticed, endless, survived or no difference."""

    def __init__(self, package: Package, mutants: Sequence[Mutant], arguments: argparse.Namespace) -> None:
        self.package = package
        self.mutants = mutants
        self.switches = package.switches
        self.arguments = arguments
        self.items: Sequence[pytest.Item] = ()
        self.outcomes: dict[Mutant, str] = {}
        self.noticing: dict[str, Counter[int]] = {}
        """For each file the tests that noticed changes of it, by number: they are likely to notice others."""

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = session.items
        reaching = self.reach()
        print(f"{len(self.items)} tests, {len(reaching)} of {len(self.mutants)} changes make a difference in one", file=sys.stderr)
        running: dict[int, tuple[Mutant, int]] = {}
        for mutant in self.mutants:
            if len(running) >= self.arguments.jobs:
                self.wait(running)
            tests = self.chosen(mutant, reaching.get(mutant.number, []))
            if tests:
                pid, pipe = self.start(mutant, [number for number, _ in tests], sum(seconds for _, seconds in tests))
                running[pid] = mutant, pipe
            else:
                self.outcomes[mutant] = "no difference"
                print(f"{mutant.text}, which makes no difference in any test", flush=True)
        while running:
            self.wait(running)
        return True

    def reach(self) -> dict[int, list[tuple[int, float]]]:
        """For each change the tests in which it makes a difference, and that pass, with their seconds. Forks run them, so that nothing of them stays."""
        size = -(-len(self.items) // self.arguments.jobs)
        parts = [range(start, min(start + size, len(self.items))) for start in range(0, len(self.items), size)]
        found: dict[int, list[tuple[int, float]]] = {}
        with tempfile.TemporaryDirectory() as folder:
            files: dict[int, Path] = {}
            for part in parts:
                file = Path(folder, str(part.start))
                pid = os.fork()
                if pid == 0:
                    silence()
                    signal.signal(signal.SIGALRM, _too_long)
                    file.write_text(json.dumps(list(self.reached(part))), encoding="utf-8")
                    os._exit(0)
                files[pid] = file
            for pid, file in files.items():
                os.waitpid(pid, 0)
                for number, seconds, changes in json.loads(file.read_text(encoding="utf-8")):
                    for change in changes:
                        found.setdefault(change, []).append((number, seconds))
        return found

    def reached(self, part: range) -> Iterator[tuple[int, float, list[int]]]:
        """Tests that pass, with their seconds and the changes that make a difference in each."""
        self.package.change()
        tried = frozenset(mutant.number for mutant in self.mutants)
        for number in part:
            self.switches.reached.clear()
            start = process_time()
            signal.alarm(PATIENCE)
            try:
                failed = fails(self.items[number], self.items[number + 1] if number + 1 in part else None)
            except TooLong:
                failed = True
            signal.alarm(0)
            if not failed and self.switches.reached & tried:
                yield number, process_time() - start, sorted(self.switches.reached & tried)

    def chosen(self, mutant: Mutant, tests: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
        """The tests that fit into the budget: those first that noticed most changes of the file, then the fastest."""
        left, chosen = float(self.arguments.budget), []
        noticing = self.noticing.get(mutant.file, Counter())
        for number, seconds in sorted(tests, key=lambda test: (-noticing[test[0]], test[1])):
            if seconds <= left:
                left -= seconds
                chosen.append((number, seconds))
        return chosen

    def start(self, mutant: Mutant, numbers: Sequence[int], seconds: float) -> tuple[int, int]:
        """Run the tests with a change switched on, in a fork that writes the number of the first one that fails."""
        reader, writer = os.pipe()
        pid = os.fork()
        if pid == 0:
            silence()
            signal.setitimer(signal.ITIMER_PROF, SLOWEST + 10 * seconds)
            signal.alarm(int(WAITING * (SLOWEST + 10 * seconds)))
            self.package.change(mutant.file)
            self.switches.on = mutant.number
            for number, following in zip(numbers, [*numbers[1:], None]):
                if fails(self.items[number], None if following is None else self.items[following]):
                    os.write(writer, str(number).encode())
                    os._exit(1)
            os._exit(0)
        os.close(writer)
        return pid, reader

    def wait(self, running: dict[int, tuple[Mutant, int]]) -> None:
        """Wait for one of the forks."""
        pid, status = os.wait()
        mutant, pipe = running.pop(pid)
        with open(pipe, "rb") as reader:
            noticed = reader.read()
        if noticed:
            self.noticing.setdefault(mutant.file, Counter())[int(noticed)] += 1
        ended = os.WIFEXITED(status)
        self.outcomes[mutant] = "endless" if not ended and os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM) else "noticed"
        if ended and os.WEXITSTATUS(status) == 0:
            self.outcomes[mutant] = "survived"
            print(mutant.text, flush=True)


def _too_long(number: int, frame: object) -> None:
    raise TooLong


def fails(item: pytest.Item, following: pytest.Item | None) -> bool:
    """Whether a test fails. An expected failure and a skipped test do not."""
    return any(report.failed for report in runtestprotocol(item, log=False, nextitem=following))


def silence() -> None:
    null = os.open(os.devnull, os.O_RDWR)
    for number in (0, 1, 2):
        os.dup2(null, number)


def main() -> int:
    """Print the changes that no test notices, then the sums by file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="try so many changes, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--only", default="", metavar="REGEX", help="try the changes whose line, as it is printed, it finds something in")
    parser.add_argument("--budget", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--tests", nargs="+", default=[str(ROOT / "tests")], metavar="PATH")
    parser.add_argument("--marker", default="static and not slow", metavar="EXPRESSION")
    arguments = parser.parse_args()
    switches = Switches()
    builtins.__dict__.update(__mutant_among__=switches.among, __mutant_is_on__=switches.is_on, __mutant_seen__=switches.seen)
    package = Package([folder.resolve() for folder in arguments.folders], switches)
    mutants = [mutant for mutant in package.mutants() if re.search(arguments.only, mutant.text)]
    if arguments.sample:
        mutants = random.Random(arguments.seed).sample(mutants, min(arguments.sample, len(mutants)))
    package.prepare(mutants)
    trial = Trial(package, mutants, arguments)
    ignored = [f"--ignore-glob=*/{name}" for name in LEFT_OUT]
    os.chdir(ROOT)
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *ignored, "-m", arguments.marker, *arguments.tests], [trial])
    if not trial.outcomes:
        print(f"no tests were run (pytest: {code})", file=sys.stderr)
        return 2
    return summary(trial.outcomes)


def summary(outcomes: dict[Mutant, str]) -> int:
    words = ("noticed", "endless", "survived", "no difference")
    files = {mutant.file for mutant in outcomes}
    width = max(map(len, files))
    print(f"{'':{width}} {'changes':>8} " + " ".join(f"{word:>13}" for word in words))
    for file in [*sorted(files), ""]:
        counts = Counter(outcome for mutant, outcome in outcomes.items() if mutant.file.startswith(file))
        print(f"{file or 'all':{width}} {counts.total():8} " + " ".join(f"{counts[word]:13}" for word in words))
    noticed = sum(outcome in ("noticed", "endless") for outcome in outcomes.values())
    print(f"{noticed} of {len(outcomes)} noticed, {noticed / len(outcomes):.1%}")
    return int(noticed < ENOUGH * len(outcomes))


if __name__ == "__main__":
    sys.exit(main())
