"""Routes that turn a text into a query, and fill in what phrases lack."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.common.language import localize
from app.core.text.moras import PHONES_BY_MORA
from app.service.http_errors import RefusalError
from app.service.http_service import HttpService, read_query_fields, read_style
from app.service.query_parser import parse_phrases
from app.service.query_synthesizer import QuerySynthesizer, check_text
from app.service.request_log import REQUEST_TEXT_KEY
from app.service.voicevox_phrases import PAUSE_MORA
from app.service.voicevox_query import MAX_QUERY_TEXT, AccentPhrase, QueryMora

# ' follows the mora after which the pitch falls, / parts phrases, 、 parts them by a pause, _ precedes a devoiced mora, ？ ends a question.

KanaFault = Literal[
    "UNKNOWN_TEXT", "ACCENT_TOP", "ACCENT_TWICE", "ACCENT_NOTFOUND", "EMPTY_PHRASE", "INTERROGATION_MARK_NOT_AT_END", "INFINITE_LOOP"
]
_KANA_FAULT_LABELS: dict[KanaFault, tuple[str, str]] = {
    "UNKNOWN_TEXT": ("判別できない読み仮名があります: {text}", "Not a reading in kana: {text}"),
    "ACCENT_TOP": ("句頭にアクセントは置けません: {text}", "A phrase cannot begin with an accent: {text}"),
    "ACCENT_TWICE": ("1つのアクセント句に二つ以上のアクセントは置けません: {text}", "A phrase has more than one accent: {text}"),
    "ACCENT_NOTFOUND": ("アクセントを指定していないアクセント句があります: {text}", "A phrase has no accent: {text}"),
    "EMPTY_PHRASE": ("{position}番目のアクセント句が空白です", "Phrase {position} is empty"),
    "INTERROGATION_MARK_NOT_AT_END": ("アクセント句末以外に「？」は置けません: {text}", "？ may only end a phrase: {text}"),
}
_FALL, _DEVOICED, _BREAK, _PAUSE, _ASKS = "'", "_", "/", "、", "？"
_MAX_MORA_LETTERS = 2
_DEVOICEABLE = {"a": "A", "i": "I", "u": "U", "e": "E", "o": "O"}


def parse_kana(text: str) -> tuple[AccentPhrase, ...]:
    """Return accent phrases without lengths; raise RefusalError with the error's name, as VOICEVOX names it."""
    found = []
    for position, (phrase, end) in enumerate(_split_phrases(text[: 4 * MAX_QUERY_TEXT]), 1):
        asks = phrase.endswith(_ASKS)
        body = phrase[: -len(_ASKS)] if asks else phrase
        if not body:
            raise _create_refusal("EMPTY_PHRASE", position=str(position))
        if _ASKS in body:
            raise _create_refusal("INTERROGATION_MARK_NOT_AT_END", text=phrase)
        moras, accent = _parse_moras(body)
        found.append(AccentPhrase(moras, accent, PAUSE_MORA if end == _PAUSE else None, asks))
    return tuple(found)


def _split_phrases(text: str) -> Iterator[tuple[str, str]]:
    start = 0
    for place, char in enumerate(text):
        if char in (_BREAK, _PAUSE):
            yield text[start:place], char
            start = place + 1
    yield text[start:], ""


def _parse_moras(phrase: str) -> tuple[tuple[QueryMora, ...], int]:
    """Return the morae of a phrase and its accent."""
    moras: list[QueryMora] = []
    accent, place = 0, 0
    while place < len(phrase):
        if phrase[place] == _FALL:
            if not moras:
                raise _create_refusal("ACCENT_TOP", text=phrase)
            if accent:
                raise _create_refusal("ACCENT_TWICE", text=phrase)
            accent, place = len(moras), place + 1
            continue
        devoiced = phrase[place] == _DEVOICED
        place += devoiced
        kana = next((phrase[place : place + size] for size in (_MAX_MORA_LETTERS, 1) if phrase[place : place + size] in PHONES_BY_MORA), "")
        if not kana:
            raise _create_refusal("UNKNOWN_TEXT", text=phrase[place - devoiced :] or phrase)
        moras.append(_build_mora(kana, devoiced))
        place += len(kana)
    if not accent:
        raise _create_refusal("ACCENT_NOTFOUND", text=phrase)
    return tuple(moras), accent


def _build_mora(kana: str, devoiced: bool) -> QueryMora:
    *before, vowel = PHONES_BY_MORA[kana]
    vowel = {"q": "cl"}.get(vowel, vowel)
    return QueryMora(
        kana, _DEVOICEABLE.get(vowel, vowel) if devoiced else vowel, 0.0, 0.0, "".join(before) or None, 0.0 if before else None
    )


def _create_refusal(name: KanaFault, **place: str) -> RefusalError:
    return RefusalError(
        400, {"detail": {"text": localize(*_KANA_FAULT_LABELS[name]).format(**place), "error_name": name, "error_args": place}}
    )


# In kana a text is longer.
_MAX_KANA_LENGTH = 4 * MAX_QUERY_TEXT


def build_query_routes(service: HttpService) -> list[Route]:
    """Return the routes for `/audio_query` and what belongs to it."""

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
    """Build the response in the synthesis thread: for a long text it takes so long that other requests would notice."""
    return JSONResponse([phrase.convert_to_json() for phrase in phrases])
