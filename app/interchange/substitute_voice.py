"""A voice that speaks for those that are missing, where somebody names one and nobody can be asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace

from app.common.language import localize
from app.core.script.project import Project, VoiceAssignment
from app.core.script.script import Line
from app.interchange.character_assignment import AssignableVoice, apply_choices, is_same_name

MAX_LISTED_SUBSTITUTED = 5  # names of missing voices


@dataclass(frozen=True, slots=True)
class SubstitutionResult:
    """A project whose missing voices have somebody who speaks for them.

    Attributes:
        counts: how many lines that are, by the name of the missing voice.
        name: of the voice that speaks, for people.
    """

    project: Project
    counts: Counter[str]
    name: str

    def describe_substitution(self) -> str:
        """Describe the substitution; empty where there was none."""
        lines = self.counts.total()
        if not lines:
            return ""
        names = ", ".join(list(self.counts)[:MAX_LISTED_SUBSTITUTED]) + (", …" if len(self.counts) > MAX_LISTED_SUBSTITUTED else "")
        return localize(
            f"声が見つからない {lines:,} 行には「{self.name}」を使います（{names}）。",
            f"“{self.name}” speaks {lines:,} {'line' if lines == 1 else 'lines'} whose voice is missing ({names}).",
        )


def substitute_missing_voices(
    project: Project, voice: AssignableVoice, is_available: Callable[[str], bool], kept: Collection[str] = ()
) -> SubstitutionResult:
    """Give this voice to lines without one, and to those whose voice is missing.

    Args:
        kept: missing voices that stay missing.
    """
    lines = project.script.lines
    missing = {wanted for line in lines if (wanted := line.settings.voice) and wanted not in kept and not is_available(wanted)}
    shown = {reference.id: reference.name or reference.id for reference in project.voices}
    counts = Counter(shown.get(line.settings.voice, line.settings.voice) for line in lines if line.settings.voice in missing)
    speaks_for = {"", *missing}
    spoken = tuple(_replace_voice(line, voice) if line.settings.voice in speaks_for else line for line in lines)
    project = apply_choices(project, {name: VoiceAssignment(name, voice.id) for name in missing})
    return SubstitutionResult(replace(project, script=replace(project.script, lines=spoken)), counts, voice.name)


def _replace_voice(line: Line, voice: AssignableVoice) -> Line:
    """Return the line with the voice; speaker and style of a missing voice are kept if this voice has them, too."""
    settings = replace(line.settings, voice=voice.id)
    if line.settings.voice:
        if not any(is_same_name(speaker.name, settings.speaker) for speaker in voice.speakers):
            settings = replace(settings, speaker="")
        if not any(is_same_name(name, settings.style) for name in voice.styles):
            settings = replace(settings, style="")
    return replace(line, settings=settings)
