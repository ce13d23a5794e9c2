"""The protocol as pygls speaks it, less the texts that pygls keeps: it breaks lines at characters that end none, such as a form feed, and moves the
places of an edit into the lines that it has. And every request is answered: pygls leaves those without an answer that it cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol, lsp_method


class Protocol(LanguageServerProtocol):
    """What changes is handed on as the client says it."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message from its JSON; for one that is not as its method says, the error is the answer."""
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            self._refuse(data.get("id") if "method" in data else None, error)
            raise

    def handle_message(self, message: Any) -> None:
        """Have a message answered. After `shutdown` every request is an error."""
        if self._shutdown and hasattr(message, "method"):
            self._refuse(getattr(message, "id", None), JsonRpcInvalidRequest())
        super().handle_message(message)

    def _refuse(self, number: object, error: JsonRpcException) -> None:
        if isinstance(number, (int, str)):
            self._send_response(number, error=error.to_response_error())

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """A document was edited."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Iterator[Any]:
        """A notebook was edited."""
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None
