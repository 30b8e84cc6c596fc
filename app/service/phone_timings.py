"""When what sounds, from a shape alone: nothing is decoded for it."""

from __future__ import annotations

from typing import Any

from app.core.line_sound import SoundSpan
from app.core.phone_ids import NO_INDEX, map_phones_to_moras
from app.core.pipeline import Pipeline
from app.service.query_durations import LineDurations
from app.service.voicevox_phrases import build_phrases


def build_timings(pipeline: Pipeline, text: str, durations: LineDurations) -> dict[str, Any]:
    """Phones, morae and sentences with their seconds in the whole sound; phones tile it from 0 to its end, silence as `pau`."""
    voice = pipeline.voice
    hop, rate = voice.hop_length, voice.sampling_rate
    total_s = durations.count_samples(hop) / rate
    begins = (durations.pre - durations.opening * hop) / rate
    phones: list[dict[str, Any]] = []
    moras: list[dict[str, Any]] = []
    sentences: list[dict[str, Any]] = []
    kana = iter(mora.text for phrase in build_phrases(pipeline, text, durations.sentences) for mora in phrase.moras)
    frame = 0
    for sentence in durations.sentences:
        owners, start = map_phones_to_moras(sentence.phones.phones), frame
        known = -1
        for owner, phone, tone, count in zip(owners, sentence.phones.phones, sentence.phones.tones, sentence.frames, strict=True):
            span = _clip_span(begins + frame * hop / rate, begins + (frame + (count or 0)) * hop / rate, total_s)
            frame += count or 0
            _append_phone(phones, "pau" if owner == NO_INDEX else phone, span)
            if owner == NO_INDEX:
                continue
            if owner > known:
                moras.append({"kana": next(kana), "start_s": span.start_s, "end_s": span.end_s, "tone": tone})
                known = owner
            moras[-1] |= {"end_s": span.end_s, "tone": tone}
        span = _clip_span(begins + start * hop / rate, begins + frame * hop / rate, total_s)
        sentences.append({"text": sentence.phones.text, "start_s": span.start_s, "end_s": span.end_s})
    if not phones:  # nothing can be read
        _append_phone(phones, "pau", SoundSpan(0.0, total_s))
    phones[0]["start_s"], phones[-1]["end_s"] = 0.0, total_s
    return {
        "text": text,
        "reading": "".join(str(mora["kana"]) for mora in moras),
        "sampling_rate": rate,
        "samples": durations.count_samples(hop),
        "length_s": total_s,
        "sentences": sentences,
        "moras": moras,
        "phones": phones,
    }


def _clip_span(start_s: float, end_s: float, total_s: float) -> SoundSpan:
    return SoundSpan(min(max(0.0, start_s), total_s), min(max(0.0, end_s), total_s))


def _append_phone(phones: list[dict[str, Any]], phone: str, span: SoundSpan) -> None:
    """Silences side by side are one."""
    if phones and phone == "pau" == phones[-1]["phone"]:
        phones[-1]["end_s"] = span.end_s
    else:
        phones.append({"phone": phone, "start_s": span.start_s, "end_s": span.end_s})
