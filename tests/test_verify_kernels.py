"""Kernels are handed from child to child, of every kind that MLX builds, and nothing else is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mxlint.verify.kernels import KINDS, MOST_BYTES, PLACE, Store

BUILT = {
    "0.32.4/cpu/libTanhMultiply.so": b"a kernel",
    "0.32.4/ptx/gather.ptx": b"of CUDA",
    "0.32.4/ptx/gather.txt": b"its names",
    "0.32.4/ptx/scatter.cubin": b"for one device",
    "cuda/index": b"one entry",
    "cuda/3/a1b2c3": b"of the driver",
}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def child(folder: Path, files: dict[str, bytes]) -> Path:
    """A folder as a child leaves it."""
    for name, data in files.items():
        path = folder.joinpath(*PLACE, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def offered(store: Store, folder: Path) -> dict[str, bytes]:
    """What the next child finds."""
    store.offer(folder)
    place = folder.joinpath(*PLACE)
    return {path.relative_to(place).as_posix(): path.read_bytes() for path in place.rglob("*") if path.is_file()}


def test_every_kind_is_handed_on(store: Store, tmp_path: Path) -> None:
    store.collect(child(tmp_path / "a", BUILT))
    assert offered(store, tmp_path / "b") == BUILT
    assert all(any(Path(name).match(kind.pattern) for name in BUILT) for kind in KINDS)


def test_nothing_is_handed_on_before_there_is_anything(store: Store, tmp_path: Path) -> None:
    assert offered(store, tmp_path / "a") == {}
    store.collect(tmp_path / "never ran")
    assert offered(store, tmp_path / "b") == {}


def test_what_each_child_builds_is_added(store: Store, tmp_path: Path) -> None:
    """Not that of the first alone. What is known stays as it is, but for an index that has grown."""
    store.collect(child(tmp_path / "a", {"1/cpu/libA.so": b"a", "1/ptx/a.ptx": b"a", "cuda/index": b"a"}))
    store.collect(child(tmp_path / "b", {"1/cpu/libA.so": b"another", "1/cpu/libB.so": b"b", "cuda/index": b"a, b"}))
    store.collect(child(tmp_path / "c", {"1/ptx/c.ptx": b"c", "cuda/index": b"-"}))
    assert offered(store, tmp_path / "d") == {
        "1/cpu/libA.so": b"a",
        "1/cpu/libB.so": b"b",
        "1/ptx/a.ptx": b"a",
        "1/ptx/c.ptx": b"c",
        "cuda/index": b"a, b",
    }


def test_children_do_not_share_files(store: Store, tmp_path: Path) -> None:
    """What one does with its copies, no other sees."""
    store.collect(child(tmp_path / "a", BUILT))
    offered(store, tmp_path / "b")
    for path in tmp_path.joinpath("b", *PLACE).rglob("*.so"):
        path.write_bytes(b"something else")
    assert offered(store, tmp_path / "c") == BUILT


def test_nothing_else_is_taken(store: Store, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    (secret / "1" / "cpu").mkdir(parents=True)
    (secret / "1" / "cpu" / "libSecret.so").write_bytes(b"a secret")
    folder = child(tmp_path / "a", {"1/cpu/tmp_1.cpp": b"source", "1/cpu/notes.txt": b"-", "elsewhere/x.so": b"-", "1/cpu/libA.so": b"a"})
    place = folder.joinpath(*PLACE)
    (place / "1" / "cpu" / "libLink.so").symlink_to(secret / "1" / "cpu" / "libSecret.so")
    (place / "2").symlink_to(secret / "1")
    os.mkfifo(place / "1" / "cpu" / "libPipe.so")
    with (place / "1" / "cpu" / "libLarge.so").open("wb") as file:
        file.truncate(MOST_BYTES)
    store.collect(folder)
    assert offered(store, tmp_path / "b") == {"1/cpu/libA.so": b"a"}


@pytest.mark.parametrize("depth", range(len(PLACE)))
def test_a_place_that_leads_elsewhere_is_not_followed(store: Store, tmp_path: Path, depth: int) -> None:
    child(tmp_path / "elsewhere", BUILT)
    folder = tmp_path / "a"
    top = folder.joinpath(*PLACE[:depth])
    top.mkdir(parents=True)
    (top / PLACE[depth]).symlink_to(tmp_path.joinpath("elsewhere", *PLACE[: depth + 1]))
    store.collect(folder)
    assert offered(store, tmp_path / "b") == {}
