"""Bodies of requests as values: what is long is read away from the thread that serves, a few at a time, so that nobody else waits for it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.requests import Request

from app.json_text import parse_json
from app.service.refused import invalid, problem

Result = TypeVar("Result")
SHORT_BYTES = 1 << 14  # read within some milliseconds at worst, where another thread would take as long to begin
MOST_VALUES = 500_000
AT_ONCE = 2
_READ = "koebako.read"


class BodyReader:
    """Shared by all requests."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(AT_ONCE)

    async def read(self, request: Request, understand: Callable[[Any], Result]) -> Result:
        """The JSON of a body, whatever type it claims, as `understand` takes it. Raises Refused, and what that raises."""
        content = await _content(request)

        def work() -> Result:
            try:
                text = content.decode("utf-8-sig")
                content.clear()  # of a long one nothing is there twice for longer than it must
                values = parse_json(text, most_values=MOST_VALUES)
            except ValueError as exc:
                raise invalid([problem("json_invalid", ("body",), "JSON decode error")]) from exc
            del text
            return understand(values)

        if len(content) <= SHORT_BYTES:
            return work()
        async with self._turns:
            return await asyncio.to_thread(work)


async def pass_body(request: Request) -> None:
    """Lets a body go that nobody has read: what comes after it is the client's leave."""
    if _READ not in request.scope:
        async for _piece in request.stream():
            pass
        request.scope[_READ] = True


async def _content(request: Request) -> bytearray:
    """All of a body; not `Request.body`, which keeps it until the answer has been sent."""
    request.scope[_READ] = True
    content = bytearray()
    async for piece in request.stream():
        content += piece
    return content
