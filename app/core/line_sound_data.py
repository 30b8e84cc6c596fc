"""Outlines and times of lines as plain data for JSON, so that they are there again at the next start. A line of 10 s takes about 7 KB."""

from __future__ import annotations

import base64
from collections.abc import Iterable
from typing import Any

import numpy as np

from app.core.line_sound import BIN_S, LineSound
from app.core.script import Line
from app.core.script_data import line_from_data, line_to_data
from app.core.types import PhoneTiming
from app.json_text import finite, whole

VERSION = 1
MOST_LINES = 200
LONGEST_S = 600.0  # of a line that is kept
MOST_SENTENCES, LONGEST_PHONE = 1_000, 8
LEVELS = 255


def sounds_to_data(sounds: Iterable[tuple[Line, LineSound]]) -> dict[str, Any]:
    """What `sounds_from_data` reads: of the last `MOST_LINES` lines, without very long ones."""
    short = [item for item in sounds if item[1].length_s <= LONGEST_S]
    return {"version": VERSION, "lines": [_to_data(line, sound) for line, sound in short[-MOST_LINES:]]}


def sounds_from_data(data: object) -> list[tuple[Line, LineSound]]:
    """Lines as they sounded, the locked seed or not included. Raises ValueError for what this version could not have written."""
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise ValueError("no sounds")
    return [_from_data(item) for item in _list(data.get("lines"), MOST_LINES)]


def _to_data(line: Line, sound: LineSound) -> dict[str, Any]:
    levels = np.round(np.clip(sound.peaks, 0, 1) * LEVELS).astype(np.uint8)
    sentences = [
        [index, start_s, [[item.phone, item.tone, round(item.start_s, 5), round(item.end_s, 5)] for item in phones]]
        for index, (start_s, phones) in sound.sentences.items()
    ]
    return {
        "line": line_to_data(line),
        "length_s": sound.length_s,
        "spoken_s": sound.spoken_s,
        "peaks": base64.b64encode(levels.tobytes()).decode("ascii"),
        "sentences": sentences,
    }


def _from_data(data: object) -> tuple[Line, LineSound]:
    if not isinstance(data, dict) or not isinstance(data.get("peaks"), str):
        raise ValueError("a sound")
    line = line_from_data(data.get("line"))
    levels = np.frombuffer(base64.b64decode(data["peaks"], validate=True), np.uint8)
    if len(levels) > LONGEST_S / BIN_S + 1:
        raise ValueError("too long")
    sentences = dict(_sentence(item) for item in _list(data.get("sentences"), MOST_SENTENCES))
    sound = LineSound.remembered(f"remembered {line.id}", (levels / np.float32(LEVELS)).astype(np.float32), sentences)
    sound.length_s, sound.spoken_s = _seconds(data.get("length_s")), _seconds(data.get("spoken_s"))
    return line, sound


def _sentence(data: object) -> tuple[int, tuple[float, tuple[PhoneTiming, ...]]]:
    index, start_s, phones = _list(data, 3)
    return whole(index, 0, MOST_SENTENCES), (_seconds(start_s), tuple(map(_phone, _list(phones, 1 << 16))))


def _phone(data: object) -> PhoneTiming:
    phone, tone, start_s, end_s = _list(data, 4)
    if not isinstance(phone, str) or len(phone) > LONGEST_PHONE:
        raise ValueError("a phone")
    return PhoneTiming(phone, whole(tone, 0, 1), _seconds(start_s), _seconds(end_s))


def _seconds(value: object) -> float:
    seconds = finite(value)
    if not 0 <= seconds <= LONGEST_S:
        raise ValueError("seconds")
    return seconds


def _list(data: object, most: int) -> list[Any]:
    if not isinstance(data, list) or len(data) > most:
        raise ValueError("a list")
    return data
