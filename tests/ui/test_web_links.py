"""Links dropped from a browser: nothing is fetched without a question."""

import itertools

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.settings.user_settings import Settings
from app.ui.voices.voice_dialogs import VoiceAddressDialog
from app.ui.web_links import format_link_name, is_text_link, is_voice_link, list_dropped_links
from tests.ui.banner_driver import press_action
from tests.ui.conftest import OpenWindow, text_of
from tests.ui.window_driver import WindowDriver

VOICE = "https://example.org/voices/%E8%8A%B1%E5%AD%90.aivmx?download=1"
HUB = "https://hub.aivis-project.com/aivm-models/a59cb814-0083-4369-8542-f51a29e72af7"
TEXT = "https://example.org/novel/%E9%9B%A8.TXT"


def carrying(*addresses: str) -> QMimeData:
    data = QMimeData()
    data.setUrls([QUrl(address) for address in addresses])
    data.setText("\n".join(addresses))
    return data


def drop(target: QWidget, data: QMimeData) -> None:
    """As a browser lets go of a link."""
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    entered = QDragEnterEvent(QPoint(5, 5), *how)
    QApplication.sendEvent(target, entered)
    assert entered.isAccepted()
    QApplication.sendEvent(target, QDropEvent(QPointF(5, 5), *how))


@pytest.fixture
def window(open_window: OpenWindow) -> WindowDriver:
    return open_window(Settings(text="こんにちは。"), ready=False)


def targets(window: WindowDriver) -> tuple[QWidget, QWidget]:
    """The list, and the window's frame."""
    return window.script.viewport(), window


def test_what_a_link_leads_to() -> None:
    assert [is_voice_link(link) for link in (VOICE, HUB, TEXT, "https://example.org/a.html")] == [True, True, False, False]
    assert [is_text_link(link) for link in (VOICE, HUB, TEXT, "https://example.org/a.md#top")] == [False, False, True, True]
    assert list_dropped_links(carrying(VOICE)) == [VOICE]
    assert list_dropped_links(carrying("file:///a.txt", VOICE)) == []
    assert format_link_name("https://example.org/a%E2%80%AExvmia.txt%0A") == "axvmia.txt", "nothing turns the order of reading around"


def test_a_voice_is_offered_to_be_installed_but_for_an_address_that_hides_its_server(window: WindowDriver) -> None:
    hiding = ("https://thief.example\\@huggingface.co/a.aivmx", "https://huggingface.co@thief.example/a.aivmx")
    for target, link in itertools.product(targets(window), (*hiding, VOICE, HUB)):
        drop(target, carrying(link))
        (dialog,) = (item for item in window.findChildren(VoiceAddressDialog) if item.isVisible())
        if link in hiding:
            assert not dialog.add.isEnabled()
            assert "Cannot download from this address" in dialog.reason.text()
        else:
            assert dialog.field.text() == link
            assert dialog.add.isEnabled()
        assert not window.task_queue.jobs, "not before the user agrees"
        assert text_of(window) == "こんにちは。"
        dialog.reject()


def test_a_text_is_offered_to_be_opened_and_any_other_link_is_text(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    for target in targets(window):
        drop(target, carrying(TEXT))
        assert "雨.TXT" in window.banner.message.text()
        assert text_of(window) == "こんにちは。"
        press_action(window.banner, "Open in browser")
        assert opened == [QUrl(TEXT).toString()]
        opened.clear()
        drop(target, carrying("https://example.org/a.html"))
        assert "https://example.org/a.html" in text_of(window)
        window.undo_stack.undo()
        assert text_of(window) == "こんにちは。"
