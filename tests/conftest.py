"""Markers: each test is one of static, mlx and verify.

Tests of `--verify` stand in modules of their own. Those that run MLX are marked so where they are written, or stand in a module that imports it.
All others are static: they read programs, or run them without MLX, and are what `make fast` runs.
"""

from __future__ import annotations

import gc
import io
import sys
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import pytest
from command_line import Done, Run
from hypothesis import HealthCheck, settings
from sampling import is_taken

from mxlint.cli import main

if TYPE_CHECKING:
    from oracle.record import Record

    from mxlint.verify.runner import Workplace

KINDS = frozenset({"static", "mlx", "verify"})


settings.register_profile("loaded", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("loaded")  # a machine that has much else to do is no failure

MANY = 100_000
"""Objects after which Python looks for cycles. The command never does (`mxlint.__main__`), and by default this is a third of what an analysis costs."""


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()
    gc.set_threshold(MANY, 10, 10)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        marked = KINDS.intersection(mark.name for mark in item.iter_markers())
        if not marked:
            item.add_marker(
                "verify" if item.path.name.startswith("test_verify") else "mlx" if _imports_mlx(getattr(item, "module", None)) else "static"
            )
        elif len(marked) > 1:
            raise pytest.UsageError(f"{item.nodeid} is marked {' and '.join(sorted(marked))}")
    config.hook.pytest_deselected(items=_sample(items))
    items.sort(key=_turn)


def _sample(items: list[pytest.Item]) -> list[pytest.Item]:
    """Take out of some tests all cases but one in n of those that are marked `sampled(n)`, at least one of each test, and return what was taken out."""
    tests: dict[str, list[pytest.Item]] = {}
    for item in items:
        tests.setdefault(item.nodeid.partition("[")[0], []).append(item)
    kept = {item for cases in tests.values() for item in [case for case in cases if _is_taken(case)] or cases[:1]}
    left = [item for item in items if item not in kept]
    items[:] = [item for item in items if item in kept]
    return left


def _is_taken(item: pytest.Item) -> bool:
    mark = item.get_closest_marker("sampled")
    return mark is None or is_taken(item.nodeid, mark.args[0])


def _turn(item: pytest.Item) -> int:
    """When a test begins: what takes long first, so that others can take it over from the process that has it (`--dist worksteal`)."""
    return next(number for number, name in enumerate(("slow", "verify", "mlx", "static")) if item.get_closest_marker(name) is not None)


@cache
def _imports_mlx(module: ModuleType | None) -> bool:
    """Whether the module of a test has imported a module of MLX."""
    values = vars(module).values() if module is not None else ()
    return any(isinstance(value, ModuleType) and value.__name__.partition(".")[0] == "mlx" for value in values)


@pytest.fixture(autouse=True)
def no_mlx_in_static_tests(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A static test that imports MLX fails, so that `make fast` needs none."""
    if request.node.get_closest_marker("static") is not None:
        if sys.modules.get("mlx") is not None:
            for name in [name for name in sys.modules if name == "mlx" or name.startswith("mlx.")]:
                monkeypatch.delitem(sys.modules, name)
        monkeypatch.setitem(sys.modules, "mlx", None)


@pytest.fixture(scope="module")
def measuring(request: pytest.FixtureRequest) -> ModuleType:
    """The script that measures the data which a module of tests is about: it says which as `MEASURED_BY`."""
    pytest.importorskip("mlx.core")
    scripts = str(Path(__file__).resolve().parent.parent / "scripts")
    sys.path.insert(0, scripts)
    try:
        return import_module(request.module.MEASURED_BY)
    finally:
        sys.path.remove(scripts)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, which is the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def place(folder: Path) -> Iterator[Workplace]:
    """A place where programs are verified, with an empty working directory."""
    from mxlint.verify.runner import workplace

    with workplace() as here:
        yield here


@pytest.fixture(scope="module")
def record() -> Iterator[Record]:
    """Runs programs under Python and records what their values are."""
    from oracle.record import recording

    with recording() as running:
        yield running


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, stdin: str = "") -> Done:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        with pytest.raises(SystemExit) as ended:
            main(arguments, prog_name="mxlint")
        captured = capsys.readouterr()
        code = ended.value.code
        return Done(code if isinstance(code, int) else 0, captured.out, captured.err)

    return run
