"""Files and links from everywhere — drops, the command line, later starts, menus — and where they go."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QUrl, Signal, Slot
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from app.core.project import PROJECT_SUFFIX, SCRIPT_SUFFIXES
from app.language import localized
from app.ui.link_kinds import is_text, is_voice, links_in, name_of
from app.ui.script.line_commands import LineCommands
from app.ui.widgets.banner import Banner


class IncomingFiles(QObject):
    """Scripts and texts become lines; any other file may be a voice. Nothing is fetched from a link without a question.

    Signals:
        project_found(Path): the first project among the files, which takes the place of everything: scripts that came with it are left alone.
        scripts_found(list[Path], int | None): scripts, tables and texts, and the row that their lines go before.
        others_found(list[Path]): other files.
        voice_link_found(str): the address of a voice.

    Args:
        banner: offers to open the link of a text file in the browser.
    """

    project_found = Signal(object)
    scripts_found = Signal(object, object)
    others_found = Signal(object)
    voice_link_found = Signal(str)

    def __init__(self, lines: LineCommands, banner: Banner) -> None:
        super().__init__(lines)
        self._lines, self._banner = lines, banner

    def accept_drops(self, window: QWidget) -> None:
        """Takes what is dropped anywhere on a window."""
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    @Slot(object, int)
    def take_files(self, files: Sequence[Path], row: int | None = None) -> None:
        """Opens files; their lines go before this row, or below the selected ones."""
        projects = [file for file in files if file.suffix.lower() == PROJECT_SUFFIX]
        scripts = [file for file in files if file.suffix.lower() in SCRIPT_SUFFIXES]
        others = [file for file in files if file not in scripts and file not in projects]
        if projects:
            self.project_found.emit(projects[0])
        elif scripts:
            self.scripts_found.emit(scripts, row)
        if others:
            self.others_found.emit(others)

    @Slot(object, int)
    def take_links(self, links: Sequence[str], row: int | None = None) -> None:
        """The first voice, else the first text file; else a line for every link."""
        voice, text = next(filter(is_voice, links), ""), next(filter(is_text, links), "")
        if voice:
            self.voice_link_found.emit(voice)
        elif text:
            self._offer_text(text)
        else:
            self._lines.add_text("\n".join(links), self._lines.place() if row is None else row)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes files and links; everything else goes its way."""
        if event.type() == QEvent.Type.DragEnter and isinstance(event, QDragEnterEvent) and (_files(event) or links_in(event.mimeData())):
            event.acceptProposedAction()
            return True
        if event.type() == QEvent.Type.Drop and isinstance(event, QDropEvent) and self._take(event):
            event.acceptProposedAction()
            return True
        return super().eventFilter(watched, event)

    def _take(self, event: QDropEvent) -> bool:
        """False when there is nothing to take."""
        if files := _files(event):
            self.take_files(files)
        elif links := links_in(event.mimeData()):
            self.take_links(links)
        else:
            return False
        return True

    def _offer_text(self, link: str) -> None:
        name = name_of(link)
        self._banner.show_message(
            "notice",
            localized(f"「{name}」はまだダウンロードされていません。", f"“{name}” has not been downloaded yet."),
            localized(
                "ブラウザーで保存し、そのファイルをここにドラッグ＆ドロップしてください。",
                "Save it in the browser, then drop the file here.",
            ),
            action=localized("ブラウザーで開く", "Open in browser"),
            then=lambda: QDesktopServices.openUrl(QUrl(link)),
        )


def _files(event: QDropEvent) -> list[Path]:
    """What lies on this machine; addresses elsewhere are not files."""
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
