"""Bodies of requests as values: what is long is read away from the thread that serves, a few at a time, so that nobody else waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request

from app.common.files.untrusted_json import parse_json
from app.service.http_errors import build_problem, create_invalid_refusal

Result = TypeVar("Result")
# Read within some milliseconds at worst, where another thread would take as long to begin.
SHORT_BODY_BYTES = 1 << 14
MAX_BODY_VALUES = 500_000
MAX_CONCURRENT_BODIES = 2
_BODY_READ_KEY = "koebako.read"


class BodyReader:
    """Shared by all requests."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(MAX_CONCURRENT_BODIES)

    async def read_json(self, request: Request, parse: Callable[[Any], Result]) -> Result:
        """The JSON of a body, whatever type it claims, as `parse` takes it. Raises Refused, and what that raises."""
        content = await _read_content(request)

        def parse_content() -> Result:
            try:
                text = content.decode("utf-8-sig")
                # Of a long one nothing is there twice for longer than it must.
                content.clear()
                values = parse_json(text, most_values=MAX_BODY_VALUES)
            except ValueError as exc:
                raise create_invalid_refusal([build_problem("json_invalid", ("body",), "JSON decode error")]) from exc
            del text
            return parse(values)

        if len(content) <= SHORT_BODY_BYTES:
            return parse_content()
        async with self._turns:
            return await asyncio.to_thread(parse_content)


async def discard_body(request: Request) -> None:
    """Lets a body go that nobody has read: what comes after it is the client's leave."""
    if _BODY_READ_KEY not in request.scope:
        async for _piece in request.stream():
            pass
        request.scope[_BODY_READ_KEY] = True


async def _read_content(request: Request) -> bytearray:
    """All of a body; not `Request.body`, which keeps it until the answer has been sent."""
    request.scope[_BODY_READ_KEY] = True
    content = bytearray()
    async for piece in request.stream():
        content += piece
    return content
