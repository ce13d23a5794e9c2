"""The static tracer: an abstract interpreter of Python with a model of MLX. docs/semantics.md says what it computes.

Reading order: `core` (the machine: heap, path, contexts, joins), `statements` and `expressions` (one transfer function a node), `iteration`,
`calls`, `objects`, then what only MLX needs: `compiled`, `arrays`, `modules`; `entry` puts them together and says where a run begins.
"""
