"""What mxlint knows of Python's builtins, its standard library and numpy: data, a schema, a loader. README.md describes the data."""
