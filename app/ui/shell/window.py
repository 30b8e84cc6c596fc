"""The main window: makes the parts, gives each what it uses, and connects what one reports to who shows it."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QCloseEvent, QColor
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from app.errors import AppError
from app.language import localized
from app.log import log_words
from app.notices import notify
from app.settings import Settings
from app.ui.actions.actions import Actions
from app.ui.dictionary.controller import DictionaryController
from app.ui.latency.dock import LatencyDock
from app.ui.parameters.side_panel import USUAL_WIDTH, SidePanel
from app.ui.playback.live import LiveMode
from app.ui.playback.play_commands import PlayCommands
from app.ui.playback.playback import Playback
from app.ui.playback.saving import Saving
from app.ui.playback.speech_settings import SpeechSettings
from app.ui.reading.controller import ReadingController
from app.ui.reading.strip.panel import StripPanel
from app.ui.reading.strip_fold import StripFold
from app.ui.script.autosave import Autosave
from app.ui.script.document import ScriptDocument
from app.ui.script.first_script import SHARED, greet, is_first_start, line_settings, open_script
from app.ui.script.line_commands import LineCommands
from app.ui.script.panel import ScriptPanel
from app.ui.script.script_model import ScriptModel
from app.ui.script.search import Search
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds
from app.ui.settings.store import SettingsStore
from app.ui.shell.columns import Columns
from app.ui.shell.dialogs import Dialogs
from app.ui.shell.dock_room import DockRoom
from app.ui.shell.emoji_controller import EmojiController
from app.ui.shell.first_paint import FirstPaint
from app.ui.shell.incoming_files import IncomingFiles
from app.ui.shell.keeping import Keeping
from app.ui.shell.layout import lay_out, share_out
from app.ui.shell.menus import Menus
from app.ui.shell.notices import Notices
from app.ui.shell.status_line import StatusLine
from app.ui.shell.status_updates import StatusUpdates
from app.ui.shell.theme_switcher import ThemeSwitcher
from app.ui.shell.toolbar import EditBar
from app.ui.shell.wiring import connect_actions, connect_undo, line_actions, play_actions, read_text, undo_presets
from app.ui.synthesis.controller import SpeechController
from app.ui.tasks.jobs_panel import JobsPanel
from app.ui.tasks.queue import TaskQueue
from app.ui.theme.icons import icon
from app.ui.theme.theme import Theme, chosen_theme
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.controller import VoiceController
from app.ui.voices.library_actions import LibraryActions
from app.ui.voices.licence_questions import LicenceQuestions
from app.ui.voices.task_results import VoiceResults
from app.ui.voices.tasks import VoiceTasks
from app.ui.voices.voice_samples import VoiceSamples
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.ui.actions.commands import Command

SMALLEST = (1100, 700)


class MainWindow(QMainWindow):
    """Lines at the left, voice at the right, measurements below.

    Attributes:
        first_paint: when voices are looked for, and the first one is opened.

    Args:
        settings: as remembered; `notice` shows what of them could not be read.
        speech: not started yet; it ends with the window.
    """

    def __init__(self, settings: Settings, speech: SpeechController, notice: AppError | None = None) -> None:
        super().__init__()
        self.setWindowTitle("Koebako")
        self.setWindowIcon(icon("koebako"))
        self.setMinimumSize(*SMALLEST)
        self.settings = SettingsStore(settings, self)
        self.controller = speech
        self.first_paint = FirstPaint(self)
        is_first = is_first_start(settings)
        script, current, unread = open_script(settings)
        theme = chosen_theme(settings.theme)
        self.document = ScriptDocument(script, self)  # before the actions: at the end its history is emitted to them until it is gone
        self.window_actions = Actions(self)
        self._make_columns(theme)
        self._make_bars(theme)
        self._make_playback()
        self._make_reading(theme)
        self._make_voices()
        self._make_shell()
        self._connect()
        self._connect_actions()
        self.script.choose([current if script.find(current) else script.lines[0].id] if script.lines else [])
        self._show_length()
        self._show_selection()
        self.side.presets.load()
        if is_first:
            greet(self.notice, self.window_actions["voice_library"].trigger)
        notify(unread)
        notify(notice)

    def start(self) -> None:
        """Shows the window; once it is seen, voices are looked for behind it, and the first one and the audio device are opened."""
        self.speech_settings.begin()
        self.first_paint.over.connect(self.controller.begin)
        self.first_paint.over.connect(self.catalog.refresh)
        self.show()
        self.fold.fit(self.height())
        share_out(self, self.latency, self.settings.value)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Remembers everything, then ends the synthesis thread; stays open once where the script would be lost."""
        self.script.end_editing()
        self.settings.change(
            geometry=bytes(self.saveGeometry().toBase64().data()).decode(),
            layout=bytes(self.saveState().toBase64().data()).decode(),
        )
        self.live.switch(False)
        self.playback.stop()
        if not self.keeping.finish():
            event.ignore()
            return
        self.dialogs.close()
        self.dictionary.close()
        self.voices.close()
        self.voice_tasks.queue.close()
        self.licences.close()
        self.catalog.close()
        self.controller.close()
        self._notices.close()
        super().closeEvent(event)

    def _make_columns(self, theme: Theme) -> None:
        kept = self.settings.value
        self.model = ScriptModel(self.document)
        self.seeds = TakeSeeds(self.document)
        self.left = ScriptPanel(self.model, self.window_actions, theme)
        self.notice, self.banner = self.left.notice, self.left.banner
        self._notices = Notices(self.notice)
        self.script, self.transport = self.left.script, self.left.transport
        self.selection = Selection(self.document, self.script, line_settings(kept))
        self.search = Search(self.left.search, self.document, self.script, self.selection)
        self.commands = LineCommands(self.document, self.model, self.script, self.selection, self.seeds)
        self._script_file = Autosave(self.document, self.seeds, lambda: self.selection.current_id)
        self.side = SidePanel()
        self.side.expression.set_open(kept.expression_open)
        self.columns = Columns(self.left, self.side, USUAL_WIDTH, kept.side_width)

    def _make_bars(self, theme: Theme) -> None:
        self.latency = LatencyDock(self.controller.history, theme)
        self.status = StatusLine(self.settings.value.backend)
        self.edit_bar = EditBar(self.window_actions)
        self.menus = Menus(self.window_actions, self.settings)
        self.window_actions.draw(QColor(theme.text))
        lay_out(self, self.columns, self.menus, self.edit_bar, self.status, self.latency, self.settings.value)
        self._dock_room = DockRoom(self, self.latency, self.columns)
        self.menus.view.addAction(self.latency.toggleViewAction())
        self.script.setFocus()

    def _make_playback(self) -> None:
        self.playback = Playback(self.controller, self.document, self.model, self.seeds)
        self.live = LiveMode(self.document)
        self.saving = Saving(self.controller, self.document, self.seeds, self.settings.value.save_folder, self)
        self.play_commands = PlayCommands(self.document, self.selection, self.controller, self.playback, self.saving)
        self.speech_settings = SpeechSettings(self.settings, self.controller, self.playback, self.banner)
        shown = (self.status, self.transport, self.script, self.latency, self.banner)
        StatusUpdates(self.controller, self.playback, *shown, self.speech_settings.choose_backend)

    def _make_reading(self, theme: Theme) -> None:
        panel = StripPanel(theme)
        self.left.below.insertWidget(0, panel)
        stops = (self.script, panel.title, panel.reading.edit, panel.emoji, panel.reset_phrase, panel.reset_all, panel.strip)
        for before, after in itertools.pairwise(stops):  # it was made after the buttons below it
            QWidget.setTabOrder(before, after)
        self.strip = ReadingController(panel, self.document, self.selection, self.controller, self.playback)
        self.fold = StripFold(panel, self.window_actions["show_strip"], self.settings)

    def _make_voices(self) -> None:
        self.catalog = VoiceCatalog(self)
        self.voice_banner = Banner()
        self.voice_banner.action.setText(localized("BERT をダウンロード…", "Download BERT…"))
        self.voice_banner.action.setToolTip(
            localized("この声に必要な BERT モデルを追加します。", "Adds the BERT model this voice requires.")
        )
        self.left.above.addWidget(self.voice_banner)
        self.licences = LicenceQuestions(self, self.voice_banner)
        self.voice_tasks = VoiceTasks(TaskQueue(self), self.licences)
        self.jobs_panel = JobsPanel(self.voice_tasks.queue)
        self.left.below.addWidget(self.jobs_panel)
        self.voices = VoiceController(
            self.catalog,
            self.document,
            self.selection,
            self.controller,
            self.playback,
            self.settings,
            self.side.card,
            self.side.chooser,
        )
        VoiceResults(self.voice_tasks, self.voices, self.catalog, self.settings, self.voice_banner)
        VoiceSamples(self.side.card, self.selection, self.controller, self.playback)
        self.emoji = EmojiController(self.script, self.selection, self.catalog, self.strip)
        self.library = LibraryActions(self, self.catalog, self.voice_tasks, self.document, self.selection)

    def _make_shell(self) -> None:
        application = QApplication.instance()
        assert isinstance(application, QApplication)
        self.theme_switcher = ThemeSwitcher(application, self.settings, self)
        self.dialogs = Dialogs(self, self.window_actions, self.menus, self.settings, self.controller, self.notice, self._choices)
        self.dictionary = DictionaryController(
            self, self.window_actions["dictionary"], self.selection, self.controller, self.playback, self.notice
        )
        self.keeping = Keeping(self, self.notice, self._script_file, (self.settings.file, self.side.presets.file, self.dialogs.keys))
        self.incoming = IncomingFiles(self.commands, self.banner)
        self.incoming.accept_drops(self)

    def _connect(self) -> None:
        self._connect_script()
        self._connect_playback()
        self._connect_voices()
        self.latency.failed.connect(self.notice.show_error)
        for banner in (self.notice, self.banner, self.voice_banner):
            banner.help_requested.connect(self.dialogs.open_page)
        self.columns.dragged.connect(lambda: self.settings.change(side_width=self.columns.side_width))
        self.side.folded.connect(lambda: self.settings.change(expression_open=self.side.expression.is_open))
        self.theme_switcher.applied.connect(self._use_theme)
        self.settings.changed.connect(lambda _before, after: log_words(after.log_words))
        self.settings.changed.connect(self._on_words_setting)

    def _on_words_setting(self, before: Settings, after: Settings) -> None:
        """The file with the settings is written later, so the front end is asked for the new choice at once."""
        if before.built_in_words != after.built_in_words:
            from app.adapters.openjtalk.own_words import CHOICE  # the window starts without the front end

            CHOICE.wanted = after.built_in_words
            self.controller.read_dictionary()

    def _connect_script(self) -> None:
        self.document.changed.connect(self._show_length)
        self.selection.changed.connect(self._show_selection)
        self.selection.changed.connect(self._script_file.changed)  # where the user is, too
        self.seeds.changed.connect(self._show_selection)
        self.side.edited.connect(self.commands.change)
        self.side.preset_selected.connect(self.commands.change_all)
        self.commands.stop_requested.connect(self.play_commands.stop)
        self.commands.failed.connect(self.banner.show_error)
        self.commands.noticed.connect(lambda text: self.banner.show_message("notice", text))
        self.script.files_dropped.connect(self.incoming.take_files)
        self.script.links_dropped.connect(self.incoming.take_links)
        self.fold.folded.connect(lambda: self.script.show_line(self.selection.current_id))
        self.strip.panel.reading.dictionary_requested.connect(self.dictionary.open)
        undo_presets(self.side.presets, self.document)

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
        self.playback.line_began.connect(self._show_playing)
        self.saving.folder_selected.connect(lambda folder: self.settings.change(save_folder=folder))
        self.saving.reported.connect(lambda message, hint: self.banner.show_message("notice", message, hint))
        self.saving.incomplete.connect(lambda message, hint: self.banner.show_message("error", message, hint))
        self.status.backend_selected.connect(self.speech_settings.choose_backend)

    def _connect_voices(self) -> None:
        voices, tasks, library = self.voices, self.voice_tasks, self.library
        voices.shown.connect(self.side.show_voice)
        voices.missing.connect(self.side.show_missing)
        voices.labels_changed.connect(lambda labels: self.script.show_voices(labels, voices.names.find))
        voices.message.connect(lambda kind, text, hint, action: self.voice_banner.show_message(kind, text, hint, action=action))
        voices.settled.connect(self.voice_banner.hide)
        voices.bert_needed.connect(library.offer_bert)
        voices.prepare_requested.connect(tasks.prepare)
        voices.licence_needed.connect(
            lambda error: self.licences.ask(error.voice_id, error.name, error.text, voices.go_on, lambda: voices.decline(error))
        )
        tasks.changing.connect(self.controller.close_voice)
        tasks.disk_changed.connect(self.catalog.refresh)
        tasks.measured.connect(self.status.show_measured)
        tasks.measured.connect(self.speech_settings.use_measured)
        self.incoming.others_found.connect(library.add_files)
        self.incoming.voice_link_found.connect(library.add_address)
        library.use_requested.connect(voices.use)
        library.force_requested.connect(voices.force_bert)
        self.voice_banner.action_requested.connect(voices.mend)
        self.side.chooser.library_requested.connect(library.open)

    def _connect_actions(self) -> None:
        actions, library, kept = self.window_actions, self.library, self.settings.value
        connect_undo(actions, self.document.stack)
        connect_actions(actions, line_actions(self.commands, self.script.selectAll) | play_actions(self.play_commands))
        connect_actions(
            actions,
            {
                "find": self.search.open,
                "replace": self.search.open_replace,
                "read_text": lambda: read_text(self, self.commands.add_files, self.commands.place()),
                "add_voice": library.add,
                "add_voice_address": library.add_address,
                "voice_library": library.open,
                "add_bert": library.add_bert,
                "measure": library.measure,
                "quit": self.close,
            },
        )
        actions["loop"].toggled.connect(self.playback.set_loop)
        actions["live"].toggled.connect(self.live.switch)
        for name, is_on in (("loop", kept.loop), ("live", kept.live), ("follow", kept.follow)):
            actions[name].setChecked(is_on)
            actions[name].toggled.connect(lambda is_on, name=name: self.settings.change(**{name: is_on}))
        actions["full_screen"].toggled.connect(lambda full: self.showFullScreen() if full else self.showNormal())

    @Slot()
    def _show_length(self, *_scripts: object) -> None:
        lines = self.document.script.lines
        self.transport.show_length(len(lines), sum(len(line.text) for line in lines))

    @Slot()
    def _show_selection(self) -> None:
        line = self.selection.line
        settings = self.selection.settings if line is None else self.seeds.applied(line).settings
        self.side.show_settings(settings, len(self.selection.ids), self.selection.mixed)
        self.settings.change(**{name: getattr(settings, name) for name in SHARED})

    def _choices(self) -> list[Command]:
        from app.ui.shell.choices import choices  # for the search, which few starts need

        return choices(self.catalog, self.voices.use, self.side)

    @Slot(str)
    def _show_playing(self, line_id: str) -> None:
        if self.settings.value.follow and self.script.editor is None:
            self.script.choose([line_id])
        else:
            self.script.show_line(line_id)

    @Slot(object)
    def _use_theme(self, theme: Theme) -> None:
        for part in (self.latency, self.script, self.strip.panel):
            part.set_theme(theme)
        self.window_actions.draw(QColor(theme.text))
