"""The main window: starts and closes its features and connects their signals."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QCloseEvent, QColor, QDesktopServices

from app.common.errors import AppError
from app.common.language import localize
from app.common.log import allow_words_in_log
from app.common.user_notices import show_notice
from app.settings.user_settings import Settings
from app.ui.playback.sound_saving import SavingReport
from app.ui.script.startup_script import is_first_start, show_greeting
from app.ui.shell.action_wiring import (
    connect_actions,
    connect_embedding,
    connect_preset_messages,
    connect_undo,
    enable_precision_tests,
    map_line_actions,
    map_play_actions,
    map_project_actions,
    map_take_actions,
)
from app.ui.shell.feature_wiring import close_parts, connect_projects, connect_saving, connect_voices
from app.ui.shell.lazy_features import LazyFeatures
from app.ui.shell.window_layout import keep_window_on_screen, restore_dock_height
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.theme.theme import Theme


class MainWindow(LazyFeatures):
    """Shows lines at the left, the voice at the right, and measurements below.

    Args:
        settings: the stored settings; `notice` is the error of those that could not be read.
        speech: the controller, not started yet; it ends with the window.

    Attributes:
        is_restarting: the window closes only to be opened again.
    """

    def __init__(self, settings: Settings, speech: SpeechController, notice: AppError | None = None) -> None:
        is_first = is_first_start(settings)
        super().__init__(settings, speech)
        self.is_restarting = False
        self._connect_all()
        self._connect_actions()
        lines, current = self.document.script.lines, self.kept.current
        self.script.select_lines([current if self.document.script.find_line(current) else lines[0].id] if lines else [])
        self.line_updates.show_all()
        self.duration.measure_now()
        self.side.presets.load_presets()
        if is_first:
            show_greeting(self.notice, self.window_actions["natural_voice"].trigger, self.playback.line_began)
        show_notice(self.kept.error)
        show_notice(notice)

    def show_and_start(self) -> None:
        """Show the window; after the first paint, start the synthesis thread and scan the voices."""
        self.speech_settings.open_first_voice()
        self.first_paint.painted.connect(self.controller.start_thread)
        self.first_paint.painted.connect(self.catalog.refresh_voices)
        self.first_paint.painted.connect(lambda: keep_window_on_screen(self, self.settings.value))
        # The parts are folded before the window is shown, which would otherwise be made as high as all open parts need.
        self.fold.fit_to_height(self.height())
        self.latency_fold.fit_to_height(self.height())
        self.show()
        restore_dock_height(self, self.latency, self.settings.value)

    @Slot()
    def request_restart(self) -> None:
        """Close the window for a restart; the user may cancel if work would be lost."""
        self.is_restarting = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Save everything and end the synthesis thread.

        The window stays open while tasks run that the user may want, and once if the script would be lost.
        """
        if not self.leaving.may_close():
            event.ignore()
            return
        self.script.end_editing()
        self.settings.change_settings(
            geometry=bytes(self.saveGeometry().toBase64().data()).decode(),
            layout=bytes(self.saveState().toBase64().data()).decode(),
        )
        self.live.set_enabled(False)
        self.playback.stop_playing()
        # A slow disk must not keep the window on the screen.
        self.hide()
        # Pending takes and saves change the project, so they end before the files are written.
        for room in (self.takes, self.projects):
            room.wait_until_saved()
        if not self.keeping.finish_saving():
            event.ignore()
            return
        self.close_features()
        close_parts(self.takes_deletion, self.projects, self.takes, self.project_words, self.missing, self.dialogs)
        close_parts(self.disk_watch, self.dictionary, self.voices, self.voice_tasks.queue, self.licences, self.catalog)
        close_parts(self.controller, self._notices)
        super().closeEvent(event)

    def _connect_all(self) -> None:
        self._connect_script()
        self._connect_playback()
        self._connect_voices()
        self._connect_projects()
        self.latency.failed.connect(self.notice.show_error)
        self.dialogs.restart_needed.connect(self._offer_restart)
        self.leaving.stayed.connect(self._cancel_restart)
        for banner in (self.notice, self.banner, self.voice_banner):
            banner.help_requested.connect(self.dialogs.open_page)
        self.columns.dragged.connect(lambda: self.settings.change_settings(side_width=self.columns.side_width))
        self.side.folded.connect(lambda: self.settings.change_settings(expression_open=self.side.expression.is_open))
        self.theme_switcher.applied.connect(self._apply_theme)
        self.settings.changed.connect(lambda _before, after: allow_words_in_log(after.log_words))
        self.settings.changed.connect(self.create_service_if_enabled)
        self.first_paint.painted.connect(self.create_service_if_enabled)

    def _connect_script(self) -> None:
        # The autosave file also stores the selected line.
        self.selection.changed.connect(self.script_file.schedule_save)
        self.side.edited.connect(self.commands.change_setting)
        self.side.preset_selected.connect(self.commands.change_settings)
        self.commands.stop_requested.connect(self.play_commands.stop_playing)
        self.commands.noticed.connect(lambda text: self.banner.show_message("notice", text))
        self.script.files_dropped.connect(self.incoming.open_files)
        self.script.links_dropped.connect(self.incoming.open_links)
        for fold in (self.fold, self.takes_fold):
            fold.folded.connect(lambda: self.script.scroll_to_line(self.selection.current_id))
        self.strip.panel.reading.dictionary_requested.connect(self.dictionary.open_dialog)
        connect_preset_messages(self.side.presets, self.banner)

    def _connect_playback(self) -> None:
        commands = self.play_commands
        self.transport.play_requested.connect(commands.play_or_stop)
        self.transport.save_requested.connect(commands.save_or_stop)
        self.banner.action_requested.connect(commands.save_or_stop)
        self.script.play_requested.connect(commands.play_or_stop_line)
        self.live.speak_requested.connect(commands.play_again)
        commands.began.connect(self.banner.hide)
        for source in (commands.nothing_to_speak, self.saving.nothing_to_save):
            source.connect(self.left.show_empty_message)
        self.saving.place_selected.connect(lambda folder, suffix: self.settings.change_settings(save_folder=folder, save_suffix=suffix))
        self.saving.reported.connect(self._show_saving_report)
        self.saving.incomplete.connect(lambda message, hint: self.banner.show_message("error", message, hint))
        self.status.backend_selected.connect(self.speech_settings.choose_backend)

    @Slot()
    def _cancel_restart(self) -> None:
        self.is_restarting = False

    @Slot()
    def _offer_restart(self) -> None:
        later, now = localize("次回起動時に反映されます。", "Takes effect after a restart."), localize("今すぐ再起動", "Restart now")
        tip = localize("Koebako を再起動します。台本はそのまま開きます。", "Restarts Koebako; the script opens as it is.")
        self.notice.show_message("notice", later, action=now, tip=tip, on_action=self.request_restart)

    @Slot(object)
    def _show_saving_report(self, report: SavingReport) -> None:
        """Show the progress of saving, and offer the folder of the finished files."""
        action, tip = (
            localize("フォルダーを開く", "Open folder"),
            localize("保存先のフォルダーを開きます。", "Opens the folder with the files."),
        )
        show = partial(self.banner.show_message, "notice", report.message, report.hint)
        if report.folder:
            show(action=action, tip=tip, on_action=lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(report.folder)))
        else:
            show()

    def _connect_voices(self) -> None:
        tasks, library = self.voice_tasks, self.library
        library.play_requested.connect(self.samples.try_voice)
        library.compare_requested.connect(self.open_board)
        self.side.card.precision.test_requested.connect(lambda: self.precision_tests.begin_test("sound"))
        for source in (library.lab_requested, self.side.card.lab_requested):
            source.connect(lambda voice: self.lab.open_window(voice))
        connect_voices(self.voices, tasks, library, self.licences, self.side, self.script, self.voice_banner)
        tasks.voice_changing.connect(self.controller.close_voice)
        tasks.disk_changed.connect(self.catalog.refresh_voices)
        self.disk_watch.changed.connect(self.catalog.refresh_voices)
        self.first_paint.painted.connect(self.disk_watch.start_watching)
        tasks.backends_measured.connect(self.status.show_probe_results)
        tasks.backends_measured.connect(self.speech_settings.apply_measured_backend)
        self.incoming.scripts_found.connect(lambda files, row: self.importing.import_files(files, row))
        self.incoming.others_found.connect(library.add_files)
        self.incoming.voice_link_found.connect(library.open_address_dialog)

    def _connect_projects(self) -> None:
        connect_saving(self.project, self.projects, self.takes, self.takes.shelf, self.script_file)
        connect_projects(self.project, self.projects, self.missing, self.dictionary, self.side.presets, self.setWindowTitle)
        self.first_paint.painted.connect(self.takes_fold.restore_fold)
        self.incoming.project_found.connect(self.projects.open_file)
        self.side.card.assign_voices_requested.connect(self.missing.open_dialog)
        self.first_paint.painted.connect(self.projects.check_file)

    def _connect_actions(self) -> None:
        actions, library, kept = self.window_actions, self.library, self.settings.value
        connect_undo(actions, self.document.stack)
        connect_actions(actions, map_line_actions(self.commands, self.script.selectAll) | map_play_actions(self.play_commands))
        connect_actions(actions, map_project_actions(self.projects) | map_take_actions(self.takes, self.takes_deletion))
        connect_actions(
            actions,
            {
                "find": self.search.open_search,
                "replace": self.search.open_replace,
                "import": lambda: self.importing.choose_files(),
                "export_script": lambda: self.script_export.choose_file(),
                "natural_voice": lambda: self.natural.open_dialog(),
                "add_voice": library.add_voice,
                "add_voice_address": library.open_address_dialog,
                "voice_library": library.open_library,
                "add_bert": library.add_bert,
                "measure": library.measure_current_voice,
                "audition": self.open_board,
                "blind_test": lambda: self.blind_tests.open_line_test(self.selection.current_id),
                "fast_test": lambda: self.precision_tests.begin_test("sound"),
                "bert_test": lambda: self.precision_tests.begin_test("bert"),
                "export": lambda: self.export.open_dialog(),
                "lab": lambda: self.lab.open_window(None if self.lab.window else self.selection.settings.voice),
                "quit": self.close,
            },
        )
        connect_embedding(actions["embed_sounds"], self.project)
        enable_precision_tests(actions, self.selection, self.catalog)
        actions["loop"].toggled.connect(self.playback.set_loop)
        actions["live"].toggled.connect(self.live.set_enabled)
        for name, is_on in (("loop", kept.loop), ("live", kept.live), ("follow", kept.follow)):
            actions[name].setChecked(is_on)
            actions[name].toggled.connect(lambda is_on, name=name: self.settings.change_settings(**{name: is_on}))
        actions["full_screen"].toggled.connect(lambda full: self.showFullScreen() if full else self.showNormal())

    @Slot(object)
    def _apply_theme(self, theme: Theme) -> None:
        for part in (self.latency, self.script, self.strip.panel):
            part.set_theme(theme)
        self.window_actions.draw_icons(QColor(theme.text))
