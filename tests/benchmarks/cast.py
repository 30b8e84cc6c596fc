"""How quick the window stays with a large cast: opening, showing one character's lines, recasting, and the window of the cast.

    python -m tests.benchmarks.cast [--lines 10000] [--characters 60] [--runs 5]

Of each deed: milliseconds of the call, milliseconds until the list is laid out, and the longest time that the window's thread stood still
meanwhile, by the clock and, in brackets, by what it computed itself. Medians of the runs.
The file is read in the window's thread here, which the program does in another one. On a busy machine the clock counts others' work too.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np

from app.core.script.characters import CastBuilder
from app.core.script.project import Project
from app.core.script.script import Line, LineSettings, Script
from app.interchange.koebako_files import read_project, write_project
from tests.benchmarks.heartbeat.heart import Heart

OPEN_MS, DEED_MS = 1_500.0, 100.0
SETTLE_S = 0.4
OPENING = "read and open"
TEXT = "{}番目のセリフです。今日はいい天気ですね。"


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=10_000)
    parser.add_argument("--characters", type=int, default=60)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as home:
        # Before the window is imported, which finds its folders by it.
        os.environ |= {"KOEBAKO_HOME": home, "QT_QPA_PLATFORM": "offscreen", "KOEBAKO_FRONTEND": "window"}
        measure(options.lines, options.characters, options.runs, Path(home))


def build_script(lines: int, characters: int) -> Script:
    """Lines of characters in turn, every other one of whom has a style."""
    builder = CastBuilder()
    for number in range(characters):
        builder.add_character(f"登場人物{number}", LineSettings(style="Happy" if number % 2 else ""))
    cast = [builder.cast[row % characters] for row in range(lines)]
    return Script(tuple(Line(TEXT.format(row), one.settings, character=one.id) for row, one in enumerate(cast)), cast=builder.cast)


class CastBench:
    """A window with a large cast, and what is done to it."""

    def __init__(self, script: Script, folder: Path) -> None:
        from tests.campaigns.screenshots.camera import Camera

        self._camera = Camera("light", "1280x720", folder, "cast")
        self._window, self._cast = self._camera.window, script.cast
        self._file = folder / "cast.koebako"
        write_project(self._file, Project(script))

    def list_deeds(self) -> list[tuple[str, Callable[[], object], Callable[[], object]]]:
        """Return what each deed is called, does, and needs to be done before."""
        window, first = self._window, self._cast[0].id
        show_all, show_one = partial(window.filter.show_character, None), partial(window.filter.show_character, first)
        return [
            (OPENING, self._open_file, self._wait),
            ("show one character's lines", show_one, show_all),
            ("show all again", show_all, show_one),
            ("open the cast", window.cast.open_window, lambda: window.cast.window and window.cast.window.close()),
            ("recast one", self._recast, self._wait),
            ("undo that", window.undo_stack.undo, self._recast),
            ("select one's lines", lambda: window.cast_commands.select_lines_of([self._cast[1].id]), self._wait),
            ("give them another character", lambda: window.cast_commands.assign_number(3), lambda: window.cast_commands.assign_number(5)),
            ("undo that", window.undo_stack.undo, lambda: window.cast_commands.assign_number(4)),
            ("count and measure", window.cast.show_lines, self._wait),
        ]

    def time_deed(self, deed: Callable[[], object], before: Callable[[], object]) -> tuple[float, float, float, float]:
        """Return milliseconds of the call, until all is laid out, that the window stood still, and of these its own."""
        before()
        self._wait()
        with Heart() as heart:
            self._camera.until(lambda: len(heart.beats) > 1)
            heart.beats.clear()
            began = time.perf_counter()
            deed()
            called_ms = (time.perf_counter() - began) * 1000
            self._camera.until(lambda: not self._window.script.gradual.is_running)
            done_ms = (time.perf_counter() - began) * 1000
            self._camera.until(lambda: False, SETTLE_S)
        return called_ms, done_ms, max(beat.gap_ms for beat in heart.beats), max(beat.busy_ms for beat in heart.beats)

    def close(self) -> None:
        """Ends the window."""
        self._window.close_now()

    def _wait(self) -> None:
        self._camera.until(lambda: not self._window.script.gradual.is_running)
        self._camera.until(lambda: False, SETTLE_S)

    def _open_file(self) -> None:
        self._window.script.gradual.begin_layout()
        self._window.document.reset_script(read_project(self._file).script)

    def _recast(self) -> None:
        window = self._window.cast.window
        window.table.select_character(self._cast[0].id)
        styles = window.form.voice.styles
        styles.setCurrentIndex((styles.currentIndex() + 1) % styles.count())


def measure(lines: int, characters: int, runs: int, folder: Path) -> None:
    """Does everything `runs` times, in one window."""
    bench = CastBench(build_script(lines, characters), folder)
    for name, deed, before in bench.list_deeds():
        called_ms, done_ms, still_ms, own_ms = np.median([bench.time_deed(deed, before) for _ in range(runs)], axis=0)
        most_ms = OPEN_MS if name == OPENING else DEED_MS
        reached = "reached" if done_ms <= most_ms else "MISSED"
        print(f"{name:28} {called_ms:6.1f} ms, laid out {done_ms:6.1f} ms, still {still_ms:6.1f} ms ({own_ms:.1f})", end="")
        print(f"  must be within {most_ms:.0f} ms: {reached}")
    bench.close()


if __name__ == "__main__":
    main()
