"""Calls: which callable does what, activations of functions of the program, and summaries of what a call did before.

`callables` finds what is called; `activations` binds arguments and runs bodies; `summaries` does once more what a call did, without its body;
`relevance` says which calls may reach something compiled, and so must run.
"""
