"""Voices: which are there, which the selected lines have, and the tasks that add and change them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Slot
from PySide6.QtGui import QAction

from app.common.files.paths import find_data_dir
from app.common.language import localize
from app.core.script.script import change_settings
from app.core.sound.voice_traits import SBV2_ARCHITECTURE, VoiceArchitecture
from app.ui.parameters.side_panel import SidePanel
from app.ui.playback.speech_settings import BusyNotice
from app.ui.script.line_selection import LineSelection
from app.ui.shell.playback_feature import PlaybackFeature
from app.ui.shell.script_feature import ScriptFeature
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.tasks.process_task import TaskQueue
from app.ui.tasks.tasks_panel import TasksPanel
from app.ui.voices.kokoro_offer import KokoroOffer
from app.ui.voices.licence_questions import LicenceQuestionQueue
from app.ui.voices.voice_card import VoiceSamplePlayer
from app.ui.voices.voice_catalog import VoiceCatalog, VoiceFolderWatcher
from app.ui.voices.voice_controller import VoiceController
from app.ui.voices.voice_library_actions import SpeakerBlendController, VoiceLibraryActions
from app.ui.voices.voice_task_results import RefinementController, VoiceTaskResultHandler
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.banner import Banner
from app.ui.widgets.controls import escape_mnemonic
from app.voices.voice_labels import format_style

if TYPE_CHECKING:
    from app.ui.actions.command_search import MenuCommand
    from app.ui.voices.natural_voices_controller import NaturalVoicesController


class VoicesFeature(WindowFeature):
    """Shows the voice of the selected lines, and offers others."""

    def __init__(self, context: WindowContext, script: ScriptFeature, playback: PlaybackFeature) -> None:
        super().__init__(context)
        self._script, self._playback = script, playback
        window, settings, speech, catalog, side = context.window, context.settings, context.speech, context.catalog, context.side
        # Watches the folders of voices and BERTs; the window starts it.
        self.folders = VoiceFolderWatcher([find_data_dir() / "voices", find_data_dir() / "bert"], window)
        self.banner = Banner(is_card=True)
        script.panel.messages.add_card(self.banner)
        self.licences = LicenceQuestionQueue(window, self.banner)
        self.tasks = VoiceTasks(TaskQueue(window), self.licences)  # the tasks that add voices; `tasks.queue` runs them
        self.tasks_panel = TasksPanel(self.tasks.queue)
        script.panel.messages.add_card(self.tasks_panel)
        document, selection, queue = context.document, script.selection, playback.queue
        # The voices of the lines, and what is missing of them.
        self.choice = VoiceController(catalog, document, selection, speech, queue, settings, side.card, side.chooser)
        offer_used_settings(selection, catalog, side)
        BusyNotice(speech=speech, settings=settings, banner=self.banner, use_light_voice=lambda: self.choice.use_voice(""))
        self.kokoro = KokoroOffer(catalog, self.tasks.queue, side.card)
        side.card.natural_voice_requested.connect(lambda: self.natural.add_kokoro_voice())
        self.refinements = RefinementController(catalog, self.tasks, speech)
        VoiceTaskResultHandler(self.tasks, self.choice, catalog, settings, self.banner)
        self.samples = VoiceSamplePlayer(side.card, selection=selection, speech=speech, playback=queue, catalog=catalog)
        side.introduction_requested.connect(self.samples.play_introduction)
        self.library = VoiceLibraryActions(window, catalog, self.tasks, document, selection)
        self.blends = SpeakerBlendController(window, catalog=catalog, tasks=self.tasks, speech=speech)
        self.library.blend_requested.connect(self.blends.open_dialog)
        self.blends.introduction_requested.connect(self.samples.play_introduction)
        side.card.blend_requested.connect(self._open_blend_of_lines)
        catalog.favourites_changed.connect(lambda ids: settings.change_settings(favourite_voices=ids))
        catalog.precision_preference_changed.connect(
            lambda sounds: settings.change_settings(exact_voices=sounds.exact, fast_voices=sounds.fast)
        )
        settings.changed.connect(lambda _before, after: catalog.set_precision_preference(after.precision_preference))
        self._connect_choice()
        self.tasks.voice_changing.connect(speech.close_voice)
        self.tasks.disk_changed.connect(catalog.refresh_voices)
        self.tasks.backends_measured.connect(playback.speech_settings.apply_measured_backend)
        self.folders.changed.connect(catalog.refresh_voices)
        context.actions.connect_handlers(
            {
                "natural_voice": lambda: self.natural.open_dialog(),
                "add_voice": self.library.add_voice,
                "add_voice_address": partial(self.library.add_voice, "address"),
                "voice_library": self.library.open_library,
                "add_bert": self.library.add_bert,
                "measure": self.library.measure_current_voice,
            }
        )

    @cached_property
    def natural(self) -> NaturalVoicesController:
        """Return the page of natural voices, which is created on first use."""
        from app.ui.voices.natural_voices_controller import NaturalVoicesController

        window, catalog = self._context.window, self._context.catalog
        natural = NaturalVoicesController(window, catalog, self.tasks, self.choice, self._script.selection)
        natural.sample_requested.connect(self.samples.play_recording)
        natural.speak_requested.connect(self._playback.commands.play_if_silent)
        return natural

    def find_name(self, voice_id: str) -> str:
        """Return the name of a voice, also of one that is not installed."""
        voice = self._context.catalog.find_voice(voice_id)
        return voice.name if voice is not None else self.choice.names.find_name(voice_id)

    def has_noise(self, voice_id: str) -> bool:
        """Return whether a voice draws noise, so that another seed makes it sound otherwise; a voice that is missing counts as one of the usual kind."""
        voice = self._context.catalog.find_voice(voice_id)
        return voice is None or voice.architecture.draws_noise

    @Slot()
    def _open_blend_of_lines(self) -> None:
        """Make a blend for the selected lines."""
        selection, document = self._script.selection, self._context.document
        voice = self._context.catalog.find_voice(self.choice.current_voice_id)
        if voice is None or not voice.can_blend:
            return
        ids = selection.ids

        def use_style(style: str) -> None:
            document.apply_edit(localize("スタイルを変更", "Change style"), change_settings(document.script, ids, style=style))

        self.blends.open_dialog(voice, self._context.window, first=selection.settings.speaker, use_style=use_style)

    def list_commands(self) -> list[MenuCommand]:
        """Return commands that choose voices and styles, for the command search."""
        return list_voice_commands(self._context.catalog, self.choice.use_voice, self._context.side)

    def close(self) -> None:
        """Stop the tasks and close what is open."""
        self.close_created("natural")
        for controller in (self.folders, self.kokoro, self.blends, self.refinements, self.choice, self.tasks.queue, self.licences):
            controller.close()
        self._context.catalog.close()

    def _connect_choice(self) -> None:
        choice, banner, library, licences = self.choice, self.banner, self.library, self.licences
        side = self._context.side
        choice.voice_shown.connect(side.show_voice)
        choice.voice_missing.connect(side.show_missing)
        choice.labels_changed.connect(lambda labels: self._script.view.show_voices(labels, choice.names.find_name))
        get_bert = localize("この声に必要な BERT モデルを追加します。", "Adds the BERT model this voice requires.")
        choice.message_requested.connect(
            lambda said: banner.show_message(said.kind, said.text, said.hint, action=said.action, tip=get_bert)
        )
        choice.error_resolved.connect(banner.hide)
        choice.bert_needed.connect(library.offer_bert)
        choice.prepare_requested.connect(self.tasks.prepare_voice)
        choice.licence_needed.connect(
            lambda error: licences.ask_for_consent(
                error.voice_id, error.name, error.text, choice.resume_after_licence, lambda: choice.show_licence_refusal(error)
            )
        )
        library.use_requested.connect(choice.use_voice)
        library.force_requested.connect(choice.use_forced_bert)
        library.play_requested.connect(self.samples.try_voice)
        banner.action_requested.connect(choice.resolve_missing)
        side.chooser.library_requested.connect(library.open_library)


def offer_used_settings(selection: LineSelection, catalog: VoiceCatalog, side: SidePanel) -> None:
    """Offer in the panel what the voices of the selected lines use; a voice that is missing counts as one that uses all settings."""
    # Until the voices are read the panel has the form that it will have for most of them.
    side.offer_settings(frozenset({SBV2_ARCHITECTURE}))

    def update_settings() -> None:
        if catalog.is_read:
            voices = [catalog.find_voice(voice) for voice in selection.voices]
            architectures: frozenset[VoiceArchitecture] = frozenset(voice.architecture for voice in voices if voice is not None)
            side.offer_settings(architectures if all(voices) else frozenset())

    selection.changed.connect(update_settings)
    catalog.changed.connect(update_settings)


def list_voice_commands(catalog: VoiceCatalog, use_voice: Callable[[str], object], side: SidePanel) -> list[MenuCommand]:
    """Return a command for every voice, and for every style of the current one, so that the search finds them by name."""
    from app.ui.actions.command_search import MENU_PATH_SEPARATOR, MenuCommand  # few starts need the search

    def create_command(kind: str, name: str, search_text: str, run: Callable[[], object]) -> MenuCommand:
        action = QAction(escape_mnemonic(name))
        action.triggered.connect(lambda: run())
        return MenuCommand(action, MENU_PATH_SEPARATOR.join((kind, name)), search_text)

    voice, style = localize("声", "Voice"), localize("スタイル", "Style")
    styles = [(row, str(side.styles.itemData(row))) for row in range(side.styles.count())]
    return [
        *(create_command(voice, one.name, f"こえ voice {one.name}", partial(use_voice, one.id)) for one in catalog.voices),
        *(
            create_command(
                style, format_style(name), f"すたいる style {name} {format_style(name)}", partial(side.styles.setCurrentIndex, row)
            )
            for row, name in styles
        ),
    ]
