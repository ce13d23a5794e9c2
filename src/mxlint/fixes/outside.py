"""MX101 and MX202: what prints or keeps an array of a trace done after the call, with the array returned; or what prints left out."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from mxlint.finding import Edit, Fix
from mxlint.fixes.compiled import Call, calls_of, function_at, offer
from mxlint.fixes.edits import joined
from mxlint.fixes.remedies import Offer, Outside
from mxlint.fixes.scopes import SCOPES, bound, local_names, needed
from mxlint.fixes.syntax import Sources, Syntax, syntax_of
from mxlint.fixes.tree import Tree, named_anew
from mxlint.source import lines_of
from mxlint.suppressions import names_rules


def outside(remedy: Outside, sources: Sources) -> Iterator[Fix | Offer]:
    """Move a statement of the body behind the calls of the compiled function."""
    syntax = syntax_of(sources, remedy.place)
    node = syntax.at(remedy.place) if syntax is not None else None
    if syntax is None or node is None:
        return
    statement = syntax.statement(node)
    if not _can_move(statement):
        return  # the rest of the function has to do with what it makes
    if _waits(syntax, statement, remedy):
        return  # what comes later is moved first: each comes right after the call
    try:
        text = " ".join(syntax.text(statement).split())
        edits = _returned(syntax, statement, remedy, sources)
        function, site = function_at(syntax, remedy.function), syntax.at(remedy.site)
        if edits is not None and function is not None and site is not None:
            yield offer(Fix("unsafe", f"return what {text} needs, and do it after the call", tuple(edits)), syntax, site, function)
        if remedy.needless and isinstance(statement, ast.Expr):
            yield Fix("unsafe", f"leave out {text}", tuple(_left_out(syntax, statement)))
    except (ValueError, LookupError):  # other statements share the lines
        return


def _can_move(statement: ast.stmt) -> bool:
    """Whether a statement leaves nothing that the rest of its function has to do with: a call, or something kept elsewhere."""
    if any(isinstance(part, ast.NamedExpr) for part in ast.walk(statement)):
        return False
    if isinstance(statement, ast.Assign):
        return all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in statement.targets)
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)


def _waits(syntax: Syntax, statement: ast.stmt, remedy: Outside) -> bool:
    """Whether a later statement of the function is to be done outside as well."""
    function = function_at(syntax, remedy.function)
    block = function.body if isinstance(function, ast.FunctionDef) and statement in function.body else []
    later = [part for part in block[block.index(statement) + 1 :] if _can_move(part)] if block else []
    places = [syntax.stretch(place) for place in remedy.others if place.filename == syntax.source.name]
    return any(syntax.start(part) <= start and end <= syntax.end(part) for part in later for start, end in places)


def _left_out(syntax: Syntax, statement: ast.Expr) -> list[Edit]:
    """The statement without its line. What was said about it stays, but for what is said to mxlint alone."""
    tree = Tree(syntax, statement)
    line = tree.find(statement, cst.SimpleStatementLine)
    if len(syntax.block(statement)) == 1:
        return tree.replaced({tree.find(statement, cst.Expr): cst.Pass()})
    assert statement.end_lineno is not None
    start, end = syntax.source.offset(syntax.first_row(statement)), syntax.source.offset(statement.end_lineno + 1)
    comment = line.trailing_whitespace.comment
    if comment is None or names_rules(comment.value.encode()):
        return [syntax.edit(start, end, "")]
    text = syntax.source.text[start:end]
    return [syntax.edit(start, end, f"{syntax.indent(statement)}{comment.value}{text[len(text.rstrip()) :]}")]


# -- returned, and done outside ---------------------------------------------------------------------------------------


def _returned(syntax: Syntax, statement: ast.stmt, remedy: Outside, sources: Sources) -> list[Edit] | None:
    """The names that a statement of the compiled function needs returned, and the statement done after each call."""
    function, site = function_at(syntax, remedy.function), syntax.at(remedy.site)
    if not isinstance(function, ast.FunctionDef) or site is None or statement not in function.body or syntax.has_long_string(statement):
        return None
    calls = calls_of(syntax, site, function, remedy.calls, sources)
    if not calls:
        return None
    local = needed(statement) & local_names(function)
    names = sorted(local - set(calls[0].names))
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    after = function.body[function.body.index(statement) + 1 :]
    if not names or returns != after[-1:] or names_bound(after) & {*names}:
        return None
    if isinstance(statement, ast.Assign) and _reads(syntax, after, statement.targets):
        return None
    own = returns[0].value
    uses = [_use(syntax, call, own, kept=local & set(call.names)) for call in calls]
    if own is None or any(use is None or not syntax.means_the_same(statement, use.statement) for use in uses):
        return None
    flat = isinstance(own, ast.Tuple) and all(use is not None and use.unpacks(own) for use in uses)
    given = [item.id if isinstance(item, ast.Name) else "" for item in own.elts] if flat and isinstance(own, ast.Tuple) else []
    given = given if len({*given}) == len(given) else []
    returned = [own.id] if isinstance(own, ast.Name) else given
    more = [name for name in names if name not in returned]
    edits: list[Edit] = []
    for use in uses:
        made = use.taken(syntax, statement, returned if more != names else [], more, flat=flat) if use is not None else None
        if made is None:
            return None
        edits += made
    tree = Tree(syntax, function)
    changes: dict[cst.CSTNode, cst.CSTNode | cst.RemovalSentinel] = {tree.find(statement, cst.SimpleStatementLine): cst.RemoveFromParent()}
    if more:
        value = tree.find(own, cst.BaseExpression)  # type: ignore[type-abstract]
        elements = value.elements if flat and isinstance(value, cst.Tuple) else [cst.Element(_in_parentheses(value))]
        changes[tree.find(returns[0], cst.Return)] = tree.find(returns[0], cst.Return).with_changes(
            value=cst.Tuple([*elements, *(cst.Element(cst.Name(name)) for name in more)], lpar=(), rpar=())
        )
    return [*edits, *tree.replaced(changes)]


def _in_parentheses(value: cst.BaseExpression) -> cst.BaseExpression:
    """A result as one item of a tuple."""
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]) if isinstance(value, cst.Tuple) and not value.lpar else value


def names_bound(statements: Sequence[ast.stmt]) -> set[str]:
    return {name for statement in statements for name in bound(statement)}


def _reads(syntax: Syntax, statements: Sequence[ast.stmt], targets: Sequence[ast.expr]) -> bool:
    """Whether any of the statements has to do with what is assigned to."""
    texts = {syntax.text(target) for target in targets}
    return any(isinstance(node, ast.expr) and syntax.text(node) in texts for statement in statements for node in ast.walk(statement))


@dataclass(frozen=True, slots=True)
class _Use:
    """A statement with a call of the compiled function. `whole`: it is nothing but that call, with or without a name for its result; else nothing is
    done in it before the call. `object`: the names by which the moved statement has the object that a method belongs to, as they are written here."""

    statement: ast.stmt
    call: ast.Call
    whole: bool
    object: Mapping[str, str]

    def unpacks(self, value: ast.Tuple) -> bool:
        """Whether the parts of a result have a name each."""
        target = self._target()
        return (
            isinstance(target, ast.Tuple)
            and len(target.elts) == len(value.elts)
            and all(isinstance(item, ast.Name) for item in target.elts)
            and not any(isinstance(item, ast.Starred) for item in value.elts)
        )

    def taken(self, syntax: Syntax, moved: ast.stmt, first: list[str], more: list[str], *, flat: bool) -> list[Edit] | None:
        """The call with names for what it returns as well, and the statement that needs them after it. `first`: the names that stand for
        the whole result as it is, or for its parts."""
        if not self.whole:
            return self._lifted(syntax, moved, first, more)
        target = self._target()
        names = self._names(syntax, [*first, *more])
        if flat and isinstance(target, ast.Tuple):
            names |= {name: item.id for name, item in zip(first, target.elts) if name and isinstance(item, ast.Name)}
        elif first and isinstance(target, ast.Name):
            names[first[0]] = target.id
        elif first and target is not None:
            return None
        text = syntax.text(target) if target is not None else names[first[0]] if first else _unused(syntax)
        if isinstance(target, ast.Tuple) and not flat and more and not text.startswith("("):
            text = f"({text})"
        elif flat:
            text = text.removeprefix("(").removesuffix(")")
        bound_to = ", ".join([text, *(names[name] for name in more)])
        after = syntax.after(self.statement, _renamed(syntax, moved, {**names, **self.object}))
        start = syntax.start(self.statement)
        head = syntax.edit(start, syntax.start(self.call), f"{bound_to} = ")
        return None if after is None or "\n" in head.content else [after, *([] if text == bound_to and target is not None else [head])]

    def _lifted(self, syntax: Syntax, moved: ast.stmt, first: list[str], more: list[str]) -> list[Edit] | None:
        """The call before the statement, under a name that the statement has instead."""
        result = first[0] if len(first) == 1 else "result"
        names = self._names(syntax, [result, *more])
        bound_to = ", ".join([names[result], *(names[name] for name in more)])
        first_line, *rest = lines_of(syntax.text(self.call))
        inserted = syntax.before(self.statement, [f"{bound_to} = {first_line}"])
        moved_lines = syntax.before(self.statement, _renamed(syntax, moved, {**names, **self.object}))
        if inserted is None or moved_lines is None or syntax.has_long_string(self.call):
            return None
        newline = syntax.source.newline(inserted.span.start.row)
        call = newline.join([inserted.content.rstrip("\r\n"), *rest]) + newline
        return joined(Edit(call + moved_lines.content, inserted.span), [syntax.replace(self.call, names[result])])

    def _target(self) -> ast.expr | None:
        return self.statement.targets[0] if self.whole and isinstance(self.statement, ast.Assign) else None

    def _names(self, syntax: Syntax, wanted: Sequence[str]) -> dict[str, str]:
        """Names for what the function has under those: the same where they are free."""
        scope = syntax.function(self.statement)
        names_in = (node.id for node in ast.walk(scope) if isinstance(node, ast.Name) and syntax.owner_of(node.id, node) is scope)
        taken = {*names_in, *local_names(scope)}
        return {name: name if name not in taken else syntax.fresh(name) for name in wanted}


def _unused(syntax: Syntax) -> str:
    """A name for what nobody wants: `_`, where the file has no other use for it."""
    read = any(isinstance(node, ast.Name) and node.id == "_" and isinstance(node.ctx, ast.Load) for node in ast.walk(syntax.tree))
    return syntax.fresh("result") if read else "_"


def _use(syntax: Syntax, call: Call, result: ast.expr | None, *, kept: set[str]) -> _Use | None:
    """The statement of a call, if the result can be taken apart there. `kept`: the names of the object that the moved statement needs."""
    statement = syntax.statement(call.node)
    if syntax.start(call.node) < syntax.start(statement) or not syntax.alone(statement):
        return None
    if isinstance(next(scope for scope in syntax.up(statement) if isinstance(scope, (*SCOPES, ast.Module))), ast.ClassDef):
        return None  # names that are bound there are attributes
    parent = syntax.parents[call.node]
    single = isinstance(statement, ast.Assign) and len(statement.targets) == 1
    whole = parent is statement and (single or isinstance(statement, ast.Expr))
    names = {name: text for name, text in call.names.items() if name in kept}
    if whole and isinstance(statement, ast.Assign) and {*map(_root, names.values())} & bound(statement):
        return None  # the object is not to be had any more
    if not whole and not _comes_first(syntax, call.node, statement):
        return None
    return _Use(statement, call.node, whole, names)


def _root(text: str) -> str:
    """The name that an object is reached from."""
    return text.partition(".")[0]


def _comes_first(syntax: Syntax, call: ast.Call, statement: ast.stmt) -> bool:
    """Whether a statement calls that, once, before it does anything else."""
    if not isinstance(statement, (ast.Expr, ast.Assign, ast.AnnAssign, ast.Return)):
        return False
    node: ast.AST = call
    while node is not statement:
        parent = syntax.parents[node]
        before = _before(parent, node)
        if before is None or not all(isinstance(part, (ast.Name, ast.Constant)) for part in before):
            return False
        node = parent
    return True


def _before(parent: ast.AST, node: ast.AST) -> list[ast.expr] | None:
    """What an expression or a simple statement evaluates before one of its parts; None where that may be left out, or happen more than once."""
    if isinstance(parent, ast.Call):
        function = parent.func
        called = [function.value if isinstance(function, ast.Attribute) else function]
        if node is function:
            return []
        given = [*parent.args, *(item.value for item in parent.keywords)]
        inner = node.value if isinstance(node, ast.keyword) else node
        return [*called, *given[: next(number for number, item in enumerate(given) if item is inner)]]
    if isinstance(parent, (ast.Attribute, ast.keyword, ast.Expr, ast.Return, ast.UnaryOp, ast.Assign, ast.AnnAssign)):
        value = parent.operand if isinstance(parent, ast.UnaryOp) else parent.value
        return [] if node is value else None
    if isinstance(parent, ast.BinOp):
        return [] if node is parent.left else [parent.left]
    if isinstance(parent, ast.Subscript):
        return [] if node is parent.value else [parent.value]
    if isinstance(parent, (ast.Tuple, ast.List)):
        return parent.elts[: next(number for number, item in enumerate(parent.elts) if item is node)]
    return None


def _renamed(syntax: Syntax, statement: ast.stmt, names: Mapping[str, str]) -> list[str]:
    """The lines of the statement, with other names."""
    tree = Tree(syntax, statement)
    return [*syntax.comments(statement), *tree.code(named_anew(tree, statement, names))]
