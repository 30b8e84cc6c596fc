"""How exactly a voice speaks, and the choice between its two ways: on its card and in the library."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup, QCursor
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.language import localized
from app.sound_choice import SoundPrecision
from app.ui.voices.catalog_voice import CatalogVoice
from app.voices.fast import Fast
from app.voices.fast_words import why_exact


class PrecisionButton(QToolButton):
    """Shows the precision as its text, and a menu; hidden for a voice that is not the user's own.

    Attributes:
        exact, fast, test: entries of the menu; the last one only where a blind test can be begun.

    Signals:
        chosen(str): "exact" or "fast".
        test_requested(): compare both with their names hidden.
    """

    chosen = Signal(str)
    test_requested = Signal()

    def __init__(self, parent: QWidget | None = None, *, tests: bool = False) -> None:
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setAccessibleName(localized("音声合成の精度", "Synthesis precision"))
        self.setToolTip(_purpose())
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        menu.aboutToHide.connect(self._on_menu_closed)
        self._group = QActionGroup(self)
        self.exact, self.fast = self._choice(menu, "exact"), self._choice(menu, "fast")
        menu.addSeparator().setVisible(tests)
        self.test = menu.addAction(localized("ブラインドテスト: 高精度と高速…", "Blind test: exact vs fast…"))
        self.test.setToolTip(
            localized("選んだ行を、名前を隠して聞き比べます。", "Compares the selected lines, with the names of both hidden.")
        )
        self.test.triggered.connect(self.test_requested)
        self.test.setVisible(tests)
        self.setMenu(menu)
        self.hide()

    def show_voice(self, voice: CatalogVoice | None, precision: SoundPrecision = "exact", *, elsewhere: bool = False) -> None:
        """Shows what was chosen for a voice, and what there is to choose; `elsewhere`: it runs where Fast has no effect."""
        own = voice is not None and voice.place == "own"
        self.setVisible(own)
        if voice is None or not own:
            return
        why = why_exact(voice.manifest)
        self.setText(precision_name(precision))
        (self.fast if precision == "fast" else self.exact).setChecked(True)
        self.exact.setText(localized("高精度（float32）", "Exact (float32)"))
        self.fast.setText(_offer(voice.manifest.fast, why))
        self.fast.setEnabled(not why)
        self.test.setEnabled(not why)
        words = _purpose()
        if elsewhere and precision == "fast":
            words += "\n" + localized(
                "現在のバックエンドでは、「高精度」で合成しています。",
                "On the current backend it is synthesised exactly; Fast needs the CPU.",
            )
        self.setToolTip(words)

    def _choice(self, menu: QMenu, precision: SoundPrecision) -> QAction:
        action = menu.addAction(precision_name(precision))
        action.setCheckable(True)
        self._group.addAction(action)
        action.triggered.connect(lambda: self.chosen.emit(precision))
        return action

    def _on_menu_closed(self) -> None:
        """Qt does not notice that the mouse has left while the menu was open, and would keep the button grey."""
        self.setAttribute(Qt.WidgetAttribute.WA_UnderMouse, self.rect().contains(self.mapFromGlobal(QCursor.pos())))
        self.update()


def precision_name(precision: SoundPrecision) -> str:
    """As the user reads it everywhere."""
    return localized("高速", "Fast") if precision == "fast" else localized("高精度", "Exact")


def _purpose() -> str:
    return localized("この声の音声合成の精度を選びます。", "Chooses the synthesis precision of this voice.")


def _offer(fast: Fast | None, why: str) -> str:
    """What is measured, as short as a menu needs it, or why there is nothing to choose."""
    if fast is None:
        return localized(f"高速（int8）は使えません。{why}", f"Fast (int8) is not available. {why[:1].upper()}{why[1:]}")
    words = localized(
        f"高速（int8）: SN 比 {fast.snr_db:.0f} dB、音の長さの一致率 {fast.frames_equal:.1%}",
        f"Fast (int8): SNR {fast.snr_db:.0f} dB, {fast.frames_equal:.1%} of durations unchanged",
    )
    return words + (localized(f"、約 {fast.gain:.1f} 倍速", f", about {fast.gain:.1f}× as fast") if fast.gain else "")
