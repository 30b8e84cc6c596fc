"""When what sounds, from a shape alone: nothing is decoded for it."""

from __future__ import annotations

from typing import Any

from app.core.line_sound import Span
from app.core.phones import NOWHERE, mora_of_phones
from app.core.pipeline import Pipeline
from app.service.phrases import phrases_of_text
from app.service.shape import Shape


def timings_of(pipeline: Pipeline, text: str, shape: Shape) -> dict[str, Any]:
    """Phones, morae and sentences with their seconds in the whole sound; phones tile it from 0 to its end, silence as `pau`."""
    voice = pipeline.voice
    hop, rate = voice.hop_length, voice.sampling_rate
    total_s = shape.samples(hop) / rate
    begins = (shape.pre - shape.opening * hop) / rate
    phones: list[dict[str, Any]] = []
    moras: list[dict[str, Any]] = []
    sentences: list[dict[str, Any]] = []
    kana = iter(mora.text for phrase in phrases_of_text(pipeline, text, shape.sentences) for mora in phrase.moras)
    frame = 0
    for sentence in shape.sentences:
        owners, start = mora_of_phones(sentence.phones.phones), frame
        known = -1
        for owner, phone, tone, count in zip(owners, sentence.phones.phones, sentence.phones.tones, sentence.frames, strict=True):
            span = _clipped(begins + frame * hop / rate, begins + (frame + (count or 0)) * hop / rate, total_s)
            frame += count or 0
            _add(phones, "pau" if owner == NOWHERE else phone, span)
            if owner == NOWHERE:
                continue
            if owner > known:
                moras.append({"kana": next(kana), "start_s": span.start_s, "end_s": span.end_s, "tone": tone})
                known = owner
            moras[-1] |= {"end_s": span.end_s, "tone": tone}
        span = _clipped(begins + start * hop / rate, begins + frame * hop / rate, total_s)
        sentences.append({"text": sentence.phones.text, "start_s": span.start_s, "end_s": span.end_s})
    if not phones:  # nothing can be read
        _add(phones, "pau", Span(0.0, total_s))
    phones[0]["start_s"], phones[-1]["end_s"] = 0.0, total_s
    return {
        "text": text,
        "reading": "".join(str(mora["kana"]) for mora in moras),
        "sampling_rate": rate,
        "samples": shape.samples(hop),
        "length_s": total_s,
        "sentences": sentences,
        "moras": moras,
        "phones": phones,
    }


def _clipped(start_s: float, end_s: float, total_s: float) -> Span:
    return Span(min(max(0.0, start_s), total_s), min(max(0.0, end_s), total_s))


def _add(phones: list[dict[str, Any]], phone: str, span: Span) -> None:
    """Silences side by side are one."""
    if phones and phone == "pau" == phones[-1]["phone"]:
        phones[-1]["end_s"] = span.end_s
    else:
        phones.append({"phone": phone, "start_s": span.start_s, "end_s": span.end_s})
