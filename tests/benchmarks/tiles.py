"""What convolutions in tiles gain: the natural voice against the int8 file that it is made from, and a voice of the real size against itself without tiles.

    python -m tests.benchmarks.tiles [--turns 12] [--threads 1 2] [--voice FOLDER] [--write]

The published file is run in one piece by ONNX Runtime, as other programs do, so all of a line is heard when it ends. FOLDER is a prepared SBV2 voice; without it one
with random weights is made. All figures are ratios of runs in turns in one process, of the whole time from the text to the sound: median, and the lower quartile.
"""

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np

from app.adapters.ort.graph_session import open_cpu_session
from app.adapters.ort.optimized_graphs import GraphStore
from app.adapters.ort.optimized_session import write_copy
from app.bench.multiply_adds import measure_peak_mb
from app.compose.decoder_tiles import measure_gain, rewrite_decoder
from app.compose.speaker_opening import open_speaker
from app.core.sound.pipeline import Pipeline
from app.core.synthesis_types import SynthesisRequest
from app.install.voice_preparation import prepare_voice
from app.settings.user_settings import GRAPH_PRECISIONS
from app.voices.prepare.graph_store import load_graph
from app.voices.prepare.tiled_decoder import map_convolution_sizes
from tests.benchmarks.hearing_routes import build_published_feed, open_published_model
from tests.benchmarks.page import describe_machine, put
from tests.benchmarks.voice_import import RealVoice
from tests.tiny_models.model_folders import write_voice

LINES = {
    "short": "新しい図書館は、来月の十五日に開館する予定だそうです。",
    "long": "新しい図書館は、来月の十五日に開館する予定で、児童書や専門書など三十万冊を所蔵し、夜の九時まで、だれでも無料で利用できます。",
}
WINDOWS = {"first": (0, 16, 29), "later": (13, 53, 66), "last": (13, 141, 154)}
"""Of a decoder of SBV2: the first and last frame that are wanted, and how many it is given."""
Run = Callable[[], tuple[float, ...]]


@dataclass(frozen=True)
class Gain:
    """How many times as fast one way is as another, over turns: the median and the lower quartile."""

    median: float
    lower: float

    def __str__(self) -> str:
        return f"{self.median:.2f}× ({self.lower:.2f})"


def compare_ways(slow: Run, *others: Run, turns: int) -> list[list[Gain]]:
    """Run all in turns and return the gains of each other way, by what it measures; each returns the seconds that count, `slow` one number or as many as the others. The first turn does not count."""
    seconds = [[run() for run in (slow, *others)] for _ in range(turns + 1)][1:]
    gains = []
    for number in range(1, len(others) + 1):
        ratios = np.array([np.divide(turn[0], turn[number]) for turn in seconds])
        gains.append([Gain(statistics.median(column), float(np.percentile(column, 25))) for column in ratios.T.tolist()])
    return gains


def time_run(run: Callable[[], object]) -> tuple[float]:
    began = time.perf_counter()
    run()
    return (time.perf_counter() - began,)


def time_line(pipeline: Pipeline, text: str) -> tuple[float, float]:
    """Return the seconds to the first sound of a line and to its end, with nothing remembered."""
    pipeline.caches.clear()
    began, first_s = time.perf_counter(), 0.0
    for chunk in pipeline.synthesize(SynthesisRequest(text)):
        if not first_s and np.abs(chunk.samples).max(initial=0.0) > 0:
            first_s = time.perf_counter() - began
    return first_s, time.perf_counter() - began


@contextmanager
def limit_threads(threads: int) -> Iterator[None]:
    """Open sessions with so many threads inside the block."""
    with patch("app.adapters.ort.session_options.count_intra_threads", lambda: threads):
        yield


def compare_with_published(threads: int, turns: int) -> dict[str, str]:
    """Return the rows of the natural voice against the published file."""
    published, precisions = open_published_model(threads), GRAPH_PRECISIONS
    with limit_threads(threads):
        pipelines = [open_speaker("kokoro", "cpu", graph_precision=precision).pipeline for precision in precisions]
    for pipeline in pipelines:
        pipeline.warm_up()
    rows = {}
    for text in LINES.values():
        feed = build_published_feed(pipelines[0], 1, text)
        seconds = np.size(published.run(["audio"], feed)[0]) / pipelines[0].voice.sampling_rate

        def run_published(feed: Mapping[str, np.ndarray] = feed) -> tuple[float]:
            return time_run(lambda: published.run(["audio"], feed))

        ways = (partial(time_line, pipeline, text) for pipeline in pipelines)
        for precision, gains in zip(precisions, compare_ways(run_published, *ways, turns=turns), strict=True):
            for what, gain in zip(("first sound", "whole line"), gains, strict=True):
                rows[f"natural voice ({precision}) against the published file: {what}, line of {seconds:.1f} s"] = str(gain)
    return rows


def compare_tiles(folder: Path, threads: int, turns: int) -> dict[str, str]:
    """Return the rows of an SBV2 voice with tiles against the same without."""
    rows: dict[str, str] = {}
    with tempfile.TemporaryDirectory(prefix="koebako-benchmark-") as scratch, limit_threads(threads):
        ways: dict[str, Callable[[Path], bytes | None]] = {"plain": lambda _graph: None, "tiles": rewrite_decoder}
        sessions, pipelines = [], []
        for name, rewrite in ways.items():

            def write(graph: Path, target: Path, rewrite: Callable[[Path], bytes | None] = rewrite) -> None:
                write_copy(graph, target, rewrite(graph))

            store = GraphStore(Path(scratch) / name)
            with (
                patch("app.adapters.ort.optimized_session.write_in_child", write),
                patch("app.compose.graph_sessions.open_graph_store", lambda store=store: store),
            ):
                sessions.append(open_cpu_session(folder / "decoder.onnx", "decoder", store))
                pipelines.append(open_speaker(str(folder), "cpu", force_bert=True).pipeline)
            pipelines[-1].warm_up()
        z = np.random.default_rng(0).standard_normal((192, 200), dtype=np.float32)
        for name, (first, last, width) in WINDOWS.items():
            values = {"z": z[:, :width], "sid": 0, "first": first, "last": last}
            slow, fast = (lambda own=own, values=values: time_run(lambda: own.run_graph(values)) for own in sessions)
            rows[f"SBV2 decoder with tiles: {name} window"] = str(compare_ways(slow, fast, turns=turns)[0][0])
        plain, tiled = (own.run_graph(values)[0] for own in sessions)
        rows["— largest difference of a sample, of the largest one"] = f"{np.abs(tiled - plain).max() / np.abs(plain).max():.1e}"
        for name, text in LINES.items():
            (gains,) = compare_ways(*(partial(time_line, own, text) for own in pipelines), turns=turns)
            for what, gain in zip(("first sound", "whole line"), gains, strict=True):
                rows[f"SBV2 voice with tiles: {what}, {name} line"] = str(gain)
    return rows


def list_gains(folder: Path, threads: int) -> dict[str, str]:
    """Return a row for each size of a convolution of a decoder: what this machine gains with tiles."""
    sizes = set(map_convolution_sizes(load_graph(folder / "decoder.onnx", with_external_weights=False).graph).values())
    with limit_threads(threads):
        return {
            f"{size.channels} channels, kernel {size.kernel}": f"{measure_gain(size):.2f}×"
            for size in sorted(sizes, reverse=True)
            if size.channels >= 32
        }


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--voice", type=Path, help="a prepared SBV2 voice in place of one that is made")
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="koebako-benchmark-") as scratch:
        folder = options.voice
        if folder is None:
            write_voice(Path(scratch) / "real", RealVoice("real", seed=1, layers=6, decoder_channels=512))
            folder = Path(scratch) / "prepared"
            folder.mkdir()
            prepare_voice(Path(scratch) / "real" / "model.aivmx", folder, int8=False, is_quick=True)
        columns = [
            compare_with_published(threads, options.turns) | compare_tiles(folder, threads, options.turns) | list_gains(folder, threads)
            for threads in options.threads
        ]
    heads = [f"| | {' | '.join(f'{number} thread(s)' for number in options.threads)} |", "|---" * (1 + len(columns)) + "|"]
    rows = [
        f"| {name} | {' | '.join(column.get(name, '') for column in columns)} |"
        for name in dict.fromkeys(name for column in columns for name in column)
    ]
    table = "\n".join(
        [
            describe_machine(time.strftime("%Y-%m-%d"), f"turns: {options.turns}"),
            "",
            *heads,
            *rows,
            "",
            f"Most memory of this process: {measure_peak_mb():,.0f} MB.",
        ]
    )
    if options.write:
        put("tiles", table)
    print(table)


if __name__ == "__main__":
    main()
