"""The entry of this package: Kokoro's int8 file becomes the three graphs of a prepared voice."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from app.common.files.paths import find_resources_dir
from app.core.synthesis_types import Float32
from app.voices.prepare.graph_store import load_graph
from app.voices.prepare.kokoro.kokoro_decoder import GENERATOR, NormStatistics, build_decoder_graph
from app.voices.prepare.kokoro.kokoro_flow import build_flow_graph
from app.voices.prepare.kokoro.kokoro_layers import STYLE_HALF
from app.voices.prepare.kokoro.kokoro_prosody import build_prosody_graph
from app.voices.prepare.kokoro.kokoro_weights import KokoroWeights
from app.voices.prepare.prepared_graphs import PreparedGraphs

# Of the generator: 100 ms, all that its dilated convolutions reach. Windows then differ from the whole by rounding (81 dB; 53 with 75 ms).
MARGIN_FRAMES = 4
SPEAKER_GAINS_DB = (-1.5, -1.4, -1.9, -0.8, -3.4)
"""What brings each speaker to about -21.7 LUFS and the last one, whose pulses are high, just below full scale; see `tests/benchmarks`."""


def read_kokoro_styles() -> Float32:
    """Return the style vectors, float32 (1 + speakers, 256): their mean, then those of the speakers."""
    return np.asarray(np.load(find_kokoro_folder() / "styles.npy"), np.float32)


def read_norm_statistics() -> NormStatistics:
    """Return the statistics of the generator's norms."""
    with np.load(find_kokoro_folder() / "norms.npz") as tables:
        return NormStatistics(
            read_kokoro_styles()[1:, :STYLE_HALF], {f"{GENERATOR}.{name}": tables[name] for name in tables.files}, SPEAKER_GAINS_DB
        )


def find_kokoro_folder() -> Path:
    """Return the folder of the data that the program brings for this voice."""
    return find_resources_dir() / "kokoro"


def build_kokoro_graphs(model: Path) -> PreparedGraphs:
    """Build the graphs from the joined int8 file; raise VoiceError if it is another file or damaged."""
    weights = KokoroWeights(load_graph(model))
    return PreparedGraphs(
        prosody=build_prosody_graph(weights),
        flow=build_flow_graph(weights),
        decoder=build_decoder_graph(weights, read_norm_statistics()),
        margin_frames=MARGIN_FRAMES,
    )
