"""Decoders whose convolutions are computed in tiles where this machine is faster that way, for the optimised copies that the CPU opens.

That is measured once for each size of a convolution, when the first copy of a decoder that has it is written: what a processor gains depends on its caches, too.
Also a process of its own that writes one copy: `--optimise GRAPH FOLDER`.
"""

import hashlib
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from app.adapters.ort.graph_session import ORT_VERSION, create_cpu_session
from app.adapters.ort.optimized_graphs import describe_processor
from app.adapters.ort.optimized_session import write_copy
from app.adapters.ort.session_options import count_intra_threads, create_session_options
from app.common.files.paths import find_data_dir
from app.common.files.ratio_cache import keep_ratio, load_ratios
from app.common.processes.terminal import escape_to_one_line, write_error_line
from app.voices.prepare.graph_store import load_graph, serialise_graph
from app.voices.prepare.tiled_decoder import ConvolutionSize, build_trial_graphs, map_convolution_sizes, rewrite_convolutions

COPY_FAILED_CODE = 70
TRIAL_FRAMES = 40  # as many as the second window of a line has
TRIAL_TURNS = 6
LEAST_GAIN = 1.05  # below this, what turns tensors around at both ends of a stage takes what was gained
MIN_CHANNELS = 64  # with fewer, tiles took 1.1 to 2.5 times as long wherever it was tried: the matrices are too small

MeasureGain = Callable[[ConvolutionSize], float]


def rewrite_decoder(graph: Path, measure: MeasureGain | None = None) -> bytes | None:
    """Return the graph, whose weights stay where they are, with tiles where they pay; None where they nowhere do, or where it is no decoder.

    Args:
        measure: returns how many times as fast tiles are; by default what this machine was measured to gain.
    """
    model = load_graph(graph, with_external_weights=False)
    sizes = map_convolution_sizes(model.graph)
    measure = measure or _find_gain
    gains = {size: measure(size) for size in sorted(set(sizes.values())) if size.channels >= MIN_CHANNELS}
    chosen = {name for name, size in sizes.items() if gains.get(size, 0.0) >= LEAST_GAIN}
    if not chosen:
        return None
    rewrite_convolutions(model, chosen)
    return serialise_graph(model)


def measure_gain(size: ConvolutionSize) -> float:
    """Return how many times as fast tiles are as the convolutions themselves: the least of several runs of each, in turns."""
    sessions = [
        create_cpu_session(serialise_graph(graph), "trial", create_session_options()) for graph in build_trial_graphs(size, TRIAL_FRAMES)
    ]
    values = {"x": np.random.default_rng(0).standard_normal((1, size.channels, 1, TRIAL_FRAMES * size.steps_per_frame), dtype=np.float32)}
    times: list[list[float]] = [[], []]
    for _ in range(TRIAL_TURNS):
        for session, own in zip(sessions, times, strict=True):
            began = time.perf_counter()
            session.run(None, values)
            own.append(time.perf_counter() - began)
    plain_s, tiled_s = (min(own) for own in times)
    return plain_s / tiled_s


def _find_gain(size: ConvolutionSize) -> float:
    """Return what was measured on this machine, now if it never was; on a disk that cannot be written it is measured again."""
    path = find_data_dir() / "cache" / "tiles.json"
    facts = "|".join((ORT_VERSION, describe_processor(), str(count_intra_threads()), *map(str, size)))
    key = hashlib.sha256(facts.encode("utf-8", "surrogateescape")).hexdigest()[:32]
    gain = load_ratios(path).get(key)
    if gain is None:
        gain = measure_gain(size)
        keep_ratio(path, key, gain)
    return gain


def main() -> int:
    """Write the copy that the arguments name; return 0, or 70 if that failed."""
    model, folder = sys.argv[-2:]
    try:
        write_copy(Path(model), Path(folder), rewrite_decoder(Path(model)))
    except Exception as exc:
        write_error_line(escape_to_one_line(str(exc)))
        return COPY_FAILED_CODE
    return 0
