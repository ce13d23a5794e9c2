"""Rewrites that keep what a program does, and so must keep what mxlint says of it.

rewrite      a `Rewrite` applied to a file: its new text, and which rows of it come from which
table        all rewrites by name
layout, names, flow, expressions, functions     the rewrites
judge        findings before and after, compared
child        runs programs under MLX, so that a rewrite is proved to keep what the program does
"""
