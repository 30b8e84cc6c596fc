"""Routes that answer with sound."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from app.core.types import Float32
from app.service.answers import WAV, streamed, written
from app.service.archive import Archive
from app.service.catalogue import ServedStyle
from app.service.query import AudioQuery
from app.service.query_fields import read_queries, read_query
from app.service.recent import TEXT
from app.service.refused import refused
from app.service.service import Service, query_of, style_of
from app.service.speech import Speech
from app.service.waves import connected, converted, pcm, resampled, wave_header

MOST_QUERIES = 100


def sound_routes(service: Service) -> list[Route]:
    """`/synthesis` and its relatives."""

    async def synthesis(request: Request) -> Response:
        style, upspeak = _style(service, request)
        query = await _query(service, request)
        return await streamed(service, request, style, lambda speech: sound_pieces(speech, query, upspeak=upspeak), whole=True)

    async def multi_synthesis(request: Request) -> Response:
        style, upspeak = _style(service, request)
        queries = await service.bodies.read(request, _queries)
        archive = Archive()

        def add(query: AudioQuery, speech: Speech) -> None:
            archive.add(sound_pieces(speech, query, upspeak=upspeak))

        for query in queries:
            await service.compute(request, style, partial(add, query))
        return written(archive.finished(), "application/zip")

    async def streaming_synthesis(request: Request) -> Response:
        style, upspeak = _style(service, request)
        fields = query_of(request)
        offset_s = fields.number("start_offset", 0.0, low=0.0, high=1e6, nearest=True)
        fields.number("segment_length", 0.3)  # pieces come as soon as they are there
        fields.check()
        query = await _query(service, request)
        return await streamed(service, request, style, lambda speech: sound_pieces(speech, query, upspeak=upspeak, offset_s=offset_s))

    one_at_a_time = asyncio.Semaphore()  # each may need as much memory as its body, several times over

    async def connect_waves(request: Request) -> Response:
        values: Any = await service.bodies.read(request, lambda found: found)
        async with one_at_a_time:
            return written(await asyncio.to_thread(connected, values), WAV)

    post = ["POST"]
    return [
        Route("/synthesis", synthesis, methods=post),
        Route("/cancellable_synthesis", synthesis, methods=post),
        Route("/multi_synthesis", multi_synthesis, methods=post),
        Route("/streaming_synthesis", streaming_synthesis, methods=post),
        Route("/connect_waves", connect_waves, methods=post),
    ]


def sound_pieces(speech: Speech, query: AudioQuery, *, upspeak: bool = True, offset_s: float = 0.0) -> Iterator[Any]:
    """The size of all, the header of a WAV, then the samples as they are made."""
    shape, plain = speech.shape(query, upspeak=upspeak)
    rate, channels = speech.pipeline.voice.sampling_rate, 2 if query.stereo else 1
    samples = shape.samples(speech.pipeline.voice.hop_length)
    total = resampled(samples, rate, query.rate)
    skip = round(offset_s * query.rate)
    if skip and skip >= total:
        raise refused(400, "開始位置が音声の長さを超えています。", "The offset lies beyond the end of the sound.")
    header = wave_header(total - skip, query.rate, channels)
    yield len(header) + (total - skip) * channels * 2
    yield header
    for piece in _after(converted(speech.sound(shape, plain), rate, query.rate), skip):
        yield pcm(piece, channels)


def _after(pieces: Iterator[Float32], skip: int) -> Iterator[Float32]:
    for piece in pieces:
        left = piece[skip:]
        skip = max(0, skip - len(piece))
        if len(left):
            yield np.asarray(left)


def _style(service: Service, request: Request) -> tuple[ServedStyle, bool]:
    fields = query_of(request)
    upspeak = fields.flag("enable_interrogative_upspeak", True)
    return style_of(service, fields), upspeak


def _queries(values: Any) -> list[AudioQuery]:
    if not isinstance(values, list) or len(values) > MOST_QUERIES:
        raise refused(422, f"クエリは {MOST_QUERIES} 個までです。", f"Send a list of up to {MOST_QUERIES} queries.")
    queries = read_queries(values)
    if len({query.rate for query in queries}) > 1:
        raise refused(422, "サンプリング周波数が異なるクエリがあります", "The queries differ in their sampling rate.")
    return queries


async def _query(service: Service, request: Request) -> AudioQuery:
    query = await service.bodies.read(request, read_query)
    request.scope[TEXT] = query.kana or "".join(mora.text for phrase in query.accent_phrases for mora in phrase.moras)
    return query
