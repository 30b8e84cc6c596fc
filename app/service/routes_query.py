"""VOICEVOX's routes that turn a text into a query, fill in what phrases lack, and answer with sound."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import IO, Any, Literal, cast

import numpy as np
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.common.language import localize
from app.core.synthesis_types import Float32
from app.core.text.moras import PHONES_BY_MORA
from app.service.http_errors import RefusalError, create_refusal
from app.service.http_service import WAV_TYPE, HttpService, build_file_response, read_query_fields, read_style, stream_sound
from app.service.query_synthesizer import QuerySynthesizer, check_text
from app.service.request_log import REQUEST_TEXT_KEY
from app.service.service_job import AnonymousFile
from app.service.style_catalogue import ServedStyle
from app.service.voicevox_phrases import PAUSE_MORA
from app.service.voicevox_query import MAX_QUERY_TEXT, AccentPhrase, AudioQuery, QueryMora, parse_phrases, parse_queries, parse_query
from app.service.wav_stream import convert_to_pcm, count_resampled, join_wavs, pack_wav_header, resample_pieces

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

MAX_ARCHIVE_BYTES = 1 << 28  # 50 minutes at the rate of most voices


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


_MAX_KANA_LENGTH = 4 * MAX_QUERY_TEXT  # in kana a text is longer


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


class SoundArchive:
    """A zip of 001.wav, 002.wav …"""

    def __init__(self) -> None:
        self._file = AnonymousFile()
        self._zip = zipfile.ZipFile(cast(IO[bytes], self._file), "w", zipfile.ZIP_STORED)
        self._sounds = self._bytes = 0

    def add_sound(self, pieces: Iterator[Any]) -> None:
        """Add a WAV, its size first, then its bytes; raise RefusalError if the archive would be too long, OutputFileError if the disk is full."""
        self._bytes += next(pieces)
        if self._bytes > MAX_ARCHIVE_BYTES:
            raise create_refusal(
                422, "音声が長すぎます。クエリを分けて送ってください。", "The sounds would be too long; send the queries in parts."
            )
        self._sounds += 1
        with self._zip.open(f"{self._sounds:03}.wav", "w") as entry:
            for piece in pieces:
                entry.write(piece)
                self._file.raise_write_error()

    def finish_file(self) -> AnonymousFile:
        """Return the file, which stands at its end."""
        self._zip.close()
        self._file.raise_write_error()
        return self._file


MAX_QUERIES = 100


def build_sound_routes(service: HttpService) -> list[Route]:
    """Return the routes for `/synthesis` and its relatives."""

    async def synthesize_query(request: Request) -> Response:
        style, upspeak = _read_style(service, request)
        query = await _read_query(service, request)
        return await stream_sound(service, request, style, lambda speech: synthesize_pieces(speech, query, upspeak=upspeak), is_whole=True)

    async def synthesize_queries(request: Request) -> Response:
        style, upspeak = _read_style(service, request)
        queries = await service.body_reader.read_json(request, _parse_queries)
        archive = SoundArchive()

        def add_to_archive(query: AudioQuery, speech: QuerySynthesizer) -> None:
            archive.add_sound(synthesize_pieces(speech, query, upspeak=upspeak))

        for query in queries:
            await service.compute_response(request, style, partial(add_to_archive, query))
        return build_file_response(archive.finish_file(), "application/zip")

    async def stream_query(request: Request) -> Response:
        style, upspeak = _read_style(service, request)
        fields = read_query_fields(request)
        offset_s = fields.read_number("start_offset", 0.0, low=0.0, high=1e6, should_clamp=True)
        # Pieces come as soon as they are there.
        fields.read_number("segment_length", 0.3)
        fields.check()
        query = await _read_query(service, request)
        return await stream_sound(
            service, request, style, lambda speech: synthesize_pieces(speech, query, upspeak=upspeak, offset_s=offset_s)
        )

    # Each may need as much memory as its body, several times over.
    one_at_a_time = asyncio.Semaphore()

    async def connect_wavs(request: Request) -> Response:
        values: Any = await service.body_reader.read_json(request, lambda found: found)
        async with one_at_a_time:
            return build_file_response(await asyncio.to_thread(join_wavs, values), WAV_TYPE)

    post = ["POST"]
    return [
        Route("/synthesis", synthesize_query, methods=post),
        Route("/cancellable_synthesis", synthesize_query, methods=post),
        Route("/multi_synthesis", synthesize_queries, methods=post),
        Route("/streaming_synthesis", stream_query, methods=post),
        Route("/connect_waves", connect_wavs, methods=post),
    ]


def synthesize_pieces(speech: QuerySynthesizer, query: AudioQuery, *, upspeak: bool = True, offset_s: float = 0.0) -> Iterator[Any]:
    """Yield the total size, the header of a WAV, then the samples as they are computed."""
    shape, plain = speech.resolve_durations(query, should_upspeak=upspeak)
    rate, channels = speech.pipeline.voice.sampling_rate, 2 if query.stereo else 1
    samples = shape.count_samples(speech.pipeline.voice.hop_length)
    total = count_resampled(samples, rate, query.rate)
    skip = round(offset_s * query.rate)
    if skip and skip >= total:
        raise create_refusal(400, "開始位置が音声の長さを超えています。", "The offset lies beyond the end of the sound.")
    header = pack_wav_header(total - skip, query.rate, channels)
    yield len(header) + (total - skip) * channels * 2
    yield header
    for piece in _skip_samples(resample_pieces(speech.synthesize_samples(shape, plain), rate, query.rate), skip):
        yield convert_to_pcm(piece, channels)


def _skip_samples(pieces: Iterator[Float32], skip: int) -> Iterator[Float32]:
    for piece in pieces:
        left = piece[skip:]
        skip = max(0, skip - len(piece))
        if len(left):
            yield np.asarray(left)


def _read_style(service: HttpService, request: Request) -> tuple[ServedStyle, bool]:
    fields = read_query_fields(request)
    upspeak = fields.read_flag("enable_interrogative_upspeak", True)
    return read_style(service, fields), upspeak


def _parse_queries(values: Any) -> list[AudioQuery]:
    if not isinstance(values, list) or len(values) > MAX_QUERIES:
        raise create_refusal(422, f"クエリは {MAX_QUERIES} 個までです。", f"Send a list of up to {MAX_QUERIES} queries.")
    queries = parse_queries(values)
    if len({query.rate for query in queries}) > 1:
        raise create_refusal(422, "サンプリング周波数が異なるクエリがあります", "The queries differ in their sampling rate.")
    return queries


async def _read_query(service: HttpService, request: Request) -> AudioQuery:
    query = await service.body_reader.read_json(request, parse_query)
    request.scope[REQUEST_TEXT_KEY] = query.kana or "".join(mora.text for phrase in query.accent_phrases for mora in phrase.moras)
    return query
