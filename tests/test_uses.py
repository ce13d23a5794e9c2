"""What the uses of a parameter say that it is."""

from __future__ import annotations

import pytest

from mxlint.interpreter.open_world.uses import OF_MODULES

np = pytest.importorskip("numpy")
mx = pytest.importorskip("mlx.core")
nn = pytest.importorskip("mlx.nn")
optim = pytest.importorskip("mlx.optimizers")


@pytest.mark.parametrize("name", sorted(OF_MODULES))
def test_only_modules_have_the_methods_that_show_one(name: str) -> None:
    assert callable(getattr(nn.Module, name))
    others = (dict, list, set, str, bytes, int, float, np.ndarray, mx.array, optim.Optimizer)
    assert not [other for other in others if hasattr(other, name)]
