"""The voice, speaker and style on a line's card: the ones to be heard, also where the line's voice lacks its style or speaker."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from app.common.language import localize
from app.core.script.line_requests import choose_known_name
from app.core.script.script import Line
from app.engine.open_voices import OpenedVoice
from app.ui.display_names import VoiceLabel, format_speaker, format_style

NEUTRAL_STYLE = "Neutral"


class LineVoiceNames:
    """The known voices by the ids that lines store; the empty id is the voice in use."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self._styles: dict[str, Sequence[str]] = {}
        self._speakers: dict[str, Sequence[str]] = {}
        self._find_former_name: Callable[[str], str] = str

    def set_current_voice(self, voice: OpenedVoice) -> None:
        """Take the voice in use."""
        self.add_voice("", voice.name, [name for _, name in voice.styles], [name for _, name in voice.speakers])

    def set_voices(self, voices: Sequence[VoiceLabel], find_name: Callable[[str], str]) -> None:
        """Take all voices there are; `find_name` knows the names of voices that are gone."""
        self._find_former_name = find_name
        for names in (self.names, self._styles, self._speakers):
            names.clear()
        for voice in voices:
            self.add_voice(voice.id, voice.name, voice.styles, voice.speakers)

    def add_voice(self, voice: str, name: str, styles: Sequence[str], speakers: Sequence[str]) -> None:
        """Add a voice, or change its names of styles and speakers."""
        self.names[voice], self._styles[voice], self._speakers[voice] = name, styles, speakers

    def is_missing(self, voice: str) -> bool:
        """Return whether a voice is missing; none is known to be missing before all voices are known."""
        return bool(voice) and len(self.names) > 1 and voice not in self.names

    def find_voice_name(self, voice: str) -> str:
        """Return the name of a voice, for people."""
        if self.is_missing(voice):
            return localize(f"{self._find_missing_name(voice)}（見つかりません）", f"{self._find_missing_name(voice)} (missing)")
        return self.names.get(voice) or voice or self.names.get("", "")

    def _find_missing_name(self, voice: str) -> str:
        """Return what it was called: ids are nothing for people."""
        return self._find_former_name(voice) or localize("不明な声", "Unknown voice")

    def find_style(self, line: Line) -> str:
        """Return the style that will be heard; the line's own if its voice is not known."""
        return choose_known_name(line.settings.style, self._styles.get(line.settings.voice, ()))

    def find_speaker(self, line: Line) -> str:
        """Return the speaker that will be heard; empty for a voice with one speaker."""
        speakers = self._speakers.get(line.settings.voice, ())
        return choose_known_name(line.settings.speaker, speakers) if len(speakers) > 1 else ""

    def format_summary(self, line: Line) -> str:
        """Return speaker and style in short; the voice itself if it is missing."""
        if self.is_missing(line.settings.voice):
            return self._find_missing_name(line.settings.voice)
        speaker, style = format_speaker(self.find_speaker(line)), format_style(self.find_style(line))
        # A neutral style is no news beside a speaker where there is no other, and the card has little room.
        if speaker and style == format_style(NEUTRAL_STYLE) and len(self._styles.get(line.settings.voice, ())) == 1:
            return speaker
        return localize("・", " · ").join(filter(None, (speaker, style)))

    def format_explanation(self, line: Line) -> str:
        """Return speaker and style, with those that the voice lacks."""
        style = line.settings.style
        if self.is_missing(line.settings.voice):
            name = self._find_missing_name(line.settings.voice)
            return localize(f"声が見つかりません: {name}", f"Missing voice: {name}")
        if style and style != self.find_style(line):
            return localize(
                f"この声に「{format_style(style)}」はないため、「{format_style(self.find_style(line))}」で話します。",
                f"This voice has no “{format_style(style)}” style; it speaks in “{format_style(self.find_style(line))}”.",
            )
        return self.format_summary(line)
