"""What mxlint knows of Python's builtins, its standard library, numpy and MLX: data, a schema, a loader.

README.md describes the data; MLX's (in mlx/) has a page of its own, docs/mlx-results.md.
"""
