"""Links dropped from a browser: nothing is fetched without a question."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDesktopServices, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.settings import Settings
from app.ui.link_kinds import is_text, is_voice, links_in, name_of
from app.ui.shell.window import MainWindow
from app.ui.voices.add_address import AddAddress
from tests.ui.conftest import OpenWindow, text_of

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
def window(open_window: OpenWindow) -> MainWindow:
    return open_window(Settings(text="こんにちは。"), ready=False)


@pytest.fixture(params=["list", "window"])
def target(request: pytest.FixtureRequest, window: MainWindow) -> QWidget:
    return window.script.viewport() if request.param == "list" else window


def test_what_a_link_leads_to() -> None:
    assert [is_voice(link) for link in (VOICE, HUB, TEXT, "https://example.org/a.html")] == [True, True, False, False]
    assert [is_text(link) for link in (VOICE, HUB, TEXT, "https://example.org/a.md#top")] == [False, False, True, True]
    assert links_in(carrying(VOICE)) == [VOICE]
    assert links_in(carrying("file:///a.txt", VOICE)) == []
    assert name_of("https://example.org/a%E2%80%AExvmia.txt%0A") == "axvmia.txt", "nothing turns the order of reading around"


@pytest.mark.parametrize("link", ["https://thief.example\\@huggingface.co/a.aivmx", "https://huggingface.co@thief.example/a.aivmx"])
def test_a_voice_behind_an_address_that_hides_its_server_is_not_offered(window: MainWindow, target: QWidget, link: str) -> None:
    drop(target, carrying(link))
    (dialog,) = (item for item in window.findChildren(AddAddress) if item.isVisible())
    assert not dialog.add.isEnabled()
    assert "Cannot download from this address" in dialog.reason.text()
    dialog.reject()


@pytest.mark.parametrize("link", [VOICE, HUB])
def test_a_voice_is_offered_to_be_installed(qtbot: QtBot, window: MainWindow, target: QWidget, link: str) -> None:
    drop(target, carrying(link))
    (dialog,) = (item for item in window.findChildren(AddAddress) if item.isVisible())
    assert dialog.field.text() == link
    assert dialog.add.isEnabled()
    assert not window.voice_tasks.queue.jobs, "not before the user agrees"
    assert text_of(window) == "こんにちは。"
    dialog.reject()


def test_a_text_is_offered_to_be_opened(window: MainWindow, target: QWidget, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()))
    drop(target, carrying(TEXT))
    assert "雨.TXT" in window.banner.message.text()
    assert text_of(window) == "こんにちは。"
    window.banner.action.click()
    assert opened == [QUrl(TEXT).toString()]


def test_any_other_link_is_text(window: MainWindow, target: QWidget) -> None:
    drop(target, carrying("https://example.org/a.html"))
    assert "https://example.org/a.html" in text_of(window)
    window.document.stack.undo()
    assert text_of(window) == "こんにちは。"
