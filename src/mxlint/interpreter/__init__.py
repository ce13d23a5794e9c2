"""The static tracer: an abstract interpreter of Python with a model of MLX. docs/semantics.md says what it computes.

Reading order: `entry` (where a run begins, and which transfer function does what), `machine` (state, paths, joins), `statements`, `expressions`,
`loops` and `calls`, then `objects`, `containers` and `generators`. `imports` and `libraries` are what is not in the file. Only MLX needs `mlx` and
`compiled`; `open_world` is for what nobody in sight gives.
"""
