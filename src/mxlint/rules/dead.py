"""What inputs= and outputs= may be given in vain."""

from __future__ import annotations

from collections.abc import Set as AbstractSet

from mxlint.facts.events import Capture, Element
from mxlint.rules.findings import quoted


def why_dead(capture: Capture, lives: bool, read: AbstractSet[int]) -> tuple[str, str] | None:
    """What a capture is given, and what MLX makes of that, if it finds no live arrays there. `lives`: the body reads or writes what is captured, and
    puts parameters into a module, so a copy of the parameters may be where they come from. `read`: the containers through which the body reads what is
    captured: a copy of the parameters that is among them is what the program works with."""
    for element in capture.elements:
        serves = (element.holds or element.kind == "parameters") and (lives or not read.isdisjoint(element.copied))
        reason = None if serves else _reason(element, capture.literal)
        if reason is not None:
            return reason
    return None


IGNORED = "MLX looks for arrays in lists, tuples and dicts, and ignores this silently"
COPY = "later updates replace the arrays elsewhere"


def _reason(element: Element, literal: bool) -> tuple[str, str] | None:
    text = quoted(element.where.text)
    if element.holds:
        return text, f"it holds a fresh copy of a tree of parameters; {COPY}"
    reasons = {
        "parameters": (text, f"that is a fresh copy of the tree of parameters; {COPY}"),
        "tuple": ("a tuple of arrays", "nothing can replace the items of a tuple"),
        "copy": (text, f"that is a fresh copy; {COPY}"),
        "generator": ("a generator", IGNORED),
        "set": ("a set", IGNORED),
        "object": (f"{text}, an object", IGNORED),
        "optimizer": (f"the optimizer {text}", f"{IGNORED}; its state is {quoted(element.where.text + '.state')}"),
    }
    if element.kind == "array":
        return None if literal else (f"the array {text}", "it is no container, in which an array could be replaced")
    return reasons.get(element.kind)
