"""Who speaks a line, as its card shows it: what will be heard, also where the line names a style or speaker that its voice does not have."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.core.script import Line
from app.language import localized
from app.ui.labels import VoiceLabel, style_name
from app.ui.synthesis.results import OpenedVoice


class LineVoices:
    """What is known of voices, by what lines call them.

    Attributes:
        names: of voices by id; the empty id is the voice in use.
    """

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self._styles: dict[str, Sequence[str]] = {}
        self._speakers: dict[str, Sequence[str]] = {}
        self._called: Callable[[str], str] = str

    def show_voice(self, voice: OpenedVoice) -> None:
        """Takes the voice in use."""
        self._take("", voice.name, [name for _, name in voice.styles], [name for _, name in voice.speakers])

    def show_voices(self, voices: Sequence[VoiceLabel], called: Callable[[str], str]) -> None:
        """Takes all voices there are; `called` knows the names of those that are gone."""
        self._called = called
        for known in (self.names, self._styles, self._speakers):
            known.clear()
        for voice in voices:
            self._take(voice.id, voice.name, voice.styles, voice.speakers)

    def _take(self, voice: str, name: str, styles: Sequence[str], speakers: Sequence[str]) -> None:
        self.names[voice], self._styles[voice], self._speakers[voice] = name, styles, speakers

    def is_missing(self, voice: str) -> bool:
        """Nothing is known to be missing before all voices are known."""
        return bool(voice) and len(self.names) > 1 and voice not in self.names

    def name(self, voice: str) -> str:
        """Of a voice, for people."""
        if self.is_missing(voice):
            return localized(f"{self._missing(voice)}（見つかりません）", f"{self._missing(voice)} (missing)")
        return self.names.get(voice) or voice or self.names.get("", "")

    def _missing(self, voice: str) -> str:
        """What it was called: ids are nothing for people."""
        return self._called(voice) or localized("不明な声", "Unknown voice")

    def style(self, line: Line) -> str:
        """The style that will be heard; what the line says where its voice is not known."""
        return _heard(line.settings.style, self._styles.get(line.settings.voice))

    def speaker(self, line: Line) -> str:
        """The speaker that will be heard; empty for a voice with one."""
        speakers = self._speakers.get(line.settings.voice, ())
        return _heard(line.settings.speaker, speakers) if len(speakers) > 1 else ""

    def summary(self, line: Line) -> str:
        """Speaker and style, short; the voice itself where it is missing."""
        if self.is_missing(line.settings.voice):
            return self._missing(line.settings.voice)
        return localized("・", " · ").join(filter(None, (self.speaker(line), style_name(self.style(line)))))

    def explanation(self, line: Line) -> str:
        """Speaker and style, and what the voice has not."""
        wanted = line.settings.style
        if self.is_missing(line.settings.voice):
            name = self._missing(line.settings.voice)
            return localized(f"声が見つかりません: {name}", f"Missing voice: {name}")
        if wanted and wanted != self.style(line):
            return localized(
                f"この声に「{style_name(wanted)}」はないため、「{style_name(self.style(line))}」で話します。",
                f"This voice has no “{style_name(wanted)}” style; it speaks in “{style_name(self.style(line))}”.",
            )
        return self.summary(line)


def _heard(wanted: str, known: Sequence[str] | None) -> str:
    return wanted if not known or wanted in known else known[0]
