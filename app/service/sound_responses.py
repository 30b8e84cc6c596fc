"""Answers that are sound: as it is made, when it is all there, or as a file that was written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import closing
from typing import Any

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.core.synthesis_types import SynthesisRequest
from app.service.anonymous_file import AnonymousFile
from app.service.http_exchange import RESPONSE_PIECE_BYTES
from app.service.http_service import HttpService, cancel_on_disconnect
from app.service.query_synthesizer import QuerySynthesizer
from app.service.service_job import JobContext
from app.service.style_catalogue import ServedStyle

WAV_TYPE = "audio/wav"


async def stream_sound(
    service: HttpService,
    request: Request,
    style: ServedStyle,
    compute: Callable[[QuerySynthesizer], Iterator[Any]],
    media_type: str = WAV_TYPE,
    base: SynthesisRequest | None = None,
    *,
    is_whole: bool = False,
) -> Response:
    """Return a response that sends sound as it is computed.

    Args:
        compute: in the synthesis thread; yields the size of all, or None where it is not known, then bytes.
        base: what is asked for beyond a query.
        is_whole: nothing leaves before all is there, so that an error can be answered.
    """

    def emit_pieces(turn: JobContext) -> None:
        for piece in compute(service.create_synthesizer(turn, style, base)):
            turn.emit_result(piece)

    parts = service.queue.stream_results(emit_pieces, is_whole=is_whole)
    try:
        size = await cancel_on_disconnect(request, _await_first(parts))
    except BaseException:
        await parts.aclose()
        raise
    headers = {} if size is None else {"content-length": str(size)}
    return StreamingResponse(_stream_bytes(parts), media_type=media_type, headers=headers)


def build_file_response(file: AnonymousFile, media_type: str) -> Response:
    """Return a response with a file from its beginning to its present position."""
    size = file.tell()
    file.seek(0)
    return StreamingResponse(_stream_file(file), media_type=media_type, headers={"content-length": str(size)})


async def _await_first(parts: AsyncIterator[Any]) -> Any:
    return await anext(parts)


async def _stream_bytes(parts: AsyncGenerator[Any, None]) -> AsyncIterator[bytes]:
    try:
        async for piece in parts:
            if piece:
                yield piece
    finally:
        await parts.aclose()


async def _stream_file(file: AnonymousFile) -> AsyncIterator[bytes]:
    with closing(file):
        while piece := await asyncio.to_thread(file.read, RESPONSE_PIECE_BYTES):
            yield piece
