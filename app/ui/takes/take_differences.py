"""Describes in words how a take differs from its line."""

from __future__ import annotations

from collections.abc import Callable

from app.common.language import localize
from app.core.request_limits import BOUNDS
from app.core.script import CAST_FIELDS, Character, Line, LineSettings
from app.core.takes import LineTake
from app.ui.display_names import format_speaker, format_style


def list_differences(
    take: LineTake, line: Line, find_voice_name: Callable[[str], str], character: Character | None = None
) -> tuple[str, ...]:
    """List the differences with the take's values; the seed is left out, as it has a column of its own.

    Nothing says whether a take with another voice, speaker or style comes from before its character was recast or from a deviation of the line
    that is gone, so it is only said that neither the line nor its character is spoken so.

    Args:
        find_voice_name: returns the displayed name of a voice id.
        character: of the line; None where it has none.
    """
    then, now = take.settings, line.settings
    found: list[str] = []
    if character is not None and not _is_same_cast(then, now) and not _is_same_cast(then, character.settings):
        found.append(localize("今の配役と異なる", "not the present cast"))
    if take.text != line.text:
        found.append(localize("テキスト", "text"))
    if take.overrides != line.overrides:
        found.append(localize("読みとアクセント", "reading and accent"))
    if then.voice != now.voice:
        found.append(localize(f"声 {find_voice_name(then.voice)}", f"voice {find_voice_name(then.voice)}"))
    first = localize("（先頭）", "(first)")
    if then.speaker != now.speaker:
        found.append(localize("話者", "speaker") + f" {format_speaker(then.speaker) or first}")
    if then.style != now.style:
        found.append(localize("スタイル", "style") + f" {format_style(then.style) or first}")
    found += [f"{BOUNDS[name].label} {value:g}" for name in BOUNDS if (value := getattr(then, name)) != getattr(now, name)]
    if then.pauses != now.pauses:
        found.append(localize("間の長さ", "pauses"))
    if then.assist_text != now.assist_text:
        found.append(localize("アシストテキスト", "assist text"))
    if then.memos != now.memos:
        found.append(localize("メモの扱い", "memos"))
    return tuple(found)


def _is_same_cast(one: LineSettings, other: LineSettings) -> bool:
    return all(getattr(one, name) == getattr(other, name) for name in CAST_FIELDS)
