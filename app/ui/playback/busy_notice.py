"""Says that the computer is too busy for the voice where lines have to wait for long or again and again, and offers what helps."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Slot

from app.common.language import localize
from app.engine.synthesis_jobs import SpeechJob
from app.ui.settings.settings_store import SettingsStore
from app.ui.synthesis.pending_jobs import SpeechState
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.widgets.banner import Banner, BannerButton

SLOW_WAIT_S = 1.0
SLOW_LINES = 2  # so many lines one after the other that waited longer than that in silence are no accident

LONG_WAIT_MS = 3000  # after this nobody should have to guess why nothing is heard


class BusyNotice(QObject):
    """Counts slow lines; once the user has read of them, it says nothing more until the program starts again.

    Args:
        use_light_voice: gives the selected lines the included voice, which is computed forty times as fast.
    """

    def __init__(self, *, speech: SpeechController, settings: SettingsStore, banner: Banner, use_light_voice: Callable[[], object]) -> None:
        super().__init__(settings)
        self._settings, self._banner, self._use_light_voice = settings, banner, use_light_voice
        self._slow_lines = 0
        # Runs while nothing is heard; the notice appears when it ends.
        self.long_wait = QTimer(self, singleShot=True, interval=LONG_WAIT_MS)
        self.long_wait.timeout.connect(self._show_notice)
        speech.speech_waited.connect(self._count_line)
        speech.state_changed.connect(self._follow_state)

    @Slot(object)
    def _follow_state(self, state: SpeechState) -> None:
        if not state.is_preparing:
            self.long_wait.stop()
        elif self._slow_lines < SLOW_LINES and not self._settings.value.prepare_first and not self.long_wait.isActive():
            self.long_wait.start()

    @Slot(object, float)
    def _count_line(self, job: SpeechJob, waited_s: float) -> None:
        if self._slow_lines >= SLOW_LINES or self._settings.value.prepare_first or not job.voice:
            return
        self._slow_lines = self._slow_lines + 1 if waited_s > SLOW_WAIT_S else 0
        if self._slow_lines >= SLOW_LINES:
            self._show_notice()

    @Slot()
    def _show_notice(self) -> None:
        self._slow_lines = SLOW_LINES
        light = localize("「Mei（付属）」を使う", "Use “Mei (starter)”")
        self._banner.show_message(
            "notice",
            localize("このコンピューターは今、この声には忙しすぎます。", "This computer is too busy for this voice right now."),
            localize(
                "途切れないように、再生の前と間で待っています。軽い声に変えるか、先に合成してから再生できます。",
                "To play without gaps, Koebako waits before and between phrases. Use the light voice, or prepare each phrase first.",
            ),
            action=light,
            tip=localize("選んだ行の声を、軽い付属の声に変更します。", "The selected lines will use the light voice."),
            on_action=lambda: self._run_remedy(self._use_light_voice),
            other=BannerButton(
                localize("先に合成する", "Prepare first"),
                localize(
                    "フレーズを合成し終えてから再生します。設定で戻せます。",
                    "Plays a phrase once all of it is computed. Settings can undo this.",
                ),
                lambda: self._run_remedy(lambda: self._settings.change_settings(prepare_first=True)),
            ),
        )

    def _run_remedy(self, remedy: Callable[[], object]) -> None:
        self._banner.hide()
        remedy()
