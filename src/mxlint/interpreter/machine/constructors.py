"""The names of the methods that run where an object is made: `__init__` and its like."""

from __future__ import annotations

from typing import Final

INITIALIZERS: Final = frozenset(("__init__", "__post_init__"))
"""What sets attributes of an object which is new, unless somebody calls it by that name, or there is a `__new__`."""
CONSTRUCTORS: Final = INITIALIZERS | {"__new__"}
"""What runs where an object of a class is made, under whatever name the class has; `super().__init__()` names all of them."""
OF_CLASSES_MADE: Final = CONSTRUCTORS | {"__init_subclass__"}
"""Those names, and that of the method which runs where a class is made of another."""
