"""MLX: operations on arrays, modules, optimizers, transforms, trees and kernels, by the measured tables. What `mx.compile` does is in `compiled`."""
