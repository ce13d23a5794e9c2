"""The abstract domain: what a name can hold (`members`, `arrays`), where objects live (`heap`), how sizes of axes compare (`size`, `shape`).

The operations of the lattice are `join` and `widening`; `guards` correlates members of values with the outcomes of tests.
"""
