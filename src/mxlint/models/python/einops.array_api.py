"""einops.array_api: the same functions for all libraries that follow the standard of arrays."""

from einops import rearrange, reduce, repeat

__all__ = ["rearrange", "reduce", "repeat"]
