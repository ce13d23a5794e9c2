"""The values that the abstract interpreter computes with. Nothing here depends on the interpreter."""
