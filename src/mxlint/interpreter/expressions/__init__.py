"""Expressions: names, operators, comparisons, text. `expressions` has one transfer function for each."""
