"""Compilation without kernels: MLX traces, keeps and simplifies as ever, but runs the operations of a graph one by one.

Whether a body is traced, what it reads, and what it returns has nothing to do with how its operations are fused. Building one kernel takes half a
second of g++, or seconds of the compiler of a GPU. And a sum in another order, or a multiplication and an addition in one step, is no longer
taken for a difference between the compiled function and the plain one. Claims that are about the graph, its memory, its shapes or its time are
put to the test as MLX is, and so is the second run of whatever is to be refuted.

MLX has a mode for it that Python does not show. It is asked for by its name in the library; where there is none, or it does not do what it
should, everything stays as it is.
"""

from __future__ import annotations

import ctypes
import glob
import io
import os
from typing import Any

SET_MODE = "_ZN3mlx4core16set_compile_modeENS0_11CompileModeE"
NO_FUSION = 2
FUSED = 'label ="Compiled'
"""In the text of a graph: the operation that a fused kernel is."""


def leave_out(mx: Any) -> bool:
    """Whether nothing is fused from now on, in this process."""
    library = _library(mx)
    if library is None:
        return False
    library[SET_MODE](NO_FUSION)
    if _traced_once_and_unfused(mx):
        return True
    mx.enable_compile()
    return False


def _library(mx: Any) -> Any:
    """MLX's own, if it has the mode."""
    for path in glob.glob(os.path.join(os.path.dirname(mx.__file__), "lib", "libmlx.*")):
        try:
            library = ctypes.CDLL(path)
            library[SET_MODE].restype = None
        except (OSError, AttributeError):
            continue
        return library
    return None


def _traced_once_and_unfused(mx: Any) -> bool:
    runs = []

    def counted(x: Any) -> Any:
        runs.append(1)
        return mx.tanh(x) * 2

    compiled = mx.compile(counted)
    results = [compiled(mx.zeros(1)), compiled(mx.zeros(1))]
    graph = io.StringIO()
    mx.export_to_dot(graph, *results)
    return len(runs) == 1 and FUSED not in graph.getvalue()
