"""The way to hear a voice from its card: its recordings, or a sentence in each of its styles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QToolButton

from app.language import localized
from app.ui.labels import style_name
from app.ui.voices.catalog_voice import CatalogVoice

MOST_SAMPLES = 40


class SamplesButton(QToolButton):
    """A menu; hidden while there is nothing to hear.

    Signals:
        sample_requested(Path): play this recording.  style_requested(str): let the voice speak in this style.
    """

    sample_requested = Signal(object)
    style_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("quiet")
        self.setText(localized("ボイスサンプル", "Samples"))
        self.setToolTip(
            localized(
                "声に付属するサンプル、または短い文を再生します。", "Plays the samples that come with the voice, or a short sentence."
            )
        )
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(14, 14))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setMenu(QMenu(self))
        self.menu().aboutToHide.connect(self._on_menu_closed)
        self.hide()

    def offer(self, voice: CatalogVoice | None, styles: Sequence[str]) -> None:
        """The recordings of a voice; one without any may speak in these styles."""
        menu = self.menu()
        menu.clear()
        found = voice.samples()[:MOST_SAMPLES] if voice is not None else []
        for style, file, sample in found:
            action = menu.addAction(f"{style_name(style)}  {sample.transcript[:40]}".strip().replace("&", "&&"))
            action.setData(file)
            if not _is_playable(file):
                action.setEnabled(False)
                action.setText(action.text() + localized("（再生できない形式）", "(unsupported format)"))
            action.triggered.connect(self._on_sample)
        for style in styles if not found else ():
            action = menu.addAction(localized(f"スタイル「{style_name(style)}」で再生", f"Play: {style_name(style)}").replace("&", "&&"))
            action.setData(style)
            action.triggered.connect(self._on_style)
        self.setVisible(bool(found or styles))

    @Slot()
    def _on_menu_closed(self) -> None:
        """Qt does not notice that the mouse has left while the menu was open, and would keep the button grey."""
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, self.rect().contains(self.mapFromGlobal(QCursor.pos())))
        self.update()

    @Slot()
    def _on_sample(self) -> None:
        file = self.sender().data()  # type: ignore[attr-defined]
        if isinstance(file, Path):
            self.sample_requested.emit(file)

    @Slot()
    def _on_style(self) -> None:
        self.style_requested.emit(str(self.sender().data()))  # type: ignore[attr-defined]


def _is_playable(file: Path) -> bool:
    from app.adapters.sound.formats import PLAYABLE  # few voices bring recordings

    return file.suffix.lower() in PLAYABLE
