"""Collects in one banner what the program noticed without stopping, such as unreadable files of the user."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot

from app.common.errors import AppError
from app.common.user_notices import set_notice_handler
from app.ui.widgets.banner import Banner


class NoticeBannerController(QObject):
    """Accepts notices from every thread, and adds new ones to those that the user has not closed."""

    _noticed = Signal(object)

    def __init__(self, banner: Banner) -> None:
        super().__init__(banner)
        self._banner = banner
        self._errors: list[AppError] = []
        # A signal carries the notice from any thread to the window's own, the only one that may touch widgets.
        self._noticed.connect(self._show_notice)
        set_notice_handler(self._noticed.emit)

    def close(self) -> None:
        """Send later notices to the log alone."""
        set_notice_handler(None)

    @Slot(object)
    def _show_notice(self, error: AppError) -> None:
        if not self._banner.is_wanted:
            self._errors.clear()
        self._errors.append(error)
        self._banner.show_messages("notice", [(item.message, item.hint) for item in self._errors])
