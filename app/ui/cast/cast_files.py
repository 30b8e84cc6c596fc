"""Casts outside of the script: projects that they are read from and written to, and the program's memory of who was recast."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QWidget

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.project import PROJECT_SUFFIX, Project, VoiceAssignment, VoiceReference
from app.core.script.script import CAST_FIELDS, Character, Script
from app.ui.background_thread import BackgroundThread, log_error
from app.ui.projects.project_files import build_project_filter
from app.ui.script.script_document import ScriptDocument
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.voices.voice_catalog import VoiceCatalog
from app.ui.widgets.dialogs import append_suffix, ask_for_file

RECAST_SETTLE_MS = 500  # somebody who goes through the voices of a list recasts at every step


class CastFiles(QObject):
    """Asks for files, and reads and writes them in the background.

    Signals:
        read(tuple[Character, ...], tuple[VoiceReference, ...]): the cast of a project, and its voices.
        written(Path): the project that holds the cast.
        failed(AppError): a file could not be read or written.
    """

    read = Signal(object, object)
    written = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._background = BackgroundThread(self, "cast")
        self._background.failed.connect(self.failed)

    def choose_import(self, parent: QWidget) -> None:
        """Ask for a project, and read its cast."""
        path = ask_for_file(parent, localize("登場人物を読み込む", "Import characters"), build_project_filter())
        if path is not None:
            self.read_cast(path)

    def read_cast(self, path: Path) -> None:
        def read() -> Project:
            from app.interchange.koebako_files import read_project  # few sessions need it

            return read_project(path)

        self._background.run_work(read, lambda project: self.read.emit(project.script.cast, project.voices))

    def choose_export(
        self,
        parent: QWidget,
        cast: Sequence[Character],
        find_references: Callable[[Script], tuple[VoiceReference, ...]],
        open_path: Path | None,
    ) -> None:
        """Ask for a name, and save the cast as a project without lines; `open_path`, of the open project, is refused."""
        title = localize("登場人物を書き出す", "Export characters")
        name, _ = QFileDialog.getSaveFileName(parent, title, localize("登場人物", "cast") + PROJECT_SUFFIX, build_project_filter())
        if name:
            script = Script(cast=tuple(cast))
            path = Path(name)
            path = path if path.suffix.lower() == PROJECT_SUFFIX else append_suffix(path, PROJECT_SUFFIX)
            if open_path is not None and _is_same_file(path, open_path):
                message = localize(
                    "開いているプロジェクトに、登場人物だけを保存することはできません。",
                    "The open project cannot be replaced by its characters.",
                )
                self.failed.emit(InputError(message, localize("別の名前を付けてください。", "Choose another name.")))
            else:
                self.write_cast(path, Project(script, voices=find_references(script)))

    def write_cast(self, path: Path, project: Project) -> None:
        def write() -> Path:
            from app.interchange.koebako_files import write_project

            write_project(path, project)
            return path

        self._background.run_work(write, self.written.emit)

    def wait_until_idle(self) -> None:
        self._background.wait_until_idle()

    def close(self) -> None:
        """Finish what is being written."""
        self._background.close(finish=True)


def _is_same_file(path: Path, open_path: Path) -> bool:
    """Return whether a file is the open one, under whatever name."""
    try:
        return path == open_path or path.samefile(open_path)
    except OSError:
        return False


class RecastMemory(QObject):
    """Remembers who speaks a character whenever that changes, also by undo, as it does for an import; to open a project is no recast."""

    def __init__(self, parent: QObject, document: ScriptDocument, catalog: VoiceCatalog) -> None:
        super().__init__(parent)
        self._catalog = catalog
        self._is_other_script = False
        self._recast: dict[str, Character] = {}
        self._background = BackgroundThread(self, "recast memory")
        self._background.failed.connect(log_error)  # nothing is lost: the project holds the cast
        self._timer = QTimer(self, singleShot=True, interval=RECAST_SETTLE_MS)
        self._timer.timeout.connect(self._remember_recast)
        document.replaced.connect(self._note_replacement)
        document.changed.connect(self._note_recast)

    def close(self) -> None:
        """Write what is not written yet."""
        self._timer.stop()
        self._remember_recast()
        self._background.close(finish=True)

    @Slot()
    def _note_replacement(self) -> None:
        self._is_other_script = True

    @Slot(object, object)
    def _note_recast(self, former_script: Script, script: Script) -> None:
        is_other_script, self._is_other_script = self._is_other_script, False
        if is_other_script or former_script.cast is script.cast:
            return
        former = {character.id: character.settings for character in former_script.cast}
        for character in script.cast:
            old, new = former.get(character.id, character.settings), character.settings
            if old is not new and any(getattr(old, name) != getattr(new, name) for name in CAST_FIELDS):
                self._recast[character.id] = character
                self._timer.start()

    @Slot()
    def _remember_recast(self) -> None:
        if not self._recast:
            return
        cast, voices = tuple(self._recast.values()), self._catalog.voices
        self._recast = {}

        def remember_cast() -> None:
            # With the locks of files, which the window starts without.
            from app.install.known_voices import remember_characters

            if chosen := list_recast_voices(cast, voices):
                remember_characters(chosen)

        self._background.run_work(remember_cast)


def list_recast_voices(cast: Iterable[Character], voices: Sequence[CatalogVoice]) -> list[VoiceAssignment]:
    """Return the voices of a cast by all names of its characters, without those that are missing here.

    A speaker or style that a voice lacks is left empty: it belongs to a former voice, and an import would fail by it.
    """
    voices_by_id = {voice.id: voice for voice in voices}

    def drop_unknown(name: str, items: Iterable[tuple[int, str]]) -> str:
        return name if any(name == item for _, item in items) else ""

    assignments: list[VoiceAssignment] = []
    for character in cast:
        settings = character.settings
        if (voice := voices_by_id.get(settings.voice)) is not None:
            speaker, style = drop_unknown(settings.speaker, voice.speakers), drop_unknown(settings.style, voice.styles)
            assignments += [VoiceAssignment(name, voice.manifest.id, speaker, style) for name in character.names]
    return assignments
