"""What is asked before work could be lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.core.project import PROJECT_SUFFIX
from app.language import localized
from app.ui.widgets.open_files import ask_for_one
from app.ui.widgets.question import Answer, Role, ask

TITLE = "Koebako"


def ask_before_leaving(parent: QWidget, name: str, save: Callable[[], object], discard: Callable[[], object]) -> QMessageBox:
    """Another project is to be opened, and this one has changes."""
    text = localized(f"「{name}」の変更を保存しますか？", f"Save the changes to “{name}”?")
    hint = localized("保存しないと、変更は失われます。", "They are lost if you don't save them.")
    answers = [
        Answer(localized("保存", "Save"), Role.AcceptRole, save),
        Answer(localized("保存しない", "Don't save"), Role.DestructiveRole, discard),
    ]
    return ask(parent, TITLE, (text, hint), answers)


def ask_before_replacing(
    parent: QWidget, name: str, replace: Callable[[], object], save_as: Callable[[], object], *, ours: bool
) -> QMessageBox:
    """The file holds what we do not know: it is ours, and somebody else has written it, or it was there already."""
    if ours:
        text = localized(f"「{name}」は、ほかの場所で変更されています。", f"“{name}” has been changed elsewhere.")
        hint = localized("上書きすると、その変更は失われます。", "Replacing it discards those changes.")
    else:
        text = localized(f"「{name}」はすでにあります。", f"“{name}” already exists.")
        hint = localized("上書きすると、いまの内容は失われます。", "Replacing it discards its contents.")
    answers = [
        Answer(localized("上書き", "Replace"), Role.DestructiveRole, replace),
        Answer(localized("名前を付けて保存…", "Save as…"), Role.AcceptRole, save_as),
    ]
    return ask(parent, TITLE, (text, hint), answers)


def ask_for_project(parent: QWidget) -> Path | None:
    """A file to open."""
    return ask_for_one(parent, localized("プロジェクトを開く", "Open project"), _kinds())


def ask_for_name(parent: QWidget, start: Path) -> tuple[Path, bool] | None:
    """A file to write, and whether replacing it was agreed to."""
    title = localized("プロジェクトを名前を付けて保存", "Save project as")
    name, _ = QFileDialog.getSaveFileName(parent, title, str(start), _kinds())
    if not name:
        return None
    path = Path(name)
    named = path.suffix.lower() == PROJECT_SUFFIX  # else the dialog has asked about another name
    return (path, True) if named else (path.with_name(path.name + PROJECT_SUFFIX), False)


def _kinds() -> str:
    return localized("Koebako のプロジェクト", "Koebako projects") + f" (*{PROJECT_SUFFIX})"
