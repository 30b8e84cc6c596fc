"""The user guide: F1, pages, search, links, and the ways to it from errors and diagnostics."""

import re
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QApplication, QMenu, QMenuBar
from pytestqt.qtbot import QtBot

from app.common import language
from app.common.errors import DownloadError, InputError
from app.ui.help.diagnostics_dialog import DiagnosticsDialog
from app.ui.help.guide_page_view import GUIDE_PAGES, find_spans, locate_page
from app.ui.help.user_guide import USER_GUIDE_SIZE, UserGuideDialog
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME, apply_theme
from tests.ui.conftest import OpenWindow

pytestmark = pytest.mark.usefixtures("styled")

Languages = pytest.mark.parametrize("spoken", ["ja", "en"])


@pytest.fixture
def open_guide(qtbot: QtBot) -> Callable[[], UserGuideDialog]:
    def opened() -> UserGuideDialog:
        guide = UserGuideDialog()
        qtbot.addWidget(guide)
        guide.show()
        return guide

    return opened


def listed(guide: UserGuideDialog) -> list[str]:
    rows = (guide.index.list.item(row) for row in range(guide.index.list.count()))
    return [item.text() for item in rows if not item.isHidden()]


@Languages
def test_every_page_is_shown_in_the_language_of_the_window(
    open_guide: Callable[[], UserGuideDialog], monkeypatch: pytest.MonkeyPatch, spoken: language.Language
) -> None:
    monkeypatch.setattr(language, "_current", spoken)
    guide = open_guide()
    guide.resize(*USER_GUIDE_SIZE)  # the screen of the tests is narrower
    assert len(listed(guide)) == len(GUIDE_PAGES)
    for name, title in zip(GUIDE_PAGES, listed(guide), strict=True):
        guide.index.select_page(name)
        assert guide.view.toPlainText().startswith(title)
        assert guide.view.horizontalScrollBar().maximum() == 0, f"{name} is too wide"


def test_f1_opens_one_guide_that_stays_beside_other_dialogs(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    qtbot.keyClick(window, Qt.Key.Key_F1)
    guide = window.dialogs.guide
    assert isinstance(guide, UserGuideDialog)
    window.window_actions["about"].trigger()
    window.window_actions["user_guide"].trigger()
    assert window.dialogs.guide is guide
    assert guide.isVisible()
    guide.reject()
    assert window.dialogs.guide is None


def test_search_lists_pages_that_hold_every_word_and_goes_through_the_matches(
    qtbot: QtBot, open_guide: Callable[[], UserGuideDialog]
) -> None:
    guide = open_guide()
    guide.index.query.setText("ＣＳＶ json")
    shown = listed(guide)
    assert shown
    assert all("(" in title for title in shown)
    assert "User dictionary" in shown[0]
    assert guide.index.current_name == "dictionary"
    assert guide.view.extraSelections()
    first = guide.view.textCursor().position()
    qtbot.keyClick(guide.index.query, Qt.Key.Key_Return)
    assert guide.view.textCursor().position() > first
    qtbot.keyClick(guide.index.query, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert guide.view.textCursor().position() == first
    guide.index.query.setText("words that stand nowhere, unfindable")
    assert listed(guide) == []
    assert guide.index.nothing.isVisible()
    guide.index.query.clear()
    assert len(listed(guide)) == len(GUIDE_PAGES)
    assert not guide.view.extraSelections()


def test_matches_go_on_from_page_to_page_and_around(qtbot: QtBot, open_guide: Callable[[], UserGuideDialog]) -> None:
    guide = open_guide()
    guide.index.query.setText("mp3")
    start, seen = guide.index.current_name, []
    for _ in range(12):
        guide.go_to_next_match(True)
        seen.append(guide.index.current_name)
    assert start in seen
    assert len(set(seen)) == len(listed(guide)) > 1


def test_the_counts_are_those_of_the_page(open_guide: Callable[[], UserGuideDialog]) -> None:
    guide = open_guide()
    guide.index.query.setText("koebako")
    shown = listed(guide)
    for title in shown:
        assert guide.index.list.currentItem().text() == title
        assert title.endswith(f"({len(guide.view.extraSelections())})")
        guide.index.select_next_page(True)
    assert len(shown) > 3


def test_arrows_choose_pages_while_the_field_is_typed_in(qtbot: QtBot, open_guide: Callable[[], UserGuideDialog]) -> None:
    guide = open_guide()
    qtbot.keyClick(guide.index.query, Qt.Key.Key_Down)
    assert guide.index.current_name == GUIDE_PAGES[1]
    qtbot.keyClick(guide.index.query, Qt.Key.Key_Up)
    qtbot.keyClick(guide.index.query, Qt.Key.Key_Up)
    assert guide.index.current_name == GUIDE_PAGES[0]


def test_links_lead_to_pages_or_the_browser(open_guide: Callable[[], UserGuideDialog], monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda link: opened.append(link.toString()))
    guide = open_guide()
    guide.index.query.setText("trim")
    guide.view.anchorClicked.emit(QUrl("voices.md"))
    assert guide.index.current_name == "voices"
    assert guide.index.query.text() == ""
    guide.view.anchorClicked.emit(QUrl("https://example.com/"))
    assert opened == ["https://example.com/"]


def test_another_theme_leaves_the_page_where_it_is(qapp: QApplication, open_guide: Callable[[], UserGuideDialog]) -> None:
    guide = open_guide()
    guide.index.select_page("voices")
    guide.view.verticalScrollBar().setValue(120)
    apply_theme(qapp, DARK_THEME)
    assert guide.view.verticalScrollBar().value() == 120
    apply_theme(qapp, LIGHT_THEME)


def test_an_error_offers_the_page_that_helps(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    window.banner.show_error(DownloadError("Broken off."))
    window.banner.help.click()
    assert window.dialogs.guide is not None
    assert window.dialogs.guide.index.current_name == "downloads"
    window.banner.show_error(InputError("Empty."))
    assert window.banner.help.isHidden()


def test_diagnostics_offer_what_to_do(qtbot: QtBot) -> None:
    dialog = DiagnosticsDialog()
    qtbot.addWidget(dialog)
    with qtbot.waitSignal(dialog.help_requested) as asked:
        dialog.help.click()
    assert asked.args == ["settings"]
    dialog.reject()


def test_words_are_found_in_any_case_and_width() -> None:
    assert find_spans("int8 と ＩＮＴ８", "ｉｎｔ８") == [(0, 4), (7, 11)]
    assert find_spans("㍑ a", "a") == [(2, 3)]
    assert find_spans("one two", "one three") == []
    assert find_spans("one two", " ") == []


def list_menu_paths(menu: QMenuBar | QMenu, before: str = "") -> list[str]:
    """Every entry of a menu and of those below it, as the guide writes them."""
    paths = []
    for action in filter(lambda one: one.text(), menu.actions()):
        name = re.sub(r"\(&.\)|&|…$", "", action.text().partition("\t")[0].split(" (")[0].split("（")[0])
        paths.append(before + name)
        if isinstance(below := action.menu(), QMenu):
            paths += list_menu_paths(below, f"{before}{name} › ")
    return paths


@Languages
def test_every_menu_that_a_page_names_has_the_command(
    open_window: OpenWindow, monkeypatch: pytest.MonkeyPatch, spoken: language.Language
) -> None:
    monkeypatch.setattr(language, "_current", spoken)
    window = open_window(ready=False)
    paths = list_menu_paths(window.menus)
    titles = "|".join(path for path in paths if "›" not in path)
    named = set()
    for name in GUIDE_PAGES:
        text = locate_page(name, spoken).read_text(encoding="utf-8").replace("** › **", " › ")
        named |= set(re.findall(rf"\*\*((?:{titles}) › [^*]+)\*\*", text))
    assert len(named) > 20
    assert sorted(path for path in named if path.removesuffix("…") not in paths) == []


def test_the_file_menu_has_one_entry_for_every_other_export(open_window: OpenWindow) -> None:
    window = open_window(ready=False)
    paths = list_menu_paths(window.menus)
    assert len([path for path in paths if re.fullmatch(r"File › [^›]*[Ee]xport[^›]*", path)]) == 2
    assert {
        f"File › Other exports › {name}" for name in ("Export selected lines", "Export all lines", "Export as one file", "Export script")
    } <= set(paths)
    assert {"Tools › Lab", "Tools › Measure backends", "Tools › User dictionary"} <= set(paths)
    assert "Ctrl+Shift+E" in window.window_actions["save_joined"].text(), "keys stay"
