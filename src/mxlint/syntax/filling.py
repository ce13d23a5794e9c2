"""Statements that fill what is empty: assignments to an attribute or item that run only where a test has found nothing there.

`if key not in table: table[key] = …`, `value = table.get(key)` with `if value is None: table[key] = …`, `if self.table is None: self.table = …`.
Such a statement changes nothing for what has found something there, or has put something there, before. The analysis errs on one side alone: where it
says so, nothing of the names and attributes by which the place is named is bound between the test and the assignment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from mxlint.syntax import ir
from mxlint.syntax.binds import names, targets
from mxlint.syntax.slots import Slot, names_in, slot_of

Span: TypeAlias = tuple[int, int]
Empty: TypeAlias = Mapping[Slot, Span]
"""What is known to be empty, each with the stretch of code that runs only where it is, or was when that began."""


def fillings(function: ir.FuncDef) -> Mapping[Span, Span]:
    """Where the assignments of a function stand that fill what is empty: the offsets of their targets, and what runs only where that is empty."""
    shared: dict[str, Slot] = {name: ("name", name) for name in function.scope.globals}
    return dict(_block(function.body, {}, shared))


def _block(body: Sequence[ir.Stmt], empty: Empty, read: dict[str, Slot]) -> Iterator[tuple[Span, Span]]:
    """The fillings of a block. `empty`: what is known to be empty where it begins; `read`: of which slot a name holds what lay there. A name of another
    block, which is there before the function runs, is a slot itself."""
    read = dict(read)
    end = body[-1].end if body else 0
    for stmt in body:
        for target in targets(stmt):
            slot = slot_of(target)
            if slot is not None and slot in empty:
                yield (target.start, target.end), empty[slot]
                empty = {other: span for other, span in empty.items() if other != slot}
        if isinstance(stmt, ir.If):
            for inside, outcome in ((stmt.body, True), (stmt.orelse, False)):
                yield from _block(inside, _with(empty, _emptied(stmt.test, outcome, read), inside), read)
        elif isinstance(stmt, ir.Try):
            yield from _try(stmt, empty, read)
        elif isinstance(stmt, ir.With):
            yield from _block(stmt.body, empty, read)
        elif isinstance(stmt, (ir.For, ir.While)):
            inner = {name for part in stmt.body for name in names(part)} | {name for target in targets(stmt) for name in _named(target)}
            yield from _block(stmt.body, _beside(empty, inner), {name: slot for name, slot in read.items() if _is_itself(name, slot)})
        bound = set(names(stmt))
        empty = _beside(empty, bound)
        read = {
            name: slot for name, slot in read.items() if _is_itself(name, slot) or name not in bound and bound.isdisjoint(names_in(slot))
        }
        if isinstance(stmt, ir.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], ir.Name) and stmt.value is not None:
            slot = _read(stmt.value)
            if slot is not None and stmt.targets[0].id not in names_in(slot):
                read[stmt.targets[0].id] = slot
        if isinstance(stmt, ir.If):
            empty = {**dict.fromkeys(_behind(stmt, read), (stmt.end, end)), **empty}


def _with(empty: Empty, more: Iterable[Slot], body: Sequence[ir.Stmt]) -> Empty:
    """What is known to be empty in a block, and what is known of it there alone."""
    span = (body[0].start, body[-1].end) if body else (0, 0)
    return {**dict.fromkeys(more, span), **empty}


def _is_itself(name: str, slot: Slot) -> bool:
    """Whether a name is a slot: it holds what lies there, whatever is bound."""
    return slot == ("name", name)


def _try(stmt: ir.Try, empty: Empty, read: dict[str, Slot]) -> Iterator[tuple[Span, Span]]:
    """`try: return table[key]` with a handler of KeyError that puts it there."""
    for part in (stmt.body, stmt.orelse, stmt.final):
        yield from _block(part, empty, read)
    first = stmt.body[0] if len(stmt.body) == 1 else None
    value = first.value if isinstance(first, (ir.Return, ir.Assign)) else None
    slot = slot_of(value) if isinstance(value, (ir.Sub, ir.Attr)) else None
    kind = "KeyError" if isinstance(value, ir.Sub) else "AttributeError"
    for handler in stmt.handlers:
        missing = isinstance(handler.type, ir.Name) and handler.type.id == kind
        yield from _block(handler.body, _with(empty, (slot,), handler.body) if slot is not None and missing else empty, read)


def _behind(stmt: ir.If, read: dict[str, Slot]) -> Iterator[Slot]:
    """What is empty behind a test of which one side leaves."""
    bound = {name for part in (*stmt.body, *stmt.orelse) for name in names(part)}
    for body, other in ((stmt.body, False), (stmt.orelse, True)):
        if body and _leaves(body[-1]):
            yield from (slot for slot in _emptied(stmt.test, other, read) if bound.isdisjoint(names_in(slot)))


def _leaves(stmt: ir.Stmt) -> bool:
    return isinstance(stmt, (ir.Return, ir.Raise)) or isinstance(stmt, ir.Flow) and stmt.kind in ("break", "continue")


def _emptied(test: ir.Expr, outcome: bool, read: dict[str, Slot]) -> Iterator[Slot]:
    """What a test says to be empty."""
    if isinstance(test, ir.Unary) and test.op == "not":
        yield from _emptied(test.operand, not outcome, read)
    elif isinstance(test, ir.BoolOp) and (test.op == "and") is outcome:
        yield from _emptied(test.left, outcome, read)
        yield from _emptied(test.right, outcome, read)
    elif isinstance(test, ir.Compare) and len(test.ops) == 1:
        op, left, right = test.ops[0], test.left, test.rights[0]
        if op in ("is", "is not") and (op == "is") is outcome and isinstance(right, ir.Const) and right.value is None:
            slot = _read(left)
            found = read.get(left.id) if isinstance(left, ir.Name) else slot
            if found is not None:
                yield found
        elif op in ("in", "not in") and (op == "not in") is outcome:
            owner, key = slot_of(right), slot_of(left)
            if owner is not None and key is not None:
                yield "[]", owner, key
    elif isinstance(test, ir.Call) and not outcome and isinstance(test.func, ir.Name) and test.func.id == "hasattr":
        slot = _attribute(test.args)
        if slot is not None:
            yield slot


def _read(node: ir.Expr) -> Slot | None:
    """Of which slot an expression gives what lies there, None where nothing does."""
    if isinstance(node, (ir.Attr, ir.Sub)):
        return slot_of(node)
    if isinstance(node, ir.Walrus):
        found = _read(node.value)
        return found if found is not None and node.target.id not in names_in(found) else None
    if not isinstance(node, ir.Call):
        return None
    others = node.args[2:] if isinstance(node.func, ir.Name) else node.args[1:]
    if any(not isinstance(arg.value, ir.Const) or arg.value.value is not None for arg in others):
        return None
    if isinstance(node.func, ir.Name) and node.func.id == "getattr":
        return _attribute(node.args)
    if isinstance(node.func, ir.Attr) and node.func.name == "get" and node.args and not node.args[0].star:
        owner, key = slot_of(node.func.value), slot_of(node.args[0].value)
        return None if owner is None or key is None else ("[]", owner, key)
    return None


def _attribute(args: Sequence[ir.Arg]) -> Slot | None:
    """The attribute that `getattr(owner, "name", …)` asks for."""
    if len(args) < 2 or args[0].star or not isinstance(args[1].value, ir.Const):
        return None
    owner = slot_of(args[0].value)
    return None if owner is None else (".", owner, args[1].value.value)


def _beside(slots: Empty, bound: set[str]) -> Empty:
    """The slots that are not named by a name which is bound."""
    return {slot: span for slot, span in slots.items() if bound.isdisjoint(names_in(slot))}


def _named(target: ir.Expr) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.id
