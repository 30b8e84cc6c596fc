"""The sheets of a blind test into files that the user names."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from app.adapters.files.part_file import write_error
from app.data_file import write_whole
from app.ui.background import BackgroundThread


def save_sheet(parent: QWidget, background: BackgroundThread, suffix: str, text: str) -> None:
    """Asks for a name, and writes in the background; what goes wrong there is reported by it."""
    start = Path.home() / f"koebako-test.{suffix}"
    name, _ = QFileDialog.getSaveFileName(parent, parent.windowTitle(), str(start), f"{suffix.upper()} (*.{suffix})")
    if name:
        file = Path(name) if Path(name).suffix else Path(f"{name}.{suffix}")
        background.run(partial(_write, file, text))


def _write(file: Path, text: str) -> None:
    try:
        write_whole(file, text.encode("utf-8"))
    except OSError as exc:
        raise write_error(file, exc) from exc
