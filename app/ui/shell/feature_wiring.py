"""Connects the window's features with each other."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.common.language import localize
from app.ui.dictionary.dictionary_controller import DictionaryController
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.side_panel import SidePanel
from app.ui.projects.missing_voices_controller import MissingVoicesController
from app.ui.projects.project_controller import ProjectController
from app.ui.projects.project_document import ProjectDocument
from app.ui.projects.window_title import format_window_title
from app.ui.script.autosave import Autosave
from app.ui.script.script_list import ScriptList
from app.ui.takes.take_repository import TakeRepository
from app.ui.voices.licence_questions import LicenceQuestionQueue
from app.ui.voices.voice_controller import VoiceController
from app.ui.voices.voice_library_actions import VoiceLibraryActions
from app.ui.voices.voice_tasks import VoiceTasks
from app.ui.widgets.banner import Banner


class Closable(Protocol):
    """A feature that ends its work with the window."""

    def close(self) -> object: ...


class ProjectFollower(Protocol):
    """A feature that follows the open project."""

    def follow_project(self) -> object: ...


def close_parts(*parts: Closable) -> None:
    """Close features in this order."""
    for part in parts:
        part.close()


def connect_voices(
    voices: VoiceController,
    tasks: VoiceTasks,
    library: VoiceLibraryActions,
    licences: LicenceQuestionQueue,
    side: SidePanel,
    script: ScriptList,
    banner: Banner,
) -> None:
    """Connect the voices of lines with the card, the library and the banner."""
    voices.voice_shown.connect(side.show_voice)
    voices.voice_missing.connect(side.show_missing)
    voices.labels_changed.connect(lambda labels: script.show_voices(labels, voices.names.find_name))
    get_bert = localize("この声に必要な BERT モデルを追加します。", "Adds the BERT model this voice requires.")
    voices.message_requested.connect(lambda said: banner.show_message(said.kind, said.text, said.hint, action=said.action, tip=get_bert))
    voices.error_resolved.connect(banner.hide)
    voices.bert_needed.connect(library.offer_bert)
    voices.prepare_requested.connect(tasks.prepare_voice)
    voices.licence_needed.connect(
        lambda error: licences.ask_for_consent(
            error.voice_id, error.name, error.text, voices.resume_after_licence, lambda: voices.show_licence_refusal(error)
        )
    )
    library.use_requested.connect(voices.use_voice)
    library.force_requested.connect(voices.use_forced_bert)
    banner.action_requested.connect(voices.resolve_missing)
    side.chooser.library_requested.connect(library.open_library)


def connect_saving(
    project: ProjectDocument, projects: ProjectController, takes: ProjectFollower, shelf: TakeRepository, autosave: Autosave
) -> None:
    """Connect projects with autosave and takes."""
    project.changed.connect(autosave.schedule_save)
    projects.saved.connect(shelf.follow_saved_file)
    # Unused sounds are removed only after the autosave file no longer names them; a crash in between would lose them.
    projects.saved.connect(lambda: autosave.save_now(projects.remove_unused_sounds))
    projects.opened.connect(takes.follow_project)
    projects.opened.connect(lambda: autosave.save_now())


def connect_projects(
    project: ProjectDocument,
    projects: ProjectController,
    missing: MissingVoicesController,
    dictionary: DictionaryController,
    presets: PresetBar,
    show_title: Callable[[str], object],
) -> None:
    """Connect the window's title and the features that a project brings data for."""
    project.changed.connect(lambda: show_title(format_window_title(project)))
    project.changed.connect(lambda: presets.show_project(project.parts.presets))
    presets.project_changed.connect(lambda kept: project.change_parts(presets=kept))
    presets.show_project(project.parts.presets)
    projects.opened.connect(missing.follow_project)
    projects.opened.connect(dictionary.refresh_dialog)
    show_title(format_window_title(project))
