"""What a voice sounds like: the recordings that came with it, or a sentence that it speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.core.script import Line, LineSettings
from app.ui.playback.playback import Playback
from app.ui.script.selection import Selection
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.requests import cast_of, request_of
from app.ui.voices.card import VoiceCard

SENTENCE = "こんにちは。今日は、いい天気になりましたね。"


class VoiceSamples(QObject):
    """Plays what is asked for on the voice's card; what is spoken stops."""

    def __init__(self, card: VoiceCard, selection: Selection, speech: SpeechController, playback: Playback) -> None:
        super().__init__(card)
        self._selection, self._speech, self._playback = selection, speech, playback
        card.sample_requested.connect(self._play)
        card.style_requested.connect(self._speak)

    @Slot(object)
    def _play(self, file: Path) -> None:
        self._playback.stop()
        self._speech.play_sample(file)

    @Slot(str)
    def _speak(self, style: str) -> None:
        """A sentence in a style of the current line's voice; else everything is at its default."""
        kept = self._selection.settings
        settings = replace(LineSettings(), voice=kept.voice, speaker=kept.speaker, style=style)
        self._playback.stop()
        sample = Line(SENTENCE, settings)
        self._speech.speak(request_of(sample), cast_of(sample))
