"""Koebako's own routes, and OpenAI's."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.adapters.sound.formats import choose_encoding
from app.adapters.sound.memory import encode
from app.core.limits import BOUNDS
from app.core.types import SynthesisRequest
from app.errors import InputError, VoiceError
from app.service.answers import streamed, written
from app.service.catalogue import Catalogue
from app.service.fields import Fields
from app.service.lines import line_as_made, shape_of_line
from app.service.nameless import NamelessFile
from app.service.own_request import OwnRequest, named_style, read_own
from app.service.query import LONGEST_TEXT
from app.service.recent import TEXT
from app.service.refused import Refused, refusal_of, refused
from app.service.service import Service, unless_gone
from app.service.speech import Speech
from app.service.timings import timings_of
from app.service.waves import converted, pcm, resampled, wave_header
from app.service.work import Turn

_TYPES = {
    "wav": "audio/wav",
    "pcm": "audio/pcm",
    "mp3": "audio/mpeg",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
}
_OPENAI_RATE = 24000  # what `pcm` means there


def own_routes(service: Service) -> list[Route]:
    """`/v1/…`"""

    def read_request(values: Any) -> OwnRequest:
        return read_own(values, service.catalogue)

    async def speak(request: Request) -> Response:
        wanted = await service.bodies.read(request, read_request)
        request.scope[TEXT] = wanted.text
        return await _sound(service, request, wanted)

    async def timings(request: Request) -> Response:
        wanted = await service.bodies.read(request, read_request)
        request.scope[TEXT] = wanted.text

        def measure(turn: Turn) -> Response:
            speech = service.speech(turn, wanted.style, wanted.base)
            shape = shape_of_line(speech)
            if any(not sentence.frames for sentence in shape.sentences):
                raise refused(422, "この声では音の長さを取得できません。", "This voice does not report the lengths of its sounds.")
            return JSONResponse(timings_of(speech.pipeline, wanted.text, shape))

        return await unless_gone(request, service.queue.compute(measure))

    async def openai_speech(request: Request) -> Response:
        try:
            wanted = await service.bodies.read(request, lambda values: _openai(values, service.catalogue))
            request.scope[TEXT] = wanted.text
            return await _sound(service, request, wanted)
        except (Refused, InputError, VoiceError) as error:
            refusal = error if isinstance(error, Refused) else refusal_of(error)
            return JSONResponse(_openai_error(refusal), 400 if refusal.status == 422 else refusal.status)

    async def models(_request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [{"id": "koebako", "object": "model", "created": 0, "owned_by": "koebako"}]})

    return [
        Route("/v1/speak", speak, methods=["POST"]),
        Route("/v1/timings", timings, methods=["POST"]),
        Route("/v1/audio/speech", openai_speech, methods=["POST"]),
        Route("/v1/models", models),
    ]


async def _sound(service: Service, request: Request, wanted: OwnRequest) -> Response:
    """WAV as soon as all lengths are known, which its header states; PCM as soon as the first sentence is; other formats whole."""
    kind, style, base = _TYPES[wanted.format], wanted.style, wanted.base
    streams = {"wav": _wave, "pcm": _pcm}
    if wanted.format in streams:
        return await streamed(service, request, style, lambda speech: streams[wanted.format](speech, wanted), kind, base)
    return written(await service.compute(request, style, lambda speech: _file(speech, wanted), base), kind)


def _wave(speech: Speech, wanted: OwnRequest) -> Iterator[Any]:
    """As `streamed` takes it."""
    shape, own = shape_of_line(speech), speech.pipeline.voice.sampling_rate
    rate = wanted.rate or own
    samples = resampled(shape.samples(speech.pipeline.voice.hop_length), own, rate)
    header = wave_header(samples, rate, wanted.channels)
    yield len(header) + samples * wanted.channels * 2
    yield header
    for piece in converted(speech.sound(shape, speech.base), own, rate):
        yield pcm(piece, wanted.channels)


def _pcm(speech: Speech, wanted: OwnRequest) -> Iterator[Any]:
    """As `streamed` takes it; how long it will be is not known yet."""
    own, first = speech.pipeline.voice.sampling_rate, True
    for piece in converted(line_as_made(speech), own, wanted.rate or own):
        if first:
            yield None
        first = False
        yield pcm(piece, wanted.channels)


def _file(speech: Speech, wanted: OwnRequest) -> NamelessFile:
    """A whole file of another format."""
    own, suffix = speech.pipeline.voice.sampling_rate, f".{wanted.format}"
    rate = choose_encoding(f"sound{suffix}", own, None, wanted.channels, wanted.rate).rate
    file = NamelessFile()
    encode(file, converted(line_as_made(speech), own, rate), rate, suffix, wanted.channels)
    file.seek(0, os.SEEK_END)
    return file


def _openai(values: Any, catalogue: Catalogue) -> OwnRequest:
    fields = Fields(values, ("body",))
    text = fields.text("input", longest=LONGEST_TEXT)
    voice = fields.raw("voice")
    name = str(voice.get("id", "")) if isinstance(voice, dict) else fields.text("voice", "", longest=200)
    form = fields.choice("response_format", ("mp3", "opus", "flac", "wav", "pcm"), "mp3")
    speed = fields.number("speed", 1.0, low=BOUNDS["speed"].low, high=BOUNDS["speed"].high, nearest=True)
    fields.choice("stream_format", ("audio",), "audio")
    fields.check()
    style = named_style(catalogue, name)
    return OwnRequest(text, style, SynthesisRequest(text, id="service", speed=speed), form, _OPENAI_RATE if form == "pcm" else None)


def _openai_error(error: Refused) -> dict[str, Any]:
    detail = error.body.get("detail", error.body.get("message", "")) if isinstance(error.body, dict) else error.body
    message = "; ".join(f"{entry['loc'][-1]}: {entry['msg']}" for entry in detail) if isinstance(detail, list) else str(detail)
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
