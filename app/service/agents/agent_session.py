"""One conversation with an agent: messages of JSON-RPC 2.0 and what the Model Context Protocol answers. Nothing here reads or writes a stream."""

import json
import logging
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from app.common.files.untrusted_json import parse_json, sanitise_short_text
from app.common.version import VERSION
from app.core.sound.stage_clock import RequestStopped

# The newest first: it is what a client that names an unknown one is offered.
STATELESS_VERSION = "2026-07-28"  # no initialize, no ping: every request says in `_meta` which version it is of
_META_VERSION, _META_CLIENT = "io.modelcontextprotocol/protocolVersion", "io.modelcontextprotocol/clientInfo"
PROTOCOL_VERSIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
MAX_BATCH_MESSAGES, MAX_CANCELLED_CALLS = 32, 1000
_CANCELLATION = "notifications/cancelled"

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
RequestId = str | int | None


class AgentTools(Protocol):
    """The tools that an agent may call."""

    def list_tools(self) -> list[dict[str, Any]]: ...

    def call_tool(self, name: str, arguments: dict[str, Any], agent: str, is_cancelled: Callable[[], bool]) -> dict[str, Any]: ...

    def stop_sound(self) -> None: ...


class RpcError(Exception):
    """A request that is answered with an error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


@dataclass(frozen=True, slots=True)
class RpcMessage:
    """A request, or a notification, which has no id and gets no answer."""

    method: str
    id: RequestId = None
    params: dict[str, Any] = field(default_factory=dict)
    is_notification: bool = False
    is_response: bool = False  # of the client's to us; we ask nothing, so it is ignored


def parse_line(line: bytes) -> Any:
    """Return the JSON of a line; raise RpcError."""
    try:
        return parse_json(line.decode("utf-8-sig"))  # clients on Windows begin with a BOM
    except ValueError:
        raise RpcError(PARSE_ERROR, "Parse error") from None


def parse_message(value: Any) -> RpcMessage:
    """Return the message that a JSON value is; raise RpcError."""
    if not isinstance(value, dict) or value.get("jsonrpc") != "2.0":
        raise RpcError(INVALID_REQUEST, "Invalid request")
    if "method" not in value and ("result" in value or "error" in value):
        return RpcMessage("", is_response=True)
    method, number, params = value.get("method"), value.get("id"), value.get("params")
    params = {} if params is None or ("id" not in value and not isinstance(params, dict)) else params
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
    return {"jsonrpc": "2.0", "id": number, "result": result}


def build_error(number: RequestId, error: RpcError) -> dict[str, Any]:
    """Return a response that is an error."""
    return {"jsonrpc": "2.0", "id": number, "error": {"code": error.code, "message": error.message}}


def encode_message(value: Any) -> bytes:
    """Return a message as a line; everything beyond ASCII is escaped, so that no line break of Unicode ends it."""
    return json.dumps(value, ensure_ascii=True, allow_nan=False).encode() + b"\n"


_SERVER_DESCRIPTION = {
    "capabilities": {"tools": {"listChanged": False}},
    "serverInfo": {"name": "koebako", "title": "Koebako", "version": VERSION},
    "instructions": "Speaks Japanese text. Call `voices` for the names that `voice` takes; without one, your last choice is used. "
    "For a script of lines and characters call `open_project`.",
}


class AgentSession:
    """Answers messages in their order; a ping at once."""

    def __init__(self, tools: AgentTools) -> None:
        self._tools = tools
        self.agent = ""  # under which name the client has introduced itself
        self._is_initialised = False
        self._current: RequestId = None
        # The oldest ones, which came after their answers, are dropped. Both threads use it: none of its calls lets the other one in.
        self._cancelled_ids: deque[RequestId] = deque(maxlen=MAX_CANCELLED_CALLS)

    def handle_at_once(self, line: bytes) -> dict[str, Any] | None:
        """Return the answer to a ping, and stop the call that a line cancels, in the thread that reads; None where a line waits for its turn."""
        if not any(word in line for word in (b'"ping"', _CANCELLATION.encode())):
            return None
        with suppress(RpcError):
            message = parse_message(parse_line(line))
            if message.method == _CANCELLATION:
                number = message.params.get("requestId")
                if type(number) in (int, str):
                    self._cancelled_ids.append(number)
                    if number == self._current:
                        self._tools.stop_sound()
            elif message.method == "ping" and not message.is_notification:
                return build_result(message.id, {})
        return None

    def handle_line(self, line: bytes) -> Any:
        """Handle a line and return the answer, to be sent as JSON; None where none is due."""
        try:
            value = parse_line(line)
        except RpcError as error:
            return build_error(None, error)
        if isinstance(value, list):  # as clients of 2025-03-26 may send them
            if not 0 < len(value) <= MAX_BATCH_MESSAGES:
                return build_error(None, RpcError(INVALID_REQUEST, "Invalid request"))
            return [answer for message in value if (answer := self._handle_value(message)) is not None] or None
        return self._handle_value(value)

    def _handle_value(self, value: Any) -> dict[str, Any] | None:
        number = find_request_id(value)
        try:
            message = parse_message(value)
            if message.is_response or message.is_notification:
                return None
            self._current = number
            return build_result(number, self._handle_request(message))
        except RequestStopped:  # the client waits for no answer any more
            return None
        except RpcError as error:
            return build_error(number, error)
        except Exception:
            logging.getLogger("koebako").exception("unexpected error while answering an agent")
            return build_error(number, RpcError(INTERNAL_ERROR, "Internal error"))
        finally:
            self._current = None
            with suppress(ValueError):
                self._cancelled_ids.remove(number)

    def _handle_request(self, message: RpcMessage) -> dict[str, Any]:
        is_stateless = self._follow_meta(message.params.get("_meta"))
        match message.method:
            case "initialize":
                return self._begin_session(message.params)
            case "server/discover":
                return {"supportedVersions": [STATELESS_VERSION, *PROTOCOL_VERSIONS], **_SERVER_DESCRIPTION}
            case "ping" if not is_stateless:
                return {}
        if not self._is_initialised and not is_stateless:
            raise RpcError(INVALID_REQUEST, "Not initialized")
        match message.method:
            case "tools/list":
                return {"tools": self._tools.list_tools()}
            case "tools/call":
                name, arguments = message.params.get("name"), message.params.get("arguments")
                arguments = {} if arguments is None else arguments
                if not isinstance(name, str) or not isinstance(arguments, dict):
                    raise RpcError(INVALID_PARAMS, "Invalid params")
                return self._tools.call_tool(name, arguments, self.agent, lambda: message.id in self._cancelled_ids)
        raise RpcError(METHOD_NOT_FOUND, "Method not found")

    def _follow_meta(self, meta: Any) -> bool:
        """Return whether a request is of the version without a session, and note who sends it; raise RpcError for a version that is unknown."""
        version = meta.get(_META_VERSION) if isinstance(meta, dict) else None
        if version is not None and version not in (STATELESS_VERSION, *PROTOCOL_VERSIONS):
            raise RpcError(INVALID_PARAMS, f"Unsupported protocol version; supported: {', '.join((STATELESS_VERSION, *PROTOCOL_VERSIONS))}")
        if version == STATELESS_VERSION:
            self.agent = _read_client_name(meta.get(_META_CLIENT))
        return bool(version == STATELESS_VERSION)

    def _begin_session(self, params: dict[str, Any]) -> dict[str, Any]:
        version = params.get("protocolVersion")
        if not isinstance(version, str):
            raise RpcError(INVALID_PARAMS, "Invalid params")
        self.agent = _read_client_name(params.get("clientInfo"))
        self._is_initialised = True
        return {"protocolVersion": version if version in PROTOCOL_VERSIONS else PROTOCOL_VERSIONS[0], **_SERVER_DESCRIPTION}


def _read_client_name(client: Any) -> str:
    name = client.get("name") if isinstance(client, dict) else ""
    return sanitise_short_text(name) if isinstance(name, str) else ""
