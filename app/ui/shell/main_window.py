"""The main window: creates its features, shows them, and closes them."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QTimer, Signal, Slot
from PySide6.QtGui import QCloseEvent, QColor, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.adapters.window_requests import ReadRequest
from app.common.errors import AppError
from app.common.language import localize
from app.common.log import allow_words_in_log
from app.common.user_notices import show_notice
from app.settings.user_settings import Settings
from app.ui.actions.window_actions import WindowActions
from app.ui.latency.latency_dock import LatencyDock
from app.ui.parameters.side_panel import USUAL_WIDTH, SidePanel
from app.ui.projects.project_document import ProjectDocument
from app.ui.projects.project_files import RecentProjectsMenu
from app.ui.script.autosave import choose_first_voice, is_first_start, locate_autosave_file, open_startup_script, show_greeting
from app.ui.script.script_document import ScriptDocument
from app.ui.script.undo_history import load_undo_history
from app.ui.settings.settings_store import SettingsStore
from app.ui.shell.audition_feature import AuditionFeature, CastFeature, LabFeature
from app.ui.shell.close_guard import AutosaveGuard, CloseGuard
from app.ui.shell.dialog_controller import DialogController
from app.ui.shell.files_feature import FilesFeature, ProjectsFeature, TakesFeature
from app.ui.shell.menu_bar import EditToolBar, MenuBar
from app.ui.shell.playback_feature import PlaybackFeature
from app.ui.shell.read_aloud_feature import ReadAloudFeature, ServiceFeature
from app.ui.shell.script_feature import ParametersFeature, ReadingFeature, ScriptFeature
from app.ui.shell.status_line import StatusLine
from app.ui.shell.theme_switcher import ThemeSwitcher
from app.ui.shell.update_feature import UpdateFeature
from app.ui.shell.voices_feature import VoicesFeature
from app.ui.shell.window_context import WindowContext
from app.ui.shell.window_layout import ColumnSplitter, LatencyFeature, keep_window_on_screen, lay_out_window
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import Theme, apply_palette, draw_icon, resolve_theme
from app.ui.voices.voice_catalog import VoiceCatalog
from app.voices.voice_labels import NATURAL_VOICE_ID

NO_TOOLBAR_HEIGHT = 400  # window height in pixels; below it the lines get the toolbar's room, as menus and keys have all of its actions

MAX_FIRST_PAINT_MS = 1000  # milliseconds; a window that starts minimised or behind a locked screen is never painted


class FirstPaintWatcher(QObject):
    """Watches a window before it is shown.

    Signals:
        painted(): emitted once, when `is_over` becomes true.
    """

    painted = Signal()

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.is_over = False  # the window was painted, or the time limit has passed
        self._window = window
        self._timer = QTimer(self, singleShot=True)
        self._timer.timeout.connect(self._report_painted)
        window.installEventFilter(self)

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        """Start the timer at the first paint."""
        if event.type() == QEvent.Type.Paint:
            # The window's own paint event comes before those of its children; a timer of 0 ms fires after all of them.
            self._timer.start(0)
        elif event.type() == QEvent.Type.Show:
            self._timer.start(MAX_FIRST_PAINT_MS)
        elif event.type() == QEvent.Type.Close:
            self._timer.stop()
        return False

    @Slot()
    def _report_painted(self) -> None:
        self.is_over = True
        self._window.removeEventFilter(self)
        self.painted.emit()


class MainWindow(QMainWindow):
    """Shows lines at the left, the voice at the right, and measurements below.

    The features are private: each is given what it uses when it is created, and none reaches another through the window.

    Args:
        settings: the stored settings; `notice` is the error of those that could not be read.
        speech: the controller, not started yet; it ends with the window.
    """

    def __init__(self, settings: Settings, speech: SpeechController, notice: AppError | None = None) -> None:
        is_first = is_first_start(settings)
        settings = choose_first_voice(settings)
        super().__init__()
        self.setWindowIcon(draw_icon("koebako"))
        self.is_restarting = self._is_quitting = False  # is_restarting: the window closes only to be opened again
        self.settings = SettingsStore(settings, self)  # the settings, which change while the window is open
        self._speech = speech
        self.first_paint = FirstPaintWatcher(self)  # reports the first paint, after which voices are scanned and the first one is opened
        script, stored = open_startup_script(settings)
        theme = resolve_theme(settings.theme)
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        # The style sheet follows with `show_theme`.
        apply_palette(application, theme)
        # The document is created before the actions: when it is deleted its undo stack still emits signals to them.
        self.document = ScriptDocument(script, self)  # the lines, with undo
        self._context = WindowContext(
            window=self,
            settings=self.settings,
            document=self.document,
            project=ProjectDocument(self.document, stored.origin),
            actions=WindowActions(self),
            speech=speech,
            catalog=VoiceCatalog(self, settings.favourite_voices, settings.precision_preference),
            side=SidePanel(),
            theme=theme,
        )
        self._create_widgets()
        self._create_features()
        self._theme_switcher = ThemeSwitcher(application, self.settings, self)
        self._create_shell()
        self._create_asked_features()
        self._updates = UpdateFeature(self._context, self._script.panel, is_first=is_first)
        self._connect_shell()
        self._connect_first_paint()
        self._script.select_first_line(stored.current)
        self.document.restore_history(load_undo_history(script, locate_autosave_file()))
        self._parameters.show_all()
        self._script.duration.measure_now()
        self._context.side.presets.load_presets()
        if is_first:
            show_greeting(
                self._script.notice,
                self._context.actions["natural_voice"].trigger,
                self._playback.queue.line_began,
                has_natural_voice=self.settings.value.voice == NATURAL_VOICE_ID,
            )
        show_notice(stored.error)
        show_notice(notice)

    def show_and_start(self) -> None:
        """Show the window; after the first paint, start the synthesis thread and scan the voices."""
        self._playback.speech_settings.open_first_voice()
        self.first_paint.painted.connect(self._speech.start_thread)
        self.first_paint.painted.connect(self._context.catalog.refresh_voices)
        self.first_paint.painted.connect(self._voices.kokoro.add_waiting_voice)
        self.first_paint.painted.connect(partial(keep_window_on_screen, self, self._opened_size))
        # The parts are folded before the window is shown, which would otherwise be made as high as all open parts need.
        self._reading.fold.fit_to_height(self.height())
        self._reading.melody_fold.fit_to_height(self.height())
        self._latency.fold.fit_to_height(self.height())
        self.show()
        self._latency.restore_height()

    def show_theme(self) -> None:
        """Apply the theme of the settings."""
        self._theme_switcher.show_theme()

    def open_files(self, files: Sequence[Path]) -> None:
        """Open projects, scripts and voices, as when they are dropped on the window."""
        self._files.incoming.open_files(files)

    def show_unexpected_error(self, message: str, hint: str, details: str) -> None:
        """Show an error that no part of the window expected."""
        self._script.banner.show_message("error", message, hint, details=details)

    def stop_saving(self) -> None:
        """Stop saving, for a window that is only tried out."""
        self._autosave_guard.stop_saving()

    @Slot()
    def request_restart(self) -> None:
        """Close the window for a restart; the user may cancel if work would be lost."""
        self.is_restarting = True
        self.close()

    @Slot()
    def begin_tour(self) -> None:
        """Show for some seconds what the parts of the window are for."""
        from app.ui.help.tour import Tour, TourStep

        transport, side = self._script.transport, self._context.side
        parts = (
            (
                self._script.view,
                localize("ここにセリフを書きます。Shift+Enter で次の行へ。", "Write your lines here; Shift+Enter begins the next."),
            ),
            (transport.play, localize("Ctrl+Enter で聞けます。", "Ctrl+Enter lets you hear them.")),
            (
                self._reading.frame,
                localize("読みとアクセントは、ここで直せます。", "Readings and accents are put right here."),
            ),
            (
                side,
                localize(
                    "声と話し方は、ここで選びます。一覧の ▶ で聞き比べられます。",
                    "Voice and manner are chosen here; ▶ in the lists lets you listen.",
                ),
            ),
            (transport.save, localize("できあがったら、音声を書き出します。", "When you like it, export the audio.")),
        )
        Tour(self, [TourStep(*part) for part in parts]).begin_tour()

    def read_request_aloud(self, request: ReadRequest) -> None:
        """Read what another process asks for; raise InputError if that is impossible."""
        self._read_aloud.controller.handle_request(request)

    @Slot()
    def show_in_front(self) -> None:
        """Show the window in front, out of the tray or minimised as it may be."""
        self._read_aloud.show_window()

    @Slot()
    def close_now(self) -> None:
        """Close the window without asking, as when the program is ended from outside."""
        self._close_guard.close_now()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Begin the first line with a letter that no part of the window takes, as the empty list asks to type."""
        if not self._script.view.begin_line_with(event):
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the toolbar."""
        super().resizeEvent(event)
        self._fit_toolbar()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save everything and end the synthesis thread.

        The window stays open while tasks run that the user may want, and once if the script would be lost.
        """
        may_hide = not (self._is_quitting or self.is_restarting or self._close_guard.is_agreed)
        if may_hide and self._read_aloud.hide_to_tray():
            event.ignore()
            return
        if not self._close_guard.may_close():
            event.ignore()
            return
        self._script.view.end_editing()
        self.settings.change_settings(
            geometry=bytes(self.saveGeometry().toBase64().data()).decode(), layout=bytes(self.saveState().toBase64().data()).decode()
        )
        self._playback.stop_for_good()
        # A slow disk must not keep the window on the screen.
        self.hide()
        # Pending takes and saves change the project, so they end before the files are written.
        for saver in (self._takes.lines, self._projects.files):
            saver.wait_until_saved()
        if not self._autosave_guard.finish_saving():
            event.ignore()
            return
        # What was opened last closes first; the voices and the synthesis thread end when nothing uses them any more.
        for feature in (self._updates, self._read_aloud, self._lab, self._audition, self._cast, self._files, self._service):
            feature.close()
        for part in (self._projects, self._takes, self._dialogs, self._reading, self._voices, self._speech, self._script):
            part.close()
        super().closeEvent(event)

    @Slot()
    def _fit_toolbar(self) -> None:
        """Hide the toolbar in a low window, as on a small screen at a scale of 200 %, unless it says that some lines are hidden."""
        self._edit_bar.setVisible(self.height() >= NO_TOOLBAR_HEIGHT or self._script.model.is_filtered)

    def _create_widgets(self) -> None:
        context, settings = self._context, self.settings.value
        self._script = ScriptFeature(context)
        context.side.expression.set_open(settings.expression_open)
        panel = self._script.panel
        self._columns = ColumnSplitter(panel, context.side, USUAL_WIDTH, settings.side_width)
        dock = LatencyDock(self._speech.history, context.theme)
        self._status = StatusLine(settings.backend)
        self._edit_bar = EditToolBar(context.actions, self._script.filter_bar)
        self._menus = MenuBar(context.actions, self.settings)
        context.actions.draw_icons(QColor(context.theme.text))
        lay_out_window(self, self._columns, self._menus, self._edit_bar, self._status, dock, settings)
        self._opened_size = self.size()  # of a window that somebody resizes before it is shown, nothing is cut off
        self._latency = LatencyFeature(context, dock, self._columns, self._status.latency)
        self._menus.view.addAction(dock.toggleViewAction())
        self._script.view.setFocus()

    def _create_features(self) -> None:
        context, script = self._context, self._script
        self._playback = PlaybackFeature(context, script, self._status, self._latency.dock)
        queue = self._playback.queue
        self._reading = ReadingFeature(context, script, queue)
        self._voices = VoicesFeature(context, script, self._playback)
        self._takes = TakesFeature(context, script, queue, self._reading, self._voices)
        recent = RecentProjectsMenu(self._menus.recent, self.settings)
        self._projects = ProjectsFeature(context, script, queue, self._voices, self._takes, recent)
        self._parameters = ParametersFeature(context, script, queue)

    def _create_shell(self) -> None:
        script = self._script
        self._dialogs = DialogController(self._context, self._menus, script.notice, self._voices.list_commands)
        other_files = (self.settings.file, self._context.side.presets.file, self._dialogs.keys, self._reading.kept_sounds)
        self._autosave_guard = AutosaveGuard(self, script.notice, script.autosave, other_files)
        exporting = localize("音声の書き出し", "Exporting audio")
        self._close_guard = CloseGuard(self, self._voices.tasks.queue, lambda: [exporting] * self._speech.is_writing_files)

    def _create_asked_features(self) -> None:
        """Create the features whose controllers come when the user asks for them."""
        context, script, voices, queue = self._context, self._script, self._voices, self._playback.queue
        self._files = FilesFeature(context, script, self._projects.files, voices.library)
        self._audition = AuditionFeature(context, script, self._projects.files, self._takes.shelf, voices, queue)
        for dragged in (self._takes.lines.drag_requested, self._audition.drag_requested):
            dragged.connect(lambda *what: self._files.drags.drag_line(*what))
        self._cast = CastFeature(context, script, voices, self._playback.commands)
        self._lab = LabFeature(context, script.selection, voices, self._audition, self._dialogs.open_page)
        commands, open_settings = self._playback.commands, partial(self._dialogs.open_settings, "chat_reader")
        self._service = ServiceFeature(context, voices.tasks, commands, self._status, script.banner, open_settings)
        self._read_aloud = ReadAloudFeature(context, script, self._close_for_good)

    def _connect_shell(self) -> None:
        """Connect what belongs to no feature alone."""
        self._script.duration.measured.connect(self._status.show_duration)
        self._script.model.filtered.connect(self._fit_toolbar)
        self._voices.tasks.backends_measured.connect(self._status.show_probe_results)
        self._projects.files.opened.connect(self._reading.dictionary.refresh_dialog)
        self._context.side.card.assign_voices_requested.connect(self._projects.missing.open_dialog)
        self._latency.dock.failed.connect(self._script.notice.show_error)
        for banner in (self._script.notice, self._script.banner, self._voices.banner):
            banner.help_requested.connect(self._dialogs.open_page)
        self._dialogs.restart_needed.connect(self._offer_restart)
        self._dialogs.settings_accepted.connect(self._read_aloud.retry_hotkey)
        self._dialogs.settings_opened.connect(self._service.show_statuses)
        self._close_guard.stayed.connect(self._cancel_restart)
        self._columns.dragged.connect(lambda: self.settings.change_settings(side_width=self._columns.side_width))
        self._theme_switcher.applied.connect(self._apply_theme)
        self.settings.changed.connect(lambda _before, after: allow_words_in_log(after.log_words))
        self._context.actions["tour"].triggered.connect(self.begin_tour)
        self._context.actions["quit"].triggered.connect(self._close_for_good)
        self._context.actions["full_screen"].toggled.connect(lambda full: self.showFullScreen() if full else self.showNormal())

    def _connect_first_paint(self) -> None:
        """Connect what is not visible at once, in the order in which it is done."""
        painted = self.first_paint.painted
        painted.connect(self._reading.kept_sounds.load_sounds)
        painted.connect(self._voices.folders.start_watching)
        painted.connect(self._takes.fold.restore_fold)
        painted.connect(self._projects.files.check_file)
        painted.connect(self._service.create_if_enabled)
        painted.connect(self._updates.check_if_due)
        painted.connect(self._read_aloud.create_if_enabled)

    @Slot()
    def _cancel_restart(self) -> None:
        self.is_restarting = self._is_quitting = False

    @Slot()
    def _close_for_good(self) -> None:
        """Close the window even where closing it would leave it in the tray."""
        self._is_quitting = True
        self.close()

    @Slot()
    def _offer_restart(self) -> None:
        later, now = localize("次回起動時に反映されます。", "Takes effect after a restart."), localize("今すぐ再起動", "Restart now")
        tip = localize("Koebako を再起動します。台本はそのまま開きます。", "Restarts Koebako; the script opens as it is.")
        self._script.notice.show_message("notice", later, action=now, tip=tip, on_action=self.request_restart)

    @Slot(object)
    def _apply_theme(self, theme: Theme) -> None:
        for widget in (self._latency.dock, self._script.view, self._reading.panel):
            widget.set_theme(theme)
        self._context.actions.draw_icons(QColor(theme.text))
