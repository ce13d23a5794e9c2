"""What the statements of a program may change, themselves and through the functions of the project that they use.

A statement that may change what an experiment needs belongs to it: without it something else may happen.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field

from mxlint.verify.modules import Module, Modules, Name
from mxlint.verify.units import DEFINITIONS, IMPORTS, Unit

EVERYTHING: Name = ("*", "*")
"""What a statement may change that reaches names by their text."""


def meets(found: frozenset[Name], needed: Collection[Name]) -> bool:
    """Whether names that may change are among the needed ones; `*` stands for all of a module."""
    if EVERYTHING in found or any(name in needed for name in found):
        return True
    whole = {path for path, name in found if name == "*"}
    return bool(whole) and any(path in whole for path, _ in needed)


@dataclass(slots=True)
class Influence:
    """`reads`: to use a value is to change it, as where it is about whether an array has been computed."""

    modules: Modules
    reads: bool = False
    known: dict[tuple[str, int], frozenset[Name]] = field(default_factory=dict)

    def of(self, module: Module, number: int) -> frozenset[Name]:
        """The names whose values a statement may change when it is run."""
        return self._of(module, number, frozenset())

    def later(self, module: Module, number: int) -> frozenset[Name]:
        """The names whose values the functions and classes of the project that a statement names may change, whoever calls them."""
        return frozenset().union(*(self.of(*used) for used in self._used(module, module.units[number])))

    def _of(self, module: Module, number: int, within: frozenset[tuple[str, int]]) -> frozenset[Name]:
        key = (module.path, number)
        if key in self.known or key in within:
            return self.known.get(key, frozenset())
        unit = module.units[number]
        defines = isinstance(unit.node, DEFINITIONS)
        own, touched = unit.sets, unit.deep
        if not defines:  # what is deep in it is in lambdas, which somebody may call
            own, touched = own | unit.changes, touched | unit.touches | (unit.uses if self.reads else frozenset())
        if unit.wild:
            found = {EVERYTHING}
        else:
            found = set[Name]()
        found |= {*self.meant(module, unit, own), *(name for name in self.meant(module, unit, touched) if self._holds(*name))}
        for other, inner in self._used(module, unit):
            found |= self._of(other, inner, within | {key})
        if not within:
            self.known[key] = frozenset(found)
        return frozenset(found)

    def _holds(self, path: str, name: str, depth: int = 8) -> bool:
        """Whether a name holds a value of the program, and not a function, a class, or something from outside."""
        module = self.modules.by_path.get(path)
        if module is None or name in module.outside or depth == 0:
            return False
        if name in module.imports:
            target, attribute = module.imports[name]
            return attribute is not None and self._holds(target, attribute, depth - 1)
        givers = [module.units[at] for at in module.mentions.get(name, ()) if name in module.units[at].binds]
        return bool(givers) and not any(isinstance(unit.node, DEFINITIONS) for unit in givers)

    def _used(self, module: Module, unit: Unit) -> Iterator[tuple[Module, int]]:
        """The functions and classes of the project that a statement names."""
        for path, name in self.meant(module, unit, unit.uses):
            other = self.modules.by_path.get(path)
            if other is not None:
                for number in other.mentions.get(name, ()):
                    if isinstance(other.units[number].node, DEFINITIONS) and name in other.units[number].binds:
                        yield other, number

    @staticmethod
    def meant(module: Module, unit: Unit, used: frozenset[str]) -> Iterator[Name]:
        """Names of a unit, and what they are in the modules that they come from."""
        for name in used:
            yield module.path, name
            target = module.imports.get(name)
            if target is None:
                yield from ((star, name) for star in module.stars)
            elif target[1] is not None:
                yield target[0], target[1]
            else:
                yield from ((target[0], attribute) for attribute in unit.attributes.get(name, ()))
                if name in unit.set_by_name:
                    yield target[0], "*"


def imported(modules: Modules, entry: Module) -> dict[str, tuple[str, int] | None]:
    """The modules that the entry imports, directly or not, each with the module and the statement that does."""
    found: dict[str, tuple[str, int] | None] = {entry.path: None}
    waiting = [entry.path]
    while waiting:
        module = modules.by_path.get(waiting.pop())
        for number, unit in enumerate(module.units if module is not None else ()):
            if module is None or not isinstance(unit.node, IMPORTS):
                continue
            targets = {module.imports[name][0] for name in unit.binds if name in module.imports}
            targets |= set(module.stars) if number in module.star_rows else set()
            for path in sorted(targets - found.keys()):
                found[path] = (module.path, number)
                waiting.append(path)
    return found
