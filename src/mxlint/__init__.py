"""mxlint: static analysis for the compile pitfalls of Apple's MLX."""

__version__ = "0.1.0"
