"""Asks for licences: one question at a time for each, however many tasks wait for it; an acceptance is stored before anything continues."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.errors import AppError
from app.ui.background import BackgroundThread
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
    """The questions of a window; what cannot be remembered is shown in `banner`, and counts as declined."""

    def __init__(self, window: QWidget, banner: Banner) -> None:
        super().__init__(window)
        self._window, self._banner = window, banner
        self._open: list[Question] = []
        self._background = BackgroundThread(self, "licences")

    def ask(self, voice_id: str, name: str, text: str, accepted: Callable[[], object], declined: Callable[[], object]) -> None:
        """Shows a licence, unless it is shown already; one of the two is called."""
        question = next((item for item in self._open if (item.voice_id, item.text) == (voice_id, text)), None)
        if question is None:
            question = self._begin(Question(voice_id, name, text))
        question.accepted.append(accepted)
        question.declined.append(declined)

    def close(self) -> None:
        """Waits until what was accepted is remembered."""
        self._background.close(finish=True)

    def _begin(self, question: Question) -> Question:
        from app.ui.widgets.text_dialog import ask_licence  # few starts ask

        self._open.append(question)
        dialog = ask_licence(self._window, question.name, question.text)
        dialog.accepted.connect(lambda: self._on_accepted(question))
        dialog.rejected.connect(lambda: self._answer(question, question.declined))
        return question

    def _on_accepted(self, question: Question) -> None:
        def refuse(error: AppError) -> None:
            self._answer(question, question.declined)
            self._banner.show_error(error)

        self._background.run(lambda: _remember(question), lambda _nothing: self._answer(question, question.accepted), refuse)

    def _answer(self, question: Question, called: list[Callable[[], object]]) -> None:
        self._open.remove(question)
        for call in called:
            call()


def _remember(question: Question) -> None:
    from app.install.licence import Licence, remember

    remember(Licence(question.voice_id, question.name, question.text))
