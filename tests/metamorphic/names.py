"""Rewrites of names: of variables and functions, and of how MLX is imported."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from .rewrite import Module, at, expression, functions, is_mx, name, parse, replace_expressions, words

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def rename_locals(module: Module) -> bool:
    """The names that a function binds by assignments, loops and `with`, and no scope within it."""
    renamed = False
    for number, function in enumerate(functions(module.tree)):
        own = _stored(function.body)
        within = Counter(
            word for node in ast.walk(function) if not isinstance(node, (ast.Name, ast.Attribute, ast.keyword)) for word in words(node)
        )
        every = Counter(node.id for node in ast.walk(function) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
        names = {item: f"renamed_{item}_{number}" for item in own if not within[item] and every[item] == own[item]}
        renamed |= bool(names)
        _rename(ast.Module(function.body, []), names)
    return renamed


def rename_functions(module: Module) -> bool:
    """The functions of the module, where nothing else has their name."""
    return _rename_module(module, [node.name for node in module.tree.body if isinstance(node, ast.FunctionDef)])


def rename_globals(module: Module) -> bool:
    """The variables of the module, where nothing else has their name."""
    return _rename_module(module, list(_stored(module.tree.body)))


def alias_mx(module: Module) -> bool:
    """`import mlx.core as other`."""
    alias = module.fresh("core")
    return _each_import(module, f"import mlx.core as {alias}", alias)


def full_mlx_core(module: Module) -> bool:
    """`import mlx.core`, and `mlx.core.` throughout."""
    bound = {node.asname for node in ast.walk(module.tree) if isinstance(node, ast.alias)} | _stored(module.tree.body).keys()
    return "mlx" not in bound and _each_import(module, "import mlx.core", "mlx.core")


def from_mlx_import_core(module: Module) -> bool:
    """`from mlx import core as mx`."""
    return _each_import(module, "from mlx import core as mx", "mx")


def from_import_compile(module: Module) -> bool:
    """`from mlx.core import compile as …` in place of `mx.compile`."""
    alias = module.fresh("jit")
    return _uses_of_compile(module, alias, f"from mlx.core import compile as {alias}")


def compile_variable(module: Module) -> bool:
    """A variable that holds `mx.compile`."""
    alias = module.fresh("transform")
    return _uses_of_compile(module, alias, f"{alias} = mx.compile")


def _stored(body: list[ast.stmt]) -> Counter[str]:
    """How often each name is bound by a plain target in these statements, not in scopes within them."""
    found: Counter[str] = Counter()

    def visit(node: ast.AST) -> None:
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            found[node.id] += 1
        if not isinstance(node, _SCOPES):
            for child in ast.iter_child_nodes(node):
                visit(child)

    for statement in body:
        visit(statement)
    return found


def _rename(tree: ast.AST, names: dict[str, str]) -> None:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, ast.Global):
            node.names = [names.get(item, item) for item in node.names]


def _rename_module(module: Module, candidates: list[str]) -> bool:
    """Rename names of the module's own scope. Any other thing of that name, also a text, leaves the name as it is."""
    texts = {node.value for node in ast.walk(module.tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    stored = Counter(node.id for node in ast.walk(module.tree) if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load))
    own = _stored(module.tree.body)
    declared = {item for node in ast.walk(module.tree) if isinstance(node, ast.Global) for item in node.names}
    others = Counter(
        word
        for node in ast.walk(module.tree)
        if not isinstance(node, (ast.Name, ast.Attribute, ast.Global, ast.keyword))
        for word in words(node)
    )
    names: dict[str, str] = {}
    for item in dict.fromkeys(candidates):
        definitions = [node for node in module.tree.body if isinstance(node, ast.FunctionDef) and node.name == item]
        bound_within = stored[item] > own[item] and item not in declared
        if item in texts | module.shared or bound_within or others[item] != len(definitions) or item.startswith("__"):
            continue
        names[item] = f"renamed_{item}"
        for node in definitions:
            node.name = names[item]
    _rename(module.tree, names)
    return bool(names)


def _imports(module: Module) -> Iterator[tuple[list[ast.stmt], int]]:
    """The statements `import mlx.core as mx` of the module's top."""
    for number, node in enumerate(module.tree.body):
        if isinstance(node, ast.Import) and [(item.name, item.asname) for item in node.names] == [("mlx.core", "mx")]:
            yield module.tree.body, number


def _each_import(module: Module, statement: str, used: str) -> bool:
    places = list(_imports(module))
    bindings = [
        node
        for node in ast.walk(module.tree)
        if "mx" in words(node) and not (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load))
    ]
    if len(places) != 1 or len(bindings) != 1:
        return False
    body, number = places[0]
    if used != "mx":
        replace_expressions(module, lambda node: expression(used, node) if isinstance(node, ast.Name) and node.id == "mx" else None)
    body[number : number + 1] = parse(statement, body[number])
    return True


def _uses_of_compile(module: Module, alias: str, statement: str) -> bool:
    places = list(_imports(module))
    if len(places) != 1 or not replace_expressions(module, lambda node: name(alias, node) if is_mx(node, "compile") else None):
        return False
    body, number = places[0]
    body[number + 1 : number + 1] = parse(statement, body[number])
    at(module.tree, body[number])
    return True
