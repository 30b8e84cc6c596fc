"""State that all routes share: the voices, the queue to the synthesis thread, and the latest requests."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from starlette.requests import Request

from app.core.synthesis_types import SynthesisRequest
from app.service.access import AccessRules
from app.service.body_reader import BodyReader, discard_body
from app.service.query_presets import QueryPresetStore
from app.service.query_synthesizer import QuerySynthesizer
from app.service.query_texts import QueryTextMemory
from app.service.request_fields import RequestFields
from app.service.request_log import RequestLog
from app.service.service_job import JobContext
from app.service.service_queue import ServiceJobQueue
from app.service.style_catalogue import ServedStyle, StyleCatalogue

Result = TypeVar("Result")


class ClientGoneError(Exception):
    """The client went away before its answer was there."""


@dataclass(slots=True)
class HttpService:
    """One running service.

    Attributes:
        is_open: whether a voice would speak at once.
        query_texts: what queries were made of, for clients that do not keep it.
    """

    catalogue: StyleCatalogue
    queue: ServiceJobQueue
    access: AccessRules
    is_open: Callable[[str], bool]
    presets: QueryPresetStore = field(default_factory=QueryPresetStore)
    query_texts: QueryTextMemory = field(default_factory=QueryTextMemory)
    request_log: RequestLog = field(default_factory=RequestLog)
    body_reader: BodyReader = field(default_factory=BodyReader)

    def create_synthesizer(self, context: JobContext, style: ServedStyle, base: SynthesisRequest | None = None) -> QuerySynthesizer:
        """A computation with a style, in the synthesis thread."""
        pipeline = context.voices.open_speaker(style.voice).pipeline
        request = replace(base or SynthesisRequest("", id="service"), speaker=style.speaker, style=style.style)
        return QuerySynthesizer(pipeline, request, self.query_texts, context.on_stage, context.is_cancelled)

    async def compute_response(
        self, request: Request, style: ServedStyle, compute: Callable[[QuerySynthesizer], Result], base: SynthesisRequest | None = None
    ) -> Result:
        """One computation for a request, which ends when the client goes away."""
        return await cancel_on_disconnect(
            request, self.queue.compute_result(lambda turn: compute(self.create_synthesizer(turn, style, base)))
        )


def read_query_fields(request: Request) -> RequestFields:
    """The parameters of the query string; what nobody asks for is ignored."""
    return RequestFields(dict(request.query_params), ("query",))


def read_style(service: HttpService, fields: RequestFields) -> ServedStyle:
    """The style of `speaker`. Raises Refused."""
    number = fields.read_integer("speaker")
    fields.check()
    return service.catalogue.require_style(number)


async def cancel_on_disconnect(request: Request, computation: Coroutine[Any, Any, Result]) -> Result:
    """The result, for which nothing more is done once the client has gone: then ClientGoneError."""
    await discard_body(request)
    task, gone = asyncio.create_task(computation), asyncio.create_task(_wait_for_disconnect(request.receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientGoneError
        return task.result()
    finally:
        for one in (task, gone):
            one.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await one


async def _wait_for_disconnect(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
