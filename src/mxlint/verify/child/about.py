"""What an interpreter is and what is installed for it, as JSON. Run by itself, in the interpreter that it is about,
which may be one that is too old for anything else here."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from typing import Any


def about() -> dict[str, Any]:
    """Version, folders and packages. `mlx`: whether MLX can be imported; `outside`: folders of imports that lie elsewhere."""
    try:
        mlx = importlib.util.find_spec("mlx.core") is not None
    except (ImportError, ValueError):
        mlx = False
    folders = [os.path.realpath(folder) for folder in sys.path if folder and os.path.isdir(folder)]
    installed = sorted({name for folder in folders for name in os.listdir(folder) if name.endswith((".dist-info", ".egg-info"))})
    linked = [os.path.realpath(entry.path) for folder in folders for entry in os.scandir(folder) if entry.is_symlink()]
    own = [os.path.realpath(prefix) + os.sep for prefix in (sys.prefix, sys.base_prefix)]
    return {
        "version": list(sys.version_info[:3]),
        "build": sys.version,
        "executable": sys.executable,
        "prefix": sys.prefix,
        "mlx": mlx,
        "installed": installed,
        "outside": sorted({folder for folder in (*folders, *linked) if not folder.startswith(tuple(own))}),
    }


if __name__ == "__main__":
    print(json.dumps(about()))
