"""New, open, save, save as: a file is never damaged, and nothing that is typed is lost without a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, QStandardPaths, Qt, Signal, Slot
from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.core.script.project import PROJECT_SUFFIX, Project
from app.core.script.script import Script
from app.ui.background_thread import BackgroundThread
from app.ui.projects import project_files
from app.ui.projects.project_document import ProjectContents, ProjectDocument, describe_project
from app.ui.projects.project_files import RecentProjectsMenu, build_project_filter
from app.ui.takes.take_repository import TakeRepository
from app.ui.widgets.banner import Banner
from app.ui.widgets.dialogs import ButtonRole, DialogButton, ask_for_file, show_question
from app.ui.workarounds.gui_thread_gc import COLLECTION_PAUSE

if TYPE_CHECKING:
    from app.interchange.koebako_files import ProjectFileContent


def ask_before_leaving(parent: QWidget, name: str, save: Callable[[], object], discard: Callable[[], object]) -> QMessageBox:
    """Ask about the changes of this project before another one is opened."""
    text = localize(f"「{name}」の変更を保存しますか？", f"Save the changes to “{name}”?")
    hint = localize("保存しないと、変更は失われます。", "They are lost if you don't save them.")
    answers = [
        DialogButton(localize("保存", "Save"), ButtonRole.AcceptRole, save),
        DialogButton(localize("保存しない", "Don't save"), ButtonRole.DestructiveRole, discard),
    ]
    return show_question(parent, "Koebako", (text, hint), answers)


def ask_before_replacing(
    parent: QWidget, name: str, replace: Callable[[], object], save_as: Callable[[], object], *, is_own_file: bool
) -> QMessageBox:
    """Ask before a file with unknown content is replaced: our own file that another program has written, or a file that existed before."""
    if is_own_file:
        text = localize(f"「{name}」は、ほかの場所で変更されています。", f"“{name}” has been changed elsewhere.")
        hint = localize("上書きすると、その変更は失われます。", "Replacing it discards those changes.")
    else:
        text = localize(f"「{name}」はすでにあります。", f"“{name}” already exists.")
        hint = localize("上書きすると、いまの内容は失われます。", "Replacing it discards its contents.")
    answers = [
        DialogButton(localize("上書き", "Replace"), ButtonRole.DestructiveRole, replace),
        DialogButton(localize("名前を付けて保存…", "Save as…"), ButtonRole.AcceptRole, save_as),
    ]
    return show_question(parent, "Koebako", (text, hint), answers)


def ask_for_name(parent: QWidget, start: Path) -> tuple[Path, bool] | None:
    """Return the file to write, and whether replacing it was agreed to; None if the user cancels."""
    title = localize("プロジェクトを名前を付けて保存", "Save project as")
    name, _ = QFileDialog.getSaveFileName(parent, title, str(start), build_project_filter())
    if not name:
        return None
    # The dialog has asked about the name without a suffix, if that was typed.
    return (Path(name), True) if Path(name).suffix.lower() == PROJECT_SUFFIX else (Path(name + PROJECT_SUFFIX), False)


MAX_BANNER_SENTENCES = 2  # sentences that the banner shows by themselves
Continuation = Callable[[], object]


def skip_continuation() -> None:
    """Do nothing, as the continuation of commands that nothing follows."""


class ProjectController(QObject):
    """Files are read and written in the background, one after the other; typing continues meanwhile.

    Args:
        shelf: the takes, whose sounds go with the file.

    Signals:
        opened(): another project is shown.
        saved(): the file holds what is shown, or did a moment ago.
    """

    opened = Signal()
    saved = Signal()

    def __init__(
        self,
        parent: QWidget,
        project: ProjectDocument,
        contents: ProjectContents,
        shelf: TakeRepository,
        recent: RecentProjectsMenu,
        banner: Banner,
    ) -> None:
        super().__init__(parent)
        self._parent, self._project, self._contents, self._shelf = parent, project, contents, shelf
        self._recent, self._banner = recent, banner
        self.background = BackgroundThread(self, "projects")  # the thread that reads and writes files
        self.background.failed.connect(banner.show_error)
        self.question: QMessageBox | None = None  # what the user is asked now; None where nothing is
        self._read_count = self._project_number = 0  # files that are being read; projects that were shown
        self._is_saving = False
        self._continuations: list[Continuation] = []  # until what is being saved is
        recent.chosen.connect(self.open_file)

    @property
    def is_idle(self) -> bool:
        """Return whether no file is being read or written."""
        return not self._is_saving and not self._continuations and not self._read_count

    @Slot()
    def create_project(self) -> None:
        """Begin an empty script without a name."""
        self._run_after_asking(lambda: self.show_project(Project()))

    @Slot()
    def open_project(self) -> None:
        """Ask for a project file and open it."""
        path = ask_for_file(self._parent, localize("プロジェクトを開く", "Open project"), build_project_filter())
        if path is not None:
            self.open_file(path)

    @Slot(object)
    def open_file(self, path: Path) -> None:
        """Open a project; if that is impossible, everything stays as it is."""
        self._run_after_asking(lambda: self._read_project(path.absolute()))

    @Slot()
    def save_project(self, on_saved: Continuation = skip_continuation) -> None:
        """Save the project to its file, asking for a name if there is none, and call `on_saved` if that has worked."""
        if self._is_saving:  # the next one saves what is shown then
            self._continuations.append(partial(self.save_project, on_saved))
        elif self._project.path is None:
            self.save_project_as(on_saved)
        else:
            self._write_project(self._project.path, self._project.digest, on_saved)

    @Slot()
    def save_project_as(self, on_saved: Continuation = skip_continuation) -> None:
        """Save the project to another file, which is the project's from then on."""
        documents = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation))
        folder = documents if documents.is_dir() else Path.home()
        answer = ask_for_name(self._parent, self._project.path or folder / (describe_project(self._project) + PROJECT_SUFFIX))
        if answer is not None:
            path, may_replace = answer
            self._write_project(path.absolute(), None if may_replace else "", on_saved)

    def check_file(self) -> None:
        """Check at the start whether the file was written since, or already holds the autosaved state."""
        path, script = self._project.path, self._contents.script
        if path is not None:
            self.background.run_work(
                partial(project_files.compare_project_file, path, self._project.digest, self._project.parts),
                lambda file_state: self._compare_with_file(path, file_state, script),
            )

    def remove_unused_sounds(self) -> None:
        """Remove the sounds that neither the saved file nor the autosaved state names any more."""
        self._shelf.sounds.call_when_kept(self._remove_unused_sounds_now)

    def _remove_unused_sounds_now(self) -> None:
        if self._project.path is not None and not self._is_saving:  # else it follows that
            self.background.run_work(
                partial(project_files.remove_unneeded_sounds, self._project.path, self._shelf.book.list_needed_sounds())
            )
            self._shelf.drop_unnamed()

    def wait_until_saved(self) -> None:
        """Wait until all requested saves are written."""
        while self._is_saving:
            self.background.wait_until_idle()

    def close(self) -> None:
        """Wait until the running work is done."""
        self._cancel_question()
        self.background.close(finish=True)
        while self._read_count:  # what was read comes to nobody
            self._end_reading()

    def _run_after_asking(self, leave: Continuation) -> None:
        """Call `leave` once the changes are saved or the user discards them; takes that are being kept are changes, too."""
        if self._is_saving:
            self._continuations.append(partial(self._run_after_asking, leave))
        else:
            self._shelf.sounds.call_when_kept(partial(self._ask_before_leaving, leave))

    def _ask_before_leaving(self, leave: Continuation) -> None:
        if not self._project.is_changed:
            leave()
            return
        save = partial(self.save_project, partial(self._run_after_asking, leave))  # there may be changes again by then
        self._ask_question(lambda: ask_before_leaving(self._parent, describe_project(self._project), save, leave))

    def _read_project(self, path: Path) -> None:
        shown_state = self._shown_state
        self._read_count += 1
        COLLECTION_PAUSE.begin_pause()
        self._parent.setCursor(Qt.CursorShape.BusyCursor)
        self.background.run_work(
            partial(project_files.read_project_file, path),
            lambda opened: self._take_project(path, opened, shown_state),
            partial(self._report_unreadable, path),
        )

    @property
    def _shown_state(self) -> tuple[Script, Project]:
        """Return what is shown, by identity."""
        return self._contents.script, self._project.parts

    def _take_project(self, path: Path, opened: ProjectFileContent, state_before: tuple[Script, Project]) -> None:
        self._end_reading()
        if self._is_saving or any(new is not old for new, old in zip(self._shown_state, state_before, strict=True)):
            # Something was typed, or a take was kept, while the file was read; once that is settled, the file may hold something else.
            # A save that was asked for meanwhile may be of this very file, and comes after what was read.
            self._run_after_asking(lambda: self._read_project(path))
            return
        self.show_project(opened.project, path, opened.digest)
        self._recent.add_project(path)
        if opened.losses:
            report_losses(self._banner, path.name, opened.losses)

    def _end_reading(self) -> None:
        self._read_count -= 1
        self._parent.unsetCursor()
        COLLECTION_PAUSE.end_pause()

    def _report_unreadable(self, path: Path, error: AppError) -> None:
        self._end_reading()
        if isinstance(error.__cause__, FileNotFoundError) and self._recent.remove_project(path):
            hint = localize("最近使ったプロジェクトの一覧から削除しました。", "It has been removed from the recent projects.")
            self._banner.show_message("error", localize(f"「{path.name}」が見つかりません。", f"“{path.name}” was not found."), hint)
        else:
            self._banner.show_error(error)

    def show_project(self, project: Project, path: Path | None = None, digest: str = "") -> None:
        """Show another project, which nothing is asked about any more."""
        self._project_number += 1
        self._continuations.clear()  # it was meant for the one before
        self._contents.show_project(project, path, digest)
        self._banner.hide()
        self.opened.emit()

    def _write_project(self, path: Path, expected_digest: str | None, on_saved: Continuation) -> None:
        if self._is_saving:
            self._continuations.append(partial(self._write_project, path, expected_digest, on_saved))
            return
        script, parts, number = self._contents.script, self._contents.collect_parts(), self._project_number
        former_parts, project = self._project.parts, self._contents.build_project(parts, path.stem)

        def finish_writing(written: project_files.ProjectWriteResult | None) -> None:
            if self._project_number != number:
                return
            if written is None:
                self._continuations.clear()
                self._ask_before_replacing(path, on_saved)
                return
            if self._project.parts is former_parts:
                self._project.parts = parts
            self._mark_saved(path, written, script, parts)
            on_saved()

        def report_failure(error: AppError) -> None:
            self._continuations.clear()  # it was meant for what would be saved now
            self.background.failed.emit(error)

        self._is_saving = True
        work = partial(
            project_files.write_project_file, path, project, expected_digest, self._project.path, self._shelf.book.list_needed_sounds()
        )
        self.background.run_work(work, partial(self._end_saving, finish_writing), partial(self._end_saving, report_failure))

    def _end_saving(self, take_result: Callable[[Any], object], result: object) -> None:
        """Run the continuations that waited for the save, one after the other: each may save again."""
        self._is_saving = False
        take_result(result)
        while self._continuations and not self._is_saving:
            self._continuations.pop(0)()

    def _mark_saved(self, path: Path, written: project_files.ProjectWriteResult, script: Script, parts: Project) -> None:
        self._project.mark_saved(path, written.digest, script, parts)
        self._recent.add_project(path)
        self.saved.emit()
        if written.left_out:
            message = localize(
                f"{written.left_out} 個の音声は、大きすぎてファイルに含められませんでした。",
                f"Sounds too large to include in the file: {written.left_out}.",
            )
            hint = localize(
                "プロジェクトと同じ場所のフォルダーには残っています。不要なテイクを削除してください。",
                "They are still in the folder beside the project. Delete takes you don't need.",
            )
            self._banner.show_message("notice", message, hint, stays=True)

    def _ask_before_replacing(self, path: Path, on_saved: Continuation) -> None:
        replace, save_as = partial(self._write_project, path, None, on_saved), partial(self.save_project_as, on_saved)
        is_own_file = path == self._project.path
        self._ask_question(lambda: ask_before_replacing(self._parent, path.name, replace, save_as, is_own_file=is_own_file))

    def _compare_with_file(self, path: Path, file_state: project_files.ProjectFileState, script_before: Script) -> None:
        """Compare what was kept between starts with what the file holds now."""
        project, script = self._project, self._contents.script
        if file_state.fate == "same" or project.path != path:
            return
        if file_state.project is not None and project_files.is_equal_project(file_state.project, script, project.parts):
            project.mark_saved(path, file_state.digest, script, project.parts)
        elif file_state.project is not None and script is script_before and not project.is_changed:
            self.show_project(file_state.project, path, file_state.digest)
            message = localize(
                f"「{path.name}」がほかの場所で変更されていたため、読み込み直しました。",
                f"“{path.name}” was changed elsewhere and has been reloaded.",
            )
            self._banner.show_message("notice", message, " ".join(file_state.dropped), stays=bool(file_state.dropped))
        else:
            project.mark_lost()

    def _ask_question(self, question: Callable[[], QMessageBox]) -> None:
        """Ask one question at a time; the question before is answered with "Cancel"."""
        self._cancel_question()
        box = self.question = question()
        box.finished.connect(lambda _result: self._forget_question(box))

    def _cancel_question(self) -> None:
        if self.question is not None:
            self.question.reject()

    def _forget_question(self, box: QMessageBox) -> None:
        if self.question is box:
            self.question = None


def report_losses(banner: Banner, name: str, dropped: Sequence[str]) -> None:
    """Report the parts of a file that could not be read: the next save would be without them."""
    hint = localize("保存し直すと、その部分はファイルからなくなります。", "Saving it again removes those parts from the file.")
    is_short = len(dropped) <= MAX_BANNER_SENTENCES
    banner.show_message(
        "notice",
        localize(f"「{name}」には読み込めない部分がありました。", f"Some parts of “{name}” could not be read."),
        " ".join((*dropped, hint) if is_short else (hint,)),
        details="" if is_short else "\n".join(dropped),
        help_page="project-file",
    )
