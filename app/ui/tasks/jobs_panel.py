"""All long work that is running, below the lines; out of sight while there is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.language import localized
from app.ui.tasks.process import ProcessTask
from app.ui.tasks.queue import TaskQueue
from app.ui.tasks.task import Stage

if TYPE_CHECKING:
    from app.ui.tasks.job_row import JobRow

MOST_ROWS, MOST_SHARE = 3, 0.35  # further ones are scrolled to; of the window's height
GONE_AFTER_MS = 6000  # what has succeeded is shown elsewhere too


class JobsPanel(QScrollArea):
    """Rows for the jobs of a queue; quiet ones are not shown.

    Attributes:
        rows: by job.
    """

    def __init__(self, queue: TaskQueue) -> None:
        super().__init__()
        self._queue = queue
        self.rows: dict[ProcessTask, JobRow] = {}
        self.setAccessibleName(localized("作業", "Jobs"))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        body = QWidget()
        body.setObjectName("side")
        self._column = QVBoxLayout(body)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)
        self._column.addStretch(1)
        self.setWidget(body)
        self.hide()
        queue.added.connect(self._add)
        queue.removed.connect(self._remove)
        queue.finished.connect(self._on_finished)
        for job in queue.jobs:
            self._add(job)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width folds other words."""
        super().resizeEvent(event)
        self._fit()

    def _add(self, job: ProcessTask) -> None:
        if job.work.quiet:
            return
        from app.ui.tasks.job_row import JobRow  # few starts have a job

        row = self.rows[job] = JobRow(job)
        row.dismissed.connect(lambda: self._queue.clear(job))
        row.retry_requested.connect(lambda: self._queue.again(job))
        row.decided.connect(lambda way: self._queue.again(job, way))
        row.log_requested.connect(lambda: self._show_log(job))
        job.changed.connect(self._fit)
        self._column.insertWidget(self._column.count() - 1, row)
        self._fit()

    def _show_log(self, job: ProcessTask) -> None:
        from app.ui.widgets.text_dialog import show_text

        show_text(self, job.work.title, "\n".join(job.log))

    def _remove(self, job: ProcessTask) -> None:
        row = self.rows.pop(job, None)
        if row is not None:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
            self._fit()

    def _on_finished(self, job: ProcessTask) -> None:
        if job in self.rows:
            timer = QTimer(self.rows[job])
            timer.setSingleShot(True)
            timer.timeout.connect(lambda: self._leave(job))
            timer.start(GONE_AFTER_MS)

    def _leave(self, job: ProcessTask) -> None:
        if job in self.rows and job.stage is Stage.DONE:
            self._queue.clear(job)

    def _fit(self) -> None:
        """As high as its first rows."""
        shown = list(self.rows.values())
        self.setVisible(bool(shown))
        if shown:
            width = self.viewport().width()  # a new row has not got it yet
            heights = [row.heightForWidth(width) for row in shown[:MOST_ROWS]]
            wanted = sum(heights) + self._column.spacing() * (len(heights) - 1) + 2
            self.setFixedHeight(min(wanted, max(heights[0], round(self.window().height() * MOST_SHARE))))
