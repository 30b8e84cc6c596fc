"""The commands behind the play and save buttons, their keys and their menu entries; in live mode a changed line speaks again by itself."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from app.core.script.script import Script
from app.ui.playback.line_playback import LinePlayback
from app.ui.playback.sound_saving import SavingController
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.synthesis.speech_controller import SpeechController

LIVE_SETTLE_MS = 200  # a hand on a slider rests this long when it means it


class PlayCommands(QObject):
    """Speaks and saves lines of the script.

    Signals:
        began(): something else is asked for now, so messages about what was asked before may go.
        nothing_to_speak(): none of the lines has text.
        stopping(): the user wants silence; the present sound is about to end.
    """

    began = Signal()
    nothing_to_speak = Signal()
    stopping = Signal()

    def __init__(
        self, document: ScriptDocument, selection: LineSelection, speech: SpeechController, playback: LinePlayback, saving: SavingController
    ) -> None:
        super().__init__(playback)
        self._document, self._selection, self._speech = document, selection, speech
        self._playback, self._sound_saving = playback, saving

    @property
    def is_playing(self) -> bool:
        """Return whether anything that the user asked for sounds, or is about to."""
        # A kept take may sound as well, and playback knows only the lines that it asked for.
        return self._playback.is_on or self._speech.state.is_playing

    @Slot()
    def play_or_stop(self) -> None:
        """Speak the selected lines, or stop if a line is spoken. Before the voice is open, wait for it."""
        if self.is_playing:
            self.stop_playing()
        else:
            self.play_lines(self._selection.ids)

    @Slot(str)
    def play_or_stop_line(self, line_id: str) -> None:
        """Speak one line, or stop if it is spoken."""
        if self._playback.is_speaking(line_id):
            self.stop_playing()
        else:
            self.play_lines([line_id])

    @Slot(str)
    def play_again(self, line_id: str) -> None:
        """Speak a line that was changed."""
        self.began.emit()
        # Not through our own `play_lines`: in live mode a line that was emptied needs no message.
        self._playback.play_lines([line_id])

    @Slot()
    def play_through(self) -> None:
        """Speak from the current line to the end; of a list that shows one character's lines, those."""
        ids = self._selection.shown_ids
        current = self._selection.current_id
        self.play_lines(ids[ids.index(current) if current in ids else 0 :])

    def play_lines(self, ids: Sequence[str]) -> None:
        """Speak these lines one after the other."""
        self.began.emit()
        if not self._playback.play_lines(ids):
            self.nothing_to_speak.emit()

    @Slot(object)
    def play_if_silent(self, ids: Sequence[str]) -> None:
        """Speak the first of these lines that still exists, unless a line is spoken."""
        existing_ids = [line_id for line_id in ids if self._document.script.find_line(line_id)]
        if existing_ids and not self.is_playing:
            self.play_lines(existing_ids[:1])

    @Slot()
    def stop_playing(self) -> None:
        """Stop the present sound."""
        self.stopping.emit()
        self._playback.stop_playing()

    @Slot()
    def save_or_stop(self) -> None:
        """Ask for a place and write the sound of the selected lines, or cancel the present writing."""
        if self._speech.state.is_saving:
            self._sound_saving.stop_saving()
        else:
            self.began.emit()
            self._sound_saving.save_lines(self._selection.ids)

    @Slot()
    def save_all_lines(self) -> None:
        """Write each line into a file of its own."""
        self._sound_saving.save_lines(self._list_all_ids())

    @Slot()
    def save_joined_lines(self) -> None:
        """Write all lines into one file."""
        self._sound_saving.save_joined_lines(self._list_all_ids())

    def _list_all_ids(self) -> list[str]:
        return [line.id for line in self._document.script.lines]


class LiveModeController(QObject):
    """Watches the document while it is on.

    Signals:
        speak_requested(str): this line was changed, and is at rest now.
    """

    speak_requested = Signal(str)

    def __init__(self, document: ScriptDocument) -> None:
        super().__init__(document)
        self._is_on = False
        self._line_id = ""
        self._timer = QTimer(self, singleShot=True, interval=LIVE_SETTLE_MS)
        self._timer.timeout.connect(self._request_speech)
        document.changed.connect(self._schedule_line)

    @Slot(bool)
    def set_enabled(self, is_on: bool) -> None:
        """Switch live mode on or off."""
        self._is_on = is_on
        if not is_on:
            self._timer.stop()

    @Slot(object, object)
    def _schedule_line(self, before: Script, after: Script) -> None:
        if not self._is_on:
            return
        pairs = zip(before.lines, after.lines, strict=False)
        changed = next((new for old, new in pairs if old is not new and old.id == new.id and old != new), None)
        if changed is not None:
            self._line_id = changed.id
            # Qt restarts a running timer, so of a slider in motion only the last value is spoken.
            self._timer.start()

    @Slot()
    def _request_speech(self) -> None:
        self.speak_requested.emit(self._line_id)
