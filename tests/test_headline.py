"""Headlines: at most 90 characters, whatever the names in the code are."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mxlint.facts.events import Condition, Modality, Where
from mxlint.finding import Finding, Position, Span
from mxlint.headline import LONGEST, SHORTEST, fitted
from mxlint.rules.findings import conditions_of, worded
from mxlint.syntax.inline import in_one_line

WORDS = st.text("abc :=()", max_size=12)
NAMES = st.text("abc._()", min_size=1, max_size=120)


def where(text: str) -> Where:
    return Where(Span("a.py", Position(1, 1), Position(1, 2)), text)


@given(st.lists(st.tuples(WORDS, NAMES), min_size=1, max_size=3))
def test_names_are_shortened_as_far_as_needed(parts: list[tuple[str, str]]) -> None:
    text = "".join(f"{words}`{name}`" for words, name in parts)
    short = fitted(text)
    assert len(short) <= LONGEST
    assert (short == text) == (len(text) <= LONGEST)
    kept = re.findall(r"`([^`]*)`", short)
    assert all(
        part == name or (name.startswith(part[:-1]) and part[-1] == "…" and len(part) > SHORTEST) for part, (_, name) in zip(kept, parts)
    )


def test_what_it_hangs_on_moves_to_the_note_where_there_is_no_room() -> None:
    modality = Modality((Condition(where("debug"), "open", True),), ("`model` is an nn.Module",))
    hang = "when `debug` is true and if `model` is an nn.Module"
    assert worded("it raises", "as MLX says", modality) == (f"it raises ({hang})", "as MLX says")
    assert worded("it raises " * 6, "as MLX says", modality) == ("it raises " * 6, f"only {hang}; as MLX says")
    assert worded("it raises " * 6, "", modality)[1] == f"only {hang}"


@pytest.mark.parametrize("message", ["it raises", "it raises " * 6])
def test_one_line_says_what_it_hangs_on_wherever_that_went(message: str) -> None:
    modality = Modality((Condition(where("debug"), "open", True),))
    headline, note = worded(message, "as MLX says", modality)
    finding = Finding("MX403", "warning", headline, "", where("").span, note=note, conditions=conditions_of(modality))
    assert finding.in_one_line == f"{message} (when `debug` is true)"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("f(x,\n    y)", "f(x, y)"),
        ("a / 2 \\\n    if a else 3", "a / 2 if a else 3"),
        ("a / 2 \\\r\n    if a else 3", "a / 2 if a else 3"),
        ("f(  # why\n    x,  # the number\n    '# none')", "f( x, '# none')"),
        ('f("""# no\ncomment""")', 'f("""# no comment""")'),
        ("x  # no) brackets\n", "x"),
    ],
)
def test_code_over_several_lines_in_one(text: str, line: str) -> None:
    assert in_one_line(text) == line
