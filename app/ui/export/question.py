"""One question about all files that are there already."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtWidgets import QMessageBox, QWidget

from app.export.plan import PlannedFile
from app.export.settings import Existing
from app.language import localized
from app.ui.widgets.question import Answer, Role, ask

MOST_NAMES = 12


def ask_about_existing(parent: QWidget, there: Sequence[PlannedFile], then: Callable[[Existing], object]) -> QMessageBox:
    """Asks without making anybody wait; `then` is called with the choice, and not at all where the user gives up."""
    count = len(there)
    text = localized(
        f"{count:,} 個のファイルがすでにあります。", f"{count:,} files already exist." if count > 1 else "One file already exists."
    )
    names = "\n".join(item.file.name for item in there[:MOST_NAMES])
    if count > MOST_NAMES:
        names += localized(f"\nほか {count - MOST_NAMES:,} 個", f"\nand {count - MOST_NAMES:,} more")
    choices: dict[Existing, tuple[str, str]] = {
        "replace": (localized("上書きする", "Replace"), localized("すでにあるファイルを置き換えます。", "Replaces the existing files.")),
        "number": (localized("番号を付ける", "Add numbers"), localized("別の名前で書き出します。", "Writes them under other names.")),
        "skip": (localized("書き出さない", "Skip"), localized("残りのファイルだけを書き出します。", "Writes only the other files.")),
    }
    answers = [
        Answer(label, Role.ActionRole, partial(then, choice), tip, is_default=choice == "skip") for choice, (label, tip) in choices.items()
    ]
    return ask(
        parent, localized("同名のファイル", "Existing files"), (text, names), answers, localized("書き出しません。", "Writes nothing.")
    )
