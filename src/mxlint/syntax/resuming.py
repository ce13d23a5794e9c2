"""Where a body that yields goes on: what is left to run of it from one of its yields on.

A generator that is asked for single elements runs from yield to yield. Its names are those of its activation, so all that has to be known of where it
stands is the yield: the rest of the body from there is a body of its own. A loop that yields goes on with the iterator that the activation keeps, and
a `with` block leaves the manager that it keeps.
"""

from __future__ import annotations

from collections.abc import Iterator

from mxlint.syntax import ir

_MADE: dict[int, tuple[ir.FuncDef, ir.FuncDef | None, dict[int, ir.FuncDef | None]]] = {}
"""By the identity of its node, a function with its body as it can be gone on with, and its rests by yield."""


def resumable(node: ir.FuncDef | ir.Lambda) -> ir.FuncDef | None:
    """A function that yields as it can be gone on with from each of its yields; None where there is one from which it cannot."""
    if not isinstance(node, ir.FuncDef):
        return None
    known = _MADE.get(id(node))
    if known is None or known[0] is not node:
        made = _with(node, _all(node.body))
        if any(_from(made.body, at) is None for at in _yields(made.body)):
            known = _MADE[id(node)] = (node, None, {})
        else:
            known = _MADE[id(node)] = (node, made, {})
    return known[1]


def rest(node: ir.FuncDef, at: int) -> ir.FuncDef | None:
    """What is left of such a function from the yield at an offset on: it begins with a yield that gives nothing, where what is sent or thrown arrives."""
    made = resumable(node)
    if made is None:
        return None
    rests = _MADE[id(node)][2]
    if at not in rests:
        body = _from(made.body, at)
        rests[at] = _with(node, body) if body is not None else None
    return rests[at]


def is_guarded(node: ir.FuncDef | ir.Lambda) -> bool:
    """Whether a function that can be gone on with yields within a `try` or `with`, so that closing it may run something."""
    made = resumable(node)
    return made is not None and any(_guards(made.body))


def _guards(part: object) -> Iterator[bool]:
    """Of each `try` and `with` in a part of a body, whether it yields."""
    if isinstance(part, (ir.Try, ir.Entered)):
        yield any(True for _ in _yields(part))
    elif isinstance(part, tuple):
        for inner in part:
            yield from _guards(inner)
    elif isinstance(part, (ir.If, ir.For, ir.While, ir.Match, ir.Case)):
        for field in type(part).__match_args__[2:]:
            yield from _guards(getattr(part, field))


def _with(node: ir.FuncDef, body: ir.Body) -> ir.FuncDef:
    fields = {name: getattr(node, name) for name in type(node).__match_args__}
    return ir.FuncDef(**{**fields, "body": body})


def _yields(part: object) -> Iterator[int]:
    """The offsets of the yields in a part of a body, without those of functions in it."""
    if isinstance(part, ir.Yield):
        yield part.start
    if isinstance(part, tuple):
        for inner in part:
            yield from _yields(inner)
    elif isinstance(part, ir.Node) and not isinstance(part, (ir.FuncDef, ir.Lambda, ir.ClassDef)):
        fields: tuple[str, ...] = type(part).__match_args__[2:]
        for field in fields:
            yield from _yields(getattr(part, field))


def _keeping(statement: ir.Stmt) -> ir.Body:
    """The same statement: its loops that yield keep their iterators, its `with` blocks their managers, and `yield from` is such a loop."""
    if not any(True for _ in _yields(statement)):
        return (statement,)
    start, end = statement.start, statement.end
    match statement:
        case ir.ExprStmt(value=ir.Yield(source=True) as whole):
            return (*_delegating(whole), ir.ExprStmt(start, end, ir.Returned(whole.start, whole.end, whole.start)))
        case ir.Assign(value=ir.Yield(source=True) as whole):
            returned = ir.Returned(whole.start, whole.end, whole.start)
            return (*_delegating(whole), ir.Assign(start, end, statement.targets, returned, statement.annotation))
        case ir.Return(value=ir.Yield(source=True) as whole):
            return (*_delegating(whole), ir.Return(start, end, ir.Returned(whole.start, whole.end, whole.start)))
        case ir.For(is_async=False):
            kept = ir.Kept(statement.iter.start, statement.iter.end, statement.iter, start)
            return (ir.For(start, end, statement.target, kept, _all(statement.body), _all(statement.orelse), False),)
        case ir.While():
            return (ir.While(start, end, statement.test, _all(statement.body), _all(statement.orelse)),)
        case ir.With():
            body = _all(statement.body)
            for manager, target in reversed(statement.items):
                body = (ir.Entered(start, end, manager, target, manager.start, body, statement.is_async),)
            return body
        case ir.If():
            return (ir.If(start, end, statement.test, _all(statement.body), _all(statement.orelse)),)
        case ir.Try():
            handlers = tuple(ir.Handler(h.start, h.end, h.type, h.name, _all(h.body)) for h in statement.handlers)
            return (ir.Try(start, end, _all(statement.body), handlers, _all(statement.orelse), _all(statement.final), statement.star),)
        case ir.Match():
            cases = tuple(ir.Case(c.start, c.end, c.pattern, c.binds, c.guard, _all(c.body)) for c in statement.cases)
            return (ir.Match(start, end, statement.subject, cases),)
    return (statement,)


def _delegating(whole: ir.Yield) -> ir.Body:
    """`yield from value` as a loop."""
    assert whole.value is not None
    start = whole.start
    name = ir.Kept(start, start, None, -start)
    item = ir.ExprStmt(start, start, ir.Yield(start, start, name, False))
    kept = ir.Kept(whole.value.start, whole.value.end, whole.value, whole.start)
    return (ir.For(whole.start, whole.end, name, kept, (item,), (), False),)


def _all(body: ir.Body) -> ir.Body:
    return tuple(kept for statement in body for kept in _keeping(statement))


def _from(body: ir.Body, at: int) -> ir.Body | None:
    """The statements from the yield at an offset on; None where it is not in them, or where one cannot go on from it."""
    for number, statement in enumerate(body):
        resumed = _resumed(statement, at)
        if resumed is not None:
            return (*resumed, *body[number + 1 :])
    return None


def _resumed(statement: ir.Stmt, at: int) -> ir.Body | None:
    """What is left of a statement from the yield at an offset on."""
    start, end = statement.start, statement.end
    match statement:
        case ir.ExprStmt(value=ir.Yield(source=False) as given) if given.start == at:
            return (ir.ExprStmt(start, end, _waiting(given)),)
        case ir.Assign(value=ir.Yield(source=False) as given) if given.start == at:
            return (ir.Assign(start, end, statement.targets, _waiting(given), statement.annotation),)
        case ir.AugAssign(value=ir.Yield(source=False) as given, target=ir.Name()) if given.start == at:
            return (ir.AugAssign(start, end, statement.op, statement.target, _waiting(given)),)
        case ir.Return(value=ir.Yield(source=False) as given) if given.start == at:
            return (ir.Return(start, end, _waiting(given)),)
        case ir.Entered():
            body = _from(statement.body, at)
            return None if body is None else (ir.Entered(start, end, None, None, statement.number, body, statement.is_async),)
        case ir.If():
            return _from(statement.body, at) or _from(statement.orelse, at)
        case ir.Match():
            return next((body for case in statement.cases if (body := _from(case.body, at)) is not None), None)
        case ir.For(iter=ir.Kept() as iterator, is_async=False):
            body = _from(statement.body, at)
            if body is None:
                return _from(statement.orelse, at)
            if isinstance(statement.target, ir.Kept):  # of a `yield from`
                body = (ir.Assign(start, end, (statement.target,), ir.Forward(start, start, iterator.number), None), *statement.body)
            kept = ir.Kept(iterator.start, iterator.end, None, iterator.number)
            return (ir.Onward(start, end, body, ir.For(start, end, statement.target, kept, statement.body, statement.orelse, False)),)
        case ir.While():
            if (body := _from(statement.body, at)) is not None:
                return (_once(statement, body),)
            return _from(statement.orelse, at)
        case ir.Try():
            if (body := _from(statement.body, at)) is not None:
                return (ir.Try(start, end, body, statement.handlers, statement.orelse, statement.final, statement.star),)
            inside = (*(handler.body for handler in statement.handlers), statement.orelse)
            found = next((body for part in inside if (body := _from(part, at)) is not None), None)
            return (ir.Try(start, end, found, (), (), statement.final, statement.star),) if found is not None and statement.final else found
    return None


def _waiting(given: ir.Yield) -> ir.Yield:
    return ir.Yield(given.start, given.end, None, False)


def _once(loop: ir.While, body: ir.Body) -> ir.Stmt:
    """The rest of a round of a loop, and the rounds after it unless it ends by a break."""
    empty = ir.Seq(loop.start, loop.start, "tuple", ())
    return ir.For(loop.start, loop.end, empty, ir.Seq(loop.start, loop.start, "tuple", (empty,)), body, (loop,), False)
