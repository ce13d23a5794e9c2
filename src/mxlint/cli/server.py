"""`mxlint server`."""

from __future__ import annotations

import click

from mxlint.cli.failure import Failure


@click.command(short_help="Serve an editor.")
def server() -> None:
    """Speak the Language Server Protocol over stdin and stdout: findings while you type, fixes, explanations, experiments on demand.

    It needs the extra `lsp`: pip install 'mxlint[lsp]'.
    """
    try:
        import pygls  # noqa: F401 looked for before anything of ours that needs it
    except ImportError:
        raise Failure("the language server needs the extra `lsp`: pip install 'mxlint[lsp]'") from None
    from mxlint.server.features import serve

    serve()
