"""One question about all existing files of an export."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QMessageBox, QWidget

from app.common.language import localize
from app.export.export_settings import ExistingFilePolicy
from app.ui.widgets.question_box import ButtonRole, DialogButton, show_question

MAX_LISTED_NAMES = 12


def ask_about_existing(parent: QWidget, existing_names: Sequence[str], on_chosen: Callable[[ExistingFilePolicy], object]) -> QMessageBox:
    """Ask without blocking; `on_chosen` is called with the choice, and not at all where the user cancels.

    Args:
        existing_names: one for each sound or list that has a file of the same name, or one beside it, in its way.
    """
    count = len(existing_names)
    text = localize(
        f"{count:,} 個のファイルがすでにあります。", f"{count:,} files already exist." if count > 1 else "One file already exists."
    )
    names = "\n".join(existing_names[:MAX_LISTED_NAMES])
    if count > MAX_LISTED_NAMES:
        names += localize(f"\nほか {count - MAX_LISTED_NAMES:,} 個", f"\nand {count - MAX_LISTED_NAMES:,} more")
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
    return show_question(
        parent, localize("同名のファイル", "Existing files"), (text, names), answers, localize("書き出しません。", "Writes nothing.")
    )
