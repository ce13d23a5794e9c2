"""Programs as other people write them: the same program among other statements and comments, in another layout, in another file format."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from random import Random

SIMPLE = (ast.Assign, ast.Expr, ast.Return, ast.AugAssign)
COMPOUND = (ast.For, ast.While, ast.If)


class Lines:
    """A program whose lines are changed from the end to the start, so that what lies before keeps its place."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.tree = ast.parse(text)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}

    def statements(self) -> list[ast.stmt]:
        """The statements, the last first, without docstrings and imports."""
        found = [node for node in ast.walk(self.tree) if isinstance(node, ast.stmt)]
        found = [node for node in found if not isinstance(node, (ast.Import, ast.ImportFrom, ast.Global)) and not self._is_text(node)]
        return sorted(found, key=lambda node: (self.row(node), node.col_offset), reverse=True)

    def _is_text(self, node: ast.stmt) -> bool:
        return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)

    def row(self, node: ast.stmt) -> int:
        decorators: list[ast.expr] = getattr(node, "decorator_list", [])
        return min([node.lineno, *(item.lineno for item in decorators)]) - 1

    def indent(self, node: ast.stmt) -> str:
        line = self.lines[self.row(node)]
        return line[: len(line) - len(line.lstrip())]

    def alone(self, node: ast.stmt) -> bool:
        """Whether a statement is one line that is nothing else."""
        line = self.lines[node.lineno - 1]
        return node.lineno == node.end_lineno and line.strip() == (ast.get_source_segment("\n".join(self.lines), node) or "")

    def text(self) -> str:
        return "\n".join(self.lines)


Change = Callable[[str, Random], str]


def comments_above(text: str, random: Random) -> str:
    """Comments and blank lines before statements."""
    lines = Lines(text)
    for number, node in enumerate(lines.statements()):
        if random.random() < 0.3:
            more = [f"{lines.indent(node)}# note {number} {random.choice(['é', 'of µ', '#', 'ignore'])}", *random.choice([[], [""]])]
            lines.lines[lines.row(node) : lines.row(node)] = more
    return lines.text()


def comments_behind(text: str, random: Random) -> str:
    """Comments after simple statements."""
    lines = Lines(text)
    for number, node in enumerate(lines.statements()):
        if isinstance(node, SIMPLE) and lines.alone(node) and random.random() < 0.4:
            lines.lines[node.lineno - 1] += f"{random.choice(['  ', ' '])}# behind {number}{random.choice(['', ' é', ' noqa'])}"
    return lines.text()


def others_between(text: str, random: Random) -> str:
    """Statements that have to do with nothing."""
    lines = Lines(text)
    for number, node in enumerate(lines.statements()):
        if random.random() < 0.25:
            made = random.choice([f"filler_{number} = 'é'", f'filler_{number} = f"{{{number}}} µ"', f"filler_{number}: int = {number}"])
            lines.lines[lines.row(node) : lines.row(node)] = [lines.indent(node) + made]
    return lines.text()


def in_front(text: str, random: Random) -> str:
    """Statements in the same line, before and behind."""
    lines = Lines(text)
    for number, node in enumerate(lines.statements()):
        if isinstance(node, SIMPLE) and lines.alone(node) and random.random() < 0.25:
            line = lines.lines[node.lineno - 1]
            indent = lines.indent(node)
            before, behind = random.choice([(f"front_{number} = 'é'; ", ""), ("", f"; back_{number} = 0"), ("'µ'; ", ";")])
            if not isinstance(node, ast.Return) or not behind:
                lines.lines[node.lineno - 1] = f"{indent}{before}{line.removeprefix(indent)}{behind}"
    return lines.text()


def one_line_blocks(text: str, random: Random) -> str:
    """Bodies of one simple statement in the line of their `if` or loop, and statements under an `if` of their own."""
    lines = Lines(text)
    for node in lines.statements():
        if isinstance(node, COMPOUND) and len(node.body) == 1 and not node.orelse and random.random() < 0.4:
            body = node.body[0]
            if isinstance(body, SIMPLE) and lines.alone(body) and body.lineno == node.lineno + 1:
                lines.lines[node.lineno - 1 : body.lineno] = [f"{lines.lines[node.lineno - 1]} {lines.lines[body.lineno - 1].strip()}"]
        elif isinstance(node, (ast.Assign, ast.Expr)) and lines.alone(node) and random.random() < 0.1:
            indent = lines.indent(node)
            lines.lines[node.lineno - 1] = f"{indent}if 1: {lines.lines[node.lineno - 1].strip()}"
    return lines.text()


def continued(text: str, random: Random) -> str:
    """Backslashes after `=`."""
    lines = Lines(text)
    for node in lines.statements():
        if isinstance(node, ast.Assign) and lines.alone(node) and random.random() < 0.3:
            line = lines.lines[node.lineno - 1]
            at = node.value.col_offset
            if line.isascii():
                lines.lines[node.lineno - 1 : node.lineno] = [line[:at] + "\\", f"{lines.indent(node)}        {line[at:]}"]
    return lines.text()


def in_parentheses(text: str, random: Random) -> str:
    """Parentheses around expressions, some of them over several lines, with comments in them."""
    tree = ast.parse(text)
    parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
    lines = text.split("\n")
    found = [
        node
        for node in ast.walk(tree)
        if isinstance(node, (ast.Call, ast.BinOp, ast.Attribute, ast.Name))
        and isinstance(getattr(node, "ctx", ast.Load()), ast.Load)
        and node.lineno == node.end_lineno
        and lines[node.lineno - 1].isascii()
        and not isinstance(parents[node], (ast.FormattedValue, ast.withitem, ast.JoinedStr))
    ]
    changed_rows: set[int] = set()
    for node in sorted(found, key=lambda node: (node.lineno, node.col_offset, -(node.end_col_offset or 0)), reverse=True):
        if random.random() < 0.06 and node.lineno not in changed_rows:
            changed_rows.add(node.lineno)
            line = lines[node.lineno - 1]
            start, end = node.col_offset, node.end_col_offset
            opened, closed = random.choice([("(", ")"), ("(", ")"), ("( ", " )"), ("(  # in\n", "\n)"), ("(\n", "  # out\n)")])
            changed = "\n".join(
                [*lines[: node.lineno - 1], f"{line[:start]}{opened}{line[start:end]}{closed}{line[end:]}", *lines[node.lineno :]]
            )
            if _parses(changed) and "\n" not in opened + closed:
                lines = changed.split("\n")
            elif _parses(changed):
                return changed  # the places of the rest have moved
    return "\n".join(lines)


def _parses(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def hinted(text: str, random: Random) -> str:
    """Types of parameters and results."""
    lines = Lines(text)
    for node in lines.statements():
        line = lines.lines[node.lineno - 1]
        if isinstance(node, ast.FunctionDef) and random.random() < 0.5 and line.rstrip().endswith("):") and line.isascii():
            for param in reversed(node.args.args):
                if param.lineno == node.lineno and param.annotation is None and param.arg != "self":
                    line = f'{line[: param.end_col_offset]}: "mx.array"{line[param.end_col_offset :]}'
            lines.lines[node.lineno - 1] = line.rstrip()[:-1] + ' -> "mx.array | None":'
    return lines.text()


def decorated(text: str, random: Random) -> str:
    """A decorator that changes nothing, over others."""
    lines = Lines(text)
    used = False
    for node in lines.statements():
        if (
            isinstance(node, (ast.FunctionDef, ast.ClassDef))
            and not isinstance(lines.parents[node], ast.ClassDef)
            and random.random() < 0.3
        ):
            lines.lines[lines.row(node) : lines.row(node)] = [f"{lines.indent(node)}@kept"]
            used = True
    first = next(node for node in reversed(lines.statements()))
    definition = ["def kept(thing):", "    return thing", "", ""]
    at = lines.row(first)
    lines.lines[at:at] = definition if used else []
    return lines.text()


def in_a_function(text: str, random: Random) -> str:
    """The program in a function, or in a class in a function. Numbers that global statements name stay where they are."""
    if "global " in text or "from __future__" in text:
        return text
    *imports, rest = re.split(r"(?m)^((?:from|import) .*\n)", text)
    head = "".join(imports)
    if '"""' in rest or rest.lstrip() == "":
        return text
    body = "\n".join(f"    {line}" if line.strip() else line for line in rest.strip("\n").split("\n"))
    if random.random() < 0.4:
        body = "\n".join(f"    {line}" if line.strip() else line for line in body.split("\n"))
        return f"{head}\n\nclass Outer:\n    @staticmethod\n    def main():\n{body}\n\n\nOuter.main()\n"
    return f"{head}\n\ndef main():\n{body}\n\n\nmain()\n"


CHANGES: tuple[Change, ...] = (
    in_a_function, hinted, decorated, others_between, one_line_blocks, in_parentheses, continued, comments_above, in_front, comments_behind,
)  # fmt: skip
"""In the order in which they are made: each takes what those before it leave."""


def dressed(text: str, random: Random) -> str:
    """The program with some of the changes."""
    for change in CHANGES:
        if random.random() < 0.35:
            text = change(text, random)
    if random.random() < 0.3:  # another step of indentation
        text = "\n".join(re.sub(r"^( {4})+", lambda match: "\t" * (len(match.group()) // 4), line) for line in text.split("\n"))
    if random.random() < 0.3:
        text = text.rstrip("\n")
    return text


def encoded(text: str, random: Random) -> bytes:
    """The bytes of a file that holds the program: with a byte order mark or in a declared encoding, with some newlines."""
    bom, encoding, head = random.choice([
        (b"", "utf-8", "# 𝒳\n"), (b"", "utf-8", ""), (b"\xef\xbb\xbf", "utf-8", ""), (b"", "latin-1", "# -*- coding: latin-1 -*-\n"),
        (b"", "utf-8", "#!/usr/bin/env python\n# vim: set fileencoding=utf-8 :\n"),
    ])  # fmt: skip
    newline = random.choice(["\n", "\n", "\r\n", "\r", "mixed"])
    text = head + text
    ends: Iterator[str] = iter(lambda: random.choice(["\n", "\r\n"]) if newline == "mixed" else newline, None)
    return bom + re.sub("\n", lambda match: next(ends), text).encode(encoding)
