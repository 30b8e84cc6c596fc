"""Routes that turn a text into a query, and fill in what phrases lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.service.kana import parse_kana
from app.service.query import LONGEST_TEXT, AccentPhrase
from app.service.query_fields import read_phrases
from app.service.recent import TEXT
from app.service.refused import Refused
from app.service.service import Service, query_of, style_of
from app.service.speech import Speech, check_text

_LONGEST = 4 * LONGEST_TEXT  # in kana a text is longer


def query_routes(service: Service) -> list[Route]:
    """`/audio_query` and what belongs to it."""

    async def audio_query(request: Request) -> Response:
        fields = query_of(request)
        text, style = _text(request), style_of(service, fields)
        return await service.compute(request, style, lambda speech: JSONResponse(speech.query(text).values()))

    async def audio_query_from_preset(request: Request) -> Response:
        fields = query_of(request)
        text, number = _text(request), fields.integer("preset_id")
        fields.check()
        preset = service.presets.find(number)
        style = service.catalogue.style(preset.style_id)
        return await service.compute(request, style, lambda speech: JSONResponse(preset.applied(speech.query(text)).values()))

    async def accent_phrases(request: Request) -> Response:
        fields = query_of(request)
        in_kana = fields.flag("is_kana", False)
        text, style = _text(request), style_of(service, fields)
        if in_kana:
            given = parse_kana(text)
            return await _phrases(request, service, lambda speech: speech.pitches(speech.lengths(given)))
        return await service.compute(request, style, lambda speech: _as_json(speech.phrases(text)))

    async def mora_data(request: Request) -> Response:
        given = await service.bodies.read(request, read_phrases)
        return await _phrases(request, service, lambda speech: speech.pitches(speech.lengths(given)))

    async def mora_length(request: Request) -> Response:
        given = await service.bodies.read(request, read_phrases)
        return await _phrases(request, service, lambda speech: speech.lengths(given))

    async def mora_pitch(request: Request) -> Response:
        given = await service.bodies.read(request, read_phrases)
        return await _phrases(request, service, lambda speech: speech.pitches(given))

    async def validate_kana(request: Request) -> Response:
        try:
            parse_kana(_text(request))
        except Refused as error:  # here the error itself is the answer
            body = error.body["detail"] if error.status == 400 else error.body
            return JSONResponse({"detail": body} if error.status == 400 else body, error.status)
        return JSONResponse(True)

    handlers = (audio_query, audio_query_from_preset, accent_phrases, mora_data, mora_length, mora_pitch, validate_kana)
    return [Route(f"/{handler.__name__}", handler, methods=["POST"]) for handler in handlers]


def _text(request: Request) -> str:
    fields = query_of(request)
    text = fields.text("text", longest=_LONGEST)
    fields.check()
    if not fields.flag("is_kana", False):
        check_text(text)
    request.scope[TEXT] = text
    return text


async def _phrases(request: Request, service: Service, do: Callable[[Speech], Sequence[AccentPhrase]]) -> Response:
    return await service.compute(request, style_of(service, query_of(request)), lambda speech: _as_json(do(speech)))


def _as_json(phrases: Sequence[AccentPhrase]) -> Response:
    """Made in the synthesis thread: of a long text it takes as long as other requests would notice."""
    return JSONResponse([phrase.values() for phrase in phrases])
