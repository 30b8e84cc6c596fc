"""Lists the files that can go beside a sound, and the writer of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.export.export_settings import SidecarKind, TimingUnit
from app.export.sidecars.ass_karaoke import format_ass
from app.export.sidecars.hts_labels import format_hts_labels
from app.export.sidecars.json_timeline import format_json
from app.export.sidecars.praat_textgrid import format_textgrid
from app.export.sidecars.subtitles import format_srt, format_vtt
from app.export.timeline import SpokenFile


@dataclass(frozen=True, slots=True)
class SidecarFormat:
    """A kind of file.

    Attributes:
        name: for people; a proper name in every language.
        format_text: its text, or None where the voice reports no times that it could hold.
    """

    suffix: str
    name: str
    format_text: Callable[[SpokenFile, TimingUnit], str | None]


SIDECAR_FORMATS: Mapping[SidecarKind, SidecarFormat] = {
    "txt": SidecarFormat(".txt", "TXT", lambda spoken, _unit: spoken.text + "\n"),
    "lab": SidecarFormat(".lab", "LAB", lambda spoken, _unit: format_hts_labels(spoken)),
    "textgrid": SidecarFormat(".TextGrid", "TextGrid", lambda spoken, _unit: format_textgrid(spoken)),
    "srt": SidecarFormat(".srt", "SRT", format_srt),
    "vtt": SidecarFormat(".vtt", "WebVTT", format_vtt),
    "ass": SidecarFormat(".ass", "ASS", format_ass),
    "json": SidecarFormat(".json", "JSON", lambda spoken, _unit: format_json(spoken)),
}
