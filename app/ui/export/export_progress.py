"""A card among the messages that shows an export and then its result; the question about existing files before it."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QHBoxLayout, QMessageBox, QPushButton, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from app.common.errors import AppError
from app.common.language import localize
from app.export.export_ledger import describe_changes
from app.export.export_settings import ExistingFilePolicy
from app.ui.export.export_run import ExportRun
from app.ui.tasks.task_row import format_time_left
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.banner import BannerKind, MessageCard
from app.ui.widgets.controls import PlainLabel, describe_control, fill_box, set_up_button
from app.ui.widgets.dialogs import ButtonRole, DialogButton, show_question
from app.ui.widgets.text_dialog import show_text
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

MAX_LISTED_NAMES = 12


def ask_about_existing(parent: QWidget, existing_names: Sequence[str], on_chosen: Callable[[ExistingFilePolicy], object]) -> QMessageBox:
    """Ask without blocking what happens to the sets that have a file in their way; call `on_chosen` with the choice, if the user makes one."""
    count = len(existing_names)
    english = f"{count:,} files already exist." if count > 1 else "One file already exists."
    text = localize(f"{count:,} 個のファイルがすでにあります。", english)
    choices: dict[ExistingFilePolicy, tuple[str, str]] = {
        "replace": (localize("上書きする", "Replace"), localize("すでにあるファイルを置き換えます。", "Replaces the existing files.")),
        "number": (localize("番号を付ける", "Add numbers"), localize("別の名前で書き出します。", "Writes them under other names.")),
        "skip": (localize("書き出さない", "Skip"), localize("残りのファイルだけを書き出します。", "Writes only the other files.")),
    }
    answers = [
        # The default keeps every file: Enter pressed by habit must not overwrite anything.
        DialogButton(label, ButtonRole.ActionRole, partial(on_chosen, choice), tip, is_default=choice == "skip")
        for choice, (label, tip) in choices.items()
    ]
    title, cancel_tip = localize("同名のファイル", "Existing files"), localize("書き出しません。", "Writes nothing.")
    return show_question(parent, title, (text, _join_names(existing_names)), answers, cancel_tip)


def _join_names(names: Sequence[str]) -> str:
    """Return the first names, one on each line, and how many more there are."""
    text, more = "\n".join(names[:MAX_LISTED_NAMES]), len(names) - MAX_LISTED_NAMES
    return text + localize(f"\nほか {more:,} 個", f"\nand {more:,} more") if more > 0 else text


class ExportProgress(ThemedWidget, MessageCard):
    """Shows one export at a time; it is hidden before the first one, after its result was closed, and where it has none to show in another project."""

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("card")
        self._run: ExportRun | None = None
        self._folder = ""
        self.title, self.state = PlainLabel(wraps=True), PlainLabel()
        self.title.setObjectName("heading")
        self.state.setObjectName("muted")
        self.state.setWordWrap(True)
        self.state.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.bar = DeferredProgressBar(localize("書き出しの進み具合", "Export progress"), 1000)
        self.stop_button = _create_button(
            localize("中止", "Stop"),
            localize("書き出しを中止します。完了したファイルは残ります。", "Stops the export; finished files are kept."),
        )
        open_tip = localize("書き出し先のフォルダーを開きます。", "Opens the folder with the files.")
        self.open = _create_button(localize("フォルダーを開く", "Open folder"), open_tip)
        self.more = _create_button(
            localize("詳細", "Details"), localize("書き出せなかったファイルと理由を表示します。", "Shows which files failed, and why.")
        )
        self.orphans = _create_button(
            localize("不要なファイルを削除…", "Remove files…"),
            localize("台本にない行のファイルを一覧で確認して、削除します。", "Lists the files of lines that are gone, and removes them."),
        )
        self.question: QMessageBox | None = None
        name = localize("書き出しの結果を閉じる", "Close the export result")
        self.close_button = describe_control(QToolButton(), name, localize("閉じる", "Close"))
        self.close_button.setIconSize(QSize(14, 14))
        self.stop_button.clicked.connect(self._stop_run)
        self.open.clicked.connect(lambda: QDesktopServices.openUrl(QUrl.fromLocalFile(self._folder)))
        self.more.clicked.connect(self._show_failures)
        self.orphans.clicked.connect(self._ask_about_orphans)
        self.close_button.clicked.connect(self.hide)
        heading = fill_box(QHBoxLayout(), (self.title, 1), (self.close_button, Qt.AlignmentFlag.AlignTop), spacing=8)
        words = fill_box(QVBoxLayout(), self.state, self.bar, spacing=2)
        result = fill_box(QHBoxLayout(), (words, 1), self.open, self.stop_button, spacing=8, margins=(0, 0, 4, 0))
        remedies = fill_box(QHBoxLayout(), None, self.orphans, self.more, spacing=6, margins=(0, 0, 4, 0))
        fill_box(QVBoxLayout(self), heading, result, remedies, spacing=2, margins=(12, 5, 6, 6))
        self.draw_in_theme()
        self.hide()

    def follow_run(self, run: ExportRun) -> None:
        self._run, self._folder = run, run.settings.folder
        for signal in (run.advanced, run.finished, run.recorded):
            signal.connect(self._update_progress)
        self._update_progress()
        self.show()

    def close_message(self) -> bool:
        """Close the result; an export that runs stays."""
        return (self._run is None or self._run.is_over) and super().close_message()

    def show_error(self, error: AppError) -> None:
        """Show an error that occurred after the end, such as a game list that could not be written."""
        self._show_state(_format_error(error), is_error=True)

    @Slot()
    def _update_progress(self) -> None:
        run = self._run
        assert run is not None
        self.title.setText(describe_run(run))
        self._show_state(describe_run_state(run), is_error=run.fatal is not None)
        self.bar.setVisible(not run.is_over)
        self.bar.setValue(round(1000 * run.done_fraction))
        self.stop_button.setVisible(not run.is_over)
        self.open.setVisible(run.is_over and bool(run.written))
        self.more.setVisible(run.is_over and bool(run.failed))
        self.orphans.setVisible(run.is_over and run.changes is not None and bool(run.changes.orphans))
        self.close_button.setVisible(run.is_over)
        self.setAccessibleName(f"{self.title.text()} {self.state.text()}")
        was_running, self.kind = self.kind == "progress", find_message_kind(run)
        if was_running and run.is_over:
            self.message_shown.emit()

    def _show_state(self, text: str, *, is_error: bool) -> None:
        self.state.setText(text)
        self.state.change_style("error" if is_error else "muted")
        self.state.setVisible(bool(text))

    @Slot()
    def _stop_run(self) -> None:
        if self._run is not None:
            self._run.stop_export()

    @Slot()
    def _show_failures(self) -> None:
        if self._run is not None:
            failures = (f"{item.file.name}: {_format_error(error)}" for item, error in self._run.failed)
            show_text(self, localize("書き出せなかったファイル", "Files that were not exported"), "\n".join(failures))

    @Slot()
    def _ask_about_orphans(self) -> None:
        run = self._run
        if run is None or run.changes is None:
            return
        paths = [entry.path for entry in run.changes.orphans]
        text = localize(
            f"台本にない行のファイルを {len(paths):,} 個削除しますか？",
            f"Remove {len(paths):,} files of lines that are no longer in the script?" if len(paths) > 1 else "Remove this file?",
        )
        remove = DialogButton(
            localize("削除する", "Remove"),
            ButtonRole.DestructiveRole,
            run.remove_orphans,
            localize("一緒に書き出したファイルも削除します。", "Removes the files beside them too."),
        )
        self.question = show_question(self, localize("不要なファイルの削除", "Remove files"), (text, _join_names(paths)), [remove])

    def draw_in_theme(self) -> None:
        """Draw the icon of the button."""
        self.close_button.setIcon(draw_icon("close", self.palette().color(self.foregroundRole())))


def find_message_kind(run: ExportRun) -> BannerKind:
    """Return what kind of message an export is at present."""
    if not run.is_over:
        return "progress"
    return "error" if run.fatal is not None or run.failed else "notice"


def describe_run(run: ExportRun) -> str:
    """Describe an export's progress, or its result."""
    written_count = len(run.written)
    if not run.is_over:
        if run.is_measuring:
            return localize("ラウドネスを測定中…", "Measuring loudness…")
        if run.is_deciding:
            return localize("変更を確認中…", "Looking for changes…")
        return localize(f"書き出し中… {written_count:,} / {run.count:,}", f"Exporting… {written_count:,} of {run.count:,}")
    if run.is_stopped:
        return localize(
            f"書き出しを中止しました（{written_count:,} 個を書き出し済み）。", f"Export stopped; {written_count:,} files were written."
        )
    if run.changes is not None:
        sentence = describe_changes(written_count, len(run.changes.renamed), len(run.changes.unchanged), len(run.changes.orphans))
    else:
        files = "file" if written_count == 1 else "files"
        sentence = localize(f"{written_count:,} 個のファイルを書き出しました。", f"Exported {written_count:,} {files}.")
    return sentence + _put_behind(run.loudness.describe_limiter())


def describe_run_state(run: ExportRun) -> str:
    """Describe the time left, or what went wrong."""
    if not run.is_over:
        if (left_s := run.seconds_left) is None:
            return localize("開始しています…", "Starting…")
        return localize("あと {0}", "{0} left").format(format_time_left(left_s))
    if run.fatal is not None:
        return _format_error(run.fatal)
    if run.failed:
        item, error = run.failed[0]
        count = len(run.failed)
        more = localize(f"（ほか {count - 1:,} 個）", f" (and {count - 1:,} more)") if count > 1 else ""
        sentence = f"{localize('書き出せませんでした: ', 'Not exported: ')}{item.file.name}: {error.message}{more}"
        return sentence + _put_behind(run.loudness.describe_missed())
    if run.note:
        return run.note + _put_behind(run.loudness.describe_missed())
    if missed := run.loudness.describe_missed():
        return missed
    if run.removed:
        files = "file" if run.removed == 1 else "files"
        return localize(f"不要なファイルを {run.removed:,} 個削除しました。", f"Removed {run.removed:,} {files}.")
    return str(Path(run.settings.folder)) if run.written else ""


def _put_behind(sentence: str) -> str:
    """Return a sentence as it follows another one; empty where there is none."""
    return sentence and localize("", " ") + sentence


def _format_error(error: AppError) -> str:
    return f"{error.message} {error.hint}".strip()


def _create_button(text: str, tip: str) -> QPushButton:
    return set_up_button(QPushButton(text), tip, style="small")
