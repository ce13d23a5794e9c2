"""nn.Sequential: one layer after the other."""

__all__ = ["__call__"]


def __call__(self, x):
    for layer in self.layers:
        x = layer(x)
    return x
