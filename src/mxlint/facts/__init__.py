"""The vocabulary of both tracers: what was, or may be, compiled, traced, called, read and written, and where."""
