"""Names in the symbol tables of Python (`symtable`), as tests of the syntax compare them with ours."""

from __future__ import annotations

from collections.abc import Iterable

IMPLICIT = frozenset({"__class__", "__classdict__", "__static_attributes__", "__firstlineno__", "__conditional_annotations__"})
"""Names that Python adds to the tables of classes."""


def mangled(names: Iterable[str], cls: str) -> set[str]:
    """Names in a class as its table has them: `__name` is `_Class__name`."""
    private = cls.lstrip("_")
    return {f"_{private}{name}" if private and name.startswith("__") and not name.endswith("__") else name for name in names}
