"""State that all routes share (voices, the queue to the synthesis thread, the latest requests), and their answers that are sound."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from app.common.files.untrusted_json import parse_json
from app.core.synthesis_types import SynthesisRequest
from app.service.access import AccessRules
from app.service.http_exchange import RESPONSE_PIECE_BYTES
from app.service.query_presets import QueryPresetStore
from app.service.query_synthesizer import QuerySynthesizer
from app.service.request_fields import RequestFields, build_problem, create_invalid_refusal
from app.service.request_log import RequestLog
from app.service.service_job import AnonymousFile, JobContext, ServiceJobQueue
from app.service.style_catalogue import ServedStyle, StyleCatalogue
from app.service.voicevox_query import QueryTextMemory

SHORT_BODY_BYTES = 1 << 14  # read within some milliseconds at worst, where another thread would take as long to begin
MAX_BODY_VALUES = 500_000
MAX_CONCURRENT_BODIES = 2
_BODY_READ_KEY = "koebako.read"

WAV_TYPE = "audio/wav"


class BodyReader:
    """Shared by all requests."""

    def __init__(self) -> None:
        self._turns = asyncio.Semaphore(MAX_CONCURRENT_BODIES)

    async def read_json(self, request: Request, parse: Callable[[Any], Result]) -> Result:
        """Return the JSON of a body, whatever type it claims, as `parse` takes it; raise RefusalError and the errors of `parse`."""
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


async def _read_content(request: Request) -> bytearray:
    """Return all of a body; `Request.body` would keep it until the answer has been sent."""
    request.scope[_BODY_READ_KEY] = True
    content = bytearray()
    async for body in request.stream():
        content += body
    return content


Result = TypeVar("Result")


class ClientGoneError(Exception):
    """The client went away before its answer was there."""


@dataclass(slots=True)
class HttpService:
    """One running service."""

    catalogue: StyleCatalogue
    queue: ServiceJobQueue
    access: AccessRules
    is_open: Callable[[str], bool]  # whether a voice would speak at once
    presets: QueryPresetStore = field(default_factory=QueryPresetStore)
    query_texts: QueryTextMemory = field(default_factory=QueryTextMemory)  # what queries were made of, for clients that do not keep it
    request_log: RequestLog = field(default_factory=RequestLog)
    body_reader: BodyReader = field(default_factory=BodyReader)

    def create_synthesizer(self, context: JobContext, style: ServedStyle, base: SynthesisRequest | None = None) -> QuerySynthesizer:
        """Return a computation with a style, for the synthesis thread."""
        pipeline = context.open_speaker(style.voice).pipeline
        request = replace(base or SynthesisRequest("", id="service"), speaker=style.speaker, style=style.style)
        return QuerySynthesizer(pipeline, request, self.query_texts, context.on_stage, context.is_cancelled)

    async def compute_response(
        self, request: Request, style: ServedStyle, compute: Callable[[QuerySynthesizer], Result], base: SynthesisRequest | None = None
    ) -> Result:
        """Run one computation for a request; it ends when the client disconnects."""
        computation = self.queue.compute_result(lambda turn: compute(self.create_synthesizer(turn, style, base)))
        return await cancel_on_disconnect(request, computation)


def read_query_fields(request: Request) -> RequestFields:
    """Return the parameters of the query string; those that no route reads are ignored."""
    return RequestFields(dict(request.query_params), ("query",))


def read_style(service: HttpService, fields: RequestFields) -> ServedStyle:
    """Return the style of `speaker`; raise RefusalError if there is none."""
    number = fields.read_integer("speaker")
    fields.check()
    return service.catalogue.require_style(number)


async def cancel_on_disconnect(request: Request, computation: Coroutine[Any, Any, Result]) -> Result:
    """Return the result of a computation; if the client disconnects, cancel it and raise ClientGoneError."""
    # One that no route has read, so that the client can end.
    if _BODY_READ_KEY not in request.scope:
        async for _piece in request.stream():
            pass
        request.scope[_BODY_READ_KEY] = True

    async def wait_for_disconnect() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass

    task, gone = asyncio.create_task(computation), asyncio.create_task(wait_for_disconnect())
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGoneError
        return task.result()
    finally:
        for ending in (task, gone):
            ending.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await ending


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
        is_whole: nothing leaves before all is there, so that an error can be answered.
    """

    def emit_pieces(turn: JobContext) -> None:
        for piece in compute(service.create_synthesizer(turn, style, base)):
            turn.emit_result(piece)

    parts = service.queue.stream_results(emit_pieces, is_whole=is_whole)
    try:
        size = await cancel_on_disconnect(request, anext(parts))
    except BaseException:
        await parts.aclose()
        raise

    async def stream_bytes() -> AsyncIterator[bytes]:
        try:
            async for piece in parts:
                if piece:
                    yield piece
        finally:
            await parts.aclose()

    headers = {} if size is None else {"content-length": str(size)}
    return StreamingResponse(stream_bytes(), media_type=media_type, headers=headers)


def build_file_response(file: AnonymousFile, media_type: str) -> Response:
    """Return a response with a file from its beginning to its present position."""
    size = file.tell()
    file.seek(0)

    async def stream_file() -> AsyncIterator[bytes]:
        with closing(file):
            while piece := await asyncio.to_thread(file.read, RESPONSE_PIECE_BYTES):
                yield piece

    return StreamingResponse(stream_file(), media_type=media_type, headers={"content-length": str(size)})
