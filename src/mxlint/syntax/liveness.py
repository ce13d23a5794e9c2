"""Dead names: which names of a function no path from the head of a loop, or from a yield, reads before it binds them.

What such a name holds when a round begins, or when a generator goes on, decides nothing. The analysis errs on one side alone, a name that it calls dead is dead: what blocks
within the function read is never dead, nor are parameters; what is raised may go to each handler around, from everywhere in its `try`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

from mxlint.syntax import ir

Names: TypeAlias = frozenset[str]

NONE: Final[Names] = frozenset()
MIRRORS: Final = frozenset(("locals", "vars", "dir", "eval", "exec"))
"""Built-in functions that may read a name that is not written there."""


class Dead(NamedTuple):
    """The names of a function that are dead, in order: where its body begins, and where a round of each loop begins, by the identity of its node."""

    start: tuple[str, ...]
    loops: dict[int, tuple[str, ...]]


def dead_names(function: ir.FuncDef, held: Names = NONE) -> Dead:
    """The dead names of a function, or of what is left of one that yields. `held`: names of blocks within it that may have been made before."""
    return _Function(function).dead(held)


def names_of_blocks(function: ir.FuncDef) -> Names:
    """The names that blocks within a function read."""
    return frozenset(_Function(function).inner)


def names_of_its_own(function: ir.FuncDef) -> tuple[str, ...]:
    """The names of a function that no block within it has: what they hold is gone when the function returns."""
    if names_read(function) is None:
        return ()
    bound = function.scope.bound.union(param.name for param in function.params)
    return tuple(sorted(bound - _Function(function).inner))


def names_read(function: ir.FuncDef) -> Names | None:
    """The names in a function but for those that assignments and loops bind, and those behind the end of a block; None if any may be read."""
    found: set[str] = set()
    todo: list[object] = [function.body]
    while todo:
        part = todo.pop()
        if isinstance(part, ir.Name):
            found.add(part.id)
        elif isinstance(part, ir.Assign):
            todo += (part.value, *map(_beside_names, part.targets))
        elif isinstance(part, ir.For):
            todo += (_beside_names(part.target), part.iter, part.body, part.orelse)
        elif isinstance(part, tuple):
            todo += _reached(part)
        else:
            todo += _parts(part)
    return None if MIRRORS & found else frozenset(found)


def unasked(function: ir.FuncDef) -> frozenset[tuple[int, int]]:
    """Where the expressions of a function stand whose value nothing uses: those that are statements, and those of names that nothing reads."""
    found: set[tuple[int, int]] = set()
    read = names_read(function)
    todo: list[object] = [function.body]
    while todo:
        part = todo.pop()
        if isinstance(part, tuple):
            todo += part
            continue
        names = part.targets if isinstance(part, ir.Assign) and read is not None else ()
        unread = names and all(
            isinstance(name, ir.Name) and name.id in function.scope.bound and name.id not in (read or ()) for name in names
        )
        if isinstance(part, (ir.ExprStmt, ir.Assign)) and (unread or isinstance(part, ir.ExprStmt)) and part.value is not None:
            found.add((part.value.start, part.value.end))
        todo += _parts(part)
    return frozenset(found)


def _reached(parts: Sequence[object]) -> Sequence[object]:
    """The statements of a block up to the one that leaves it."""
    end = next((number for number, part in enumerate(parts, 1) if isinstance(part, (ir.Return, ir.Raise))), None)
    return parts[:end]


def _beside_names(target: ir.Expr) -> object:
    """What a target reads: no name that it binds."""
    if isinstance(target, ir.Seq):
        return tuple(map(_beside_names, target.items))
    return _beside_names(target.value) if isinstance(target, ir.Starred) else () if isinstance(target, ir.Name) else target


class _Around(NamedTuple):
    """The names that are read from where a statement may lead beside its end: `raised` where an exception goes to, `broken` and `continued` where
    a break and a continue do."""

    raised: Names
    broken: Names
    continued: Names


class _Function:
    """One pass from the end of a function to its start."""

    def __init__(self, function: ir.FuncDef) -> None:
        self.inner: set[str] = set()
        """Names that blocks within read."""
        self._live: dict[int, Names] = {}
        """The names that are read from the head of each loop."""
        self._function = function
        self._start = self._body(function.body, NONE, _Around(NONE, NONE, NONE))

    def dead(self, held: Names) -> Dead:
        """The dead names, where those in `held` may be read at any time."""
        inner = self.inner | held
        own = self._function.scope.bound - inner.union(param.name for param in self._function.params)
        names = NONE if MIRRORS & inner.union(self._start, *self._live.values()) else own
        loops = {loop: tuple(sorted(names - live)) for loop, live in self._live.items()}
        return Dead(tuple(sorted(names - self._start)), loops)

    # -- statements --

    def _body(self, body: Iterable[ir.Stmt], after: Names, around: _Around) -> Names:
        """The names that are read from the start of statements, of those that are read after them."""
        for statement in reversed(tuple(body)):
            after = self._statement(statement, after, around) | around.raised
        return after

    def _statement(self, node: ir.Stmt, after: Names, around: _Around) -> Names:
        if isinstance(node, ir.Assign) and node.value is None:
            return after.union(*map(self._read, node.targets))  # an annotation alone binds nothing
        if isinstance(node, ir.Assign):
            for target in reversed(node.targets):
                after = self._bound(target, after)
            return after | self._read(node.value)
        if isinstance(node, ir.If):
            return self._read(node.test) | self._body(node.body, after, around) | self._body(node.orelse, after, around)
        if isinstance(node, (ir.For, ir.While)):
            return self._loop(node, after, around)
        if isinstance(node, ir.Onward):
            head = self._loop(node.loop, after, around)
            return self._body(node.round, head, around._replace(broken=after, continued=head))
        if isinstance(node, ir.Try):
            return self._try(node, after, around)
        if isinstance(node, ir.Entered):
            inside = self._body(node.body, after, around._replace(raised=around.raised | after))
            return (inside if node.target is None else self._bound(node.target, inside)) | self._read(node.manager) | after
        if isinstance(node, ir.With):
            # A manager may swallow what is raised inside, and what the managers after it raise.
            swallowed = after
            after = self._body(node.body, after, around._replace(raised=around.raised | after))
            for number, (manager, bound) in reversed(tuple(enumerate(node.items))):
                after = (after if bound is None else self._bound(bound, after)) | self._read(manager)
                after |= swallowed if number else NONE
            return after
        if isinstance(node, ir.Match):
            cases = (self._body(case.body, after, around) | self._read(case.pattern) | self._read(case.guard) for case in node.cases)
            return self._read(node.subject).union(after, *cases)
        if isinstance(node, ir.Flow) and node.kind != "pass":
            return around.broken if node.kind == "break" else around.continued
        if isinstance(node, (ir.Return, ir.Raise)):
            return self._read(node)
        return after | self._read(node)

    def _loop(self, node: ir.For | ir.While, after: Names, around: _Around) -> Names:
        ended = self._body(node.orelse, after, around)
        head = ended
        for _ in range(2):  # what a round reads at its end it reads at the head of the next one: nothing else comes round
            inside = self._body(node.body, head, around._replace(broken=after, continued=head))
            head = ended | (self._read(node.test) | inside if isinstance(node, ir.While) else self._bound(node.target, inside))
        # A loop that is come to in several ways, as one in a `finally`, has what is read after each of them.
        self._live[id(node)] = self._live.get(id(node), NONE) | head | around.raised
        return head | self._read(node.iter) if isinstance(node, ir.For) else head

    def _try(self, node: ir.Try, after: Names, around: _Around) -> Names:
        final = self._body(node.final, after | around.raised, around)
        leaving = around
        if node.final:
            left = self._body(node.final, around.raised | around.broken | around.continued, around)
            leaving = _Around(around.raised | left, around.broken | left, around.continued | left)
        handlers = (self._read(handler.type) | self._body(handler.body, final, leaving) for handler in node.handlers)
        raised = leaving.raised.union(*handlers)
        orelse = self._body(node.orelse, final, leaving)
        return self._body(node.body, orelse, leaving._replace(raised=raised)) | raised

    # -- expressions --

    def _bound(self, target: ir.Expr, after: Names) -> Names:
        """The names that are read from before a target is bound, of those that are read after it."""
        if isinstance(target, ir.Name):
            return after - {target.id}
        if isinstance(target, ir.Seq):
            for item in reversed(target.items):
                after = self._bound(item, after)
            return after
        if isinstance(target, ir.Starred):
            return self._bound(target.value, after)
        return after | self._read(target)

    def _read(self, node: ir.Node | None) -> Names:
        """The names in a node, which may read them. Those of blocks within it are kept apart."""
        found: set[str] = set()
        todo: list[object] = [node]
        while todo:
            part = todo.pop()
            if isinstance(part, ir.Name):
                found.add(part.id)
            elif isinstance(part, (ir.FuncDef, ir.ClassDef, ir.Lambda)) or isinstance(part, ir.Comp) and part.kind == "generator":
                self.inner.update(name for inner in _nodes(part) if isinstance(inner, ir.Name) for name in (inner.id,))
            else:
                todo += _parts(part)
        return frozenset(found)


def _nodes(node: object) -> Iterator[object]:
    """A node and all within it."""
    todo = [node]
    while todo:
        part = todo.pop()
        yield part
        todo += _parts(part)


def _parts(part: object) -> Iterator[object]:
    if isinstance(part, ir.Node):
        yield from part.inner()
    elif isinstance(part, tuple):
        yield from part
