"""Rewrites of how functions are defined, compiled and called."""

from __future__ import annotations

import ast
import copy

from .rewrite import Module, assign, is_docstring, is_mx, name, names_in, parse, replace_expressions, replace_statements


def dec_to_call(module: Module) -> bool:
    """`f = decorator(f)` after the function for a decorator that compiles."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        decorator = _compiling(node)
        if decorator is None or not isinstance(node, ast.FunctionDef) or isinstance(holder, ast.ClassDef):
            return None
        node.decorator_list = []
        call = ast.copy_location(ast.Call(decorator, [name(node.name, decorator)], []), decorator)
        return [node, assign(node.name, call, decorator)]

    return replace_statements(module, change)


def dec_to_call_merged(module: Module) -> bool:
    """`f = mx.compile(f, …)` after the function for `@partial(mx.compile, …)`."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        decorator = _compiling(node)
        if decorator is None or not isinstance(node, ast.FunctionDef) or isinstance(holder, ast.ClassDef):
            return None
        own = name(node.name, decorator)
        if isinstance(decorator, ast.Call):
            call = ast.Call(decorator.args[0], [own, *decorator.args[1:]], decorator.keywords)
        else:
            call = ast.Call(decorator, [own], [])
        node.decorator_list = []
        return [node, assign(node.name, ast.copy_location(call, decorator), decorator)]

    return replace_statements(module, change)


def factory(module: Module) -> bool:
    """A function of the module that compiles and returns, called once."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if not isinstance(holder, ast.Module):
            return None
        if _compiling(node) is not None and isinstance(node, ast.FunctionDef):
            made, body = node.name, [node, ast.copy_location(ast.Return(name(node.name, node)), node)]
        elif (
            isinstance(node, ast.Assign)
            and _is_compile_call(node.value)
            and isinstance(node.targets[0], ast.Name)
            and len(node.targets) == 1
        ):
            made, body = node.targets[0].id, [ast.copy_location(ast.Return(node.value), node)]
        else:
            return None
        make, call = parse(f"def make_{made}():\n    pass\n{made} = make_{made}()", node)
        assert isinstance(make, ast.FunctionDef)
        make.body = list(body)
        return [make, call]

    return replace_statements(module, change)


def delegate(module: Module) -> bool:
    """The body of each function of the module goes into another, which the function calls."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if not isinstance(holder, ast.Module) or not isinstance(node, ast.FunctionDef) or node.name.startswith("inner_of_"):
            return None
        if len(node.decorator_list) > 1 or (node.decorator_list and _compiling(node) is None):
            return None
        args = node.args
        inner = ast.copy_location(ast.FunctionDef(f"inner_of_{node.name}", _bare(args), node.body, [], None), node)
        inner.type_params = []  # type: ignore[attr-defined]
        passed = [name(item.arg, item) for item in [*args.posonlyargs, *args.args]]
        starred = [ast.copy_location(ast.Starred(name(args.vararg.arg, node), ast.Load()), node)] if args.vararg else []
        keywords = [ast.copy_location(ast.keyword(item.arg, name(item.arg, item)), item) for item in args.kwonlyargs]
        keywords += [ast.copy_location(ast.keyword(None, name(args.kwarg.arg, node)), node)] if args.kwarg else []
        call = ast.copy_location(ast.Call(name(inner.name, node), [*passed, *starred], keywords), node)
        value: ast.expr = ast.copy_location(ast.YieldFrom(call), node) if _is_generator(inner) else call
        node.body = [ast.copy_location(ast.Return(value), node)]
        return [inner, node]

    return replace_statements(module, change)


def _is_generator(function: ast.FunctionDef) -> bool:
    todo: list[ast.AST] = list(function.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))
    return False


def def_to_lambda(module: Module) -> bool:
    """`f = lambda …` for a function that only returns."""

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        if not isinstance(node, ast.FunctionDef) or isinstance(holder, ast.ClassDef) or node.decorator_list:
            return None
        (last, *others) = reversed(node.body)
        if not isinstance(last, ast.Return) or last.value is None or not all(is_docstring(item) for item in others):
            return None
        function = ast.copy_location(ast.Lambda(_bare(node.args, defaults=True), last.value), node)
        return [assign(node.name, function, node)]

    return replace_statements(module, change)


def lambda_to_def(module: Module) -> bool:
    """A function before the statement for a lambda that is assigned to a name or given to a call in it."""
    count = 0

    def change(holder: ast.AST, node: ast.stmt) -> list[ast.stmt] | None:
        nonlocal count
        if not isinstance(node, (ast.Assign, ast.Expr, ast.Return)) or isinstance(holder, ast.ClassDef):
            return None
        calls = [node.value] if isinstance(node.value, ast.Call) else []
        new: list[ast.stmt] = []
        for call in calls:
            for number, value in enumerate(call.args):
                if isinstance(value, ast.Lambda):
                    count += 1
                    new.append(_function(f"{module.fresh('function')}_{count}", value))
                    call.args[number] = name(f"{module.fresh('function')}_{count}", value)
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.Lambda)
            and isinstance(node.targets[0], ast.Name)
            and len(node.targets) == 1
        ):
            return [_function(node.targets[0].id, node.value)]
        return [*new, node] if new else None

    return replace_statements(module, change)


def functools_partial(module: Module) -> bool:
    """`functools.partial` for `partial`."""
    if not _imports_partial(module):
        return False
    alias = module.fresh("functools")
    found = replace_expressions(
        module, lambda node: _attribute(alias, "partial", node) if isinstance(node, ast.Name) and node.id == "partial" else None
    )
    module.add_import(f"import functools as {alias}")
    return found


def partial_to_lambda(module: Module) -> bool:
    """`lambda *args, **kwargs: f(…, *args, …, **kwargs)` for `partial(f, …)`, where what is bound is a name of the module or a literal."""
    stored = [node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)]

    def change(node: ast.expr) -> ast.expr | None:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "partial" or not node.args:
            return None
        function, *values = node.args
        bound = [*values, *(item.value for item in node.keywords)]
        if any(isinstance(item, ast.Starred) for item in values) or any(
            stored.count(used) > 1 for item in node.args for used in names_in(item)
        ):
            return None
        if not all(_is_fixed(item, stored) for item in bound):
            return None
        new = parse("(lambda *args, **kwargs: f(*args, **kwargs))", node)[0]
        assert isinstance(new, ast.Expr) and isinstance(new.value, ast.Lambda) and isinstance(new.value.body, ast.Call)
        call = new.value.body
        call.func, call.args, call.keywords = function, [*values, *call.args], [*node.keywords, *call.keywords]
        return new.value

    return _imports_partial(module) and replace_expressions(module, change)


def _compiling(node: ast.stmt) -> ast.expr | None:
    """The only decorator of a function, if it compiles: `mx.compile` or `partial(mx.compile, …)`."""
    if not isinstance(node, ast.FunctionDef) or len(node.decorator_list) != 1:
        return None
    (decorator,) = node.decorator_list
    partial = isinstance(decorator, ast.Call) and bool(decorator.args) and is_mx(decorator.args[0], "compile")
    return decorator if is_mx(decorator, "compile") or partial else None


def _is_compile_call(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and is_mx(node.func, "compile")


def _bare(args: ast.arguments, *, defaults: bool = False) -> ast.arguments:
    """The parameters without annotations, and without defaults unless asked for."""
    new = copy.deepcopy(args)
    for item in [*new.posonlyargs, *new.args, *new.kwonlyargs, new.vararg, new.kwarg]:
        if item is not None:
            item.annotation = None
    if not defaults:
        new.defaults, new.kw_defaults = [], [None] * len(new.kwonlyargs)
    return new


def _function(own: str, value: ast.Lambda) -> ast.stmt:
    (function,) = parse(f"def {own}():\n    return 0", value)
    assert isinstance(function, ast.FunctionDef)
    function.args, function.body = value.args, [ast.copy_location(ast.Return(value.body), value.body)]
    return function


def _attribute(module: str, attribute: str, old: ast.AST) -> ast.expr:
    return ast.copy_location(ast.Attribute(name(module, old), attribute, ast.Load()), old)


def _imports_partial(module: Module) -> bool:
    return any(
        isinstance(node, ast.ImportFrom) and node.module == "functools" and "partial" in [item.name for item in node.names]
        for node in module.tree.body
    )


def _is_fixed(node: ast.expr, stored: list[str]) -> bool:
    """Whether it is the same whenever it is evaluated: literals, and names that are bound once."""
    if isinstance(node, (ast.Name, ast.Constant)):
        return not isinstance(node, ast.Name) or stored.count(node.id) <= 1
    return isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant)
