"""How far imports are followed: to the end of the repository that a file lies in, whatever its imports and links say."""

from __future__ import annotations

import os

_MARKS = ("pyproject.toml", "setup.py", "setup.cfg")


class Repositories:
    """The repository of each folder, looked for once. Folders are real paths."""

    def __init__(self) -> None:
        self._of: dict[str, str | None] = {}

    def of(self, folder: str) -> str | None:
        """The nearest folder, from `folder` up, with a `.git`, or else the nearest that says it is a project's; None if there is neither."""
        if folder not in self._of:
            self._of[folder] = _above(folder, (".git",)) or _above(folder, _MARKS)
        return self._of[folder]

    def hold(self, path: str, folder: str) -> bool:
        """Whether a path, once links are followed, lies in the repository of a folder. Without a repository every path does."""
        top = self.of(folder)
        return top is None or os.path.join(os.path.realpath(path), "").startswith(os.path.join(top, ""))


def _above(folder: str, names: tuple[str, ...]) -> str | None:
    while not any(os.path.exists(os.path.join(folder, name)) for name in names):
        folder, below = os.path.dirname(folder), folder
        if folder == below:
            return None
    return folder
