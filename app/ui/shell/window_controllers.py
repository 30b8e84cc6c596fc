"""What works behind the widgets of the main window."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from app.language import localized
from app.paths import data_dir
from app.settings import Settings
from app.ui.dictionary.controller import DictionaryController
from app.ui.playback.live import LiveMode
from app.ui.playback.play_commands import PlayCommands
from app.ui.playback.playback import Playback
from app.ui.playback.saving import Saving
from app.ui.playback.speech_settings import SpeechSettings
from app.ui.projects.contents import Contents
from app.ui.projects.controller import ProjectController
from app.ui.projects.missing import MissingVoices
from app.ui.projects.recent import RecentProjects
from app.ui.projects.words import ProjectWordsController
from app.ui.reading.controller import ReadingController
from app.ui.reading.kept_sounds import KeptSounds
from app.ui.reading.strip.panel import StripPanel
from app.ui.reading.strip_fold import StripFold
from app.ui.script.duration import DurationMeter
from app.ui.shell.dialogs import Dialogs
from app.ui.shell.emoji_controller import EmojiController
from app.ui.shell.incoming_files import IncomingFiles
from app.ui.shell.keeping import Keeping
from app.ui.shell.leaving import Leaving
from app.ui.shell.line_updates import LineUpdates
from app.ui.shell.status_updates import StatusUpdates
from app.ui.shell.theme_switcher import ThemeSwitcher
from app.ui.shell.window_widgets import WindowWidgets
from app.ui.synthesis.controller import SpeechController
from app.ui.takes.controller import TakesController
from app.ui.takes.deletion import TakesDeletion
from app.ui.takes.fold import TakesFold
from app.ui.takes.shelf import TakeShelf
from app.ui.tasks.jobs_panel import JobsPanel
from app.ui.tasks.queue import TaskQueue
from app.ui.theme.theme import Theme, chosen_theme
from app.ui.voices.catalog import VoiceCatalog
from app.ui.voices.controller import VoiceController
from app.ui.voices.disk_watch import DiskWatch
from app.ui.voices.library_actions import LibraryActions
from app.ui.voices.licence_questions import LicenceQuestions
from app.ui.voices.task_results import VoiceResults
from app.ui.voices.tasks import VoiceTasks
from app.ui.voices.voice_samples import VoiceSamples
from app.ui.widgets.banner import Banner
from app.ui.widgets.scroll_frame import ScrollFrame

if TYPE_CHECKING:
    from app.ui.actions.commands import Command


class WindowControllers(WindowWidgets):
    """What works behind the widgets; each is given what it uses."""

    def __init__(self, settings: Settings, speech: SpeechController) -> None:
        super().__init__(settings, speech)
        theme = chosen_theme(settings.theme)
        self._make_playback()
        self._make_reading(theme)
        self._make_voices()
        self._make_projects()
        self._make_shell()

    def _make_playback(self) -> None:
        self.playback = Playback(self.controller, self.document, self.model, self.seeds)
        self.live = LiveMode(self.document)
        kept = self.settings.value
        place = (kept.save_folder, kept.save_suffix)
        self.saving = Saving(
            self.controller, self.document, self.seeds, place, self, name_speaker=lambda settings: self.catalog.name_speaker(settings)
        )
        self.play_commands = PlayCommands(self.document, self.selection, self.controller, self.playback, self.saving)
        self.speech_settings = SpeechSettings(self.settings, self.controller, self.playback, self.banner)
        shown = (self.status, self.transport, self.script, self.latency, self.banner)
        StatusUpdates(self.controller, self.playback, *shown, self.speech_settings.choose_backend)

    def _make_reading(self, theme: Theme) -> None:
        panel = StripPanel(theme)
        self._strip_frame = ScrollFrame(panel)
        self.left.below.insertWidget(0, self._strip_frame)
        stops = (self.script, panel.title, panel.reading.edit, panel.emoji, panel.reset_phrase, panel.reset_all, panel.strip)
        for before, after in itertools.pairwise(stops):  # it was made after the buttons below it
            QWidget.setTabOrder(before, after)
        self.strip = ReadingController(panel, self.document, self.selection, self.controller, self.playback)
        self.fold = StripFold(panel, self.window_actions["show_strip"], self.settings)

    def _make_voices(self) -> None:
        self.catalog = VoiceCatalog(self, self.settings.value.favourite_voices, self.settings.value.sound_choice)
        self.catalog.preferred.connect(lambda ids: self.settings.change(favourite_voices=ids))
        self.catalog.sounds_chosen.connect(lambda sounds: self.settings.change(exact_voices=sounds.exact, fast_voices=sounds.fast))
        self.settings.changed.connect(lambda _before, after: self.catalog.show_sounds(after.sound_choice))
        self.disk_watch = DiskWatch([data_dir() / "voices", data_dir() / "bert"], self)
        self.voice_banner = Banner()
        self.left.add_banner(self.voice_banner)
        self.licences = LicenceQuestions(self, self.voice_banner)
        self.voice_tasks = VoiceTasks(TaskQueue(self), self.licences)
        self.jobs_panel = JobsPanel(self.voice_tasks.queue)
        self.left.below.insertWidget(0, self.jobs_panel)  # strip and buttons stay where they are when it comes
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
        self.samples = VoiceSamples(self.side.card, self.selection, self.controller, self.playback)
        self.emoji = EmojiController(self.script, self.selection, self.catalog, self.strip)
        self.library = LibraryActions(self, self.catalog, self.voice_tasks, self.document, self.selection)

    def _make_projects(self) -> None:
        contents = Contents(self.project, self.document, self.seeds, self.script, self.catalog, self.playback.stop)
        recent = RecentProjects(self.menus.recent, self.settings)
        speech, playback, name_of = self.controller, self.playback, self.voices.names.find
        shelf = TakeShelf(self.project, speech, self.banner.show_error, self.script_file.save_now, self)
        self.projects = ProjectController(self, self.project, contents, shelf, recent, self.banner)
        self.takes = TakesController(shelf, self.document, self.selection, self.seeds, speech, playback, self.banner, name_of)
        self.takes_deletion = TakesDeletion(self, shelf, self.window_actions["delete_takes"])
        show_takes = self.window_actions["show_takes"]
        self.takes_fold = TakesFold(self.takes, show_takes, self.settings, self.strip.panel, self._strip_frame, self.left.below)
        self.project_words = ProjectWordsController(self.project, self.controller, self.banner)
        self.missing = MissingVoices(self, self.project, self.document, self.catalog, self.voices, self.voice_banner)

    def _make_shell(self) -> None:
        self.theme_switcher = ThemeSwitcher(self.application, self.settings, self)
        self.dialogs = Dialogs(self, self.window_actions, self.menus, self.settings, self.controller, self.notice, self._choices)
        self.dictionary = DictionaryController(
            self, self.window_actions["dictionary"], self.selection, self.controller, self.playback, self.notice, self.project_words
        )
        self.kept_sounds = KeptSounds(self.strip.sounds, self.document, self.model)
        self.first_paint.over.connect(self.kept_sounds.load)
        others = (self.settings.file, self.side.presets.file, self.dialogs.keys, self.kept_sounds)
        self.keeping = Keeping(self, self.notice, self.script_file, others)
        self.leaving = Leaving(self, self.voice_tasks.queue, self._other_work)
        shown = (self.side, self.transport, self.script, self.settings)
        self.line_updates = LineUpdates(self.document, self.selection, self.seeds, self.playback, *shown)
        self.duration = DurationMeter(self.document, self.model)
        self.duration.measured.connect(self.status.show_duration)
        self.incoming = IncomingFiles(self.commands, self.banner)
        self.incoming.accept_drops(self)

    def _other_work(self) -> list[str]:
        return [localized("音声の書き出し", "Exporting audio")] if self.controller.writes_files else []

    def _choices(self) -> list[Command]:
        from app.ui.shell.choices import choices  # for the search, which few starts need

        return choices(self.catalog, self.voices.use, self.side)
