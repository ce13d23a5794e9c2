"""Calls of a function that no statement of the program calls: the same ones with and without compile."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from . import inputs, observe


def drive(
    observer: observe.Observer, names: Mapping[str, Any], order: Mapping[str, Any], recipe: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Call what the order names. Without a recipe the arguments are looked for first, which takes the uncompiled function."""
    found = dict(recipe) if recipe is not None else look(observer, names, order)
    if found.get("call") is None:
        return {"recipe": None, "inputs": None}
    target = resolve(names, order, found)
    for call in range(order["calls"]):
        try:
            inputs.evaluate(inputs.apply(target, found["call"], found["names"], call, order["varies"]))
        except observe.Enough:
            break
        except Exception as error:  # noqa: BLE001 - an observation
            observer.note(error, None, None)
    return {"recipe": found, "inputs": inputs.told(found["names"], found["call"])}


def look(observer: observe.Observer, names: Mapping[str, Any], order: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments for the constructor, if there is one, and for the call."""
    made = len(observer.objects)
    observer.paused = True
    try:
        found: dict[str, Any] = {"init": [], "init_names": [], "call": None, "names": []}
        target: Callable[..., Any] | None = names.get(order["name"])
        if target is None:
            return found
        if order["method"]:
            found["init"], found["init_names"] = _search(target, order, varies="")
            if found["init"] is None:
                return found
        found["call"], found["names"] = _search(resolve(names, order, found), order, varies=order["varies"])
        return found
    finally:
        observer.paused = False
        del observer.objects[made:]


def resolve(names: Mapping[str, Any], order: Mapping[str, Any], found: Mapping[str, Any]) -> Callable[..., Any]:
    target: Any = names[order["name"]]
    if order["method"]:
        target = getattr(inputs.apply(target, found["init"], found["init_names"], 0, ""), order["method"])
    return target  # type: ignore[no-any-return]


def _search(fun: Callable[..., Any], order: Mapping[str, Any], varies: str) -> tuple[list[Any] | None, list[str]]:
    parameters = inputs.parameters(observe.unwrap(fun))
    options = [inputs.choices(parameter, order["hints"], order["strings"], order["scalars"]) for parameter in parameters]
    if isinstance(fun, type):  # whole numbers that make an object are mostly sizes
        options = [sorted(found, key=lambda spec: spec.get("value") != inputs.SIZE) for found in options]
    names = ["*" * (parameter.kind is parameter.KEYWORD_ONLY) + parameter.name for parameter in parameters]
    return inputs.search(fun, options, names, varies), names
