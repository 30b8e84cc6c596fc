"""Brings the cast of another project in, and saves the cast as a project of its own; both in the background."""

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.project import PROJECT_SUFFIX, Project, VoiceReference
from app.core.script.script import Character, Script
from app.ui.background_thread import BackgroundThread
from app.ui.projects.project_files import build_project_filter
from app.ui.widgets.dialogs import append_suffix, ask_for_file


class CastFiles(QObject):
    """Asks for files, reads and writes them.

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
        """Read the cast of a project."""

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
        """Write a project."""

        def write() -> Path:
            from app.interchange.koebako_files import write_project

            write_project(path, project)
            return path

        self._background.run_work(write, self.written.emit)

    def wait_until_idle(self) -> None:
        """Wait for what was begun."""
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
