"""Messages of JSON-RPC 2.0, one on each line, as the Model Context Protocol sends them over stdio."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from app.common.files.untrusted_json import parse_json

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
RequestId = str | int | None


class RpcError(Exception):
    """A request that is answered with an error.

    Attributes:
        code: of JSON-RPC.
    """

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True, slots=True)
class RpcMessage:
    """A request, or a notification, which has no id and gets no answer.

    Attributes:
        is_response: of the client's to us; we ask nothing, so it is ignored.
    """

    method: str
    id: RequestId = None
    params: dict[str, Any] = field(default_factory=dict)
    is_notification: bool = False
    is_response: bool = False


def parse_line(line: bytes) -> Any:
    """Return the JSON of a line; raise RpcError."""
    try:
        return parse_json(line.decode("utf-8"))
    except ValueError:
        raise RpcError(PARSE_ERROR, "Parse error") from None


def parse_message(value: Any) -> RpcMessage:
    """Return the message that a JSON value is; raise RpcError."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "Invalid request")
    if "method" not in value and ("result" in value or "error" in value):
        return RpcMessage("", is_response=True)
    method, number, params = value.get("method"), value.get("id"), value.get("params", {})
    # Numbers such as 1.0 and true are refused: the id must come back as it was.
    if not isinstance(method, str) or type(number) not in (int, str, type(None)) or ("id" in value and number is None):
        raise RpcError(INVALID_REQUEST, "Invalid request")
    if not isinstance(params, dict):
        raise RpcError(INVALID_PARAMS, "Invalid params")
    return RpcMessage(method, number, params, "id" not in value)


def find_request_id(value: Any) -> RequestId:
    """Return the id for the error of a message that cannot be read."""
    number = value.get("id") if isinstance(value, dict) else None
    return number if type(number) in (int, str) else None


def build_result(number: RequestId, result: Any) -> dict[str, Any]:
    """Return a response."""
    return {"jsonrpc": "2.0", "id": number, "result": result}


def build_error(number: RequestId, error: RpcError) -> dict[str, Any]:
    """Return a response that is an error."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": error.code, "message": error.message}}


def encode_message(value: Any) -> bytes:
    """Return a message as a line; everything beyond ASCII is escaped, so that no line break of Unicode ends it."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False).encode() + b"\n"
