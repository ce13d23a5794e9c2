"""What MLX compiled in one child, for the next: kernels of the CPU, PTX and its index for CUDA, and the cache of the GPU's driver.

Kernels are code, and MLX loads one by its name, whoever wrote it: a child may leave another in its place. So children never share a
folder. Each is given copies, and what it leaves is added to the store after its end; and there is a store for each set of files that
programs are cut from. Whoever writes the statements of one of these programs writes those of the others, so a kernel can do nothing there
that a statement could not. No store outlives its run.

A name stands for one content (MLX makes it of the operations, the types, the layout and the constants), so what is there is not replaced. Only
an index is, by a longer one: each child goes on from a copy.
"""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

MEGABYTE = 1 << 20
MOST_FILES, MOST_BYTES = 2048, 256 * MEGABYTE
"""What is looked at in one child's folder, and what is taken of it."""
PLACE = ("work", "tmp", "mlx")
"""Where MLX keeps what it compiles, in the folder of a child."""
DRIVER_CACHE = "cuda"
"""Where the driver of a GPU is told to, in that place."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Files that are handed on. `pattern`: their path in the place; `grows`: a longer one takes the place of a shorter."""

    pattern: str
    most_bytes: int
    grows: bool = False


KINDS = (
    Kind("*/cpu/*.so", MEGABYTE),
    Kind("*/ptx/*.ptx", 16 * MEGABYTE),
    Kind("*/ptx/*.cubin", 16 * MEGABYTE),
    Kind("*/ptx/*.txt", MEGABYTE),
    Kind(f"{DRIVER_CACHE}/index", 16 * MEGABYTE, grows=True),
    Kind(f"{DRIVER_CACHE}/*/*", 64 * MEGABYTE),
)


@dataclass(frozen=True, slots=True)
class Store:
    """The kernels of programs that are cut from the same files."""

    folder: Path

    def offer(self, child: Path) -> None:
        """Copy them to where a child that is to start in this folder will look."""
        if self.folder.is_dir():
            shutil.copytree(self.folder, child.joinpath(*PLACE), dirs_exist_ok=True)

    def collect(self, child: Path) -> None:
        """Add what a child left that has ended, with all that it started."""
        place = child
        for part in PLACE:
            place /= part
            if place.is_symlink():
                return
        taken = 0
        for path, size, kind in _left(place):
            kept = self.folder / path
            known = kept.stat().st_size if kept.is_file() else -1
            if known >= 0 and (not kind.grows or size <= known):
                continue
            taken += size
            if taken > MOST_BYTES:
                break
            with suppress(OSError):
                self._add(place / path, kept)

    def _add(self, file: Path, kept: Path) -> None:
        """Whole or not at all: another child may be given the store meanwhile."""
        kept.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=self.folder.parent, prefix="kernel-", delete=False) as copy:
            copy.write(file.read_bytes())
        os.chmod(copy.name, 0o700)
        os.replace(copy.name, kept)


def _left(place: Path) -> Iterator[tuple[Path, int, Kind]]:
    """The files of the kinds, with their sizes. What else was left is not followed anywhere."""
    looked = 0
    for top, _, names in os.walk(place):
        for name in names:
            looked += 1
            if looked > MOST_FILES:
                return
            path = Path(top, name).relative_to(place)
            kind = next((kind for kind in KINDS if fnmatch(path.as_posix(), kind.pattern)), None)
            if kind is None:
                continue
            status = (place / path).lstat()
            if stat.S_ISREG(status.st_mode) and status.st_size <= kind.most_bytes:
                yield path, status.st_size, kind
