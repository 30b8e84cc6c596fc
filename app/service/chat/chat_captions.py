"""The words of the comment that is heard, for a picture of the stream: on a board that any thread may read, and in a text file."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.common.errors import AppError
from app.common.files.whole_files import READABLE, save_bytes
from app.common.language import localize
from app.service.chat.chat_protocol import ChatTalk

CAPTION_FILE_NAME = "koebako-captions.txt"
_STOP_TIMEOUT_S = 2.0


@dataclass(frozen=True, slots=True)
class CaptionState:
    """The board at one moment."""

    version: int = 0  # another one after every change
    talk: ChatTalk | None = None  # the comment that is heard now
    word: tuple[int, int] = (0, 0)  # characters [start, end) of its text that sound now; empty while they are not known
    is_served: bool = False  # pages may show it
    folder: str = ""  # where the file is kept; empty for none

    @property
    def has_readers(self) -> bool:
        """Return whether a page or a file is to show it."""
        return self.is_served or bool(self.folder)

    def convert_to_json(self) -> dict[str, object]:
        """Return what the page shows: the writer, the words without the writer's name, and which of their characters sound now."""
        if self.talk is None:
            return {"version": self.version, "who": "", "text": "", "word": [0, 0]}
        word = [max(0, place - self.talk.name_length) for place in self.word]
        return {"version": self.version, "who": self.talk.writer, "text": self.talk.words, "word": word}


class CaptionBoard:
    """Any thread may use it."""

    def __init__(self) -> None:
        self._state = CaptionState()
        self._is_closed = False
        self._change_condition = threading.Condition()

    @property
    def state(self) -> CaptionState:
        return self._state

    def show_talk(self, talk: ChatTalk | None, word: tuple[int, int] = (0, 0)) -> None:
        """Show the comment that is heard, and the word that sounds; None for no comment."""
        self._change_state(replace(self._state, talk=talk, word=word))

    def choose_readers(self, *, is_served: bool, folder: str) -> None:
        """Let pages show it or not, and keep the file in this folder from now on; an empty folder is for no file."""
        self._change_state(replace(self._state, is_served=is_served, folder=folder))

    def close(self) -> None:
        """End what waits for changes."""
        with self._change_condition:
            self._is_closed = True
            self._change_condition.notify_all()

    def wait_for_change(self, version: int) -> CaptionState | None:
        """Wait for another version than this one; None once the board is closed."""
        with self._change_condition:
            self._change_condition.wait_for(lambda: self._is_closed or self._state.version != version)
            return None if self._is_closed else self._state

    def _change_state(self, state: CaptionState) -> None:
        with self._change_condition:
            if state != self._state:
                self._state = replace(state, version=self._state.version + 1)
                self._change_condition.notify_all()


class CaptionFile:
    """Keeps the file of a board in a thread of its own, until `close`: the whole text of the comment while it is heard, else nothing.

    Args:
        report_error: called in that thread with each error that is not the one before.
    """

    def __init__(self, board: CaptionBoard, report_error: Callable[[AppError], object]) -> None:
        self._board, self._report_error, self._reported_message = board, report_error, ""
        self._thread = threading.Thread(target=self._follow_board, name="chat captions", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Close the board, and wait until the file is empty."""
        self._board.close()
        self._thread.join(_STOP_TIMEOUT_S)

    def _follow_board(self) -> None:
        version, written = -1, ("", "")
        while (state := self._board.wait_for_change(version)) is not None:
            version = state.version
            wanted = state.folder, state.talk.text if state.talk is not None else ""
            if wanted[0] != written[0]:
                self._write_text(written[0], "")
            if wanted != written:
                self._write_text(*wanted)
            written = wanted
        self._write_text(written[0], "")

    def _write_text(self, folder: str, text: str) -> None:
        if not folder:
            return
        try:
            failure_message = localize("字幕のファイルに書き込めません", "The caption file could not be written")
            save_bytes(Path(folder) / CAPTION_FILE_NAME, text.encode("utf-8", "replace"), failure_message, READABLE)
            self._reported_message = ""
        except AppError as error:
            if error.message != self._reported_message:
                self._reported_message = error.message
                self._report_error(error)
