"""The switch of the chat reader: listens as the settings say, and lets comments speak while the user hears nothing else; opens their window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget

from app.common.errors import AudioDeviceError, InputError
from app.common.language import localize
from app.engine.synthesis_jobs import SpeakFailure, SpeechJob
from app.service.chat.chat_protocol import ChatCommand, ChatMessage, ChatTalk
from app.service.chat.chat_queue import ChatOutcome, ChatSnapshot
from app.service.chat.chat_voices import fold_writer_name, parse_chat_voices, replace_chat_voice
from app.settings.user_settings import MOST_MUTED_WRITERS, Settings
from app.ui.script.script_document import ScriptDocument
from app.ui.service.caption_follower import CaptionFollower
from app.ui.service.service_controller import ListenerController
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner
from app.ui.widgets.dialogs import OpenDialog, show_in_front

if TYPE_CHECKING:
    from app.ui.service.chat_window import ChatWindow
    from app.ui.service.window_listeners import WindowChat


REFRESH_MS = 100  # button and window, however many comments come


class ChatController(ListenerController["WindowChat"]):
    """Made when the chat reader is switched on for the first time; its button opens the window of the queue.

    Signals:
        settings_requested(): the user wants to see its settings.
        introduction_requested(VoicePick): the user wants to hear somebody who may read comments.

    Args:
        script: its characters read comments, too.
    """

    queue_window: OpenDialog[ChatWindow] = OpenDialog()  # while it is open
    RESTART_SETTINGS = ("chat_reader", "chat_port", "chat_http_port", "service_origins")
    settings_requested = Signal()
    introduction_requested = Signal(object)
    _queue_changed = Signal()
    _skip_requested = Signal()
    _file_failed = Signal(object)

    def __init__(
        self, window: QWidget, settings: SettingsStore, speech: SpeechController, banner: Banner, *, script: ScriptDocument
    ) -> None:
        title, name = localize("コメント", "Chat"), localize("コメントの読み上げ", "Chat reader")
        tip = localize(
            "コメントビューアーからの読み上げを受け付けます。クリックすると、コメントの一覧を開きます。",
            "Takes comments from comment viewers. Click to open the list of comments.",
        )
        super().__init__(window, settings=settings, banner=banner, title=title, name=name, tip=tip, thread_name="chat reader switch")
        self._window, self._speech, self._script = window, speech, script
        self.reader: WindowChat | None = None  # while it listens
        # The comment that is being read. It is known before its job is: a short one may end while it is still being asked for.
        self._talk: ChatTalk | None = None
        self._job: SpeechJob | None = None
        self._captions = CaptionFollower(self, speech)
        self._is_change_reported = False  # and not looked at yet
        self._reader_names: dict[tuple[str, int], str] = {}  # as the window shows them, by the voice's name and number
        self._soon = QTimer(self, singleShot=True, interval=REFRESH_MS)
        self._soon.timeout.connect(self._show_queue)
        self.button.clicked.connect(self.open_window)
        # Queued: they come from other threads, and from within the reports of the job before.
        self._queue_changed.connect(self._advance_queue, Qt.ConnectionType.QueuedConnection)
        self._skip_requested.connect(self.skip_comment, Qt.ConnectionType.QueuedConnection)
        self._file_failed.connect(banner.show_error)
        settings.changed.connect(self._apply_settings)
        speech.speech_played.connect(self._finish_job)
        speech.speech_dropped.connect(self._return_dropped)
        speech.speaking_failed.connect(self._give_up_job)
        speech.state_changed.connect(self._follow_speech)
        self._restart_listener(settings.value)

    @Slot()
    def skip_comment(self) -> None:
        """End the comment that is being read; it is not read again."""
        if (job := self._job) is not None:
            self._finish_job(job, ChatOutcome.SKIPPED)
            self._speech.skip_job(job)

    @Slot()
    def open_window(self) -> None:
        """Show the comments that wait, and what became of the last ones."""
        if self.queue_window is None:
            self.queue_window = self._create_window()
        self._show_queue()
        show_in_front(self.queue_window)

    def choose_voice(self, who: str, voice: str) -> None:
        """Let a voice read the comments of a writer, or those with a number, from now on; an empty voice leaves them to the usual one."""
        try:
            chat_voices = replace_chat_voice(self._settings.value.chat_voices, who, voice)
        except InputError as error:
            if self.queue_window is not None:
                self.queue_window.show_problem(f"{error.message} {error.hint}")
            return
        self._settings.change_settings(chat_voices=chat_voices)

    def mute_writer(self, writer: str, is_muted: bool) -> None:
        """Leave the comments of a writer out from now on, the one that is being read included, or read them again."""
        others = [name for name in self._settings.value.chat_muted if fold_writer_name(name) != fold_writer_name(writer)]
        muted = (*others, writer)[-MOST_MUTED_WRITERS:] if is_muted else tuple(others)
        self._settings.change_settings(chat_muted=muted)
        if is_muted and self._talk is not None and fold_writer_name(self._talk.writer) == fold_writer_name(writer):
            self.skip_comment()

    def close(self) -> None:
        """Stop listening."""
        if self.queue_window is not None:
            self.queue_window.reject()
        self.reader = None
        super().close()

    def _restart_listener(self, settings: Settings) -> None:
        self.reader = None
        super()._restart_listener(settings)

    def _create_listener(self, settings: Settings) -> WindowChat:
        from app.ui.service.window_listeners import WindowChat  # here, in the background: it brings the catalogue of voices

        return WindowChat(settings, self._report_change, self._skip_requested.emit, self._file_failed.emit)

    def _use_listener(self, listener: WindowChat | None) -> None:
        self.reader = listener
        if listener is not None:
            listener.apply_settings(self._settings.value)  # they may have changed while it was being made
            self._advance_queue()
        else:
            self.skip_comment()
            self._show_queue()

    @Slot(object, object)
    def _apply_settings(self, _before: Settings, after: Settings) -> None:
        if self.reader is not None:
            self.reader.apply_settings(after)
        self._report_change()

    def _report_change(self) -> None:
        """Look at the queue soon; any thread may call it, as often as it likes."""
        # One report at a time: a flood of comments would fill the window's events.
        if not self._is_change_reported:
            self._is_change_reported = True
            self._queue_changed.emit()

    @Slot()
    def _advance_queue(self) -> None:
        """Let the next comment speak if nothing else sounds: what the user plays comes first, and cuts off a comment."""
        self._is_change_reported = False  # before it looks: what comes from now on is another change
        if not self._soon.isActive():
            self._soon.start()
        if self.reader is None or self._talk is not None or self._speech.spoken_jobs:
            return
        talk = self._talk = self.reader.queue.take_talk()
        if talk is not None:
            request, cast = self.reader.build_request(talk, self._settings.value, self._script.script.cast)
            job = self._speech.speak_comment(request, cast, talk)
            self._job = job if self._talk is talk else None
            if self._job is not None:
                self._captions.begin_comment(self.reader.captions, talk, job)

    @Slot(object)
    def _finish_job(self, job: SpeechJob, outcome: ChatOutcome = ChatOutcome.READ) -> None:
        if self._is_own(job):
            self._talk = self._job = None
            self._captions.end_comment()
            if self.reader is not None:
                self.reader.queue.finish_talk(outcome)
            # One that begins and ends at once changes no state of the speech that could be followed.
            self._report_change()

    @Slot(object)
    def _return_dropped(self, jobs: Sequence[SpeechJob]) -> None:
        """Return a comment that something else has cut off to the queue, so that it is read again from its beginning."""
        talk = self._talk
        if talk is None or not any(map(self._is_own, jobs)):
            return
        self._talk = self._job = None
        self._captions.end_comment()
        if self.reader is not None:
            self.reader.queue.return_talk(talk)
        self._report_change()

    @Slot(object)
    def _give_up_job(self, failure: SpeakFailure) -> None:
        if self._is_own(failure.job):
            if isinstance(failure.error, AudioDeviceError) and self.reader is not None:
                self.reader.queue.clear()  # those that wait would fail as well
            self._finish_job(failure.job, ChatOutcome.FAILED)

    def _is_own(self, job: SpeechJob) -> bool:
        return self._talk is not None and job.source is self._talk

    @Slot(object)
    def _follow_speech(self, state: SpeechState) -> None:
        if not state.is_speaking:
            self._report_change()

    @Slot()
    def _show_queue(self) -> None:
        reader = self.reader
        snapshot = reader.queue.take_snapshot() if reader is not None else ChatSnapshot()
        if reader is not None:
            count = len(snapshot.waiting)
            waiting = localize(f"{count} 件", f"{count} waiting")
            paused = localize(f"一時停止中（{count} 件）", f"paused ({count} waiting)")
            self._show_state(paused if snapshot.is_paused else waiting if count else reader.place)
        if self.queue_window is not None:
            from app.ui.service.chat_window import ChatWindowState

            self._reader_names.clear()
            addresses, page = (reader.addresses, reader.caption_address) if reader is not None else ((), "")
            self.queue_window.show_state(ChatWindowState(snapshot, self.status, addresses, page, self._settings.value.chat_captions))

    def _create_window(self) -> ChatWindow:
        from app.ui.service.chat_window import ChatWindow, ViewerChoices

        viewers = ViewerChoices(
            describe_reader=self._describe_reader,
            list_voices=lambda: self.reader.list_choices(self._script.script.cast) if self.reader is not None else (),
            find_voice=self._find_chosen_voice,
            is_muted=lambda writer: self.reader is not None and self.reader.queue.rules.is_muted(writer),
        )
        window = ChatWindow(self._window, viewers)
        window.skip_requested.connect(self.skip_comment)
        window.clear_requested.connect(lambda: self._send_command(ChatCommand.CLEAR))
        window.pause_requested.connect(lambda is_on: self._send_command(ChatCommand.PAUSE if is_on else ChatCommand.RESUME))
        window.removal_requested.connect(self._remove_comment)
        window.mute_requested.connect(self.mute_writer)
        window.voice_requested.connect(self.choose_voice)
        window.settings_requested.connect(self.settings_requested)
        window.introduction_requested.connect(self.introduction_requested)
        window.captions_requested.connect(lambda is_on: self._settings.change_settings(chat_captions=is_on))
        return window

    def _send_command(self, command: ChatCommand) -> None:
        if self.reader is not None:
            self.reader.queue.handle_message(ChatMessage(command))

    @Slot(int)
    def _remove_comment(self, number: int) -> None:
        if self.reader is not None:
            self.reader.queue.remove_talk(number)
            self._report_change()

    def _describe_reader(self, talk: ChatTalk) -> str:
        key = (talk.voice_name, talk.voice)
        if key not in self._reader_names:
            cast = self._script.script.cast
            self._reader_names[key] = self.reader.describe_reader(talk, cast) if self.reader is not None else ""
        return self._reader_names[key]

    def _find_chosen_voice(self, who: str) -> str:
        numbers, writers = parse_chat_voices(self._settings.value.chat_voices)
        return (numbers.get(int(who), "") if who.isdigit() else "") or writers.get(fold_writer_name(who), "")
