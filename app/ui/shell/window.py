"""The main window: how it begins and ends, and who hears what its parts report."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QUrl, Slot
from PySide6.QtGui import QCloseEvent, QColor, QDesktopServices

from app.errors import AppError
from app.language import localized
from app.log import log_words
from app.notices import notify
from app.settings import Settings
from app.ui.playback.saving import SavingReport
from app.ui.script.first_script import greet, is_first_start
from app.ui.shell.layout import keep_on_screen, share_out
from app.ui.shell.on_demand import RoomsOnDemand
from app.ui.shell.room_wiring import close_all, connect_projects, connect_saving, connect_voices
from app.ui.shell.wiring import (
    connect_actions,
    connect_embedding,
    connect_undo,
    line_actions,
    offer_precision_tests,
    play_actions,
    project_actions,
    take_actions,
    tell_of_presets,
)
from app.ui.synthesis.controller import SpeechController
from app.ui.theme.theme import Theme


class MainWindow(RoomsOnDemand):
    """Lines at the left, voice at the right, measurements below.

    Args:
        settings: as remembered; `notice` shows what of them could not be read.
        speech: not started yet; it ends with the window.

    Attributes:
        is_restarting: the window closes only to be opened again.
    """

    def __init__(self, settings: Settings, speech: SpeechController, notice: AppError | None = None) -> None:
        is_first = is_first_start(settings)
        super().__init__(settings, speech)
        self.is_restarting = False
        self._connect()
        self._connect_actions()
        lines, current = self.document.script.lines, self.kept.current
        self.script.choose([current if self.document.script.find(current) else lines[0].id] if lines else [])
        self.line_updates.show()
        self.duration.measure()
        self.side.presets.load()
        if is_first:
            greet(self.notice, self.window_actions["natural_voice"].trigger, self.playback.line_began)
        notify(self.kept.error)
        notify(notice)

    def start(self) -> None:
        """Shows the window; once it is seen, voices are looked for behind it, and the first one and the audio device are opened."""
        self.speech_settings.begin()
        self.first_paint.over.connect(self.controller.begin)
        self.first_paint.over.connect(self.catalog.refresh)
        self.first_paint.over.connect(lambda: keep_on_screen(self, self.settings.value))
        self.fold.fit(self.height())  # before it is seen, or it would be made as large as both parts need
        self.latency_fold.fit(self.height())
        self.show()
        share_out(self, self.latency, self.settings.value)

    @Slot()
    def restart(self) -> None:
        """Closes the window, which the program then opens again; the user may still say no where work would be lost."""
        self.is_restarting = True
        self.close()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remembers everything, then ends the synthesis thread; stays open while work runs that the user may want, and once where the
        script would be lost.
        """
        if not self.leaving.may_close():
            event.ignore()
            return
        self.script.end_editing()
        self.settings.change(
            geometry=bytes(self.saveGeometry().toBase64().data()).decode(),
            layout=bytes(self.saveState().toBase64().data()).decode(),
        )
        self.live.switch(False)
        self.playback.stop()
        self.hide()  # a slow disk is waited for unseen
        for room in (self.takes, self.projects):  # what they still do is kept with the rest
            room.settle()
        if not self.keeping.finish():
            event.ignore()
            return
        self.close_rooms()
        close_all(self.takes_deletion, self.projects, self.takes, self.project_words, self.missing, self.dialogs)
        close_all(self.disk_watch, self.dictionary, self.voices, self.voice_tasks.queue, self.licences, self.catalog)
        close_all(self.controller, self._notices)
        super().closeEvent(event)

    def _connect(self) -> None:
        self._connect_script()
        self._connect_playback()
        self._connect_voices()
        self._connect_projects()
        self.latency.failed.connect(self.notice.show_error)
        self.dialogs.restart_needed.connect(self._offer_restart)
        self.leaving.stayed.connect(self._stay)
        for banner in (self.notice, self.banner, self.voice_banner):
            banner.help_requested.connect(self.dialogs.open_page)
        self.columns.dragged.connect(lambda: self.settings.change(side_width=self.columns.side_width))
        self.side.folded.connect(lambda: self.settings.change(expression_open=self.side.expression.is_open))
        self.theme_switcher.applied.connect(self._use_theme)
        self.settings.changed.connect(lambda _before, after: log_words(after.log_words))
        self.settings.changed.connect(self.offer_service)
        self.first_paint.over.connect(self.offer_service)

    def _connect_script(self) -> None:
        self.selection.changed.connect(self.script_file.changed)  # where the user is, too
        self.side.edited.connect(self.commands.change)
        self.side.preset_selected.connect(self.commands.change_all)
        self.commands.stop_requested.connect(self.play_commands.stop)
        self.commands.noticed.connect(lambda text: self.banner.show_message("notice", text))
        self.script.files_dropped.connect(self.incoming.take_files)
        self.script.links_dropped.connect(self.incoming.take_links)
        for fold in (self.fold, self.takes_fold):
            fold.folded.connect(lambda: self.script.show_line(self.selection.current_id))
        self.strip.panel.reading.dictionary_requested.connect(self.dictionary.open)
        tell_of_presets(self.side.presets, self.banner)

    def _connect_playback(self) -> None:
        commands = self.play_commands
        self.transport.play_requested.connect(commands.play_or_stop)
        self.transport.save_requested.connect(commands.save_or_stop)
        self.banner.action_requested.connect(commands.save_or_stop)
        self.script.play_requested.connect(commands.play_or_stop_line)
        self.live.speak_requested.connect(commands.play_again)
        commands.began.connect(self.banner.hide)
        for source in (commands.nothing_to_speak, self.saving.nothing):
            source.connect(self.left.show_empty_message)
        self.saving.place_selected.connect(lambda folder, suffix: self.settings.change(save_folder=folder, save_suffix=suffix))
        self.saving.reported.connect(self._show_saved)
        self.saving.incomplete.connect(lambda message, hint: self.banner.show_message("error", message, hint))
        self.status.backend_selected.connect(self.speech_settings.choose_backend)

    @Slot()
    def _stay(self) -> None:
        self.is_restarting = False

    @Slot()
    def _offer_restart(self) -> None:
        later, now = localized("次回起動時に反映されます。", "Takes effect after a restart."), localized("今すぐ再起動", "Restart now")
        tip = localized("Koebako を再起動します。台本はそのまま開きます。", "Restarts Koebako; the script opens as it is.")
        self.notice.show_message("notice", later, action=now, tip=tip, then=self.restart)

    @Slot(object)
    def _show_saved(self, report: SavingReport) -> None:
        """Shows how far files are, and offers the folder once they are there."""
        action, tip = (
            localized("フォルダーを開く", "Open folder"),
            localized("保存先のフォルダーを開きます。", "Opens the folder with the files."),
        )
        show = partial(self.banner.show_message, "notice", report.message, report.hint)
        if report.folder:
            show(action=action, tip=tip, then=lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(report.folder)))
        else:
            show()

    def _connect_voices(self) -> None:
        tasks, library = self.voice_tasks, self.library
        library.play_requested.connect(self.samples.try_voice)
        library.compare_requested.connect(self.open_board)
        self.side.card.precision.test_requested.connect(lambda: self.precision_tests.begin("sound"))
        for source in (library.lab_requested, self.side.card.lab_requested):
            source.connect(lambda voice: self.lab.open(voice))
        connect_voices(self.voices, tasks, library, self.licences, self.side, self.script, self.voice_banner)
        tasks.changing.connect(self.controller.close_voice)
        tasks.disk_changed.connect(self.catalog.refresh)
        self.disk_watch.changed.connect(self.catalog.refresh)
        self.first_paint.over.connect(self.disk_watch.begin)
        tasks.measured.connect(self.status.show_measured)
        tasks.measured.connect(self.speech_settings.use_measured)
        self.incoming.scripts_found.connect(lambda files, row: self.importing.take(files, row))
        self.incoming.others_found.connect(library.add_files)
        self.incoming.voice_link_found.connect(library.add_address)

    def _connect_projects(self) -> None:
        connect_saving(self.project, self.projects, self.takes, self.takes.shelf, self.script_file)
        connect_projects(self.project, self.projects, self.missing, self.dictionary, self.side.presets, self.setWindowTitle)
        self.first_paint.over.connect(self.takes_fold.restore)
        self.incoming.project_found.connect(self.projects.open_file)
        self.side.card.assign_requested.connect(self.missing.open)
        self.first_paint.over.connect(self.projects.look_at_file)

    def _connect_actions(self) -> None:
        actions, library, kept = self.window_actions, self.library, self.settings.value
        connect_undo(actions, self.document.stack)
        connect_actions(actions, line_actions(self.commands, self.script.selectAll) | play_actions(self.play_commands))
        connect_actions(actions, project_actions(self.projects) | take_actions(self.takes, self.takes_deletion))
        connect_actions(
            actions,
            {
                "find": self.search.open,
                "replace": self.search.open_replace,
                "import": lambda: self.importing.ask(),
                "export_script": lambda: self.script_export.ask(),
                "natural_voice": lambda: self.natural.open(),
                "add_voice": library.add,
                "add_voice_address": library.add_address,
                "voice_library": library.open,
                "add_bert": library.add_bert,
                "measure": library.measure,
                "audition": self.open_board,
                "blind_test": lambda: self.blind_tests.open(self.selection.current_id),
                "fast_test": lambda: self.precision_tests.begin("sound"),
                "bert_test": lambda: self.precision_tests.begin("bert"),
                "export": lambda: self.export.open(),
                "lab": lambda: self.lab.open(None if self.lab.window else self.selection.settings.voice),
                "quit": self.close,
            },
        )
        connect_embedding(actions["embed_sounds"], self.project)
        offer_precision_tests(actions, self.selection, self.catalog)
        actions["loop"].toggled.connect(self.playback.set_loop)
        actions["live"].toggled.connect(self.live.switch)
        for name, is_on in (("loop", kept.loop), ("live", kept.live), ("follow", kept.follow)):
            actions[name].setChecked(is_on)
            actions[name].toggled.connect(lambda is_on, name=name: self.settings.change(**{name: is_on}))
        actions["full_screen"].toggled.connect(lambda full: self.showFullScreen() if full else self.showNormal())

    @Slot(object)
    def _use_theme(self, theme: Theme) -> None:
        for part in (self.latency, self.script, self.strip.panel):
            part.set_theme(theme)
        self.window_actions.draw(QColor(theme.text))
