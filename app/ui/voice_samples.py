"""What a voice sounds like: the recordings that came with it, or a sentence that it speaks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Slot

from app.core.script import Line, LineSettings
from app.ui.requests import cast_of, request_of

if TYPE_CHECKING:
    from app.ui.window import MainWindow

SENTENCE = "こんにちは。今日は、いい天気になりましたね。"


class VoiceSamples(QObject):
    """Plays what is asked for on the voice's card; what is spoken stops."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.side.card.sample_wanted.connect(self._play)
        window.side.card.style_wanted.connect(self._speak)

    @Slot(object)
    def _play(self, file: Path) -> None:
        self._window.playback.stop()
        self._window.controller.play_sample(file)

    @Slot(str)
    def _speak(self, style: str) -> None:
        """A sentence in a style of the current line's voice; else everything is at its default."""
        window = self._window
        line = window.document.script.find(window.script.current_id)
        kept = line.settings if line is not None else window.commands.first_settings
        settings = replace(LineSettings(), voice=kept.voice, speaker=kept.speaker, style=style)
        window.playback.stop()
        sample = Line(SENTENCE, settings)
        window.controller.speak(request_of(sample), cast_of(sample))
