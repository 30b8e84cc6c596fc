"""Notices of newer versions: offered at the first start, off until the user accepts, once a week at most. Nothing is ever installed."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, QUrl, Slot
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QDialogButtonBox

from app.common.errors import AppError
from app.common.files.release_file import has_update_notices
from app.common.language import get_language, localize
from app.settings.user_settings import MAX_RELEASE_CHARS
from app.ui.background_thread import BackgroundThread
from app.ui.script.script_panel import ScriptPanel
from app.ui.shell.window_context import WindowContext, WindowFeature
from app.ui.widgets.banner import Banner

if TYPE_CHECKING:
    from app.adapters.http.release_feed import Release, ReleaseSource

DAYS_BETWEEN_CHECKS = 7
CALENDAR_POLL_MS = 6 * 3_600_000  # a window may stay open for weeks; how often it looks at the calendar


class UpdateFeature(WindowFeature):
    """Asks whether there is a newer version, and says so in a banner.

    Args:
        is_first: This is the first start, at which the user is asked.
    """

    def __init__(self, context: WindowContext, panel: ScriptPanel, *, is_first: bool) -> None:
        super().__init__(context)
        self._settings = context.settings
        self.today: Callable[[], int] = lambda: int(time.time() // 86_400)  # Returns the day, counted from 1970
        self._is_closed = self._has_shown = False
        self.banner = Banner(is_card=True)
        panel.messages.add_card(self.banner)
        self.background: BackgroundThread | None = None
        if not has_update_notices():
            return
        self._calendar = QTimer(self, interval=CALENDAR_POLL_MS)
        self._calendar.timeout.connect(self.check_if_due)
        self._calendar.start()
        self._settings.changed.connect(
            lambda before, after: self.check_if_due() if after.update_notices and not before.update_notices else None
        )
        if is_first:
            self._ask_user()

    @Slot()
    def check_if_due(self) -> None:
        """Ask for a newer version, if the user allowed it and a week has passed; the window does not wait."""
        if self._is_closed or not self._settings.value.update_notices or not has_update_notices():
            return
        last, today = self._settings.value.update_checked_day, self.today()
        if 0 <= today - last < DAYS_BETWEEN_CHECKS:
            self._show_remembered()
            return
        # Noted first: a server that does not answer is left alone for a week, too.
        self._settings.change_settings(update_checked_day=today)
        self._get_background().run_work(self._fetch_newer_release, self._remember_release, self._note_error)

    def close(self) -> None:
        """Give up a request that runs."""
        self._is_closed = True
        if self.background is not None:
            self.background.close()

    def _ask_user(self) -> None:
        self.banner.show_message(
            "notice",
            localize("新しいバージョンが公開されたらお知らせしますか？", "Would you like to know when there is a new version?"),
            localize(
                "週に 1 回インターネットで確認します。送信するのはバージョン番号だけです。自動ではインストールしません。",
                "Koebako asks once a week and sends only its version number. It never installs anything by itself.",
            ),
            action=localize("知らせる", "Notify me"),
            tip=localize(
                "新しいバージョンの確認を有効にします。設定でいつでも変更できます。",
                "Turns the check on; you can change it in the settings.",
            ),
            on_action=lambda: self._settings.change_settings(update_notices=True),
        )

    def _get_background(self) -> BackgroundThread:
        if self.background is None:
            self.background = BackgroundThread(self, "updates")
        return self.background

    def _fetch_newer_release(self) -> tuple[Release | None, str]:
        """Return what is newer, and the same as a text for the settings."""
        from app.adapters.http.release_feed import pack_release

        source = _create_release_source()
        release = None if source is None else source.fetch_newer_release(lambda: self._is_closed)
        return release, "" if release is None else pack_release(release)

    def _remember_release(self, answer: tuple[Release | None, str]) -> None:
        release, packed = answer
        self._settings.change_settings(update_found=packed if len(packed) <= MAX_RELEASE_CHARS else "")
        self._show_release(release)

    def _show_remembered(self) -> None:
        """Show what an earlier start found; once, for the user may close the banner."""
        packed = self._settings.value.update_found
        if packed and not self._has_shown:
            self._get_background().run_work(partial(_read_packed_release, packed), self._show_release)

    def _show_release(self, release: Release | None) -> None:
        self._has_shown = True
        if release is None:
            return
        self.banner.show_message(
            "notice",
            localize(f"Koebako {release.version} が公開されています。", f"Koebako {release.version} is available."),
            action=localize("変更点を表示", "See what's new"),
            tip=localize("新しいバージョンの変更点を表示します。", "Shows what changed in the new version."),
            on_action=lambda: self._open_notes(release),
        )

    def _open_notes(self, release: Release) -> None:
        from app.ui.widgets.text_dialog import show_text

        title = localize(f"Koebako {release.version} の変更点", f"What's new in Koebako {release.version}")
        notes = release.notes.get(get_language()) or localize("変更点は公開されていません。", "Nothing has been published about it.")
        dialog = show_text(self._context.window, title, notes)
        if release.page:
            page = dialog.buttons.addButton(
                localize("ダウンロードページを開く", "Open download page"), QDialogButtonBox.ButtonRole.ActionRole
            )
            page.setToolTip(localize("ブラウザーで開きます。", "Opens it in the browser."))
            page.clicked.connect(lambda: QDesktopServices.openUrl(QUrl(release.page)))

    def _note_error(self, error: AppError) -> None:
        """Log why there is no answer; a user who asked for nothing needs no message."""
        logging.getLogger("koebako").info("no answer about newer versions: %s", error.message)
        self._show_remembered()


def _create_release_source() -> ReleaseSource | None:
    # The window starts without what asks servers.
    from app.adapters.http.release_feed import create_release_source

    return create_release_source()


def _read_packed_release(packed: str) -> Release | None:
    from app.adapters.http.release_feed import read_packed_release

    return read_packed_release(packed)
