"""Asks for licences: one question for each at a time, whoever needs the answer, and what was accepted is remembered before anything goes on."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.errors import AppError
from app.ui.dialogs.text_dialog import ask_licence
from app.ui.failures import as_app_error
from app.ui.widgets.banner import Banner


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A licence, and what the answer leads to."""

    voice_id: str
    name: str
    text: str
    accepted: list[Callable[[], object]] = field(default_factory=list)
    declined: list[Callable[[], object]] = field(default_factory=list)


class LicenceQuestions(QObject):
    """The questions of a window; what cannot be remembered is told in `banner`, and counts as declined."""

    _remembered = Signal(object, object)

    def __init__(self, window: QWidget, banner: Banner) -> None:
        super().__init__(window)
        self._window, self._banner = window, banner
        self._open: list[Question] = []
        self._thread = ThreadPoolExecutor(1, "licences")  # a disk may take its time
        self._remembered.connect(self._on_remembered)

    def ask(self, voice_id: str, name: str, text: str, accepted: Callable[[], object], declined: Callable[[], object]) -> None:
        """Shows a licence, unless it is shown already; one of the two is called."""
        question = next((item for item in self._open if (item.voice_id, item.text) == (voice_id, text)), None)
        if question is None:
            question = self._begin(Question(voice_id, name, text))
        question.accepted.append(accepted)
        question.declined.append(declined)

    def close(self) -> None:
        """Waits until what was accepted is remembered."""
        self._thread.shutdown(wait=True)

    def _begin(self, question: Question) -> Question:
        self._open.append(question)
        dialog = ask_licence(self._window, question.name, question.text)
        dialog.accepted.connect(lambda: self._thread.submit(self._remember, question))
        dialog.rejected.connect(lambda: self._answer(question, question.declined))
        return question

    def _remember(self, question: Question) -> None:
        from app.install.licence import Licence, remember

        try:
            remember(Licence(question.voice_id, question.name, question.text))
        except Exception as exc:
            self._remembered.emit(question, as_app_error(exc))
        else:
            self._remembered.emit(question, None)

    @Slot(object, object)
    def _on_remembered(self, question: Question, error: AppError | None) -> None:
        self._answer(question, question.accepted if error is None else question.declined)
        if error is not None:
            self._banner.tell("trouble", error.message, error.hint)

    def _answer(self, question: Question, called: list[Callable[[], object]]) -> None:
        self._open.remove(question)
        for call in called:
            call()
