"""Half precision where it is computed: graphs of a voice on an adapter that has 16-bit numbers (`shader-f16`), judged by the sound of whole sentences.

    python -m tests.benchmarks.half_precision [--voice mei] [--sentences 4] [--write]

ONNX Runtime computes float16 graphs on the processor in float32, so that its figures say nothing. SwiftShader has no 16-bit numbers; Mesa's
lavapipe from version 25 on has: name its description in VK_ICD_FILENAMES and set ORT_WEBGPU_EP_ALLOW_SOFTWARE_ADAPTER=1.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx

from app.adapters.ort.devices.device_sessions import open_session
from app.adapters.ort.graph_session import RecordedRun, RunnableSession
from app.common.errors import AppError
from app.compose.speaker import Speaker
from app.compose.speaker_opening import record_speaker, replace_sessions
from app.core.sound.result_metrics import compute_log_spectral_distance_db, compute_snr_db
from app.voices.prepare.device.half_precision import SINGLE_PRECISION_OPS, convert_array_to_half, convert_to_half
from tests.adapters.ort.webgpu_child import INCLUDED, open_exact, speak
from tests.benchmarks.page import put
from tests.benchmarks.webgpu import make_texts

GRAPHS = ("bert", "prosody", "flow", "decoder")
# The products, which are most of the work; and what names its type itself.
PRODUCTS = frozenset({"Conv", "MatMul", "Gemm"})
TYPED = frozenset({"Cast", "Constant", "ConstantOfShape"})
# What stays in float32 of the operators of a graph.
KEPT: dict[str, Callable[[frozenset[str]], frozenset[str]]] = {
    "all of what our forms keep but ConvTranspose": lambda _all: SINGLE_PRECISION_OPS - {"ConvTranspose"},
    "what our forms keep": lambda _all: SINGLE_PRECISION_OPS,
    "all but products": lambda all_of_it: all_of_it - PRODUCTS - TYPED,
}
# The texts before are too short to have a melody.
TEXTS_FROM = 3


@dataclass(frozen=True, slots=True)
class HalfResult:
    """One graph in half precision; or why there is none.

    Attributes:
        own_snr_db: of what the graph itself gives, by output, the least.
        equal_frames: sentences of as many samples as in float32.
        least_snr_db: of the sound of these sentences.
        distance_db: between the spectra of all of them, which a phase that drifts does not change.
    """

    graph: str
    kept: str
    own_snr_db: float | None = None
    equal_frames: int = 0
    sentences: int = 0
    least_snr_db: float | None = None
    distance_db: float | None = None
    reason: str = ""


def write_half_graph(model: Path, choose_kept: Callable[[frozenset[str]], frozenset[str]], folder: Path) -> Path:
    """Write a graph that computes in half precision, its inputs and outputs as they were, and return its file."""
    graph = onnx.load(model)
    inner = {node.op_type for node in graph.graph.node if any(item.type == onnx.AttributeProto.GRAPH for item in node.attribute)}
    if inner:
        raise ValueError(f"graphs inside {', '.join(sorted(inner))}")
    small = convert_to_half(graph, choose_kept(frozenset(node.op_type for node in graph.graph.node)))
    for item in graph.graph.initializer:
        if item.name in small:
            item.CopyFrom(onnx.numpy_helper.from_array(convert_array_to_half(onnx.numpy_helper.to_array(item)), item.name))
    file = folder / f"{model.stem}-{len(list(folder.iterdir()))}.onnx"
    onnx.save(graph, file)
    return file


def open_half(speaker: Speaker, graph: str, choose_kept: Callable[[frozenset[str]], frozenset[str]], folder: Path) -> RunnableSession:
    """A graph in half precision on WebGPU; raise ValueError where it cannot be put there."""
    opened = open_session(write_half_graph(speaker.models[graph], choose_kept, folder), "webgpu", graph)
    if opened.backend == "cpu":
        raise ValueError(opened.fallback_reason)
    return opened.session


def compare(
    speaker: Speaker,
    graph: str,
    session: RunnableSession,
    run: RecordedRun,
    spoken: dict[str, np.ndarray],
    result: Callable[..., HalfResult],
) -> HalfResult:
    """Compare a run of a graph, and the sound of whole sentences, with what float32 gives."""
    found = session.run_graph(dict(run.values), list(run.results))
    own = min(compute_snr_db([one.ravel()], [other.ravel()]) for one, other in zip(run.results.values(), found, strict=True) if one.size)
    sessions: dict[str, RunnableSession] = {**speaker.sessions, graph: session}
    half, exact = replace_sessions(speaker, sessions), list(spoken.values())
    sounds = [speak(half, text) for text in spoken]
    equal = [(one, other) for one, other in zip(exact, sounds, strict=True) if one.shape == other.shape]
    least = min((compute_snr_db([one], [other]) for one, other in equal), default=None)
    distance = compute_log_spectral_distance_db([one for one, _ in equal], [other for _, other in equal]) if equal else None
    return result(own_snr_db=own, equal_frames=len(equal), sentences=len(spoken), least_snr_db=least, distance_db=distance)


def measure(voice: str, count: int) -> Iterator[HalfResult]:
    """Every graph, one at a time in half precision, the others in float32 on the CPU."""
    speaker, sessions = record_speaker(open_exact(voice, "cpu"))
    spoken = {text: speak(speaker, text) for text in make_texts(count + TEXTS_FROM)[TEXTS_FROM:]}
    runs = {graph: session.runs[-1] for graph, session in sessions.items()}
    with tempfile.TemporaryDirectory(prefix="koebako-") as name:
        for graph in filter(runs.__contains__, GRAPHS):
            for kept, choose_kept in KEPT.items():

                def result(graph: str = graph, kept: str = kept, **found: object) -> HalfResult:
                    return HalfResult(graph, kept, **found)  # type: ignore[arg-type]

                try:
                    session = open_half(speaker, graph, choose_kept, Path(name))
                    yield compare(speaker, graph, session, runs[graph], spoken, result)
                except (AppError, ValueError) as exc:
                    yield result(reason=str(exc))


def format_row(voice: str, row: HalfResult) -> str:
    """A row of it; `reason` where there are no figures."""
    if row.reason:
        return f"| {voice} | {row.graph} | {row.kept} | {row.reason} | | | |"
    least = "" if row.least_snr_db is None else f"{row.least_snr_db:.0f} dB"
    distance = "" if row.distance_db is None else f"{row.distance_db:.2f} dB"
    own, frames = f"{row.own_snr_db:.0f} dB", f"{row.equal_frames} of {row.sentences}"
    return f"| {voice} | {row.graph} | {row.kept} | {own} | {frames} | {least} | {distance} |"


def format_rows(found: dict[str, list[HalfResult]]) -> str:
    """The table as Markdown."""
    lines = [
        "| voice | graph | float32 is kept for | SNR of its output | equal frames | least SNR of a sentence | distance of spectra |",
        "|---|---|---|---|---|---|---|",
    ]
    for voice, rows in found.items():
        lines += [format_row(voice, row) for row in rows]
    return "\n".join(lines)


def main() -> None:
    """Measure, and print or keep the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--voice", action="append", metavar="VOICE", help="may be given again; default: the included one")
    parser.add_argument("--sentences", type=int, default=4)
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    found = {Path(voice).name: list(measure(voice, options.sentences)) for voice in options.voice or [INCLUDED]}
    print(table := format_rows(found))
    if options.write:
        put("half_precision", table)


if __name__ == "__main__":
    main()
