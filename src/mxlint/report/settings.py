"""What `mxlint config` prints: the settings that hold for a path, as the TOML that would set them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from mxlint.config import DEFAULT_TESTS, Config, Settings
from mxlint.models.mlx.table import load_table
from mxlint.report.ascii import dumped
from mxlint.report.origins import Origins
from mxlint.report.style import one_line
from mxlint.versions import resolve_mlx_versions


def render(config: Config, path: Path, settings: Settings) -> str:
    """The settings for a path, each with where it comes from. The rules are those that are on for it, per-file-ignores included."""
    from_ = Origins(config.file, settings).of
    newest = load_table()
    folder = path if path.is_dir() else path.parent
    configured = config.mlx_version
    versions = () if configured is None and settings.isolated else resolve_mlx_versions(folder, configured, newest.versions)
    where = from_("mlx-version").replace("  # ", ", ") if configured is not None else ""
    lines = [
        one_line(f"# {path}"),
        one_line(f"# settings from {config.file}") if config.file else "# no configuration file",
        f"select = {_list(sorted(config.rules_for(path)))}{from_('select', 'extend-select', 'ignore')}",
        f"exclude = {_list(glob for patterns in config.exclude for glob in patterns.globs)}{from_('exclude')}",
        f"extend-exclude = {_list(glob for patterns in config.extend_exclude for glob in patterns.globs)}{from_('extend-exclude')}",
        f"fail-on = {_value(config.fail_on)}{from_('fail-on')}",
        f"compile-wrappers = {_list(config.compile_wrappers)}{from_('compile-wrappers')}",
        f"tests = {_list(config.tests.globs if config.tests is not None else DEFAULT_TESTS)}{from_('tests')}",
        f"markdown = {_value(config.markdown)}{from_('markdown')}",
        f"mlx-version = {_value(_range(versions or newest.judged))}  # {one_line(_origin(configured, versions))}{_judged_as(versions)}{where}",
        *([f"python = {_value(str(config.python))}{from_('python')}"] if config.python is not None else []),
        "",
        f"[severity]{from_('severity')}",
        *(f"{code} = {_value(severity)}" for code, severity in sorted(config.severities.items())),
        "",
        f"[per-file-ignores]{from_('per-file-ignores')}",
        *(f"{_value(glob)} = {_list(sorted(codes))}" for glob, codes in config.per_file_ignores),
    ]
    return "\n".join(lines) + "\n"


def _range(judged: tuple[str, ...]) -> str:
    """What stands for some versions, which are all that were measured between the first and the last."""
    return judged[0] if len(judged) == 1 else f">={judged[0]},<={judged[-1]}"


def _origin(configured: str | None, judged: tuple[str, ...]) -> str:
    """Where the version of MLX comes from."""
    if configured is not None:
        return "as configured" if (configured,) == judged else f"for {configured}, as configured"
    return "by what the project requires or has locked" if judged else "the newest that was measured"


def _judged_as(versions: tuple[str, ...]) -> str:
    """What is used in place of a version that was not measured."""
    note = load_table(*versions).note if versions else None
    return f"; not measured: {note.partition(': ')[2]}" if note else ""


def _list(values: Iterable[str]) -> str:
    return _value(list(values))


def _value(value: object) -> str:
    """As JSON, which TOML reads as well."""
    return dumped(value, indent=None).rstrip("\n")
