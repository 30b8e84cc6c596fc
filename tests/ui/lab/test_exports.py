"""A report becomes a file in each of its formats."""

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from app.lab.report_charts import CHARTS_BY_TYPE
from app.ui.lab.lab_command_page import LabCommandPage
from app.ui.lab.lab_window import LabWindow
from app.ui.lab.report_export import build_file_name, list_formats
from app.ui.lab.report_view import MARGIN, ReportPicture
from app.ui.theme.theme import DARK_THEME, LIGHT_THEME, apply_palette
from tests.campaigns.screenshots.lab import chart
from tests.ui.conftest import WAIT_MS
from tests.ui.lab.conftest import page_of, run

pytestmark = pytest.mark.usefixtures("_known_parts")
Exported = Callable[[LabCommandPage, str], bytes]


@pytest.fixture
def exported(qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Exported:
    """What a format of the menu writes, under a name without an ending."""

    def export(page: LabCommandPage, name: str) -> bytes:
        asked: list[str] = []

        def ask(_parent: object, _title: str, start: str, _kinds: str) -> tuple[str, str]:
            asked.append(start)
            return str(tmp_path / f"結果 {name.strip('-')}"), ""

        monkeypatch.setattr(QFileDialog, "getSaveFileName", ask)
        file = tmp_path / f"結果 {name.strip('-')}{list_formats()[name].suffix}"
        file.unlink(missing_ok=True)  # a name without an ending takes the place of nothing
        page.banner.hide()
        assert page.export_button.entries[name].isEnabled(), name
        page.export_button.entries[name].trigger()
        qtbot.waitUntil(page.banner.isVisible, timeout=WAIT_MS)
        assert file.name in page.banner.message.text()
        return file.read_bytes()

    return export


@pytest.fixture
def _palette_kept(qapp: QApplication) -> Iterator[None]:
    """Other tests have the one from before."""
    before = qapp.palette()
    yield
    qapp.setPalette(before)


@pytest.mark.usefixtures("_palette_kept")
def test_tables_and_pictures_are_exported(
    qtbot: QtBot, qapp: QApplication, lab: LabWindow, exported: Exported, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(CHARTS_BY_TYPE, "compare", chart)
    page = page_of(lab, "compare")
    run(qtbot, page)
    rows = page.results.tables["compare"].rows.rows
    qtbot.waitUntil(lambda: page.results.kinds.count() == 2, timeout=WAIT_MS)
    table = list(csv.DictReader(io.StringIO(exported(page, "csv").decode("utf-8-sig"))))
    assert [row["median_ms"] for row in table[1:]] == [str(row["median_ms"]) for row in rows]
    machine, *found = json.loads(exported(page, "json"))
    assert machine["type"] == "machine"
    assert found == rows
    assert b"| cpu+int8 | decoder |" in exported(page, "markdown")
    report = exported(page, "html").decode()
    assert report.count("<table>") == 2
    assert "<svg" in report
    assert "Median (ms)" in report, "people read it"
    assert exported(page, "svg").startswith(b"<svg")
    image = QImage.fromData(exported(page, "png"))
    assert image.width() > 1000
    assert image.pixelColor(0, 0).lightness() == 255
    apply_palette(qapp, DARK_THEME)
    dark = exported(page, "svg").decode()
    assert DARK_THEME.surface in dark
    assert "#ffffff" not in dark
    assert QImage.fromData(exported(page, "png")).pixelColor(0, 0).name() == DARK_THEME.surface


@pytest.mark.usefixtures("_palette_kept")
def test_the_picture_follows_the_theme(qtbot: QtBot, qapp: QApplication) -> None:
    picture = ReportPicture()
    qtbot.addWidget(picture)
    picture.resize(600, 300)
    picture.show_svg(chart([{"type": "compare", "candidate": "a", "median_ms": 9.0}]))
    picture.show()
    for theme in (DARK_THEME, LIGHT_THEME):
        apply_palette(qapp, theme)
        QApplication.sendEvent(picture.drawing, QEvent(QEvent.Type.ThemeChange))
        image = picture.drawing.grab().toImage()
        paper = image.pixelColor(image.width() // 2, MARGIN + 3)
        assert paper.name() == theme.surface


def test_what_a_part_writes_beside_its_rows_is_exported_too(qtbot: QtBot, lab: LabWindow, exported: Exported) -> None:
    page = page_of(lab, "profile")
    run(qtbot, page)
    assert json.loads(exported(page, "--trace")) == {"traceEvents": []}
    report = page.results.report
    assert report is not None
    names = [build_file_name(report, form) for form in list_formats().values()]
    assert len(set(names)) == len(names), "none is written over another one"
    assert not page.export_button.entries["svg"].isEnabled(), "there is no picture of it"
    check = page_of(lab, "check")
    run(qtbot, check)
    assert not check.export_button.entries["--junit"].isEnabled(), "it was asked for and not written"


def test_a_place_that_cannot_be_written_is_said(qtbot: QtBot, lab: LabWindow, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    page = page_of(lab, "place")
    run(qtbot, page)
    (tmp_path / "file").touch()
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(tmp_path / "file" / "a.csv"), ""))
    page.export_button.entries["csv"].trigger()
    qtbot.waitUntil(page.banner.isVisible, timeout=WAIT_MS)
    assert page.banner.property("error")
    assert "a.csv" in page.banner.message.text()
