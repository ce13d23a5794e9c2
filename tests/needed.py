"""Marks that skip tests where the machine lacks what they need."""

from __future__ import annotations

import shutil
from importlib.util import find_spec

import pytest

needs_mlx = pytest.mark.skipif(find_spec("mlx") is None or shutil.which("g++") is None, reason="runs MLX on the CPU, where it needs g++")
