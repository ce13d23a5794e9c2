"""What the user asked for: the nearest [tool.mxlint], `--config` and the command line, folded into one frozen Config.

A file belongs to the nearest pyproject.toml that has a [tool.mxlint] table; tables are merged only where one says `extend`. Paths and patterns are relative to that file.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from mxlint.finding import SEVERITIES, Severity
from mxlint.nearness import nearest
from mxlint.rules.registry import CODES, FAMILIES, NAMES, UNJUDGED

if TYPE_CHECKING:
    from mxlint.globs import Globs

FailOn = Literal["error", "warning", "info", "never"]
W = TypeVar("W", bound=str)
_CODE = re.compile(r"MX\d*", re.IGNORECASE)
FAIL_ON: tuple[FailOn, ...] = (*SEVERITIES, "never")

# Folders that hold no code of the project. Not plain "build": CI checks out under folders of that name.
# fmt: off
DEFAULT_EXCLUDES = (
    ".bzr", ".direnv", ".eggs", ".git", ".hg", ".hypothesis", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d", ".pyenv",
    ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__", "__pypackages__", "_build",
    "buck-out", "dist", "node_modules", "site-packages", "venv",
)
# fmt: on


DEFAULT_TESTS = ("tests/**", "test_*.py", "*_test.py", "conftest.py")
"""What is taken for tests: advice about speed is not given there."""


class ConfigError(Exception):
    """The user's configuration cannot be followed; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Patterns:
    """Globs in the syntax of .gitignore, relative to `root`."""

    root: Path
    globs: tuple[str, ...]

    @property
    def names(self) -> frozenset[str]:
        """The globs that are plain names: they need no regular expression, and most runs have no others."""
        return _split(self.globs)[0]

    @property
    def spec(self) -> Globs | None:
        """The other globs."""
        return _spec(_split(self.globs)[1])

    def covers(self, path: Path) -> bool:
        """Whether the path or a folder above it, up to `root`, is meant. Outside of `root`, its whole path counts."""
        inside = path.relative_to(self.root) if path.is_relative_to(self.root) else path.relative_to(path.anchor)
        return not self.names.isdisjoint(inside.parts) or (self.spec is not None and bool(self.spec.cover(inside.as_posix())))


@dataclass(frozen=True, slots=True)
class Config:
    """The settings of a file. `root` is the folder they are relative to, `file` where they stand, if anywhere; `severities`, by code, stand in for
    those of the rules; `markdown`: Markdown files of folders are checked, too; `python` is the interpreter or environment that experiments run in."""

    root: Path
    file: Path | None = None
    rules: frozenset[str] = frozenset(NAMES)
    severities: Mapping[str, Severity] = field(default_factory=dict)
    per_file_ignores: tuple[tuple[str, frozenset[str]], ...] = ()
    exclude: tuple[Patterns, ...] = ()
    extend_exclude: tuple[Patterns, ...] = ()
    fail_on: FailOn = "warning"
    compile_wrappers: tuple[str, ...] = ()
    tests: Patterns | None = None
    markdown: bool = False
    mlx_version: str | None = None
    python: Path | None = None

    def is_test(self, path: Path) -> bool:
        """Whether a file belongs to tests."""
        return (self.tests or Patterns(self.root, DEFAULT_TESTS)).covers(path)

    @property
    def excludes(self) -> tuple[Patterns, ...]:
        """All patterns of what to leave out."""
        return self.exclude + self.extend_exclude

    def rules_for(self, path: Path) -> frozenset[str]:
        """The rules that apply to a file: all that are on, less its per-file-ignores. A pattern `!x` means every file but x."""
        off: frozenset[str] = frozenset()
        for glob, codes in self.per_file_ignores:
            if Patterns(self.root, (glob.removeprefix("!"),)).covers(path) != glob.startswith("!"):
                off |= codes
        return self.rules - off


def tests_of(config: Config, cwd: Path) -> Callable[[str], bool]:
    """Whether a file belongs to tests, by the name that users see."""
    return lambda filename: config.is_test(Path(os.path.normpath(cwd / filename)))


def _option(key: str) -> str:
    return f"--{key}"


@dataclass(frozen=True, slots=True)
class Settings:
    """What the command line says, or who stands in for it; None says nothing. `options` are inline TOML, `file` a configuration file given by name.
    `called`: the name under which it was given a key, for messages."""

    file: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    isolated: bool = False
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] | None = None
    extend_exclude: tuple[str, ...] = ()
    fail_on: FailOn | None = None
    mlx_version: str | None = None
    python: str | None = None
    called: Callable[[str], str] = _option


class Configs:
    """The Config of each folder, read once. This is the one place that knows which source of settings wins."""

    def __init__(self, settings: Settings, cwd: Path) -> None:
        self._settings = settings
        self._cwd = cwd
        self._of_folder: dict[Path, Config] = {}
        self._fixed = settings.isolated or settings.file is not None
        self._default = self._resolve(settings.file, _table_by_name(settings.file) if settings.file else {})

    def of(self, folder: Path) -> Config:
        """The Config for the files of a folder. Raises ConfigError."""
        if self._fixed:
            return self._default
        if folder not in self._of_folder:
            file = folder / "pyproject.toml"
            table = _table(file) if os.path.isfile(file) else None
            if table is not None:
                self._of_folder[folder] = self._resolve(file, table)
            else:
                self._of_folder[folder] = self.of(folder.parent) if folder.parent != folder else self._default
        return self._of_folder[folder]

    def _resolve(self, file: Path | None, table: Mapping[str, Any]) -> Config:
        settings = self._settings
        root = file.parent if file else self._cwd
        config = Config(root, file, exclude=(Patterns(root, DEFAULT_EXCLUDES),))
        for base, settled in _extended(file, table) if file else ():
            config = _extending(config, settled, base)
            if base != file:
                selected, more = settled.get("select"), settled.get("extend-select", ())
                config = replace(config, rules=_layer(config.rules, selected, more, settled.get("ignore", ()), str))
        config = _apply(config, settings.options, lambda key: "--config ", self._cwd)
        chosen = {**table, **settings.options}  # a key given by --config stands in for that of the file
        config = replace(
            config, rules=_layer(config.rules, chosen.get("select"), chosen.get("extend-select", ()), chosen.get("ignore", ()), str)
        )
        if settings.exclude is not None:
            config = replace(config, exclude=(Patterns(self._cwd, settings.exclude),))
        if settings.extend_exclude:
            config = replace(config, extend_exclude=(*config.extend_exclude, Patterns(self._cwd, settings.extend_exclude)))
        return replace(
            config,
            rules=_layer(config.rules, settings.select, settings.extend_select, settings.ignore, settings.called),
            fail_on=settings.fail_on or config.fail_on,
            mlx_version=config.mlx_version
            if settings.mlx_version is None
            else _mlx_version(settings.mlx_version, settings.called("mlx-version")),
            python=config.python if settings.python is None else _python(settings.python, settings.called("python"), self._cwd),
        )


def parse_option(text: str) -> dict[str, Any]:
    """Settings given in place of a file: `--config 'key = value'`."""
    return parse_toml(text.encode(), f"--config {text!r}")


def select_rules(selectors: Iterable[str], where: str) -> dict[str, int]:
    """The rules that selectors mean, each with how closely it was meant: 0 for ALL, then the length of the prefix."""
    chosen: dict[str, int] = {}
    for selector in selectors:
        prefix = CODES.get(selector.lower(), selector.upper())
        prefix = "" if prefix == "ALL" else prefix
        codes = [code for code in NAMES if code.startswith(prefix)]
        if not codes or not selector:
            raise ConfigError(f"{where}: unknown rule selector `{selector}`{_selector_hint(selector)}")
        for code in codes:
            chosen[code] = max(chosen.get(code, 0), len(prefix))
    return chosen


def nearest_rule(text: str, others: Iterable[str] = ()) -> str | None:
    """The rule that a misspelt code or name most likely means."""
    return nearest(text, NAMES if _CODE.fullmatch(text) else (*others, *NAMES, *CODES))


def _selector_hint(text: str) -> str:
    if close := nearest_rule(text, ("ALL",)):
        return f"; did you mean `{close}`?"
    return f"; the prefixes are {', '.join(FAMILIES)}" if _CODE.fullmatch(text) else ""


def _hint(text: str, candidates: Iterable[str]) -> str:
    close = nearest(text, candidates)
    return f"; did you mean `{close}`?" if close else ""


def _table(file: Path) -> dict[str, Any] | None:
    """The [tool.mxlint] table of a pyproject.toml. One that does not mention mxlint is not ours to complain about."""
    data = _read(file)
    if b"mxlint" not in data:
        return None
    tool = parse_toml(data, str(file)).get("tool")
    table = tool.get("mxlint") if isinstance(tool, dict) else None
    if table is None or isinstance(table, dict):
        return table
    raise ConfigError(f"{file}: tool.mxlint: expected a table, found {_kind(table)}")


def _table_by_name(file: Path) -> dict[str, Any]:
    """The settings of a file named by --config: its [tool.mxlint], or all of it if it is no pyproject.toml."""
    table = _table(file)
    if table is not None:
        return table
    if file.name == "pyproject.toml":
        raise ConfigError(f"{file}: there is no [tool.mxlint] in it")
    return parse_toml(_read(file), str(file))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: {error.strerror or error}") from None


def parse_toml(data: bytes, where: str) -> dict[str, Any]:
    """A TOML document. Raises ConfigError, beginning with `where`."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib

    try:
        return tomllib.loads(data.decode())
    except ValueError as error:
        raise ConfigError(f"{where}: not valid TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{where}: TOML that is nested too deep") from None


_SELECTORS = ("select", "extend-select", "ignore")
KEYS = (
    *_SELECTORS, "severity", "per-file-ignores", "exclude", "extend-exclude", "fail-on", "compile-wrappers", "tests", "markdown", "mlx-version",
    "python",
)  # fmt: skip


def tables(file: Path) -> list[tuple[Path, Mapping[str, Any]]]:
    """The tables that the settings of a file are made of, itself last. Raises ConfigError."""
    return _extended(file, _table_by_name(file))


def _extended(file: Path, table: Mapping[str, Any], seen: tuple[Path, ...] = ()) -> list[tuple[Path, Mapping[str, Any]]]:
    """The tables that a file's table goes back to, itself last."""
    if "extend" not in table:
        return [(file, table)]
    from mxlint.rows import Rows

    where = f"{Rows(file)('extend')}extend"
    base = Path(os.path.normpath(file.parent / Path(_string(table["extend"], where)).expanduser()))
    if base in (file, *seen):
        raise ConfigError(f"{where}: `{table['extend']}` comes back to this file")
    try:
        return [*_extended(base, _table_by_name(base), (file, *seen)), (file, table)]
    except ConfigError as error:
        raise ConfigError(f"{where}: {error}") if not os.path.isfile(base) else error from None


def _extending(config: Config, table: Mapping[str, Any], file: Path) -> Config:
    """The config with the table of a file laid over it: what is left out besides adds up."""
    from mxlint.rows import Rows

    own = _apply(config, {key: value for key, value in table.items() if key != "extend"}, Rows(file), file.parent)
    return replace(own, extend_exclude=(*config.extend_exclude, *own.extend_exclude)) if "extend-exclude" in table else own


def _apply(config: Config, table: Mapping[str, Any], where: Callable[[str], str], root: Path) -> Config:
    """The config with the keys of a table laid over it, but for those that select rules: of these only the spelling is looked at. `where`: what a
    message about a key begins with."""
    for key in table:
        if key == "extend":
            raise ConfigError(f"{where(key)}extend: only a file goes back to another")
        if key not in KEYS:
            known = (*KEYS, "extend")
            hint = _hint(key, known) or f"; the keys are {', '.join(known)}"
            raise ConfigError(f"{where(key)}unknown key `{key}`{hint}")
    lists = {
        key: _strings(table[key], f"{where(key)}{key}")
        for key in (*_SELECTORS, "exclude", "extend-exclude", "compile-wrappers", "tests")
        if key in table
    }
    for key in _SELECTORS:
        select_rules(lists.get(key, ()), f"{where(key)}{key}")
    if "exclude" in lists:
        config = replace(config, exclude=(Patterns(root, lists["exclude"]),))
    if "extend-exclude" in lists:
        config = replace(config, extend_exclude=(Patterns(root, lists["extend-exclude"]),))
    if "compile-wrappers" in lists:
        for name in lists["compile-wrappers"]:
            if not all(part.isidentifier() for part in name.split(".")):
                raise ConfigError(
                    f"{where('compile-wrappers')}compile-wrappers: `{name}` is not a dotted name such as `package.module.function`"
                )
        config = replace(config, compile_wrappers=lists["compile-wrappers"])
    if "tests" in lists:
        config = replace(config, tests=Patterns(root, lists["tests"]))
    if "markdown" in table:
        config = replace(config, markdown=_boolean(table["markdown"], f"{where('markdown')}markdown"))
    if "severity" in table:
        config = replace(config, severities=_severities(table["severity"], where))
    if "per-file-ignores" in table:
        config = replace(config, per_file_ignores=_per_file_ignores(table["per-file-ignores"], where))
    if "fail-on" in table:
        config = replace(config, fail_on=_one_of(table["fail-on"], f"{where('fail-on')}fail-on", FAIL_ON))
    if "mlx-version" in table:
        config = replace(config, mlx_version=_mlx_version(table["mlx-version"], f"{where('mlx-version')}mlx-version"))
    if "python" in table:
        config = replace(config, python=_python(table["python"], f"{where('python')}python", root))
    return config


def _layer(
    rules: frozenset[str], select: Iterable[str] | None, extend_select: Iterable[str], ignore: Iterable[str], called: Callable[[str], str]
) -> frozenset[str]:
    """The rules after one more source of settings: `select` starts anew; where select and ignore meet, the closer selector wins. `called`: how the source
    names a key."""
    on = select_rules(extend_select, called("extend-select"))
    if select is not None:
        rules = UNJUDGED
        for code, closeness in select_rules(select, called("select")).items():
            on[code] = max(on.get(code, 0), closeness)
    off = {code for code, closeness in select_rules(ignore, called("ignore")).items() if closeness >= on.get(code, 0)}
    return ((rules | on.keys()) - off) | {"MX004"}


def _strings(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, (list, tuple)):
        raise ConfigError(f"{where}: expected a list of strings, found {_kind(value)}")
    for item in value:
        if not isinstance(item, str):
            raise ConfigError(f"{where}: expected a list of strings, found {_kind(item)} in it")
    return tuple(value)


def _string(value: object, where: str) -> str:
    if not isinstance(value, str):
        raise ConfigError(f"{where}: expected a string, found {_kind(value)}")
    return value


def _boolean(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise ConfigError(f"{where}: expected a boolean, found {_kind(value)}")
    return value


def _kind(value: object) -> str:
    from datetime import date, time

    kinds = {str: "a string", bool: "a boolean", int: "an integer", float: "a number", list: "a list", dict: "a table"}
    return kinds.get(type(value)) or ("a date or time" if isinstance(value, (date, time)) else f"`{type(value).__name__}`")


def _per_file_ignores(value: object, where: Callable[[str], str]) -> tuple[tuple[str, frozenset[str]], ...]:
    key = "per-file-ignores"
    if not isinstance(value, dict):
        raise ConfigError(f"{where(key)}{key}: expected a table of patterns, found {_kind(value)}")
    ignores = []
    for glob, codes in value.items():
        at = f'{where(f"{key}.{glob}")}{key}."{glob}"'
        ignores.append((glob, frozenset(select_rules(_strings(codes, at), at)) - {"MX004"}))
    return tuple(ignores)


def _severities(value: object, where: Callable[[str], str]) -> dict[str, Severity]:
    """The severity of each rule that the table is about: the closest selector decides. That mxlint failed stays an error."""
    if not isinstance(value, dict):
        raise ConfigError(f"{where('severity')}severity: expected a table of selectors, found {_kind(value)}")
    chosen: dict[str, tuple[int, Severity]] = {}
    for selector, severity in value.items():
        at = f"{where(f'severity.{selector}')}severity.{selector}"
        for code, closeness in select_rules([selector], at).items():
            if code not in chosen or closeness >= chosen[code][0]:
                chosen[code] = closeness, _one_of(severity, at, SEVERITIES, besides="; `ignore` leaves rules out")
    return {code: severity for code, (_, severity) in chosen.items() if code != "MX004"}


def _one_of(value: object, where: str, words: tuple[W, ...], besides: str = "") -> W:
    text = _string(value, where)
    for word in words:
        if text == word:
            return word
    raise ConfigError(f"{where}: expected one of {', '.join(words)}, found `{text}`{_hint(text, words) or besides}")


def _mlx_version(value: object, where: str) -> str:
    from mxlint.specifiers import admits_any, as_range

    text = _string(value, where)
    found = as_range(text)
    if not found:
        raise ConfigError(f"{where}: expected a version such as 0.29.2, or a range such as >=0.28, found `{text}`")
    if not admits_any(found):
        raise ConfigError(f"{where}: no version lies in `{text}`")
    return text


def _python(value: object, where: str, base: Path) -> Path:
    """An interpreter, or the folder of its environment: a path relative to `base`, or a command."""
    import shutil

    text = _string(value, where)
    path = base / Path(text).expanduser()
    command = None if path.exists() or os.sep in text else shutil.which(text)
    if not text or not path.exists() and command is None:
        raise ConfigError(f"{where}: no such interpreter or environment: `{text}`")
    return Path(os.path.abspath(command or path))


@lru_cache
def _split(globs: tuple[str, ...]) -> tuple[frozenset[str], tuple[str, ...]]:
    """Plain names, and what needs a regular expression. With a negation among them the order counts, so none is taken out."""
    if any(glob.startswith("!") for glob in globs):
        return frozenset(), globs
    plain = frozenset(glob for glob in globs if glob and not any(character in glob for character in "*?[]/\\# "))
    return plain, tuple(glob for glob in globs if glob not in plain)


@lru_cache
def _spec(globs: tuple[str, ...]) -> Globs | None:
    if not globs:
        return None
    from mxlint.globs import Globs, is_pattern

    for glob in globs:
        if glob.strip() and not glob.startswith("#") and not is_pattern(glob):
            raise ConfigError(f"not a pattern as in .gitignore: `{glob}`")
    return Globs(globs)
