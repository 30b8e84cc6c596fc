"""Answers that are sound: as it is made, when it is all there, or as a file that was written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import closing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.core.types import SynthesisRequest
from app.service.catalogue import ServedStyle
from app.service.exchange import PIECE_BYTES
from app.service.nameless import NamelessFile
from app.service.service import Service, unless_gone
from app.service.speech import Speech
from app.service.work import Turn

WAV = "audio/wav"


async def streamed(
    service: Service,
    request: Request,
    style: ServedStyle,
    do: Callable[[Speech], Iterator[Any]],
    media_type: str = WAV,
    base: SynthesisRequest | None = None,
    *,
    whole: bool = False,
) -> Response:
    """Sound that leaves as it is made.

    Args:
        do: in the synthesis thread; yields the size of all, or None where it is not known, then bytes.
        base: what is asked for beyond a query.
        whole: nothing leaves before all is there, so that an error can be answered.
    """

    def work(turn: Turn) -> None:
        for piece in do(service.speech(turn, style, base)):
            turn.emit(piece)

    parts = service.queue.stream(work, whole=whole)
    try:
        size = await unless_gone(request, _first(parts))
    except BaseException:
        await parts.aclose()
        raise
    headers = {} if size is None else {"content-length": str(size)}
    return StreamingResponse(_bytes(parts), media_type=media_type, headers=headers)


def written(file: NamelessFile, media_type: str) -> Response:
    """A file from its beginning to where it stands."""
    size = file.tell()
    file.seek(0)
    return StreamingResponse(_content(file), media_type=media_type, headers={"content-length": str(size)})


async def _first(parts: AsyncIterator[Any]) -> Any:
    return await anext(parts)


async def _bytes(parts: AsyncGenerator[Any, None]) -> AsyncIterator[bytes]:
    try:
        async for piece in parts:
            if piece:
                yield piece
    finally:
        await parts.aclose()


async def _content(file: NamelessFile) -> AsyncIterator[bytes]:
    with closing(file):
        while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
            yield piece
