"""Saves the sheets of a blind test to files that the user names."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.adapters.files.part_file import build_write_error
from app.common.files.atomic_write import write_file_atomically
from app.ui.background_thread import BackgroundThread
from app.ui.widgets.appended_suffix import append_suffix


def save_sheet(parent: QWidget, background: BackgroundThread, suffix: str, text: str) -> None:
    """Ask for a file name and write the sheet in `background`, which reports errors."""
    start = Path.home() / f"koebako-test.{suffix}"
    name, _ = QFileDialog.getSaveFileName(parent, parent.windowTitle(), str(start), f"{suffix.upper()} (*.{suffix})")
    if name:
        file = Path(name) if Path(name).suffix else append_suffix(Path(name), f".{suffix}")
        background.run_work(partial(_write_sheet, file, text))


def _write_sheet(file: Path, text: str) -> None:
    try:
        write_file_atomically(file, text.encode("utf-8"))
    except OSError as exc:
        raise build_write_error(file, exc) from exc
