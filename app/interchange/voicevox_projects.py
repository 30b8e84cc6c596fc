"""Projects of VOICEVOX (`.vvproj`) and AivisSpeech (`.aisp`), of every version.

Of their morae those count that were edited by hand, and how far from what the voice would have said. The editor moves pitches and lengths in
steps of 0.01, while its engines predict numbers of many digits: what has two decimals among those was set by hand. Where a line has no such
numbers, another program wrote it, and only its pitches can be compared: each with the others of its tone.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median
from typing import Any

import numpy as np

from app.common.errors import InputError
from app.common.files.untrusted_json import parse_json, require_number, sanitise_long_text
from app.common.language import localize
from app.core.script.script import LineSettings
from app.core.sound.line_edits import SHORTEST_MORA_S
from app.core.synthesis_types import MORA_PITCH_BOUNDS, PAUSE_BOUNDS
from app.core.text.pronunciation import compute_phrase_heights, convert_to_katakana
from app.core.text.text_lines import MAX_LINE_CHARACTERS
from app.interchange.imported_script import (
    MAX_MORA_CHARS,
    MAX_MORAS_PER_LINE,
    MAX_PHRASE_MORAS,
    MAX_PHRASES_PER_LINE,
    ImportedPhrase,
    ImportedScript,
    ImportedScriptBuilder,
    check_line_count,
)
from app.interchange.voicevox_query_fields import (
    AIVISSPEECH,
    ENGINE_NAMES,
    VOICEVOX,
    find_item_voice,
    find_talk_items,
    has_song,
    parse_query_settings,
)
from app.interchange.voicevox_styles import find_style_name

MAX_VVPROJ_VALUES = 4_000_000  # a line of 30 morae has some 250 values
MAX_GIVEN_PITCH, MAX_GIVEN_LENGTH_S = 20.0, 30.0  # VOICEVOX's editor has pitches of 3 to 6.5 and lengths of up to 0.3 s
DEFAULT_ENGINE_BY_SUFFIX = {".vvproj": VOICEVOX, ".aisp": AIVISSPEECH}
_KATAKANA = re.compile("[ァ-ヺー]+")  # AivisSpeech has marks among the morae
VVPROJ_PARSE_ERRORS = (ValueError, TypeError, KeyError, AttributeError, RecursionError)

EDITOR_STEPS = 100  # in a unit of pitch or length
STEP_TOLERANCE = 2e-7  # as much as single precision loses
# Semitones from the estimate: below, nobody hears the difference from how the estimate errs; morae of one tone differ by more.
LEAST_PITCH_EDIT, LEAST_PITCH_EDIT_WITHOUT_STEPS = 0.5, 1.0
TONE_STEP = 0.25  # between a high mora and a low one, roughly, in VOICEVOX's unit
_SEMITONES_PER_UNIT = 12 / math.log(2)


def read_vvproj(name: str, suffix: str, data: bytes) -> ImportedScript:
    """Read a project; drop and name unusable values, alone or with their line. Raises InputError for another format or far too much."""
    builder = ImportedScriptBuilder(name)
    try:
        project = parse_json(data, most_values=MAX_VVPROJ_VALUES, is_lenient=True)
        if not isinstance(project, dict):
            raise ValueError("no object")
        keys, items = find_talk_items(project)
    except VVPROJ_PARSE_ERRORS as exc:
        raise InputError(
            localize(f"「{name}」を開けません。", f"“{name}” cannot be opened."),
            localize(
                "VOICEVOX や AivisSpeech のプロジェクトではないか、壊れています。",
                "It is not a VOICEVOX or AivisSpeech project, or it is damaged.",
            ),
        ) from exc
    check_line_count(name, len(keys))
    read_keys = set[str]()
    for number, key in enumerate(keys, 1):
        item = items.get(key) if isinstance(key, str) else None
        if not isinstance(item, dict) or not isinstance(item.get("text"), str):
            builder.losses.add_line(number, "壊れた行", "damaged lines")
        elif key in read_keys:
            # Neither program repeats a key, but a small file could ask for one line without end.
            builder.losses.add_line(number, "同じ行の繰り返し", "repetitions of a line")
        else:
            read_keys.add(key)
            _add_item(_ImportedLine(builder, number), key, item, DEFAULT_ENGINE_BY_SUFFIX.get(suffix, VOICEVOX))
    if has_song(project):
        builder.losses.add_sentence(localize("ソングは読み込みませんでした。", "Not imported: songs."))
    return builder.build_script()


@dataclass(frozen=True, slots=True)
class _ImportedLine:
    """A line that is read; `number` is its place in the file, from 1."""

    builder: ImportedScriptBuilder
    number: int

    def add_loss(self, ja: str, en: str) -> None:
        """Record a part of this line that cannot be used."""
        self.builder.losses.add_line(self.number, ja, en)


def _add_item(line: _ImportedLine, key: str, item: Mapping[str, Any], default_engine: str) -> None:
    text = " ".join(sanitise_long_text(item["text"]).split("\n"))
    if not text:
        return
    voice = None
    try:
        voice = find_item_voice(item, default_engine)
    except ValueError:
        line.add_loss("正しくない声の指定", "voices that are not valid")
    engine, voice_key = voice[0] if voice else default_engine, ""
    if voice:
        maker = {VOICEVOX: "VOICEVOX", AIVISSPEECH: "AivisSpeech"}.get(engine, "")
        label = localize(f"{maker or 'ほかのエンジン'}のスタイル {voice[1]}", f"{maker or 'other engine'} style {voice[1]}")
        label = (find_style_name(str(voice[1])) if engine == VOICEVOX else "") or label
        voice_key = line.builder.name_voice(f"{ENGINE_NAMES.get(engine, engine[:8])}:{voice[1]}", label)
    values: dict[str, Any] = {}
    spoken: tuple[ImportedPhrase, ...] = ()
    query = item.get("query")
    if isinstance(query, dict):
        values = parse_query_settings(query, engine, line.builder.losses, line.add_loss)
        spoken = _parse_phrases(query, engine, values.get("speed", 1.0), line) if len(text) <= MAX_LINE_CHARACTERS else ()
    elif query is not None:
        line.add_loss("正しくない話し方の設定", "settings that are not valid")
    if item.get("morphingInfo"):
        line.builder.losses.add_lines("モーフィング", "morphing")
    line.builder.add_line(text, LineSettings(voice=voice_key, memos=True, **values), key, spoken)


def _parse_phrases(query: Mapping[str, Any], engine: str, speed: float, line: _ImportedLine) -> tuple[ImportedPhrase, ...]:
    """Parse the accent phrases. The lengths that AivisSpeech writes are invented after synthesis, so they are ignored."""
    has_lengths = engine != AIVISSPEECH
    items = query.get("accentPhrases") or ()
    try:
        # Before any is built.
        mora_count = sum(len(phrase["moras"]) for phrase in items)
        if len(items) > MAX_PHRASES_PER_LINE or mora_count > MAX_MORAS_PER_LINE:
            raise ValueError("phrases")
        line.builder.allowance.take_items("phrases", len(items))
        line.builder.allowance.take_items("moras", mora_count)
        scale = query.get("pauseLengthScale") if has_lengths else 0.0
        factor = (1.0 if scale is None else require_number(scale)) / speed
        phrases = tuple(_parse_phrase(phrase, factor) for phrase in items)
    except VVPROJ_PARSE_ERRORS:
        line.add_loss("正しくない読みとアクセント", "readings and accents that are not valid")
        return ()
    try:
        moras_by_phrase = [
            _read_given_moras(number, phrase, parsed, has_lengths)
            for number, (phrase, parsed) in enumerate(zip(items, phrases, strict=True))
        ]
    except VVPROJ_PARSE_ERRORS:
        line.add_loss("使用できない値（モーラごとの音高と長さ）", "values that cannot be used (pitch and length of single morae)")
    else:
        phrases = tuple(_add_mora_edits(phrases, moras_by_phrase, speed, line))
    return tuple(phrase for phrase in phrases if phrase.moras)


@dataclass(frozen=True, slots=True)
class GivenMora:
    """One mora as a query has it."""

    phrase: int  # index of its accent phrase in the line
    tone: int  # 0 low, 1 high
    pitch: float  # logarithm of Hz; 0 or less is unvoiced
    lengths_s: tuple[float, ...]  # of its phones, at speed 1


def find_pitch_offsets(moras: Sequence[GivenMora]) -> list[float | None]:
    """Return by how many semitones each mora of a line was moved; None for one that was not."""
    voiced = [index for index, mora in enumerate(moras) if mora.pitch > 0]
    edited = [index for index in voiced if _is_step(moras[index].pitch)]
    offsets: list[float | None] = [None] * len(moras)
    if not edited:
        return offsets
    if predicted := sorted(set(voiced) - set(edited)):
        expected, least = _interpolate_pitches(moras, predicted), LEAST_PITCH_EDIT
    else:
        expected, least = _compute_tone_medians(moras, voiced), LEAST_PITCH_EDIT_WITHOUT_STEPS
    for index in edited:
        semitones = (moras[index].pitch - expected[index]) * _SEMITONES_PER_UNIT
        if abs(semitones) >= least:
            offsets[index] = round(min(MORA_PITCH_BOUNDS.high, max(MORA_PITCH_BOUNDS.low, semitones)), 2)
    return offsets


def find_length_edits(moras: Sequence[GivenMora], speed: float) -> list[float | None]:
    """Return the seconds in the sound of each mora of a line whose length was set; None for the others, and wherever nobody knows."""
    if all(_is_step(length_s) for mora in moras for length_s in mora.lengths_s):
        return [None] * len(moras)
    return [
        round(min(PAUSE_BOUNDS.high, max(SHORTEST_MORA_S, sum(mora.lengths_s) / speed)), 3) if any(map(_is_step, mora.lengths_s)) else None
        for mora in moras
    ]


def _is_step(value: float) -> bool:
    return abs(value * EDITOR_STEPS - round(value * EDITOR_STEPS)) < STEP_TOLERANCE * EDITOR_STEPS


def _interpolate_pitches(moras: Sequence[GivenMora], predicted: Sequence[int]) -> list[float]:
    """Return what the voice would have said for each mora: between the predictions of its tone in its phrase, else in the line."""
    pitches = np.array([mora.pitch for mora in moras])
    expected = np.array(_compute_tone_medians(moras, predicted))
    predicted_set = set(predicted)
    # The stretches of phrases come last and win.
    for group_of in (lambda mora: mora.tone, lambda mora: (mora.phrase, mora.tone)):
        groups: dict[object, list[int]] = {}
        for index, mora in enumerate(moras):
            groups.setdefault(group_of(mora), []).append(index)
        for group in groups.values():
            if near := [index for index in group if index in predicted_set]:
                expected[group] = np.interp(group, near, pitches[near])
    return [float(pitch) for pitch in expected]


def _compute_tone_medians(moras: Sequence[GivenMora], indexes: Sequence[int]) -> list[float]:
    """Return for each mora the median pitch of the known ones of its tone in the line; where there are none, it follows from the other tone."""
    by_tone = {tone: [moras[index].pitch for index in indexes if moras[index].tone == tone] for tone in (0, 1)}
    low, high = (median(pitches) if pitches else None for pitches in by_tone.values())
    steps = {0: (high or 0.0) - TONE_STEP if low is None else low, 1: (low or 0.0) + TONE_STEP if high is None else high}
    return [steps[mora.tone] for mora in moras]


def _add_mora_edits(
    phrases: Sequence[ImportedPhrase], moras_by_phrase: Sequence[Sequence[GivenMora]], speed: float, line: _ImportedLine
) -> Iterator[ImportedPhrase]:
    moras = [mora for phrase in moras_by_phrase for mora in phrase]
    lengths = [length_s for mora in moras for length_s in mora.lengths_s]
    if any(lengths) and all(map(_is_step, lengths)):  # nobody knows whether they were set by hand
        line.builder.losses.add_lines("モーラごとの長さ（声が決めます）", "length of single morae (the voice decides)")
    pitches, lengths_s = find_pitch_offsets(moras), find_length_edits(moras, speed)
    start = 0
    for phrase in phrases:
        end = start + len(phrase.moras)
        own_pitches, own_lengths = (
            tuple(values[start:end]) if any(value is not None for value in values[start:end]) else () for values in (pitches, lengths_s)
        )
        yield replace(phrase, pitches=own_pitches, lengths_s=own_lengths)
        start = end


def _parse_phrase(phrase: Mapping[str, Any], pause_factor: float) -> ImportedPhrase:
    moras = phrase["moras"]
    if not isinstance(moras, list) or len(moras) > MAX_PHRASE_MORAS:
        raise ValueError("moras")
    if any(len(mora["text"]) > MAX_MORA_CHARS for mora in moras):
        raise ValueError("a mora")
    kana = tuple(text for mora in moras if (text := _read_kana(mora)))
    accent = require_number(phrase["accent"])
    pause = phrase.get("pauseMora")
    length = None if pause is None else require_number(pause.get("vowelLength", 0.0)) * pause_factor
    if length is not None:
        length = min(PAUSE_BOUNDS.high, max(PAUSE_BOUNDS.low, length))
    return ImportedPhrase(kana, min(len(kana), max(0, int(accent))), length)


def _read_kana(mora: Mapping[str, Any]) -> str:
    """Return the katakana of a mora, or "" for what is none."""
    text = convert_to_katakana(sanitise_long_text(mora["text"]))
    return text if _KATAKANA.fullmatch(text) else ""


def _read_given_moras(number: int, phrase: Mapping[str, Any], parsed: ImportedPhrase, has_lengths: bool) -> list[GivenMora]:
    """Return the pitches and lengths of the morae that are kana; raise ValueError for a value that no program writes."""
    moras = [mora for mora in phrase["moras"] if len(phrase["moras"]) == len(parsed.moras) or _read_kana(mora)]
    names = ("consonantLength", "vowelLength") if has_lengths else ()
    result = []
    for mora, tone in zip(moras, compute_phrase_heights(len(parsed.moras), parsed.accent), strict=True):
        pitch = _read_bounded_number(mora, "pitch", MAX_GIVEN_PITCH)
        lengths_s = [_read_bounded_number(mora, name, MAX_GIVEN_LENGTH_S) for name in names]
        result.append(GivenMora(number, tone, pitch or 0.0, tuple(length_s for length_s in lengths_s if length_s is not None)))
    return result


def _read_bounded_number(mora: Mapping[str, Any], name: str, maximum: float) -> float | None:
    if (value := mora.get(name)) is None:
        return None
    number = require_number(value)
    if abs(number) > maximum:
        raise ValueError(name)
    return number
