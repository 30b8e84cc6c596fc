"""Outlines and times of lines as plain data for JSON, which restores them at the next start. A line of 10 s takes about 7 KB."""

import base64
from collections.abc import Iterable
from typing import Any

import numpy as np

from app.common.files.untrusted_json import require_int, require_list, require_number
from app.core.script.script import Line
from app.core.script.script_data import convert_line_to_data, parse_line
from app.core.sound.line_sound import PEAK_BIN_S, LineSound
from app.core.synthesis_types import PhoneTiming

LINE_SOUND_VERSION = 1
MAX_STORED_LINE_SOUNDS = 200
MAX_LINE_SOUND_S = 600.0  # the sounds of longer lines are not kept
MOST_SENTENCES, LONGEST_PHONE = 1_000, 8
PEAK_LEVELS = 255
MOST_PHONES, HIGHEST_PITCH_HZ, HIGHEST_RECIPE = 1 << 16, 2_000.0, 1 << 16


def convert_sounds_to_data(sounds: Iterable[tuple[Line, LineSound]]) -> dict[str, Any]:
    """Return the data that `parse_sounds` reads: the last `MAX_STORED_LINE_SOUNDS` lines, without very long ones."""
    short = [item for item in sounds if item[1].length_s <= MAX_LINE_SOUND_S]
    return {
        "version": LINE_SOUND_VERSION,
        "lines": [_convert_sound_to_data(line, sound) for line, sound in short[-MAX_STORED_LINE_SOUNDS:]],
    }


def parse_sounds(data: object) -> list[tuple[Line, LineSound]]:
    """Return the lines as they sounded, an unlocked seed included. Raises ValueError for data this version could not have written."""
    if not isinstance(data, dict) or data.get("version") != LINE_SOUND_VERSION:
        raise ValueError("no sounds")
    return [_parse_sound(item) for item in require_list(data.get("lines"), MAX_STORED_LINE_SOUNDS)]


def _convert_sound_to_data(line: Line, sound: LineSound) -> dict[str, Any]:
    levels = np.round(np.clip(sound.peaks, 0, 1) * PEAK_LEVELS).astype(np.uint8)
    sentences = [
        [index, start_s, [[item.phone, item.tone, round(item.start_s, 5), round(item.end_s, 5)] for item in phones]]
        for index, (start_s, phones) in sound.sentences.items()
    ]
    return {
        "line": convert_line_to_data(line),
        "length_s": sound.length_s,
        "spoken_s": sound.spoken_s,
        "recipe": sound.recipe,
        "peaks": base64.b64encode(levels.tobytes()).decode("ascii"),
        "sentences": sentences,
        "pitches_hz": [None if pitch is None else round(pitch, 1) for pitch in sound.pitches_hz],
    }


def _parse_sound(data: object) -> tuple[Line, LineSound]:
    if not isinstance(data, dict) or not isinstance(data.get("peaks"), str):
        raise ValueError("a sound")
    line = parse_line(data.get("line"))
    levels = np.frombuffer(base64.b64decode(data["peaks"], validate=True), np.uint8)
    if len(levels) > MAX_LINE_SOUND_S / PEAK_BIN_S + 1:
        raise ValueError("too long")
    sentences: dict[int, tuple[float, tuple[PhoneTiming, ...]]] = {}
    for item in require_list(data.get("sentences"), MOST_SENTENCES):
        index, start_s, phones = require_list(item, 3)
        timings = tuple(map(_parse_phone, require_list(phones, MOST_PHONES)))
        sentences[require_int(index, 0, MOST_SENTENCES)] = _parse_seconds(start_s), timings
    sound = LineSound.from_peaks(f"remembered {line.id}", (levels / np.float32(PEAK_LEVELS)).astype(np.float32), sentences)
    sound.length_s, sound.spoken_s = _parse_seconds(data.get("length_s")), _parse_seconds(data.get("spoken_s"))
    sound.recipe = require_int(data.get("recipe", 1), 0, HIGHEST_RECIPE)  # versions that wrote none knew of one
    # Versions that measured no pitches have written none.
    sound.pitches_hz = tuple(map(_parse_pitch, require_list(data.get("pitches_hz", []), MOST_PHONES)))
    return line, sound


def _parse_pitch(value: object) -> float | None:
    if value is None:
        return None
    pitch = require_number(value)
    if not 0 < pitch <= HIGHEST_PITCH_HZ:
        raise ValueError("a pitch")
    return pitch


def _parse_phone(data: object) -> PhoneTiming:
    phone, tone, start_s, end_s = require_list(data, 4)
    if not isinstance(phone, str) or len(phone) > LONGEST_PHONE:
        raise ValueError("a phone")
    return PhoneTiming(phone, require_int(tone, 0, 1), _parse_seconds(start_s), _parse_seconds(end_s))


def _parse_seconds(value: object) -> float:
    seconds = require_number(value)
    if not 0 <= seconds <= MAX_LINE_SOUND_S:
        raise ValueError("seconds")
    return seconds
