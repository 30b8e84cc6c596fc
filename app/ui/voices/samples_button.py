"""The button that plays a voice from its card: its recordings, or a sentence in each of its styles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QMenu, QToolButton

from app.common.language import localize
from app.ui.display_names import format_style
from app.ui.voices.catalog_voice import CatalogVoice

MAX_MENU_SAMPLES = 40


class SamplesButton(QToolButton):
    """A button with a menu; hidden while there is nothing to play.

    Signals:
        sample_requested(Path): play this recording.  style_requested(str): let the voice speak in this style.
    """

    sample_requested = Signal(object)
    style_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setObjectName("quiet")
        self.setText(localize("ボイスサンプル", "Samples"))
        self.setToolTip(
            localize("声に付属するサンプル、または短い文を再生します。", "Plays the samples that come with the voice, or a short sentence.")
        )
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(14, 14))
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setMenu(QMenu(self))
        self.menu().aboutToHide.connect(self._reset_hover)
        self.hide()

    def offer_samples(self, voice: CatalogVoice | None, styles: Sequence[str]) -> None:
        """Offer the recordings of a voice; a voice without any speaks a sentence in these styles."""
        menu = self.menu()
        menu.clear()
        found = voice.list_samples()[:MAX_MENU_SAMPLES] if voice is not None else []
        for style, file, sample in found:
            # Qt takes a single & in a menu entry for a keyboard mnemonic and would hide it.
            action = menu.addAction(f"{format_style(style)}  {sample.transcript[:40]}".strip().replace("&", "&&"))
            action.setData(file)
            if not _is_playable_file(file):
                action.setEnabled(False)
                action.setText(action.text() + localize("（再生できない形式）", "(unsupported format)"))
            action.triggered.connect(self._request_sample)
        for style in styles if not found else ():
            action = menu.addAction(localize(f"スタイル「{format_style(style)}」で再生", f"Play: {format_style(style)}").replace("&", "&&"))
            action.setData(style)
            action.triggered.connect(self._request_style)
        self.setVisible(bool(found or styles))

    @Slot()
    def _reset_hover(self) -> None:
        """Recompute the hover state of the button."""
        # Qt misses the mouse leaving the button while its menu is open, and would keep the button grey.
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, self.rect().contains(self.mapFromGlobal(QCursor.pos())))
        self.update()

    @Slot()
    def _request_sample(self) -> None:
        file = self.sender().data()  # type: ignore[attr-defined]
        if isinstance(file, Path):
            self.sample_requested.emit(file)

    @Slot()
    def _request_style(self) -> None:
        self.style_requested.emit(str(self.sender().data()))  # type: ignore[attr-defined]


def _is_playable_file(file: Path) -> bool:
    from app.adapters.sound.sound_formats import PLAYABLE_SUFFIXES  # few voices bring recordings

    return file.suffix.lower() in PLAYABLE_SUFFIXES
