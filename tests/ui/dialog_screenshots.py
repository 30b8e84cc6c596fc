"""Takes pictures of the program's own dialogs, in both looks and both languages: `python -m tests.ui.dialog_screenshots FOLDER [SCALE]`.

Each language needs a process of its own, because it is chosen once at start.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tests.ui.looks import in_each_look

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from app.ui.shell.window import MainWindow


def main() -> int:
    """One process per language and look."""
    folder = Path(sys.argv[1])
    scale = sys.argv[2] if len(sys.argv) > 2 else "1"
    folder.mkdir(parents=True, exist_ok=True)
    in_each_look("tests.ui.dialog_screenshots", lambda language, look: [str(folder), f"{language}-{look}"], scale=scale)
    return 0


def take(theme: str, folder: Path, name: str) -> None:
    """Opens each dialog from the window, as a user would, and each page of it; then every menu and list."""
    from PySide6.QtCore import QDeadlineTimer
    from PySide6.QtWidgets import QTabWidget

    from app.settings import Settings
    from app.ui.actions.palette import CommandSearch
    from app.ui.help.diagnostics import DiagnosticsDialog
    from app.ui.main import make_application
    from app.ui.shell.window import MainWindow
    from app.ui.synthesis.controller import SpeechController
    from tests.ui.recording_player import RecordingPlayer

    app = make_application()
    window = MainWindow(Settings(theme=theme), SpeechController(lambda _device, _rate: RecordingPlayer()))  # type: ignore[arg-type]

    def wait(done: object, at_most_ms: int = 30_000) -> None:
        deadline = QDeadlineTimer(at_most_ms)
        while not done() and not deadline.hasExpired():  # type: ignore[operator]
            app.processEvents()

    window.theme_switcher.show()
    window.start()
    wait(lambda: window.controller.state.ready and not window.controller.state.loading)
    take_messages(window, lambda what: (wait(lambda: False, 400), window.grab().save(str(folder / f"{what}-{name}.png"))))
    for action in ("settings", "find_command", "diagnose", "show_log", "about"):
        window.window_actions[action].trigger()
        dialog = window.dialogs.shown
        assert dialog is not None
        if isinstance(dialog, CommandSearch):
            dialog.typed.setText("a")
        if isinstance(dialog, DiagnosticsDialog):
            wait(lambda checks=dialog: checks.report)
        tabs = dialog.findChild(QTabWidget)
        for page in range(tabs.count() if tabs is not None else 1):
            if tabs is not None:
                tabs.setCurrentIndex(page)
            wait(lambda: False, 50)
            dialog.grab().save(str(folder / f"{action}-{page}-{name}.png"))
    window.dialogs.close()
    take_guide(window, wait, lambda what, dialog: dialog.grab().save(str(folder / f"guide-{what}-{name}.png")))

    def picture(what: str, widget: QWidget) -> None:
        wait(lambda: False, 50)
        widget.grab().save(str(folder / f"{what}-{name}.png"))

    take_others(window, picture)
    window.close()


def take_guide(window: MainWindow, wait: Callable[..., None], picture: Callable[[str, QWidget], object]) -> None:
    """Every page of the user guide, a search, and one that finds nothing."""
    from app.ui.help.pages import PAGES

    window.window_actions["user_guide"].trigger()
    guide = window.dialogs.guide
    assert guide is not None
    for page in PAGES:
        guide.index.select(page)
        wait(lambda: False, 50)
        picture(page, guide)
    for what, query in (("found", "int8"), ("nothing", "zzz")):
        guide.index.query.setText(query)
        wait(lambda: False, 50)
        picture(what, guide)
    guide.reject()


def take_messages(window: MainWindow, picture: Callable[[str], object]) -> None:
    """The greeting of the first start; an error, folded and with its details."""
    from app.errors import VoiceError

    picture("message-greeting")
    window.notice.hide()
    error = VoiceError("「花子」を開けません。", "ファイルが壊れています。もう一度追加してください。")
    error.__cause__ = ValueError("protobuf parsing failed")
    window.banner.show_error(error)
    picture("message-error")
    window.banner.more.click()
    picture("message-details")
    window.banner.hide()


def take_others(window: MainWindow, picture: Callable[[str, QWidget], None]) -> None:
    """Questions, menus and lists."""
    from PySide6.QtWidgets import QMenu

    from app.ui.voices.add_address import AddAddress
    from app.ui.widgets.text_dialog import ask_licence

    address, licence = AddAddress(window), ask_licence(window, "声", "利用条件の例です。\n" * 30)
    address.show()
    picture("add_voice_address", address)
    picture("licence", licence)
    for dialog in (address, licence):
        dialog.close()
    for place, item in enumerate(window.menus.actions()):
        menu = item.menu()
        assert isinstance(menu, QMenu)
        menu.popup(window.pos())
        picture(f"menu-{place}", menu)
        menu.hide()
    for what, box in (("voices", window.side.chooser.box), ("styles", window.side.styles), ("backends", window.status.backends)):
        box.showPopup()
        picture(f"list-{what}", box.view().window())
        box.hidePopup()


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        take(sys.argv[2], Path(sys.argv[3]), sys.argv[4])
    else:
        sys.exit(main())
