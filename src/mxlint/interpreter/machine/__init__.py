"""The machine that all transfer functions share: state, activations, path conditions, joins, and what is noted.

`core` is the interpreter's state and its control points; `frames` are activations and the contexts in which they allocate; `paths` the
conditions under which a state is reached; `targets` the places where states arrive that left early; `journal` writes the facts.
`operations` and `framework` are the two tables through which the machine calls the packages beside it.
"""
