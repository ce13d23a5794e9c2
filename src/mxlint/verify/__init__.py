"""The real tracer: runs pieces of the user's program under real MLX, in child processes, and says what really happened.

Nothing here is imported unless verification is asked for.
"""
