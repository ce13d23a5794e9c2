"""The static tracer: what MLX's own trace would see, found without running the program."""
