"""Takes pictures of the window, in both looks and both languages: `python -m tests.campaigns.screenshots.window [FOLDER] [WIDTHxHEIGHT] [SCALE]`.

Each picture needs a process of its own, because the language is chosen once at start.
"""

import sys
from pathlib import Path

from tests.campaigns.screenshots.looks import in_each_look

FOLDER = Path(__file__).parents[3] / ".github" / "screenshots"
LINES = (
    ("こんにちは、声箱です。", {"style": "Happy", "speed": 1.1}, "ハル"),
    ("今日はとてもいい天気なので、駅前の公園まで歩いて行きました。", {"style": "Happy", "speed": 1.1}, "ハル"),
    (
        "夕方には家に帰って、温かいお茶を飲みました。窓の外では雨が静かに降りはじめ、遠くの山はもう見えなくなっていました。",
        {"style": "Bashful"},
        "",
    ),
    ("……", {}, ""),
    ("あしたも、晴れるといいですね。", {"style": "Sad"}, "アキ"),
)
"""Text, settings and character of each line."""


def main() -> int:
    """Starts one process per picture."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    size = sys.argv[2] if len(sys.argv) > 2 else "1366x768"
    scale = sys.argv[3] if len(sys.argv) > 3 else "1"
    folder.mkdir(parents=True, exist_ok=True)

    def arguments(language: str, look: str) -> list[str]:
        picture = folder / f"window-{language}-{look}.png"
        print(picture)
        return [size, str(picture)]

    in_each_look("tests.campaigns.screenshots.window", arguments, looks=("light", "dark", "empty-light"), scale=scale)
    return 0


def take(theme: str, size: str, picture: Path) -> None:
    """Plays the lines through up to the third, then takes the picture while that one sounds; `empty` has no line at all."""
    from PySide6.QtCore import QDeadlineTimer

    from app.core.script.characters import CastBuilder
    from app.core.script.script import Line, LineSettings, Script
    from app.core.sound.line_edits import set_accent, set_mora_length, set_pause_length
    from app.core.synthesis_types import Overrides
    from app.settings.user_settings import Settings
    from app.ui.main import make_application
    from app.ui.synthesis.speech_controller import SpeechController
    from tests.recording_player import RecordingPlayer
    from tests.ui.window_driver import WindowDriver

    app = make_application()
    player = RecordingPlayer(pace=6.0)
    empty = theme.startswith("empty-")
    settings = Settings(text="", theme=theme.removeprefix("empty-"), expression_open=not empty)  # type: ignore[arg-type]
    window = WindowDriver(settings, SpeechController(lambda _device, _rate: player))

    def wait(done: object) -> None:
        deadline = QDeadlineTimer(30_000)
        while not done() and not deadline.hasExpired():  # type: ignore[operator]
            app.processEvents()

    window.theme_switcher.show_theme()
    window.resize(*(int(edge) for edge in size.split("x")))
    window.show_and_start()
    wait(lambda: window.speech_state.is_ready and not window.speech_state.is_loading)
    if not empty:
        cast, lines = CastBuilder(), []
        for row, (text, values, name) in enumerate(LINES):
            own = LineSettings(**values)  # type: ignore[arg-type]
            lines.append(Line(text, own, id=str(row), character=cast.add_character(name, own).id if name else ""))
        window.document.reset_script(Script(tuple(lines), cast=cast.cast))
        window.playback.play_lines(["3"])
        wait(lambda: not window.playback.is_on)
        window.banner.hide()
        window.script.select_lines(["2"])
        strip = window.phone_strip
        wait(lambda: strip.shape is not None)
        strip.submit_edit(set_pause_length(set_mora_length(set_accent(strip.shape.reading, Overrides(), 5, 1), 6, 0.3), 1, 0.7))
        window.playback.play_lines(["0", "1", "2", "4"])
        wait(lambda: window.model.find_state("2").share > 0.3)
    window.grab().save(str(picture))
    window.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and sys.argv[1] == "--one":
        take(sys.argv[2], sys.argv[3], Path(sys.argv[4]))
    else:
        sys.exit(main())
