"""Takes pictures of the window, in both looks and both languages: `python -m tests.ui.screenshots [FOLDER] [WIDTHxHEIGHT] [SCALE]`.

Each picture needs a process of its own, because the language is chosen once at start.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[2] / ".github" / "screenshots"
LINES = (
    "こんにちは、声箱です。",
    "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。",
    "夕方には家に帰って、温かいお茶を飲みました。",
)
TEXT = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。\n夕方には家に帰って、温かいお茶を飲みました。\nあしたも、晴れるといいですね。"


def main() -> int:
    """Starts one process per picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    size = sys.argv[2] if len(sys.argv) > 2 else "1366x768"
    scale = sys.argv[3] if len(sys.argv) > 3 else "1"
    folder.mkdir(parents=True, exist_ok=True)
    for language in ("ja", "en"):
        for theme in ("light", "dark"):
            with tempfile.TemporaryDirectory() as home:
                surroundings = os.environ | {
                    "KOEBAKO_LANG": language,
                    "KOEBAKO_HOME": home,
                    "QT_SCALE_FACTOR": scale,
                    "QT_QPA_PLATFORM": "offscreen",
                }
                picture = folder / f"window-{language}-{theme}.png"
                subprocess.run(
                    [sys.executable, "-m", "tests.ui.screenshots", "--one", theme, size, str(picture)], env=surroundings, check=True
                )
            print(picture)
    return 0


def take(theme: str, size: str, picture: Path) -> None:
    """Speaks a few lines, then takes the picture while the last one still plays."""
    from PySide6.QtCore import QDeadlineTimer

    from app.settings import Settings
    from app.ui.controller import SpeechController
    from app.ui.main import make_application
    from app.ui.window import MainWindow
    from tests.ui.recording_player import RecordingPlayer

    app = make_application()
    player = RecordingPlayer()
    window = MainWindow(Settings(text=LINES[0], theme=theme, expression_open=True), SpeechController(lambda _device, _rate: player))  # type: ignore[arg-type]

    def wait(done: object) -> None:
        deadline = QDeadlineTimer(30_000)
        while not done() and not deadline.hasExpired():  # type: ignore[operator]
            app.processEvents()

    window.show_theme()
    window.resize(*(int(edge) for edge in size.split("x")))
    window.start()
    wait(lambda: window.controller.state.ready and not window.controller.state.loading)
    for line in (*LINES, LINES[1], TEXT):
        player._pace = 2.0 if line == TEXT else float("inf")
        window.script.setPlainText(line)
        window.side.sliders["speed"].set_value(1.15)
        window.play_or_stop()
        wait(lambda: not window.controller.state.speaking or (line == TEXT and window.controller.state.played_s > 2.0))  # noqa: B023
    window.grab().save(str(picture))
    window.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
    else:
        sys.exit(main())
