"""HTML as a tree: text and attributes are escaped when it is written, whatever is in them."""

from __future__ import annotations

from xml.etree.ElementTree import Element, tostring

from mxlint.report.style import printable

Content = Element | str | None


def element(tag: str, *content: Content, **attributes: object) -> Element:
    """An element. `class_` and the like stand for names that are Python's own, `aria_label` for `aria-label`; None leaves one out."""
    made = Element(tag, {_name(name): printable(str(value)) for name, value in attributes.items() if value is not None})
    for part in content:
        append(made, part)
    return made


def append(parent: Element, part: Content) -> None:
    """Add an element or text at the end."""
    if part is None:
        return
    if isinstance(part, Element):
        parent.append(part)
    elif len(parent):
        parent[-1].tail = (parent[-1].tail or "") + printable(part)
    else:
        parent.text = (parent.text or "") + printable(part)


def write(page: Element) -> str:
    return "<!DOCTYPE html>\n" + tostring(page, encoding="unicode", method="html") + "\n"


def _name(name: str) -> str:
    return name if name == "viewBox" else name.rstrip("_").replace("_", "-")
