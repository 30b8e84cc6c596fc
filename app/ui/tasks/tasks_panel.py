"""The panel of long tasks among the messages, hidden while there are none."""

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from app.common.language import localize
from app.ui.tasks.process_task import ProcessTask, TaskQueue, TaskState
from app.ui.widgets.controls import fill_box

if TYPE_CHECKING:
    from app.ui.tasks.task_row import TaskRow

MOST_ROWS, MOST_SHARE = 3, 0.2  # rows beyond the third are scrolled to; the panel takes at most this share of the window's height
TASK_ROW_LINGER_MS = 6000  # milliseconds; the result of a finished task is also shown in a banner


class TasksPanel(QScrollArea):
    """A list of rows, by job, for the jobs of a queue; quiet jobs are not shown."""

    def __init__(self, queue: TaskQueue) -> None:
        super().__init__()
        self._queue = queue
        self.rows: dict[ProcessTask, TaskRow] = {}
        self.setAccessibleName(localize("作業", "Jobs"))
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # its rows have it
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        body = QWidget()
        body.setObjectName("side")
        self._column = fill_box(QVBoxLayout(body), None, spacing=6)
        self.setWidget(body)
        self.hide()
        queue.added.connect(self._add_row)
        queue.removed.connect(self._remove_row)
        queue.finished.connect(self._schedule_removal)
        for job in queue.jobs:
            self._add_row(job)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the height, as another width wraps the texts elsewhere."""
        super().resizeEvent(event)
        self._fit_height()

    def _add_row(self, job: ProcessTask) -> None:
        if job.work.quiet:
            return
        # Few starts have a job.
        from app.ui.tasks.task_row import TaskRow
        from app.ui.widgets.text_dialog import show_text

        row = self.rows[job] = TaskRow(job)
        row.dismissed.connect(lambda: self._queue.remove_task(job))
        row.retry_requested.connect(lambda: self._queue.queue_again(job))
        row.decided.connect(lambda way: self._queue.queue_again(job, way))
        row.log_requested.connect(lambda: show_text(self, job.work.title, "\n".join(job.log)))
        job.changed.connect(self._fit_height)
        self._column.insertWidget(self._column.count() - 1, row)
        self._fit_height()

    def _remove_row(self, job: ProcessTask) -> None:
        row = self.rows.pop(job, None)
        if row is not None:
            self._column.removeWidget(row)
            row.hide()
            row.deleteLater()
            self._fit_height()

    def _schedule_removal(self, job: ProcessTask) -> None:
        if job in self.rows:
            timer = QTimer(self.rows[job], singleShot=True)
            timer.timeout.connect(lambda: self._queue.remove_task(job) if job.stage is TaskState.DONE else None)
            timer.start(TASK_ROW_LINGER_MS)

    def _fit_height(self) -> None:
        rows = list(self.rows.values())
        self.setVisible(bool(rows))
        if rows:
            # The width of a new row is set only by the next layout.
            width = self.viewport().width()
            heights = [row.heightForWidth(width) for row in rows[:MOST_ROWS]]
            height = sum(heights) + self._column.spacing() * (len(heights) - 1) + 2
            self.setFixedHeight(min(height, max(heights[0], round(self.window().height() * MOST_SHARE))))
