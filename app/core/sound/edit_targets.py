"""Converts a user's edits to the symbols of one sentence.

Users edit lines, but the pipeline speaks sentences, so edits count morae and marks over the line; `LineOffset` holds the
number before a sentence.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from app.core.sound.durations import FrameTarget, PhraseEnding
from app.core.sound.voice_traits import VoiceTraits
from app.core.synthesis_types import Int64, LineSentence, Overrides, Phones, PhoneTiming, ReadingOverride, SynthesisRequest
from app.core.text.phone_ids import NO_INDEX, apply_tones, count_marks, count_moras, map_phones_to_marks, map_phones_to_moras


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
    overrides = []
    for override in request.overrides.readings:
        if override.surface not in sentence.text:
            continue
        if override.occurrence is not None:
            override = replace(override, occurrence=override.occurrence - request.text.count(override.surface, 0, sentence.start))
        if override.occurrence is None or 0 <= override.occurrence < sentence.text.count(override.surface):
            overrides.append(override)
    return tuple(overrides)


def apply_edited_tones(phones: Phones, overrides: Overrides, offset: LineOffset) -> Phones:
    tones = {edit.mora - offset.moras: edit.tone for edit in overrides.moras if edit.tone is not None and edit.mora >= offset.moras}
    return apply_tones(phones, tones)


def list_mora_offsets(phones: Phones, overrides: Overrides, offset: LineOffset) -> tuple[float, ...]:
    """Return by how many semitones the user moved each mora of a sentence; nothing where all stay as they are."""
    moved = {edit.mora - offset.moras: edit.pitch for edit in overrides.moras if edit.pitch}
    offsets = tuple(moved.get(mora, 0.0) for mora in range(count_moras(phones.phones)))
    return offsets if any(offsets) else ()


def build_frame_targets(
    phones: Phones,
    edges: Int64,
    overrides: Overrides,
    pauses: Mapping[str, float],
    offset: LineOffset,
    length_scale: float,
    voice: VoiceTraits,
) -> list[FrameTarget]:
    """Return stretches of symbols whose length the user fixed; `edges` as `PhoneIds.edges` gives them.

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
            targets.append(_build_target(edges[index], edges[last + 1], mora_s[mora], voice))
        elif mark != NO_INDEX and mark in mark_s:
            targets.append(_build_target(edges[index], edges[index + 1], mark_s[mark], voice))
        elif mark != NO_INDEX and phone in pauses:
            continues = marks[index - 1] != NO_INDEX
            length_s = 0.0 if continues else pauses[phone] * length_scale
            targets.append(_build_target(edges[index], edges[index + 1], length_s, voice))
    return targets


def list_phrase_endings(phones: Phones, edges: Int64, voice: VoiceTraits) -> list[PhraseEnding]:
    """Return the last symbol before each pause, for a voice that lets it last into the pause; `edges` as `PhoneIds.edges` gives them."""
    longest = voice.architecture.longest_ending_frames
    if longest is None:
        return []
    sounds = [mora != NO_INDEX for mora in map_phones_to_moras(phones.phones)]
    pauses = [index for index in range(1, len(sounds)) if sounds[index - 1] and not sounds[index]]
    return [PhraseEnding(int(edges[index]) - 1, int(edges[index]), longest) for index in pauses]


def build_shape_targets(shape: Sequence[int | None], edges: Int64) -> list[FrameTarget]:
    """Return targets for whole phones whose frames are decided, by index; None leaves a phone to the voice."""
    places = zip(edges[:-1], edges[1:], shape, strict=True)
    return [FrameTarget(int(start), int(end), frames) for start, end, frames in places if frames is not None]


def count_phone_frames(timings: Sequence[PhoneTiming], voice: VoiceTraits) -> tuple[int, ...]:
    """Return the frames of each phone, computed from its timing."""
    frame_s = voice.hop_length / voice.sampling_rate
    # Rounding both ends, not the difference, recovers whole frames from seconds without a drifting sum.
    return tuple(round(timing.end_s / frame_s) - round(timing.start_s / frame_s) for timing in timings)


def _build_target(start: int, end: int, length_s: float, voice: VoiceTraits) -> FrameTarget:
    return FrameTarget(int(start), int(end), round(length_s * voice.sampling_rate / voice.hop_length))


def advance_timings(timings: Sequence[PhoneTiming], lead_s: float) -> tuple[PhoneTiming, ...]:
    """Return the timings with each border between phones so much earlier; the sentence begins and ends as before."""
    if not lead_s or not timings:
        return tuple(timings)
    borders = [timings[0].start_s, *(max(timings[0].start_s, item.end_s - lead_s) for item in timings[:-1]), timings[-1].end_s]
    return tuple(replace(item, start_s=start, end_s=end) for item, start, end in zip(timings, borders[:-1], borders[1:], strict=True))


def build_phone_timings(phones: Phones, edges: Int64, frames: Int64, voice: VoiceTraits) -> tuple[PhoneTiming, ...]:
    """Return the start and end of each phone within the sentence; the frames of a blank belong to the phone before it."""
    bounds = np.concatenate(([0], np.cumsum(frames)))[edges] * (voice.hop_length / voice.sampling_rate)
    return tuple(
        PhoneTiming(phone, tone, float(start), float(end))
        for phone, tone, start, end in zip(phones.phones, phones.tones, bounds[:-1], bounds[1:], strict=True)
    )
