"""Requests of Koebako's own routes: a text with the settings of a line, under their names on the command line; and the server-sent events of OpenAI's."""

import base64
import json
from collections.abc import Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE
from app.core.delivery import KATAKANA, LATIN_READINGS
from app.core.symbols import PUNCTUATION_PHONES
from app.core.synthesis_types import BOUNDS, PAUSE_BOUNDS, PAUSE_MARKS, SEED_BOUNDS, SynthesisRequest
from app.service.http_exchange import RESPONSE_PIECE_BYTES
from app.service.request_fields import RequestFields, create_refusal, create_unknown_style_refusal
from app.service.style_catalogue import ServedStyle, StyleCatalogue
from app.service.voicevox_query import MAX_QUERY_TEXT

SPEAK_MEDIA_TYPES = {
    "wav": "audio/wav",
    "pcm": "audio/pcm",
    "mp3": "audio/mpeg",
    "flac": "audio/flac",
    "ogg": "audio/ogg",
    "opus": "audio/ogg",
}
SPEAK_FORMATS = tuple(SPEAK_MEDIA_TYPES)
OPENAI_FORMATS = ("mp3", "opus", "flac", "wav", "pcm")
OPENAI_STREAM_FORMATS = ("audio", "sse")
MAX_OPENAI_TEXT = 4096  # characters, as OpenAI takes them
LONGEST_NAME = 200  # characters of the name of a voice, a speaker or a style

EVENT_STREAM_TYPE = "text/event-stream"


@dataclass(frozen=True, slots=True)
class SpeakRequest:
    """A request to `/v1/speak` or `/v1/timings`."""

    text: str
    style: ServedStyle
    base: SynthesisRequest  # everything that shapes the sound, the silences around it included
    format: str = "wav"
    rate: int | None = None  # in Hz; None is the voice's own
    stereo: bool = False

    @property
    def channel_count(self) -> int:
        return 2 if self.stereo else 1


def parse_speak_request(values: Any, catalogue: StyleCatalogue) -> SpeakRequest:
    """Return the request of a body; raise RefusalError if it is not valid."""
    fields = RequestFields(values, ("body",))
    text = fields.parse_text("text", max_length=MAX_QUERY_TEXT)
    numbers: dict[str, Any] = {
        name: fields.read_number(name, bounds.default, low=bounds.low, high=bounds.high) for name, bounds in BOUNDS.items()
    }
    seed = fields.read_integer("seed", 0, low=0, high=int(SEED_BOUNDS.high))
    request = SpeakRequest(
        text,
        _read_style(fields, catalogue),
        SynthesisRequest(
            text,
            id="service",
            seed=seed,
            latin=fields.read_choice("latin", LATIN_READINGS, KATAKANA),
            assist_text=fields.parse_text("assist_text", "", max_length=MAX_QUERY_TEXT),
            pauses=MappingProxyType(_read_pauses(fields)),
            **numbers,
        ),
        fields.read_choice("format", SPEAK_FORMATS, "wav"),
        fields.read_integer("rate", low=LOWEST_RATE, high=HIGHEST_RATE) if fields.find_raw("rate") is not None else None,
        fields.read_flag("stereo", False),
    )
    fields.check()
    return request


def _read_pauses(fields: RequestFields) -> dict[str, float]:
    pauses = fields.find_raw("pauses") or {}
    inside = fields.create_inner(pauses, "pauses")
    marks = {PUNCTUATION_PHONES.get(str(mark), str(mark)): str(mark) for mark in (pauses if isinstance(pauses, dict) else {})}
    for mark in marks.keys() - set(PAUSE_MARKS):
        name = marks[mark][:8].encode("utf-8", "replace").decode()
        fields.findings.add_fault("enum", ("body", "pauses", name), "This mark makes no pause")
    return {
        mark: inside.read_number(name, low=PAUSE_BOUNDS.low, high=PAUSE_BOUNDS.high) for mark, name in marks.items() if mark in PAUSE_MARKS
    }


def _read_style(fields: RequestFields, catalogue: StyleCatalogue) -> ServedStyle:
    """Return the style of `style_id`, or of `voice`, `speaker` and `style` as `StyleCatalogue.find_style` knows them; the first one if none is named."""
    if fields.find_raw("style_id") is not None:
        number = fields.read_integer("style_id")
        fields.check()
        return catalogue.require_style(number)
    names = []
    for key in ("voice", "speaker", "style"):
        value = fields.find_raw(key)
        is_number = isinstance(value, int) and not isinstance(value, bool)  # of a speaker or style
        names.append(str(value) if is_number else fields.parse_text(key, "", max_length=LONGEST_NAME))
    return require_named_style(catalogue, *names)


def require_named_style(catalogue: StyleCatalogue, *names: str) -> ServedStyle:
    """Return a style by the names of voice, speaker and style, the first one if none is named; raise RefusalError if there is none."""
    style = catalogue.find_style(*names)
    if style is not None:
        return style
    if not any(names):
        raise create_unknown_style_refusal(0)
    name, speaker_names = "/".join(filter(None, names)), ", ".join(speaker.name for speaker in catalogue.speakers[:12])
    raise create_refusal(
        422, f"声「{name}」が見つかりません。使用できるもの: {speaker_names}", f"There is no voice “{name}”. Available: {speaker_names}"
    )


def format_delta_events(content: bytes) -> Iterator[bytes]:
    """Yield the events that carry these bytes of the sound; none for no bytes."""
    for start in range(0, len(content), RESPONSE_PIECE_BYTES):
        piece = content[start : start + RESPONSE_PIECE_BYTES]
        yield _format_event({"type": "speech.audio.delta", "audio": base64.b64encode(piece).decode("ascii")})


def format_done_event(text: str) -> bytes:
    """Return the last event. A voice here counts no tokens: the characters of the text stand for those that went in, and none come out."""
    usage = {"input_tokens": len(text), "output_tokens": 0, "total_tokens": len(text)}
    return _format_event({"type": "speech.audio.done", "usage": usage})


def _format_event(data: dict[str, Any]) -> bytes:
    """Return an event that has data alone: its kind is in the data, as OpenAI's clients expect."""
    return f"data: {json.dumps(data)}\n\n".encode("ascii")
