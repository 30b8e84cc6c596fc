"""The open project: its file and title, what it holds in addition to the script, its words and voices, and whether all of it is saved."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from app.adapters.openjtalk.reading_choices import PROJECT_WORDS
from app.common.files.untrusted_json import sanitise_short_text
from app.common.language import localize
from app.core.script.project import Project, VoiceReference
from app.core.script.script import Script
from app.ui.background_thread import BackgroundThread
from app.ui.script.autosave import ScriptOrigin, is_greeting
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.synthesis.speech_controller import SpeechController
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.core.text.dictionary_entries import DictionaryEntry


CHANGED_MARK = "● "
MANY_LINES = 500  # lines that are laid out gradually


def build_voice_references(script: Script, catalog: VoiceCatalog, known_references: Iterable[VoiceReference]) -> tuple[VoiceReference, ...]:
    """Return a reference for each voice that lines and characters name, in their order; for a voice that is not here, the known one."""
    references = {reference.id: reference for reference in known_references}
    lines, cast = script.lines, script.cast
    used = dict.fromkeys(filter(None, (*(line.settings.voice for line in lines), *(character.settings.voice for character in cast))))
    return tuple(_build_reference(voice, catalog.find_voice(voice), references.get(voice)) for voice in used)


def _build_reference(voice: str, catalog_voice: CatalogVoice | None, reference: VoiceReference | None) -> VoiceReference:
    if catalog_voice is None:
        return reference or VoiceReference(voice)
    from app.adapters.http.hub_files import AIVISHUB_PAGES  # when a project is saved; the window is there sooner

    model = ""
    with suppress(ValueError):
        model = str(uuid.UUID(catalog_voice.model_card.uuid))
    page = f"https://{AIVISHUB_PAGES}/aivm-models/{model}" if model else reference.address if reference else ""
    return VoiceReference(voice, catalog_voice.name, model, page, reference.unknown if reference else "")


@dataclass(frozen=True, slots=True)
class MissingVoice:
    """A voice that lines name."""

    id: str  # what lines call it
    name: str  # for people
    lines: int  # how many there are
    address: str = ""  # of its page; empty where none is known
    likely_id: str = ""  # id of the voice here that is the same model, or has its name; empty where there is none


def find_missing_voices(
    script: Script, catalog: VoiceCatalog, references: Iterable[VoiceReference], find_name: Callable[[str], str]
) -> list[MissingVoice]:
    """Return the missing voices in the order of their lines; none before all voices are known.

    Args:
        find_name: what a voice was called when it was here; empty where it never was.
    """
    if not catalog.is_read:
        return []
    references_by_id = {reference.id: reference for reference in references}
    line_counts = Counter(line.settings.voice for line in script.lines if line.settings.voice)
    usable, missing = list_usable_voices(catalog), []
    for voice, line_count in line_counts.items():
        if catalog.find_voice(voice) is None:
            reference = references_by_id.get(voice, VoiceReference(voice))
            name = reference.name or find_name(voice)
            likely = [item.id for item in usable if reference.uuid and item.model_card.uuid == reference.uuid]
            likely += [item.id for item in usable if name and item.name == name]
            shown_name = name or localize("不明な声", "Unknown voice")
            missing.append(MissingVoice(voice, shown_name, line_count, reference.address, likely[0] if likely else ""))
    return missing


def list_usable_voices(catalog: VoiceCatalog) -> list[CatalogVoice]:
    """Return the voices that can speak at once."""
    return [voice for voice in catalog.voices if voice.origin != "aivisspeech"]


class ProjectDocument(QObject):
    """Belongs to a script.

    Signals:
        changed(): another file, other parts, or `is_changed` is not what it was.
    """

    changed = Signal()

    def __init__(self, script: ScriptDocument, origin: ScriptOrigin) -> None:
        super().__init__(script)
        self._script = script
        self.path = Path(origin.file) if origin.file else None  # of the file; None for a script without a name
        # parts: the project without its script.
        self.digest, self.parts = origin.digest, origin.parts  # digest: of what the file held when it was read or written here
        self._saved_state = None if origin.is_changed else (script.script, origin.parts)
        self.is_changed = self._has_changes()  # the file does not hold it all; of a script without a name, there is something to lose
        script.changed.connect(self._update_is_changed)

    @property
    def name(self) -> str:
        """Return the name of the file without its suffix; empty for a script without a name."""
        return self.path.stem if self.path else ""

    @property
    def origin(self) -> ScriptOrigin:
        """Return the origin of the script, to be kept between starts."""
        return ScriptOrigin(str(self.path or ""), self.digest, self.is_changed, self.parts)

    def change_parts(self, **parts: Any) -> None:
        """Give the project other parts, by name of the field of `Project`; equal ones change nothing."""
        former, self.parts = self.parts, replace(self.parts, **parts)
        if self.parts != former:
            self.is_changed = self._has_changes()
            self.changed.emit()

    @Slot(object)
    def add_references(self, voices: tuple[VoiceReference, ...]) -> None:
        """Add the voices that lines name now; the present one replaces an older one."""
        voices_by_id = {voice.id: voice for voice in (*self.parts.voices, *voices)}
        self.change_parts(voices=tuple(voices_by_id.values()))

    def begin_project(self, project: Project, path: Path | None, digest: str) -> None:
        """Begin another project, whose script is shown already."""
        self.parts = replace(project, script=Script(), current="", assignments=())
        self.mark_saved(path, digest, self._script.script, self.parts)

    def mark_saved(self, path: Path | None, digest: str, script: Script, parts: Project) -> None:
        """Record that the file holds this script and these parts, which may have changed already."""
        self.path, self.digest, self._saved_state = path, digest, (script, parts)
        self.is_changed = self._has_changes()
        self.changed.emit()

    def mark_lost(self) -> None:
        """Record that the file holds something else, or no longer exists."""
        self._saved_state = None
        self._update_is_changed()

    @Slot()
    def _update_is_changed(self, *_scripts: object) -> None:
        was_changed, self.is_changed = self.is_changed, self._has_changes()
        if was_changed != self.is_changed:
            self.changed.emit()

    def _has_changes(self) -> bool:
        script = self._script.script
        if self.path is not None:
            return self._saved_state is None or self._saved_state != (script, self.parts)
        typed = any(line.text.strip() for line in script.lines) and not is_greeting(script)
        parts = self.parts
        return typed or bool(parts.dictionary or script.cast or parts.takes or parts.presets)


def describe_project(project: ProjectDocument) -> str:
    """Return the title of a project, for people and for a file."""
    return sanitise_short_text(project.name) or localize("名称未設定", "Untitled")


def format_window_title(project: ProjectDocument) -> str:
    """Return the name of the project and of the program, marked where there are changes that no project file holds."""
    if project.path is None and not project.is_changed:
        return "Koebako"
    return f"{CHANGED_MARK if project.is_changed else ''}{describe_project(project)} – Koebako"


class ProjectContents:
    """Puts the parts together."""

    def __init__(
        self,
        project: ProjectDocument,
        document: ScriptDocument,
        seeds: LineSeeds,
        view: ScriptList,
        catalog: VoiceCatalog,
        stop_playing: Callable[[], object],
    ) -> None:
        self._project, self._document, self._seeds = project, document, seeds
        self._view, self._catalog, self._stop = view, catalog, stop_playing

    @property
    def script(self) -> Script:
        return self._document.script

    def collect_parts(self) -> Project:
        """Return the project without its script, but with the voices that the script names now."""
        parts = self._project.parts
        return replace(parts, voices=build_voice_references(self.script, self._catalog, parts.voices))

    def build_project(self, parts: Project, name: str) -> Project:
        """Return the whole project, as a file of this name is to hold it."""
        script = self._seeds.apply_last_seeds(self.script)
        return replace(parts, script=replace(script, title=script.title or name), current=self._view.current_id)

    def show_project(self, project: Project, path: Path | None = None, digest: str = "") -> None:
        """Show another project; there is no way back."""
        self._view.end_editing()
        self._stop()
        if len(project.script.lines) > MANY_LINES:
            self._view.gradual.begin_layout()
        self._document.reset_script(project.script)
        lines = project.script.lines
        current = project.current if project.script.find_line(project.current) else lines[0].id if lines else ""
        self._view.select_lines([current])
        self._project.begin_project(project, path, digest)


class ProjectDictionaryController(QObject):
    """Has lines read with the words of the project, as soon as these are ready for the front end."""

    def __init__(self, project: ProjectDocument, speech: SpeechController, banner: Banner) -> None:
        super().__init__(project)
        self._project, self._speech = project, speech
        self._background = BackgroundThread(self, "project words")
        self._background.failed.connect(banner.show_error)
        PROJECT_WORDS.entries = self._entries = project.parts.dictionary
        project.changed.connect(self._follow_project)

    def list_entries(self) -> tuple[DictionaryEntry, ...]:
        return self._project.parts.dictionary

    def keep_entries(self, entries: tuple[DictionaryEntry, ...]) -> None:
        """Give the project other entries."""
        self._project.change_parts(dictionary=entries)

    def close(self) -> None:
        """Remove the project's entries from the dictionary."""
        self._background.close()
        PROJECT_WORDS.entries = ()

    @Slot()
    def _follow_project(self) -> None:
        entries = self._project.parts.dictionary
        if entries != self._entries:
            self._entries = entries

            def apply_entries(_nothing: object) -> None:
                if entries is self._entries:
                    PROJECT_WORDS.entries = entries
                    self._speech.reload_dictionary()

            self._background.run_work(partial(_prepare_entries, entries), apply_entries)


def _prepare_entries(entries: tuple[DictionaryEntry, ...]) -> None:
    from app.adapters.openjtalk.user_lexicon import prepare_project_entries  # the window starts without the front end

    prepare_project_entries(entries)
