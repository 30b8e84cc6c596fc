"""What is told above the lines: words, a button, and details that can be opened and copied."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.adapters.http.hub_files import AIVISHUB_VARIABLE
from app.common.errors import VoiceError
from app.settings.user_settings import Settings
from app.ui.widgets.banner import MAX_VISIBLE_LINES, MIN_DETAILS_WINDOW_HEIGHT_PX, Banner
from app.ui.widgets.text_dialog import TextDialog
from tests.ui.conftest import OpenWindow, wait_idle

pytestmark = pytest.mark.usefixtures("styled")


@pytest.fixture
def banner(qtbot: QtBot) -> Iterator[Banner]:
    window = QWidget()
    qtbot.addWidget(window)
    made = Banner()
    made.setParent(window)
    window.resize(1100, 800)
    window.show()
    yield made
    window.close()


def broken() -> VoiceError:
    """An error that another one caused."""
    try:
        try:
            raise ValueError("bad bytes at 1234")
        except ValueError as exc:
            raise VoiceError("The voice cannot be opened.", "Install it again.") from exc
    except VoiceError as error:
        return error


def test_it_tells_and_closes(qtbot: QtBot, banner: Banner) -> None:
    banner.show_message("error", "Something <b>broke</b>.", "Mend it.", action="Mend")
    assert (banner.message.text(), banner.hint.text()) == ("Something <b>broke</b>.", "Mend it.")
    assert banner.accessibleName() == "Something <b>broke</b>. Mend it."
    assert not banner.more.isVisible(), "nothing more is known"
    with qtbot.waitSignal(banner.action_requested):
        banner.action.click()
    banner.close_button.click()
    assert not banner.isVisible()
    banner.show_message("notice", "Saved.")
    assert banner.isVisible()
    assert not banner.hint.isVisible()
    assert not banner.action.isVisible()


def test_details_are_folded_opened_and_copied(banner: Banner) -> None:
    banner.show_error(broken())
    assert banner.more.isVisible()
    assert not banner.details.isVisible()
    banner.more.click()
    assert banner.details.isVisible()
    banner.details.copy.click()
    copied = QApplication.clipboard().text()
    for known in ("VoiceError: The voice cannot be opened.", "ValueError: bad bytes at 1234", "Koebako", "koebako.log"):
        assert known in copied
    banner.show_error(broken())
    assert not banner.details.isVisible(), "another message begins folded"
    banner.show_message("notice", "Saved.")
    assert not banner.more.isVisible()


def test_details_of_one_message_fold_those_of_another(banner: Banner) -> None:
    other = Banner()
    other.setParent(banner.window())
    for each in (banner, other):
        each.show_error(broken())
        each.more.click()
    assert other.details.isVisible()
    assert not banner.details.isVisible()
    assert not banner.more.isChecked()


def test_a_low_window_shows_the_details_in_one_of_their_own(banner: Banner) -> None:
    banner.window().resize(1100, MIN_DETAILS_WINDOW_HEIGHT_PX - 1)
    banner.show_error(broken())
    banner.more.click()
    assert not banner.details.isVisible()
    assert not banner.more.isChecked()
    dialog = banner.window().findChild(TextDialog)
    assert isinstance(dialog, TextDialog)
    assert dialog.isVisible()
    assert "bad bytes at 1234" in dialog.page.toPlainText()
    (copy,) = [button for button in dialog.buttons.buttons() if button.text() == "Copy"]
    copy.click()
    assert "bad bytes at 1234" in QApplication.clipboard().text()
    dialog.close()


@pytest.mark.parametrize("lines", [2, 5, 12])
def test_the_first_lines_of_the_details_are_whole(qtbot: QtBot, banner: Banner, lines: int) -> None:
    banner.setFixedWidth(900)
    banner.show_message("error", "Broken.", details="\n".join(["「花子」を開けません。"] * lines))
    banner.more.click()
    text = banner.details.text
    last = text.document().findBlockByNumber(min(lines, MAX_VISIBLE_LINES) - 1)
    QApplication.processEvents()
    bottom = text.blockBoundingGeometry(last).translated(text.contentOffset()).bottom()
    room = text.viewport().height()
    assert bottom <= room < bottom + (text.fontMetrics().height() if lines <= MAX_VISIBLE_LINES else 2)
    assert text.verticalScrollBar().isVisible() == (lines > MAX_VISIBLE_LINES)


def test_a_crowded_window_does_not_cut_through_a_message(qtbot: QtBot) -> None:
    window, made, below = QWidget(), Banner(), QWidget()
    qtbot.addWidget(window)
    column = QVBoxLayout(window)
    for part in (made, below):
        column.addWidget(part)
    window.resize(400, 300)
    window.show()
    below.setFixedHeight(260)
    made.show_message("error", "The voice cannot be opened. " * 4, "Install it again. " * 8)
    QApplication.processEvents()
    assert made.height() < 60, "one line, until more is wanted"
    assert made.more.isVisible()
    made.more.setChecked(True)
    made.whole.show()  # as in a window that is high enough
    QApplication.processEvents()
    assert made.height() >= made.heightForWidth(made.width()) > 60


def test_a_deed_of_its_own_is_done_instead_of_the_usual_one(qtbot: QtBot, banner: Banner) -> None:
    done: list[str] = []
    banner.show_message("notice", "Welcome.", action="More", on_action=lambda: done.append("more"))
    with qtbot.assertNotEmitted(banner.action_requested):
        banner.action.click()
    assert done == ["more"]
    assert not banner.isVisible()
    banner.show_message("notice", "Saved.", action="Show")
    with qtbot.waitSignal(banner.action_requested):
        banner.action.click()
    assert done == ["more"], "the next message has nothing of it"


def test_several_messages_of_one_banner_are_counted_and_listed(banner: Banner) -> None:
    banner.show_messages("notice", [("First.", ""), ("Second.", "A hint.")])
    assert (banner.message.text(), banner.count.text()) == ("Second.", "2 notifications")
    assert banner.stays
    menu = banner.count.menu()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()] == ["Second. A hint.", "First."]
    menu.actions()[1].trigger()
    assert banner.message.text() == "First."
    banner.show_message("notice", "Third.")
    assert not banner.count.isVisible(), "a single one is not counted"
    assert not banner.stays


def test_a_card_has_two_lines_of_words_and_elides_the_rest(qtbot: QtBot, banner: Banner) -> None:
    card = Banner(is_card=True)
    card.setParent(banner.window())
    card.setFixedWidth(372)
    card.show_message("notice", "Saved.", "To a folder.")
    QApplication.processEvents()
    low = card.heightForWidth(372)
    assert not card.more.isVisible()
    for words in (2, 40):
        card.show_message("notice", "Saved.", "To a folder of this machine. " * words, action="Open")
        QApplication.processEvents()
        assert low < card.heightForWidth(372) < 130
        assert card.hint.is_cut == (words > 2) == card.more.isVisible()
    card.more.click()
    dialog = card.window().findChild(TextDialog)
    assert isinstance(dialog, TextDialog), "all of it"
    assert dialog.page.toPlainText().count("folder") == 40
    dialog.close()


def test_cut_words_can_be_unfolded(qtbot: QtBot, banner: Banner) -> None:
    banner.setFixedWidth(500)
    banner.show_message("notice", "Saved.", "To a folder. " * 20)
    QApplication.processEvents()
    low = banner.height()
    banner.more.click()
    QApplication.processEvents()
    assert banner.whole.isVisible()
    assert banner.height() > 2 * low
    assert banner.whole.text().startswith("Saved.\nTo a folder.")
    banner.show_message("notice", "Saved.")
    qtbot.waitUntil(lambda: not banner.more.isVisible())


def test_the_greeting_goes_once_a_line_is_heard(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window(Settings())
    assert window.notice.isVisible()
    window.play_commands.play_or_stop()
    qtbot.waitUntil(lambda: not window.notice.isVisible())
    window.notice.show_message("notice", "Another one.")
    window.playback.line_began.emit("")
    assert window.notice.isVisible()
    wait_idle(qtbot, window)


def test_the_first_start_greets_and_offers_a_better_voice(qtbot: QtBot, open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(AIVISHUB_VARIABLE, "http://127.0.0.1:9")
    window = open_window(Settings())
    words = f"{window.notice.message.text()} {window.notice.hint.text()}"
    assert window.notice.isVisible()
    assert "Space" in words
    assert "adds a natural one" in words
    window.notice.action.click()
    page = window.natural.page
    assert page is not None
    assert page.isVisible()
    page.close()
    window.close()
    again = open_window(Settings())
    assert not again.notice.isVisible(), "only once"
