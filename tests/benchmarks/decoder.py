"""How many times faster a prepared voice speaks a line than the graph it was made from.

    python -m tests.benchmarks.decoder SOURCE.onnx VOICE_FOLDER [--symbols 61,211] [--turns 5] [--threads 2]

"reference" re-creates the settings of one product: the whole graph, no optimisation, no arena, all at once. "exact" is what the program
runs: prosody, flow, and the decoder window by window; "int8" the same with the int8 decoder, where the voice has one. All take turns.
Ratios are of the same turn and of time a frame, for every rendering has its own durations: quartiles. With one thread the processor's
time is counted, which other programs disturb less.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import onnxruntime as ort

from app.adapters.ort.options import session_options
from app.core.windows import plan_windows
from app.voices.voice import Voice, read_prepared

Feed = dict[str, np.ndarray]
PAUSE_S = 0.3  # sessions that spin, as the reference's do, shall not take the next one's cores


def opened(path: Path, threads: int, *, reference: bool = False) -> ort.InferenceSession:
    """A session as the program opens it, or as the reference does."""
    options = ort.SessionOptions() if reference else session_options()
    options.log_severity_level = 4
    options.intra_op_num_threads = threads
    if reference:
        options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.enable_cpu_mem_arena = False
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def feed(session: ort.InferenceSession, length: int, known: Feed) -> Feed:
    """Inputs of the right shapes: `known` ones by name, numbers of text 1, the rest noise of half the usual size."""
    rng, values = np.random.default_rng(0), {}
    for item in session.get_inputs():
        free = [length if axis or size in ("T", "F") else 1 for axis, size in enumerate(item.shape)]  # the other first axes are batches
        shape = [size if isinstance(size, int) else free[axis] for axis, size in enumerate(item.shape)]
        made = np.ones(shape, np.int64) if "int64" in item.type else np.asarray(rng.standard_normal(shape) * 0.5).astype(np.float32)
        values[item.name] = known.get(item.name, made).reshape(shape)
    return values


class Line:
    """One line of a voice, spoken by its parts."""

    def __init__(self, voice: Voice, decoder: Path, threads: int) -> None:
        self._info = voice.manifest
        graphs = [voice.graphs["prosody"], voice.graphs["flow"], decoder]
        self._prosody, self._flow, self._decoder = (opened(Path(str(graph)), threads) for graph in graphs)

    def __call__(self, symbols: int, frames: int, clock: Callable[[], float]) -> tuple[float, float, np.ndarray]:
        """Time to the first window, time of all, samples; frames are given so that both renderings are as long."""
        began, speaker = clock(), np.zeros(1, np.int64)
        self._prosody.run(None, feed(self._prosody, symbols, {"sid": speaker}))
        (z,) = self._flow.run(None, feed(self._flow, frames, {"sid": speaker}))
        first, parts = 0.0, []
        for window in plan_windows(frames, self._info.windows, self._info.margin_frames):
            wanted = {"first": np.array([window.exact - window.start]), "last": np.array([window.last - window.start])}
            given = {"z": z[:, window.start : window.end], "sid": speaker} | wanted
            parts.append(self._decoder.run(None, given)[0][(window.first - window.exact) * self._info.hop_length :])
            first = first or clock() - began
        return first, clock() - began, np.concatenate(parts)


def measure(source: Path, voice: Voice, symbols: int, turns: int, threads: int) -> dict[str, object]:
    """One line of the result."""
    clock = time.process_time if threads == 1 else time.perf_counter
    scales = {"length_scale": 1.0, "noise_scale": 0.6, "noise_scale_w": 0.8, "sdp_ratio": 0.2}
    whole = opened(source, threads, reference=True)
    given = feed(whole, symbols, {name: np.asarray(value, np.float32) for name, value in scales.items()})
    given |= {"x_tst_lengths": np.array([symbols]), "sid": np.zeros(1, np.int64)}
    frames = whole.run(None, given)[0].shape[-1] // voice.manifest.hop_length
    lines = {"exact": Line(voice, Path(str(voice.graphs["decoder"])), threads)}
    if voice.manifest.decoder_int8 is not None:
        lines["int8"] = Line(voice, voice.path / voice.manifest.decoder_int8.file, threads)
    ratios: dict[str, list[float]] = {f"{name}_{what}": [] for name in lines for what in ("line", "first_window")}
    for turn in range(turns + 1):  # the first one sets up memory
        time.sleep(PAUSE_S)
        began = clock()
        spoken = whole.run(None, given)[0].shape[-1] // voice.manifest.hop_length
        reference = (clock() - began) / spoken * frames
        for name, line in lines.items():
            time.sleep(PAUSE_S)
            first, total, _ = line(symbols, frames, clock)
            if turn:
                ratios[f"{name}_line"].append(reference / total)
                ratios[f"{name}_first_window"].append(reference / first)
    quartiles = {name: [round(float(item), 2) for item in np.percentile(values, [25, 50, 75])] for name, values in ratios.items()}
    return {"symbols": symbols, "frames": frames} | quartiles


def main() -> None:
    """Prints a JSON line a length."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=Path)
    parser.add_argument("voice", type=Path)
    parser.add_argument("--symbols", default="61,211")
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    voice = read_prepared(options.voice)
    print(json.dumps({"ort": ort.__version__, "threads": options.threads, "turns": options.turns}))
    for symbols in options.symbols.split(","):
        print(json.dumps(measure(options.source, voice, int(symbols), options.turns, options.threads)), flush=True)


if __name__ == "__main__":
    main()
