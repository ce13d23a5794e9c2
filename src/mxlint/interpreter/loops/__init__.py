"""Loops: `fixpoint` runs the first round, and the others until nothing changes; the rest says what the rounds change, and how."""
