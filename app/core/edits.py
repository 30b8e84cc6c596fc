"""What a user edited by hand, brought to the symbols of one sentence.

A line is the user's unit and sentences are ours, so edits count morae and marks over the line; `Place` says how many came before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.core.durations import FrameTarget
from app.core.phones import NOWHERE, apply_tones, mark_count, mark_of_phones, mora_count, mora_of_phones
from app.core.types import Int64, Overrides, Phones, PhoneTiming, ReadingOverride, Sentence, SynthesisRequest
from app.core.voice import VoiceTraits


@dataclass(frozen=True, slots=True)
class Place:
    """Morae and marks of the line that lie before a sentence."""

    moras: int = 0
    marks: int = 0

    def after(self, phones: Phones) -> Place:
        """The place behind a sentence."""
        return Place(self.moras + mora_count(phones.phones), self.marks + mark_count(phones.phones))


def readings_in(sentence: Sentence, request: SynthesisRequest) -> tuple[ReadingOverride, ...]:
    """The readings that concern a sentence, their occurrences counted within it."""
    found = []
    for override in request.overrides.readings:
        if override.surface not in sentence.text:
            continue
        if override.occurrence is not None:
            override = replace(override, occurrence=override.occurrence - request.text.count(override.surface, 0, sentence.start))
        if override.occurrence is None or 0 <= override.occurrence < sentence.text.count(override.surface):
            found.append(override)
    return tuple(found)


def edited_tones(phones: Phones, overrides: Overrides, place: Place) -> Phones:
    """The phones with the tones the user set."""
    tones = {edit.mora - place.moras: edit.tone for edit in overrides.moras if edit.tone is not None and edit.mora >= place.moras}
    return apply_tones(phones, tones)


def frame_targets(
    phones: Phones, overrides: Overrides, pauses: Mapping[str, float], place: Place, length_scale: float, voice: VoiceTraits
) -> list[FrameTarget]:
    """Stretches of symbols whose length the user fixed.

    `pauses` are for speed 1 and scale with the speed; a run of marks is one pause, held by its first mark. Edits of a single mora
    or mark are exact lengths in the result and win over `pauses`.
    """
    moras, marks = mora_of_phones(phones.phones), mark_of_phones(phones.phones)
    mora_s = {edit.mora - place.moras: edit.length_s for edit in overrides.moras if edit.length_s is not None}
    mark_s = {edit.mark - place.marks: edit.length_s for edit in overrides.pauses}
    targets = []
    for index, (mora, mark, phone) in enumerate(zip(moras, marks, phones.phones, strict=True)):
        if mora != NOWHERE and mora in mora_s and moras[index - 1] != mora:
            last = index + moras.count(mora) - 1
            targets.append(_target(index, last, mora_s[mora], voice))
        elif mark != NOWHERE and mark in mark_s:
            targets.append(_target(index, index, mark_s[mark], voice))
        elif mark != NOWHERE and phone in pauses:
            continues = marks[index - 1] != NOWHERE
            targets.append(_target(index, index, 0.0 if continues else pauses[phone] * length_scale, voice))
    return targets


def shape_targets(shape: Sequence[int | None], voice: VoiceTraits) -> list[FrameTarget]:
    """The same where the frames of whole phones are decided, by index; None leaves one to the voice."""
    places = (symbols_of_phone(index, voice.add_blank) for index in range(len(shape)))
    return [FrameTarget(*place, frames) for place, frames in zip(places, shape, strict=True) if frames is not None]


def timed_frames(timings: Sequence[PhoneTiming], voice: VoiceTraits) -> tuple[int, ...]:
    """Frames of each phone from when it sounds."""
    frame_s = voice.hop_length / voice.sampling_rate
    return tuple(round(timing.end_s / frame_s) - round(timing.start_s / frame_s) for timing in timings)


def _target(first_phone: int, last_phone: int, length_s: float, voice: VoiceTraits) -> FrameTarget:
    start, end = symbols_of_phone(first_phone, voice.add_blank)[0], symbols_of_phone(last_phone, voice.add_blank)[1]
    return FrameTarget(start, end, round(length_s * voice.sampling_rate / voice.hop_length))


def symbols_of_phone(phone: int, add_blank: bool) -> tuple[int, int]:
    """Symbols [start, end) of a phone: itself and the blank after it; the first phone also has the leading blank."""
    if not add_blank:
        return phone, phone + 1
    return (0 if phone == 0 else 2 * phone + 1), 2 * phone + 3


def phone_timings(phones: Phones, frames: Int64, voice: VoiceTraits) -> tuple[PhoneTiming, ...]:
    """When each phone sounds within the sentence; a blank's frames belong to the phone before it."""
    edges = np.concatenate(([0], np.cumsum(frames))) * (voice.hop_length / voice.sampling_rate)
    timings = []
    for index, (phone, tone) in enumerate(zip(phones.phones, phones.tones, strict=True)):
        start, end = symbols_of_phone(index, voice.add_blank)
        timings.append(PhoneTiming(phone, tone, float(edges[start]), float(edges[end])))
    return tuple(timings)
