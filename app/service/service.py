"""What all routes share: who speaks, the way to the synthesis thread, and what was asked last."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from starlette.requests import Request

from app.core.types import SynthesisRequest
from app.service.access import Access
from app.service.bodies import BodyReader, pass_body
from app.service.catalogue import Catalogue, ServedStyle
from app.service.fields import Fields
from app.service.presets import Presets
from app.service.read_texts import ReadTexts
from app.service.recent import Recent
from app.service.speech import Speech
from app.service.work import Turn
from app.service.work_queue import WorkQueue

Result = TypeVar("Result")


class GoneError(Exception):
    """The client went away before its answer was there."""


@dataclass(slots=True)
class Service:
    """One running service.

    Attributes:
        is_open: whether a voice would speak at once.
        texts: what queries were made of, for clients that do not keep it.
    """

    catalogue: Catalogue
    queue: WorkQueue
    access: Access
    is_open: Callable[[str], bool]
    presets: Presets = field(default_factory=Presets)
    texts: ReadTexts = field(default_factory=ReadTexts)
    recent: Recent = field(default_factory=Recent)
    bodies: BodyReader = field(default_factory=BodyReader)

    def speech(self, turn: Turn, style: ServedStyle, base: SynthesisRequest | None = None) -> Speech:
        """A computation with a style, in the synthesis thread."""
        pipeline = turn.voices.speaker_of(style.voice).pipeline
        request = replace(base or SynthesisRequest("", id="service"), speaker=style.speaker, style=style.style)
        return Speech(pipeline, request, self.texts, turn.on_stage, turn.cancelled)

    async def compute(
        self, request: Request, style: ServedStyle, do: Callable[[Speech], Result], base: SynthesisRequest | None = None
    ) -> Result:
        """One computation for a request, which ends when the client goes away."""
        return await unless_gone(request, self.queue.compute(lambda turn: do(self.speech(turn, style, base))))


def query_of(request: Request) -> Fields:
    """The parameters of the query string; what nobody asks for is ignored."""
    return Fields(dict(request.query_params), ("query",))


def style_of(service: Service, fields: Fields) -> ServedStyle:
    """The style of `speaker`. Raises Refused."""
    number = fields.integer("speaker")
    fields.check()
    return service.catalogue.style(number)


async def unless_gone(request: Request, wanted: Coroutine[Any, Any, Result]) -> Result:
    """The result, for which nothing more is done once the client has gone: then GoneError."""
    await pass_body(request)
    task, gone = asyncio.create_task(wanted), asyncio.create_task(_leave(request.receive))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise GoneError
        return task.result()
    finally:
        for one in (task, gone):
            one.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await one


async def _leave(receive: Callable[[], Awaitable[Any]]) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
