"""What the client sets: the same settings as on the command line, and what only an editor has."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mxlint.config import ConfigError, Settings, parse_option

_LISTS = ("select", "extendSelect", "ignore", "exclude", "extendExclude", "configuration")
_TEXTS = ("mlxVersion", "python")
_FLAGS = ("isolated", "enable")
KEYS = (*_LISTS, *_TEXTS, *_FLAGS, "verifyTimeout")


@dataclass(frozen=True, slots=True)
class Options:
    """`settings`: as for a run; `enable`: whether anything is to be said at all; `verify_timeout`: seconds for one run of a program."""

    settings: Settings = field(default_factory=Settings)
    enable: bool = True
    verify_timeout: float | None = None


def read_options(given: object, folder: Path) -> Options:
    """The options of a client, by themselves or under `mxlint`; null stands for the default. Raises ConfigError."""
    table = given.get("mxlint", given.get("settings", given)) if isinstance(given, Mapping) else given
    if table is None:
        return Options()
    if not isinstance(table, Mapping):
        raise ConfigError(f"settings of mxlint: expected an object, found {type(table).__name__}")
    values = {key: value for key, value in table.items() if value is not None}
    if unknown := sorted(values.keys() - set(KEYS) - _OF_THE_EDITOR):
        raise ConfigError(f"settings of mxlint: there is no `{unknown[0]}`; there are {', '.join(KEYS)}")
    for key, kind, wanted in (
        *((k, list, "a list") for k in _LISTS),
        *((k, str, "a string") for k in _TEXTS),
        *((k, bool, "true or false") for k in _FLAGS),
    ):
        if key in values and not isinstance(values[key], kind):
            raise ConfigError(f"settings of mxlint: {key}: expected {wanted}")
    timeout = values.get("verifyTimeout")
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, (int, float)) or timeout < 1):
        raise ConfigError("settings of mxlint: verifyTimeout: expected seconds, at least 1")
    file, inline = _configuration(values.get("configuration", ()), folder)
    return Options(
        Settings(
            file=file,
            options=inline,
            isolated=values.get("isolated", False),
            select=_texts(values.get("select")) or None,
            extend_select=_texts(values.get("extendSelect")),
            ignore=_texts(values.get("ignore")),
            exclude=_texts(values.get("exclude")) or None,
            extend_exclude=_texts(values.get("extendExclude")),
            mlx_version=values.get("mlxVersion"),
            python=values.get("python"),
            called=_called,
        ),
        values.get("enable", True),
        timeout,
    )


_OF_THE_EDITOR = frozenset({"path", "interpreter", "importStrategy", "trace", "args", "cwd"})
"""What extensions need to start the server; it is theirs to read."""


def _called(key: str) -> str:
    """How the client names what is `extend-select` in a file."""
    first, *others = key.split("-")
    return f"settings of mxlint: {first}{''.join(map(str.capitalize, others))}"


def _texts(values: Any) -> tuple[str, ...]:
    return tuple(str(value) for value in values or ())


def _configuration(values: Any, folder: Path) -> tuple[Path | None, dict[str, Any]]:
    """A file, and keys given in place of one, as with --config."""
    file: Path | None = None
    inline: dict[str, Any] = {}
    for text in _texts(values):
        path = Path(os.path.normpath(folder / Path(text).expanduser()))
        if path.is_file():
            file = path
        elif "=" in text:
            inline.update(parse_option(text))
        else:
            reason = "not a regular file" if path.exists() else "no such file, and not KEY = VALUE either"
            raise ConfigError(f"settings of mxlint: configuration: {text}: {reason}")
    return file, inline
