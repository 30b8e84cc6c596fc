"""Routes that answer with sound."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import Iterator
from functools import partial
from typing import IO, Any, cast

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.core.synthesis_types import Float32
from app.service.anonymous_file import AnonymousFile
from app.service.http_errors import create_refusal
from app.service.http_service import HttpService, read_query_fields, read_style
from app.service.query_parser import parse_queries, parse_query
from app.service.query_synthesizer import QuerySynthesizer
from app.service.request_log import REQUEST_TEXT_KEY
from app.service.sound_responses import WAV_TYPE, build_file_response, stream_sound
from app.service.style_catalogue import ServedStyle
from app.service.voicevox_query import AudioQuery
from app.service.wav_stream import convert_to_pcm, count_resampled, join_wavs, pack_wav_header, resample_pieces

# 50 minutes at the rate of most voices.
MAX_ARCHIVE_BYTES = 1 << 28


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
