"""Makes a cast of the voices that lines have already."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from app.core.script.characters import CastBuilder
from app.core.script.script import Character, LineSettings, Script


def create_cast_of_voices(script: Script, name_voice: Callable[[LineSettings], str]) -> Script:
    """Give each line without a character one that is called after its voice; no line sounds otherwise than before.

    Args:
        name_voice: the name of the voice and speaker of settings.
    """
    builder = CastBuilder(script.cast)
    found: dict[tuple[str, str], Character] = {}
    for line in script.lines:
        settings = line.settings
        if not line.character and (key := (settings.voice, settings.speaker)) not in found and not builder.is_full:
            found[key] = builder.add_character(name_voice(settings), settings)
    lines = tuple(
        line
        if line.character or (one := found.get((line.settings.voice, line.settings.speaker))) is None
        else replace(line, character=one.id)
        for line in script.lines
    )
    return replace(script, lines=lines, cast=builder.cast)
