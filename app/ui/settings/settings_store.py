"""The settings of a running window: one place to read them, to change them, and to hear that they changed; what is folded is one of them."""

from dataclasses import replace
from typing import Any, Literal, Protocol

from PySide6.QtCore import QObject, Signal, SignalInstance, Slot
from PySide6.QtWidgets import QWidget

from app.adapters.shared_settings import write_changes
from app.settings.user_settings import Settings
from app.ui.background_thread import AutosavedFile, WriteSnapshot

SETTINGS_SAVE_DELAY_MS = 1000  # a burst of changes is one write


class SettingsStore(QObject):
    """Holds the settings.

    Signals:
        changed(Settings, Settings): before and after.
    """

    changed = Signal(object, object)

    def __init__(self, settings: Settings, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # kept: what the file held when it was last read or written.
        self.value = self.kept = settings  # value: the settings as they are now
        self.file = AutosavedFile(self, "settings", self._create_write, SETTINGS_SAVE_DELAY_MS)  # where they are kept

    def change_settings(self, **fields: Any) -> None:
        """Give settings new values; equal ones change nothing."""
        before, self.value = self.value, replace(self.value, **fields)
        if self.value != before:
            self.file.schedule_save()
            self.changed.emit(before, self.value)

    def adopt_values(self, **fields: Any) -> None:
        """Take over what another program has written to the file, so that it is not written again."""
        before = self.value
        self.kept, self.value = replace(self.kept, **fields), replace(self.value, **fields)
        if self.value != before:
            self.changed.emit(before, self.value)

    def _create_write(self) -> WriteSnapshot:
        """Return a function that writes the present settings; AutosavedFile calls it in its thread, one at a time."""
        value = self.value

        def write_settings() -> None:
            write_changes(self.kept, value)
            self.kept = value

        return write_settings


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
