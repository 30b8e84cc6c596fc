"""Remembers whether a part of the window is open: as the user left it, and at first as it suits the window."""

from __future__ import annotations

from typing import Literal, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot
from PySide6.QtWidgets import QWidget

from app.ui.settings.settings_store import SettingsStore


class FoldablePart(Protocol):
    """A part that folds."""

    @property
    def toggled(self) -> SignalInstance:
        """Open or not."""

    def set_open(self, is_open: bool, /) -> None:
        """Open or fold the part."""


class RememberedFold(QObject):
    """Keeps a part and its setting in step.

    Signals:
        folded(bool): the user has opened or folded it.

    Args:
        parent: the part as a widget.
        low_window_px: height of a window below which the part is folded, until the user decides.
    """

    folded = Signal(bool)

    def __init__(
        self,
        parent: QWidget,
        part: FoldablePart,
        settings: SettingsStore,
        setting: Literal["strip", "melody", "latency"],
        low_window_px: int,
    ) -> None:
        super().__init__(parent)
        self.part, self._settings, self._setting_name, self._low_px = part, settings, setting, low_window_px  # part: what is folded
        self._is_fitting = False
        part.toggled.connect(self._remember_fold)

    def fit_to_height(self, height: int) -> None:
        """Open or fold the part as the user did last; before that, as it suits a window of this height."""
        choice = getattr(self._settings.value, self._setting_name)
        self._is_fitting = True  # what the program chooses is not remembered
        self.part.set_open(choice == "open" or (choice == "auto" and height >= self._low_px))
        self._is_fitting = False

    @Slot(bool)
    def _remember_fold(self, is_open: bool) -> None:
        if not self._is_fitting:
            self._settings.change_settings(**{self._setting_name: "open" if is_open else "folded"})
            self.folded.emit(is_open)
