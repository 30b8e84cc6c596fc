"""Finds the sole winner of a test that has ended, and applies its settings to the lines or to their character."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from app.audition.blind_test import BlindTest
from app.audition.blind_test_result import MushraResult, compute_blind_test_result
from app.audition.listening_statistics import PreferenceResult, Ranking, find_sole_first
from app.core.script.characters import CHARACTER_FIELDS, recast_character
from app.core.script.project import LineTake
from app.core.script.script import CAST_FIELDS, Character, Script, change_settings


def find_winner(test: BlindTest) -> int | None:
    """Return the column that came first alone, significantly or not; None for a tie, for ABX, for ratings that do
    not count, and for a test without a result, or of one sound.
    """
    result = compute_blind_test_result(test)
    if isinstance(result, PreferenceResult):
        return None if result.first == result.second else int(result.second > result.first)
    if isinstance(result, MushraResult):
        counts = len(result.ranks) > 1 and result.knows_reference and result.knows_anchor
        return find_sole_first(result.ranks) if counts else None
    return find_sole_first(result.ranks) if isinstance(result, Ranking) else None


def list_column_takes(sounds: Sequence[Sequence[str]], column: int, takes: Iterable[LineTake]) -> tuple[LineTake, ...]:
    """Return the takes that a column of a plan was made of, one for each line; lines whose takes are gone are left out.

    A line is known by all of its sounds: two lines may share one of them.
    """
    by_sound: dict[str, dict[str, LineTake]] = {}
    for take in takes:
        by_sound.setdefault(take.sound, {}).setdefault(take.line, take)
    take_by_line: dict[str, LineTake] = {}
    for row in sounds:
        lines = (line for line in by_sound.get(row[column], {}) if all(line in by_sound.get(sound, {}) for sound in row))
        line = next((line for line in lines if line not in take_by_line), None)
        if line is not None:
            take_by_line[line] = by_sound[row[column]][line]
    return tuple(take_by_line.values())


def apply_take_settings(script: Script, takes: Iterable[LineTake]) -> Script:
    """Return the script with the lines of these takes speaking as the takes do; texts and readings stay, and the seed is locked, or they would sound otherwise."""
    settings_by_line = {take.line: replace(take.settings, seed_locked=True) for take in takes}
    lines = tuple(replace(line, settings=settings_by_line[line.id]) if line.id in settings_by_line else line for line in script.lines)
    return replace(script, lines=lines)


def find_sole_character(script: Script, line_ids: Collection[str]) -> Character | None:
    """Return the character who speaks all of these lines, or None; lines that are gone do not count."""
    wanted_ids = frozenset(line_ids)
    speaking = {line.character for line in script.lines if line.id in wanted_ids}
    return script.find_character(speaking.pop()) if len(speaking) == 1 else None


def list_winning_values(columns: Sequence[Sequence[LineTake]], winner: int) -> dict[str, Any]:
    """Return the settings in which the columns of a test differ, with the winner's values, by name.

    A setting counts only where the winner has the same one on all lines: what differs from line to line is the line's own. Voice, speaker and
    style belong together.
    """
    takes = columns[winner]
    winner_settings = {take.line: take.settings for take in takes}
    other_takes = [take for index, column in enumerate(columns) if index != winner for take in column if take.line in winner_settings]
    compared = {
        name
        for name in CHARACTER_FIELDS
        for take in other_takes
        if getattr(take.settings, name) != getattr(winner_settings[take.line], name)
    }
    compared |= set(CAST_FIELDS) if compared & set(CAST_FIELDS) else set()
    agreed = {name for name in compared if all(getattr(take.settings, name) == getattr(takes[0].settings, name) for take in takes)}
    agreed -= set() if agreed.issuperset(CAST_FIELDS) else set(CAST_FIELDS)
    return {name: getattr(takes[0].settings, name) for name in CHARACTER_FIELDS if name in agreed}


def apply_to_character(script: Script, character_id: str, values: Mapping[str, Any], line_ids: Collection[str]) -> Script:
    """Give a character these settings. Its lines follow but for their deviations; those that were compared take them even where they deviate."""
    settings = {name: value for name, value in values.items() if name in CHARACTER_FIELDS}
    script = recast_character(script, character_id, settings)
    own_ids = {line.id for line in script.lines if line.character == character_id}
    return change_settings(script, own_ids.intersection(line_ids), **settings) if settings else script
