"""What mxlint knows of Python's builtins, its standard library, numpy and MLX: data, a schema, a loader. README.md describes it; MLX (mlx/) has a page of its own, docs/mlx-results.md."""
