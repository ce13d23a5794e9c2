"""What `isinstance` can never be true of: classes that nothing extends together, as Python itself says."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from mxlint.engine import check

BUILTIN = (str, int, float, complex, bytes, bytearray, list, tuple, dict, set, frozenset, type)


def test_python_lets_nothing_extend_two_of_them() -> None:
    for pair in itertools.permutations(BUILTIN, 2):
        with pytest.raises(TypeError, match="lay-out conflict"):
            type("Both", pair, {})


@pytest.mark.parametrize("cls", [*(cls.__name__ for cls in BUILTIN), "object"])
def test_a_model_is_a_dict_and_none_of_the_others(tmp_path: Path, cls: str) -> None:
    (tmp_path / "module.py").write_text(
        "import mlx.core as mx\nimport mlx.nn as nn\n\n\n"
        "def make(model: nn.Module):\n    @mx.compile\n    def step(x):\n"
        f"        if isinstance(model, {cls}):\n            print(x)\n        return x\n\n    return step\n"
    )
    result = check((str(tmp_path / "module.py"),), fixes=False)
    assert [finding.severity for finding in result.findings] == (["error"] if cls in ("dict", "object") else [])
