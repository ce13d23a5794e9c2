"""contextlib.AbstractAsyncContextManager: what it gives to classes that extend it."""

__all__ = ["__aenter__"]


async def __aenter__(self):
    return self
