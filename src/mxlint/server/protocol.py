"""The protocol as pygls speaks it, less the texts that pygls keeps: it breaks lines at characters that end none, such as a form feed, and moves the
places of an edit into the lines that it has. And every request is answered: pygls leaves those without an answer that it cannot read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInvalidRequest
from pygls.protocol import LanguageServerProtocol, lsp_method


def _number(value: object) -> int | str | None:
    """What can be the number of a request."""
    return value if isinstance(value, (int, str)) and not isinstance(value, bool) else None


class Protocol(LanguageServerProtocol):
    """What changes is handed on as the client says it."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        """A message from its JSON; for a request that is not as its method says, the error is the answer."""
        asks = "jsonrpc" in data and "method" in data and "id" in data
        try:
            if asks and _number(data["id"]) is None:
                raise JsonRpcInvalidRequest
            return super().structure_message(data)
        except JsonRpcException as error:
            if asks:
                self.refuse(data["id"], error)
            raise

    def handle_message(self, message: Any) -> None:
        """Have a message answered. After `shutdown` every request is an error, and so is what is no message."""
        if not hasattr(message, "jsonrpc"):
            self.refuse(message.get("id") if isinstance(message, dict) else None, JsonRpcInvalidRequest())
            return
        if self._shutdown and _number(getattr(message, "id", None)) is not None and hasattr(message, "method"):
            self.refuse(message.id, JsonRpcInvalidRequest())
        super().handle_message(message)

    def refuse(self, number: object, error: JsonRpcException) -> None:
        """Answer with an error. Where the number of what was asked cannot be told it is null, as JSON-RPC has it."""
        told = error.to_response_error()
        self._send_data({"jsonrpc": self.VERSION, "id": _number(number), "error": {"code": told.code, "message": told.message}})

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> Iterator[Any]:
        """A document was edited."""
        yield self.fm.features[types.TEXT_DOCUMENT_DID_CHANGE], (params,), None

    @lsp_method(types.NOTEBOOK_DOCUMENT_DID_CHANGE)
    def lsp_notebook_document__did_change(self, params: types.DidChangeNotebookDocumentParams) -> Iterator[Any]:
        """A notebook was edited."""
        yield self.fm.features[types.NOTEBOOK_DOCUMENT_DID_CHANGE], (params,), None
