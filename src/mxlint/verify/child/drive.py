"""Calls of a function that no statement of the program calls: the same ones with and without compile."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from . import inputs, observe, standins, values
from .inputs import Clues, Spec
from .search import Budget, Found, Quest, search
from .uses import ARRAY_USES, Uses

DEPTH = 2
"""So deep, objects of the program's classes are made to be arguments."""


class Drive:
    """How the order is carried out in one run. `order`: what to call, and what is known of its parameters."""

    def __init__(self, observer: observe.Observer, names: Mapping[str, Any], order: Mapping[str, Any]) -> None:
        self.observer, self.names, self.order = observer, names, order
        self.clues = Clues(order["hints"], order["scalars"], order["trees"], order["stand_ins"])
        self.budget = Budget()
        self.guessed: list[str] = []
        self.enough = False
        self.returned: list[Any] = []
        self.problem: str | None = None
        self.tries = 0

    # -- looking for arguments -----------------------------------------------------------------------------------------

    def look(self) -> dict[str, Any] | None:
        """Arguments for the constructor, if there is one, for the call, and for what that call compiles and does not call."""
        target = self.names.get(self.order["name"])
        if target is None:
            self.problem = f"{self.order['name']} is not defined"
            return None
        recipe: dict[str, Any] = {"init": None, "own": [], "call": None, "inner": None, "then": None}
        if self.order["method"]:
            made = self.search(target, Quest(self.observer.root, self.budget))
            if made is not None and made[0].specs is not None:
                recipe["init"] = {"specs": made[0].specs, "names": made[1]}
            elif self.order["stand_ins"]:
                recipe["own"] = self.attributes(target)
            else:
                self.problem = f"no arguments were found that make a {self.order['name']}: {self.problem}"
                return None
        aim = self.order["aim"]
        quest = Quest(
            self.observer.root,
            self.budget,
            (os.path.join(self.observer.root, aim[0]), aim[1], aim[2]),
            self.order["raises"],
            self.order["varies"],
        )
        before = len(self.observer.objects)
        found, names = self.search(self.target(recipe), quest)
        if found.specs is None:
            return None
        recipe["call"] = {"specs": found.specs, "names": names}
        recipe["then"] = None if found.raising is None else {"specs": found.raising, "names": names}
        if found.reached and self.was_called(before):
            return recipe
        shell = self.made_by(recipe)
        if shell is None:
            return recipe
        inner, names = self.search(shell, quest)
        if inner.specs is None:
            return None
        recipe["inner"] = {"specs": inner.specs, "names": names}
        recipe["then"] = None if inner.raising is None else {"specs": inner.raising, "names": names}
        return recipe

    def search(self, fun: Callable[..., Any], quest: Quest, depth: int = 0) -> tuple[Found, list[str]]:
        """Arguments for one function; the reason is kept if there are none."""
        plain = observe.unwrap(fun)
        uses = inputs.uses_of(plain, self.observer.root)
        parameters = inputs.parameters(plain)
        own: list[str] = list(getattr(fun, "own", ()))
        options: list[list[Spec]] = [self.options(name.partition(".")[2], inspect.Parameter.empty, uses, depth) for name in own]
        compiled = getattr(type(fun), "is_shell", False)  # it takes arrays and constants only
        clues = replace(self.clues, stand_ins=self.clues.stand_ins and not compiled, uses=uses)
        for parameter in parameters:
            found = [] if compiled else self.of_class(parameter, plain, depth)
            found += inputs.choices(parameter, uses.get(parameter.name, Uses()), clues)
            if isinstance(fun, type):  # whole numbers that make an object are mostly sizes
                found.sort(key=lambda spec: not {"omitted", "stand_in", "made"} & spec.keys() and spec.get("value") != inputs.SIZE)
            options.append(found or [{"value": None}])
        names = [*own, *("*" * (parameter.kind is parameter.KEYWORD_ONLY) + parameter.name for parameter in parameters)]
        result = search(fun, options, names, quest)
        self.problem = result.problem
        self.tries += result.tries
        if result.specs is not None:
            self.guessed += [
                parameter.name
                for parameter, spec in zip(parameters, result.specs[len(own) :])
                if "array" in spec
                and parameter.name not in self.clues.hints
                and parameter.annotation is inspect.Parameter.empty
                and not ARRAY_USES & set(uses.get(parameter.name, Uses()).attributes)
            ]
        return result, names

    def options(self, name: str, annotation: Any, uses: Mapping[str, Uses], depth: int) -> list[Spec]:
        parameter = inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=annotation)
        found = uses.get(f"self.{name}", Uses())
        found.attributes.update(dict.fromkeys(self.order["trees"].get(name, ())))
        below = {path.removeprefix("self."): each for path, each in uses.items()}
        return inputs.choices(parameter, found, replace(self.clues, uses=below))

    def of_class(self, parameter: inspect.Parameter, fun: Callable[..., Any], depth: int) -> list[Spec]:
        """Objects of the class of the program that an annotation names."""
        if parameter.annotation is inspect.Parameter.empty or parameter.name in self.clues.hints or depth >= DEPTH:
            return []
        known = getattr(inputs.body(fun), "__globals__", {})
        cls = (
            known.get(inputs.annotation_text(parameter.annotation).strip("'\""))
            if isinstance(parameter.annotation, str)
            else parameter.annotation
        )
        if not isinstance(cls, type) or not str(getattr(sys.modules.get(cls.__module__), "__file__", None) or "").startswith(
            self.observer.root
        ):
            return []
        problem = self.problem
        found, names = self.search(cls, Quest(self.observer.root, self.budget), depth + 1)
        self.problem = problem
        if found.specs is None:
            return []
        return [{"made": cls.__qualname__, "module": cls.__module__, "specs": found.specs, "names": names}]

    def attributes(self, cls: type) -> list[str]:
        """What a method reads of its object, in itself and in the methods that it calls, and the class does not have."""
        found: dict[str, None] = {}
        methods = [self.order["method"]]
        for method in methods:
            uses = inputs.uses_of(observe.unwrap(getattr(cls, method)), self.observer.root).get("self", Uses())
            for name in uses.attributes:
                if not hasattr(cls, name):
                    found[f"self.{name}"] = None
                elif name not in methods and callable(getattr(cls, name)):
                    methods.append(name)
        return list(found)

    # -- calling -------------------------------------------------------------------------------------------------------

    def target(self, recipe: Mapping[str, Any]) -> Callable[..., Any]:
        return target(self.names, self.order, recipe)

    def was_called(self, before: int) -> bool:
        """Whether a compiled object of the site was called in the search."""
        return any(made.called for made in self.observer.objects[before:] if self.of_site(made)) or not any(
            self.of_site(made) for made in self.observer.objects[before:]
        )

    def of_site(self, made: observe.Object) -> bool:
        file, first, last = self.order["site"]
        return bool(made.file == file and first <= made.row <= last)

    def made_by(self, recipe: Mapping[str, Any]) -> Callable[..., Any] | None:
        """What a call of the target compiles at the site."""
        self.observer.hold = []
        self.result = self.call(self.target(recipe), recipe["call"], 0)
        held = [shell for shell in self.observer.hold if self.of_site(vars(shell)["_made"])]
        self.observer.hold = None
        return held[-1] if held else None

    def call(self, fun: Callable[..., Any], given: Mapping[str, Any], number: int) -> Any:
        result = inputs.apply(fun, given["specs"], given["names"], number, self.order["varies"])
        inputs.evaluate(result)
        return result

    def run(self, recipe: Mapping[str, Any]) -> None:
        """The calls of a recipe: like ones; the one that raises comes second."""
        fun = self.target(recipe)
        given = recipe["call"]
        if recipe["inner"] is not None:
            shell = self.made_by(recipe)
            if shell is None:
                return
            fun, given = shell, recipe["inner"]
        for number in range(self.order["calls"]):
            try:
                self.returned.append(self.call(fun, recipe["then"] if number == 1 and recipe["then"] is not None else given, number))
            except observe.Enough:
                self.enough = True
                break
            except Exception as error:  # noqa: BLE001 - an observation
                self.observer.note(error, None, None)


def target(names: Mapping[str, Any], order: Mapping[str, Any], recipe: Mapping[str, Any]) -> Callable[..., Any]:
    """What the order names; the method of a new object, if it is one."""
    found: Any = names[order["name"]]
    if not order["method"]:
        return found  # type: ignore[no-any-return]
    if recipe["init"] is None:
        return Blank(found, order["method"], recipe["own"])
    made = inputs.apply(found, recipe["init"]["specs"], recipe["init"]["names"], 0, "")
    for name, value in list(getattr(made, "__dict__", {}).items()):
        if any(value is item for item in standins.handed):
            standins.replaced[f"self.{name}"] = "a stand-in"
    return getattr(made, order["method"])  # type: ignore[no-any-return]


class Blank:
    """A method of an object that was never initialised: its attributes are given with the call."""

    def __init__(self, cls: type, method: str, own: Sequence[str]) -> None:
        self.cls, self.method, self.own = cls, method, own
        self.__code__ = getattr(observe.unwrap(getattr(cls, method)), "__code__", None)
        self.__signature__ = _without_self(getattr(cls, method))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        made: Any = object.__new__(self.cls) if not issubclass(self.cls, dict) else dict.__new__(self.cls)
        if isinstance(made, standins.nn.Module):
            standins.nn.Module.__init__(made)
        for name, value in zip(self.own, args):
            setattr(made, name.partition(".")[2], value)
            standins.replaced[name] = "a stand-in"
        return getattr(made, self.method)(*args[len(self.own) :], **kwargs)


def _without_self(method: Callable[..., Any]) -> inspect.Signature:
    signature = inspect.signature(observe.unwrap(method))
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def drive(
    observer: observe.Observer, names: Mapping[str, Any], order: Mapping[str, Any], recipe: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Call what the order names. Without a recipe the arguments are looked for first, which takes the uncompiled function."""
    driver = Drive(observer, names, order)
    if recipe is None:
        made = len(observer.objects)
        observer.paused = True
        try:
            recipe = driver.look()
        finally:
            observer.paused = False
            del observer.objects[made:]
        standins.replaced.clear()
    if recipe is None:
        return {"recipe": None, "inputs": None, "problem": driver.problem, "guessed": [], "tries": driver.tries}
    driver.run(recipe)
    given = [recipe[key] for key in ("inner" if recipe["inner"] is not None else "call", "then") if recipe[key] is not None]
    described = "; then with ".join(inputs.described(item["names"], item["specs"]) or "no arguments" for item in given)
    status = {"status": "enough"} if driver.enough else {}
    returned = {f"__main__.what {order['method'] or order['name']}() returned": values.seen(driver.returned)}
    return {
        **status,
        "returned": returned,
        "recipe": recipe,
        "inputs": described,
        "problem": None,
        "guessed": driver.guessed,
        "tries": driver.tries,
    }
