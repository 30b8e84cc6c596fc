"""What an action costs the window's thread, counted instead of timed: a count is the same on every machine."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from PySide6.QtCore import QAbstractEventDispatcher
from PySide6.QtWidgets import QApplication

from app.ui.script.line_delegate import LineDelegate

APP = str(Path(__file__).parents[2] / "app") + os.sep


class ActionCounts:
    """Counts as long as it is entered, from nothing each time.

    Attributes:
        steps: how many lines of the program ran. Going through a thousand lines of a script once takes a thousand steps or more.
        rows: how many rows of the script were laid out.
        most_rows: how many between two looks at the event loop, at most.
        style_sheets: how often the application got a style sheet, which all its parts are polished for again.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._clear()
        lay_out_row, apply_sheet = LineDelegate.compute_row_height, QApplication.setStyleSheet

        def count_row(delegate: LineDelegate, row: int) -> int:
            self.rows += 1
            self._rows_of_turn += 1
            return lay_out_row(delegate, row)

        def count_sheet(application: QApplication, sheet: str) -> None:
            self.style_sheets += 1
            apply_sheet(application, sheet)

        monkeypatch.setattr(LineDelegate, "compute_row_height", count_row)
        monkeypatch.setattr(QApplication, "setStyleSheet", count_sheet)

    def _clear(self) -> None:
        self.steps = self.rows = self.most_rows = self.style_sheets = self._rows_of_turn = 0

    def __enter__(self) -> ActionCounts:
        self._clear()
        self._outer_trace = sys.gettrace()
        QAbstractEventDispatcher.instance().awake.connect(self._end_turn)
        sys.settrace(self._trace_call)
        return self

    def __exit__(self, *_error: object) -> None:
        sys.settrace(self._outer_trace)
        QAbstractEventDispatcher.instance().awake.disconnect(self._end_turn)
        self._end_turn()

    def _trace_call(self, frame: FrameType, _event: str, _argument: object) -> Any:
        return self._trace_line if frame.f_code.co_filename.startswith(APP) else None

    def _trace_line(self, _frame: FrameType, event: str, _argument: object) -> Any:
        self.steps += event == "line"
        return self._trace_line

    def _end_turn(self) -> None:
        self.most_rows = max(self.most_rows, self._rows_of_turn)
        self._rows_of_turn = 0
