"""A voice that speaks for those that are missing, where somebody names one and nobody can be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from app.core.project import Character, Project
from app.core.script import Line
from app.interchange.assign import KnownVoice, choose, same_name
from app.language import localized

SHOWN = 5  # names of missing voices


@dataclass(frozen=True, slots=True)
class StoodIn:
    """A project whose missing voices have somebody who speaks for them.

    Attributes:
        counts: how many lines that are, by the name of the missing voice.
        name: of the voice that speaks, for people.
    """

    project: Project
    counts: Counter[str]
    name: str

    def sentence(self) -> str:
        """What was done; empty where nothing was."""
        lines = self.counts.total()
        if not lines:
            return ""
        names = ", ".join(list(self.counts)[:SHOWN]) + (", …" if len(self.counts) > SHOWN else "")
        return localized(
            f"声が見つからない {lines:,} 行には「{self.name}」を使います（{names}）。",
            f"“{self.name}” speaks {lines:,} {'line' if lines == 1 else 'lines'} whose voice is missing ({names}).",
        )


def with_stand_in(project: Project, voice: KnownVoice, is_here: Callable[[str], bool], kept: Collection[str] = ()) -> StoodIn:
    """Gives this voice to lines without one, and to those whose voice is missing.

    Args:
        kept: missing voices that stay missing.
    """
    lines = project.script.lines
    missing = {wanted for line in lines if (wanted := line.settings.voice) and wanted not in kept and not is_here(wanted)}
    shown = {reference.id: reference.name or reference.id for reference in project.voices}
    counts = Counter(shown.get(line.settings.voice, line.settings.voice) for line in lines if line.settings.voice in missing)
    speaks_for = {"", *missing}
    spoken = tuple(_spoken_by(line, voice) if line.settings.voice in speaks_for else line for line in lines)
    project = choose(project, {name: Character(name, voice.id) for name in missing})
    return StoodIn(replace(project, script=replace(project.script, lines=spoken)), counts, voice.name)


def _spoken_by(line: Line, voice: KnownVoice) -> Line:
    """Speaker and style of a missing voice are kept where this one has them, too."""
    settings = replace(line.settings, voice=voice.id)
    if line.settings.voice:
        if not any(same_name(speaker.name, settings.speaker) for speaker in voice.speakers):
            settings = replace(settings, speaker="")
        if not any(same_name(name, settings.style) for name in voice.styles):
            settings = replace(settings, style="")
    return replace(line, settings=settings)
