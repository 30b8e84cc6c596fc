"""How long a dropped voice takes until it is heard, with and without waiting for what can be done later.

    python -m tests.benchmarks.voice_import [--voice FILE] [--turns 3] [--write]

Without a FILE, a voice of the real size with random weights is made. Each turn adds it to an empty home, as `koebako voices add` does for a drop, then opens it and
speaks a short line: once as soon as it can speak, once after all of it was prepared (`--wait`). Turns alternate; the table has medians. "processor" is that
of the program and its sandbox; "memory" is the most that both held at once, a shared page counted in each.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from app.bench.stage_timing import BENCH_LINES
from app.compose.speaker_opening import open_speaker
from app.core.synthesis_types import SynthesisRequest
from app.install.voice_import import find_user_voices_dir
from tests.benchmarks.page import describe_machine, put
from tests.tiny_models.model_folders import write_voice
from tests.tiny_models.voice_weights import TinyVoice

MAIN = Path(__file__).parents[2] / "app" / "__main__.py"
SAMPLED_EVERY_S = 0.05
WAYS = {"as soon as it can speak": (), "all prepared first": ("--wait",)}
HEADS = ("", "added", "opened and heard", "drop to first sound", "processor", "memory")


class RealVoice(TinyVoice):
    """A voice of the size that people publish."""

    hidden = property(lambda _voice: 192)
    filters = property(lambda _voice: 768)
    gin = property(lambda _voice: 512)


@dataclass(frozen=True, slots=True)
class Turn:
    """One way, once."""

    added_s: float
    heard_s: float
    processor_s: float
    peak_bytes: int

    def list_figures(self) -> list[float]:
        """Return the figures of a row."""
        return [self.added_s, self.heard_s, self.added_s + self.heard_s, self.processor_s, self.peak_bytes / 1e6]


def add_voice(file: Path, options: tuple[str, ...]) -> tuple[float, float, int]:
    """Add the voice in a process of its own; return seconds, processor seconds and the most memory."""
    if sys.platform == "win32":
        raise NotImplementedError("the resource usage of a process is read as on Unix")
    command = [sys.executable, "-P", str(MAIN), "voices", "add", "--json", "--accept-licence", *options, "--", str(file)]
    began, most = time.perf_counter(), 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=os.environ | {"PYTHONPATH": str(MAIN.parents[1])}) as process:
        program = psutil.Process(process.pid)
        while True:
            found, status, used = os.wait4(process.pid, os.WNOHANG)
            if found:
                break
            with suppress(psutil.Error):
                most = max(most, sum(item.memory_info().rss for item in (program, *program.children(recursive=True))))
            time.sleep(SAMPLED_EVERY_S)
        process.returncode = os.waitstatus_to_exitcode(status)
    took_s = time.perf_counter() - began
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return took_s, used.ru_utime + used.ru_stime, most


def hear_voice() -> float:
    """Open the only voice of the home and speak until there is sound; return seconds."""
    (folder,) = (item for item in find_user_voices_dir().iterdir() if item.is_dir())
    began = time.perf_counter()
    speaker = open_speaker(str(folder), "cpu", force_bert=True)
    for chunk in speaker.pipeline.synthesize(SynthesisRequest(BENCH_LINES["short"])):
        if np.abs(chunk.samples).max(initial=0) > 0:
            return time.perf_counter() - began
    raise SystemExit(f"{folder} is silent")


def run_turn(file: Path, options: tuple[str, ...]) -> Turn:
    """Add and hear a voice in a home of its own."""
    with tempfile.TemporaryDirectory(prefix="koebako-benchmark-") as home:
        os.environ["KOEBAKO_HOME"] = home
        added_s, processor_s, most = add_voice(file, options)
        return Turn(added_s, hear_voice(), processor_s, most)


def measure_ways(file: Path, turns: int) -> dict[str, list[Turn]]:
    """Return the turns of each way; the first of each, which reads from the disk, does not count."""
    found: dict[str, list[Turn]] = {way: [] for way in WAYS}
    for number in range(turns + 1):
        for way, options in WAYS.items():
            turn = run_turn(file, options)
            print(f"{way}: {turn}", file=sys.stderr, flush=True)
            if number:
                found[way].append(turn)
    return found


def format_table(found: dict[str, list[Turn]]) -> str:
    """Return the table, under a line about the machine."""
    turns = len(next(iter(found.values())))
    rows = [f"| {' | '.join(HEADS)} |", "|" + "---|" * len(HEADS)]
    for way, own in found.items():
        *seconds, megabytes = (statistics.median(column) for column in zip(*(turn.list_figures() for turn in own), strict=True))
        rows.append(f"| {way} | {' | '.join(f'{value:.1f} s' for value in seconds)} | {megabytes:,.0f} MB |")
    return f"{describe_machine(f'turns: {turns}')}\n\n" + "\n".join(rows)


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voice", type=Path, help="a voice file in place of one that is made")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="koebako-benchmark-") as folder:
        file = options.voice
        if file is None:
            write_voice(Path(folder) / "real", RealVoice("real", seed=1, layers=6, decoder_channels=512))
            file = Path(folder) / "real" / "model.aivmx"
        table = format_table(measure_ways(file.absolute(), options.turns))
    if options.write:
        put("voice_import", table)
    print(table)


if __name__ == "__main__":
    main()
