"""The main window: puts the widgets in their places and connects them to the controller."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, Qt, Slot
from PySide6.QtGui import QCloseEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMainWindow, QWidget

from app.core.types import SynthesisRequest
from app.errors import AppError
from app.language import say
from app.settings import THEMES, Settings
from app.ui.controller import SpeechController
from app.ui.failures import tell_failure
from app.ui.icons import icon
from app.ui.jobs import Failed, OpenedVoice, OpenVoice, Surroundings
from app.ui.keeper import SettingsKeeper
from app.ui.menus import Menus
from app.ui.save_dialog import ask_for_file
from app.ui.state import SpeechState
from app.ui.theme import apply_theme, chosen_theme
from app.ui.widgets.latency_dock import LatencyDock
from app.ui.widgets.script_panel import ScriptPanel
from app.ui.widgets.side_panel import SidePanel
from app.ui.widgets.status_line import StatusLine

SMALLEST = (1100, 700)
FIRST_SIZE = (1280, 760)
FIRST_TEXT = "こんにちは、声箱です。好きな文章を打って、声にしてみてください。"


class MainWindow(QMainWindow):
    """Text at the left, voice at the right, measurements below.

    Args:
        settings: as remembered; `notice` tells what of them could not be read.
        controller: not started yet; it ends with the window.
    """

    def __init__(self, settings: Settings, controller: SpeechController, notice: AppError | None = None) -> None:
        super().__init__()
        self.setWindowTitle("Koebako")
        self.setWindowIcon(icon("koebako"))
        self.setMinimumSize(*SMALLEST)
        self._settings = settings
        self._waiting = False
        self.controller = controller
        self.left = ScriptPanel(FIRST_TEXT if settings.text is None else settings.text)
        self.notice, self.banner = self.left.notice, self.left.banner
        self.script, self.transport = self.left.script, self.left.transport
        self.side = SidePanel()
        self.side.restore(settings)
        self.latency = LatencyDock(controller.history, chosen_theme(settings.theme))
        self.status = StatusLine(settings.backend)
        self.menus = Menus(settings.device, settings.theme)
        self._keeper = SettingsKeeper(self.current_settings, self)
        self._lay_out()
        self._connect_widgets()
        self._connect_controller()
        if notice is not None:
            self.notice.tell("notice", notice.message, notice.hint)

    def start(self) -> None:
        """Shows the window, and opens voice and audio device behind it."""
        self.show()
        if not self._settings.layout:  # a dock takes a size only once it is shown
            self.resizeDocks([self.latency], [self.latency.sizeHint().height()], Qt.Orientation.Vertical)
        self.controller.start(self._settings.backend, self._settings.device)

    def show_theme(self) -> None:
        """Puts the chosen look on everything."""
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        theme = chosen_theme(self._settings.theme)
        apply_theme(app, theme)
        self.latency.set_theme(theme)

    def current_settings(self) -> Settings:
        """What would be remembered now."""
        return replace(
            self._settings,
            text=self.script.text,
            backend=self.status.backend,
            speaker=self.side.chosen(self.side.speakers)[1],
            style=self.side.chosen(self.side.styles)[1],
            seed=self.side.seed.value,
            expression_open=self.side.expression.is_open,
            geometry=bytes(self.saveGeometry().toBase64().data()).decode(),
            layout=bytes(self.saveState().toBase64().data()).decode(),
            **self.side.values(),
        )

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remembers everything, then ends the synthesis thread."""
        self._waiting = False
        self._keeper.close()
        self.hide()
        self.controller.close()
        super().closeEvent(event)

    @Slot()
    def play_or_stop(self) -> None:
        """Speaks the text, or stops when something is spoken. Before the voice is there it speaks as soon as it is."""
        if self._waiting or self.controller.state.speaking:
            self.stop()
        elif self.left.has_text():
            self.banner.hide()
            self._waiting = self.controller.voice is None and self.controller.state.loading
            if self._waiting:
                self._on_state(self.controller.state)
            else:
                self.controller.speak(self._request())

    @Slot()
    def stop(self) -> None:
        """Stops what is spoken."""
        self._waiting = False
        self.controller.stop()
        self._on_state(self.controller.state)

    @Slot()
    def save_or_stop(self) -> None:
        """Asks for a file and writes the text's sound into it, or gives up the one being written."""
        if self.controller.state.saving:
            self.controller.stop_saving()
        elif self.left.has_text():
            file = ask_for_file(self, self.script.text, self._settings.save_folder)
            if file is not None:
                self._settings = replace(self._settings, save_folder=str(file.parent))
                self.banner.hide()
                self.controller.save(self._request(), file)

    def _lay_out(self) -> None:
        body = QWidget()
        row = QHBoxLayout(body)
        row.setContentsMargins(14, 12, 14, 8)
        row.setSpacing(16)
        row.addWidget(self.left, 1)
        row.addWidget(self.side)
        self.setCentralWidget(body)
        self.setMenuBar(self.menus)
        self.setStatusBar(self.status)
        self.addDockWidget(Qt.DockWidgetArea.BottomDockWidgetArea, self.latency)
        self.menus.view.addAction(self.latency.toggleViewAction())
        if not self.restoreGeometry(QByteArray.fromBase64(self._settings.geometry.encode())):
            self.resize(*FIRST_SIZE)
        self.restoreState(QByteArray.fromBase64(self._settings.layout.encode()))
        self.script.setFocus()

    def _connect_widgets(self) -> None:
        for source in (self.menus, self.transport):
            source.play_wanted.connect(self.play_or_stop)
            source.save_wanted.connect(self.save_or_stop)
        self.menus.stop_wanted.connect(self.stop)
        self.menus.quit_wanted.connect(self.close)
        self.menus.theme_chosen.connect(self._choose_theme)
        self.menus.device_chosen.connect(self._choose_device)
        self.banner.action_wanted.connect(self.save_or_stop)
        self.status.backend_chosen.connect(self._choose_backend)
        self.left.changed.connect(self._keeper.changed)
        self.side.changed.connect(self._keeper.changed)
        self._keeper.failed.connect(self._on_unsaved)
        QGuiApplication.styleHints().colorSchemeChanged.connect(self._on_color_scheme)

    def _connect_controller(self) -> None:
        self.controller.state_changed.connect(self._on_state)
        self.controller.voice_opened.connect(self._on_voice)
        self.controller.surroundings_found.connect(self._on_surroundings)
        self.controller.failed.connect(self._on_failed)
        self.controller.saved.connect(self._on_saved)
        self.controller.measured.connect(self._on_measured)
        self.controller.ticked.connect(self._on_tick)

    def _request(self) -> SynthesisRequest:
        return SynthesisRequest(
            self.script.text,
            speaker=self.side.chosen(self.side.speakers)[0],
            style=self.side.chosen(self.side.styles)[0],
            seed=self.side.seed.value,
            **self.side.values(),
        )

    @Slot(object)
    def _on_state(self, state: SpeechState) -> None:
        self.status.show_state(state)
        self.transport.show_state(state, self._waiting)

    @Slot(object)
    def _on_voice(self, voice: OpenedVoice) -> None:
        self.side.show_voice(voice)
        self.status.show_voice(voice)
        self.latency.show_figures()
        if voice.fallback:
            self.banner.tell("trouble", voice.fallback, say("音は CPU で作られます。", "The sound is made on the CPU."))
        if self._waiting:
            self._waiting = False
            self.controller.speak(self._request())

    @Slot(object)
    def _on_surroundings(self, found: Surroundings) -> None:
        self.status.offer(found)
        self.menus.offer_devices(found.devices, self._settings.device)

    @Slot(object)
    def _on_failed(self, failed: Failed) -> None:
        if isinstance(failed.job, OpenVoice):
            self._waiting = False
            if self.controller.voice is None:
                self.side.show_no_voice()
            else:  # the voice that was open before goes on
                self.status.show_voice(self.controller.voice)
        told = tell_failure(failed)
        self.banner.tell("trouble", told.message, told.hint, action=told.action, details=told.details)
        self._on_state(self.controller.state)

    @Slot(object)
    def _on_saved(self, file: Path) -> None:
        self.banner.tell("notice", say(f"保存しました: {file.name}", f"Saved: {file.name}"), str(file.parent))

    @Slot(object)
    def _on_unsaved(self, error: AppError) -> None:
        self.notice.tell("trouble", error.message, error.hint)

    @Slot()
    def _on_measured(self) -> None:
        self.latency.show_figures()
        self.status.show_figures(self.controller.history)

    @Slot()
    def _on_tick(self) -> None:
        self.latency.show_live(self.controller.live())

    @Slot(str)
    def _choose_backend(self, backend: str) -> None:
        self.banner.hide()
        self.controller.open_voice(backend)
        self._keeper.changed()

    @Slot(str)
    def _choose_device(self, device: str) -> None:
        self._settings = replace(self._settings, device=device)
        self.banner.hide()
        self.controller.choose_device(device)
        self._keeper.changed()

    @Slot(str)
    def _choose_theme(self, name: str) -> None:
        self._settings = replace(self._settings, theme=next(theme for theme in THEMES if theme == name))
        self.show_theme()
        self._keeper.changed()

    @Slot()
    def _on_color_scheme(self) -> None:
        if self._settings.theme == "system":
            self.show_theme()
