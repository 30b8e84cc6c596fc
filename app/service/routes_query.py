"""Routes that turn a text into a query, and fill in what phrases lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.service.aquestalk_kana import parse_kana
from app.service.http_errors import RefusalError
from app.service.http_service import HttpService, read_query_fields, read_style
from app.service.query_parser import parse_phrases
from app.service.query_synthesizer import QuerySynthesizer, check_text
from app.service.request_log import REQUEST_TEXT_KEY
from app.service.voicevox_query import MAX_QUERY_TEXT, AccentPhrase

# In kana a text is longer.
_MAX_KANA_LENGTH = 4 * MAX_QUERY_TEXT


def build_query_routes(service: HttpService) -> list[Route]:
    """`/audio_query` and what belongs to it."""

    async def audio_query(request: Request) -> Response:
        fields = read_query_fields(request)
        text, style = _read_text(request), read_style(service, fields)
        return await service.compute_response(request, style, lambda speech: JSONResponse(speech.create_query(text).convert_to_json()))

    async def audio_query_from_preset(request: Request) -> Response:
        fields = read_query_fields(request)
        text, number = _read_text(request), fields.read_integer("preset_id")
        fields.check()
        preset = service.presets.require_preset(number)
        style = service.catalogue.require_style(preset.style_id)
        return await service.compute_response(
            request, style, lambda speech: JSONResponse(preset.apply_to_query(speech.create_query(text)).convert_to_json())
        )

    async def accent_phrases(request: Request) -> Response:
        fields = read_query_fields(request)
        in_kana = fields.read_flag("is_kana", False)
        text, style = _read_text(request), read_style(service, fields)
        if in_kana:
            given = parse_kana(text)
            return await _compute_phrases(request, service, lambda speech: speech.apply_accent_pitches(speech.apply_voice_lengths(given)))
        return await service.compute_response(request, style, lambda speech: _build_phrases_response(speech.read_phrases(text)))

    async def mora_data(request: Request) -> Response:
        given = await service.body_reader.read_json(request, parse_phrases)
        return await _compute_phrases(request, service, lambda speech: speech.apply_accent_pitches(speech.apply_voice_lengths(given)))

    async def mora_length(request: Request) -> Response:
        given = await service.body_reader.read_json(request, parse_phrases)
        return await _compute_phrases(request, service, lambda speech: speech.apply_voice_lengths(given))

    async def mora_pitch(request: Request) -> Response:
        given = await service.body_reader.read_json(request, parse_phrases)
        return await _compute_phrases(request, service, lambda speech: speech.apply_accent_pitches(given))

    async def validate_kana(request: Request) -> Response:
        try:
            parse_kana(_read_text(request))
        except RefusalError as error:  # here the error itself is the answer
            body = error.body["detail"] if error.status == 400 else error.body
            return JSONResponse({"detail": body} if error.status == 400 else body, error.status)
        return JSONResponse(True)

    handlers = (audio_query, audio_query_from_preset, accent_phrases, mora_data, mora_length, mora_pitch, validate_kana)
    return [Route(f"/{handler.__name__}", handler, methods=["POST"]) for handler in handlers]


def _read_text(request: Request) -> str:
    fields = read_query_fields(request)
    text = fields.parse_text("text", max_length=_MAX_KANA_LENGTH)
    fields.check()
    if not fields.read_flag("is_kana", False):
        check_text(text)
    request.scope[REQUEST_TEXT_KEY] = text
    return text


async def _compute_phrases(
    request: Request, service: HttpService, compute: Callable[[QuerySynthesizer], Sequence[AccentPhrase]]
) -> Response:
    return await service.compute_response(
        request, read_style(service, read_query_fields(request)), lambda speech: _build_phrases_response(compute(speech))
    )


def _build_phrases_response(phrases: Sequence[AccentPhrase]) -> Response:
    """Made in the synthesis thread: of a long text it takes as long as other requests would notice."""
    return JSONResponse([phrase.convert_to_json() for phrase in phrases])
