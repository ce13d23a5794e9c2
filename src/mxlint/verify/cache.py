"""What experiments showed, kept for the next run: an entry for each program, as plain JSON under the digest of all that it was.

An entry that is damaged, or that something else wrote, is none. Writing is atomic, so that runs may share a cache.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mxlint import __version__, resources

DEFAULT = ".mxlint_cache"
LASTS_S = 30 * 24 * 3600
"""An entry that nobody read for so long goes."""
_TAG = "Signature: 8a477f597d28d172789f06886806bc55\n# Made by mxlint; see https://bford.info/cachedir/\n"


@dataclass(frozen=True, slots=True)
class Cache:
    """Entries of one machine and version of mxlint: what another saw is not found here."""

    folder: Path

    def read(self, key: str) -> dict[str, Any] | None:
        path = self._path(key)
        try:
            digest, _, text = path.read_text(encoding="utf-8").partition("\n")
            if digest != _digest(key, text):
                return None
            os.utime(path)
            found = json.loads(text)
        except (OSError, ValueError):
            return None
        return found if isinstance(found, dict) else None

    def write(self, key: str, entry: Mapping[str, Any]) -> None:
        """Keep an entry if that is possible. A cache that cannot be written is no reason to fail."""
        path = self._path(key)
        text = json.dumps(entry)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(dir=path.parent)
            try:
                with open(handle, "w", encoding="utf-8") as file:
                    file.write(f"{_digest(key, text)}\n{text}")
                os.replace(name, path)
            except BaseException:
                os.unlink(name)
                raise
        except OSError:
            return

    def _path(self, key: str) -> Path:
        return self.folder / key[:2] / key[2:]


def cache_in(folder: Path) -> Cache:
    """The cache in a folder, which is made fit to be overlooked by backups and by git; entries that nobody reads any more go."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in {"CACHEDIR.TAG": _TAG, ".gitignore": "*\n"}.items():
            if not (folder / name).exists():
                (folder / name).write_text(text, encoding="utf-8")
        _prune(folder / "verify")
    except OSError:
        pass
    return Cache(folder / "verify" / environment())


def _prune(folder: Path) -> None:
    old = time.time() - LASTS_S
    for top, folders, names in os.walk(folder, topdown=False):
        for name in names:
            path = os.path.join(top, name)
            if os.stat(path).st_mtime < old:
                os.unlink(path)
        if not folders and not any(os.scandir(top)):
            os.rmdir(top)


def environment() -> str:
    """A name for what every experiment depends on beside its program and the interpreter that it names: this mxlint, this machine."""
    parts = [__version__, *_child(), platform.system(), platform.release(), platform.machine()]
    parts += [*_processors(), str(os.cpu_count()), os.environ.get("CUDA_VISIBLE_DEVICES", "")]
    return hashlib.sha256("\n".join(parts).encode(errors="surrogatepass")).hexdigest()[:16]


def _child() -> Iterator[str]:
    """What runs in the child."""
    for file in sorted(resources.folder("verify", "child").glob("*.py")):
        yield file.read_text(encoding="utf-8")


def _processors() -> Iterator[str]:
    """The models of processor and graphics cards, where the system says so in a file."""
    files = [Path("/proc/cpuinfo"), *sorted(Path("/proc/driver/nvidia/gpus").glob("*/information"))]
    for file in files:
        try:
            lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
        yield next((line for line in lines if line.casefold().startswith(("model name", "model:"))), "")
    yield "" if sys.platform == "linux" else platform.node()


def _digest(key: str, text: str) -> str:
    return hashlib.sha256(f"{key}\n{text}".encode()).hexdigest()
