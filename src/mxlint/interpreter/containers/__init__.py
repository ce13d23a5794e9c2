"""Lists, tuples, dicts, sets and what walks them: items, methods, and what code may ask of a container as a whole."""
