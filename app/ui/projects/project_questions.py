"""The questions that are asked before work could be lost."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.common.language import localize
from app.core.project import PROJECT_SUFFIX
from app.ui.widgets.open_file_dialogs import ask_for_file
from app.ui.widgets.question_box import ButtonRole, DialogButton, show_question

QUESTION_TITLE = "Koebako"


def ask_before_leaving(parent: QWidget, name: str, save: Callable[[], object], discard: Callable[[], object]) -> QMessageBox:
    """Another project is to be opened, and this one has changes."""
    text = localize(f"「{name}」の変更を保存しますか？", f"Save the changes to “{name}”?")
    hint = localize("保存しないと、変更は失われます。", "They are lost if you don't save them.")
    answers = [
        DialogButton(localize("保存", "Save"), ButtonRole.AcceptRole, save),
        DialogButton(localize("保存しない", "Don't save"), ButtonRole.DestructiveRole, discard),
    ]
    return show_question(parent, QUESTION_TITLE, (text, hint), answers)


def ask_before_replacing(
    parent: QWidget, name: str, replace: Callable[[], object], save_as: Callable[[], object], *, is_own_file: bool
) -> QMessageBox:
    """The file holds what we do not know: it is ours, and somebody else has written it, or it was there already."""
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
    return show_question(parent, QUESTION_TITLE, (text, hint), answers)


def ask_for_project(parent: QWidget) -> Path | None:
    """A file to open."""
    return ask_for_file(parent, localize("プロジェクトを開く", "Open project"), _build_file_filter())


def ask_for_name(parent: QWidget, start: Path) -> tuple[Path, bool] | None:
    """A file to write, and whether replacing it was agreed to."""
    title = localize("プロジェクトを名前を付けて保存", "Save project as")
    name, _ = QFileDialog.getSaveFileName(parent, title, str(start), _build_file_filter())
    if not name:
        return None
    path = Path(name)
    named = path.suffix.lower() == PROJECT_SUFFIX  # else the dialog has asked about another name
    return (path, True) if named else (path.with_name(path.name + PROJECT_SUFFIX), False)


def _build_file_filter() -> str:
    return localize("Koebako のプロジェクト", "Koebako projects") + f" (*{PROJECT_SUFFIX})"
