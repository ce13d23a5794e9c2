"""The data files as a whole: every entry can be read, classes that it names exist, and errors say where they are."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from models.covering import found
from mxlint.models import load
from mxlint.models.expression import Type, TypeSyntaxError, parse
from mxlint.models.schema import Parameter, SchemaError


def classes_in(of: Type) -> Iterator[str]:
    if of.kind == "instance":
        yield of.name
    for part in of.args:
        yield from classes_in(part)


@pytest.mark.parametrize("top", load.libraries())
@pytest.mark.parametrize("version", ["3.10", "3.14"])
def test_every_entry_can_be_read_and_names_classes_that_exist(top: str, version: str) -> None:
    for name in load.names(top):
        model = load.model(name, version)
        for signature in model.signatures if model else ():
            for cls in classes_in(signature.result):
                assert load.kind_of(cls) == "class", f"{name}: {cls}"
        for each in model.raises if model else ():
            assert "builtins.BaseException" in load.bases(each.error), f"{name}: {each.error}"


@pytest.mark.parametrize("top", load.libraries())
def test_every_alias_leads_to_a_name(top: str) -> None:
    found = load.library(top)
    assert found is not None
    for alias, name in found.aliases.items():
        assert load.kind_of(name) is not None, f"{alias}: {name}"
        assert load.canonical(alias) == load.canonical(name)


TEXTS = [
    "None", "int | str", "list[never]", "tuple[int, ...]", "tuple[int, arg(x)]", "dict[str, value(m)]", "pathlib.Path", "queue.Queue[arg(item)]",
    "element(value(m))", "call(f)", "item(element(pairs), 1)", "new(cls)", "like(self)", "type[any]", "iterator[tuple[int, element(xs)]]",
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_a_type_is_written_as_it_is_read(text: str) -> None:
    assert str(parse(text)) == text


@pytest.mark.parametrize("text", ["integer", "list[int, int]", "arg(1)", "item(x)", "element()", "int |", "tuple", "1"])
def test_what_is_no_type_is_an_error(text: str) -> None:
    if text == "tuple":
        assert str(parse(text)) == "tuple[any, ...]"
        return
    with pytest.raises(TypeSyntaxError):
        parse(text)


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of data files in place of the shipped one."""
    caches = (load.library, load._index, load.canonical, load.model, load.constant, load.bases, load.kind_of)
    monkeypatch.setattr(load, "_data", lambda name: tmp_path / name)
    (tmp_path / "index.json").write_text(json.dumps({"libraries": ["lib"], "modules": {}}))
    for cached in caches:
        cached.cache_clear()
    yield tmp_path
    for cached in caches:
        cached.cache_clear()


def library(functions: dict[str, object]) -> str:
    return json.dumps({"modules": ["lib"], "aliases": {}, "functions": functions, "classes": {}, "constants": {}})


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("(x -> int", "no signature"),
        ("(x) -> integer", "'integer'"),
        ("(x) -> arg(y)", "y, which is no parameter"),
        ({"signature": "(x) -> int", "raise": "KeyError"}, "no such field: raise"),
        ({"fold": True}, "no signature"),
        ({"signature": "(x) -> int", "source": "sun"}, "'sun' is none of: clock"),
        ({"signature": "(x) -> int", "calls": "x() sometimes"}, "'sometimes' is none of"),
        ({"signature": "(x) -> int", "calls": "y() once"}, "y, which is no parameter"),
        ({"signature": "(x) -> int", "array": {"y": "formats"}}, "y, which is no parameter"),
        ({"signature": "(x) -> int", "array": "eats"}, "'eats' is none of"),
        ({"signature": "(x=y) -> int"}, "no constant"),
        (3, "int"),
    ],
)
def test_an_error_names_file_and_entry(data: Path, entry: object, said: str) -> None:
    (data / "lib.json").write_text(library({"lib.f": entry}))
    with pytest.raises(SchemaError) as raised:
        load.model("lib.f")
    assert str(raised.value).startswith("lib.json: lib.f: ") and said in str(raised.value)


def test_a_file_that_is_none_is_named(data: Path) -> None:
    (data / "lib.json").write_text("{")
    with pytest.raises(SchemaError, match=r"lib\.json"):
        load.model("lib.f")


def test_a_version_chooses_its_entry(data: Path) -> None:
    old, new = {"signature": "(x) -> int", "until": "3.12"}, {"signature": "(x) -> str", "since": "3.12"}
    (data / "lib.json").write_text(library({"lib.f": [old, new], "lib.g": new}))
    results = [str(found.result) if (found := load.model("lib.f", version)) else None for version in ("3.9", "3.11", "3.12", "3.14")]
    assert results == ["int", "int", "str", "str"]
    assert load.model("lib.g", "3.11") is None


def test_a_name_is_found_by_what_it_is_called_in_programs() -> None:
    assert found("posixpath.join") == found("os.path.join")
    assert found("os.environ.get").kind == "method"
    assert found("collections.OrderedDict.get").name == "builtins.dict.get"
    assert found("builtins.bool.bit_length").name == "builtins.int.bit_length"
    assert load.canonical("typing.List") == "builtins.list"
    assert load.canonical("socket.error") == load.canonical("builtins.IOError") == "builtins.OSError"
    assert load.model("no.such.name") is None and load.model("math.no_such_name") is None
    assert [load.kind_of(f"os.{name}") for name in ("path", "environ", "PathLike", "getcwd", "nothing")] == [
        "module", "constant", "class", "function", None,
    ]  # fmt: skip


def test_signatures_are_told_apart_by_what_they_are_called_with() -> None:
    get = found("builtins.dict.get")
    assert [str(each.result) for each in get.binding(1)] == ["value(self) | None"]
    assert [str(each.result) for each in get.binding(2)] == ["value(self) | arg(default)"]
    assert get.binding(0) == () and get.binding(3) == () and get.binding(1, ["default"]) == ()
    assert found("builtins.sorted").binding(1, ["key"]) and not found("builtins.sorted").binding(2)


def test_parameters_have_kinds_and_defaults() -> None:
    assert found("builtins.print").parameters == (
        Parameter("values", "args", True), Parameter("sep", "keyword", True, " "), Parameter("end", "keyword", True, "\n"),
        Parameter("file", "keyword", True, None), Parameter("flush", "keyword", True, False),
    )  # fmt: skip
    assert [p.kind for p in found("builtins.str.split").parameters] == ["either", "either"]
    assert found("builtins.str.upper").parameters == ()


def test_constants() -> None:
    pi = load.constant("math.pi")
    assert pi is not None and pi.known and pi.value == 3.141592653589793
    platform = load.constant("sys.platform")
    assert platform is not None and not platform.known and str(platform.type) == "str"
