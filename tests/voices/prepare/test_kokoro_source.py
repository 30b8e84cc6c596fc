"""What Kokoro's generator is given of its harmonic source: magnitudes and phases as in the published file; and the network that stands in for a block."""

import numpy as np
import onnx
import pytest

from app.adapters.ort.graph_session import GraphSession, open_unoptimized
from app.core.synthesis_types import Float32
from app.voices.prepare.graph_writer import GraphWriter
from app.voices.prepare.kokoro.kokoro_graphs import FFT_HOP, FFT_SIZE, SPEAKER_GAINS_DB, SPECTRUM_SIZE, GeneratorWriter, read_source_tensors
from app.voices.prepare.kokoro.kokoro_layers import RESIDUAL_SLOPE, KokoroLayers, KokoroWeights
from app.voices.prepare.kokoro.kokoro_source import SourceNetworkWriter

SAMPLES = 2400


@pytest.fixture(scope="module")
def session() -> GraphSession:
    writer = GraphWriter("source", "N")
    source = writer.add_input("source", [1, 1, 1, "N"])
    generator = GeneratorWriter(KokoroLayers(KokoroWeights(onnx.ModelProto()), writer), None)
    writer.add_output("spectrum", generator.add_source_spectrum(source), [1, 2 * SPECTRUM_SIZE, 1, "Q"])
    return open_unoptimized(writer.build_model().SerializeToString(), "source")


def compute_spectrum(session: GraphSession, source: Float32) -> tuple[Float32, Float32]:
    """Magnitudes and phases, [SPECTRUM_SIZE, Q] each."""
    (spectrum,) = session.run_graph({"source": source.reshape(1, 1, 1, -1)})
    magnitudes, phases = spectrum.reshape(2, SPECTRUM_SIZE, -1)
    return magnitudes, phases


def transform(source: Float32) -> np.ndarray:
    padded = np.pad(source.astype(np.float64), FFT_SIZE // 2, mode="reflect")
    frames = np.lib.stride_tricks.sliding_window_view(padded, FFT_SIZE)[::FFT_HOP]
    return np.fft.rfft(frames * np.hanning(FFT_SIZE + 1)[:-1], axis=1).T


def make_source() -> Float32:
    """Sines around a mean of which most is below zero."""
    time = np.arange(SAMPLES) / 24_000
    sines = sum(np.sin(2 * np.pi * 230 * number * time + number) for number in range(1, 10))
    return (0.02 * sines - 0.03 + np.random.default_rng(1).normal(0, 0.003, SAMPLES)).astype(np.float32)


def test_it_is_the_short_time_fourier_transform(session: GraphSession) -> None:
    source = make_source()
    magnitudes, phases = compute_spectrum(session, source)
    wanted = transform(source)
    assert np.abs(magnitudes - np.abs(wanted)).max() < 1e-5
    assert np.abs(magnitudes * np.exp(1j * phases) - wanted).max() < 1e-5


def test_real_bins_that_are_negative_have_one_phase(session: GraphSession) -> None:
    """The network reads a phase as a number: with -π at the lowest bin, where the file has π, the sound is tilted by 4 dB."""
    source = make_source()
    _, phases = compute_spectrum(session, source)
    real = transform(source).real
    for row, below_zero in ((0, np.pi), (-1, -np.pi)):
        clear = np.abs(real[row]) > 1e-5
        assert set(np.sign(real[row, clear])) == {-1.0, 1.0}
        assert np.allclose(phases[row, clear], np.where(real[row, clear] < 0, below_zero, 0), atol=1e-6)


@pytest.mark.parametrize("level", [0.0, 0.02, -0.02])
def test_silence_has_phases_that_are_numbers(session: GraphSession, level: float) -> None:
    _, phases = compute_spectrum(session, np.full(SAMPLES, level, np.float32))
    assert np.abs(phases).max() <= np.float32(np.pi)


def filter_channels(values: np.ndarray, weight: np.ndarray, dilation: int) -> np.ndarray:
    """A convolution of (inputs, T) that keeps the length, by the definition."""
    reach = (weight.shape[2] - 1) * dilation // 2
    padded = np.pad(values, ((0, 0), (reach, reach)))
    return sum(weight[:, :, tap] @ padded[:, tap * dilation :][:, : values.shape[1]] for tap in range(weight.shape[2]))


@pytest.mark.parametrize("shares", [{0: 1.0}, {1: 0.3, 9: 0.7}])
def test_the_network_is_the_one_that_was_trained(shares: dict[int, float]) -> None:
    tensors = read_source_tensors()
    share = np.zeros(len(SPEAKER_GAINS_DB))
    share[list(shares)] = list(shares.values())
    writer = GraphWriter("network", "T")
    inputs = writer.add_input("spectrum", [1, 2 * SPECTRUM_SIZE, 1, "T"]), writer.add_input("shares", [1, len(share)])
    writer.add_output("rows", SourceNetworkWriter(writer, tensors).add_features(*inputs), ["T", 128])
    spectrum = np.random.default_rng(0).standard_normal((2 * SPECTRUM_SIZE, 200), np.float32)
    network = open_unoptimized(writer.build_model().SerializeToString(), "network")
    (rows,) = network.run_graph({"spectrum": spectrum[None, :, None], "shares": share[None].astype(np.float32)})
    value = spectrum.astype(np.float64)
    for layer in range(len(tensors["gains"])):
        made = (
            filter_channels(value, tensors[f"conv{layer}.weight"], int(tensors[f"conv{layer}.dilation"]))
            + tensors[f"conv{layer}.bias"][:, None]
        )
        made = made * (share @ tensors["gains"][layer])[:, None] + (share @ tensors["shifts"][layer])[:, None]
        made = np.where(made < 0, RESIDUAL_SLOPE * made, made)
        value = value + made if layer else made
    wanted = value.T @ np.tensordot(share, tensors["matrix"], 1) + share @ tensors["bias"]
    assert np.abs(rows - wanted).max() < 1e-4 * np.abs(wanted).max()
