"""VOICEVOX's routes that turn a text into a query, fill in what phrases lack, and answer with sound."""

import asyncio
import re
import zipfile
from collections.abc import Awaitable, Callable, Iterator
from functools import partial
from typing import IO, Any, cast

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.common.language import localize
from app.core.text.pronunciation import PHONES_BY_MORA
from app.service.http_service import WAV_TYPE, HttpService, build_file_response, read_query_fields, read_style, stream_sound
from app.service.query_synthesizer import QuerySynthesizer, check_text
from app.service.request_fields import RefusalError, create_refusal
from app.service.request_log import REQUEST_TEXT_KEY
from app.service.service_job import AnonymousFile
from app.service.style_catalogue import ServedStyle
from app.service.voicevox_query import (
    MAX_QUERY_TEXT,
    PAUSE_MORA,
    AccentPhrase,
    AudioQuery,
    QueryMora,
    parse_phrases,
    parse_queries,
    parse_query,
)
from app.service.wav_stream import convert_to_pcm, count_resampled, join_wavs, pack_wav_header, resample_pieces

Phrases = tuple[AccentPhrase, ...]
_KANA_FAULT_LABELS = {
    "UNKNOWN_TEXT": ("判別できない読み仮名があります: {text}", "Not a reading in kana: {text}"),
    "ACCENT_TOP": ("句頭にアクセントは置けません: {text}", "A phrase cannot begin with an accent: {text}"),
    "ACCENT_TWICE": ("1つのアクセント句に二つ以上のアクセントは置けません: {text}", "A phrase has more than one accent: {text}"),
    "ACCENT_NOTFOUND": ("アクセントを指定していないアクセント句があります: {text}", "A phrase has no accent: {text}"),
    "EMPTY_PHRASE": ("{position}番目のアクセント句が空白です", "Phrase {position} is empty"),
    "INTERROGATION_MARK_NOT_AT_END": ("アクセント句末以外に「？」は置けません: {text}", "？ may only end a phrase: {text}"),
}
# Follows the mora after which the pitch falls, precedes a devoiced mora, parts phrases, parts them by a pause, ends a question.
_FALL, _DEVOICED, _BREAK, _PAUSE, _ASKS = "'", "_", "/", "、", "？"
_MAX_MORA_LETTERS = 2
_MAX_KANA_LENGTH = 4 * MAX_QUERY_TEXT  # in kana a text is longer
_DEVOICEABLE = {"a": "A", "i": "I", "u": "U", "e": "E", "o": "O"}

MAX_ARCHIVE_BYTES = 1 << 28  # 50 minutes at the rate of most voices


def parse_kana(text: str) -> Phrases:
    """Return accent phrases without lengths; raise RefusalError with the error's name, as VOICEVOX names it."""
    phrases = []
    texts = re.split(f"([{_BREAK}{_PAUSE}])", text[:_MAX_KANA_LENGTH])
    for position, (phrase, end) in enumerate(zip(texts[::2], [*texts[1::2], ""], strict=True), 1):
        asks, body = phrase.endswith(_ASKS), phrase.removesuffix(_ASKS)
        if not body:
            raise _create_refusal("EMPTY_PHRASE", position=str(position))
        if _ASKS in body:
            raise _create_refusal("INTERROGATION_MARK_NOT_AT_END", text=phrase)
        moras, accent = _parse_moras(body)
        phrases.append(AccentPhrase(moras, accent, PAUSE_MORA if end == _PAUSE else None, asks))
    return tuple(phrases)


def _parse_moras(phrase: str) -> tuple[tuple[QueryMora, ...], int]:
    moras: list[QueryMora] = []
    accent, position = 0, 0
    while position < len(phrase):
        if phrase[position] == _FALL:
            if not moras:
                raise _create_refusal("ACCENT_TOP", text=phrase)
            if accent:
                raise _create_refusal("ACCENT_TWICE", text=phrase)
            accent, position = len(moras), position + 1
            continue
        devoiced = phrase[position] == _DEVOICED
        position += devoiced
        spellings = (phrase[position : position + size] for size in (_MAX_MORA_LETTERS, 1))
        kana = next((spelling for spelling in spellings if spelling in PHONES_BY_MORA), "")
        if not kana:
            raise _create_refusal("UNKNOWN_TEXT", text=phrase[position - devoiced :] or phrase)
        moras.append(_build_mora(kana, devoiced))
        position += len(kana)
    if not accent:
        raise _create_refusal("ACCENT_NOTFOUND", text=phrase)
    return tuple(moras), accent


def _build_mora(kana: str, devoiced: bool) -> QueryMora:
    *consonant, vowel = PHONES_BY_MORA[kana]
    vowel = {"q": "cl"}.get(vowel, vowel)
    spoken = _DEVOICEABLE.get(vowel, vowel) if devoiced else vowel
    return QueryMora(kana, spoken, 0.0, 0.0, "".join(consonant) or None, 0.0 if consonant else None)


def _create_refusal(name: str, **place: str) -> RefusalError:
    text = localize(*_KANA_FAULT_LABELS[name]).format(**place)
    return RefusalError(400, {"detail": {"text": text, "error_name": name, "error_args": place}})


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
            phrases = parse_kana(text)
            return await _compute_phrases(request, service, lambda speech: _apply_all(speech, phrases))
        return await service.compute_response(request, style, lambda speech: _build_phrases_response(speech.read_phrases(text)))

    def create_handler(complete: Callable[[QuerySynthesizer, Phrases], Phrases]) -> Callable[[Request], Awaitable[Response]]:
        async def send_phrases(request: Request) -> Response:
            phrases = await service.body_reader.read_json(request, parse_phrases)
            return await _compute_phrases(request, service, lambda speech: complete(speech, phrases))

        return send_phrases

    async def validate_kana(request: Request) -> Response:
        try:
            parse_kana(_read_text(request))
        except RefusalError as error:  # here the error itself is the answer
            body = error.body["detail"] if error.status == 400 else error.body
            return JSONResponse({"detail": body} if error.status == 400 else body, error.status)
        return JSONResponse(True)

    handlers = {handler.__name__: handler for handler in (audio_query, audio_query_from_preset, accent_phrases, validate_kana)} | {
        "mora_data": create_handler(_apply_all),
        "mora_length": create_handler(QuerySynthesizer.apply_voice_lengths),
        "mora_pitch": create_handler(QuerySynthesizer.apply_accent_pitches),
    }
    return [Route(f"/{name}", handler, methods=["POST"]) for name, handler in handlers.items()]


def _apply_all(speech: QuerySynthesizer, phrases: Phrases) -> Phrases:
    return speech.apply_accent_pitches(speech.apply_voice_lengths(phrases))


def _read_text(request: Request) -> str:
    fields = read_query_fields(request)
    text = fields.parse_text("text", max_length=_MAX_KANA_LENGTH)
    fields.check()
    if not fields.read_flag("is_kana", False):
        check_text(text)
    request.scope[REQUEST_TEXT_KEY] = text
    return text


async def _compute_phrases(request: Request, service: HttpService, compute: Callable[[QuerySynthesizer], Phrases]) -> Response:
    style = read_style(service, read_query_fields(request))
    return await service.compute_response(request, style, lambda speech: _build_phrases_response(compute(speech)))


def _build_phrases_response(phrases: Phrases) -> Response:
    """Build the response in the synthesis thread: for a long text it takes so long that other requests would notice."""
    return JSONResponse([phrase.convert_to_json() for phrase in phrases])


class SoundArchive:
    """A zip of 001.wav, 002.wav …"""

    def __init__(self) -> None:
        self._file = AnonymousFile()
        self._zip = zipfile.ZipFile(cast(IO[bytes], self._file), "w", zipfile.ZIP_STORED)
        self._bytes = 0

    def add_sound(self, pieces: Iterator[Any]) -> None:
        """Add a WAV, its size first, then its bytes; raise RefusalError if the archive would be too long, OutputFileError if the disk is full."""
        self._bytes += next(pieces)
        if self._bytes > MAX_ARCHIVE_BYTES:
            reason = "音声が長すぎます。クエリを分けて送ってください。", "The sounds would be too long; send the queries in parts."
            raise create_refusal(422, *reason)
        with self._zip.open(f"{len(self._zip.namelist()) + 1:03}.wav", "w") as entry:
            for piece in pieces:
                entry.write(piece)
                self._file.raise_write_error()

    def finish_file(self) -> AnonymousFile:
        """Return the file, positioned at its end."""
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

    handlers = {"synthesis": synthesize_query, "cancellable_synthesis": synthesize_query, "multi_synthesis": synthesize_queries}
    handlers |= {"streaming_synthesis": stream_query, "connect_waves": connect_wavs}
    return [Route(f"/{name}", handler, methods=["POST"]) for name, handler in handlers.items()]


def synthesize_pieces(speech: QuerySynthesizer, query: AudioQuery, *, upspeak: bool = True, offset_s: float = 0.0) -> Iterator[Any]:
    """Yield the total size, the header of a WAV, then the samples as they are computed."""
    durations, resolved = speech.resolve_durations(query, should_upspeak=upspeak)
    rate, channels = speech.pipeline.voice.sampling_rate, 2 if query.stereo else 1
    total = count_resampled(durations.count_samples(speech.pipeline.voice.hop_length), rate, query.rate)
    skip = round(offset_s * query.rate)
    if skip and skip >= total:
        raise create_refusal(400, "開始位置が音声の長さを超えています。", "The offset lies beyond the end of the sound.")
    header = pack_wav_header(total - skip, query.rate, channels)
    yield len(header) + (total - skip) * channels * 2
    yield header
    for samples in resample_pieces(speech.synthesize_samples(durations, resolved), rate, query.rate):
        if len(samples) > skip:
            yield convert_to_pcm(samples[skip:], channels)
        skip = max(0, skip - len(samples))


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
