"""The table of what MLX does: how versions fold into it, that it is complete, and that real MLX still behaves as it says."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from mxlint.models.mlx.table import Table, load_table

ROOT = Path(__file__).resolve().parent.parent
SCRIPTS = ROOT / "scripts"
DATA = ROOT / "src" / "mxlint" / "models" / "mlx"


@pytest.fixture
def scripts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))


def raw(version: str, **entries: dict[str, Any]) -> dict[str, Any]:
    return {"mlx": version, "aliases": {}, "entries": entries}


def table(*raws: dict[str, Any], version: str | tuple[str, ...] = ()) -> Table:
    from folding import fold

    return Table({**fold(list(raws)), "skipped": {}}, *((version,) if isinstance(version, str) else version))


# -- folding ---------------------------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("scripts")
@pytest.mark.parametrize(
    ("version", "expected"),
    [("0.1.0", True), ("0.1.5", True), ("0.2.0", True), ("0.2.5", None), ("0.3.0", None), ("0.4.0", True)],
)
def test_a_fact_holds_from_the_first_to_the_last_version_of_a_run_and_is_unknown_elsewhere(version: str, expected: bool | None) -> None:
    yes, no = {"kind": "function", "evaluates": True}, {"kind": "function"}
    found = table(raw("0.4.0", f=yes), raw("0.1.0", f=yes), raw("0.3.0", f=no), raw("0.2.0", f=yes), version=version).entry("f")
    assert found is not None
    assert found.evaluates is expected
    assert found.kind == "function"


@pytest.mark.usefixtures("scripts")
def test_two_different_values_leave_the_gap_between_them_unknown() -> None:
    raws = [raw("0.9.0", f={"kind": "layer", "weights": ["w"]}), raw("0.10.0", f={"kind": "layer", "weights": ["w", "b"]})]
    weights = {}
    for version in ("0.8.0", "0.9.0", "0.9.1", "0.10.0", "0.11.0"):
        entry = table(*raws, version=version).entry("f")
        assert entry is not None
        weights[version] = entry.weights
    assert weights == {"0.8.0": ("w",), "0.9.0": ("w",), "0.9.1": None, "0.10.0": ("w", "b"), "0.11.0": ("w", "b")}


@pytest.mark.usefixtures("scripts")
def test_a_name_is_unknown_in_versions_that_lack_it() -> None:
    raws = [raw("0.1.0"), raw("0.2.0", f={"kind": "function"}), raw("0.3.0", f={"kind": "function"})]
    known = {version: table(*raws, version=version).entry("f") is not None for version in ("0.1.0", "0.1.9", "0.2.0", "0.3.0", "1.0.0")}
    assert known == {"0.1.0": False, "0.1.9": False, "0.2.0": True, "0.3.0": True, "1.0.0": True}


@pytest.mark.usefixtures("scripts")
def test_shapeless_facts_fold_field_by_field() -> None:
    old = {"kind": "function", "shapeless": {"forward": "raises", "message": "no", "grad": "raises"}}
    new = {"kind": "function", "shapeless": {"forward": "unsafe", "axes": {"0": "ok", "-1": "wrong"}, "grad": "raises"}}
    between = table(raw("0.1.0", f=old), raw("0.3.0", f=new), version="0.2.0").entry("f")
    assert between is not None and between.shapeless is not None
    assert (between.shapeless.forward, between.shapeless.axes, between.shapeless.grad) == ("unknown", None, "raises")
    newest = table(raw("0.1.0", f=old), raw("0.3.0", f=new)).entry("f")
    assert newest is not None and newest.shapeless is not None
    assert newest.shapeless.axes == {"0": "ok", "-1": "wrong"}


@pytest.mark.usefixtures("scripts")
def test_a_form_like_the_plain_name_is_folded_away_but_still_found() -> None:
    same, other = {"kind": "function"}, {"kind": "function", "evaluates": True}
    folded = table(raw("0.1.0", **{"f": same, "f[a]": same, "f[b]": other}))
    assert set(folded) == {"f", "f[b]"}
    plain, differing = folded.entry("f[a]"), folded.entry("f[b]")
    assert plain is not None and plain.evaluates is None
    assert differing is not None and differing.evaluates is True
    assert folded.entry("g[a]") is None


@pytest.mark.usefixtures("scripts")
def test_resolving_a_measured_version_gives_back_its_measurements() -> None:
    from folding import fold, resolve

    raws = [json.loads(path.read_text()) for path in sorted((DATA / "raw").glob("*.json"))]
    folded = fold(raws)
    for measured in raws:
        back = resolve(folded, measured["mlx"])
        assert back
        assert back == {name: measured["entries"][name] for name in back}


@pytest.mark.usefixtures("scripts")
def test_the_committed_table_is_the_fold_of_the_committed_measurements() -> None:
    from folding import fold
    from recipes import SKIPPED

    raws = [json.loads(path.read_text()) for path in (DATA / "raw").glob("*.json")]
    assert json.loads((DATA / "facts.json").read_text()) == {**fold(raws), "skipped": SKIPPED}


@pytest.mark.usefixtures("scripts")
def test_a_range_has_the_facts_of_each_version_that_has_the_name() -> None:
    broken = {"kind": "function", "shapeless": {"forward": "raises", "grad": "raises"}}
    fine = {"kind": "function", "shapeless": {"forward": "ok", "grad": "raises"}}
    raws = [raw("0.1.0"), raw("0.2.0", f=broken), raw("0.3.0", f=broken), raw("0.4.0", f=fine)]
    several = table(*raws, version=("0.1.0", "0.2.0", "0.3.0", "0.4.0"))
    forward = {version: entry.shapeless and entry.shapeless.forward for version, entry in several.entries("f").items()}
    assert forward == {"0.2.0": "raises", "0.3.0": "raises", "0.4.0": "ok"}
    assert several.entry("f") == several.entries("f")["0.4.0"]
    assert (several.version, several.before("0.3.0"), several.entries("g")) == ("0.4.0", ("0.1.0", "0.2.0"), {})


def test_what_differs_between_versions_is_what_is_asked_of_each() -> None:
    """`entry` gives the newest facts of a range: true of all its versions only while nothing else differs that a finding rests on."""
    measured = load_table(*load_table().versions)
    harmless = {"params", "message", "python", "shapeless", "key"}
    for name in measured:
        first, *others = (
            {field: getattr(entry, field) for field in type(entry).__slots__ if field not in harmless}
            for entry in measured.entries(name).values()
        )
        assert all(other == first for other in others), name


# -- what one experiment says ----------------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("scripts")
@pytest.mark.parametrize(
    ("axes", "verdict"),
    [
        ({"0": ("ok", "ok"), "-1": ("ok", "ok")}, "ok"),
        ({"0": ("ok", "ok"), "-1": ("ok", "wrong")}, "unsafe"),
        ({"0": ("ok", "crash"), "-1": ("ok", "raises")}, "unsafe"),
        ({"0": ("raises", "ok"), "-1": ("raises", "ok")}, "raises"),
        ({"0": ("wrong", "ok")}, "unsafe"),
    ],
)
def test_verdict_of_one_way_to_call(axes: dict[str, tuple[str, str]], verdict: str) -> None:
    from folding import combine
    from recipes import Case, Recipe

    steps: dict[str, Any] = {"basic": {"returns": "array"}, "compiled": {}}
    steps |= {f"0:2:forward:{axis}": {"first": first, "later": later} for axis, (first, later) in axes.items()}
    assert combine("f", Recipe((Case("f(x)"),)), steps)["shapeless"]["forward"] == verdict


@pytest.mark.usefixtures("scripts")
def test_ranks_that_disagree_are_unknown_together_and_known_apart() -> None:
    from folding import combine
    from recipes import Case, Recipe

    fine, broken = {"first": "ok", "later": "ok"}, {"first": "ok", "later": "wrong"}
    steps = {"basic": {"returns": "array"}, "compiled": {}, "0:2:forward:0": fine, "1:3:forward:0": broken}
    facts = combine("f", Recipe((Case("f(x)"), Case("f(x)", "x:A,B,C"))), steps)
    entry = table(raw("0.1.0", f=facts)).entry("f")
    assert entry is not None and entry.shapeless is not None
    assert (entry.shapeless.forward, entry.shapeless.at(2).forward, entry.shapeless.at(3).forward) == ("unknown", "ok", "unsafe")
    assert entry.shapeless.at(3).axes == {"0": "wrong"}
    assert entry.shapeless.at(5) is entry.shapeless.at(None) is entry.shapeless


# -- the committed table ---------------------------------------------------------------------------------------------------------------------


def test_versions_outside_what_was_measured_use_the_nearest_and_say_so() -> None:
    inside = load_table()
    assert inside.note is None and inside.version == inside.versions[-1]
    newer, older = load_table("99.0.0"), load_table("0.0.1")
    assert newer.note is not None and inside.versions[-1] in newer.note
    assert older.note is not None and inside.versions[0] in older.note
    assert newer.entry("mlx.core.sum") == inside.entry("mlx.core.sum")
    below, above = inside.versions[:2]
    between = load_table(below + ".1").note
    assert between is None  # a fourth number is no other release
    between = load_table(f"{below.rpartition('.')[0]}.99").note
    assert between is not None and below in between and above in between
    assert load_table(inside.versions[-1] + ".dev20260101+abc").note is None


def test_what_everyone_relies_on() -> None:
    found = load_table("0.32.4")

    def fact(name: str, field: str) -> Any:
        entry = found.entry(name)
        assert entry is not None, name
        return getattr(entry, field)

    assert fact("mlx.core.array.item", "evaluates") and fact("mlx.core.eval", "evaluates") and fact("mlx.core.array.__bool__", "evaluates")
    assert fact("mlx.core.abs", "evaluates") is None and fact("mlx.core.abs", "shape") == "same"
    assert fact("mlx.core.add", "shape") == "broadcast" and fact("mlx.core.sum", "shape") == "reduce"
    assert fact("mlx.core.random.uniform", "random") and fact("mlx.core.random.uniform", "key") == 4
    assert fact("mlx.core.random.uniform[key]", "random") is None
    assert fact("mlx.core.array.shape", "reads_shape") and not fact("mlx.core.array.ndim", "reads_shape")
    assert fact("mlx.core.array.__iadd__", "inplace") and fact("mlx.core.array.__setitem__[int]", "inplace")
    assert fact("mlx.nn.Dropout", "stochastic") and fact("mlx.nn.Dropout", "active_when") == "p"
    assert fact("mlx.nn.BatchNorm", "stateful") == ("running_mean", "running_var")
    assert fact("mlx.nn.Linear", "weights") == ("bias", "weight")
    assert fact("mlx.nn.layers.linear.Linear", "weights") == ("bias", "weight")
    assert fact("mlx.nn.gelu", "already_compiled")
    assert fact("mlx.optimizers.Adam", "state") == ("m", "v")
    assert fact("mlx.optimizers.SGD", "state") == () and fact("mlx.optimizers.SGD", "state_when") == {"momentum": ("v",)}
    assert fact("mlx.core.array.__getitem__[slice]", "shapeless").forward == "raises"
    assert fact("mlx.core.array.__getitem__[int]", "shapeless").at(2).axes == {"0": "ok", "1": "wrong", "-1": "wrong"}
    assert fact("mlx.core.grad", "kind") == "transform" and fact("mlx.core.grad", "returns") == "function"


# -- against real MLX ------------------------------------------------------------------------------------------------------------------------

needs_mlx = pytest.mark.skipif(importlib.util.find_spec("mlx") is None, reason="MLX is not installed")


@pytest.mark.mlx
@needs_mlx
@pytest.mark.usefixtures("scripts")
def test_every_public_name_is_in_the_table_or_skipped_for_a_reason() -> None:
    import measure_mlx
    import mlx.core as mx

    found = load_table(mx.__version__)
    if found.note is not None:
        pytest.skip(found.note)
    known = {name.partition("[")[0] for name in found if found.entry(name) is not None}
    unexplained = [name for name in measure_mlx.public_names() if name not in known and not found.skipped(name)]
    assert unexplained == []


@pytest.mark.mlx
@needs_mlx
def test_real_mlx_does_what_the_table_says() -> None:
    """Of so many names: the first use of most of them has MLX's compiler build a kernel. MXLINT_TABLE=400 tries that many."""
    import mlx.core as mx

    if mx.__version__.partition("+")[0] not in load_table().versions:
        pytest.skip(f"MLX {mx.__version__} was not measured")
    command = [sys.executable, str(SCRIPTS / "measure_mlx.py"), "--sample", os.environ.get("MXLINT_TABLE", "12")]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.mlx
@needs_mlx
@pytest.mark.skipif(sys.platform != "linux" or shutil.which("cc") is None, reason="no guarded memory here")
def test_what_reads_out_of_bounds_is_told_from_what_is_only_wrong() -> None:
    def axes(name: str) -> Any:
        command = [sys.executable, str(SCRIPTS / "measure_mlx.py"), "--show", name]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)["shapeless"]["axes"]

    assert axes("mlx.core.array.__getitem__[baked]") == {"0": "crash"}
    assert axes("mlx.core.multiply[baked]")["0"] == "wrong"


def test_without_mlx_the_script_says_what_to_install(tmp_path: Path) -> None:
    (tmp_path / "mlx").mkdir()
    (tmp_path / "mlx" / "__init__.py").write_text("raise ImportError('hidden')\n")
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path[:0] = [{str(tmp_path)!r}, {str(SCRIPTS)!r}]; import measure_mlx as m; sys.exit(m.main(['measure']))",
    ]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 2
    assert "pip install 'mxlint[verify" in result.stderr
