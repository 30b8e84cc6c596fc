"""Asks the user to accept licences.

One licence is one question, however many tasks wait for it. An acceptance is stored before any of them continues.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.common.errors import AppError
from app.ui.background_thread import BackgroundThread
from app.ui.widgets.banner import Banner


@dataclass(frozen=True, slots=True, eq=False)
class LicenceQuestion:
    """A licence with the callbacks for both answers."""

    voice_id: str
    name: str
    text: str
    accept_callbacks: list[Callable[[], object]] = field(default_factory=list)
    decline_callbacks: list[Callable[[], object]] = field(default_factory=list)


class LicenceQuestionQueue(QObject):
    """The open licence questions of a window. An acceptance that cannot be stored is shown in `banner` and counts as declined."""

    def __init__(self, window: QWidget, banner: Banner) -> None:
        super().__init__(window)
        self._window, self._banner = window, banner
        self._questions: list[LicenceQuestion] = []
        self._background = BackgroundThread(self, "licences")

    def ask_for_consent(
        self, voice_id: str, name: str, text: str, on_accept: Callable[[], object], on_decline: Callable[[], object]
    ) -> None:
        """Show a licence unless it is shown already; later exactly one of the two callbacks is called."""
        question = next((item for item in self._questions if (item.voice_id, item.text) == (voice_id, text)), None)
        if question is None:
            question = self._show_question(LicenceQuestion(voice_id, name, text))
        question.accept_callbacks.append(on_accept)
        question.decline_callbacks.append(on_decline)

    def close(self) -> None:
        """Wait until accepted licences are stored."""
        self._background.close(finish=True)

    def _show_question(self, question: LicenceQuestion) -> LicenceQuestion:
        from app.ui.widgets.text_dialog import ask_for_licence  # few starts ask

        self._questions.append(question)
        dialog = ask_for_licence(self._window, question.name, question.text)
        dialog.accepted.connect(lambda: self._store_acceptance(question))
        dialog.rejected.connect(lambda: self._close_question(question, question.decline_callbacks))
        return question

    def _store_acceptance(self, question: LicenceQuestion) -> None:
        def reject_question(error: AppError) -> None:
            self._close_question(question, question.decline_callbacks)
            self._banner.show_error(error)

        def store_acceptance() -> None:
            from app.install.voice_licence import VoiceLicence, record_acceptance

            record_acceptance(VoiceLicence(question.voice_id, question.name, question.text))

        self._background.run_work(
            store_acceptance, lambda _nothing: self._close_question(question, question.accept_callbacks), reject_question
        )

    def _close_question(self, question: LicenceQuestion, callbacks: list[Callable[[], object]]) -> None:
        self._questions.remove(question)
        for call in callbacks:
            call()
