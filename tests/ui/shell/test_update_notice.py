"""Notices of newer versions: asked once, off until then, a week apart, and quiet where nobody answers."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QAbstractButton
from pytestqt.qtbot import QtBot

from app.adapters.http import release_feed
from app.adapters.http.release_feed import Release
from app.common import language
from app.common.errors import DownloadError
from app.common.files import release_file
from app.settings.user_settings import Settings
from app.ui.script.autosave import GREETING_TEXT
from app.ui.settings.settings_dialog import SettingsDialog
from app.ui.shell import update_feature
from app.ui.widgets.text_dialog import TextDialog
from tests.ui.banner_driver import press_action
from tests.ui.conftest import OpenWindow
from tests.ui.window_driver import WindowDriver

FOUND = Release("9.1", "https://example.org/v9.1", {"en": "- New voices", "ja": "- 新しい声"})
ALLOWED = Settings(text="", update_notices=True)


class PretendSource:
    """Announces a release, or fails; counts how often it was asked."""

    def __init__(self) -> None:
        self.found: Release | None = FOUND
        self.error: DownloadError | None = None
        self.asked = 0

    def fetch_newer_release(self, cancelled: Callable[[], bool] = lambda: False) -> Release | None:
        """Return what is set."""
        self.asked += 1
        if self.error:
            raise self.error
        return self.found


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> PretendSource:
    """A program that was built with an address to ask, and who answers there."""
    made = PretendSource()
    (tmp_path / "release.json").write_text(json.dumps({"feed": "https://example.org/latest.json"}))
    monkeypatch.setattr(release_file, "find_resources_dir", lambda: tmp_path)
    monkeypatch.setattr(update_feature, "_create_release_source", lambda: made)
    return made


def wait_for_answer(window: WindowDriver) -> None:
    """Waits for the request that runs, if any."""
    if window.updates.background is not None:
        window.updates.background.wait_until_idle()


def test_the_first_start_asks_and_nothing_is_sent_until_the_user_accepts(
    qtbot: QtBot, open_window: OpenWindow, source: PretendSource
) -> None:
    window = open_window(Settings())
    assert window.notice.isVisible(), "the greeting is on top"
    assert window.updates.banner.is_wanted
    assert source.asked == 0
    assert not window.settings.value.update_notices
    window.notice.hide()
    assert window.updates.banner.isVisible()
    press_action(window.updates.banner, "Notify me")
    assert window.settings.value.update_notices
    wait_for_answer(window)
    assert source.asked == 1
    assert window.updates.banner.message.text() == "Koebako 9.1 is available."


def test_a_later_start_does_not_ask_again(open_window: OpenWindow, source: PretendSource) -> None:
    window = open_window(Settings(text=GREETING_TEXT))
    assert not window.updates.banner.is_wanted
    wait_for_answer(window)
    assert source.asked == 0


def test_it_asks_once_a_week_at_most_whoever_answers(open_window: OpenWindow, source: PretendSource) -> None:
    window = open_window(ALLOWED)
    wait_for_answer(window)
    day = window.settings.value.update_checked_day
    assert (source.asked, day > 20_000) == (1, True)
    source.error = DownloadError("no network", "later")
    window.updates.banner.hide()
    for later, asked in ((0, 1), (6, 1), (7, 2), (8, 2), (-3, 3)):
        window.updates.today = lambda passed=later: day + passed
        window.updates.check_if_due()
        wait_for_answer(window)
        assert source.asked == asked, f"after {later} days"
    assert not window.updates.banner.is_wanted, "a server that does not answer is no news"


def test_what_was_found_is_shown_after_a_restart_and_nobody_is_asked(
    open_window: OpenWindow, source: PretendSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ALLOWED)
    wait_for_answer(window)
    kept = window.settings.value
    later = open_window(kept)
    wait_for_answer(later)
    assert source.asked == 1
    assert later.updates.banner.message.text() == "Koebako 9.1 is available."
    later.updates.banner.hide()
    later.updates.check_if_due()
    wait_for_answer(later)
    assert not later.updates.banner.is_wanted, "the user has closed it"
    monkeypatch.setattr(release_feed, "VERSION", "9.1")
    updated = open_window(kept)
    wait_for_answer(updated)
    assert not updated.updates.banner.is_wanted
    source.found = None
    window.updates.today = lambda: kept.update_checked_day + 7
    window.updates.check_if_due()
    wait_for_answer(window)
    assert (source.asked, window.settings.value.update_found) == (2, "")


def test_what_is_new_is_shown_and_the_page_opens_in_the_browser(
    qtbot: QtBot, open_window: OpenWindow, source: PretendSource, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window(ALLOWED)
    wait_for_answer(window)
    opened: list[QUrl] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", opened.append)
    press_action(window.updates.banner, "See what's new")
    dialog = window.findChild(TextDialog)
    assert dialog is not None
    assert dialog.page.toPlainText() == "- New voices"
    (button,) = (item for item in dialog.findChildren(QAbstractButton) if item.text() == "Open download page")
    button.click()
    assert opened == [QUrl("https://example.org/v9.1")]
    dialog.reject()


def test_nothing_is_shown_where_nothing_is_newer(open_window: OpenWindow, source: PretendSource) -> None:
    source.found = None
    window = open_window(ALLOWED)
    wait_for_answer(window)
    assert source.asked == 1
    assert not window.updates.banner.is_wanted


def test_a_program_that_has_nobody_to_ask_offers_nothing(open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = open_window(Settings(update_notices=True))
    assert not window.updates.banner.is_wanted
    assert window.settings.value.update_checked_day == 0
    assert "update_notices" not in SettingsDialog(Settings(), (), {}).controls


@pytest.mark.parametrize("tongue", ["ja", "en"])
def test_the_setting_is_offered_where_there_is_somebody(
    qtbot: QtBot, source: PretendSource, monkeypatch: pytest.MonkeyPatch, tongue: language.Language
) -> None:
    monkeypatch.setattr(language, "_current", tongue)
    dialog = SettingsDialog(Settings(), (), {})
    qtbot.addWidget(dialog)
    dialog.controls["update_notices"].show_value(True)  # type: ignore[arg-type]
    assert dialog.changes == {"update_notices": True}
