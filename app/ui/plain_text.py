"""Shows untrusted text in labels and tool tips.

Qt renders any text that looks like HTML: it would load images from disk, or let a name look like one of our warnings.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as Gui
from PySide6.QtWidgets import QLabel


class PlainLabel(QLabel):
    """A label that never interprets its text as HTML.

    Args:
        style: its name in the style sheet, such as "muted".
        wraps: its words take further lines where the width is not enough.
    """

    def __init__(self, text: str = "", style: str = "", *, wraps: bool = False) -> None:
        super().__init__(text, textFormat=Qt.TextFormat.PlainText, wordWrap=wraps)
        self.setObjectName(style)


def truncate_text(text: str, max_length: int) -> str:
    """Return a text of at most `max_length` letters, the last of them "…" where some are missing."""
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def escape_tip(text: str) -> str:
    """Return untrusted text in a form that `setToolTip` and `QToolTip.showText` show as it is."""
    return f"<p style='white-space: pre-wrap'>{_escape_html(text)}</p>" if Gui.mightBeRichText(text) else text


def wrap_tip(text: str) -> str:
    """Return untrusted text for a tool tip with line breaks."""
    # Qt wraps a long tool tip only if it is HTML.
    return f"<p>{_escape_html(text)}</p>" if text else ""


def _escape_html(text: str) -> str:
    # `html` also imports a table of all entities, which the start of the window does without.
    from html import escape

    return escape(text)
