"""A line of a project as agents read and shape it: words, phrases, morae and pauses counted as edits count them, and the edits in their arguments."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.script import Line
from app.core.sound.line_edits import (
    find_occurrences,
    find_phrase,
    list_phrases,
    may_toggle_phrase,
    name_counted_text,
    reset_phrase,
    set_accent,
    set_mora_pitches,
    set_pause_length,
    set_word_reading,
    toggle_phrase,
)
from app.core.sound.line_reading import LineReading, LineWord
from app.core.synthesis_types import MORA_PITCH_BOUNDS, PAUSE_BOUNDS, Overrides, ReadingOverride
from app.core.text.text_lines import MAX_LINE_CHARACTERS
from app.service.agents.tool_arguments import (
    MAX_NAME_CHARS,
    Schema,
    build_array_schema,
    build_index_schema,
    build_number_schema,
    build_object_schema,
    build_text_schema,
)

MAX_EDITS = 500  # of one kind in one call

LINE_EDITS: dict[str, Schema] = {
    "readings": build_array_schema(
        MAX_EDITS,
        build_object_schema(
            {
                "word": build_text_schema(MAX_NAME_CHARS, description="A word of `read_line`"),
                "kana": {
                    "type": "string",
                    "maxLength": MAX_NAME_CHARS,
                    "description": "Its reading in kana, or of an English word in ARPABET; empty for Koebako's own",
                },
                "occurrence": build_index_schema(MAX_LINE_CHARACTERS, "Which one, from 0, where the word occurs more than once"),
            },
            "word",
            "kana",
        ),
    ),
    "accents": build_array_schema(
        MAX_EDITS,
        build_object_schema(
            {
                "mora": build_index_schema(description="A mora of the accent phrase, from 0"),
                "accent": build_index_schema(description="The mora of the phrase after which the pitch falls, from 1; 0 for never"),
                "begins_phrase": {"type": "boolean", "description": "Whether a phrase begins with the mora"},
            },
            "mora",
        ),
        "With a mora alone, its phrase gets Koebako's own accent again. Readings are set before accents, pauses and melody.",
    ),
    "pauses": build_array_schema(
        MAX_EDITS,
        build_object_schema(
            {
                "pause": build_index_schema(description="Which pause of `read_line`, from 0"),
                "seconds": build_number_schema(PAUSE_BOUNDS, "Without, the voice decides"),
            },
            "pause",
        ),
    ),
    "melody": build_array_schema(
        MAX_EDITS,
        build_object_schema(
            {
                "mora": build_index_schema(description="Counted over the line, from 0"),
                "semitones": build_number_schema(MORA_PITCH_BOUNDS, "Up or down from the voice's own pitch; 0 for that"),
            },
            "mora",
            "semitones",
        ),
    ),
}

ReadAgain = Callable[[tuple[ReadingOverride, ...] | None, Overrides], tuple[LineReading, Overrides]]
"""Reads the line with these edits, or with other readings to which they are moved; raises InputError for readings that are no kana."""


def apply_line_edits(line: Line, values: Mapping[str, Any], read_again: ReadAgain) -> Line:
    """Return the line with an agent's edits: the readings first, as the others count morae. Raise InputError for what the line does not have."""
    reading, overrides = read_again(None, line.overrides)
    for item in values.get("readings", ()):
        word = _find_word(reading, item["word"], item.get("occurrence"))
        reading, overrides = read_again(set_word_reading(reading, word, item["kana"].strip()), overrides)
    for item in values.get("accents", ()):
        overrides = _apply_accent(reading, overrides, item)
    for item in values.get("pauses", ()):
        _check_index("pause", item["pause"], len(reading.marks))
        overrides = set_pause_length(overrides, item["pause"], item.get("seconds"))
    for item in values.get("melody", ()):
        _check_index("mora", item["mora"], len(reading.moras))
        overrides = set_mora_pitches(overrides, {item["mora"]: item["semitones"] or None})
    is_plain = not (overrides.readings or overrides.moras or overrides.pauses or overrides.phrases)
    counted = Overrides() if is_plain else name_counted_text(overrides, reading)
    return replace(line, overrides=counted)


def describe_reading(reading: LineReading, overrides: Overrides) -> dict[str, Any]:
    """Return how a line is read, with the edits that it has, as plain data."""
    kana = [mora.kana for mora in reading.moras]
    phrases, pauses = list_phrases(reading, overrides), {edit.mark: edit.length_s for edit in overrides.pauses}
    return {
        "kana": "".join(kana),
        "words": [_describe_word(reading, word, kana) for word in reading.words if word.first_mora < word.end_mora],
        "phrases": [
            {"mora": phrase.start, "kana": "".join(kana[phrase.start : phrase.end]), "accent": phrase.accent} for phrase in phrases
        ],
        "moras": kana,
        "pauses": [
            {"pause": index, "mark": mark.phone, "moras_before": mark.moras_before}
            | ({"seconds": pauses[index]} if index in pauses else {})
            for index, mark in enumerate(reading.marks)
        ],
        "melody": [{"mora": edit.mora, "semitones": edit.pitch} for edit in overrides.moras if edit.pitch is not None],
        "is_complete": reading.is_complete,
    }


def _describe_word(reading: LineReading, word: LineWord, kana: list[str]) -> dict[str, Any]:
    described = {
        "word": reading.text[word.start : word.end],
        "kana": "".join(kana[word.first_mora : word.end_mora]),
        "mora": word.first_mora,
    }
    return described | ({"other_reading": word.other_reading} if word.other_reading else {})


def _find_word(reading: LineReading, surface: str, occurrence: int | None) -> LineWord:
    """Return the only word with this text, or that of the number; raise InputError."""
    words = [word for word in reading.words if reading.text[word.start : word.end] == surface]
    starts = find_occurrences(surface, reading.text)
    if occurrence is not None:
        words = [word for word in words if occurrence < len(starts) and word.start == starts[occurrence]]
    if not words:
        raise InputError(
            localize(f"この行に単語「{surface}」はありません。", f"The line has no word “{surface}”."),
            localize("read_line で単語を確認してください。", "See its words with `read_line`."),
        )
    if len(words) > 1:
        raise InputError(
            localize(f"この行に「{surface}」は {len(words)} 回あります。", f"“{surface}” occurs {len(words)} times in the line."),
            localize("occurrence で、0 から数えて指定してください。", "Choose one with `occurrence`, from 0."),
        )
    return words[0]


def _apply_accent(reading: LineReading, overrides: Overrides, item: Mapping[str, Any]) -> Overrides:
    mora, accent, begins = item["mora"], item.get("accent"), item.get("begins_phrase")
    _check_index("mora", mora, len(reading.moras))
    find_current = partial(find_phrase, mora=mora)
    if begins is not None and begins != (find_current(list_phrases(reading, overrides)).start == mora):
        if not may_toggle_phrase(reading, mora):
            raise InputError(
                localize("このモーラの前では、アクセント句を変更できません。", "Before this mora a phrase always begins."),
                localize(
                    "行の最初、記号の後、絵文字の前後は変わりません。",
                    "So it is at the start of a line, after a mark, before an emoji and after it.",
                ),
            )
        overrides = toggle_phrase(reading, overrides, mora)
    if accent is not None:
        phrase = find_current(list_phrases(reading, overrides))
        _check_index("accent", accent, phrase.end - phrase.start + 1)
        overrides = set_accent(reading, overrides, mora, accent)
    return reset_phrase(reading, overrides, mora) if accent is None and begins is None else overrides


def _check_index(name: str, index: int, count: int) -> None:
    if index >= count:
        raise InputError(
            localize(f"{name} は 0 以上 {count} 未満で指定してください。", f"`{name}` must be from 0 to less than {count}."),
            localize("read_line で確認してください。", "See `read_line`."),
        )
