"""Warnings about a script: voices that are missing, lines without text, and readings that are in doubt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from app.common.language import localize
from app.core.script.script import Line, Script

MAX_WARNINGS, MAX_NAMED_WORDS = 1_000, 4


@dataclass(frozen=True, slots=True)
class ScriptWarning:
    """Something to look at.

    Attributes:
        text: what is the matter, for people.
        line_id: the line to go to; empty where there is none.
        character_id: the character to go to; empty for a matter of the line itself.
    """

    text: str
    line_id: str = ""
    character_id: str = ""


def list_script_warnings(script: Script, is_missing: Callable[[str], bool], find_voice_name: Callable[[str], str]) -> list[ScriptWarning]:
    """Return the warnings of a script, those of characters first; at most MAX_WARNINGS.

    A line that shares its character's missing voice has no warning of its own.
    """
    used = {line.settings.voice for line in script.lines} | {one.settings.voice for one in script.cast}
    missing = {voice: find_voice_name(voice) or localize("不明な声", "unknown voice") for voice in used if is_missing(voice)}
    first = {line.character: line.id for line in reversed(script.lines)}
    cast = {one.id: one for one in script.cast}
    found = [
        ScriptWarning(_describe_missing(one.name, missing[one.settings.voice]), first.get(one.id, ""), one.id)
        for one in script.cast
        if one.settings.voice in missing
    ]
    for number, line in enumerate(script.lines, 1):
        if len(found) >= MAX_WARNINGS:
            break
        voice, character = line.settings.voice, cast.get(line.character)
        if voice in missing and (character is None or character.settings.voice != voice):
            found.append(ScriptWarning(_describe_missing(_name_place(number), missing[voice]), line.id))
        elif not line.text.strip():
            place = _name_place(number)
            found.append(ScriptWarning(localize(f"{place}: テキストが空です。", f"{place}: the text is empty."), line.id))
    return found[:MAX_WARNINGS]


def list_reading_warnings(script: Script, find_doubts: Callable[[Line], Sequence[tuple[str, str]]]) -> list[ScriptWarning]:
    """Return a warning for each line with a word whose reading is in doubt; at most MAX_WARNINGS."""
    found: list[ScriptWarning] = []
    for number, line in enumerate(script.lines, 1):
        if len(found) >= MAX_WARNINGS:
            break
        if words := find_doubts(line):
            listed = localize("、", ", ").join(f"{surface} → {other}" for surface, other in words[:MAX_NAMED_WORDS])
            listed += " …" if len(words) > MAX_NAMED_WORDS else ""
            place = _name_place(number)
            found.append(
                ScriptWarning(
                    localize(f"{place}: 別の読みかもしれない単語があります。{listed}", f"{place}: other readings are possible: {listed}"),
                    line.id,
                )
            )
    return found


def _name_place(number: int) -> str:
    return localize(f"{number} 行目", f"Line {number}")


def _describe_missing(place: str, voice_name: str) -> str:
    return localize(f"{place}: 声「{voice_name}」が見つかりません。", f"{place}: the voice “{voice_name}” is missing.")
