"""How soon a board is filled, and what it holds in memory.

    python -m tests.benchmarks.board [--voice ID|PATH] [--bert ID|PATH] [--runs 5]

5 lines of 20 characters × 5 ways to speak, through the pipeline into a folder of takes, as the board of the window is filled: synthesis in one
thread, keeping in another. Caches are emptied before every run. Times are wall time, and in brackets processor time of the process. Then
1,000 cells are made of what was spoken, and the memory that they take is looked at.
"""

import argparse
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil

from app.audition.board import Board, BoardCell, VoiceChoice, combine_columns, plan_fill_order
from app.audition.line_rendering import render_line
from app.audition.take_store import MAX_CACHED_TAKE_BYTES, TakeStore
from app.compose.speaker_opening import open_speaker
from app.core.script.script import Line
from app.core.sound.pipeline import Pipeline
from app.core.synthesis_types import Float32

TEXTS = (
    "今日はとてもいい天気なので散歩します。",
    "明日の朝は早く起きて駅まで歩きましょう。",
    "この店のパンは焼きたてがいちばん旨い。",
    "窓を開けると涼しい風が入ってきました。",
    "新しい本を買ったら一晩で読み終わった。",
)
FIRST_MS, ALL_MS = 200.0, 3_000.0
CELLS = 1_000


def board_of(pipeline: Pipeline) -> Board:
    """5 × 5 cells: a style of the voice in five strengths, none twice."""
    styles = tuple(pipeline.voice.styles.values())
    columns = combine_columns((VoiceChoice("", styles=styles[1:] or styles),), (0.5, 1.0, 2.0, 3.0, 4.0))
    return Board(tuple(map(Line, TEXTS)), columns[:5])


def fill(pipeline: Pipeline, board: Board, folder: Path) -> tuple[float, float, float, list[tuple[Float32, int]]]:
    """Milliseconds until the first cell can be heard, until all are kept, the processor's, and the sounds."""
    pipeline.caches.clear()
    store, sounds = TakeStore(folder), []
    began, busy, first = time.perf_counter(), time.process_time(), 0.0
    with ThreadPoolExecutor(1) as keeper:
        for cell in plan_fill_order(board, BoardCell(2, 2)):
            made = render_line(pipeline, board.find_line(cell))
            assert made is not None
            first = first or (time.perf_counter() - began) * 1000
            sounds.append(made)
            keeper.submit(store.keep_sound, *made)
    return first, (time.perf_counter() - began) * 1000, (time.process_time() - busy) * 1000, sounds


def memory_of(sounds: list[tuple[Float32, int]], folder: Path) -> tuple[float, float, float]:
    """MB that 1,000 different cells of these lengths add to the process, that their samples have, and that their files have."""
    store, process = TakeStore(folder), psutil.Process()
    before, samples_bytes = process.memory_info().rss, 0
    for number in range(CELLS):
        samples, rate = sounds[number % len(sounds)]
        store.keep_sound(samples * np.float32(1 - number / (2 * CELLS)), rate)
        samples_bytes += samples.nbytes
    files = sum(item.stat().st_size for item in folder.iterdir())
    return (process.memory_info().rss - before) / 1e6, samples_bytes / 1e6, files / 1e6


def main() -> None:
    """Prints the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voice")
    parser.add_argument("--bert")
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    pipeline = open_speaker(options.voice, bert=options.bert, force_bert=options.bert is not None).pipeline
    pipeline.warm_up()
    pipeline.caches.stored = None
    board = board_of(pipeline)
    with tempfile.TemporaryDirectory() as place:
        runs = [fill(pipeline, board, Path(place) / f"run {number}") for number in range(options.runs)]
        first, every, busy = (float(np.median([run[place] for run in runs])) for place in range(3))
        seconds = sum(len(samples) / rate for samples, rate in runs[0][3])
        print(
            f"{len(board.cells)} cells, {seconds:.0f} s of sound: first {first:.0f} ms, all {every:.0f} ms ({busy:.0f} ms of the processor)"
        )
        reached = first <= FIRST_MS and every <= ALL_MS
        print(f"  must reach {FIRST_MS:.0f} and {ALL_MS:.0f} ms: {'reached' if reached else 'MISSED'}")
        held, samples, files = memory_of(runs[0][3], Path(place) / "memory")
        print(
            f"{CELLS} cells: {held:.0f} MB of memory (at most {MAX_CACHED_TAKE_BYTES / 1e6:.0f} are sounds), {samples:.0f} MB as samples, {files:.0f} MB of files"
        )


if __name__ == "__main__":
    main()
