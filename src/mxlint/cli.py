"""The command line. Nothing heavy is imported before it is needed: a hook that finds nothing to do must cost next to nothing."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

import click
from click.exceptions import Exit

from mxlint import __version__
from mxlint.config import FAIL_ON, ConfigError, Configs, Settings, nearest, nearest_rule, parse_option
from mxlint.report.formats import FORMATS, report
from mxlint.report.style import at_start, one_line
from mxlint.rules.registry import CODES, NAMES, RULES, UNJUDGED, code_of, family

if TYPE_CHECKING:
    import threading

    from mxlint.baseline import Baseline
    from mxlint.engine import Result
    from mxlint.finding import Finding
    from mxlint.report.style import ColorChoice

F = TypeVar("F", bound=Callable[..., Any])

_PATIENCE = 1.0  # seconds before a run at a terminal shows how far it is


def _say(text: str) -> None:
    """A line on stderr, if anybody listens."""
    with suppress(OSError):
        click.echo(one_line(text), err=True)


def _say_traceback(text: str) -> None:
    """A traceback on stderr: it may quote the code that is checked, of which no line may begin one of ours."""
    for line in text.splitlines():
        _say(f"| {line}")


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """What click has to say of arguments quotes them: in one line, without control characters."""
    try:
        yield
    except click.ClickException as error:
        error.message = one_line(error.message)  # type: ignore[misc]  # final only by the letter
        raise


class _Commands(click.Group):
    """A group that answers an unknown command with the nearest one it has; not every click that we run on does so."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            close = nearest(args[0], self.commands)
            ctx.fail(f"No such command '{args[0]}'." + (f" Did you mean '{close}'?" if close else ""))
        return super().resolve_command(ctx, args)

    def make_context(self, *args: Any, **kwargs: Any) -> click.Context:
        with _one_line_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        with _one_line_errors():
            return super().invoke(ctx)

    def main(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().main(*args, **kwargs)
        except OSError as error:  # --help and --version, which click itself prints, or a working directory that is gone
            _discard(sys.stdout)
            _say(f"Error: {error.strerror or error}")
            sys.exit(_Failure.exit_code)
        except Exception as error:  # noqa: BLE001 a failure of ours is no finding
            import traceback

            _say(f"Error: mxlint failed: {type(error).__name__}: {error}; please report this with what follows")
            _say_traceback("".join(traceback.format_exception(error)))
            sys.exit(_Failure.exit_code)


class _Choice(click.Choice):  # type: ignore[type-arg]  # no generic class before click 8.2
    """A choice that answers a value it does not have with the nearest one."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        try:
            return str(super().convert(value, param, ctx))
        except click.BadParameter as error:
            close = nearest(str(value), self.choices)
            self.fail(error.message + (f" Did you mean '{close}'?" if close else ""), param, ctx)


class _Failure(click.ClickException):
    """mxlint cannot do its work."""

    exit_code = 2


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mxlint", message="%(prog)s %(version)s")
def main() -> None:
    """Find the compile pitfalls of Apple's MLX in Python code, without running it unless asked to."""


def _options(*options: Callable[[F], F]) -> Callable[[F], F]:
    def add(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return add


_config_options = _options(
    click.option(
        "--config", multiple=True, metavar="FILE|'KEY = VALUE'", help="A configuration file to use, or one key to set, as in TOML."
    ),
    click.option("--isolated", is_flag=True, help="Read no configuration file, and no requirement of MLX."),
    click.option("--mlx-version", metavar="VERSION", help="The version of MLX to judge for, or a range: every measured version in it."),
)
_run_options = _options(
    click.option("--stdin-filename", metavar="NAME", help="The name of the file that `-` reads."),
    click.option("--exclude", multiple=True, metavar="GLOB", help="Leave out these paths, instead of the configured ones."),
    click.option("--extend-exclude", multiple=True, metavar="GLOB", help="Leave out these paths as well."),
    click.option("--force-exclude", is_flag=True, help="Leave out excluded paths even where they are named."),
    _config_options,
    click.option("--color", type=_Choice(["auto", "always", "never"]), default="auto", help="When to colour text."),
    click.option("-q", "--quiet", is_flag=True, help="Print findings only."),
    click.option(
        "-v",
        "--verbose",
        is_flag=True,
        help="Say on stderr what was read, and what contained experiments; show tracebacks of internal errors.",
    ),
)


def _verify_options(keep: str, timeout: str) -> Callable[[F], F]:
    return _options(
        click.option(
            keep, "verify_keep", type=click.Path(file_okay=False), metavar="DIR", help="Keep what is run there, as scripts to run by hand."
        ),
        click.option(
            timeout,
            "verify_timeout",
            type=click.FloatRange(min=1),
            metavar="S",
            help="Seconds after which one run of a program is ended. Default: 20, with CUDA 60.",
        ),
        click.option(
            "--python",
            metavar="EXE",
            help="The interpreter or environment to run it in. Default: the active environment, or .venv of the project, if MLX is in it.",
        ),
        click.option("--jobs", type=click.IntRange(min=1), metavar="N", help="Experiments at a time. Default: the cores that there are."),
        click.option(
            "--cache-dir",
            type=click.Path(file_okay=False),
            default=".mxlint_cache",
            metavar="DIR",
            help="Where to keep what experiments showed. Default: .mxlint_cache.",
        ),
        click.option("--no-cache", is_flag=True, help="Keep nothing of it, and use nothing that was kept."),
    )


@main.command(short_help="Check files and folders.")
@click.argument("paths", nargs=-1, metavar="[PATH…|-]")
@click.option("--output-format", type=_Choice(list(FORMATS)), default="text", help="How to print findings.")
@click.option(
    "--output-file",
    type=click.Path(dir_okay=False),
    metavar="FILE",
    help="Print them to a file, which is replaced at the end and in one step.",
)
@click.option("--select", multiple=True, metavar="CODES", help="Rules to check: codes, prefixes, names or ALL, with commas between.")
@click.option("--extend-select", multiple=True, metavar="CODES", help="Rules to check as well.")
@click.option("--ignore", multiple=True, metavar="CODES", help="Rules not to check.")
@_run_options
@click.option("--fix", is_flag=True, help="Write the fixes that change no behaviour to the files, and report what is left.")
@click.option("--unsafe-fixes", is_flag=True, help="Count fixes that may change behaviour as well: for --fix, --diff and the marks [*].")
@click.option("--diff", is_flag=True, help="Print what --fix would change, as a unified diff, and change nothing.")
@click.option("--fail-on", type=_Choice(FAIL_ON), help="The lowest severity that makes the exit code 1. Default: warning.")
@click.option("--exit-zero", is_flag=True, help="The same as --fail-on never.")
@click.option("--verify", is_flag=True, help="Run pieces of the program under the MLX installed here, and say which findings are true.")
@_verify_options("--verify-keep", "--verify-timeout")
@click.option(
    "--report", type=click.Path(dir_okay=False), metavar="FILE.html", help="Write the findings, with what verified them, as a page."
)
@click.option(
    "--statistics",
    is_flag=True,
    help="Print how often each rule spoke, and how far compiled functions were followed, in place of the findings.",
)
@click.option("--timings", is_flag=True, help="Print to stderr how long each stage took.")
@click.option("--baseline", type=click.Path(dir_okay=False), metavar="FILE", help="Report only what this file does not have.")
@click.option("--update-baseline", is_flag=True, help="Write what is found to that file, so that it is not reported any more.")
@click.option("--show-files", is_flag=True, help="Print the files that would be checked, and check none.")
@click.pass_context
def check(ctx: click.Context, /, **options: Any) -> None:
    """Check Python files, and those in folders; `-` reads one from stdin.

    The exit code is 0 if there is nothing at or over --fail-on, 1 if there is, and 2 if mxlint could not do its work;
    130 if the run was interrupted: a verifying one reports what it has. With --fix it is about what is left, with --diff 1 if
    there is something to change. With `-`, --fix prints the fixed source to stdout, and the report to stderr.
    """
    for name in ("verify_keep", "verify_timeout", "python"):
        if options[name] and not options["verify"]:
            raise click.UsageError(f"--{name.replace('_', '-')} is for --verify.")
    if options["show_files"] and "-" in options["paths"]:
        raise click.UsageError("--show-files is for files and folders, '-' reads one from stdin.")
    if options["report"] and options["diff"]:
        raise click.UsageError("--diff reports nothing, --report is for what is found.")
    if options["statistics"] and FORMATS[options["output_format"]].statistics is None:
        raise click.UsageError(f"--statistics is for {', '.join(name for name in FORMATS if FORMATS[name].statistics)}.")
    for file in (options["report"], options["output_file"], options["baseline"]):
        if file is not None and not Path(file).absolute().parent.is_dir():  # said before the work is done
            raise _Failure(f"{file}: {os.strerror(errno.ENOENT)}")
    if options["update_baseline"] and (not options["baseline"] or options["fix"] or options["diff"]):
        raise click.UsageError("--update-baseline is for --baseline, and not for --fix or --diff.")
    baseline = _baseline(options)
    checker = _checker(options)
    if options["show_files"]:
        ctx.exit(_show_files(options))
    result, interrupted = _run(options, checker), None
    if baseline is not None and options["update_baseline"]:
        baseline = _updated(baseline, result, options)
    if baseline is not None:
        result = _less(baseline, result, options)
    if options["verify"]:
        result, interrupted = _verified(result, options)
    result = replace(result, unsafe_fixes=options["unsafe_fixes"])
    if (options["fix"] or options["diff"]) and not interrupted:
        result = _fixed(result, checker, options)
        result = result if baseline is None else _less(baseline, result, {**options, "quiet": True})
    if options["report"]:
        from mxlint.report.html.page import render

        with _output(options["report"]) as stream:
            stream.write(render(result))
    if not options["diff"]:
        with _output(options["output_file"], to_stderr=options["fix"] and "-" in options["paths"]) as stream:
            stream.write(_report(result, stream, options))
    if options["timings"]:
        for stage, seconds in result.timings.items():
            _say(f"{stage:>10} {seconds * 1000:8.1f} ms")
    ctx.exit(interrupted or (_diff_exit_code(result, options) if options["diff"] else result.exit_code))


def _baseline(options: dict[str, Any]) -> Baseline | None:
    """The baseline that the options name."""
    if not options["baseline"]:
        return None
    from mxlint.baseline import BaselineError, empty_baseline, read_baseline

    file = Path(options["baseline"])
    if options["update_baseline"] and not file.exists():
        return empty_baseline(file)
    try:
        return read_baseline(file)
    except (OSError, BaselineError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        hint = "; --update-baseline makes it" if isinstance(error, FileNotFoundError) else ""
        raise _Failure(f"{file}: {reason}{hint}") from None


def _updated(baseline: Baseline, result: Result, options: dict[str, Any]) -> Baseline:
    """The baseline with what a run found, written to its file."""
    new = baseline.updated(result)
    with _output(options["baseline"]) as stream:
        stream.write(new.text())
    if not options["quiet"]:
        _say(f"{options['baseline']} has {len(new)} finding{'' if len(new) == 1 else 's'}, and had {len(baseline)}")
    return new


def _less(baseline: Baseline, result: Result, options: dict[str, Any]) -> Result:
    """The run without what its baseline has."""
    result, stale = baseline.applied(result)
    if stale and not options["quiet"]:
        what = "1 entry is" if stale == 1 else f"{stale} entries are"
        _say(f"Note: {what} stale in {options['baseline']}: --update-baseline takes {'it' if stale == 1 else 'them'} out")
    return result


def _show_files(options: dict[str, Any]) -> int:
    """Print the names of the files that a run would check; its exit code."""
    from mxlint.discover import discover

    cwd = Path.cwd()
    try:
        files, problems = discover(options["paths"] or (".",), Configs(_settings(options), cwd), cwd, options["force_exclude"])
    except ConfigError as error:
        raise _Failure(str(error)) from None
    for problem in problems:
        _say(f"Error: {problem.name}: {problem.message}")
    with _output(options["output_file"]) as stream:
        stream.writelines(f"{at_start(file.name)}\n" for file in files)
    return _Failure.exit_code if problems else 0


@main.command(short_help="Put one expression to the test.")
@click.argument("place", metavar="FILE:ROW")
@click.option("--as", "code", metavar="CODE", help="The rule whose experiment to run, whether or not it says anything here.")
@_verify_options("--keep", "--timeout")
@click.option("--output-format", type=_Choice(list(FORMATS)), default="text", help="How to print the verdict.")
@_config_options
@click.option("--color", type=_Choice(["auto", "always", "never"]), default="auto", help="When to colour text.")
@click.option("-q", "--quiet", is_flag=True, help="Print the verdict only.")
@click.option("-v", "--verbose", is_flag=True, help="Say on stderr what was read, and what contained the experiments.")
@click.pass_context
def verify(ctx: click.Context, /, place: str, code: str | None, **options: Any) -> None:
    """Run the piece of the program around a row under the MLX that is installed, and say whether what is found there is true.

    The program is looked for in the whole project: the folder of the nearest pyproject.toml or repository.

    With --as it is the experiment of that rule, on the compile site, the head of the statement or the statement in the row.

    The exit code is 0 if nothing was confirmed, 1 if something was, and 2 if mxlint could not do its work.
    """
    file, colon, row = place.rpartition(":")
    if not colon or not row.isdecimal() or not os.path.isfile(file):
        raise click.UsageError(f"{place!r} is not FILE:ROW of a file that exists.")
    from mxlint.project import neighbours
    from mxlint.versions import project_root

    rule = _rule(code) if code is not None else None
    if rule is not None and RULES[rule].experiment is None:
        raise _Failure(f"{rule} has no experiment: what it says is not decided by running the program once more")
    root = project_root(Path(file).absolute().parent)
    project = [str(root)] if root is not None else neighbours(Path(file))
    run = {"force_exclude": False, "stdin_filename": None, "paths": (*project, file), "exit_zero": True, "verify": True}
    result = _run({**options, **run})
    from mxlint.verify.request import asked

    wanted = asked(result, Path(file), int(row), rule)
    if not wanted:
        raise _Failure(f"{place}: {'nothing stands there' if rule else 'no finding there; --as CODE runs the experiment of a rule anyway'}")
    result, interrupted = _verified(result, options, wanted)
    with _output(None) as stream:
        stream.write(_report(result, stream, {**options, "statistics": False}))
    words = {finding.verdict.verdict for finding in result.findings if finding.verdict is not None}
    ctx.exit(interrupted or (1 if "confirmed" in words else 2 if "unavailable" in words else 0))


@main.command(short_help="List what is compiled, and how.")
@click.argument("paths", nargs=-1, metavar="[PATH…|-]")
@click.option("--output-format", type=_Choice(["text", "json"]), default="text", help="How to print the list.")
@_run_options
@click.pass_context
def sites(ctx: click.Context, /, **options: Any) -> None:
    """List each place where something is compiled: where it is, what is compiled, by which form, with which options."""
    from mxlint.report.sites import render_json, render_text
    from mxlint.report.style import style_for

    result = _run(options)
    with _output(None) as stream:
        stream.write(
            render_json(result) if options["output_format"] == "json" else render_text(result, style_for(stream, options["color"]))
        )
    left_out = [finding for finding in result.findings if finding.code in UNJUDGED]
    for finding in left_out:
        _say(f"Error: {finding.span.filename}:{finding.span.start.row}:{finding.span.start.column}: {finding.message}")
    if result.files and not (result.sites or left_out or options["quiet"]):
        _say(f"Nothing is compiled in {result.files} file{'s' if result.files > 1 else ''}")
    ctx.exit(2 if result.exit_code == 2 else 0)


@main.command(short_help="Explain a rule.")
@click.argument("rule", metavar="CODE|NAME")
@click.option("--output-format", type=_Choice(["text", "json"]), default="text", help="How to print the page.")
def explain(rule: str, output_format: str) -> None:
    """Print the page of a rule: what it finds, why that goes wrong under MLX, and what to write instead."""
    from mxlint.pages import page_text

    code = _rule(rule)
    text = page_text(code).rstrip("\n") + "\n"
    if output_format == "json":
        from mxlint.report.ascii import dumped

        text = dumped({**_described(code), "explanation": text})
    with _output(None) as stream:
        stream.write(text)


@main.command(short_help="List all rules.")
@click.option("--output-format", type=_Choice(["text", "json"]), default="text", help="How to print the list.")
def rules(output_format: str) -> None:
    """List the rules: code, name, severity, and what each is about."""
    from mxlint.report.ascii import dumped

    listed = [_described(code) for code in NAMES]
    width = max(len(name) for name in CODES)
    with _output(None) as stream:
        if output_format == "json":
            stream.write(dumped(listed))
        else:
            stream.write("".join("{code}  {name:{width}}  {severity:7}  {family}\n".format(**rule, width=width) for rule in listed))


def _described(code: str) -> dict[str, Any]:
    """What the page of a rule says of it, less its text."""
    from mxlint.pages import load_page
    from mxlint.rules.registry import page_url

    page = load_page(code)
    return {
        "code": code,
        "name": page.name,
        "severity": page.severity,
        "family": family(code),
        "url": page_url(code),
        "fix": page.fix,
        "since": page.since,
        "verify": page.verify,
        "shows": page.shows,
        "claim": page.claim,
    }


@main.command(short_help="Print the settings in force.")
@click.argument("path", default=".", type=click.Path(exists=True))
@_config_options
def config(path: str, **options: Any) -> None:
    """Print the settings that hold for a file or folder, as TOML."""
    from mxlint.report.settings import render

    settings = _settings(options)
    target = Path(os.path.normpath(Path.cwd() / path))
    try:
        text = render(Configs(settings, Path.cwd()).of(target if target.is_dir() else target.parent), target, settings.isolated)
    except ConfigError as error:
        raise _Failure(str(error)) from None
    with _output(None) as stream:
        stream.write(text)


def _checker(options: dict[str, Any]) -> partial[Result]:
    """`engine.check` of what the options name; what is left to say is how far it is, and which files are taken to hold something else."""
    from mxlint.engine import Stdin, check

    paths, stdin = options["paths"] or (".",), None
    if "" in paths:
        raise click.UsageError("An empty path names nothing; '.' is the folder at hand.")
    if "-" in paths:
        if len(paths) > 1:
            raise click.UsageError("'-' cannot be combined with other paths.")
        if sys.stdin is None:
            raise _Failure("stdin is closed")
        stdin = Stdin(sys.stdin.buffer.read(), options["stdin_filename"])
    elif options["stdin_filename"]:
        raise click.UsageError("--stdin-filename is for '-'.")
    how = {"stdin": stdin, "force_exclude": options["force_exclude"], "with_facts": options.get("verify", False)}
    return partial(check, paths, _settings(options), **how)


def _run(options: dict[str, Any], checker: partial[Result] | None = None) -> Result:
    """The run that the options ask for, less its findings: what it has to say on stderr is said here."""
    checker = checker or _checker(options)
    try:
        with _progress(options["quiet"]) as progress:
            result = checker(progress=progress)
    except ConfigError as error:
        raise _Failure(str(error)) from None

    for problem in result.problems:
        _say(f"Error: {problem.name}: {problem.message}")
    if not options["quiet"]:
        for note in (*result.notes, *_newer(result)):
            _say(f"Note: {note}")
        if not result.files and not result.problems:
            _say(f"No Python files found under {', '.join(options['paths'] or ('.',))}: nothing to check")
        if options["verbose"]:
            version = f", for MLX {', '.join(result.mlx_versions)}" if result.mlx_versions else ""
            _say(f"files: {result.files} read, {result.parsed} parsed{version}")
            for traceback in result.tracebacks:
                _say_traceback(traceback)
    return result


def _newer(result: Result) -> Iterator[str]:
    """Which files need a newer Python than this one, in a line for each version."""
    for version in sorted(set(result.newer.values())):
        first, *others = sorted(name for name, needed in result.newer.items() if needed == version)
        files = f"{first} and {len(others)} more files require" if len(others) > 1 else f"{' and '.join((first, *others))} require"
        yield f"{files}{'' if others else 's'} Python {version}: run mxlint with it"


def _verified(result: Result, options: dict[str, Any], only: tuple[Finding, ...] | None = None) -> tuple[Result, int | None]:
    """The run with its findings put to the test, and the exit code if it was interrupted."""
    from mxlint.signals import exit_code
    from mxlint.verify.bench import WALL_S
    from mxlint.verify.cache import cache_in
    from mxlint.verify.experiment import Options, verified
    from mxlint.verify.interpreter import InterpreterError, Interpreters

    python = Interpreters(result.python)
    try:
        for name in dict.fromkeys(finding.span.filename for finding in (result.findings if only is None else only)):
            chosen = python.of(name)
            if options.get("verbose"):
                _say(f"verify: {name} with {chosen.executable}")
    except InterpreterError as error:
        raise _Failure(str(error)) from None
    gc.enable()  # from here on the run is a long one
    keep = Path(options["verify_keep"]) if options["verify_keep"] else None
    cache = None if options["no_cache"] else cache_in(Path(options["cache_dir"]))
    with _progress(options["quiet"]) as progress, _stoppable() as (stop, received):
        how = Options(keep, options["verify_timeout"] or WALL_S, options["jobs"] or _cores(), cache, progress, stop, python=python.of)
        result = verified(result, how, only)
    if received:
        _say("Interrupted: what was not verified yet is inconclusive")
    if options["verbose"]:
        guards = dict.fromkeys(
            finding.verdict.guard for finding in result.findings if finding.verdict is not None and finding.verdict.guard
        )
        for guard in guards:
            _say(f"contained by: {', '.join(guard)}")
    return result, exit_code(received[0]) if received else None


def _fixed(result: Result, checker: partial[Result], options: dict[str, Any]) -> Result:
    """The run after its fixes were made: written to the files, or to stdout if the source came from stdin, or only shown."""
    from mxlint.fixes.run import diff, made, wanted_by, written
    from mxlint.report.footer import would_fix

    def look(unsaved: Mapping[str, bytes]) -> Result:
        with _progress(options["quiet"]) as progress:
            found = checker(unsaved=unsaved, progress=progress)
        if options["verify"]:
            found, interrupted = _verified(found, options)
            if interrupted:  # nothing is written yet
                raise Exit(interrupted)
        return replace(found, unsafe_fixes=options["unsafe_fixes"])

    before, from_stdin = result.problems, "-" in options["paths"]
    fixed = made(result, look, wanted_by(options["unsafe_fixes"], options["verify"]))
    result = fixed.result
    if options["diff"]:
        with _output(options["output_file"]) as stream:
            _write_diff(stream, diff(fixed, named=not from_stdin or bool(options["stdin_filename"])), options["color"])
        if not options["quiet"]:
            click.echo(would_fix(result), err=True, nl=False)
    elif from_stdin:
        after = [source.data for group in fixed.groups for source in group.after.values()]
        with _output(None) as stream:
            _write_bytes(stream, after or [checker.keywords["stdin"].data])
    else:
        result = written(fixed, look)
    for problem in result.problems:
        if problem not in before:
            _say(f"Error: {problem.name}: {problem.message}")
    return result


def _diff_exit_code(result: Result, options: dict[str, Any]) -> int:
    """1 if there is something to change, as for ruff, whatever is left besides."""
    return 2 if result.exit_code == 2 else int(bool(result.fixed) and not options["exit_zero"])


def _write_diff(stream: IO[str], lines: Iterable[bytes], color: ColorChoice) -> None:
    """A diff to the byte or, where somebody looks at it, without what a terminal would obey."""
    from mxlint.report.style import style_for

    style = style_for(stream, color)
    if style.color or stream.isatty():
        texts = (line.decode(errors="replace").rstrip("\r\n") for line in lines)
        stream.writelines(style.change(one_line(text)) + "\n" for text in texts)
    else:
        _write_bytes(stream, lines)


def _write_bytes(stream: IO[str], parts: Iterable[bytes]) -> None:
    stream.flush()
    stream.buffer.writelines(parts)  # type: ignore[attr-defined]


def _cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@contextmanager
def _stoppable() -> Iterator[tuple[threading.Event, list[int]]]:
    """An event that a signal to end sets while the run goes on, and the signals that came."""
    import signal
    import threading

    from mxlint.signals import replace_handlers

    stop, received = threading.Event(), list[int]()

    def ask(number: int, frame: object) -> None:
        received.append(number)
        stop.set()

    before = replace_handlers(ask)
    try:
        yield stop, received
    finally:
        for number, handler in before.items():  # the report must not be lost to a second one, which may come while Python ends
            signal.signal(number, signal.SIG_IGN if received else handler)


def _report(result: Result, stream: IO[str], options: dict[str, Any]) -> str:
    """What goes to stdout."""
    from mxlint.report.style import style_for

    style = style_for(stream, options["color"])
    return report(options["output_format"], result, style, quiet=options["quiet"], statistics=options["statistics"])


def _settings(options: dict[str, Any]) -> Settings:
    """The command line as settings."""
    file: Path | None = None
    inline: dict[str, Any] = {}
    for text in options["config"]:
        if os.path.isfile(text):
            if file is not None:
                raise click.UsageError("--config takes one file at most.")
            if options["isolated"]:
                raise click.UsageError("--isolated reads no configuration file, --config names one.")
            file = Path(os.path.normpath(Path.cwd() / text))
        elif "=" in text:
            try:
                inline.update(parse_option(text))
            except ConfigError as error:
                raise _Failure(str(error)) from None
        else:
            raise _Failure(f"--config {text!r}: no such file, and not KEY = VALUE either")
    return Settings(
        file=file,
        options=inline,
        isolated=options["isolated"],
        select=_codes(options.get("select")) or None,
        extend_select=_codes(options.get("extend_select")),
        ignore=_codes(options.get("ignore")),
        exclude=options.get("exclude") or None,
        extend_exclude=options.get("extend_exclude", ()),
        fail_on="never" if options.get("exit_zero") else options.get("fail_on"),
        mlx_version=options["mlx_version"],
        python=options.get("python"),
    )


def _codes(values: tuple[str, ...] | None) -> tuple[str, ...]:
    return tuple(code.strip() for value in values or () for code in value.split(","))


def _rule(text: str) -> str:
    """The code of the rule that the user means."""
    code = code_of(text)
    if code is None:
        close = nearest_rule(text)
        raise _Failure(f"there is no rule `{text}`" + (f"; did you mean `{close}`?" if close else "; `mxlint rules` lists them"))
    return code


@contextmanager
def _output(file: str | None, *, to_stderr: bool = False) -> Iterator[IO[str]]:
    """Where the report goes: a file, else stdout or stderr. A reader that goes away before the end, as `head` does, is no error."""
    if file is not None:
        from io import BytesIO, TextIOWrapper

        from mxlint.files import replace_file

        data = BytesIO()
        stream = TextIOWrapper(data, encoding="utf-8", errors="backslashreplace", newline="\n")
        yield stream
        stream.flush()
        try:
            replace_file(file, data.getvalue())
        except OSError as error:
            raise _Failure(f"{file}: {error.strerror or error}") from None
        return
    stdout = sys.stderr if to_stderr else sys.stdout
    if stdout is None:
        raise _Failure(f"{'stderr' if to_stderr else 'stdout'} is closed")
    if hasattr(stdout, "reconfigure"):
        stdout.reconfigure(errors="backslashreplace")  # a report must not fail for a letter that the terminal lacks
    try:
        yield stdout
        stdout.flush()
    except BrokenPipeError:
        _discard(stdout)
    except OSError as error:
        _discard(stdout)
        raise _Failure(f"cannot write to {'stderr' if to_stderr else 'stdout'}: {error.strerror or error}") from None


def _discard(stream: IO[str] | None) -> None:
    """Let go of what is still buffered: it would raise again when Python shuts down."""
    if stream is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[..., None] | None]:
    """A progress bar on stderr for each stage: only at a terminal, and only on runs that last."""
    if quiet or sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from time import monotonic

    start = monotonic()
    bar = None

    def show(done: int, total: int, stage: str = "mxlint") -> None:
        nonlocal bar
        if monotonic() - start < _PATIENCE:
            return
        if bar is None or bar.label != stage:
            if bar is not None:
                bar.render_finish()
            bar = click.progressbar(length=total, label=stage, file=sys.stderr)
        bar.update(done - bar.pos)
        bar.render_progress()  # before the first is done, too

    try:
        yield show
    finally:
        if bar is not None:
            bar.render_finish()
