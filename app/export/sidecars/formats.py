"""Which files can go beside a sound, and who writes each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.export.settings import Sidecar, Unit
from app.export.sidecars.ass import ass_text
from app.export.sidecars.json_file import json_text
from app.export.sidecars.lab import lab_text
from app.export.sidecars.subtitles import srt_text, vtt_text
from app.export.sidecars.textgrid import textgrid_text
from app.export.spoken import SpokenFile


@dataclass(frozen=True, slots=True)
class SidecarFormat:
    """A kind of file.

    Attributes:
        name: for people; a proper name in every language.
        write: its text, or None where the voice reports no times that it could hold.
    """

    suffix: str
    name: str
    write: Callable[[SpokenFile, Unit], str | None]


SIDECAR_FORMATS: Mapping[Sidecar, SidecarFormat] = {
    "txt": SidecarFormat(".txt", "TXT", lambda spoken, _unit: spoken.text + "\n"),
    "lab": SidecarFormat(".lab", "LAB", lambda spoken, _unit: lab_text(spoken)),
    "textgrid": SidecarFormat(".TextGrid", "TextGrid", lambda spoken, _unit: textgrid_text(spoken)),
    "srt": SidecarFormat(".srt", "SRT", srt_text),
    "vtt": SidecarFormat(".vtt", "WebVTT", vtt_text),
    "ass": SidecarFormat(".ass", "ASS", ass_text),
    "json": SidecarFormat(".json", "JSON", lambda spoken, _unit: json_text(spoken)),
}
