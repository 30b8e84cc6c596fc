#!/usr/bin/env python3
"""Makes the data of resources/kokoro: the styles of each speaker, and the statistics of the generator's norms for each of them.

    python3 packaging/natural_voice/measure_norms.py MODEL VOICES TEXTS

MODEL is the joined int8 file, VOICES the folder `voices` of the npm package kokoro-js 1.2.1, TEXTS sentences, of which 24 are chosen by a
hash. Also prints the median pitch of each speaker, which `app/install/natural_voice_install.py` holds.

A style is two halves: how a speaker sounds, and how they speak. The last five speakers have the sound of a style for another language and
speak as a Japanese one.
"""

import sys
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import helper

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "packaging/natural_voice")]

from evaluate import choose_lines  # noqa: E402

from app.compose.text_front_end import open_g2p  # noqa: E402
from app.core.text.phone_ids import convert_phones_to_tokens  # noqa: E402
from app.voices.prepare.graph_store import load_graph  # noqa: E402
from app.voices.prepare.kokoro import kokoro_graphs  # noqa: E402
from app.voices.prepare.kokoro.kokoro_flow import FEATURE_SIZE, FLOW_ROWS, STEPS_PER_FRAME, build_flow_graph  # noqa: E402
from app.voices.prepare.kokoro.kokoro_layers import (  # noqa: E402
    NORM_EPSILON,
    STYLE_HALF,
    KokoroWeights,
)
from app.voices.prepare.kokoro.kokoro_prosody import build_prosody_graph  # noqa: E402

JAPANESE_SPEAKERS = ("jf_alpha", "jf_gongitsune", "jf_nezumi", "jf_tebukuro", "jm_kumo")
SPEAKERS = (
    *((name, name) for name in JAPANESE_SPEAKERS),
    ("af_heart", "jf_alpha"),
    ("af_kore", "jf_alpha"),
    ("am_michael", "jm_kumo"),
    ("am_fenrir", "jm_kumo"),
    ("bm_george", "jm_kumo"),
)
"""Of each speaker, whose sound it is and as who they speak."""
STYLE_TOKENS = 60  # the style of a text of so many tokens was judged no worse than one for each length
MANNER_TOKENS = (30, STYLE_TOKENS, 150, STYLE_TOKENS)
"""As texts of how many tokens `MANNERS` of `app/core/sound/manners.py` are spoken, in their order: shorter ones are spoken faster."""
LINES = 24
VOICED_HZ = 60.0
SMALLEST_VARIANCE = 1e-9


class NormRecorder(kokoro_graphs.GeneratorWriter):
    """Writes the generator and remembers what each norm is given."""

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)  # type: ignore[arg-type]
        self.inputs: dict[str, str] = {}

    def _add_norm(self, module: str, value: kokoro_graphs.BiasedRows, scale: NDArray[np.float32]) -> str:
        self.inputs[module] = self._add_sum([value])
        return super()._add_norm(module, value, scale)


def build_observed_decoder(weights: KokoroWeights) -> tuple[onnx.ModelProto, list[str]]:
    """Builds the decoder with norms over the whole line, and mean and mean square of each norm's input as outputs."""
    recorders: list[NormRecorder] = []

    def create_recorder(*arguments: object) -> NormRecorder:
        recorders.append(NormRecorder(*arguments))
        return recorders[-1]

    kokoro_graphs.GeneratorWriter, kept = create_recorder, kokoro_graphs.GeneratorWriter  # type: ignore[assignment, misc]
    try:
        model = kokoro_graphs.build_decoder_graph(weights, None)
    finally:
        kokoro_graphs.GeneratorWriter = kept  # type: ignore[misc]
    for module, rows in recorders[0].inputs.items():
        model.graph.node.append(helper.make_node("Mul", [rows, rows], [f"{module}.square"]))
        for source, result in ((rows, f"{module}.first"), (f"{module}.square", f"{module}.second")):
            model.graph.node.append(helper.make_node("ReduceMean", [source], [result], axes=[0], keepdims=0))
            model.graph.output.append(onnx.ValueInfoProto(name=result))
    return model, list(recorders[0].inputs)


def main() -> None:
    """Measures and writes."""
    weights = KokoroWeights(load_graph(Path(sys.argv[1])))
    styles, *manner_styles = (_read_styles(Path(sys.argv[2]), tokens) for tokens in (STYLE_TOKENS, *MANNER_TOKENS))
    decoder, modules = build_observed_decoder(weights)
    sessions = [
        onnxruntime.InferenceSession(model.SerializeToString())
        for model in (build_prosody_graph(weights), build_flow_graph(weights), decoder)
    ]
    g2p = open_g2p()
    tokens = [convert_phones_to_tokens(g2p.convert_sentence(line)).phones for line in choose_lines(Path(sys.argv[3]), LINES)]
    tables: dict[str, list[NDArray[np.float32]]] = {module: [] for module in modules}
    for (name, _), style in zip(SPEAKERS, styles, strict=True):
        runs, pitches = zip(*(_speak_line(sessions, ids, style, modules) for ids in tokens), strict=True)
        for index, module in enumerate(modules):
            first, second = (np.stack([run[2 * index + part] for run in runs]) for part in (0, 1))
            log_deviation = 0.5 * np.log(np.maximum(second - first**2, SMALLEST_VARIANCE) + NORM_EPSILON)
            tables[module].append(np.concatenate((first.mean(axis=0), log_deviation.mean(axis=0))).astype(np.float32))
        pitch = np.concatenate(pitches)
        print(f"{name}: median pitch {np.median(pitch[pitch > VOICED_HZ]):.1f} Hz", flush=True)
    folder = ROOT / "resources/kokoro"
    mean = styles[: len(JAPANESE_SPEAKERS)].mean(axis=0, keepdims=True)
    np.save(folder / "styles.npy", np.concatenate([mean, styles, *manner_styles]))
    prefix = f"{kokoro_graphs.GENERATOR}."
    np.savez_compressed(folder / "norms.npz", **{module.removeprefix(prefix): np.stack(rows) for module, rows in tables.items()})  # type: ignore[arg-type]


def _read_styles(folder: Path, tokens: int) -> NDArray[np.float32]:
    """Returns the style of each speaker, float32 (speakers, 256), who speaks as in a text of so many tokens and always sounds the same."""

    def read_row(name: str, row: int) -> NDArray[np.float32]:
        return np.fromfile(folder / f"{name}.bin", np.float32).reshape(-1, 2 * STYLE_HALF)[row]

    return np.stack([np.concatenate((read_row(a, STYLE_TOKENS)[:STYLE_HALF], read_row(b, tokens)[STYLE_HALF:])) for a, b in SPEAKERS])


def compute_own_frames(
    prosody: onnxruntime.InferenceSession, flow: onnxruntime.InferenceSession, ids: NDArray[np.int64], style: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Returns what the decoder is given for a line with the model's own melody, float32 (STEPS_PER_FRAME · FLOW_ROWS, frames)."""
    logw, mean, _ = prosody.run(None, {"x_tst": ids, "style_vec": style})
    prior = np.repeat(mean, np.maximum(1, np.rint(np.exp(logw))).astype(int), axis=1)
    feed = {
        "z_p": prior,
        "style_vec": style,
        "f0": np.full(STEPS_PER_FRAME * prior.shape[1], 200, np.float32),
        "melody_weight": np.array(0, np.float32),
        "melody_intonation": np.array(1, np.float32),
        "energy_offset": np.array(0, np.float32),
        "questions": np.zeros((1, STEPS_PER_FRAME * prior.shape[1]), np.float32),
        "pitch_offset": np.zeros((STEPS_PER_FRAME, prior.shape[1]), np.float32),
    }
    return np.asarray(flow.run(None, feed)[0], np.float32)


def _speak_line(
    sessions: list[onnxruntime.InferenceSession], ids: NDArray[np.int64], style: NDArray[np.float32], modules: list[str]
) -> tuple[list[NDArray[np.float32]], NDArray[np.float32]]:
    """Returns mean and mean square at each norm, and the model's own pitch of each step."""
    assert style.shape == (2 * STYLE_HALF,)
    z, decoder = compute_own_frames(sessions[0], sessions[1], ids, style), sessions[2]
    names = [f"{module}.{part}" for module in modules for part in ("first", "second")]
    ends = {"first": np.array([0]), "last": np.array([z.shape[1]])}
    steps = z.reshape(STEPS_PER_FRAME, FLOW_ROWS, -1).transpose(1, 2, 0).reshape(FLOW_ROWS, -1)
    return decoder.run(names, {"z": z, "style_vec": style, **ends}), steps[FEATURE_SIZE]


if __name__ == "__main__":
    main()
