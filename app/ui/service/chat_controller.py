"""The switch of the chat reader: listens as the settings say, and lets comments speak while the user hears nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.common.errors import AudioDeviceError
from app.common.language import localize
from app.engine.synthesis_jobs import SpeakFailure, SpeechJob
from app.service.chat.chat_queue import ChatTalk
from app.settings.user_settings import Settings
from app.ui.script.script_document import ScriptDocument
from app.ui.service.service_controller import ListenerController
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.service.window_listeners import WindowChat


class ChatController(ListenerController["WindowChat"]):
    """Made when the chat reader is switched on for the first time; its button opens the settings.

    Signals:
        settings_requested(): the user wants to see its settings.

    Args:
        script: its characters read comments, too.
    """

    RESTART_SETTINGS = ("chat_reader", "chat_port", "chat_http_port", "service_origins")
    settings_requested = Signal()
    _queue_changed = Signal()
    _skip_requested = Signal()

    def __init__(
        self, window: QWidget, settings: SettingsStore, speech: SpeechController, banner: Banner, *, script: ScriptDocument
    ) -> None:
        title, name = localize("コメント", "Chat"), localize("コメントの読み上げ", "Chat reader")
        tip = localize(
            "コメントビューアーからの読み上げを受け付けます。クリックすると設定を開きます。",
            "Takes comments from comment viewers. Click to open the settings.",
        )
        super().__init__(window, settings=settings, banner=banner, title=title, name=name, tip=tip, thread_name="chat reader switch")
        self._speech, self._script = speech, script
        self.reader: WindowChat | None = None  # while it listens
        # The comment that is being read. It is known before its job is: a short one may end while it is still being asked for.
        self._talk: ChatTalk | None = None
        self._job: SpeechJob | None = None
        self.button.clicked.connect(self.settings_requested)
        # Queued: they come from other threads, and from within the reports of the job before.
        self._queue_changed.connect(self._advance_queue, Qt.ConnectionType.QueuedConnection)
        self._skip_requested.connect(self.skip_comment, Qt.ConnectionType.QueuedConnection)
        settings.changed.connect(self._replace_rules)
        speech.speech_played.connect(self._finish_job)
        speech.speech_dropped.connect(self._return_dropped)
        speech.speaking_failed.connect(self._give_up_job)
        speech.state_changed.connect(self._follow_speech)
        self._restart_listener(settings.value)

    @Slot()
    def skip_comment(self) -> None:
        """End the comment that is being read; it is not read again."""
        if (job := self._job) is not None:
            self._finish_job(job)
            self._speech.skip_job(job)

    def close(self) -> None:
        """Stop listening."""
        self.reader = None
        super().close()

    def _restart_listener(self, settings: Settings) -> None:
        self.reader = None
        super()._restart_listener(settings)

    def _create_listener(self, settings: Settings) -> WindowChat:
        from app.ui.service.window_listeners import WindowChat  # here, in the background: it brings the catalogue of voices

        return WindowChat(settings, self._queue_changed.emit, self._skip_requested.emit)

    def _use_listener(self, listener: WindowChat | None) -> None:
        self.reader = listener
        if listener is not None:
            self._advance_queue()
        else:
            self.skip_comment()

    @Slot(object, object)
    def _replace_rules(self, _before: Settings, after: Settings) -> None:
        if self.reader is not None:
            from app.service.chat.chat_queue import build_chat_rules

            self.reader.queue.rules = build_chat_rules(after)

    @Slot()
    def _advance_queue(self) -> None:
        """Let the next comment speak if nothing else sounds: what the user plays comes first, and cuts off a comment."""
        if self.reader is None or self._talk is not None or self._speech.spoken_jobs:
            return
        talk = self._talk = self.reader.queue.take_talk()
        if talk is not None:
            request, cast = self.reader.build_request(talk, self._settings.value, self._script.script.cast)
            job = self._speech.speak_comment(request, cast, talk)
            self._job = job if self._talk is talk else None

    @Slot(object)
    def _finish_job(self, job: SpeechJob) -> None:
        if self._is_own(job):
            self._talk = self._job = None
            if self.reader is not None:
                self.reader.queue.finish_talk()
            # One that begins and ends at once changes no state of the speech that could be followed.
            self._queue_changed.emit()

    @Slot(object)
    def _return_dropped(self, jobs: Sequence[SpeechJob]) -> None:
        """Return a comment that something else has cut off to the queue, so that it is read again from its beginning."""
        talk = self._talk
        if talk is None or not any(map(self._is_own, jobs)):
            return
        self._talk = self._job = None
        if self.reader is not None:
            self.reader.queue.return_talk(talk)

    @Slot(object)
    def _give_up_job(self, failure: SpeakFailure) -> None:
        if self._is_own(failure.job):
            if isinstance(failure.error, AudioDeviceError) and self.reader is not None:
                self.reader.queue.clear()  # those that wait would fail as well
            self._finish_job(failure.job)

    def _is_own(self, job: SpeechJob) -> bool:
        return self._talk is not None and job.source is self._talk

    @Slot(object)
    def _follow_speech(self, state: SpeechState) -> None:
        if not state.is_speaking:
            self._queue_changed.emit()
