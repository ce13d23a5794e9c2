"""What MLX's functions, layers and optimizers make: shapes and dtypes of results as expressions over the arguments, measured from MLX."""
