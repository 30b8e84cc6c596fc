"""The server-sent events of OpenAI's speech route: the bytes of the sound in Base64, and at the end what it took."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

from app.service.http_exchange import RESPONSE_PIECE_BYTES

EVENT_STREAM_TYPE = "text/event-stream"


def format_delta_events(content: bytes) -> Iterator[bytes]:
    """Yield the events that carry these bytes of the sound; none for no bytes."""
    for start in range(0, len(content), RESPONSE_PIECE_BYTES):
        piece = content[start : start + RESPONSE_PIECE_BYTES]
        yield _format_event({"type": "speech.audio.delta", "audio": base64.b64encode(piece).decode("ascii")})


def format_done_event(text: str) -> bytes:
    """Return the last event. A voice here counts no tokens: the characters of the text stand for those that went in, and none come out."""
    usage = {"input_tokens": len(text), "output_tokens": 0, "total_tokens": len(text)}
    return _format_event({"type": "speech.audio.done", "usage": usage})


def _format_event(data: dict[str, Any]) -> bytes:
    """Return an event that has data alone: its kind is in the data, as OpenAI's clients expect."""
    return f"data: {json.dumps(data)}\n\n".encode("ascii")
