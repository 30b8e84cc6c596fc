"""Projects on the disk: read and written in the background, where what does that is imported, and the menu of those opened last."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.core.script.project import PROJECT_SUFFIX, Project
from app.core.script.script import Script
from app.settings.user_settings import MOST_RECENT, Settings
from app.ui.script.autosave import locate_autosave_file
from app.ui.settings.settings_store import SettingsStore
from app.ui.widgets.controls import escape_mnemonic, escape_tip

if TYPE_CHECKING:
    from app.interchange.koebako_files import ProjectFileContent


MAX_RECENT_NAME_WIDTH_PX = 360  # pixels of a folder's name
FileFate = Literal["same", "other", "gone"]


@dataclass(frozen=True, slots=True)
class ProjectFileState:
    """A project as its file holds it now."""

    fate: FileFate  # of the file since it was read last
    project: Project | None = None  # None where it was not read
    digest: str = ""
    dropped: tuple[str, ...] = ()  # what could not be read, a sentence each


@dataclass(frozen=True, slots=True)
class ProjectWriteResult:
    """A project in its file; `left_out` counts the sounds that did not fit."""

    digest: str
    left_out: int = 0


def read_project_file(path: Path) -> ProjectFileContent:
    """Return the project, with the sounds in its file put where takes are played from; raise InputError if it cannot be read."""
    from app.interchange.koebako_files import open_project

    opened = open_project(path)
    if not opened.project.sounds:
        return opened
    from app.audition.embedded_sounds import unpack_sounds

    return replace(opened, project=unpack_sounds(opened.project, path))


def write_project_file(
    path: Path, project: Project, expected_digest: str | None, previous_path: Path | None = None, restorable: Collection[str] = ()
) -> ProjectWriteResult | None:
    """Write the file after storing all sounds next to it; return None and write nothing if the old file is not the expected one.

    Raises OutputFileError.

    Args:
        expected_digest: digest of what may be replaced; None replaces anything.
        previous_path: the file that the project had until now.
        restorable: sounds that no take names, such as those of deleted takes that can be put back.
    """
    from app.adapters.files.file_lock import lock_user_file
    from app.interchange.koebako_files import compute_file_digest, write_project

    left_out = 0
    # Of two windows that save at the same time the second one has to see what the first one wrote.
    with lock_user_file(path):
        if expected_digest is not None and compute_file_digest(path) not in ("", expected_digest):
            return None
        if project.takes or project.tests:
            from app.audition.embedded_sounds import copy_sounds_beside, pack_sounds

            if project.embeds:
                project, left_out = pack_sounds(project, (path, previous_path, None))
            copy_sounds_beside(project, path, previous_path)
        if restorable and previous_path not in (None, path):
            from app.audition.embedded_sounds import hold_sounds

            hold_sounds(restorable, previous_path)
        return ProjectWriteResult(write_project(path, project), left_out)


def remove_unneeded_sounds(path: Path, needed: Collection[str]) -> None:
    """Remove the stored sounds that neither the project's file nor the window names; `needed` are the window's."""
    from app.audition import take_store

    take_store.remove_unneeded_sounds(path, locate_autosave_file(), needed)


def compare_project_file(path: Path, digest: str, parts: Project) -> ProjectFileState:
    """Return what a file holds now; sounds that are only in it any more come out of it."""
    from app.common.errors import InputError
    from app.interchange.koebako_files import compute_file_digest

    file_digest = compute_file_digest(path)
    if file_digest == digest and not (parts.embeds and _is_missing_sounds(parts, path)):
        return ProjectFileState("same")
    try:
        opened = read_project_file(path)
    except InputError:  # gone, or no project any more
        return ProjectFileState("other" if file_digest else "gone")
    return ProjectFileState("same") if file_digest == digest else ProjectFileState("other", opened.project, opened.digest, opened.losses)


def _is_missing_sounds(parts: Project, path: Path) -> bool:
    from app.audition.embedded_sounds import is_missing_sounds

    return is_missing_sounds(parts, path)


def is_equal_project(project: Project, script: Script, parts: Project) -> bool:
    """Return whether a file has all that is shown; names of voices are not edited."""
    in_file, in_window = (replace(item, script=Script(), current="", voices=()) for item in (project, parts))
    return project.script.lines == script.lines and in_file == in_window


def build_project_filter() -> str:
    """Return the filter of dialogs that ask for project files."""
    return localize("Koebako のプロジェクト", "Koebako projects") + f" (*{PROJECT_SUFFIX})"


class RecentProjectsMenu(QObject):
    """Offers the projects that were open last; keeps the list in the settings.

    Signals:
        chosen(Path): the user wants to open this one again.
    """

    chosen = Signal(object)

    def __init__(self, menu: QMenu, settings: SettingsStore) -> None:
        super().__init__(menu)
        self._menu, self._settings = menu, settings
        menu.setToolTipsVisible(True)
        settings.changed.connect(self._follow_settings)
        self._fill_menu()

    def add_project(self, path: Path) -> None:
        """Put a project that was opened or saved first in the list."""
        name = str(path)
        names = dict.fromkeys((name, *self._settings.value.recent_projects))
        self._settings.change_settings(recent_projects=tuple(names)[:MOST_RECENT])

    def remove_project(self, path: Path) -> bool:
        """Remove a project that is gone; return False if it was not in the list."""
        names = self._settings.value.recent_projects
        self._settings.change_settings(recent_projects=tuple(name for name in names if name != str(path)))
        return str(path) in names

    def _follow_settings(self, former: Settings, settings: Settings) -> None:
        if former.recent_projects != settings.recent_projects:
            self._fill_menu()

    def _fill_menu(self) -> None:
        self._menu.clear()
        names = self._settings.value.recent_projects
        for name in names:
            path = Path(name)
            folder = self._menu.fontMetrics().elidedText(
                sanitise_short_text(str(path.parent)), Qt.TextElideMode.ElideMiddle, MAX_RECENT_NAME_WIDTH_PX
            )
            action = self._add_action(f"{sanitise_short_text(path.stem)} — {folder}", f"recent project 最近 {sanitise_long_text(name)}")
            action.setToolTip(escape_tip(sanitise_long_text(name)))
            action.triggered.connect(lambda _checked=False, path=path: self.chosen.emit(path))
        self._menu.menuAction().setEnabled(bool(names))
        if names:
            self._menu.addSeparator()
            clear = self._add_action(localize("一覧を消去", "Clear list"), "clear recent projects 最近 消去")
            clear.setToolTip(localize("ファイルは削除されません。", "The files are not deleted."))
            clear.triggered.connect(lambda: self._settings.change_settings(recent_projects=()))

    def _add_action(self, text: str, tip: str) -> QAction:
        action = self._menu.addAction(escape_mnemonic(text))
        action.setWhatsThis(tip)
        return action
