"""Shows what the program noticed although it continues, such as files of the user's that could not be read: all of it in one banner."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.errors import AppError
from app.notices import show_notices
from app.ui.widgets.banner import Banner


class Notices(QObject):
    """Takes notices from every thread; what is new is added to what is still to be read."""

    _noticed = Signal(object)

    def __init__(self, banner: Banner) -> None:
        super().__init__(banner)
        self._banner = banner
        self._errors: list[AppError] = []
        self._noticed.connect(self._show)
        show_notices(self._noticed.emit)

    def close(self) -> None:
        """What is noticed from now on goes to the log alone."""
        show_notices(None)

    @Slot(object)
    def _show(self, error: AppError) -> None:
        if not self._banner.is_wanted:
            self._errors.clear()
        self._errors.append(error)
        self._banner.show_messages("notice", [(item.message, item.hint) for item in self._errors])
