"""Keeps the strip under the selected line in step with the document, the sound and what is typed, and puts its edits into the document."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Slot

from app.core.accents import with_reading, without_phrase
from app.core.line_reading import LineReading
from app.core.line_words import LineWord
from app.core.rebased_edits import counts_alike
from app.core.script import Line, reshape
from app.core.types import Overrides
from app.language import localized
from app.ui.playback.playback import Playback
from app.ui.reading.line_sounds import LineSounds
from app.ui.reading.strip.axis import Cell
from app.ui.reading.strip.panel import StripPanel
from app.ui.reading.strip.shape import mora_of, shape_of
from app.ui.script.document import ScriptDocument
from app.ui.script.selection import Selection
from app.ui.synthesis.controller import SpeechController
from app.ui.synthesis.jobs import LinePlace
from app.ui.synthesis.line_reader import LineRead, ReadLine
from app.ui.synthesis.state import SpeechState

SETTLE_MS = 120  # typing rests this long before it is read
DRAW_MS = 60  # sound comes in many pieces


class ReadingController(QObject):
    """Connects the panel.

    Attributes:
        panel: strip and waveform.
        sounds: what lines sounded like.
        speaks_emoji: whether the voice of a line does.
    """

    def __init__(
        self, panel: StripPanel, document: ScriptDocument, selection: Selection, speech: SpeechController, playback: Playback
    ) -> None:
        super().__init__(panel)
        self.panel = panel
        self._document, self._selection, self._speech, self._playback = document, selection, speech, playback
        self.sounds = LineSounds(speech)
        self.speaks_emoji: Callable[[Line], bool] = lambda _line: False
        self._asked: ReadLine | None = None
        self._tried: ReadLine | None = None  # with a reading that was typed; what else is asked meanwhile does not replace it
        self._reading: LineReading | None = None
        self._overrides = Overrides()
        self._shown_id = ""
        self._word: LineWord | None = None
        self._stage = ("", 0)  # of the sound that is shown
        self._rest, self._draw = _once(self, SETTLE_MS, self._ask), _once(self, DRAW_MS, self._grow)
        selection.changed.connect(self._on_changed)
        speech.line_read.connect(self._on_read)
        speech.state_changed.connect(self._on_state)
        speech.voice_opened.connect(self._on_changed)
        speech.words_changed.connect(self._ask)
        self.sounds.changed.connect(self._on_sound)
        strip = panel.strip
        strip.edited.connect(self._on_edited)
        strip.place_selected.connect(self._play_from)
        strip.cell_selected.connect(self._play_from_cell)
        panel.waveform.place_selected.connect(self._play_from)
        strip.word_requested.connect(self._on_word)
        strip.reset_requested.connect(self._reset_phrase)
        panel.reset_phrase.clicked.connect(self._on_reset_phrase)
        panel.reset_all.clicked.connect(self._on_reset_all)
        panel.reading.kana_requested.connect(self._on_kana)
        panel.others.reading_requested.connect(self._on_other)
        self._on_changed()

    def follow_voices(self) -> None:
        """More is known of voices: the one of this line may speak emoji after all."""
        line = self._selection.line
        if line is not None and self._asked is not None and self._asked.emoji != self.speaks_emoji(line):
            self._ask()

    @Slot()
    def _on_changed(self, *_what: object) -> None:
        """Shows an edit at once where that needs no reading; else reads as soon as typing rests."""
        line = self._selection.line
        self.panel.setVisible(line is not None)
        if line is None or not line.text.strip():
            self._reading, self._shown_id, self._asked = None, "", None
            self.panel.show_empty()
            return
        is_other = line.id != self._shown_id
        if is_other:
            self._shown_id, self._reading = line.id, None
            self.panel.close_reading()
            self.panel.show_line(None, None, False)
            self.panel.view.show_start()
        edits, reading = line.overrides, self._reading
        if reading is not None and self._counts(edits, line) and (reading.text, reading.readings) == (line.text, edits.readings):
            self._overrides = edits
            self._show()
        elif is_other:
            self._ask()
        else:
            self._rest.start()

    def _counts(self, edits: Overrides, line: Line) -> bool:
        """Whether edits count over the text of a line as its voice reads it, so that they can be shown at once."""
        emoji = self.speaks_emoji(line)
        if self._reading is None or self._reading.emoji != emoji:
            return False
        return not edits.text or (edits.text == line.text and counts_alike(edits, line.text, emoji=emoji, memos=self._reading.memos))

    @Slot()
    def _ask(self) -> None:
        line = self._selection.line
        if line is not None and line.text.strip():
            self._asked = ReadLine(line.id, line.text, line.overrides, emoji=self.speaks_emoji(line), memos=line.settings.memos)
            self._speech.read(self._asked)

    @Slot(object)
    def _on_read(self, answer: LineRead) -> None:
        if answer.job is self._tried:
            self._tried = None
            self._on_tried(answer)
        elif answer.job is not self._asked:
            return
        elif answer.reading is not None and answer.job.line_id == self._shown_id:
            is_first = self._reading is None
            self._reading, self._overrides = answer.reading, answer.overrides
            self._show()
            if is_first:
                self.panel.strip.start_at_first()
        elif answer.error is not None:
            self.panel.note.setText(answer.error.message)

    def _on_tried(self, answer: LineRead) -> None:
        """A reading that was typed: taken when the front end takes it."""
        line = self._selection.line
        if line is None or (line.id, line.text) != (answer.job.line_id, answer.job.text):
            return  # another line is shown, or another text
        if answer.error is not None:
            self.panel.reading.show_error(answer.error.message)
        elif answer.reading is not None:
            self._reading, self._asked = answer.reading, answer.job  # what was asked before would show the line without it
            self._edit(localized("読みを変更", "Change reading"), answer.overrides)
            self.panel.reading.close_field()

    @Slot()
    def _show(self) -> None:
        line = self._selection.line
        if line is None or self._reading is None:
            return
        if self.panel.strip.is_dragging:  # let go of it first
            self._draw.start()
            return
        sound = self.sounds.find(line.id)
        self._stage = sound.stage if sound is not None else ("", 0)
        times = sound.times(self._reading) if sound is not None else None
        voice = self._speech.voices.get(line.settings.voice) or self._speech.voice
        self.panel.strip.lengths_fixed = (
            localized("この声では音の長さを変更できません。", "This voice does not allow lengths to be changed.")
            if voice is not None and voice.opaque
            else ""
        )
        self.panel.show_line(shape_of(self._reading, self._overrides, times), sound, self.sounds.is_current(line))

    @Slot()
    def _grow(self) -> None:
        """More sound; only that of a further sentence moves anything but the outline."""
        sound = self.sounds.find(self._shown_id)
        if sound is not None and sound.stage == self._stage:
            self.panel.waveform.update()
        else:
            self._show()

    @Slot(str)
    def _on_sound(self, line_id: str) -> None:
        if line_id == self._shown_id and not self._draw.isActive():
            self._draw.start()

    @Slot(object)
    def _on_state(self, state: SpeechState) -> None:
        sound = self.sounds.find(self._shown_id)
        heard = sound is not None and state.request_id == sound.request_id and state.played_s > 0
        self.panel.view.show_played(state.played_s if heard else None)

    @Slot(str, object)
    def _on_edited(self, label: str, overrides: Overrides) -> None:
        self._edit(label, overrides)

    def _edit(self, label: str, overrides: Overrides) -> None:
        if self._reading is not None:
            is_plain = not (overrides.readings or overrides.moras or overrides.pauses or overrides.phrases)
            reading = self._reading
            counted = Overrides() if is_plain else replace(overrides, text=reading.text, emoji=reading.emoji, memos=reading.memos)
            script = reshape(self._document.script, self._shown_id, counted)
            self._document.edit(label, script, f"{label} {self._shown_id}")

    @Slot(float)
    def _play_from(self, second: float) -> None:
        self._playback.play([self._shown_id], second)

    @Slot(object)
    def _play_from_cell(self, cell: Cell) -> None:
        """It is heard once it is made."""
        self._playback.play([self._shown_id], LinePlace(cell.kind.value, cell.index))

    @Slot(int)
    def _on_word(self, mora: int) -> None:
        if self._reading is not None and (word := self._reading.word_at(mora)):
            self._word = word
            kana = "".join(one.kana for one in self._reading.moras[word.first_mora : word.end_mora] if not one.is_emoji)
            self.panel.type_reading(self._reading.written(word.start, word.end).strip(), kana)

    @Slot(str)
    def _on_kana(self, kana: str) -> None:
        """The front end has the last word on a reading, in its own thread."""
        line = self._selection.line
        if line is None or self._reading is None or self._word is None or line.text != self._reading.text:
            self.panel.reading.close_field()
            return
        readings = with_reading(self._reading, self._word, kana)
        self._tried = ReadLine(line.id, line.text, self._overrides, readings, self._reading.emoji, line.settings.memos)
        self._speech.read(self._tried)

    @Slot(object)
    def _on_other(self, word: LineWord) -> None:
        self._word = word
        self._on_kana(word.other)

    @Slot(int)
    def _reset_phrase(self, mora: int) -> None:
        if self._reading is not None:
            self._edit(localized("アクセント句をリセット", "Reset accent phrase"), without_phrase(self._reading, self._overrides, mora))

    @Slot()
    def _on_reset_phrase(self) -> None:
        shape, cell = self.panel.strip.shape, self.panel.strip.current
        if shape is not None and cell is not None:
            self._reset_phrase(mora_of(shape, cell))

    @Slot()
    def _on_reset_all(self) -> None:
        self._edit(localized("すべてリセット", "Reset all"), Overrides())


def _once(parent: QObject, ms: int, called: Callable[[], None]) -> QTimer:
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(ms)
    timer.timeout.connect(called)
    return timer
