"""Shows and changes the precision of a voice, on its card and in the library."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from app.common.language import localize
from app.settings.user_settings import GraphPrecision
from app.ui.voices.catalog_voice import CatalogVoice
from app.ui.widgets.controls import clear_hover_after, describe_control
from app.voices.int8_result import Int8Result
from app.voices.voice_labels import describe_int8_quality


class PrecisionButton(QToolButton):
    """Shows the precision as its text and has a menu; hidden for a voice that is not the user's own.

    Signals:
        precision_chosen(str): "exact" or "fast".
        test_requested(): compare both precisions with their names hidden.
    """

    precision_chosen = Signal(str)
    test_requested = Signal()

    def __init__(self, parent: QWidget | None = None, *, has_tests: bool = False) -> None:
        super().__init__(parent)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        describe_control(self, localize("音声合成の精度", "Synthesis precision"), _describe_purpose())
        menu = QMenu(self)
        menu.setToolTipsVisible(True)
        clear_hover_after(menu, self)
        self._group = QActionGroup(self)
        # exact, fast, test: entries of the menu; the last one only where a blind test can be started.
        self.exact, self.fast = self._add_choice(menu, "exact"), self._add_choice(menu, "fast")
        menu.addSeparator().setVisible(has_tests)
        self.test = menu.addAction(localize("ブラインドテスト: 高精度と高速…", "Blind test: exact vs fast…"))
        self.test.setToolTip(
            localize("選んだ行を、名前を隠して聞き比べます。", "Compares the selected lines, with the names of both hidden.")
        )
        self.test.triggered.connect(self.test_requested)
        self.test.setVisible(has_tests)
        self.setMenu(menu)
        self.hide()

    def show_voice(self, voice: CatalogVoice | None, precision: GraphPrecision = "exact", *, is_fast_unavailable: bool = False) -> None:
        """Show the precision of a voice and its choices; `is_fast_unavailable` says that the backend has no use for Fast."""
        is_own = voice is not None and voice.origin == "own"
        self.setVisible(is_own)
        if voice is None or not is_own:
            return
        why = voice.explain_missing_int8("sound")
        self.setText(format_precision(precision))
        (self.fast if precision == "fast" else self.exact).setChecked(True)
        self.fast.setText(_describe_fast(voice.manifest.fast))
        self.fast.setToolTip(why[:1].upper() + why[1:] if voice.manifest.fast is None else describe_int8_quality(voice.manifest.fast))
        self.fast.setEnabled(not why)
        self.test.setEnabled(not why)
        tip = _describe_purpose()
        if is_fast_unavailable and precision == "fast":
            tip += "\n" + localize(
                "現在のバックエンドでは、「高精度」で合成しています。",
                "On the current backend it is synthesised exactly; Fast needs the CPU.",
            )
        self.setToolTip(tip)

    def _add_choice(self, menu: QMenu, precision: GraphPrecision) -> QAction:
        action = menu.addAction(format_precision(precision))
        action.setCheckable(True)
        self._group.addAction(action)
        action.triggered.connect(lambda: self.precision_chosen.emit(precision))
        return action


def format_precision(precision: GraphPrecision) -> str:
    """Return the name of a precision as it is shown everywhere."""
    return localize("高速", "Fast") if precision == "fast" else localize("高精度", "Exact")


def _describe_purpose() -> str:
    return localize("この声の音声合成の精度を選びます。", "Chooses the synthesis precision of this voice.")


def _describe_fast(fast: Int8Result | None) -> str:
    """Return the name of Fast with what it gains, or that the voice does not have it; figures and reasons are in the tip."""
    name = format_precision("fast")
    if fast is None:
        return name + localize("（この声では使えません）", " (not available for this voice)")
    return name + (localize(f"（約 {fast.gain:.1f} 倍の速さ）", f" (about {fast.gain:.1f}× as fast)") if fast.gain else "")
