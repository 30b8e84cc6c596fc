"""One piece of long work: what it is, how far it is, and what the user can do about it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath

from PySide6.QtCore import QEvent, QSize, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QSizePolicy, QToolButton, QVBoxLayout

from app.adapters.download.progress import speed
from app.language import localized
from app.ui.plain_text import plain_tip
from app.ui.tasks.process import ProcessTask
from app.ui.tasks.task import Advance, Stage
from app.ui.theme.icons import icon
from app.ui.theme.theme import is_theme_change
from app.ui.widgets.elided_button import ElidedButton
from app.ui.widgets.elided_label import ElidedLabel
from app.ui.workarounds.deferred_progress_bar import DeferredProgressBar

CHECKPOINT = "--checkpoint="
WAYS_ABREAST = 3  # buttons


class JobRow(QFrame):
    """Shows a job.

    Signals:
        decided(str): the user chose this option.  retry_requested(), log_requested(), dismissed(): as the buttons say.
    """

    decided = Signal(str)
    retry_requested = Signal()
    log_requested = Signal()
    dismissed = Signal()

    def __init__(self, job: ProcessTask) -> None:
        super().__init__()
        self.setObjectName("card")
        self.job = job
        self.title, self.state = ElidedLabel(job.work.title), QLabel()
        self.title.setObjectName("heading")
        self.state.setObjectName("muted")
        self.bar = DeferredProgressBar()
        self.bar.setObjectName("played")
        self.bar.setTextVisible(False)
        self.bar.setFixedHeight(4)
        self.bar.setAccessibleName(job.work.title)
        self.retry, self.log = QPushButton(localized("再試行", "Retry")), QPushButton(localized("ログ", "Log"))
        self.retry.setToolTip(localized("もう一度実行します。", "Tries again."))
        self.log.setToolTip(localized("ログを表示します。", "Shows the log of this job."))
        self.retry.clicked.connect(self.retry_requested)
        self.log.clicked.connect(self.log_requested)
        self.close_button = QToolButton()
        self.close_button.clicked.connect(self.dismissed)
        self._ways = QGridLayout()
        self._ways.setSpacing(6)
        self._shown_ways: tuple[str, ...] = ()
        self._build()
        job.changed.connect(self.show_job)
        self.show_job()

    @Slot()
    def show_job(self) -> None:
        """As the job is now."""
        job = self.job
        running = job.stage in (Stage.RUNNING, Stage.WAITING)
        self.state.setText(describe_job(job))
        self.state.setToolTip(plain_tip(job.error.hint) if job.error else "")
        self.state.setObjectName("error" if job.stage is Stage.FAILED else "muted")
        self.state.style().polish(self.state)
        self.bar.setVisible(running)
        known = job.stage is Stage.RUNNING and job.advance.percent > 0
        self.bar.setRange(0, 100 if known or job.stage is Stage.WAITING else 0)
        self.bar.setValue(job.advance.percent)
        self.retry.setVisible(job.stage is Stage.FAILED)
        self.log.setVisible(bool(job.log))
        self._show_ways(job.ways if job.stage is Stage.ASKING and job.licence is None else ())
        tip = localized("キャンセル", "Cancel") if running or job.stage is Stage.ASKING else localized("閉じる", "Close")
        self.close_button.setToolTip(tip)
        self.close_button.setAccessibleName(f"{tip}: {job.work.title}")
        self.setAccessibleName(f"{job.work.title} {self.state.text()}")

    def changeEvent(self, event: QEvent) -> None:
        """Redraws the icon for another theme."""
        if is_theme_change(self, event):
            self._draw()
        super().changeEvent(event)

    def _build(self) -> None:
        self.state.setTextFormat(Qt.TextFormat.PlainText)
        self.state.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.state.setMinimumWidth(1)  # a long address is cut off rather than widening the window
        self.state.setWordWrap(True)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.state)
        words.addWidget(self.bar)
        words.addLayout(self._ways)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 7, 8, 7)
        row.setSpacing(8)
        row.addLayout(words, 1)
        row.addWidget(self.log)
        row.addWidget(self.retry)
        row.addWidget(self.close_button)
        self._draw()

    def _show_ways(self, ways: tuple[str, ...]) -> None:
        if ways == self._shown_ways:
            return
        self._shown_ways = ways
        while (item := self._ways.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.deleteLater()
        for place, (way, name) in enumerate(way_names(ways).items()):
            button = ElidedButton(name, way.removeprefix(CHECKPOINT) if way.startswith(CHECKPOINT) else name)
            button.clicked.connect(self._emitter(way))
            self._ways.addWidget(button, place // WAYS_ABREAST, place % WAYS_ABREAST)
        self._ways.setColumnStretch(WAYS_ABREAST, 1)

    def _emitter(self, way: str) -> Callable[[], None]:
        return lambda: self.decided.emit(way)

    def _draw(self) -> None:
        self.close_button.setIconSize(QSize(16, 16))
        self.close_button.setIcon(icon("close", self.palette().color(self.foregroundRole())))


def describe_job(job: ProcessTask) -> str:
    """How a job is, in words."""
    if job.stage is Stage.RUNNING:
        return describe_advance(job.advance)
    if job.error is not None and job.stage in (Stage.FAILED, Stage.ASKING):
        hint = "" if job.stage is Stage.ASKING else job.error.hint
        return f"{job.error.message} {hint}".strip()
    return {
        Stage.WAITING: localized("待機中", "Waiting"),
        Stage.ASKING: localized("選択を待っています", "Waiting for your choice"),
        Stage.DONE: localized("完了", "Done"),
        Stage.CANCELLED: localized("キャンセルしました", "Cancelled"),
    }.get(job.stage, "")


def describe_advance(advance: Advance) -> str:
    """The step, how far it is, and of a download its speed and what is left, or what it waits for."""
    parts = [step_name(advance.step) if advance.step else localized("開始しています…", "Starting…")]
    if advance.percent:
        parts.append(f"{advance.percent}%")
    if advance.received is not None and advance.total:
        parts.append(f"{advance.received / 1e6:.0f} / {advance.total / 1e6:.0f} MB")
    if advance.waiting:
        return "  ".join([*parts, advance.waiting])
    if advance.bytes_per_s:
        parts.append(speed(advance.bytes_per_s))
    if advance.seconds_left is not None:
        parts.append(localized(f"あと {time_left(advance.seconds_left)}", f"{time_left(advance.seconds_left)} left"))
    return "  ".join(parts)


def step_name(step: str) -> str:
    """A step of the work."""
    return {
        "reading": localized("読み込み中", "Reading"),
        "unpacking": localized("展開中", "Unpacking"),
        "building": localized("組み立て中", "Building"),
        "cutting": localized("準備中", "Preparing"),
        "checking": localized("確認中", "Checking"),
        "measuring": localized("測定中", "Measuring"),
        "storing": localized("保存中", "Saving"),
        "downloading": localized("ダウンロード中", "Downloading"),
    }.get(step, step)


def time_left(seconds: float) -> str:
    """Seconds up to a minute and a half, minutes from there on."""
    if seconds < 90:
        return localized(f"{seconds:.0f} 秒", f"{seconds:.0f} s")
    return localized(f"{seconds / 60:.0f} 分", f"{seconds / 60:.0f} min")


def way_names(ways: Sequence[str]) -> dict[str, str]:
    """Options that decide, as buttons say them; an ending that all files have is left out, so that there is room for the rest."""
    files = {way: way.removeprefix(CHECKPOINT) for way in ways if way.startswith(CHECKPOINT)}
    suffixes = {PurePath(name).suffix for name in files.values()}
    ending = suffixes.pop() if len(suffixes) == 1 else ""
    known = {
        "--update": localized("置き換える", "Replace"),
        "--keep-both": localized("両方を残す", "Keep both"),
        "--all": localized("すべて追加", "Add all"),
    }
    return {way: files[way].removesuffix(ending) if way in files else known.get(way, way) for way in ways}
