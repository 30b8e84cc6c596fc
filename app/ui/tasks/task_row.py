"""The row of one long task: its title, its progress, and buttons for what the user can do."""

from collections.abc import Sequence
from pathlib import PurePath

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QPushButton, QSizePolicy, QToolButton, QVBoxLayout

from app.adapters.download.download_limits import format_speed
from app.common.language import localize
from app.ui.tasks.process_task import ProcessTask, TaskProgress, TaskState
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.controls import BoxPart, ElidedButton, ElidedLabel, PlainLabel, describe_control, escape_tip, fill_box, set_up_button
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

CHECKPOINT_OPTION = "--checkpoint="
MAX_BUTTONS_IN_ROW = 3  # the most buttons for decisions in one row


class TaskRow(ThemedWidget, QFrame):
    """Shows a job.

    Signals:
        decided(str): the user chose this option.  retry_requested(), log_requested(), dismissed(): a button was pressed.
    """

    decided = Signal(str)
    retry_requested = Signal()
    log_requested = Signal()
    dismissed = Signal()

    def __init__(self, task: ProcessTask) -> None:
        super().__init__()
        self.setObjectName("card")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # so that its words are read where it is reached by keys
        self.job = task
        self.title, self.state = ElidedLabel(task.work.title), PlainLabel("", "muted", wraps=True)
        self.title.setObjectName("muted" if task.work.is_background else "heading")
        self.bar = DeferredProgressBar(task.work.title)
        retry, log = QPushButton(localize("再試行", "Retry")), QPushButton(localize("ログ", "Log"))
        self.retry = set_up_button(retry, localize("もう一度実行します。", "Tries again."), self.retry_requested.emit)
        self.log = set_up_button(log, localize("ログを表示します。", "Shows the log of this job."), self.log_requested.emit)
        self.close_button = QToolButton()
        self.close_button.clicked.connect(self.dismissed)
        self._decision_grid = QGridLayout()
        self._decision_grid.setSpacing(6)
        self._shown_ways: tuple[str, ...] = ()
        self._build_row()
        task.changed.connect(self.show_task)
        self.show_task()

    @Slot()
    def show_task(self) -> None:
        """Show the present state of the job."""
        job = self.job
        running = job.stage in (TaskState.RUNNING, TaskState.WAITING)
        self.state.setText(describe_task(job))
        self.state.setToolTip(escape_tip(job.error.hint) if job.error else "")
        self.state.change_style("error" if job.stage is TaskState.FAILED else "muted")
        self.bar.setVisible(running)
        known = job.stage is TaskState.RUNNING and job.advance.percent > 0
        self.bar.setRange(0, 100 if known or job.stage is TaskState.WAITING else 0)
        self.bar.setValue(job.advance.percent)
        self.retry.setVisible(job.stage is TaskState.FAILED)
        self.log.setVisible(bool(job.log))
        self._show_decisions(job.ways if job.stage is TaskState.ASKING and job.licence is None else ())
        tip = localize("閉じる", "Close")
        if running or job.stage is TaskState.ASKING:
            # Without it, what a background task would have improved stays as it is.
            stop = localize("中止（このまま使えます）", "Stop (what is there stays usable)")
            tip = stop if job.work.is_background else localize("キャンセル", "Cancel")
        describe_control(self.close_button, f"{tip}: {job.work.title}", tip)
        self.setAccessibleName(f"{job.work.title} {self.state.text()}")

    def _build_row(self) -> None:
        self.state.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        # With this width a long address is cut off instead of widening the window.
        self.state.setMinimumWidth(1)
        heading: tuple[BoxPart, ...] = (self.title, self.state)
        if self.job.work.is_background:
            # Nobody waits for it: one quiet line.
            self.state.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            heading = (fill_box(QHBoxLayout(), (self.title, 1), (self.state, 1), spacing=12),)
        words = fill_box(QVBoxLayout(), *heading, self.bar, self._decision_grid, spacing=2)
        margin = 3 if self.job.work.is_background else 7
        closing = (self.close_button, Qt.AlignmentFlag.AlignTop)
        fill_box(QHBoxLayout(self), (words, 1), self.log, self.retry, closing, spacing=8, margins=(12, margin, 8, margin))
        self.draw_in_theme()

    def _show_decisions(self, ways: tuple[str, ...]) -> None:
        if ways == self._shown_ways:
            return
        self._shown_ways = ways
        while (item := self._decision_grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for place, (way, name) in enumerate(map_decision_names(ways).items()):
            button = ElidedButton(name, way.removeprefix(CHECKPOINT_OPTION) if way.startswith(CHECKPOINT_OPTION) else name)
            button.clicked.connect(lambda _checked=False, way=way: self.decided.emit(way))
            self._decision_grid.addWidget(button, place // MAX_BUTTONS_IN_ROW, place % MAX_BUTTONS_IN_ROW)
        self._decision_grid.setColumnStretch(MAX_BUTTONS_IN_ROW, 1)

    def draw_in_theme(self) -> None:
        """Draw the icon of the button."""
        self.close_button.setIconSize(QSize(14, 14))
        self.close_button.setIcon(draw_icon("close", self.palette().color(self.foregroundRole())))


def describe_task(task: ProcessTask) -> str:
    """Describe the state of a job in words."""
    if task.stage is TaskState.RUNNING:
        return describe_progress(task.advance)
    if task.error is not None and task.stage in (TaskState.FAILED, TaskState.ASKING):
        hint = "" if task.stage is TaskState.ASKING else task.error.hint
        return f"{task.error.message} {hint}".strip()
    return {
        TaskState.WAITING: localize("待機中", "Waiting"),
        TaskState.ASKING: localize("選択を待っています", "Waiting for your choice"),
        TaskState.DONE: localize("完了", "Done"),
        TaskState.CANCELLED: localize("キャンセルしました", "Cancelled"),
    }.get(task.stage, "")


def describe_progress(progress: TaskProgress) -> str:
    """Describe a step with its percentage; for a download also its speed and time left, or the reason why it waits."""
    words = [format_step(progress.step) if progress.step else localize("開始しています…", "Starting…")]
    if progress.percent:
        words.append(f"{progress.percent}%")
    if progress.received is not None and progress.total:
        words.append(f"{progress.received / 1e6:.0f} / {progress.total / 1e6:.0f} MB")
    if progress.waiting:
        return "  ".join([*words, progress.waiting])
    if progress.bytes_per_s:
        words.append(format_speed(progress.bytes_per_s))
    if progress.seconds_left is not None:
        words.append(localize(f"あと {format_time_left(progress.seconds_left)}", f"{format_time_left(progress.seconds_left)} left"))
    return "  ".join(words)


def format_step(step: str) -> str:
    return {
        "reading": localize("読み込み中", "Reading"),
        "unpacking": localize("展開中", "Unpacking"),
        "building": localize("組み立て中", "Building"),
        "cutting": localize("準備中", "Preparing"),
        "checking": localize("確認中", "Checking"),
        "measuring": localize("測定中", "Measuring"),
        "storing": localize("保存中", "Saving"),
        "downloading": localize("ダウンロード中", "Downloading"),
    }.get(step, step)


def format_time_left(seconds: float) -> str:
    """Format seconds up to 90 as seconds, and minutes from there on."""
    if seconds < 90:
        return localize(f"{seconds:.0f} 秒", f"{seconds:.0f} s")
    return localize(f"{seconds / 60:.0f} 分", f"{seconds / 60:.0f} min")


def map_decision_names(ways: Sequence[str]) -> dict[str, str]:
    """Return the button texts by option; a file suffix that all of them share is left out to save room."""
    files = {way: way.removeprefix(CHECKPOINT_OPTION) for way in ways if way.startswith(CHECKPOINT_OPTION)}
    suffixes = {PurePath(name).suffix for name in files.values()}
    ending = suffixes.pop() if len(suffixes) == 1 else ""
    known = {
        "--update": localize("置き換える", "Replace"),
        "--keep-both": localize("両方を残す", "Keep both"),
        "--all": localize("すべて追加", "Add all"),
    }
    return {way: files[way].removesuffix(ending) if way in files else known.get(way, way) for way in ways}
