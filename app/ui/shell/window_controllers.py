"""The controllers behind the widgets of the main window."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.common.files.paths import find_data_dir
from app.common.language import localize
from app.settings.user_settings import Settings
from app.ui.dictionary.dictionary_controller import DictionaryController
from app.ui.playback.line_playback import LinePlayback
from app.ui.playback.live_mode import LiveModeController
from app.ui.playback.play_commands import PlayCommands
from app.ui.playback.sound_saving import SavingController
from app.ui.playback.speech_settings import SpeechSettingsController
from app.ui.projects.missing_voices_controller import MissingVoicesController
from app.ui.projects.project_contents import ProjectContents
from app.ui.projects.project_controller import ProjectController
from app.ui.projects.project_dictionary import ProjectDictionaryController
from app.ui.projects.recent_projects import RecentProjectsMenu
from app.ui.reading.line_sound_store import LineSoundStore
from app.ui.reading.reading_controller import ReadingController
from app.ui.reading.strip.strip_panel import StripPanel
from app.ui.reading.strip_fold import StripFold
from app.ui.script.script_duration import ScriptDurationMeter
from app.ui.shell.autosave_guard import AutosaveGuard
from app.ui.shell.close_guard import CloseGuard
from app.ui.shell.dialog_controller import DialogController
from app.ui.shell.emoji_controller import EmojiController
from app.ui.shell.incoming_files import IncomingFileRouter
from app.ui.shell.line_view_updates import LineViewUpdater
from app.ui.shell.speech_view_updates import SpeechViewUpdater
from app.ui.shell.theme_switcher import ThemeSwitcher
from app.ui.shell.window_widgets import WindowWidgets
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.takes.take_repository import TakeRepository
from app.ui.takes.takes_controller import TakesController
from app.ui.takes.takes_deletion import TakesDeletionController
from app.ui.takes.takes_fold import TakesFold
from app.ui.tasks.task_queue import TaskQueue
from app.ui.tasks.tasks_panel import TasksPanel
from app.ui.theme.theme import Theme, resolve_theme
from app.ui.voices.licence_questions import LicenceQuestionQueue
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.voices.voice_controller import VoiceController
from app.ui.voices.voice_folder_watcher import VoiceFolderWatcher
from app.ui.voices.voice_library_actions import VoiceLibraryActions
from app.ui.voices.voice_sample_player import VoiceSamplePlayer
from app.ui.voices.voice_task_results import VoiceTaskResultHandler
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.banner import Banner
from app.ui.widgets.scroll_frame import ScrollFrame

if TYPE_CHECKING:
    from app.ui.actions.menu_commands import MenuCommand


class WindowControllers(WindowWidgets):
    """Creates the controllers of the window and passes each the objects that it uses."""

    def __init__(self, settings: Settings, speech: SpeechController) -> None:
        super().__init__(settings, speech)
        theme = resolve_theme(settings.theme)
        self._make_playback()
        self._make_reading(theme)
        self._make_voices()
        self._make_projects()
        self._make_shell()

    def _make_playback(self) -> None:
        self.playback = LinePlayback(self.controller, self.document, self.model, self.seeds)
        self.live = LiveModeController(self.document)
        kept = self.settings.value
        place = (kept.save_folder, kept.save_suffix)
        self.saving = SavingController(
            self.controller, self.document, self.seeds, place, self, name_speaker=lambda settings: self.catalog.describe_speaker(settings)
        )
        self.play_commands = PlayCommands(self.document, self.selection, self.controller, self.playback, self.saving)
        self.speech_settings = SpeechSettingsController(self.settings, self.controller, self.playback, self.banner)
        shown = (self.status, self.transport, self.script, self.latency, self.banner)
        SpeechViewUpdater(self.controller, self.playback, *shown, self.speech_settings.choose_backend)

    def _make_reading(self, theme: Theme) -> None:
        panel = StripPanel(theme)
        self._strip_frame = ScrollFrame(panel)
        self.left.below.insertWidget(0, self._strip_frame)
        stops = (self.script, panel.title, panel.reading.edit, panel.emoji, panel.reset_phrase, panel.reset_all, panel.strip)
        # The strip is created after the buttons below it, so Qt's default tab order would be wrong.
        for before, after in itertools.pairwise(stops):
            QWidget.setTabOrder(before, after)
        self.strip = ReadingController(panel, self.document, self.selection, self.controller, self.playback)
        self.fold = StripFold(panel, self.window_actions["show_strip"], self.settings)

    def _make_voices(self) -> None:
        self.catalog = VoiceCatalog(self, self.settings.value.favourite_voices, self.settings.value.precision_preference)
        self.catalog.favourites_changed.connect(lambda ids: self.settings.change_settings(favourite_voices=ids))
        self.catalog.precision_preference_changed.connect(
            lambda sounds: self.settings.change_settings(exact_voices=sounds.exact, fast_voices=sounds.fast)
        )
        self.settings.changed.connect(lambda _before, after: self.catalog.set_precision_preference(after.precision_preference))
        self.disk_watch = VoiceFolderWatcher([find_data_dir() / "voices", find_data_dir() / "bert"], self)
        self.voice_banner = Banner()
        self.left.add_banner(self.voice_banner)
        self.licences = LicenceQuestionQueue(self, self.voice_banner)
        self.voice_tasks = VoiceTasks(TaskQueue(self), self.licences)
        self.jobs_panel = TasksPanel(self.voice_tasks.queue)
        # The panel is put above the strip, so that strip and buttons stay in place when it appears.
        self.left.below.insertWidget(0, self.jobs_panel)
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
        VoiceTaskResultHandler(self.voice_tasks, self.voices, self.catalog, self.settings, self.voice_banner)
        self.samples = VoiceSamplePlayer(self.side.card, self.selection, self.controller, self.playback)
        self.emoji = EmojiController(self.script, self.selection, self.catalog, self.strip)
        self.library = VoiceLibraryActions(self, self.catalog, self.voice_tasks, self.document, self.selection)

    def _make_projects(self) -> None:
        contents = ProjectContents(self.project, self.document, self.seeds, self.script, self.catalog, self.playback.stop_playing)
        recent = RecentProjectsMenu(self.menus.recent, self.settings)
        speech, playback, name_of = self.controller, self.playback, self.voices.names.find_name
        shelf = TakeRepository(self.project, speech, self.banner.show_error, self.script_file.save_now, self)
        self.projects = ProjectController(self, self.project, contents, shelf, recent, self.banner)
        self.takes = TakesController(shelf, self.document, self.selection, self.seeds, speech, playback, self.banner, name_of)
        self.takes_deletion = TakesDeletionController(self, shelf, self.window_actions["delete_takes"])
        show_takes = self.window_actions["show_takes"]
        self.takes_fold = TakesFold(self.takes, show_takes, self.settings, self.strip.panel, self._strip_frame, self.left.below)
        self.project_words = ProjectDictionaryController(self.project, self.controller, self.banner)
        self.missing = MissingVoicesController(self, self.project, self.document, self.catalog, self.voices, self.voice_banner)

    def _make_shell(self) -> None:
        self.theme_switcher = ThemeSwitcher(self.application, self.settings, self)
        self.dialogs = DialogController(
            self, self.window_actions, self.menus, self.settings, self.controller, self.notice, self._list_choices
        )
        self.dictionary = DictionaryController(
            self, self.window_actions["dictionary"], self.selection, self.controller, self.playback, self.notice, self.project_words
        )
        self.kept_sounds = LineSoundStore(self.strip.sounds, self.document, self.model)
        self.first_paint.painted.connect(self.kept_sounds.load_sounds)
        others = (self.settings.file, self.side.presets.file, self.dialogs.keys, self.kept_sounds)
        self.keeping = AutosaveGuard(self, self.notice, self.script_file, others)
        self.leaving = CloseGuard(self, self.voice_tasks.queue, self._list_other_work)
        shown = (self.side, self.transport, self.script, self.settings)
        self.line_updates = LineViewUpdater(self.document, self.selection, self.seeds, self.playback, *shown)
        self.duration = ScriptDurationMeter(self.document, self.model)
        self.duration.measured.connect(self.status.show_duration)
        self.incoming = IncomingFileRouter(self.commands, self.banner)
        self.incoming.accept_drops(self)

    def _list_other_work(self) -> list[str]:
        return [localize("音声の書き出し", "Exporting audio")] if self.controller.is_writing_files else []

    def _list_choices(self) -> list[MenuCommand]:
        from app.ui.shell.voice_commands import list_voice_commands  # for the search, which few starts need

        return list_voice_commands(self.catalog, self.voices.use_voice, self.side)
