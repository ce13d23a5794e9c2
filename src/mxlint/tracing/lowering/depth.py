"""How deep a piece of source nests. LibCST's parser is native and recursive: too deep a nesting would end the process, or take it seconds."""

from __future__ import annotations

import ast

_DEEPEST = 1000
# Every level of nesting costs one of these, except the levels of blocks, which Python itself bounds.
_LEVELS = (*".([+-*/%@&|^~", "<<", ">>", "not", "and", "or", "else", "elif", "await", "lambda")


def too_deep(source: str) -> bool:
    """Whether `source` nests too deep for LibCST; counting characters settles it for all but the longest pieces."""
    if sum(map(source.count, _LEVELS)) < _DEEPEST:
        return False
    try:
        stack: list[tuple[ast.AST, int]] = [(ast.parse(source), 0)]
    except (SyntaxError, RecursionError, MemoryError):
        return True
    while stack:
        node, depth = stack.pop()
        # LibCST nests `a or b or c` in pairs.
        depth += len(node.values) if isinstance(node, ast.BoolOp) else 1
        if depth > _DEEPEST:
            return True
        stack += [(child, depth) for child in ast.iter_child_nodes(node)]
    return False
