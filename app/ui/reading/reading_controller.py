"""Keeps the strip under the selected line in step with the document, the sound and what is typed, and puts its edits into the document."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

from app.common.language import localize
from app.core.delivery import ENGLISH
from app.core.script.script import Line, replace_overrides
from app.core.sound.line_edits import has_same_moras, name_counted_text, reset_phrase, set_word_reading
from app.core.sound.line_reading import LineReading, LineWord
from app.core.symbols import is_english
from app.core.synthesis_types import Overrides
from app.core.text.english_phones import has_latin_letters, write_arpabet
from app.engine.line_reader import LineReadResult, ReadLineJob
from app.engine.synthesis_jobs import LinePosition
from app.ui.playback.line_playback import LinePlayback
from app.ui.reading.line_sounds import LinePitchCollector, LineSoundCollector
from app.ui.reading.strip.strip_shape import StripCell, build_shape, find_mora_index
from app.ui.reading.strip_panel import StripPanel
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import ScriptDocument
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.synthesis.speech_controller import SpeechController

READING_SETTLE_MS = 120  # typing rests this long before it is read
SOUND_REDRAW_MS = 60  # sound comes in many pieces


class ReadingController(QObject):
    """Connects the panel; `speaks_emoji` returns whether the voice of a line does, `speaks_english` whether it speaks English."""

    def __init__(
        self, panel: StripPanel, document: ScriptDocument, selection: LineSelection, speech: SpeechController, playback: LinePlayback
    ) -> None:
        super().__init__(panel)
        self.panel = panel
        self._document, self._selection, self._speech, self._playback = document, selection, speech, playback
        self.sounds = LineSoundCollector(speech)
        self.pitches = LinePitchCollector(speech, self.sounds)
        self.speaks_emoji: Callable[[Line], bool] = lambda _line: False
        self.speaks_english: Callable[[Line], bool] = lambda _line: False
        self._read_job: ReadLineJob | None = None
        self._typed_job: ReadLineJob | None = None  # with a reading that was typed; what else is asked meanwhile does not replace it
        self._line_reading: LineReading | None = None
        self._overrides = Overrides()
        self._shown_id = ""
        self._word: LineWord | None = None
        self._stage = ("", 0)  # of the sound that is shown
        self._rest_timer = QTimer(self, singleShot=True, interval=READING_SETTLE_MS)
        self._rest_timer.timeout.connect(self._request_reading)
        self._draw_timer = QTimer(self, singleShot=True, interval=SOUND_REDRAW_MS)
        self._draw_timer.timeout.connect(self._show_more_sound)
        selection.changed.connect(self._update_strip)
        speech.line_read.connect(self._take_reading)
        speech.state_changed.connect(self._show_playhead)
        speech.voice_opened.connect(self._update_strip)
        speech.dictionary_changed.connect(self._request_reading)
        self.sounds.changed.connect(self._schedule_drawing)
        self.pitches.measured.connect(self._show_pitches)
        self._connect_panel(panel)
        self._update_strip()

    def _connect_panel(self, panel: StripPanel) -> None:
        """Take what the user does in the strip, the melody, the waveform and the buttons over them."""
        strip = panel.strip
        strip.edited.connect(self._apply_overrides)
        panel.lane.edited.connect(self._apply_overrides)
        panel.lane.sound_requested.connect(strip.play_current)
        strip.place_selected.connect(self._play_from)
        strip.cell_selected.connect(self._play_from_cell)
        panel.waveform.place_selected.connect(self._play_from)
        strip.word_requested.connect(self._edit_word_reading)
        strip.reset_requested.connect(self._reset_phrase)
        panel.reset_phrase.clicked.connect(self._reset_current_phrase)
        panel.reset_all.clicked.connect(self._reset_all_phrases)
        panel.reading.kana_requested.connect(self._request_typed_reading)
        panel.others.reading_requested.connect(self._apply_other_reading)

    def update_voice_support(self) -> None:
        """Update the strip after more is known of voices: the one of this line may speak emoji or English after all."""
        line, job = self._selection.line, self._read_job
        if line is not None and job is not None and (job.emoji, job.english) != (self.speaks_emoji(line), self._is_read_in_english(line)):
            self._request_reading()

    def _is_read_in_english(self, line: Line) -> bool:
        return line.settings.latin == ENGLISH and self.speaks_english(line)

    @Slot()
    def _update_strip(self, *_what: object) -> None:
        """Show an edit at once if it needs no reading; else read as soon as typing rests."""
        line = self._selection.line
        self.panel.setVisible(line is not None)
        if line is None or not line.text.strip():
            self._line_reading, self._shown_id, self._read_job = None, "", None
            self.panel.show_empty()
            return
        is_other = line.id != self._shown_id
        if is_other:
            self._shown_id, self._line_reading = line.id, None
            self.panel.close_reading_field()
            self.panel.show_line(None, None, None, False)
            self.panel.view.scroll_to_start()
        edits, reading = line.overrides, self._line_reading
        if reading is not None and self._is_valid_for_text(edits, line) and (reading.text, reading.readings) == (line.text, edits.readings):
            self._overrides = edits
            self._show_reading()
        elif is_other:
            self._request_reading()
        else:
            self._rest_timer.start()

    def _is_valid_for_text(self, edits: Overrides, line: Line) -> bool:
        """Return whether edits count over the text of a line as its voice reads it, so that they can be shown at once."""
        emoji, english, reading = self.speaks_emoji(line), self._is_read_in_english(line), self._line_reading
        if reading is None or (reading.emoji, reading.english) != (emoji, english):
            return False
        if not edits.text:
            return True
        return edits.text == line.text and has_same_moras(edits, line.text, emoji=emoji, memos=reading.memos, english=english)

    @Slot()
    def _request_reading(self) -> None:
        line = self._selection.line
        if line is not None and line.text.strip():
            emoji, english = self.speaks_emoji(line), self._is_read_in_english(line)
            self._read_job = ReadLineJob(line.id, line.text, line.overrides, emoji=emoji, memos=line.settings.memos, english=english)
            self._speech.request_reading(self._read_job)

    @Slot(object)
    def _take_reading(self, answer: LineReadResult) -> None:
        if answer.job is self._typed_job:
            self._typed_job = None
            self._take_typed_reading(answer)
        elif answer.job is not self._read_job:
            return
        elif self._is_edited_since(answer.job):
            self._request_reading()  # its edits are older than those of the document
        elif answer.reading is not None and answer.job.line_id == self._shown_id:
            is_first = self._line_reading is None
            self._line_reading, self._overrides = answer.reading, answer.overrides
            self._show_reading()
            if is_first:
                self.panel.strip.select_first_cell()
        elif answer.error is not None:
            self.panel.show_note(answer.error.message)

    def _is_edited_since(self, job: ReadLineJob) -> bool:
        """Return whether the line has other edits than when its reading was asked for; another text is read once typing rests."""
        line = self._selection.line
        return line is not None and (line.id, line.text) == (job.line_id, job.text) and line.overrides != job.overrides

    def _take_typed_reading(self, answer: LineReadResult) -> None:
        """Take a reading that the user typed, if the front end accepts it."""
        line = self._selection.line
        if line is None or (line.id, line.text) != (answer.job.line_id, answer.job.text):
            return  # another line is shown, or another text
        if answer.error is not None:
            self.panel.reading.show_error(answer.error.message)
        elif answer.reading is not None:
            self._line_reading, self._read_job = answer.reading, answer.job  # what was asked before would show the line without it
            self._apply_overrides(localize("読みを変更", "Change reading"), answer.overrides)
            self.panel.reading.close_field()

    @Slot()
    def _show_reading(self) -> None:
        line = self._selection.line
        if line is None or self._line_reading is None:
            return
        if self.panel.strip.is_dragging or self.panel.lane.is_dragging:  # let go of it first
            self._draw_timer.start()
            return
        sound = self.sounds.find_sound(line.id)
        self._stage = sound.progress_key if sound is not None else ("", 0)
        times = sound.compute_spans(self._line_reading) if sound is not None else None
        voice = self._speech.voices.get(line.settings.voice) or self._speech.voice
        self.panel.strip.lengths_fixed = (
            localize("この声では音の長さを変更できません。", "This voice does not allow lengths to be changed.")
            if voice is not None and voice.is_single_graph
            else ""
        )
        shape = build_shape(self._line_reading, self._overrides, times)
        self.panel.show_line(shape, self.pitches.build_melody(line, shape), sound, self.sounds.is_current(line))
        if line.settings.latin == ENGLISH and not self._line_reading.english and has_latin_letters(line.text):
            self.panel.show_note(
                localize("この声は英語を話せないため、カタカナで読みます。", "This voice speaks no English and reads it as katakana.")
            )

    @Slot()
    def _show_more_sound(self) -> None:
        """Show more of the sound; only that of a further sentence moves anything but the outline."""
        sound = self.sounds.find_sound(self._shown_id)
        if sound is not None and sound.progress_key == self._stage:
            self.panel.waveform.update()
        else:
            self._show_reading()

    @Slot(str)
    def _show_pitches(self, line_id: str) -> None:
        if line_id == self._shown_id:
            self._show_reading()

    @Slot(str)
    def _schedule_drawing(self, line_id: str) -> None:
        if line_id == self._shown_id and not self._draw_timer.isActive():
            self._draw_timer.start()

    @Slot(object)
    def _show_playhead(self, state: SpeechState) -> None:
        sound = self.sounds.find_sound(self._shown_id)
        is_heard = sound is not None and state.request_id == sound.request_id and state.played_s > 0
        self.panel.view.show_played(state.played_s if is_heard else None)

    @Slot(str, object)
    @Slot(str, object, str)
    def _apply_overrides(self, label: str, overrides: Overrides, gesture: str = "") -> None:
        """Put edits into the document; those of one gesture, or else of one label, become one step if they follow each other quickly."""
        if self._line_reading is not None:
            is_plain = not (overrides.readings or overrides.moras or overrides.pauses or overrides.phrases)
            reading = self._line_reading
            counted = Overrides() if is_plain else name_counted_text(overrides, reading)
            script = replace_overrides(self._document.script, self._shown_id, counted)
            self._document.apply_edit(label, script, f"{gesture or label} {self._shown_id}")

    @Slot(float)
    def _play_from(self, second: float) -> None:
        self._playback.play_lines([self._shown_id], second)

    @Slot(object)
    def _play_from_cell(self, cell: StripCell) -> None:
        """Play from a cell as soon as its sound is computed."""
        self._playback.play_lines([self._shown_id], LinePosition(cell.kind.value, cell.index))

    @Slot(int)
    def _edit_word_reading(self, mora: int) -> None:
        if self._line_reading is not None and (word := self._line_reading.find_word(mora)):
            self._word = word
            spoken = [item.kana for item in self._line_reading.moras[word.first_mora : word.end_mora] if not item.is_emoji]
            written = write_arpabet(spoken) if all(map(is_english, spoken)) else "".join(spoken)
            surface = self._line_reading.extract_text(word.start, word.end).strip()
            self.panel.open_reading_field(surface, written, takes_english=self._line_reading.english)

    @Slot(str)
    def _request_typed_reading(self, kana: str) -> None:
        """Request the reading that was typed; the front end, which runs in the synthesis thread, decides."""
        line = self._selection.line
        if line is None or self._line_reading is None or self._word is None or line.text != self._line_reading.text:
            self.panel.reading.close_field()
            return
        readings = set_word_reading(self._line_reading, self._word, kana)
        shown = self._line_reading
        self._typed_job = ReadLineJob(line.id, line.text, self._overrides, readings, shown.emoji, line.settings.memos, shown.english)
        self._speech.request_reading(self._typed_job)

    @Slot(object)
    def _apply_other_reading(self, word: LineWord) -> None:
        self._word = word
        self._request_typed_reading(word.other_reading)

    @Slot(int)
    def _reset_phrase(self, mora: int) -> None:
        if self._line_reading is not None:
            self._apply_overrides(
                localize("アクセント句をリセット", "Reset accent phrase"), reset_phrase(self._line_reading, self._overrides, mora)
            )

    @Slot()
    def _reset_current_phrase(self) -> None:
        shape, cell = self.panel.strip.shape, self.panel.strip.current
        if shape is not None and cell is not None:
            self._reset_phrase(find_mora_index(shape, cell))

    @Slot()
    def _reset_all_phrases(self) -> None:
        self._apply_overrides(localize("すべてリセット", "Reset all"), Overrides())
