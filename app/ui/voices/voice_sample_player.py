"""Plays samples of voices: the recordings that came with one, or a sentence that it speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Slot

from app.core.script.line_requests import build_request, find_cast
from app.core.script.script import Line, LineSettings
from app.ui.playback.line_playback import LinePlayback
from app.ui.script.line_selection import LineSelection
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.voice_card import VoiceCard

SAMPLE_SENTENCE = "こんにちは。今日は、いい天気になりましたね。"


class VoiceSamplePlayer(QObject):
    """Plays the samples chosen on the voice card; any other playback stops."""

    def __init__(self, card: VoiceCard, selection: LineSelection, speech: SpeechController, playback: LinePlayback) -> None:
        super().__init__(card)
        self._selection, self._speech, self._playback = selection, speech, playback
        card.sample_requested.connect(self.play_recording)
        card.style_requested.connect(self._speak_sample)

    @Slot(object)
    def play_recording(self, file: Path) -> None:
        """Play a recording."""
        self._playback.stop_playing()
        self._speech.play_sample(file)

    @Slot(str)
    def try_voice(self, voice_id: str) -> None:
        """Play the current line, or a sample sentence if it has no text, with another voice; the line is not changed."""
        kept = self._selection.line
        line = kept if kept is not None and kept.text.strip() else Line(SAMPLE_SENTENCE, self._selection.settings)
        tried = replace(line, settings=replace(line.settings, voice=voice_id))
        self._playback.stop_playing()
        self._speech.speak_request(build_request(tried), find_cast(tried))

    @Slot(str)
    def _speak_sample(self, style: str) -> None:
        """Play the sample sentence in a style of the current line's voice, with all other settings at their defaults."""
        kept = self._selection.settings
        self._speak_settings(replace(LineSettings(), voice=kept.voice, speaker=kept.speaker, style=style))

    @Slot(str, str)
    def try_style(self, voice_id: str, style: str) -> None:
        """Play the sample sentence in a style of any voice."""
        self._speak_settings(replace(LineSettings(), voice=voice_id, style=style))

    def _speak_settings(self, settings: LineSettings) -> None:
        self._playback.stop_playing()
        sample = Line(SAMPLE_SENTENCE, settings)
        self._speech.speak_request(build_request(sample), find_cast(sample))
