"""Calls of what is not of the program: Python's builtins, the standard library, numpy, by models that are data, and by code where data cannot say it."""
