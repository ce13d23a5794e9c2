"""The program with something else in place of the flagged expression, to see what comes from there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

from mxlint.verify.runner import Job
from mxlint.verify.sight import Claim

MOST_VARIANTS = 4


def without(job: Job, claim: Claim) -> Iterator[tuple[str, Job]]:
    """The program without the expression: what stands in its place, which is something that it is made from, or zero."""
    found = _flagged(job, claim)
    if found is not None:
        text, start, end = found
        for part in list(dict.fromkeys((*_leaves(text[start:end].decode()), "0.0")))[:MOST_VARIANTS]:
            yield part, _with(job, claim, text, start, end, part)


def held(job: Job, claim: Claim) -> Job | None:
    """The program in which the expression keeps the values of its first evaluations, as it does in a trace."""
    found = _flagged(job, claim)
    if found is None:
        return None
    text, start, end = found
    changed = _with(job, claim, text, start, end, f"__mxlint_held__(lambda: ({text[start:end].decode()}))")
    try:
        ast.parse(changed.files[claim.place])
    except SyntaxError:
        return None
    return changed


def _flagged(job: Job, claim: Claim) -> tuple[bytes, int, int] | None:
    """The text of the file, and where the flagged expression starts and ends; of a statement its value."""
    if claim.place not in job.files:
        return None
    text = job.files[claim.place].encode()
    lines = text.split(b"\n")
    start, end = (sum(len(line) + 1 for line in lines[: row - 1]) + column for row, column in (claim.start, claim.end))
    try:
        ast.parse(f"({text[start:end].decode()}\n)", mode="eval")
        return text, start, end
    except SyntaxError:
        pass
    try:
        (node,) = ast.parse(text[start:end].decode()).body
    except (SyntaxError, ValueError):
        return None
    value = getattr(node, "value", None)
    if not isinstance(value, ast.expr) or value.end_lineno is None or value.end_col_offset is None:
        return None
    inner = text[start:end].split(b"\n")
    first, last = (
        start + sum(len(line) + 1 for line in inner[: row - 1]) + column
        for row, column in ((value.lineno, value.col_offset), (value.end_lineno, value.end_col_offset))
    )
    return text, first, last


def _with(job: Job, claim: Claim, text: bytes, start: int, end: int, filler: str) -> Job:
    """All rows stay where they are."""
    missing = text[start:end].count(b"\n") - filler.count("\n")
    changed = text[:start] + f"({filler}{chr(10) * missing})".encode() + text[end:]
    return replace(job, files={**job.files, claim.place: changed.decode()})


def _leaves(flagged: str) -> Iterator[str]:
    """Names, attributes and items that an expression is made from, but for MLX's own."""
    node = ast.parse(f"({flagged}\n)", mode="eval").body
    waiting = list(_below(node)) if _chain(node) else [node]
    while waiting:
        node = waiting.pop(0)
        if _chain(node):
            if ast.unparse(node).partition(".")[0] not in ("mx", "nn", "mlx", "optim"):
                yield ast.unparse(node)
        else:
            waiting += _below(node)


def _below(node: ast.expr) -> Iterator[ast.expr]:
    """What an expression is made from; of a call of a name what it is given."""
    if isinstance(node, ast.Call):
        yield from ([node.func.value] if isinstance(node.func, ast.Attribute) else [])
        yield from node.args
        yield from (keyword.value for keyword in node.keywords)
    else:
        yield from (child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))


def _chain(node: ast.expr) -> bool:
    """A name, or attributes and items of one."""
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    return isinstance(node, ast.Name)
