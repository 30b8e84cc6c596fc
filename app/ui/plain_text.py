"""Untrusted text in labels and tooltips. Qt renders whatever looks like HTML: it would load images from disk, or make a name look like one of our warnings."""

from __future__ import annotations

import html

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
    return f"<p style='white-space: pre-wrap'>{html.escape(text)}</p>" if Gui.mightBeRichText(text) else text
