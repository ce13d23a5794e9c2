"""Generated programs, judged twice: by the static tracer, and by MLX itself, which runs them with and without compilation."""
