"""What a voice sounds like: the recordings that came with it, or a sentence that it speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.core.requests import cast_of, request_of
from app.core.script import Line, LineSettings
from app.ui.playback.playback import Playback
from app.ui.script.selection import Selection
from app.ui.synthesis.controller import SpeechController
from app.ui.voices.card import VoiceCard

SENTENCE = "こんにちは。今日は、いい天気になりましたね。"


class VoiceSamples(QObject):
    """Plays what is asked for on the voice's card; what is spoken stops."""

    def __init__(self, card: VoiceCard, selection: Selection, speech: SpeechController, playback: Playback) -> None:
        super().__init__(card)
        self._selection, self._speech, self._playback = selection, speech, playback
        card.sample_requested.connect(self.play)
        card.style_requested.connect(self._speak)

    @Slot(object)
    def play(self, file: Path) -> None:
        """Plays a recording."""
        self._playback.stop()
        self._speech.play_sample(file)

    @Slot(str)
    def try_voice(self, voice: str) -> None:
        """The current line, or a sentence where it has no text, with another voice; the line stays as it is."""
        kept = self._selection.line
        line = kept if kept is not None and kept.text.strip() else Line(SENTENCE, self._selection.settings)
        tried = replace(line, settings=replace(line.settings, voice=voice))
        self._playback.stop()
        self._speech.speak(request_of(tried), cast_of(tried))

    @Slot(str)
    def _speak(self, style: str) -> None:
        """A sentence in a style of the current line's voice; else everything is at its default."""
        kept = self._selection.settings
        settings = replace(LineSettings(), voice=kept.voice, speaker=kept.speaker, style=style)
        self._playback.stop()
        sample = Line(SENTENCE, settings)
        self._speech.speak(request_of(sample), cast_of(sample))
