"""Which distribution a missing module is installed by: what the project requires, and what wheels were seen to hold."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from packaging.utils import canonicalize_name

from mxlint.versions import project_folders, required_names

MEASURED: dict[str, str] = {
    "datasets": "datasets",
    "einops": "einops",
    "einx": "einx",
    "fastapi": "fastapi",
    "huggingface_hub": "huggingface-hub",
    "jinja2": "Jinja2",
    "librosa": "librosa",
    "matplotlib": "matplotlib",
    "mlx_lm": "mlx-lm",
    "mlx_vlm": "mlx-vlm",
    "numpy": "numpy",
    "PIL": "pillow",
    "psutil": "psutil",
    "pydantic": "pydantic",
    "yaml": "PyYAML",
    "regex": "regex",
    "requests": "requests",
    "safetensors": "safetensors",
    "scipy": "scipy",
    "sentencepiece": "sentencepiece",
    "soundfile": "soundfile",
    "tiktoken": "tiktoken",
    "tokenizers": "tokenizers",
    "tqdm": "tqdm",
    "transformers": "transformers",
    "wandb": "wandb",
}
"""The modules in the RECORD of wheels, and the names by which these are installed."""


def distribution(module: str, filename: str) -> str | None:
    """What to install for the sake of a module that a file imports; None where that is not known."""
    known = MEASURED.get(module)
    if known is not None:
        return known
    name = canonicalize_name(module)
    return next((required for required in _required(Path(os.path.realpath(filename)).parent) if canonicalize_name(required) == name), None)


@lru_cache
def _required(folder: Path) -> frozenset[str]:
    """What the project requires, as its nearest files say."""
    return frozenset(name for above in project_folders(folder) for name in required_names(above))
