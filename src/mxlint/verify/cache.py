"""What experiments showed, kept for the next run: an entry for each program, under the digest of all that it was."""

from __future__ import annotations

import hashlib
import os
import platform
import sys
from collections.abc import Iterator
from pathlib import Path

from mxlint import __version__, resources
from mxlint.cache import Cache


def cache_in(folder: Path) -> Cache:
    """The verdicts that are kept in a folder."""
    cache = Cache(folder, "verify", environment())
    cache.prune()
    return cache


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
