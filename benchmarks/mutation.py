"""Which changes of conditions the static tests notice.

    python benchmarks/mutation.py FOLDER [--sample N] [--seed S] [--jobs N] [--tests PATH …] [--marker EXPRESSION] [--budget SECONDS]

FOLDER is a package under src, such as src/mxlint/rules. Its conditions are changed one at a time: an operand of and/or is dropped, a comparison
negated, a condition forced true or false. All changes are compiled into the modules at once, each behind a switch that is off; every change is then
tried in a fork in which its switch is on and only the tests run that reach it, the fastest first, until one fails. --budget bounds the seconds of
tests that are tried for a change. Seconds are those of the processor, so that a busy machine changes no answer. Exits 1 if fewer than 85 % are
noticed. Needs fork.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import copy
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import random
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from types import CodeType, ModuleType
from typing import Any

import pytest
from _pytest.runner import runtestprotocol

ROOT = Path(__file__).parents[1]
ENOUGH = 0.85
"""The share of changes that the tests are to notice."""
PAGES = ("test_pages.py", "test_pages_index.py", "test_metamorphic.py")
"""Left out: what they test is tested by programs of other tests, closer to the code."""
SLOWEST = 30
"""Seconds beyond ten times what its tests take, after which a change counts as noticed: it does not end."""
WAITING = 20
"""So many times that, by the clock: it waits for something."""

Expression = ast.expr


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change of a condition. `number` is that of its switch, `first` that of the condition's first change."""

    number: int
    first: int
    file: str
    row: int
    what: str


@dataclass(slots=True)
class Switches:
    """Which change is on, and which have been reached since `reached` was emptied."""

    mutants: list[Mutant] = field(default_factory=list)
    on: int = -1
    reached: set[int] = field(default_factory=set)

    def among(self, first: int, count: int) -> bool:
        """Called before a condition that has `count` changes: whether one of them is on."""
        self.reached.add(first)
        return first <= self.on < first + count

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
        self.generic_visit(node)
        return self.switched(node, changes)

    def visit_Compare(self, node: ast.Compare) -> Expression:
        change = (f"not ({ast.unparse(node)})", ast.UnaryOp(ast.Not(), copy.deepcopy(node)))
        self.generic_visit(node)
        return self.switched(node, [change])

    def condition(self, node: Expression) -> Expression:
        """What is tested: forced to each side. A comparison that is the whole of it is forced and not negated as well."""
        text = ast.unparse(node)
        changes: list[tuple[str, Expression]] = [(f"`{text}` forced {value}", ast.Constant(value)) for value in (True, False)]
        if isinstance(node, ast.Compare):
            self.generic_visit(node)
            return self.switched(node, changes)
        return self.switched(self.visit(node), changes)

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

    def switched(self, node: Expression, changes: Sequence[tuple[str, Expression]]) -> Expression:
        first = len(self.switches.mutants)
        for number, (what, _) in enumerate(changes):
            self.switches.mutants.append(Mutant(first + number, first, self.file, node.lineno, what))
        chosen: Expression = changes[-1][1]
        for number, (_, new) in reversed(list(enumerate(changes[:-1]))):
            chosen = ast.IfExp(_call("__mutant_is_on__", first + number), new, chosen)
        new = ast.IfExp(_call("__mutant_among__", first, len(changes)), chosen, node)
        return ast.fix_missing_locations(ast.copy_location(new, node))


def _call(name: str, *arguments: int) -> Expression:
    return ast.Call(ast.Name(name, ast.Load()), [ast.Constant(item) for item in arguments], [])


class Finder(importlib.abc.MetaPathFinder):
    """Finds the modules of the folder, and has their conditions changed."""

    def __init__(self, folder: Path, switches: Switches) -> None:
        self.folder = folder
        self.switches = switches

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> importlib.machinery.ModuleSpec | None:
        if not name.startswith("mxlint"):
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is None or spec.origin is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return None
        if not Path(spec.origin).is_relative_to(self.folder):
            return None
        spec.loader = Loader(spec.loader.name, spec.loader.path, self)
        return spec

    def modules(self) -> list[str]:
        """The names of all modules in the folder."""
        paths = sorted(path.relative_to(ROOT / "src").with_suffix("") for path in self.folder.rglob("*.py"))
        return [".".join(path.parts).removesuffix(".__init__") for path in paths if path.name != "__main__"]


class Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, finder: Finder) -> None:
        super().__init__(name, path)
        self.finder = finder

    def path_stats(self, path: Any) -> Any:
        """No byte code of unchanged conditions is to be found."""
        raise OSError

    def source_to_code(self, data: Any, path: Any, *, _optimize: int = -1) -> CodeType:  # type: ignore[override]
        tree = Mutate(str(Path(path).relative_to(ROOT)), self.finder.switches).visit(ast.parse(data))
        code: CodeType = compile(tree, path, "exec", dont_inherit=True)
        return code


# -- running tests ------------------------------------------------------------------------------------------------------


class Trial:
    """The plugin that tries the changes in place of pytest's own loop. `outcomes`: for each change noticed, endless, survived or not reached."""

    def __init__(self, switches: Switches, arguments: argparse.Namespace) -> None:
        self.switches = switches
        self.arguments = arguments
        self.outcomes: dict[Mutant, str] = {}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        mutants = self.switches.mutants
        if self.arguments.sample:
            mutants = random.Random(self.arguments.seed).sample(mutants, min(self.arguments.sample, len(mutants)))
        reaching = self.reach(session.items)
        print(f"{len(session.items)} tests, {len(self.switches.mutants)} changes of {len(reaching)} conditions reached", file=sys.stderr)
        running: dict[int, Mutant] = {}
        for mutant in mutants:
            tests = self.chosen(reaching.get(mutant.first, []))
            if not tests:
                self.outcomes[mutant] = "not reached"
                continue
            if len(running) >= self.arguments.jobs:
                self.wait(running)
            running[self.start(mutant, [session.items[number] for number, _ in tests], sum(seconds for _, seconds in tests))] = mutant
        while running:
            self.wait(running)
        return True

    def reach(self, items: Sequence[pytest.Item]) -> dict[int, list[tuple[int, float]]]:
        """For each condition the tests that reach it and pass, with their seconds. A fork runs them, so that nothing of them stays."""
        with tempfile.TemporaryFile("w+") as file:
            pid = os.fork()
            if pid == 0:
                silence()
                found: dict[int, list[tuple[int, float]]] = {}
                for number, item in enumerate(items):
                    self.switches.reached.clear()
                    start = process_time()
                    if not fails(item, items[number + 1] if number + 1 < len(items) else None):
                        for first in self.switches.reached:
                            found.setdefault(first, []).append((number, process_time() - start))
                json.dump(found, file)
                file.flush()
                os._exit(0)
            os.waitpid(pid, 0)
            file.seek(0)
            return {int(first): [(number, seconds) for number, seconds in tests] for first, tests in json.load(file).items()}

    def chosen(self, tests: Iterable[tuple[int, float]]) -> list[tuple[int, float]]:
        """The fastest tests that fit into the budget."""
        left, chosen = float(self.arguments.budget), []
        for number, seconds in sorted(tests, key=lambda test: test[1]):
            left -= seconds
            if left < 0:
                break
            chosen.append((number, seconds))
        return chosen

    def start(self, mutant: Mutant, items: Sequence[pytest.Item], seconds: float) -> int:
        """Run the tests with a change switched on, in a fork whose exit status is 1 if one fails."""
        pid = os.fork()
        if pid == 0:
            silence()
            signal.setitimer(signal.ITIMER_PROF, SLOWEST + 10 * seconds)
            signal.alarm(int(WAITING * (SLOWEST + 10 * seconds)))
            self.switches.on = mutant.number
            following = [*items[1:], None]
            os._exit(int(any(fails(item, next_) for item, next_ in zip(items, following))))
        return pid

    def wait(self, running: dict[int, Mutant]) -> None:
        """Wait for one of the forks."""
        pid, status = os.wait()
        mutant = running.pop(pid)
        ended = os.WIFEXITED(status)
        self.outcomes[mutant] = "endless" if not ended and os.WTERMSIG(status) in (signal.SIGPROF, signal.SIGALRM) else "noticed"
        if ended and os.WEXITSTATUS(status) == 0:
            self.outcomes[mutant] = "survived"
            print(f"{mutant.file}:{mutant.row}: {mutant.what}", flush=True)


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
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sample", type=int, default=0, metavar="N", help="try so many changes, drawn at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--budget", type=float, default=60, metavar="SECONDS")
    parser.add_argument("--tests", nargs="+", default=[str(ROOT / "tests")], metavar="PATH")
    parser.add_argument("--marker", default="static and not slow", metavar="EXPRESSION")
    arguments = parser.parse_args()
    switches = Switches()
    builtins.__dict__.update(__mutant_among__=switches.among, __mutant_is_on__=switches.is_on)
    finder = Finder(arguments.folder.resolve(), switches)
    sys.meta_path.insert(0, finder)
    for name in finder.modules():
        importlib.import_module(name)
    trial = Trial(switches, arguments)
    ignored = [f"--ignore-glob=*/{name}" for name in PAGES]
    os.chdir(ROOT)
    code = pytest.main(["-q", "-p", "no:cacheprovider", "-p", "no:xdist", *ignored, "-m", arguments.marker, *arguments.tests], [trial])
    if not trial.outcomes:
        print(f"no tests were run (pytest: {code})", file=sys.stderr)
        return 2
    return summary(trial.outcomes)


def summary(outcomes: dict[Mutant, str]) -> int:
    words = ("noticed", "endless", "survived", "not reached")
    files = {mutant.file for mutant in outcomes}
    width = max(map(len, files))
    print(f"{'':{width}} {'changes':>8} " + " ".join(f"{word:>11}" for word in words))
    for file in [*sorted(files), ""]:
        counts = Counter(outcome for mutant, outcome in outcomes.items() if mutant.file.startswith(file))
        print(f"{file or 'all':{width}} {counts.total():8} " + " ".join(f"{counts[word]:11}" for word in words))
    noticed = sum(outcome in ("noticed", "endless") for outcome in outcomes.values())
    print(f"{noticed} of {len(outcomes)} noticed, {noticed / len(outcomes):.1%}")
    return int(noticed < ENOUGH * len(outcomes))


if __name__ == "__main__":
    sys.exit(main())
