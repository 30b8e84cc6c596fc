"""Requests of Koebako's own routes: a text with the settings of a line, under their names on the command line."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from app.adapters.sound.formats import HIGHEST_RATE, LOWEST_RATE
from app.core.limits import BOUNDS, PAUSE_BOUNDS, PAUSE_MARKS, SEED_BOUNDS
from app.core.symbols import PUNCTUATION_PHONES
from app.core.types import SynthesisRequest
from app.service.catalogue import Catalogue, ServedStyle
from app.service.fields import Fields
from app.service.query import LONGEST_TEXT
from app.service.refused import refused, unknown_style

FORMATS = ("wav", "pcm", "mp3", "flac", "ogg", "opus")


@dataclass(frozen=True, slots=True)
class OwnRequest:
    """What `/v1/speak` and `/v1/timings` are asked for.

    Attributes:
        base: everything that shapes the sound, the silences around it included.
        rate: in Hz; None is the voice's own.
    """

    text: str
    style: ServedStyle
    base: SynthesisRequest
    format: str = "wav"
    rate: int | None = None
    stereo: bool = False

    @property
    def channels(self) -> int:
        """Of the sound."""
        return 2 if self.stereo else 1


def read_own(values: Any, catalogue: Catalogue) -> OwnRequest:
    """The request of a body. Raises Refused."""
    fields = Fields(values, ("body",))
    text = fields.text("text", longest=LONGEST_TEXT)
    numbers: dict[str, Any] = {
        name: fields.number(name, bounds.default, low=bounds.low, high=bounds.high) for name, bounds in BOUNDS.items()
    }
    seed = fields.integer("seed", 0, low=0, high=int(SEED_BOUNDS.high))
    request = OwnRequest(
        text,
        _style(fields, catalogue),
        SynthesisRequest(
            text,
            id="service",
            seed=seed,
            assist_text=fields.text("assist_text", "", longest=LONGEST_TEXT),
            pauses=MappingProxyType(_pauses(fields)),
            **numbers,
        ),
        fields.choice("format", FORMATS, "wav"),
        fields.integer("rate", low=LOWEST_RATE, high=HIGHEST_RATE) if fields.raw("rate") is not None else None,
        fields.flag("stereo", False),
    )
    fields.check()
    return request


def _pauses(fields: Fields) -> dict[str, float]:
    given = fields.raw("pauses") or {}
    inside = fields.inside(given, "pauses")
    marks = {PUNCTUATION_PHONES.get(str(mark), str(mark)): str(mark) for mark in (given if isinstance(given, dict) else {})}
    for mark in marks.keys() - set(PAUSE_MARKS):
        name = marks[mark][:8].encode("utf-8", "replace").decode()
        fields.findings.add("enum", ("body", "pauses", name), "This mark makes no pause")
    return {mark: inside.number(name, low=PAUSE_BOUNDS.low, high=PAUSE_BOUNDS.high) for mark, name in marks.items() if mark in PAUSE_MARKS}


def _style(fields: Fields, catalogue: Catalogue) -> ServedStyle:
    """By `style_id`, or by `voice`, `speaker` and `style` as `Catalogue.find` knows them; the first one without any."""
    if fields.raw("style_id") is not None:
        number = fields.integer("style_id")
        fields.check()
        return catalogue.style(number)
    return named_style(catalogue, *(_name(fields, key) for key in ("voice", "speaker", "style")))


def _name(fields: Fields, key: str) -> str:
    """A name, or the number of a speaker or style."""
    given = fields.raw(key)
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else fields.text(key, "", longest=200)


def named_style(catalogue: Catalogue, *names: str) -> ServedStyle:
    """A style by the names of voice, speaker and style; the first one without any. Raises Refused."""
    found = catalogue.find(*names)
    if found is not None:
        return found
    if not any(names):
        raise unknown_style(0)
    name, known = "/".join(filter(None, names)), ", ".join(speaker.name for speaker in catalogue.speakers[:12])
    raise refused(422, f"声「{name}」が見つかりません。使用できるもの: {known}", f"There is no voice “{name}”. Available: {known}")
