"""Computes on WebGPU in a process of its own and prints what came out as JSON: `webgpu_child.py FOLDER`, of tiny voices and a BERT.

A process of its own, because a plug-in is registered once and sees the devices of that moment; and because a driver may end it.
"""

import json
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[3]))

from app.adapters.ort.devices.device_sessions import create_session, open_session
from app.adapters.ort.devices.ort_devices import list_plugin_devices
from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker, record_speaker
from app.core.sound.result_metrics import measure_output_difference
from app.core.sound.stage_clock import RequestStopped
from app.core.synthesis_types import SynthesisRequest

TEXT, LONG_TEXT = "はい。", "今日はとてもいい天気なので駅前の公園まで歩いて行きました。"
INCLUDED = "mei"
# Symbols, frames or tokens: all remainders of four, on which shaders depend, and one again.
LENGTHS = (12, 13, 14, 15, 24)
EVERYTHING = "bert=webgpu,prosody=webgpu,decoder=webgpu"
SHADER_VARIABLE = "ORT_WEBGPU_EP_SHADER_DUMP_FILE"
SHADER_START = "=== WebGPU Shader code ["


def speak(speaker: Speaker, text: str) -> np.ndarray:
    """The sound of a text, nothing remembered."""
    speaker.pipeline.caches.clear()
    speaker.pipeline.caches.stored = None
    request = SynthesisRequest(text, style=min(speaker.pipeline.voice.styles, default=0))
    return np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(request, lambda _timing: None)])


def open_exact(voice: str, place: str) -> Speaker:
    """A voice in float32."""
    return open_speaker(voice, place, precision="float32", graph_precision="exact", force_bert=True)


def count_shaders() -> Counter[str]:
    """How many shaders were compiled so far, by operator."""
    file = Path(os.environ[SHADER_VARIABLE])
    text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
    return Counter(part.partition(",")[0] for part in text.split(SHADER_START)[1:] if "] Start" in part[:2000])


def find_sizes(values: dict[str, Any]) -> tuple[tuple[int, ...], ...]:
    """The shapes of what a graph is given."""
    return tuple(np.shape(value) for value in values.values())


def compare_stages(speaker: Speaker, voice: str, texts: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """One row a run of a graph of the voice that has all on WebGPU: where it ran, how far from the CPU's, and how many shaders it compiled."""
    recorded, sessions = record_speaker(open_exact(voice, "cpu"))
    for text in texts:
        speak(recorded, text)
    for graph, session in sessions.items():
        # Windows of a size that was met say nothing new.
        for run in {find_sizes(run.values): run for run in session.runs}.values():
            before = count_shaders()
            results = speaker.sessions[graph].run_graph(dict(run.values), list(run.results))
            yield {
                "graph": graph,
                "ran_on": speaker.sessions[graph].ran_on,
                "size": str(find_sizes(run.values)),
                "difference": measure_output_difference(graph, results, list(run.results.values())),
                "shaders": sum((count_shaders() - before).values()),
                "fallback": speaker.sessions[graph].fallback_reason,
            }


def cut_to_length(values: dict[str, Any], declared: dict[str, list[Any]], length: int) -> dict[str, Any]:
    """The values of a run with the first of all sizes that are open `length`; the others stay in proportion, as samples do to frames.

    At least one row is kept of what does not grow with the line: the program never gives a graph fewer questions.
    """
    whole = next(np.shape(value)[axis] for name, value in values.items() for axis, size in enumerate(declared[name]) if is_open(size))

    def cut(name: str, value: Any) -> Any:
        for axis, size in enumerate(declared[name]):
            if is_open(size) and np.ndim(value):
                value = np.take(value, range(max(1, np.shape(value)[axis] * length // whole)), axis)
        return value

    # A window's first and last frame that is heard: without margins, which are longer than a short window.
    heard = {name: np.array([frame]) for name, frame in (("first", 0), ("last", length)) if name in values}
    return {name: cut(name, value) for name, value in (values | heard).items()}


def is_open(size: Any) -> bool:
    """Whether a size of a graph is left open."""
    return not isinstance(size, int)


def list_runs(folder: Path) -> Iterator[tuple[str, str, Path | bytes, dict[str, Any]]]:
    """Voice, graph, its file and a long run of it, for every graph of every voice; of a tiny BERT, too."""
    for voice in (INCLUDED, *sorted(str(item.parent) for item in folder.glob("*/voice.json"))):
        speaker, sessions = record_speaker(open_exact(voice, "cpu"))
        speak(speaker, LONG_TEXT)
        for graph, session in sessions.items():
            if graph != "bert" or voice == INCLUDED:
                yield Path(voice).name, graph, speaker.models[graph], max(session.runs, key=lambda run: find_sizes(run.values)).values
    yield "deberta", "bert", folder / "bert" / "bert.onnx", {"input_ids": np.arange(1, 1 + max(LENGTHS))}


def compare_lengths(folder: Path) -> Iterator[dict[str, Any]]:
    """One row a graph and length, as of `compare_stages`."""
    for voice, graph, model, values in list_runs(folder):
        device, cpu = open_session(model, "webgpu", graph), open_session(model, "cpu", graph).session
        declared = {item.name: item.shape for item in create_session(model, "cpu", graph).get_inputs()}
        for length in LENGTHS:
            given = cut_to_length(values, declared, length)
            before = count_shaders()
            results = device.session.run_graph(given)
            yield {
                "voice": voice,
                "graph": graph,
                "length": length,
                "ran_on": device.backend,
                "difference": measure_output_difference(graph, results, cpu.run_graph(given)),
                "shaders": sum((count_shaders() - before).values()),
                "fallback": device.fallback_reason,
            }


def lose_device(speaker: Speaker, voice: str) -> dict[str, Any]:
    """The device is lost in the middle of a line: its decoder's second run raises what Dawn says then."""
    expected = speak(open_exact(voice, "cpu"), TEXT)
    inner = speaker.sessions["decoder"]._session  # type: ignore[attr-defined]
    real, runs = inner._session, []

    class LostDevice:
        create_run_options = staticmethod(real.create_run_options)

        @staticmethod
        def run(outputs: Any, feed: Any, options: Any) -> list[np.ndarray]:
            runs.append(0)
            if len(runs) == 2:
                raise RuntimeError("WebGPU device lost (1): A valid external Instance reference no longer exists. [Device] is lost.")
            return list(real.run(outputs, feed, options))

    inner._session = LostDevice
    sound = speak(speaker, TEXT)
    return {
        "runs": len(runs),
        "is_lost": speaker.is_device_lost,
        "fallback": speaker.fallback,
        "backend": speaker.sessions["decoder"].backend,
        "difference": float(np.abs(sound - expected).max()) if sound.shape == expected.shape else None,
    }


def cancel_run(speaker: Speaker, voice: str) -> dict[str, Any]:
    """A run that is stopped from another thread, and the next one, which is whole."""
    recorded, sessions = record_speaker(open_exact(voice, "cpu"))
    speak(recorded, TEXT)
    call, session = sessions["flow"].runs[-1], speaker.sessions["flow"]
    expected = session.run_graph(dict(call.values), list(call.results))
    stop, cancelled = threading.Timer(0.05, session.terminate), False
    stop.start()
    try:
        session.run_graph(dict(call.values), list(call.results))
    except RequestStopped:
        cancelled = True
    stop.join()
    again = session.run_graph(dict(call.values), list(call.results))
    return {"cancelled": cancelled, "ran_on": session.ran_on, "difference": float(np.abs(np.asarray(again[0]) - expected[0]).max())}


def run_tanh() -> list[float]:
    """A convolution with a Tanh behind it, where the sum is large."""
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, 1, "n"]) for name in ("x", "z")]
    nodes = [helper.make_node("Conv", ["x", "w"], ["y"]), helper.make_node("Tanh", ["y"], ["z"])]
    weights = [numpy_helper.from_array(np.ones((1, 1, 1), np.float32), "w")]
    graph: onnx.ModelProto = helper.make_model(
        helper.make_graph(nodes, "g", ends[:1], ends[1:], weights), opset_imports=[helper.make_opsetid("", 17)], ir_version=9
    )
    opened = open_session(graph.SerializeToString(), "webgpu", "tanh")
    assert opened.backend == "webgpu", opened.fallback_reason
    found: list[float] = opened.session.run_graph({"x": np.array([[[0.5, 88.0, 95.0, -200.0, 1e4]]], np.float32)})[0].ravel().tolist()
    return found


def main(folder: Path) -> None:
    """Print everything; what one session compiled is used again by the others, for compiling is most of the time."""
    found = {
        "devices": [device.name for device in list_plugin_devices("webgpu")],
        "tanh": run_tanh(),
        "lengths": list(compare_lengths(folder)),
    }
    speaker = open_exact(INCLUDED, "webgpu")
    speak(speaker, TEXT)
    print(json.dumps(found | {"cancelled": cancel_run(speaker, INCLUDED), "lost": lose_device(speaker, INCLUDED)}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
