"""What inputs= and outputs= may be given in vain."""

from __future__ import annotations

from mxlint.facts.events import Capture, Element
from mxlint.rules.findings import quoted


def why_dead(capture: Capture, put_in: bool) -> str | None:
    """What a capture is given, if MLX finds no live arrays there. `put_in`: the body puts the copy of the parameters back into the module."""
    for element in capture.elements:
        reason = None if put_in and (element.holds or element.kind == "parameters") else _reason(element, capture.literal)
        if reason is not None:
            return reason
    return None


def _reason(element: Element, literal: bool) -> str | None:
    text = quoted(element.where.text)
    if element.holds:
        return f"{text}, which holds a fresh copy of a tree of parameters"
    reasons = {
        "parameters": f"{text}, a fresh copy of the tree of parameters",
        "tuple": "a tuple of arrays, whose items nothing can replace",
        "copy": f"{text}, a fresh copy",
        "generator": "a generator, which is silently ignored",
        "set": "a set, which is silently ignored",
        "object": f"{text}, an object that is silently ignored",
        "optimizer": f"the optimizer {text}, which is silently ignored (its state is {quoted(element.where.text + '.state')})",
    }
    if element.kind == "array":
        return None if literal else f"the array {text} itself, not a container"
    return reasons.get(element.kind)
