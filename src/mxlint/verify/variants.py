"""The program with something else in place of the flagged expression, to see what comes from there."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Any

from mxlint.verify.comparison import Claim
from mxlint.verify.runner import Job
from mxlint.verify.units import library_names, root_name

MOST_VARIANTS = 4
HELD, ALONE, BLANK = "__mxlint_held__", "__mxlint_alone__", "__mxlint_blank__"
DETACHED, TIED = "__mxlint_detached__", "__mxlint_tied__"
"""What the child answers to."""
_SIMPLE = (ast.Expr, ast.Assign, ast.AugAssign, ast.AnnAssign, ast.Delete, ast.Raise, ast.Assert)
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def without(job: Job, claim: Claim, *, acts: bool = False) -> Iterator[tuple[str, Job]]:
    """The program without the expression: what stands in its place, which is nothing where a whole statement goes, something that it is made
    from, or zero. `acts`: it is about what a statement does with a value, whatever that is made from."""
    whole = _statement(job, claim)
    if whole is not None:
        yield "nothing", _with(job, claim, *whole, "pass", bare=True)
        if not acts and (bounded := _bounded(whole[0][whole[1] : whole[2]])) is not None:
            yield "one item", _with(job, claim, *whole, bounded, bare=True)
    found = _flagged(job, claim)
    if found is not None and not (acts and whole is not None and not _local(whole[0][whole[1] : whole[2]], claim)):
        text, start, end = found
        flagged = text[start:end].decode()
        parts = [part for part in dict.fromkeys((*_leaves(flagged, library_names(ast.parse(text))), "0.0")) if part != flagged.strip()]
        for part in parts[:MOST_VARIANTS]:
            yield part, _with(job, claim, text, start, end, part)


def one_round(job: Job, claim: Claim) -> Iterator[tuple[str, Job]]:
    """The program in which the loop over the flagged expression ends after its first round."""
    if _iterated(job, claim) and (found := _flagged(job, claim)) is not None:
        text, start, end = found
        yield "one round", _with(job, claim, text, start, end, f"item for _, item in zip((0,), {text[start:end].decode()})")


def _bounded(statement: bytes) -> str | None:
    """`items.append(x)` as the assignment of a list that has no other item."""
    (node,) = ast.parse(statement).body
    call = node.value if isinstance(node, ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "append" and len(call.args) == 1):
        return None
    return f"{ast.unparse(call.func.value)}[:] = [{ast.unparse(call.args[0])}]"


def replaced(job: Job, claim: Claim, words: str, function: str) -> Iterator[tuple[str, Job]]:
    """The program with what a function of the child makes of the expression, and of the names that a call is given there; that in words."""
    if (found := _flagged(job, claim)) is not None:
        text, start, end = found
        node = ast.parse(f"({text[start:end].decode()}\n)", mode="eval").body
        if isinstance(node, ast.Call):
            node.args = [ast.Call(ast.Name(function), [part], []) if isinstance(part, ast.Name) else part for part in node.args]
        yield words, _with(job, claim, text, start, end, f"{function}({ast.unparse(node)})")


def detached(job: Job, claim: Claim) -> Iterator[tuple[str, Job]]:
    """The program in which the function around the expression reads copies of the arrays that the expression names, there and elsewhere."""
    found = _flagged(job, claim)
    if found is None:
        return
    text, start, end = found
    tree = ast.parse(text)
    around = [
        node for node in ast.walk(tree) if isinstance(node, _FUNCTIONS) and _span(node)[0] <= claim.start and claim.end <= _span(node)[1]
    ]
    wanted = {ast.unparse(chain) for chain in _chains(ast.parse(f"({text[start:end].decode()}\n)", mode="eval"))}
    if not around or not wanted:
        return
    offsets = _offsets(text)
    body = min(around, key=_span).body  # the first to begin holds all the others
    inserts: list[tuple[int, int, str]] = []
    for statement in body if isinstance(body, list) else [body]:
        for chain in _chains(statement):
            prefixes = [chain, *_prefixes(chain)]
            texts = [ast.unparse(part) for part in prefixes]
            whole = not wanted.isdisjoint(texts)
            if not whole and not any(_leads_to(texts[0], other) for other in wanted):
                continue
            for part in prefixes:
                (row, column), (end_row, end_column) = _span(part)
                inserts.append((offsets[row - 1] + column, 0, f"{DETACHED}("))
                inserts.append((offsets[end_row - 1] + end_column, 1, f", {whole and part is chain})"))
    changed = text
    for at, _, filler in sorted(inserts, reverse=True):
        changed = changed[:at] + filler.encode() + changed[at:]
    try:
        ast.parse(changed)
    except SyntaxError:
        return
    yield "copies", replace(job, files={**job.files, claim.place: changed.decode()})


def tied(job: Job, claim: Claim) -> Iterator[tuple[str, Job]]:
    """The program with zeros for the expression that are computed from the names of the function that it reads."""
    if (found := _flagged(job, claim)) is not None:
        text, start, end = found
        node = ast.parse(f"({text[start:end].decode()}\n)", mode="eval").body
        if _movable(node):
            given = ", ".join((ast.unparse(node), *_taken(node, claim)))
            yield "zeros", _with(job, claim, text, start, end, f"{TIED}({given})")


def _chains(tree: ast.AST) -> Iterator[ast.expr]:
    """The names that are read, each with the attributes and items that are read of it."""
    if isinstance(tree, (ast.JoinedStr, ast.pattern)):  # before Python 3.12 places in f-strings are wrong; a pattern holds no calls
        return
    if isinstance(tree, (ast.Name, ast.Attribute, ast.Subscript)) and _chain(tree):
        if isinstance(tree.ctx, ast.Load):
            yield tree
        for part in [tree, *_prefixes(tree)]:
            if isinstance(part, ast.Subscript):
                yield from _chains(part.slice)
        return
    for child in ast.iter_child_nodes(tree):
        yield from _chains(child)


def _prefixes(chain: ast.expr) -> list[ast.expr]:
    """What the last attribute or item of a chain is read of, and so on down to the name."""
    found = []
    while isinstance(chain, (ast.Attribute, ast.Subscript)):
        chain = chain.value
        found.append(chain)
    return found


def _leads_to(short: str, long: str) -> bool:
    """Whether a chain goes on from another."""
    return long == short or long.startswith((f"{short}.", f"{short}["))


def blanked(job: Job, claim: Claim) -> Iterator[tuple[str, Job]]:
    """The program in which the expression hands on arrays without anything of the trace in them, unless it only gives a local name a value."""
    whole, found = _statement(job, claim), _flagged(job, claim)
    if found is None or whole is not None and _local(whole[0][whole[1] : whole[2]], claim):
        return
    text, start, end = found
    try:
        node = ast.parse(f"({text[start:end].decode()}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return
    if _movable(node):
        names = _taken(node, claim)
        given = ", ".join(f"{BLANK}({name})" for name in names)
        yield (
            "zeros for what it is given",
            _with(job, claim, text, start, end, f"(lambda {', '.join(names)}: ({ast.unparse(node)}))({given})"),
        )


def _taken(node: ast.expr, claim: Claim) -> list[str]:
    """The names of the function that an expression reads."""
    inner = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
    inner |= {part.arg for part in ast.walk(node) if isinstance(part, ast.arg)}
    return [name for name in dict.fromkeys(_names(node)) if name in claim.bound and name not in inner]


def _local(statement: bytes, claim: Claim) -> bool:
    """Whether a statement does no more than to give local names values."""
    (node,) = ast.parse(statement).body
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, (ast.AnnAssign, ast.AugAssign)) else []
    names = [part for target in targets for part in (target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target])]
    return bool(names) and all(isinstance(name, ast.Name) and name.id in claim.bound for name in names)


@dataclass(frozen=True, slots=True)
class Probed:
    """A program that reports the parts of the flagged expression as they are evaluated (child/probes.py). `within`: the parts of each."""

    job: Job
    within: Mapping[int, tuple[int, ...]]

    @property
    def whole(self) -> int:
        """The number of the expression itself."""
        return min(self.within)

    def largest(self, wanted: Collection[int], number: int | None = None) -> Iterator[int]:
        """Of the parts that are wanted those that are in no other."""
        number = self.whole if number is None else number
        if number in wanted:
            yield number
        else:
            for part in self.within[number]:
                yield from self.largest(wanted, part)


def probed(job: Job, claim: Claim, first: int = 0) -> Probed | None:
    """The program that reports the flagged expression, number `first`, and what it is made from, under the numbers after it."""
    found = _flagged(job, claim)
    if found is None:
        return None
    text, start, end = found
    parts = _Parts(first)
    try:
        node = parts.visit(ast.parse(f"({text[start:end].decode()}\n)", mode="eval").body)
        changed = _with(job, claim, text, start, end, ast.unparse(ast.fix_missing_locations(node)))
        ast.parse(changed.files[claim.place])
    except (SyntaxError, ValueError, RecursionError):
        return None
    return Probed(changed, {number: tuple(inner) for number, inner in parts.within.items()}) if parts.within else None


def probed_together(job: Job, claims: Sequence[Claim]) -> tuple[Job, list[Probed]]:
    """The program that reports several expressions, and what is known of each that can be; of two that overlap the first one. The last in the file
    is changed first: that leaves the columns of the others."""
    apart: list[Claim] = []
    for claim in claims:
        if not any(claim.place == other.place and claim.start < other.end and other.start < claim.end for other in apart):
            apart.append(claim)
    found: dict[int, Probed] = {}
    first = 0
    for number, claim in sorted(enumerate(apart), key=lambda item: item[1].start, reverse=True):
        probe = probed(job, claim, first)
        if probe is not None:
            job, first = probe.job, first + len(probe.within)
            found[number] = probe
    job = replace(job, settings={**job.settings, "wholes": [probe.whole for probe in found.values()]})
    return job, [found[number] for number in sorted(found)]


def shares_row(one: Claim, other: Claim) -> bool:
    """Whether a change of the one would move the other's columns."""
    return one.place == other.place and one.start[0] <= other.end[0] and other.start[0] <= one.end[0]


def alone(job: Job, claim: Claim) -> Job | None:
    """The program in which the flagged expression is told to the child with what it is made from, to be compiled by itself."""
    found = _flagged(job, claim)
    if found is None:
        return None
    text, start, end = found
    try:
        node = ast.parse(f"({text[start:end].decode()}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return None
    if not _movable(node):
        return None
    names = ", ".join(_taken(node, claim))
    value = f"list({ast.unparse(node)})" if _iterated(job, claim) else ast.unparse(node)
    filler = f"{ALONE}(lambda {names}: ({value}){names and ', '}{names})"
    return _with(job, claim, text, start, end, filler)


def state_read(claim: Claim, libraries: frozenset[str]) -> list[str]:
    """The names, with attributes and items, by which the flagged expression reads what is not the function's own, nor a library's."""
    try:
        node = ast.parse(f"({claim.text}\n)", mode="eval").body
    except (SyntaxError, ValueError):
        return []
    found, waiting = [], [node]
    while waiting:
        node = waiting.pop(0)
        if _chain(node):
            root = next(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
            if root not in claim.bound | libraries:
                found.append(ast.unparse(node))
        else:
            waiting += [node.func] if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else []
            waiting += _below(node)
    return list(dict.fromkeys(found))


def in_display(job: Job, claim: Claim) -> bool:
    """Whether the flagged expression is written into a list, a tuple or a dict."""
    displays = (node for node in ast.walk(ast.parse(job.files[claim.place])) if isinstance(node, (ast.List, ast.Tuple, ast.Dict)))
    parts = (part for node in displays for part in (node.values if isinstance(node, ast.Dict) else node.elts))
    return any(_span(part) == (claim.start, claim.end) for part in parts)


def assigned(job: Job, claim: Claim) -> frozenset[str]:
    """What the flagged statement gives another value."""
    place = _statement(job, claim)
    (node,) = ast.parse(place[0][place[1] : place[2]]).body if place is not None else [None]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return frozenset(ast.unparse(target) for target in targets)


def _iterated(job: Job, claim: Claim) -> bool:
    """Whether a loop goes over the flagged expression."""
    loops = (node.iter for node in ast.walk(ast.parse(job.files[claim.place])) if isinstance(node, (ast.For, ast.comprehension)))
    return any(_span(item) == (claim.start, claim.end) for item in loops)


class _Parts(ast.NodeTransformer):
    """Every part of an expression that has a name in it asks the child for its value."""

    def __init__(self, first: int) -> None:
        self.first = first
        self.within: dict[int, list[int]] = {}
        self.around: list[list[int]] = [[]]

    def visit(self, node: ast.AST) -> Any:
        if not isinstance(node, ast.expr) or isinstance(node, (ast.Starred, ast.Slice)):
            return self.generic_visit(node)
        if not _movable(node) or not any(_names(node)):
            return node
        number = self.first + len(self.within)
        self.around[-1].append(number)
        self.around.append([])
        self.within[number] = self.around[-1]
        part: Any = node if isinstance(node, (ast.Lambda, ast.JoinedStr, *_COMPREHENSIONS)) else self.generic_visit(node)
        self.around.pop()
        arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        return ast.Call(ast.Name(HELD, ast.Load()), [ast.Constant(number), ast.Lambda(arguments, part)], [])


def _names(node: ast.AST) -> Iterator[str]:
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _movable(node: ast.AST) -> bool:
    """Whether an expression means the same in a function of its own."""
    return not any(
        isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
        or isinstance(part, ast.Name)
        and part.id in ("super", "locals", "vars", "__class__")
        for part in ast.walk(node)
    )


def _statement(job: Job, claim: Claim) -> tuple[bytes, int, int] | None:
    """The text of the file, and where the flagged statement starts and ends; an expression that is all of a statement is one."""
    place = _located(job, claim)
    if place is None:
        return None
    text, start, end = place
    tree = ast.parse(text)
    where = _widened(tree, claim)
    return (text, start, end) if any(isinstance(node, _SIMPLE) and _span(node) == where for node in ast.walk(tree)) else None


def _located(job: Job, claim: Claim) -> tuple[bytes, int, int] | None:
    """The text of the file, and where what is flagged starts and ends; of a target that is the whole statement."""
    if claim.place not in job.files:
        return None
    text = job.files[claim.place].encode()
    try:
        first, last = _widened(ast.parse(text), claim)
    except (SyntaxError, ValueError, RecursionError):
        return None
    offsets = _offsets(text)
    start, end = (offsets[row - 1] + column for row, column in (first, last))
    return text, start, end


def _offsets(text: bytes) -> list[int]:
    """Where each row begins."""
    return [0, *accumulate(len(line) + 1 for line in text.split(b"\n"))]


def _widened(tree: ast.Module, claim: Claim) -> tuple[tuple[int, int], tuple[int, int]]:
    """Where what is flagged starts and ends, in rows and columns; of the head of a choice it is the condition."""
    flagged = claim.start, claim.end
    same = [node for node in ast.walk(tree) if _span(node) == flagged]
    if any(isinstance(getattr(node, "ctx", None), (ast.Store, ast.Del)) for node in same):
        around = (_span(node) for node in ast.walk(tree) if isinstance(node, _SIMPLE))
        return next((span for span in around if span[0] <= claim.start and claim.end <= span[1]), flagged)
    inside = (_span(node) for node in ast.walk(tree) if isinstance(node, ast.expr))
    return flagged if same else min((span for span in inside if span[0] >= claim.start and span[1] == claim.end), default=flagged)


def _span(node: ast.AST) -> tuple[tuple[int, int], tuple[int, int]]:
    if not isinstance(node, (ast.expr, ast.stmt)):
        return (0, 0), (0, 0)
    return (node.lineno, node.col_offset), (node.end_lineno or 0, node.end_col_offset or 0)


def _flagged(job: Job, claim: Claim) -> tuple[bytes, int, int] | None:
    """The text of the file, and where the flagged expression starts and ends; of a statement its value."""
    place = _located(job, claim)
    if place is None:
        return None
    text, start, end = place
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


def _with(job: Job, claim: Claim, text: bytes, start: int, end: int, filler: str, *, bare: bool = False) -> Job:
    """All rows stay where they are."""
    missing = chr(10) * (text[start:end].count(b"\n") - filler.count("\n"))
    changed = text[:start] + (f"{filler}{missing}" if bare else f"({filler}{missing})").encode() + text[end:]
    return replace(job, files={**job.files, claim.place: changed.decode()})


def _leaves(flagged: str, libraries: frozenset[str]) -> Iterator[str]:
    """Names, attributes and items that an expression is made from, but for those of libraries."""
    node = ast.parse(f"({flagged}\n)", mode="eval").body
    waiting = list(_below(node)) if _chain(node) else [node]
    while waiting:
        node = waiting.pop(0)
        if _chain(node):
            if root_name(node) not in libraries:
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
