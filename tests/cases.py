"""The cases of tests/fixtures/shapes: small programs, each with the rows that are to be flagged."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

SHAPES = Path(__file__).parent / "fixtures" / "shapes"
PRELUDE = "import mlx.core as mx; C = mx.array([1.0, 2.0])\n"
"""What stands before the script of a variant: on one row, as the marked rows are counted with it."""
CALL = "\n\nstep(C + 1)\n"
MARKS = re.compile(r"\bMX\d{3}\b")
NAMED = re.compile(r"## (?P<name>.+?)(?: \((?P<code>MX\d{3})\))?$")

Place = tuple[str, int, str]
"""A file, a row and a code."""


@dataclass(frozen=True, slots=True)
class Case:
    """A script `main.py` and the files that it imports. `code` is what is to be found."""

    name: str
    code: str
    files: Mapping[str, str]

    def variant(self, thing: str, call: str = CALL) -> Case:
        """The case with a traced array, or a constant, for THING."""
        files = {name: text.replace("THING", thing) for name, text in self.files.items()}
        return Case(self.name, self.code, {**files, "main.py": PRELUDE + files["main.py"] + call})

    @property
    def marked(self) -> list[Place]:
        """The rows that say `# here`; of a case without a code those that name one in a comment."""
        rows = [(name, row, line) for name, text in self.files.items() for row, line in enumerate(text.splitlines(), 1)]
        if not self.code:
            return sorted((name, row, code) for name, row, line in rows for code in MARKS.findall(line.partition("  # ")[2]))
        return sorted((name, row, self.code) for name, row, line in rows if "# here" in line)


def read_cases(name: str, code: str = "") -> dict[str, Case]:
    """The cases of a Markdown file of shapes: a heading each, then its script and the files that it imports. `code`: of those whose heading has none."""
    cases: dict[str, Case] = {}
    for section in re.split(r"(?m)^(?=## )", (SHAPES / name).read_text(encoding="utf-8"))[1:]:
        title = NAMED.match(section.splitlines()[0])
        assert title is not None
        blocks = re.findall(r"(?ms)^```python ?(\S*)\n(.*?)^```$", section)
        files = {file or "main.py": text for file, text in blocks}
        assert len(files) == len(blocks) > 0 and title["name"] not in cases
        cases[title["name"]] = Case(title["name"], title["code"] or code, files)
    return cases
