"""New, open, save, save as: a file is never damaged, and nothing that is typed is lost without a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QMessageBox, QWidget

from app.core.project import PROJECT_SUFFIX, Project
from app.core.script import Script
from app.errors import AppError
from app.language import localized
from app.ui.background import BackgroundThread
from app.ui.projects import files
from app.ui.projects.contents import Contents
from app.ui.projects.document import ProjectDocument
from app.ui.projects.questions import ask_before_leaving, ask_before_replacing, ask_for_name, ask_for_project
from app.ui.projects.recent import RecentProjects
from app.ui.projects.title import name_of
from app.ui.takes.shelf import TakeShelf
from app.ui.widgets.banner import Banner
from app.ui.workarounds.gui_thread_gc import PAUSE

if TYPE_CHECKING:
    from app.interchange.koebako import OpenedProject

SHORT = 2  # sentences that the banner shows by themselves
Then = Callable[[], object]


def nothing() -> None:
    """For what is followed by nothing."""


class ProjectController(QObject):
    """Files are read and written in the background, one after the other; typing continues meanwhile.

    Attributes:
        question: what the user is asked now; None where nothing is.

    Args:
        shelf: the takes, whose sounds go with the file.

    Signals:
        opened(): another project is shown.
        saved(): the file holds what is shown, or did a moment ago.
    """

    opened = Signal()
    saved = Signal()

    def __init__(
        self, parent: QWidget, project: ProjectDocument, contents: Contents, shelf: TakeShelf, recent: RecentProjects, banner: Banner
    ) -> None:
        super().__init__(parent)
        self._parent, self._project, self._contents, self._shelf = parent, project, contents, shelf
        self._recent, self._banner = recent, banner
        self._background = BackgroundThread(self, "projects")
        self._background.failed.connect(banner.show_error)
        self.question: QMessageBox | None = None
        self._reading = self._shown = 0  # files that are being read; projects that were shown
        self._is_saving = False
        self._waiting: list[Then] = []  # until what is being saved is
        recent.chosen.connect(self.open_file)

    @Slot()
    def new(self) -> None:
        """An empty script without a name."""
        self._after_asking(lambda: self._show(Project()))

    @Slot()
    def open(self) -> None:
        """Asks for a file first."""
        path = ask_for_project(self._parent)
        if path is not None:
            self.open_file(path)

    @Slot(object)
    def open_file(self, path: Path) -> None:
        """Opens a project; where that is impossible, everything stays as it is."""
        self._after_asking(lambda: self._read(path.absolute()))

    @Slot()
    def save(self, then: Then = nothing) -> None:
        """To its file; a script without a name gets one first. `then` follows where that has worked."""
        if self._is_saving:  # the next one saves what is shown then
            self._waiting.append(partial(self.save, then))
        elif self._project.path is None:
            self.save_as(then)
        else:
            self._write(self._project.path, self._project.digest, then)

    @Slot()
    def save_as(self, then: Then = nothing) -> None:
        """To another file, which is the project's from now on."""
        chosen = ask_for_name(self._parent, self._project.path or _documents() / (name_of(self._project) + PROJECT_SUFFIX))
        if chosen is not None:
            path, agreed = chosen
            self._write(path.absolute(), None if agreed else "", then)

    def look_at_file(self) -> None:
        """At the start: somebody may have written the file since, or it says already what was kept."""
        path, seen = self._project.path, self._contents.script
        if path is not None:
            self._background.run(
                partial(files.look, path, self._project.digest, self._project.parts), lambda found: self._compare(path, found, seen)
            )

    def clean(self) -> None:
        """Removes the sounds that nobody names any more, when the file is saved and what is kept between starts as well."""
        self._shelf.sounds.when_kept(self._clean)

    def _clean(self) -> None:
        if self._project.path is not None and not self._is_saving:  # else it follows that
            self._background.run(partial(files.clean, self._project.path, self._shelf.book.needed()))
            self._shelf.drop_unnamed()

    def settle(self) -> None:
        """Waits until all that was asked for is saved."""
        while self._is_saving:
            self._background.settle()

    def close(self) -> None:
        """Waits until what is being done is."""
        self._dismiss()
        self._background.close(finish=True)
        while self._reading:  # what was read comes to nobody
            self._end_reading()

    def _after_asking(self, then: Then) -> None:
        """Calls `then` once the changes are saved, or the user does not want them; takes that are being kept are changes, too."""
        if self._is_saving:
            self._waiting.append(partial(self._after_asking, then))
        else:
            self._shelf.sounds.when_kept(partial(self._ask_before_leaving, then))

    def _ask_before_leaving(self, then: Then) -> None:
        if not self._project.is_changed:
            then()
            return
        save = partial(self.save, partial(self._after_asking, then))  # there may be changes again by then
        self._ask(lambda: ask_before_leaving(self._parent, name_of(self._project), save, then))

    def _read(self, path: Path) -> None:
        seen = self._state
        self._reading += 1
        PAUSE.begin()
        self._parent.setCursor(Qt.CursorShape.BusyCursor)
        self._background.run(partial(files.read, path), lambda opened: self._on_read(path, opened, seen), partial(self._on_unread, path))

    @property
    def _state(self) -> tuple[Script, Project]:
        """What is shown, by identity."""
        return self._contents.script, self._project.parts

    def _on_read(self, path: Path, opened: OpenedProject, seen: tuple[Script, Project]) -> None:
        self._end_reading()

        def show() -> None:
            self._show(opened.project, path, opened.digest)
            self._recent.add(path)
            if opened.dropped:
                tell_of_losses(self._banner, path.name, opened.dropped)

        if all(now is before for now, before in zip(self._state, seen, strict=True)):
            show()
        else:
            self._after_asking(show)  # something was typed, or a take was kept, while the file was read

    def _end_reading(self) -> None:
        self._reading -= 1
        self._parent.unsetCursor()
        PAUSE.end()

    def _on_unread(self, path: Path, error: AppError) -> None:
        self._end_reading()
        if isinstance(error.__cause__, FileNotFoundError) and self._recent.remove(path):
            self._banner.show_message(
                "error",
                localized(f"「{path.name}」が見つかりません。", f"“{path.name}” was not found."),
                localized("最近使ったプロジェクトの一覧から削除しました。", "It has been removed from the recent projects."),
            )
        else:
            self._banner.show_error(error)

    def _show(self, project: Project, path: Path | None = None, digest: str = "") -> None:
        self._shown += 1
        self._waiting.clear()  # it was meant for the one before
        self._contents.show(project, path, digest)
        self._banner.hide()
        self.opened.emit()

    def _write(self, path: Path, expected: str | None, then: Then) -> None:
        if self._is_saving:
            self._waiting.append(partial(self._write, path, expected, then))
            return
        script, parts, shown = self._contents.script, self._contents.parts(), self._shown
        before, project = self._project.parts, self._contents.snapshot(parts, path.stem)

        def on_written(written: files.Written | None) -> None:
            if self._shown == shown and written is None:
                self._waiting.clear()
                self._ask_before_replacing(path, then)
            elif self._shown == shown and written is not None:  # else another project is shown by now
                if self._project.parts is before:
                    self._project.parts = parts
                self._on_saved(path, written, script, parts)
                then()

        def on_failed(error: AppError) -> None:
            self._waiting.clear()  # it was meant for what would be saved now
            self._background.failed.emit(error)

        self._is_saving = True
        work = partial(files.write, path, project, expected, self._project.path)
        self._background.run(work, partial(self._end_saving, on_written), partial(self._end_saving, on_failed))

    def _end_saving(self, then: Callable[[Any], object], result: object) -> None:
        """What waited for that follows, one after the other: each may save."""
        self._is_saving = False
        then(result)
        while self._waiting and not self._is_saving:
            self._waiting.pop(0)()

    def _on_saved(self, path: Path, written: files.Written, script: Script, parts: Project) -> None:
        self._project.mark_saved(path, written.digest, script, parts)
        self._recent.add(path)
        self.saved.emit()
        if written.left_out:
            self._tell_of_left_out(written.left_out)

    def _tell_of_left_out(self, count: int) -> None:
        self._banner.show_message(
            "notice",
            localized(
                f"{count} 個の音声は、大きすぎてファイルに含められませんでした。", f"Sounds too large to include in the file: {count}."
            ),
            localized(
                "プロジェクトと同じ場所のフォルダーには残っています。不要なテイクを削除してください。",
                "They are still in the folder beside the project. Delete takes you don't need.",
            ),
        )

    def _ask_before_replacing(self, path: Path, then: Then) -> None:
        replace, save_as, ours = partial(self._write, path, None, then), partial(self.save_as, then), path == self._project.path
        self._ask(lambda: ask_before_replacing(self._parent, path.name, replace, save_as, ours=ours))

    def _compare(self, path: Path, found: files.Found, seen: Script) -> None:
        """What was kept between starts beside what the file holds now."""
        project, same = self._project, self._contents.script is seen
        if found.fate == "same" or project.path != path:
            return
        if found.project is not None and files.holds(found.project, self._contents.script, project.parts):
            project.mark_saved(path, found.digest, self._contents.script, project.parts)
        elif found.project is not None and same and not project.is_changed:
            self._show(found.project, path, found.digest)
            self._banner.show_message(
                "notice",
                localized(
                    f"「{path.name}」がほかの場所で変更されていたため、読み込み直しました。",
                    f"“{path.name}” was changed elsewhere and has been reloaded.",
                ),
                " ".join(found.dropped),
            )
        else:
            project.mark_lost()

    def _ask(self, question: Callable[[], QMessageBox]) -> None:
        """One question at a time: the one before is answered with "Cancel"."""
        self._dismiss()
        box = self.question = question()
        box.finished.connect(lambda _result: self._forget(box))

    def _dismiss(self) -> None:
        if self.question is not None:
            self.question.reject()

    def _forget(self, box: QMessageBox) -> None:
        if self.question is box:
            self.question = None


def tell_of_losses(banner: Banner, name: str, dropped: Sequence[str]) -> None:
    """Says what of a file could not be read: the next save would be without it."""
    hint = localized("保存し直すと、その部分はファイルからなくなります。", "Saving it again removes those parts from the file.")
    is_short = len(dropped) <= SHORT
    banner.show_message(
        "notice",
        localized(f"「{name}」には読み込めない部分がありました。", f"Some parts of “{name}” could not be read."),
        " ".join((*dropped, hint) if is_short else (hint,)),
        details="" if is_short else "\n".join(dropped),
        page="project-file",
    )


def _documents() -> Path:
    folder = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
    return folder if folder.is_dir() else Path.home()
