"""Reads texts aloud that are not in the script: passage by passage, with pause, and with the word that sounds now."""

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal, Slot

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.script import Line, LineSettings, build_request, find_cast
from app.core.script.text_division import divide_sentences, join_texts
from app.core.sound.spoken_words import SpokenWordFinder
from app.core.synthesis_types import AudioChunk, Overrides
from app.core.text.text_lines import split_lines
from app.engine.line_reader import LineReadResult, ReadLineJob
from app.engine.synthesis_jobs import SpeakFailure, SpeechJob
from app.ui.background_thread import BackgroundThread
from app.ui.playback.line_playback import MAX_QUEUED_PLAYBACK_S
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.synthesis.speech_controller import SpeechController

MAX_LAST_TEXTS = 10
READING_ASKER = "read aloud"

MAX_PASSAGE_CHARS = 160  # a passage is made as a whole before the next is asked for, and shown as a whole


@dataclass(frozen=True, slots=True, eq=False)
class ReadPassage:
    """A passage of a text that is read aloud, with the voice and the delivery; no line of the script."""

    line: Line


def divide_passages(text: str) -> list[str]:
    """Return the passages of a text: its lines, long ones divided between sentences; what has no letter is left out."""
    passages: list[str] = []
    for line in split_lines(text):
        sentences: list[str] = []
        for sentence in divide_sentences(line):
            if sentences and sum(map(len, sentences)) + len(sentence) > MAX_PASSAGE_CHARS:
                passages.append(join_texts(sentences))
                sentences = []
            sentences.append(sentence)
        if sentences:
            passages.append(join_texts(sentences))
    return [passage for passage in passages if any(letter.isalnum() for letter in passage)]


class ReadAloudPlayer(QObject):
    """Asks the controller for one passage after the other, as `LinePlayback` does for lines.

    What the user asks to hear is heard at once: it replaces an earlier reading and stops the lines of the window. When a line is
    played or stopped in the window meanwhile, the reading is paused until the user resumes it or another text comes, which replaces
    it. Texts that are queued wait as long as the user has paused the reading.

    Signals:
        changed(): one of the attributes has changed.
        word_changed(int, int): the word that sounds now, as characters [start, end) of `passage`; (0, 0) while it is not known.
        failed(AppError): a passage could not be spoken.

    Args:
        find_settings: returns the settings of the selected line, whose voice reads if the user chose none.
    """

    changed = Signal()
    word_changed = Signal(int, int)
    failed = Signal(object)

    def __init__(
        self, parent: QObject, *, speech: SpeechController, settings: SettingsStore, find_settings: Callable[[], LineSettings]
    ) -> None:
        super().__init__(parent)
        self._speech, self._settings, self._find_settings = speech, settings, find_settings
        self.passage = ""  # the text that sounds now or is paused; empty while nothing is read
        self.is_paused = False
        self.last_texts: deque[str] = deque(maxlen=MAX_LAST_TEXTS)
        self._paused_by_user = False
        self._passages: list[str] = []
        # What is left begins with a passage that was cut off, the seconds of it that were heard, and how it was spoken.
        self._cut_off: tuple[Line, float] | None = None
        self._round = 0  # counts readings, so that the passages of one that was replaced are dropped
        self._dividing_count = 0  # texts of this reading that are being divided
        self._word_finders: dict[str, SpokenWordFinder] = {}
        self._sounding_id = ""
        self._word = (0, 0)
        self._reading_job: ReadLineJob | None = None
        self._background = BackgroundThread(self, "read aloud")
        self._background.failed.connect(self.failed)
        speech.state_changed.connect(self._show_state)
        speech.chunk_made.connect(self._add_chunk)
        speech.line_read.connect(self._take_reading)
        speech.speech_computed.connect(self._request_next_passage)
        speech.speech_played.connect(self._finish_passage)
        speech.speech_dropped.connect(self._pause_dropped)
        speech.speaking_failed.connect(self._show_failure)

    @property
    def is_on(self) -> bool:
        """Return whether something is read, waits to be read or is paused."""
        return bool(self._dividing_count or self._passages or self._list_own_jobs())

    def speak_text(self, text: str) -> None:
        """Read a text at once, in place of an earlier one; stop the lines that play.

        Raises InputError if it has nothing to read.
        """
        if not _has_letters(text):
            raise InputError(localize("読み上げるテキストがありません。", "There is no text to read."))
        self.stop_reading()
        self._speech.stop_speaking()
        self._remember_text(text)
        self._divide_text(text, is_urgent=True)

    def queue_text(self, text: str) -> None:
        """Read a text after the earlier ones, once the lines of the window are quiet; do nothing if it has nothing to read."""
        if not _has_letters(text):
            return
        # Nobody may be able to resume it, without tray and mini player, and all later texts would wait behind it.
        if self.is_paused and not self._paused_by_user:
            self.stop_reading()
        self._remember_text(text)
        self._divide_text(text)

    @Slot()
    def pause_or_resume(self) -> None:
        """Pause the reading, or resume it where it was paused."""
        if not self.is_on:
            return
        if not self.is_paused:
            self.is_paused = self._paused_by_user = True
            if self._list_own_jobs():
                self._speech.stop_speaking()
        else:
            self.is_paused = self._paused_by_user = False
            self._speech.stop_speaking()
            self._request_next_passage()
        self.changed.emit()

    @Slot()
    def skip_passage(self) -> None:
        """Drop the passage that sounds or is paused; the next one is read, or waits if the reading is paused."""
        was_paused, by_user = self.is_paused, self._paused_by_user
        if not was_paused:
            self.pause_or_resume()
        self._passages, self._cut_off = self._passages[1:], None
        self.is_paused = was_paused and self.is_on
        self._paused_by_user = by_user and self.is_paused
        if self.is_paused:
            self.passage = self._passages[0] if self._passages else ""
        self._request_next_passage()
        if self.is_on:
            self.changed.emit()
        else:
            self._end_passage()

    @Slot()
    def stop_reading(self) -> None:
        """Stop the reading and forget what is left of it."""
        self._round += 1
        self._dividing_count = 0
        if self._list_own_jobs():
            self._speech.stop_speaking()
        # Afterwards, as what was stopped counts as paused.
        self._passages, self._cut_off, self.is_paused, self._paused_by_user = [], None, False, False
        self._end_passage()

    def close(self) -> None:
        """Stop the reading and the work in the background."""
        self.stop_reading()
        self._background.close()

    def _list_own_jobs(self) -> list[SpeechJob]:
        return [job for job in self._speech.spoken_jobs if isinstance(job.source, ReadPassage)]

    def _remember_text(self, text: str) -> None:
        stripped = text.strip()
        if stripped in self.last_texts:
            self.last_texts.remove(stripped)
        self.last_texts.appendleft(stripped)

    def _divide_text(self, text: str, *, is_urgent: bool = False) -> None:
        """Divide a text in the background, as a megabyte takes long, then read it; an urgent one ends what sounds by then."""
        self._dividing_count += 1
        reading_round = self._round

        def add_passages(passages: list[str]) -> None:
            if reading_round != self._round:
                return
            self._dividing_count -= 1
            # A comment may have begun since the sound before it was stopped.
            if is_urgent and self._speech.state.is_comment:
                self._speech.stop_speaking()
            self._passages += passages
            self._request_next_passage()
            self.changed.emit()

        self._background.run_work(lambda: divide_passages(text), add_passages)

    @Slot()
    def _request_next_passage(self, *_job: object) -> None:
        """Request the next passage when the one before is computed and little sound waits to be heard."""
        if self.is_paused or not self._passages or len(self._list_own_jobs()) != len(self._speech.spoken_jobs):
            return
        ahead_s = self._speech.queued_s
        if self._speech.spoken_jobs and (ahead_s is None or ahead_s > MAX_QUEUED_PLAYBACK_S):
            return
        text = self._passages.pop(0)
        # With another voice or speed the rest of a passage would begin elsewhere in the text.
        line, start_s = self._cut_off or (Line(text, self._choose_settings()), 0.0)
        self._cut_off = None
        # Not measured: the table of measurements holds texts, and can be saved as a file.
        request_id = self._speech.speak_request_next(
            build_request(line), find_cast(line), start_s, source=ReadPassage(line), is_measured=False
        )
        self._word_finders[request_id] = SpokenWordFinder(request_id)

    def _choose_settings(self) -> LineSettings:
        """Return voice and speed of the reading; of the selected line, it takes who speaks and no more."""
        settings, selected = self._settings.value, self._find_settings()
        if settings.read_voice:
            return LineSettings(voice=settings.read_voice, speaker=settings.read_speaker, speed=settings.read_speed)
        return LineSettings(voice=selected.voice, speaker=selected.speaker, style=selected.style, speed=settings.read_speed)

    @Slot(object)
    def _show_state(self, state: SpeechState) -> None:
        job = self._speech.find_job(state.request_id)
        if job is None or not isinstance(job.source, ReadPassage):
            self._request_next_passage()
            return
        if job.request.id != self._sounding_id:
            self._begin_passage(job, job.source)
        if state.played_s > 0:
            self._request_next_passage()
            word_finder = self._word_finders.get(job.request.id)
            self._mark_word(word_finder.find_word(state.played_s) if word_finder is not None else None)

    def _begin_passage(self, job: SpeechJob, source: ReadPassage) -> None:
        self._sounding_id, self.passage = job.request.id, source.line.text
        self._mark_word((0, 0))
        self._reading_job = ReadLineJob(source.line.id, source.line.text, Overrides(), asker=READING_ASKER)
        self._speech.request_reading(self._reading_job)
        self.changed.emit()

    def _mark_word(self, word: tuple[int, int] | None) -> None:
        if word is not None and word != self._word:
            self._word = word
            self.word_changed.emit(*word)

    @Slot(object, object)
    def _add_chunk(self, _job: SpeechJob, chunk: AudioChunk) -> None:
        if (word_finder := self._word_finders.get(chunk.request_id)) is not None:
            word_finder.add_chunk(chunk)

    @Slot(object)
    def _take_reading(self, answer: LineReadResult) -> None:
        word_finder = self._word_finders.get(self._sounding_id)
        if answer.job is self._reading_job and answer.reading is not None and word_finder is not None:
            word_finder.set_reading(answer.reading)

    @Slot(object)
    def _finish_passage(self, job: SpeechJob) -> None:
        self._word_finders.pop(job.request.id, None)
        self._request_next_passage()
        if isinstance(job.source, ReadPassage) and not self.is_on:
            self._end_passage()

    def _end_passage(self) -> None:
        self._word_finders.clear()
        self._sounding_id, self.passage, self._reading_job = "", "", None
        self._mark_word((0, 0))
        self.changed.emit()

    @Slot(object)
    def _pause_dropped(self, jobs: Sequence[SpeechJob]) -> None:
        """Pause at what was dropped, because the user paused, or plays or stops something in the window."""
        dropped = [(job, job.source) for job in jobs if isinstance(job.source, ReadPassage)]
        if not dropped:
            return
        (job, source), state = dropped[0], self._speech.state
        heard_s = max(job.start_s, state.played_s if state.request_id == job.request.id else 0.0)
        self._cut_off = (source.line, heard_s) if heard_s else None
        self._passages = [source.line.text for _job, source in dropped] + self._passages
        self._word_finders.clear()
        self._sounding_id = ""
        self.is_paused = True
        self.changed.emit()

    @Slot(object)
    def _show_failure(self, failure: SpeakFailure) -> None:
        if not isinstance(failure.job.source, ReadPassage):
            return
        self._word_finders.pop(failure.job.request.id, None)
        if not isinstance(failure.error, InputError):  # not for the passage's own sake: the others would fail as well
            self._passages = []
        self.failed.emit(failure.error)
        self._request_next_passage()
        if not self.is_on:
            self._end_passage()


def _has_letters(text: str) -> bool:
    return any(letter.isalnum() for letter in text)
