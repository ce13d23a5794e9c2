"""The Python oracle: what a program really does under CPython, and whether an abstract interpreter accounts for all of it.

    record.recording()      starts a process that runs programs, each in a fork, and returns a `Recording` of each
    model                   the vocabulary: points of a program, the values seen there, functions, statements, exceptions
    abstract                the protocol that an abstract interpreter implements to be compared
    compare.compare()       a recording against an abstract interpreter → a `Report`
    replay                  abstract interpreters that know the answer, and damaged ones, for the tests of the oracle itself
    generate.programs()     Hypothesis' strategy of small programs that end

`instrument` and `child` run in the child process. A place is a file name relative to the program's folder and offsets into the file's text in
code points, end exclusive; parentheses around an expression are left out and a definition starts at `def`, `class` or `async`, as in `ast`.
"""
