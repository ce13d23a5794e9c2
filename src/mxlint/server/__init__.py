"""The language server: what an editor asks of mxlint while somebody types. Only this package needs the extra `lsp`."""
