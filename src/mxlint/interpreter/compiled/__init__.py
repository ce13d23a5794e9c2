"""mx.compile: making compiled objects, calling them, tracing their functions with placeholders, replaying traces."""
