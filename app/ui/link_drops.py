"""Links dropped from a browser. Nothing is fetched without a question: a voice is offered to be installed, a text file to be opened."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QUrl, Slot
from PySide6.QtGui import QDesktopServices

from app.language import say
from app.ui.links import is_text, is_voice, name_of

if TYPE_CHECKING:
    from app.ui.window import MainWindow


class LinkDrops(QObject):
    """Takes links for a window; those that lead to neither are text."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.script.links_dropped.connect(self.take)

    @Slot(object, int)
    def take(self, links: Sequence[str], row: int) -> None:
        """The first voice, else the first text file; else a line for every link."""
        voice, text = next(filter(is_voice, links), ""), next(filter(is_text, links), "")
        if voice:
            self._window.desk.library.add("address", voice)
        elif text:
            self._offer_text(text)
        else:
            self._window.commands.add_text("\n".join(links), row)

    def _offer_text(self, link: str) -> None:
        name = name_of(link)
        self._window.banner.tell(
            "notice",
            say(f"「{name}」はまだこのコンピューターにありません。", f'"{name}" is not on this computer yet.'),
            say("ブラウザーで保存し、そのファイルをここへドラッグしてください。", "Save it with the browser, then drop the file here."),
            action=say("ブラウザーで開く", "Open in the browser"),
            then=lambda: QDesktopServices.openUrl(QUrl(link)),
        )
