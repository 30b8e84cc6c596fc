"""Shows on the board of captions which comment is heard, and which of its words, from its first sound to its end."""

from PySide6.QtCore import QObject, Slot

from app.core.sound.spoken_words import SpokenWordFinder
from app.core.synthesis_types import AudioChunk, Overrides
from app.engine.line_reader import LineReadResult, ReadLineJob
from app.engine.synthesis_jobs import SpeechJob
from app.service.chat.chat_captions import CaptionBoard
from app.service.chat.chat_protocol import ChatTalk
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.synthesis.speech_controller import SpeechController

CAPTION_ASKER = "chat captions"


class CaptionFollower(QObject):
    """Follows one comment from `begin_comment` to `end_comment`."""

    def __init__(self, parent: QObject, speech: SpeechController) -> None:
        super().__init__(parent)
        self._speech = speech
        self._board: CaptionBoard | None = None
        self._talk: ChatTalk | None = None
        self._word_finder = SpokenWordFinder("")
        self._reading_job: ReadLineJob | None = None
        speech.chunk_made.connect(self._add_chunk)
        speech.line_read.connect(self._take_reading)
        speech.state_changed.connect(self._show_state)

    def begin_comment(self, board: CaptionBoard, talk: ChatTalk, job: SpeechJob) -> None:
        """Show a comment on a board once its first sound is heard."""
        if not board.state.has_readers:
            return
        self._board, self._talk, self._word_finder = board, talk, SpokenWordFinder(job.request.id)
        voice = self._speech.voices.get(job.cast.voice) if job.cast is not None else None
        english = voice is not None and voice.architecture.should_read_english(job.request)
        self._reading_job = ReadLineJob("", talk.text, Overrides(), english=english, asker=CAPTION_ASKER)
        if board.state.is_served:  # the file has no words of its own
            self._speech.request_reading(self._reading_job)

    def end_comment(self) -> None:
        """Show no comment."""
        board, self._board, self._talk, self._reading_job = self._board, None, None, None
        if board is not None:
            board.show_talk(None)

    @Slot(object)
    def _show_state(self, state: SpeechState) -> None:
        if self._board is not None and state.request_id == self._word_finder.request_id and state.played_s > 0:
            self._board.show_talk(self._talk, self._word_finder.find_word(state.played_s) or (0, 0))

    @Slot(object, object)
    def _add_chunk(self, _job: SpeechJob, chunk: AudioChunk) -> None:
        if self._board is not None and chunk.request_id == self._word_finder.request_id:
            self._word_finder.add_chunk(chunk)

    @Slot(object)
    def _take_reading(self, answer: LineReadResult) -> None:
        if self._reading_job is not None and answer.job is self._reading_job and answer.reading is not None:
            self._word_finder.set_reading(answer.reading)
