"""Rewrites of control flow."""

from __future__ import annotations

import ast

from .rewrite import Module, assign, blocks, expression, is_simple, name, names_in, parse, replace_expressions, replace_statements

_MOST_ROUNDS = 8


def for_to_while(module: Module) -> bool:
    """`while` with a counter for `for … in range(…)`."""
    count = 0

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        nonlocal count
        call = _range_call(node)
        if call is None or not isinstance(node, ast.For) or isinstance(holder, ast.ClassDef) or len(call.args) > 2:
            return None
        count += 1
        at_, end = f"{module.fresh('at')}_{count}", f"{module.fresh('end')}_{count}"
        start, stop = (ast.Constant(0), call.args[0]) if len(call.args) == 1 else call.args
        head = [assign(at_, start, node), assign(end, stop, node)]
        (loop,) = parse(f"while {at_} < {end}:\n    pass", node)
        assert isinstance(loop, ast.While)
        first = ast.copy_location(ast.Assign([node.target], name(at_, node)), node)
        loop.body = [first, *parse(f"{at_} += 1", node), *node.body]
        return [*head, loop]

    return replace_statements(module, change)


def for_to_iter_while(module: Module) -> bool:
    """`iter`, `while` and `next` for `for`."""
    count = 0

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        nonlocal count
        if not isinstance(node, ast.For) or node.orelse or isinstance(holder, ast.ClassDef):
            return None
        if any(isinstance(part, (ast.Break, ast.Raise)) for part in ast.walk(node)):
            return None  # a generator that nobody holds ends there, and a name holds it
        count += 1
        it = f"{module.fresh('items')}_{count}"
        (loop,) = parse(f"while True:\n    try:\n        it = next({it})\n    except StopIteration:\n        break", node)
        assert isinstance(loop, ast.While) and isinstance(loop.body[0], ast.Try)
        (next_,) = loop.body[0].body
        assert isinstance(next_, ast.Assign)
        next_.targets = [node.target]
        loop.body += node.body
        iterate = expression("iter(x)", node.iter)
        assert isinstance(iterate, ast.Call)
        iterate.args = [node.iter]
        return [assign(it, iterate, node), loop]

    return replace_statements(module, change)


def range_to_list(module: Module) -> bool:
    """A list for a short range of literals that is iterated."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        call = _range_call(node)
        literals = [item.value for item in call.args if isinstance(item, ast.Constant)] if call is not None else []
        bounds = [item for item in literals if isinstance(item, int)]
        if call is None or not bounds or len(bounds) < len(call.args) or not 0 < len(range(*bounds)) <= _MOST_ROUNDS:
            return None
        assert isinstance(node, ast.For)
        node.iter = expression(str(list(range(*bounds))), node.iter)
        return [node]

    return replace_statements(module, change)


def if_to_ifexp(module: Module) -> bool:
    """`x = a if c else b` for an `if` whose branches bind one name or return."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if not isinstance(node, ast.If) or len(node.body) != 1 or len(node.orelse) != 1:
            return None
        first, second = node.body[0], node.orelse[0]
        if isinstance(first, ast.Return) and isinstance(second, ast.Return) and first.value and second.value:
            value = ast.copy_location(ast.IfExp(node.test, first.value, second.value), node)
            return [ast.copy_location(ast.Return(value), node)]
        if isinstance(first, ast.Assign) and isinstance(second, ast.Assign) and _one_name(first) == _one_name(second) is not None:
            value = ast.copy_location(ast.IfExp(node.test, first.value, second.value), node)
            return [ast.copy_location(ast.Assign(first.targets, value), node)]
        return None

    return replace_statements(module, change)


def ifexp_to_if(module: Module) -> bool:
    """`if` and `else` for a conditional expression that is assigned to a name or returned."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if not isinstance(node, (ast.Assign, ast.Return)) or not isinstance(node.value, ast.IfExp):
            return None
        if isinstance(node, ast.Assign) and _one_name(node) is None:
            return None
        choice = node.value

        def branch(value: ast.expr) -> ast.stmt:
            new = ast.Return(value) if isinstance(node, ast.Return) else ast.Assign(node.targets, value)
            return ast.copy_location(new, value)

        return [ast.copy_location(ast.If(choice.test, [branch(choice.body)], [branch(choice.orelse)]), node)]

    return replace_statements(module, change)


def early_else(module: Module) -> bool:
    """What follows an `if` that always leaves goes into its `else`."""
    changed = False
    for _, body in blocks(module.tree):
        for number, node in enumerate(body[:-1]):
            leaves = (
                isinstance(node, ast.If) and not node.orelse and isinstance(node.body[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))
            )
            if leaves and isinstance(node, ast.If) and not any(isinstance(item, (ast.Global, ast.Nonlocal)) for item in body[number + 1 :]):
                node.orelse = body[number + 1 :]
                del body[number + 1 :]
                changed = True
                break
    return changed


def double_not(module: Module) -> bool:
    """`not not` before what `if` and `while` test."""
    found = [node for node in ast.walk(module.tree) if isinstance(node, (ast.If, ast.While, ast.IfExp))]
    for node in found:
        inner = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        node.test = ast.copy_location(ast.UnaryOp(ast.Not(), inner), node.test)
    return bool(found)


def main_function(module: Module) -> bool:
    """What the module runs after its definitions goes into `main`, which is called. What it binds stays global."""
    body = module.tree.body
    start = len(body)
    while start > module.head and not isinstance(
        body[start - 1], (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.AnnAssign)
    ):
        start -= 1
    moved = body[start:]
    within = [item for node in moved for item in ast.walk(node)]
    if not moved or any(
        isinstance(item, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.AnnAssign, ast.ListComp)) for item in within
    ):
        return False
    main = module.fresh("main")
    names = sorted({item.id for item in within if isinstance(item, ast.Name) and not isinstance(item.ctx, ast.Load)})
    text = f"def {main}():\n    {'global ' + ', '.join(names) if names else 'pass'}\n{main}()"
    function, call = parse(text, moved[0])
    assert isinstance(function, ast.FunctionDef)
    function.body += moved
    body[start:] = [function, call]
    return True


def reorder(module: Module) -> bool:
    """Neighbouring functions of the module in the opposite order, where nothing of them is evaluated before they are called."""
    body = module.tree.body
    start = 0
    changed = False
    while start < len(body):
        end = start
        while end < len(body) and _is_plain_function(body[end]):
            end += 1
        if end - start > 1 and len({getattr(node, "name", "") for node in body[start:end]}) == end - start:
            body[start:end] = reversed(body[start:end])
            changed = True
        start = end + 1
    return changed


def flip_compare(module: Module) -> bool:
    """`b > a` for `a < b`, of names and literals."""
    flipped = {ast.Lt: ast.Gt, ast.Gt: ast.Lt, ast.LtE: ast.GtE, ast.GtE: ast.LtE, ast.Eq: ast.Eq, ast.NotEq: ast.NotEq}

    def change(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.Compare) or len(node.ops) > 1 or type(node.ops[0]) not in flipped:
            return None
        left, right = node.left, node.comparators[0]
        if not is_simple(left) or not is_simple(right) or not names_in(node):
            return None
        return ast.copy_location(ast.Compare(right, [flipped[type(node.ops[0])]()], [left]), node)

    return replace_expressions(module, change)


def _range_call(node: ast.stmt) -> ast.Call | None:
    """The call of `range` that a loop goes over."""
    if not isinstance(node, ast.For) or node.orelse or not isinstance(node.iter, ast.Call):
        return None
    call = node.iter
    return call if isinstance(call.func, ast.Name) and call.func.id == "range" and not call.keywords else None


def _one_name(node: ast.Assign) -> str | None:
    (target, *others) = node.targets
    return target.id if isinstance(target, ast.Name) and not others else None


def _is_plain_function(node: ast.stmt) -> bool:
    return (
        isinstance(node, ast.FunctionDef) and not node.decorator_list and all(isinstance(item, ast.Constant) for item in node.args.defaults)
    )
