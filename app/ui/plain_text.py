"""Untrusted text in labels and tooltips. Qt renders whatever looks like HTML: it would load images from disk, or make a name look like one of our warnings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as Gui
from PySide6.QtWidgets import QLabel


class PlainLabel(QLabel):
    """A label that never interprets its text as HTML."""

    def __init__(self, text: str = "") -> None:
        super().__init__(text)
        self.setTextFormat(Qt.TextFormat.PlainText)


def plain_tip(text: str) -> str:
    """Untrusted text as `setToolTip` and `QToolTip.showText` take it."""
    return f"<p style='white-space: pre-wrap'>{_escaped(text)}</p>" if Gui.mightBeRichText(text) else text


def folded_tip(text: str) -> str:
    """The same for a long text, which Qt folds only where it is HTML."""
    return f"<p>{_escaped(text)}</p>" if text else ""


def _escaped(text: str) -> str:
    from html import escape  # late: with it comes a table of all entities, which the window starts without

    return escape(text)
