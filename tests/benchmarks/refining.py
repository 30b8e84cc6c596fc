"""What is heard while the second step of a voice runs, against the same without it, and how soon another voice is heard: in one window, in turns.

    python -m tests.benchmarks.refining [--voices FILE FILE] [--turns 9] [--write]

Without FILEs, voices of the real size with random weights are made. The window plays into a null sink. Each turn plays lines that were never played before: one while
nothing is pending, one while the sandbox computes the second step of its voice, which the line suspends, and one of another voice that is open, too. The second
voice is opened by the line before all turns. The table has medians of the first audio, the longest times that the window's thread stood still, by the clock and
of its own making, and all gaps in the sound.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from app.bench.stage_timing import BENCH_LINES
from app.core.script.script import Line, LineSettings, Script
from app.install.voice_import import find_user_voices_dir
from app.voices.pending_refinement import PENDING_FILES, PENDING_NAME, is_refinement_pending
from tests.benchmarks.heartbeat.heart import Heart
from tests.benchmarks.page import describe_machine, put
from tests.benchmarks.voice_import import RealVoice, add_voice
from tests.null_sink import NullSink
from tests.tiny_models.model_folders import write_voice

HEADS = ("", "first audio", "window stood still", "of its own making", "gaps", "lines")
REFINING, QUIET = "while the second step runs", "without it"
OPENING, SWITCHING = "another voice, opened for the line", "another voice, open"
# Of its processor time, with which the sandbox is in the middle of its comparisons.
WORK_S = 4.0
STEP_S, LIMIT_S = 1.0, 600.0


@dataclass(frozen=True, slots=True)
class HeardLine:
    """One line, from the key to its end."""

    first_audio_ms: float
    stood_still_ms: float
    own_ms: float
    gaps: int


class RefiningBench:
    """A window with voices whose second step is pending, or not."""

    def __init__(self, folder: Path) -> None:
        from tests.campaigns.screenshots.camera import Camera

        self._players: list[Any] = []
        self._camera = Camera("light", "1280x720", folder, "refining", open_player=self._open_player, force_bert=True)
        self.window = self._camera.window
        self._queue = self.window.task_queue
        self._number = 0

    def hear_line(self, voice: str) -> HeardLine:
        """Play a line that was never played."""
        self._number += 1
        window, name = self.window, f"line{self._number}"
        text = f"{self._number}番目の文です。{BENCH_LINES['long']}"
        window.document.reset_script(Script((Line(text, LineSettings(voice=voice), id=name),)))
        window.script.select_lines([name])
        self._camera.until(lambda: False, STEP_S)
        before = sum(player.underruns for player in self._players)
        with Heart() as heart:
            window.play_commands.play_or_stop()
            self._wait(lambda: window.controller.is_busy or window.controller.state.is_speaking)
            self._wait(lambda: not window.controller.is_busy and not window.controller.state.is_speaking)
        last = window.history.last
        if last is None or last.first_audio_ms is None:
            raise SystemExit(f"nothing was heard of {voice}")
        still_ms, own_ms = max(beat.gap_ms for beat in heart.beats), max(beat.own_ms for beat in heart.beats)
        return HeardLine(last.first_audio_ms, still_ms, own_ms, sum(player.underruns for player in self._players) - before)

    @contextmanager
    def refining(self, folder: Path, kept: Path) -> Iterator[None]:
        """Have the sandbox compute the second step of the voice in a folder, which keeps nothing of it."""
        for path in sorted(kept.iterdir(), key=lambda item: item.name == PENDING_NAME):
            os.link(path, folder / path.name)
        self.window.catalog.refresh_voices()
        self._wait(lambda: self._queue.jobs and self._queue.jobs[0].process_id)
        job = self._queue.jobs[0]
        self._wait(lambda: self._compute_processor_s(job.process_id) > WORK_S)
        yield
        self._queue.remove_task(job)
        self._wait(lambda: not is_refinement_pending(folder) and not self._queue.is_busy)
        self._wait(lambda: not self._queue.jobs)

    def close(self) -> None:
        """End the window."""
        self.window.close_now()

    def _open_player(self, device: str | None, rate: int) -> Any:
        from app.engine.output_device import open_portaudio

        self._players.append(open_portaudio(device, rate))
        return self._players[-1]

    def _wait(self, done: Callable[[], object]) -> None:
        self._camera.until(done, LIMIT_S)
        if not done():
            raise SystemExit("the window came to no end")

    @staticmethod
    def _compute_processor_s(program: int) -> float:
        """Return the seconds that the sandbox of a program has computed; 0 before it is there."""
        try:
            running = [item.cpu_times() for item in psutil.Process(program).children(recursive=True)]
        except psutil.NoSuchProcess as exc:
            raise SystemExit("the second step ended by itself") from exc
        return sum(times.user + times.system for times in running)


def prepare_voices(files: list[Path], kept: Path) -> list[Path]:
    """Add voices so far that they speak, and move what is pending of the first one into another folder; return their folders."""
    for file in files:
        add_voice(file, ())
    folders = sorted(item for item in find_user_voices_dir().iterdir() if (item / PENDING_NAME).is_file())
    kept.mkdir()
    for folder in folders:
        for name in PENDING_FILES:
            path = folder / name
            if path.is_file() and folder == folders[0]:
                path.rename(kept / name)
            else:
                path.unlink(missing_ok=True)
    return folders


def measure(folders: list[Path], kept: Path, turns: int, scratch: Path) -> dict[str, list[HeardLine]]:
    """Return what was heard by what happened meanwhile."""
    bench = RefiningBench(scratch)
    first, second = (folder.name for folder in folders)
    found: dict[str, list[HeardLine]] = {name: [] for name in (QUIET, REFINING, OPENING, SWITCHING)}
    # Opens the first voice, and warms up what every line needs.
    bench.hear_line(first)
    found[OPENING].append(bench.hear_line(second))
    bench.hear_line(first)
    for _ in range(turns):
        found[QUIET].append(bench.hear_line(first))
        with bench.refining(folders[0], kept):
            found[REFINING].append(bench.hear_line(first))
        found[SWITCHING].append(bench.hear_line(second))
        # Every other line then follows one of the same voice.
        bench.hear_line(first)
        print({name: heard[-1] for name, heard in found.items()}, file=sys.stderr, flush=True)
    bench.close()
    return found


def format_table(found: dict[str, list[HeardLine]]) -> str:
    """Return the table, under a line about the machine."""
    rows = [f"| {' | '.join(HEADS)} |", "|" + "---|" * len(HEADS)]
    for name, heard in found.items():
        first_ms = float(np.median([line.first_audio_ms for line in heard]))
        still_ms, own_ms = max(line.stood_still_ms for line in heard), max(line.own_ms for line in heard)
        cells = (f"{first_ms:,.0f} ms", f"{still_ms:,.0f} ms", f"{own_ms:,.0f} ms", sum(line.gaps for line in heard), len(heard))
        rows.append(f"| {name} | {' | '.join(map(str, cells))} |")
    return f"{describe_machine()}\n\n" + "\n".join(rows)


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voices", type=Path, nargs=2, help="two voice files in place of those that are made")
    parser.add_argument("--turns", type=int, default=9)
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        scratch = Path(folder)
        # Before the window is imported, which finds its folders by it.
        os.environ |= {"KOEBAKO_HOME": f"{folder}/home", "QT_QPA_PLATFORM": "offscreen", "KOEBAKO_FRONTEND": "window"}
        files = options.voices or []
        for seed in () if files else (1, 2):
            write_voice(scratch / f"real{seed}", RealVoice(f"real{seed}", seed=seed, layers=6, decoder_channels=512))
            files.append(scratch / f"real{seed}" / "model.aivmx")
        folders = prepare_voices([file.absolute() for file in files], scratch / "kept")
        sink = NullSink(scratch)
        os.environ |= sink.environment
        sink.start()
        try:
            table = format_table(measure(folders, scratch / "kept", options.turns, scratch))
        finally:
            sink.kill()
    if options.write:
        put("refining", table)
    print(table)


if __name__ == "__main__":
    main()
