"""What runs inside a child process. It is copied next to the piece of program that it runs, and needs nothing but Python and MLX."""
