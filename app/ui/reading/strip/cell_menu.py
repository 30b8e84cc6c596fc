"""The context menu of a mora or a mark: the same as clicks and keys, with names."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QWidget

from app.common.language import localize
from app.core.accent_edits import may_toggle_phrase
from app.ui.reading.strip.strip_axis import CellKind, StripCell
from app.ui.reading.strip.strip_keys import StripKeyTarget
from app.ui.reading.strip.strip_shape import StripShape, find_mora_index


def create_cell_menu(strip: StripKeyTarget, shape: StripShape, cell: StripCell, fixed_lengths_reason: str, parent: QWidget) -> QMenu:
    """A menu for one cell.

    Args:
        fixed_lengths_reason: why lengths cannot be changed; empty when they can.
    """
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    is_mora = cell.kind is CellKind.MORA
    menu.addAction(localize("ここから再生", "Play from here"), strip.play_current)
    menu.addSeparator()
    word = menu.addAction(localize("読みを変更…", "Change reading…"), lambda: strip.request_word(cell))
    word.setEnabled(is_mora)
    split = menu.addAction(
        localize("この前でアクセント句を分割・結合", "Split or join phrases before this"), lambda: strip.toggle_phrase_break(cell.index)
    )
    split.setEnabled(is_mora and may_toggle_phrase(shape.reading, cell.index))
    menu.addSeparator()
    length = menu.addAction(localize("長さを自動に戻す", "Reset length"), lambda: strip.set_length(cell, None))
    length.setEnabled(not fixed_lengths_reason and cell.is_exact)
    length.setToolTip(fixed_lengths_reason)
    menu.addAction(
        localize("アクセント句をリセット", "Reset accent phrase"), lambda: strip.reset_requested.emit(find_mora_index(shape, cell))
    )
    return menu
