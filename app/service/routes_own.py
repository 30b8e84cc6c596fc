"""Koebako's own routes, and OpenAI's, whose clients name its voices without asking: each stands for a similar one of our speakers."""

import os
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.adapters.sound.sound_codec import encode_sound
from app.adapters.sound.sound_formats import choose_encoding
from app.common.errors import InputError, NothingToReadError, VoiceError
from app.core.sound.fixed_durations import FixedSentence, iterate_sentences, measure_durations, synthesize_fixed
from app.core.sound.line_sound import SoundSpan
from app.core.sound.pipeline import Pipeline, compute_silence_s
from app.core.sound.waveform import create_silence
from app.core.synthesis_types import BOUNDS, Float32, SynthesisRequest
from app.core.text.phone_ids import NO_INDEX, map_phones_to_moras
from app.service.http_exchange import RESPONSE_PIECE_BYTES
from app.service.http_service import HttpService, build_file_response, stream_sound
from app.service.query_edits import MAX_SOUND_S, LineDurations, create_too_long_refusal
from app.service.query_synthesizer import QuerySynthesizer
from app.service.request_fields import RefusalError, RequestFields, convert_to_refusal, create_refusal
from app.service.request_log import REQUEST_TEXT_KEY
from app.service.service_job import AnonymousFile
from app.service.speak_request import (
    EVENT_STREAM_TYPE,
    LONGEST_NAME,
    MAX_OPENAI_TEXT,
    OPENAI_FORMATS,
    OPENAI_STREAM_FORMATS,
    SPEAK_MEDIA_TYPES,
    SpeakRequest,
    format_delta_events,
    format_done_event,
    parse_speak_request,
    require_named_style,
)
from app.service.style_catalogue import ServedStyle, StyleCatalogue
from app.service.voicevox_query import align_moras, build_phrases, map_frames
from app.service.wav_stream import convert_to_pcm, count_resampled, pack_wav_header, resample_pieces
from app.voices.installed_voices import find_shipped_voice_id
from app.voices.voice_labels import NATURAL_VOICE_ID


def measure_line(speech: QuerySynthesizer) -> LineDurations:
    """Return all lengths of the text of `speech.base`; raise RefusalError if the text or its sound is too long."""
    try:
        sentences = tuple(_measure_sentences(speech))
    except NothingToReadError:
        return LineDurations((), 0, 0, 0, len(_create_silent_line(speech)))
    layout, frames = align_moras([sentence.phones for sentence in sentences]), map_frames(sentences)
    opening, closing = layout.count_outer_frames(frames)
    hop, (before_count, after_count) = speech.pipeline.voice.hop_length, (len(silence) for silence in _create_silences(speech))
    return LineDurations(sentences, opening, closing, before_count + opening * hop, after_count + closing * hop)


def stream_line(speech: QuerySynthesizer) -> Iterator[Float32]:
    """Yield the samples that `measure_line` has counted, in pieces: a sentence is prepared only after the one before has been yielded."""
    opening_silence, closing_silence = _create_silences(speech)
    sentences = _measure_sentences(speech)
    try:
        first = next(sentences)
    except NothingToReadError:
        yield _create_silent_line(speech)
        return
    yield opening_silence
    for sentence in chain([first], sentences):
        yield from synthesize_fixed(speech.pipeline, speech.base, [sentence], speech.on_stage, speech.cancelled)
    yield closing_silence


def _measure_sentences(speech: QuerySynthesizer) -> Iterator[FixedSentence]:
    """Yield the sentences with all their frames, each measured on demand."""
    voice, total = speech.pipeline.voice, sum(len(silence) for silence in _create_silences(speech))
    for sentence in iterate_sentences(speech.pipeline, speech.base, speech.cancelled):
        (measured,) = measure_durations(speech.pipeline, speech.base, [sentence], speech.on_stage, speech.cancelled)
        total += measured.total * voice.hop_length
        if total > MAX_SOUND_S * voice.sampling_rate:
            raise create_too_long_refusal()
        yield measured


def _create_silent_line(speech: QuerySynthesizer) -> Float32:
    length_s = compute_silence_s(speech.pipeline, speech.base)
    if length_s > MAX_SOUND_S:
        raise create_too_long_refusal()
    return create_silence(length_s, speech.pipeline.voice.sampling_rate)


def _create_silences(speech: QuerySynthesizer) -> tuple[Float32, Float32]:
    rate, base = speech.pipeline.voice.sampling_rate, speech.base
    return create_silence(base.pre_silence_s, rate), create_silence(base.post_silence_s, rate)


def build_timings(pipeline: Pipeline, text: str, durations: LineDurations) -> dict[str, Any]:
    """Return phones, morae and sentences with their seconds in the whole sound; phones tile it from 0 to its end, silence as `pau`."""
    voice = pipeline.voice
    hop, rate = voice.hop_length, voice.sampling_rate
    total_s = durations.count_samples(hop) / rate
    begin_s = (durations.pre - durations.opening * hop) / rate

    def clip_span(first_frame: int, end_frame: int) -> SoundSpan:
        ends = (begin_s + frame * hop / rate for frame in (first_frame, end_frame))
        return SoundSpan(*(min(max(0.0, end_s), total_s) for end_s in ends))

    phones, moras, sentences = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
    kana = iter(mora.text for phrase in build_phrases(pipeline, text, durations.sentences) for mora in phrase.moras)
    frame = 0
    for sentence in durations.sentences:
        owners, start = map_phones_to_moras(sentence.phones.phones), frame
        last_mora = -1
        for owner, phone, tone, count in zip(owners, sentence.phones.phones, sentence.phones.tones, sentence.frames, strict=True):
            span = clip_span(frame, frame + (count or 0))
            frame += count or 0
            _append_phone(phones, "pau" if owner == NO_INDEX else phone, span)
            if owner == NO_INDEX:
                continue
            if owner > last_mora:
                moras.append({"kana": next(kana), "start_s": span.start_s, "end_s": span.end_s, "tone": tone})
                last_mora = owner
            moras[-1] |= {"end_s": span.end_s, "tone": tone}
        span = clip_span(start, frame)
        sentences.append({"text": sentence.phones.text, "start_s": span.start_s, "end_s": span.end_s})
    if not phones:  # nothing can be read
        _append_phone(phones, "pau", SoundSpan(0.0, total_s))
    phones[0]["start_s"], phones[-1]["end_s"] = 0.0, total_s
    reading, samples = "".join(str(mora["kana"]) for mora in moras), durations.count_samples(hop)
    summary = {"text": text, "reading": reading, "sampling_rate": rate, "samples": samples, "length_s": total_s}
    return summary | {"sentences": sentences, "moras": moras, "phones": phones}


def _append_phone(phones: list[dict[str, Any]], phone: str, span: SoundSpan) -> None:
    """Append a phone; silences side by side become one."""
    if phones and phone == "pau" == phones[-1]["phone"]:
        phones[-1]["end_s"] = span.end_s
    else:
        phones.append({"phone": phone, "start_s": span.start_s, "end_s": span.end_s})


_OPENAI_RATE = 24000  # what `pcm` means there


_MODEL = {"id": "koebako", "object": "model", "created": 0, "owned_by": "koebako"}


def build_own_routes(service: HttpService) -> list[Route]:
    """Return the routes below `/v1/`."""

    async def read_request(request: Request) -> SpeakRequest:
        speak_request = await service.body_reader.read_json(request, lambda values: parse_speak_request(values, service.catalogue))
        request.scope[REQUEST_TEXT_KEY] = speak_request.text
        return speak_request

    async def speak_text(request: Request) -> Response:
        return await _build_sound_response(service, request, await read_request(request))

    async def send_timings(request: Request) -> Response:
        speak_request = await read_request(request)

        def measure_timings(speech: QuerySynthesizer) -> Response:
            durations = measure_line(speech)
            if any(not sentence.frames for sentence in durations.sentences):
                raise create_refusal(422, "この声では音の長さを取得できません。", "This voice does not report the lengths of its sounds.")
            return JSONResponse(build_timings(speech.pipeline, speak_request.text, durations))

        return await service.compute_response(request, speak_request.style, measure_timings, speak_request.base)

    async def speak_for_openai(request: Request) -> Response:
        try:
            speech, has_events = await service.body_reader.read_json(
                request, lambda values: _parse_openai_request(values, service.catalogue)
            )
            request.scope[REQUEST_TEXT_KEY] = speech.text
            return await (_build_event_response if has_events else _build_sound_response)(service, request, speech)
        except (RefusalError, InputError, VoiceError) as error:
            refusal = error if isinstance(error, RefusalError) else convert_to_refusal(error)
            return JSONResponse(_build_openai_error(refusal), 400 if refusal.status == 422 else refusal.status)

    return [
        Route("/v1/speak", speak_text, methods=["POST"]),
        Route("/v1/timings", send_timings, methods=["POST"]),
        Route("/v1/audio/speech", speak_for_openai, methods=["POST"]),
        *_build_list_routes(service),
    ]


def _build_list_routes(service: HttpService) -> list[Route]:
    async def list_models(_request: Request) -> Response:
        return JSONResponse({"object": "list", "data": [_MODEL]})

    async def list_audio_models(_request: Request) -> Response:
        return JSONResponse({"models": [_MODEL]})

    async def list_audio_voices(_request: Request) -> Response:
        return JSONResponse({"voices": [{"id": speaker.name, "name": speaker.name} for speaker in service.catalogue.speakers]})

    return [
        Route("/v1/models", list_models),
        Route("/v1/audio/models", list_audio_models),
        Route("/v1/audio/voices", list_audio_voices),
    ]


async def _build_sound_response(service: HttpService, request: Request, speak_request: SpeakRequest) -> Response:
    """Respond with WAV as soon as all lengths are known, which its header states, with PCM as soon as the first sentence is; with other formats whole."""
    kind, style, base = SPEAK_MEDIA_TYPES[speak_request.format], speak_request.style, speak_request.base
    if speak_request.format in _STREAMS:
        return await stream_sound(service, request, style, lambda speech: _STREAMS[speak_request.format](speech, speak_request), kind, base)
    return build_file_response(
        await service.compute_response(request, style, lambda speech: _encode_file(speech, speak_request), base), kind
    )


async def _build_event_response(service: HttpService, request: Request, speak_request: SpeakRequest) -> Response:
    """Respond with events, each as soon as its piece of the sound is there."""

    def emit_events(speech: QuerySynthesizer) -> Iterator[Any]:
        deltas = chain.from_iterable(map(format_delta_events, _stream_content(speech, speak_request)))
        for index, event in enumerate(chain(deltas, [format_done_event(speak_request.text)])):
            # The response begins with the first event, so that an error before it is still answered as one; its length is not known.
            if index == 0:
                yield None
            yield event

    return await stream_sound(service, request, speak_request.style, emit_events, EVENT_STREAM_TYPE, speak_request.base)


def _stream_content(speech: QuerySynthesizer, speak_request: SpeakRequest) -> Iterator[bytes]:
    if speak_request.format in _STREAMS:
        items = _STREAMS[speak_request.format](speech, speak_request)
        next(items)
        yield from items
        return
    with closing(_encode_file(speech, speak_request)) as file:
        file.seek(0)
        while content := file.read(RESPONSE_PIECE_BYTES):
            yield content


def _stream_wav(speech: QuerySynthesizer, speak_request: SpeakRequest) -> Iterator[Any]:
    """Yield size, header and samples of a WAV, as `stream_sound` takes them."""
    shape, voice_rate = measure_line(speech), speech.pipeline.voice.sampling_rate
    rate = speak_request.rate or voice_rate
    samples = count_resampled(shape.count_samples(speech.pipeline.voice.hop_length), voice_rate, rate)
    header = pack_wav_header(samples, rate, speak_request.channel_count)
    yield len(header) + samples * speak_request.channel_count * 2
    yield header
    for samples_of_rate in resample_pieces(speech.synthesize_samples(shape, speech.base), voice_rate, rate):
        yield convert_to_pcm(samples_of_rate, speak_request.channel_count)


def _stream_pcm(speech: QuerySynthesizer, speak_request: SpeakRequest) -> Iterator[Any]:
    """Yield the samples of PCM, as `stream_sound` takes them; the total length is not known yet."""
    voice_rate, first = speech.pipeline.voice.sampling_rate, True
    for samples in resample_pieces(stream_line(speech), voice_rate, speak_request.rate or voice_rate):
        if first:
            yield None
        first = False
        yield convert_to_pcm(samples, speak_request.channel_count)


_STREAMS = {"wav": _stream_wav, "pcm": _stream_pcm}


def _encode_file(speech: QuerySynthesizer, speak_request: SpeakRequest) -> AnonymousFile:
    voice_rate, suffix = speech.pipeline.voice.sampling_rate, f".{speak_request.format}"
    rate = choose_encoding(f"sound{suffix}", voice_rate, None, speak_request.channel_count, speak_request.rate).rate
    file = AnonymousFile()
    encode_sound(file, resample_pieces(stream_line(speech), voice_rate, rate), rate, suffix, speak_request.channel_count)
    file.seek(0, os.SEEK_END)
    return file


# By their names, the speakers that they stand for: of the natural voice, and of the light one where that is all there is.
_WOMEN = {"alloy": (0, 0), "coral": (1, 1), "marin": (0, 0), "nova": (2, 1), "sage": (3, 0), "shimmer": (1, 1)}
_MEN = dict.fromkeys(("ash", "ballad", "cedar", "echo", "fable", "onyx", "verse"), (4, 2))
OPENAI_VOICES = _WOMEN | _MEN


def require_openai_style(catalogue: StyleCatalogue, name: str) -> ServedStyle:
    """Return the style of our name, as another route knows it, else that of OpenAI's name; raise RefusalError for any other."""
    try:
        return require_named_style(catalogue, name)
    except RefusalError:
        if (voice := OPENAI_VOICES.get(name.strip().casefold())) is None:
            raise
        speakers = zip((NATURAL_VOICE_ID, find_shipped_voice_id() or ""), voice, strict=True)
        style = next((style for speaker in speakers if (style := catalogue.find_first_style(*speaker)) is not None), None)
        if style is None:  # neither voice is offered
            raise
        return style


def _parse_openai_request(values: Any, catalogue: StyleCatalogue) -> tuple[SpeakRequest, bool]:
    """Return the request, and whether the sound is wanted as server-sent events."""
    fields = RequestFields(values, ("body",))
    text = fields.parse_text("input", max_length=MAX_OPENAI_TEXT)
    voice = fields.find_raw("voice")
    name = str(voice.get("id", "")) if isinstance(voice, dict) else fields.parse_text("voice", "", max_length=LONGEST_NAME)
    form = fields.read_choice("response_format", OPENAI_FORMATS, "mp3")
    speed = fields.read_number("speed", 1.0, low=BOUNDS["speed"].low, high=BOUNDS["speed"].high, should_clamp=True)
    stream_format = fields.read_choice("stream_format", OPENAI_STREAM_FORMATS, "audio")
    fields.check()
    style = require_openai_style(catalogue, name)
    base = SynthesisRequest(text, id="service", speed=speed)
    return SpeakRequest(text, style, base, form, _OPENAI_RATE if form == "pcm" else None), stream_format == "sse"


def _build_openai_error(error: RefusalError) -> dict[str, Any]:
    detail = error.body.get("detail", error.body.get("message", "")) if isinstance(error.body, dict) else error.body
    message = "; ".join(f"{entry['loc'][-1]}: {entry['msg']}" for entry in detail) if isinstance(detail, list) else str(detail)
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None}}
