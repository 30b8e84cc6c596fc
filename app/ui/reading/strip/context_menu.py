"""What the right mouse button offers on a mora or a mark: the same as clicks and keys, with names."""

from __future__ import annotations

from PySide6.QtWidgets import QMenu, QWidget

from app.core.accents import can_toggle_phrase
from app.language import localized
from app.ui.reading.strip.axis import Cell, Kind
from app.ui.reading.strip.keys import KeyTarget
from app.ui.reading.strip.shape import Shape, mora_of


def context_menu(strip: KeyTarget, shape: Shape, cell: Cell, lengths_fixed: str, parent: QWidget) -> QMenu:
    """A menu for one cell.

    Args:
        lengths_fixed: why lengths cannot be changed; empty when they can.
    """
    menu = QMenu(parent)
    menu.setToolTipsVisible(True)
    is_mora = cell.kind is Kind.MORA
    menu.addAction(localized("ここから再生", "Play from here"), strip.play_current)
    menu.addSeparator()
    word = menu.addAction(localized("読みを変更…", "Change reading…"), lambda: strip.want_word(cell))
    word.setEnabled(is_mora)
    split = menu.addAction(
        localized("この前でアクセント句を分割・結合", "Split or join phrases before this"), lambda: strip.toggle(cell.index)
    )
    split.setEnabled(is_mora and can_toggle_phrase(shape.reading, cell.index))
    menu.addSeparator()
    length = menu.addAction(localized("長さを自動に戻す", "Reset length"), lambda: strip.set_length(cell, None))
    length.setEnabled(not lengths_fixed and cell.exact)
    length.setToolTip(lengths_fixed)
    menu.addAction(localized("アクセント句をリセット", "Reset accent phrase"), lambda: strip.reset_requested.emit(mora_of(shape, cell)))
    return menu
