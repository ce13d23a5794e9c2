"""All rewrites by name."""

from __future__ import annotations

from . import expressions, flow, functions, layout, names
from .rewrite import Edit, Rewritten, Transform, edit, transform

EDITS: dict[str, Edit] = {rewrite.__name__: rewrite for rewrite in (layout.identity, layout.ruff, layout.comments)}
"""Rewrites of a text that keep its syntax tree."""
TRANSFORMS: dict[str, Transform] = {
    rewrite.__name__: rewrite
    for rewrite in (
        *(layout.unparse, layout.docstrings, layout.annotate, layout.ann_assign, layout.unrelated, layout.type_checking),
        *(layout.if_true_top, layout.if_true_body, layout.if_true_each, layout.with_null, layout.try_finally),
        *(names.rename_locals, names.rename_functions, names.rename_globals, names.alias_mx, names.full_mlx_core),
        *(names.from_mlx_import_core, names.from_import_compile, names.compile_variable),
        *(flow.for_to_while, flow.for_to_iter_while, flow.range_to_list, flow.if_to_ifexp, flow.ifexp_to_if, flow.early_else),
        *(flow.double_not, flow.main_function, flow.reorder, flow.flip_compare),
        *(expressions.augassign, expressions.augassign_dict, expressions.tuple_assign, expressions.walrus, expressions.return_tmp),
        *(expressions.split_tmp, expressions.inline_tmp, expressions.method_to_fn, expressions.fstring_to_format, expressions.dict_keyword),
        *(functions.dec_to_call, functions.dec_to_call_merged, functions.factory, functions.delegate, functions.def_to_lambda),
        *(functions.lambda_to_def, functions.functools_partial, functions.partial_to_lambda),
    )
}
"""Rewrites of a syntax tree."""
NAMES = (*EDITS, *TRANSFORMS)


def rewrite(name: str, text: str, shared: frozenset[str] = frozenset()) -> Rewritten | None:
    """A file after the rewrite of this name; None where there is nothing to rewrite. `shared`: the words of the program's other files."""
    if name in EDITS:
        return edit(text, EDITS[name])
    return transform(text, TRANSFORMS[name], shared)
