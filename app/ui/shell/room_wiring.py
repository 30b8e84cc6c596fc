"""What the parts of a room report, and who does something about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from app.language import localized
from app.ui.dictionary.controller import DictionaryController
from app.ui.parameters.preset_bar import PresetBar
from app.ui.parameters.side_panel import SidePanel
from app.ui.projects.controller import ProjectController
from app.ui.projects.document import ProjectDocument
from app.ui.projects.missing import MissingVoices
from app.ui.projects.title import title_of
from app.ui.script.autosave import Autosave
from app.ui.script.list import ScriptList
from app.ui.takes.shelf import TakeShelf
from app.ui.voices.controller import VoiceController
from app.ui.voices.library_actions import LibraryActions
from app.ui.voices.licence_questions import LicenceQuestions
from app.ui.voices.tasks import VoiceTasks
from app.ui.widgets.banner import Banner


class Closes(Protocol):
    """A part that ends its work with the window."""

    def close(self) -> object: ...


class Opens(Protocol):
    """A part that follows the project that is shown."""

    def on_opened(self) -> object: ...


def close_all(*parts: Closes) -> None:
    """Ends the work of parts, in this order."""
    for part in parts:
        part.close()


def connect_voices(
    voices: VoiceController,
    tasks: VoiceTasks,
    library: LibraryActions,
    licences: LicenceQuestions,
    side: SidePanel,
    script: ScriptList,
    banner: Banner,
) -> None:
    """Voices of lines, shown beside them and on their cards, and what they lack."""
    voices.shown.connect(side.show_voice)
    voices.missing.connect(side.show_missing)
    voices.labels_changed.connect(lambda labels: script.show_voices(labels, voices.names.find))
    get_bert = localized("この声に必要な BERT モデルを追加します。", "Adds the BERT model this voice requires.")
    voices.message.connect(lambda said: banner.show_message(said.kind, said.text, said.hint, action=said.action, tip=get_bert))
    voices.settled.connect(banner.hide)
    voices.bert_needed.connect(library.offer_bert)
    voices.prepare_requested.connect(tasks.prepare)
    voices.licence_needed.connect(
        lambda error: licences.ask(error.voice_id, error.name, error.text, voices.go_on, lambda: voices.decline(error))
    )
    library.use_requested.connect(voices.use)
    library.force_requested.connect(voices.force_bert)
    banner.action_requested.connect(voices.mend)
    side.chooser.library_requested.connect(library.open)


def connect_saving(project: ProjectDocument, projects: ProjectController, takes: Opens, shelf: TakeShelf, autosave: Autosave) -> None:
    """What is kept between starts follows the project, and sounds follow both: none of them goes before neither names it any more."""
    project.changed.connect(autosave.changed)
    projects.saved.connect(shelf.on_saved)
    projects.saved.connect(lambda: autosave.save_now(projects.clean))
    projects.opened.connect(takes.on_opened)
    projects.opened.connect(lambda: autosave.save_now())


def connect_projects(
    project: ProjectDocument,
    projects: ProjectController,
    missing: MissingVoices,
    dictionary: DictionaryController,
    presets: PresetBar,
    show_title: Callable[[str], object],
) -> None:
    """The title of the window, and what another project brings with it."""
    project.changed.connect(lambda: show_title(title_of(project)))
    project.changed.connect(lambda: presets.show_project(project.parts.presets))
    presets.project_changed.connect(lambda kept: project.change(presets=kept))
    presets.show_project(project.parts.presets)
    projects.opened.connect(missing.on_opened)
    projects.opened.connect(dictionary.show_again)
    show_title(title_of(project))
