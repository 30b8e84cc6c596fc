"""Markup in names of voices, styles, files, words and messages is shown letter by letter, wherever the window shows it."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractListModel, Qt
from PySide6.QtGui import Qt as Gui
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QLabel, QMessageBox, QTextEdit, QWidget
from pytestqt.qtbot import QtBot

from app.common.files.paths import find_data_dir, find_resources_dir
from app.settings.user_settings import Settings
from app.ui.voices.voice_dialogs import MissingBertDialog
from app.ui.widgets.controls import escape_tip
from app.ui.widgets.text_dialog import ask_for_licence
from app.voices.voice_card_data import SpeakerCard, VoiceCardData, write_card
from tests.ui.conftest import OpenWindow
from tests.ui.voices.test_voice_controller import open_script, until
from tests.ui.window_driver import WindowDriver

pytestmark = pytest.mark.usefixtures("styled")

MARKUP = "<b>x</b><img src=file:///etc/passwd>"
BROKEN_OFF = "<b>x</b>"  # as much as short places show


@pytest.fixture
def voice() -> str:
    """A voice that speaks, all of whose words are markup."""
    ours, folder = find_resources_dir() / "voices" / "mei", find_data_dir() / "voices" / "markup"
    shutil.copytree(ours, folder)
    manifest = json.loads((ours / "voice.json").read_text(encoding="utf-8"))
    manifest |= {"id": "markup", "name": MARKUP, "description": MARKUP, "licence": MARKUP, "format": "aivmx"}
    for named in manifest["speakers"] + manifest["styles"]:
        named["name"] = f"{MARKUP}{named['id']}"
    (folder / "voice.json").write_text(json.dumps(manifest), encoding="utf-8")
    write_card(VoiceCardData(version=MARKUP, creators=(MARKUP,), source_name=MARKUP, notes=(MARKUP,), speakers=(SpeakerCard(0),)), folder)
    return "markup"


@pytest.fixture
def window(qtbot: QtBot, open_window: OpenWindow, voice: str) -> WindowDriver:
    window = open_window(Settings(text=MARKUP))
    open_script(qtbot, window, [voice, "none"])
    until(qtbot, lambda: window.voice_card.name.text() == MARKUP)
    return window


def all_widgets() -> Iterator[QWidget]:
    for top in QApplication.topLevelWidgets():
        yield top
        yield from top.findChildren(QWidget)


def check_everything(least: int = 1) -> None:
    """No label and no tip of the program follows markup of strangers."""
    seen = 0
    for widget in all_widgets():
        if isinstance(widget, QLabel) and BROKEN_OFF in widget.text():
            seen += 1
            plain = widget.textFormat() == Qt.TextFormat.PlainText
            assert plain, f"{type(widget.parent()).__name__}: {widget.text()}"
        if isinstance(widget, QTextEdit) and "x" in widget.toPlainText():
            assert "<img" not in widget.toHtml()
        check_tip(widget.toolTip())
        if isinstance(widget, QAbstractItemView) and (model := widget.model()) is not None:
            for row in range(model.rowCount()):
                for column in range(model.columnCount()) if not isinstance(model, QAbstractListModel) else [0]:
                    check_tip(str(model.index(row, column).data(Qt.ItemDataRole.ToolTipRole) or ""))
    assert seen >= least, "the test has shown something"


def check_tip(tip: str) -> None:
    assert not (Gui.mightBeRichText(tip) and "<img" in tip), tip


def test_the_window_and_the_voice_on_its_card(window: WindowDriver) -> None:
    check_everything(least=3)
    window.voice_card.show_missing_voice(MARKUP)
    check_everything()


def test_the_library_and_what_it_asks(window: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    window.window_actions["voice_library"].trigger()
    library = window.library.dialog
    assert library is not None
    check_everything(least=5)
    asked: list[str] = []

    def look(box: QMessageBox) -> int:
        asked.append(box.text())
        assert box.textFormat() == Qt.TextFormat.PlainText
        return 0

    monkeypatch.setattr(QMessageBox, "exec", look)
    library.facts.buttons["remove"].click()
    assert MARKUP in asked[0]
    library.close()


def test_licences_and_the_offer_of_a_bert(window: WindowDriver) -> None:
    dialogs: list[QDialog] = [ask_for_licence(window, MARKUP, MARKUP), MissingBertDialog(window, MARKUP, MARKUP)]
    dialogs[1].open()
    check_everything(least=4)
    for dialog in dialogs:
        dialog.close()


def test_messages_and_jobs(qtbot: QtBot, window: WindowDriver, tmp_path: Path) -> None:
    window.banner.show_message("error", MARKUP, MARKUP, details=MARKUP)
    window.library.add_files([tmp_path / f"{BROKEN_OFF[:3]}x.zip"])
    until(qtbot, lambda: not window.task_queue.is_busy)
    window.strip_panel.reading.open_for_word(MARKUP, MARKUP)
    window.strip_panel.reading.show_error(MARKUP)
    check_everything(least=4)


def test_a_tip_without_markup_stays_as_it_is() -> None:
    assert escape_tip("声 & <声>\n2 < 3") == "声 & <声>\n2 < 3"
    assert escape_tip("<i>声</i>") == "<p style='white-space: pre-wrap'>&lt;i&gt;声&lt;/i&gt;</p>"
