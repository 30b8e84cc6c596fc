"""Takes pictures of the Lab window, in both looks and both languages: `python -m tests.campaigns.screenshots.lab FOLDER [WIDTHxHEIGHT] [SCALE]`."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.campaigns.screenshots.looks import take_pictures

if TYPE_CHECKING:
    from app.lab.report_rows import Row
    from app.ui.lab.lab_window import LabWindow

CHILD = Path(__file__).parents[2] / "ui" / "lab" / "parts_child.py"


def chart(rows: Sequence[Row]) -> str:
    """A picture as a part might draw one."""
    from app.bench.svg_picture import SvgPicture

    picture = SvgPicture()
    picture.draw_text(24, 34, "decoder", size=18, bold=True)
    shown = [row for row in rows if row["type"] == "compare"]
    for place, row in enumerate(shown):
        width = 6.0 * float(str(row["median_ms"]))
        picture.draw_text(140, 70 + 34 * place, str(row["candidate"]), anchor="end")
        picture.draw_box(150, 56 + 34 * place, width, 22, "#4477aa", "")
        picture.draw_text(156 + width, 72 + 34 * place, f"{row['median_ms']} ms", size=12)
    return picture.render_svg()


def take(theme: str, size: str, folder: Path, name: str) -> None:
    """Every tab: before, while it runs, with what it found, and with an error."""
    from PySide6.QtCore import QDeadlineTimer

    from app.lab.report_charts import CHARTS_BY_TYPE
    from app.settings.user_settings import Settings
    from app.ui.lab import lab_commands, lab_controller
    from app.ui.main import make_application
    from app.ui.synthesis.speech_controller import SpeechController
    from app.ui.tasks.process_task import TaskQueue
    from tests.recording_player import RecordingPlayer
    from tests.ui.window_driver import WindowDriver

    for module in (lab_controller, lab_commands):
        setattr(module, TaskQueue.__name__, lambda parent: TaskQueue(parent, lambda: [sys.executable, str(CHILD)]))
    CHARTS_BY_TYPE["compare"] = chart
    go_on = folder / f"{name}.go_on"
    os.environ["KOEBAKO_TEST_WAIT_FOR"] = str(go_on)
    app = make_application()
    window = WindowDriver(Settings(theme=theme), SpeechController(lambda _device, _rate: RecordingPlayer()))  # type: ignore[arg-type]

    def wait(done: Callable[[], object], at_most_ms: int = 30_000) -> None:
        deadline = QDeadlineTimer(at_most_ms)
        while not done() and not deadline.hasExpired():
            app.processEvents()

    def picture(what: str) -> None:
        wait(lambda: False, 80)
        lab.grab().save(str(folder / f"lab-{what}-{name}.png"))

    window.theme_switcher.show_theme()
    window.show_and_start()
    wait(lambda: window.catalog.is_read)
    window.window_actions["lab"].trigger()
    lab = window.lab.window
    assert lab is not None
    lab.resize(*(int(edge) for edge in size.split("x")))
    picture("loading")
    wait(lambda: bool(lab.pages))
    for part in lab.pages:
        lab.show_command(part)
        picture(f"{part}-empty")
    for part in lab.pages:
        run(lab, part, lambda part=part: picture(f"{part}-running") if part == "compare" else None, wait, go_on)
        picture(f"{part}-results")
    page = lab.pages["compare"]
    lab.show_command("compare")
    wait(lambda: page.results.kinds.count() == 2)
    page.results.kinds.setCurrentIndex(1)
    picture("compare-picture")
    page.export_button.menu().popup(lab.mapToGlobal(lab.rect().center()))
    wait(lambda: False, 80)
    page.export_button.menu().grab().save(str(folder / f"lab-menu-{name}.png"))
    page.export_button.menu().hide()
    broken = folder / f"{name}-broken.aivmx"
    broken.write_bytes(b"no voice")
    lab.source.choose_source(str(broken))
    lab.show_command("inspect")
    run(lab, "inspect", lambda: None, wait, go_on)
    picture("broken")
    broken.unlink()
    go_on.unlink()
    window.close()


def run(lab: LabWindow, part: str, meanwhile: Callable[[], object], wait: Callable[..., None], go_on: Path) -> None:
    """Runs a part to its end."""
    lab.show_command(part)
    page = lab.pages[part]
    go_on.unlink(missing_ok=True)
    page.start_button.click()
    if part == "compare":
        wait(lambda: "compare" in page.results.tables and page.results.tables["compare"].rows.rowCount() == 3)
        meanwhile()
    go_on.touch()
    wait(lambda: page.start_button.isVisible())


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]), sys.argv[5])
    else:
        sys.exit(take_pictures("tests.campaigns.screenshots.lab", "1120x680"))
