"""Statements: assignment, branches and what they say of names, handlers, patterns. `statements` has one transfer function for each."""
