"""A candidate of the lab is heard in the blind test of takes, and installed where there is a place for it."""

import pytest
from pytestqt.qtbot import QtBot

from app.ui.audition.setup_page import BlindTestSetupPage
from app.ui.lab.lab_command_page import LabCommandPage
from app.ui.lab.lab_window import LabWindow
from tests.ui.conftest import WAIT_MS, OpenWindow
from tests.ui.lab.conftest import opened, page_of, run
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("_known_parts")


def chosen(page: LabCommandPage, candidate: str) -> LabCommandPage:
    """With the row of a candidate."""
    table = page.results.tables["optimise"]
    place = [row["candidate"] for row in table.rows.rows].index(candidate)
    table.selectRow(place)
    return page


def test_a_candidate_is_heard_in_the_blind_test_with_the_windows_own_sounds(qtbot: QtBot, open_window: OpenWindow) -> None:
    window = open_window()
    qtbot.waitUntil(lambda: window.catalog.is_read, timeout=WAIT_MS)
    window.window_actions["lab"].trigger()
    page = page_of(opened(qtbot, window.lab), "optimise")
    assert page.candidates is not None
    assert page.candidates.isHidden()
    run(qtbot, page)
    assert not chosen(page, "prepared").candidates.hear.isEnabled(), "it is what others are compared with"
    hear(window, chosen(page, "int8-32"))
    dialog = window.blind_tests.dialog
    assert dialog is not None
    qtbot.waitUntil(lambda: isinstance(dialog.pages.currentWidget(), BlindTestSetupPage), timeout=WAIT_MS)
    setup = dialog.pages.currentWidget()
    assert isinstance(setup, BlindTestSetupPage)
    plan = setup.build_plan()
    assert plan.names == ("Exact", "int8-32")
    assert plan.kind == "abx", "the question is whether a difference is heard"
    assert plan.texts == ("はい。",)
    assert {source.voice for source in plan.sources[0]} == {"Mei"}
    exact, other = (window.blind_tests.load_sound(name)[0] for name in plan.sounds[0])
    assert abs(other).max() == pytest.approx(0.8 * abs(exact).max(), rel=0.01)
    setup.begin_button.click()
    assert dialog.test is not None
    dialog.reject()
    hear(window, chosen(page, "same"))
    qtbot.waitUntil(window.banner.isVisible, timeout=WAIT_MS)
    assert window.banner.message.text() == "The same."
    assert window.blind_tests.dialog is None


def hear(window: WindowDriver, page: LabCommandPage) -> None:
    assert page.candidates is not None
    page.candidates.hear.click()
    assert window.blind_tests.dialog is not None
    assert window.blind_tests.dialog.pages.currentWidget() is window.blind_tests.dialog.preparing


def test_a_candidate_is_installed_only_in_what_is_the_users_own(qtbot: QtBot, lab: LabWindow) -> None:
    page = page_of(lab, "optimise")
    bar = page.candidates
    assert bar is not None
    run(qtbot, page)
    chosen(page, "int8-32")
    assert "you added" in bar.install.toolTip(), "the voice that ships stays as it is"
    assert not bar.install.isEnabled()
    lab.source.choose_source("koebako-starter-v1")
    run(qtbot, page)
    chosen(page, "fp16")
    assert "cannot be installed" in bar.install.toolTip()
    assert not bar.install.isEnabled()
    chosen(page, "int8-32")
    bar.install.click()
    qtbot.waitUntil(page.banner.isVisible, timeout=WAIT_MS)
    assert page.banner.message.text() == "Installed decoder."
    chosen(page, "prepared")
    assert (bar.install.isEnabled(), bar.hear.isEnabled()) == (True, False)
    assert "exact graph" in bar.install.toolTip(), "the way back"
