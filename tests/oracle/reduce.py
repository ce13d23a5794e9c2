"""Make a program small that shows something, by leaving out statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping

from .generate import Program

Shows = Callable[[Program], bool]


def reduce_program(program: Program, shows: Shows) -> Program:
    """The program with as few statements as `shows` allows, file by file, the largest statements first. Comments and layout are lost."""
    for file in program.files:
        number = 0
        while True:
            text = _without(program.files[file], number)
            if text is None:
                break
            smaller = Program(_replaced(program.files, file, text), program.parts)
            if shows(smaller):
                program = smaller
            else:
                number += 1
    return program


def _without(text: str, number: int) -> str | None:
    """The text without one of its statements, or with the body of a compound one in its place; None where there are not so many."""
    tree = ast.parse(text)
    for count, (body, at, new) in enumerate(_cuts(tree)):
        if count == number:
            body[at : at + 1] = new
            if not body:
                body.append(ast.Pass())
            return ast.unparse(ast.fix_missing_locations(tree)) + "\n"
    return None


def _cuts(tree: ast.AST) -> Iterator[tuple[list[ast.stmt], int, list[ast.stmt]]]:
    """What can be left out: a statement of a list, and what stays in its place."""
    for node in ast.walk(tree):
        for field in ("body", "orelse", "finalbody"):
            body = getattr(node, field, None)
            if not isinstance(body, list):
                continue
            for at, statement in enumerate(body):
                if isinstance(statement, ast.Pass):
                    continue
                yield body, at, []
                if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
                    yield body, at, statement.body


def _replaced(files: Mapping[str, str], file: str, text: str) -> dict[str, str]:
    return {**files, file: text}
