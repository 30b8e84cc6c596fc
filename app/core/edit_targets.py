"""Converts a user's edits to the symbols of one sentence.

Users edit lines, but the pipeline speaks sentences, so edits count morae and marks over the line; `LineOffset` holds the
number before a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.core.durations import FrameTarget
from app.core.phone_ids import NO_INDEX, apply_tones, count_marks, count_moras, map_phones_to_marks, map_phones_to_moras
from app.core.synthesis_types import Int64, LineSentence, Overrides, Phones, PhoneTiming, ReadingOverride, SynthesisRequest
from app.core.voice_traits import VoiceTraits


@dataclass(frozen=True, slots=True)
class LineOffset:
    """The number of morae and marks of the line before a sentence."""

    moras: int = 0
    marks: int = 0

    def advance_past(self, phones: Phones) -> LineOffset:
        """Return the offset of the sentence that follows these phones."""
        return LineOffset(self.moras + count_moras(phones.phones), self.marks + count_marks(phones.phones))


def select_readings(sentence: LineSentence, request: SynthesisRequest) -> tuple[ReadingOverride, ...]:
    """Return the readings that concern a sentence, with their occurrences counted within the sentence."""
    found = []
    for override in request.overrides.readings:
        if override.surface not in sentence.text:
            continue
        if override.occurrence is not None:
            override = replace(override, occurrence=override.occurrence - request.text.count(override.surface, 0, sentence.start))
        if override.occurrence is None or 0 <= override.occurrence < sentence.text.count(override.surface):
            found.append(override)
    return tuple(found)


def apply_edited_tones(phones: Phones, overrides: Overrides, offset: LineOffset) -> Phones:
    """Return the phones with the tones that the user set."""
    tones = {edit.mora - offset.moras: edit.tone for edit in overrides.moras if edit.tone is not None and edit.mora >= offset.moras}
    return apply_tones(phones, tones)


def build_frame_targets(
    phones: Phones, overrides: Overrides, pauses: Mapping[str, float], offset: LineOffset, length_scale: float, voice: VoiceTraits
) -> list[FrameTarget]:
    """Return stretches of symbols whose length the user fixed.

    `pauses` are for speed 1 and scale with the speed; a run of marks is one pause, held by its first mark. Edits of a single mora
    or mark are exact lengths in the result and win over `pauses`.
    """
    moras, marks = map_phones_to_moras(phones.phones), map_phones_to_marks(phones.phones)
    mora_s = {edit.mora - offset.moras: edit.length_s for edit in overrides.moras if edit.length_s is not None}
    mark_s = {edit.mark - offset.marks: edit.length_s for edit in overrides.pauses}
    targets = []
    for index, (mora, mark, phone) in enumerate(zip(moras, marks, phones.phones, strict=True)):
        if mora != NO_INDEX and mora in mora_s and moras[index - 1] != mora:
            last = index + moras.count(mora) - 1
            targets.append(_build_target(index, last, mora_s[mora], voice))
        elif mark != NO_INDEX and mark in mark_s:
            targets.append(_build_target(index, index, mark_s[mark], voice))
        elif mark != NO_INDEX and phone in pauses:
            continues = marks[index - 1] != NO_INDEX
            targets.append(_build_target(index, index, 0.0 if continues else pauses[phone] * length_scale, voice))
    return targets


def build_shape_targets(shape: Sequence[int | None], voice: VoiceTraits) -> list[FrameTarget]:
    """Return targets for whole phones whose frames are decided, by index; None leaves a phone to the voice."""
    places = (find_phone_symbols(index, voice.add_blank) for index in range(len(shape)))
    return [FrameTarget(*place, frames) for place, frames in zip(places, shape, strict=True) if frames is not None]


def count_phone_frames(timings: Sequence[PhoneTiming], voice: VoiceTraits) -> tuple[int, ...]:
    """Return the frames of each phone, computed from its timing."""
    frame_s = voice.hop_length / voice.sampling_rate
    # Rounding both ends, not the difference, recovers whole frames from seconds without a drifting sum.
    return tuple(round(timing.end_s / frame_s) - round(timing.start_s / frame_s) for timing in timings)


def _build_target(first_phone: int, last_phone: int, length_s: float, voice: VoiceTraits) -> FrameTarget:
    start, end = find_phone_symbols(first_phone, voice.add_blank)[0], find_phone_symbols(last_phone, voice.add_blank)[1]
    return FrameTarget(start, end, round(length_s * voice.sampling_rate / voice.hop_length))


def find_phone_symbols(phone: int, add_blank: bool) -> tuple[int, int]:
    """Return the symbols [start, end) of a phone: the phone and the blank after it; the first phone also has the leading blank."""
    if not add_blank:
        return phone, phone + 1
    return (0 if phone == 0 else 2 * phone + 1), 2 * phone + 3


def build_phone_timings(phones: Phones, frames: Int64, voice: VoiceTraits) -> tuple[PhoneTiming, ...]:
    """Return the start and end of each phone within the sentence; the frames of a blank belong to the phone before it."""
    edges = np.concatenate(([0], np.cumsum(frames))) * (voice.hop_length / voice.sampling_rate)
    timings = []
    for index, (phone, tone) in enumerate(zip(phones.phones, phones.tones, strict=True)):
        start, end = find_phone_symbols(index, voice.add_blank)
        timings.append(PhoneTiming(phone, tone, float(edges[start]), float(edges[end])))
    return tuple(timings)
