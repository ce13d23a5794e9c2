"""What never changes of a function of the program: its code and where it was defined."""

from __future__ import annotations

from typing import Any

from mxlint.models.written import WrittenSource
from mxlint.syntax import ir


class FunctionInfo:
    """What never changes of a function: its code and where it was defined."""

    __slots__ = ("first", "module", "node", "qualname", "source")

    def __init__(self, node: ir.FuncDef | ir.Lambda, source: Any, qualname: str, module: int) -> None:
        self.node = node
        self.source = source
        self.qualname = qualname
        self.module = module

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ir.FuncDef) else "<lambda>"

    @property
    def name_in_library(self) -> str:
        """The function of a library that this code is written for; "" for code of the program."""
        return f"{self.source.module}.{self.qualname}" if isinstance(self.source, WrittenSource) else ""

    @property
    def generator(self) -> bool:
        return self.node.generator

    @property
    def is_async(self) -> bool:
        return isinstance(self.node, ir.FuncDef) and self.node.is_async
