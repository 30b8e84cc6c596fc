#!/usr/bin/env python3
"""Trains the small network that stands in for the generator's second source block in the natural voice's Fast, on that block's own output.

    python3 packaging/natural_voice/train_source.py MODEL TEXTS [--lines 60] [--steps 15000] [--start NPZ]

MODEL is the joined int8 file, TEXTS sentences, of which some are chosen by a hash; a quarter of them is never trained on, and says how close it comes. Writes
resources/kokoro/source_features.npz in about fifteen minutes on one core. With --start, training continues from such a file; speakers it
does not cover start from the one with the nearest style. Needs the project's packages and torch.

The source depends on pitch, phase and style alone: the model's own pitches are enough, some of them moved, with the styles of other speakers and blends of them.
"""

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import torch
from numpy.typing import NDArray
from torch import nn
from torch.nn import functional

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "packaging/natural_voice")]

from evaluate import choose_lines  # noqa: E402
from measure_norms import compute_own_frames  # noqa: E402

from app.compose.text_front_end import open_g2p  # noqa: E402
from app.core.text.phone_ids import convert_phones_to_tokens  # noqa: E402
from app.voices.prepare.graph_store import load_graph  # noqa: E402
from app.voices.prepare.graph_writer import GraphWriter  # noqa: E402
from app.voices.prepare.kokoro import kokoro_graphs  # noqa: E402
from app.voices.prepare.kokoro.kokoro_flow import FEATURE_SIZE, FLOW_ROWS, STEPS_PER_FRAME, STEPS_PER_S, VOICED_HZ, build_flow_graph  # noqa: E402
from app.voices.prepare.kokoro.kokoro_layers import RESIDUAL_SLOPE, STYLE_HALF, KokoroLayers, KokoroWeights  # noqa: E402
from app.voices.prepare.kokoro.kokoro_prosody import build_prosody_graph  # noqa: E402

Floats = NDArray[np.float32]
INPUTS, OUTPUTS, HIDDEN = 2 * kokoro_graphs.SPECTRUM_SIZE, 128, 64
LAYERS = ((15, 1), (5, 4), (5, 8))  # kernels and dilations: 31 spectra to each side, and 70,000 products for each
BATCH, LENGTH = 8, 480  # excerpts, and spectra of each
RATE, LEAST_RATE_SHARE, WARM_UP_STEPS, MOMENTS = 3e-3, 0.003, 100, (0.9, 0.99)
EXCERPT_STEPS, MARGIN_STEPS = 40, 4  # of the pitch, 12.5 ms each: what is learnt, and around it what the block sees
SPECTRA_PER_STEP = kokoro_graphs.SAMPLES_PER_STEP // kokoro_graphs.FFT_HOP
EDGE = MARGIN_STEPS * SPECTRA_PER_STEP
EXCERPTS, VALID_EXCERPTS = 1400, 100
MOVED_SHARE, OTHER_STYLE_SHARE, BLEND_SHARE = 0.4, 0.5, 0.3  # of the excerpts, of the moved ones, of the moved ones
SEMITONES, FAR_SEMITONES, FAR_SHARE = 4.0, (-12, -9, 7, 12), 0.2
SILENT_SHARE = 0.4  # of the excerpts without much voice, which are all alike, so many are kept
NEXT_NORM = f"{kokoro_graphs.GENERATOR}.resblocks.3.adain1.0"


@dataclass(frozen=True)
class Excerpts:
    """What is learnt from: spectra (N, INPUTS, S + margins), shares (N, styles), and the block's rows (N, S, OUTPUTS)."""

    spectra: torch.Tensor
    shares: torch.Tensor
    rows: torch.Tensor


class SourceBlockWriter(kokoro_graphs.GeneratorWriter):
    """Writes the second source block alone."""

    def add_block_output(self, style: str, pitch: str, phase: str) -> tuple[str, str, str]:
        """Add the source's spectrum, the block's rows, and the shares of the styles."""
        self._take_style(style)
        spectrum = self.add_source_spectrum(self._add_source(pitch, phase))
        self._writer.length = "S"
        return spectrum, self._add_sum([self._add_source_features(1, spectrum, OUTPUTS, 1)]), self._shares


def build_source_graph(weights: KokoroWeights) -> bytes:
    """Builds the graph pitch, phase, style_vec → spectrum, rows, shares from the generator's own parts."""
    writer = GraphWriter("source", "T")
    pitch, phase = (writer.add_reshape(writer.add_input(name, ["T"]), [1, -1]) for name in ("pitch", "phase"))
    both = writer.add_reshape(writer.add_input("style_vec", [2 * STYLE_HALF]), [1, 2 * STYLE_HALF])
    style = writer.add_split(both, [STYLE_HALF, STYLE_HALF], axis=1)[0]
    block = SourceBlockWriter(KokoroLayers(weights, writer), kokoro_graphs.read_norm_statistics())
    shapes = {"spectrum": [1, INPUTS, 1, "S"], "rows": ["S", OUTPUTS], "shares": [1, "styles"]}
    for (name, shape), value in zip(shapes.items(), block.add_block_output(style, pitch, phase), strict=True):
        writer.add_output(name, value, shape)
    return writer.build_model().SerializeToString()


def record_pitches(weights: KokoroWeights, styles: Floats, lines: list[str]) -> list[list[Floats]]:
    """Returns pitch and phase of each step, float32 (T, 2), of each line and speaker."""
    prosody, flow = (onnxruntime.InferenceSession(build(weights).SerializeToString()) for build in (build_prosody_graph, build_flow_graph))
    g2p = open_g2p()
    pitches = []
    for line in lines:
        ids = convert_phones_to_tokens(g2p.convert_sentence(line)).phones
        frames = (compute_own_frames(prosody, flow, ids, style).reshape(STEPS_PER_FRAME, FLOW_ROWS, -1) for style in styles)
        pitches.append([np.ascontiguousarray(z.transpose(2, 0, 1).reshape(-1, FLOW_ROWS)[:, FEATURE_SIZE:]) for z in frames])
    return pitches


def cut_excerpts(
    session: onnxruntime.InferenceSession, pitches: list[list[Floats]], styles: Floats, count: int, moved_share: float
) -> Excerpts:
    """Cuts excerpts at random and computes what the block makes of them."""
    rng, length, found = np.random.default_rng(len(pitches)), EXCERPT_STEPS + 2 * MARGIN_STEPS, []
    while len(found) < count:
        speaker = int(rng.integers(len(styles)))
        whole = pitches[rng.integers(len(pitches))][speaker]
        begin = int(rng.integers(max(1, len(whole) - length)))
        part, share = whole[begin : begin + length].copy(), np.eye(len(styles))[speaker]
        is_silent = (part[:, 0] > VOICED_HZ).mean() < 0.5
        if len(part) < length or (is_silent and rng.random() > SILENT_SHARE):
            continue
        if rng.random() < moved_share:
            part, share = _move_pitch(part, rng), _choose_other_share(share, rng)
        feed = {"pitch": part[:, 0].copy(), "phase": part[:, 1].copy(), "style_vec": (share @ styles).astype(np.float32)}
        spectrum, rows, shares = session.run(["spectrum", "rows", "shares"], feed)
        block_rows = rows[EDGE : EDGE + EXCERPT_STEPS * SPECTRA_PER_STEP].astype(np.float16)
        found.append((spectrum[0, :, 0, : length * SPECTRA_PER_STEP], shares[0], block_rows))
    return Excerpts(*(torch.from_numpy(np.stack(items)) for items in zip(*found, strict=True)))


def _move_pitch(part: Floats, rng: np.random.Generator) -> Floats:
    semitones = rng.choice(FAR_SEMITONES) if rng.random() < FAR_SHARE else rng.uniform(-SEMITONES, SEMITONES)
    pitch = part[:, 0] * 2 ** (semitones / 12)
    phase = (rng.random() + np.cumsum(np.maximum(pitch, 0)) / STEPS_PER_S) % 1
    return np.stack((pitch, phase), axis=1).astype(np.float32)


def _choose_other_share(share: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    if rng.random() < BLEND_SHARE:
        return rng.dirichlet(np.full(len(share), 0.5))
    return np.eye(len(share))[rng.integers(len(share))] if rng.random() < OTHER_STYLE_SHARE else share


class SourceNetwork(nn.Module):
    """Spectra (B, INPUTS, S + 2 · reach) and shares (B, styles) become rows (B, OUTPUTS, S), as `kokoro_source.py` writes it."""

    def __init__(self, mean: torch.Tensor, deviation: torch.Tensor, levels: torch.Tensor) -> None:
        """Take mean and deviation of the inputs, and the level of each output by style (styles, OUTPUTS), with which the last layer is stored."""
        super().__init__()
        self.mean, self.deviation, self.levels = mean, deviation, levels
        styles, count = len(levels), len(LAYERS)
        self.convs = nn.ModuleList(
            [nn.Conv1d(HIDDEN if i else INPUTS, HIDDEN, kernel, dilation=step) for i, (kernel, step) in enumerate(LAYERS)]
        )
        self.gains = nn.Parameter(torch.ones(count, styles, HIDDEN))
        self.shifts = nn.Parameter(torch.zeros(count, styles, HIDDEN))
        self.matrix = nn.Parameter(torch.randn(styles, HIDDEN, OUTPUTS) * 0.02)
        self.bias = nn.Parameter(torch.zeros(styles, OUTPUTS))
        self.reach = sum((kernel - 1) * dilation // 2 for kernel, dilation in LAYERS)

    def forward(self, spectra: torch.Tensor, shares: torch.Tensor) -> torch.Tensor:
        value = (spectra - self.mean[:, None]) / self.deviation[:, None]
        for index, (conv, (kernel, dilation)) in enumerate(zip(self.convs, LAYERS, strict=True)):
            gain, shift = (shares @ table[index] for table in (self.gains, self.shifts))
            made = functional.leaky_relu(conv(value) * gain[:, :, None] + shift[:, :, None], RESIDUAL_SLOPE)
            edge = (kernel - 1) * dilation // 2
            value = value[:, :, edge:-edge] + made if index else made
        matrix = torch.einsum("bs,shc->bhc", shares, self.matrix * self.levels[:, None])
        return torch.einsum("bht,bhc->bct", value, matrix) + (shares @ (self.bias * self.levels))[:, :, None]

    def load(self, tensors: dict[str, Floats], nearest: list[int]) -> None:
        """Takes over the tensors of `export`; style k begins as the style nearest[k] of theirs."""
        with torch.no_grad():
            for index, conv in enumerate(self.convs):
                weight, bias = (torch.from_numpy(tensors[f"conv{index}.{name}"].astype(np.float32)) for name in ("weight", "bias"))
                if index == 0:
                    bias = bias + (weight * self.mean[None, :, None]).sum((1, 2))
                    weight = weight * self.deviation[None, :, None]
                conv.weight.copy_(weight)
                conv.bias.copy_(bias)
            gains, shifts, matrix, bias = (
                torch.from_numpy(tensors[name].astype(np.float32)) for name in ("gains", "shifts", "matrix", "bias")
            )
            self.gains.copy_(gains[:, nearest])
            self.shifts.copy_(shifts[:, nearest])
            self.matrix.copy_(matrix[nearest] / self.levels[:, None])
            self.bias.copy_(bias[nearest] / self.levels)

    def export(self) -> dict[str, NDArray[np.generic]]:
        """Returns the tensors as the graph takes them: the first layer takes spectra as they are; matrices are float16."""
        tensors: dict[str, NDArray[np.floating]] = {}
        for index, (conv, (_, dilation)) in enumerate(zip(self.convs, LAYERS, strict=True)):
            weight, bias = (item.detach().double() for item in (conv.weight, conv.bias))
            if index == 0:
                weight = weight / self.deviation[None, :, None].double()
                bias = bias - (weight * self.mean[None, :, None].double()).sum((1, 2))
            tensors |= {
                f"conv{index}.weight": weight.numpy(),
                f"conv{index}.bias": bias.numpy(),
                f"conv{index}.dilation": np.array(float(dilation)),
            }
        tensors |= {"gains": self.gains.detach().numpy(), "shifts": self.shifts.detach().numpy()}
        tensors |= {"matrix": (self.matrix * self.levels[:, None]).detach().numpy(), "bias": (self.bias * self.levels).detach().numpy()}
        return {name: values.astype(np.float16 if values.ndim > 1 else np.float32) for name, values in tensors.items()}


def measure(net: SourceNetwork, excerpts: Excerpts) -> float:
    """Returns the signal-to-noise ratio in dB, with each channel over the deviation of the norm behind it."""
    error = power = 0.0
    with torch.no_grad():
        for index in range(len(excerpts.rows)):
            shares, level = excerpts.shares[index : index + 1], torch.exp(excerpts.shares[index] @ torch.log(net.levels))
            wanted = (excerpts.rows[index].float() / level).T
            seen = excerpts.spectra[index : index + 1, :, EDGE - net.reach : EDGE + wanted.shape[1] + net.reach]
            error += float(((net(seen, shares)[0] / level[:, None] - wanted) ** 2).sum())
            power += float(((wanted - wanted.mean(dim=1, keepdim=True)) ** 2).sum())
    return 10 * float(np.log10(power / error))


def train(net: SourceNetwork, excerpts: Excerpts, valid: Excerpts, steps: int, rate: float) -> None:
    """Trains; the error counts by what it is after the norm behind the block."""
    optimizer, began = torch.optim.Adam(net.parameters(), rate, betas=MOMENTS), time.process_time()
    inverse = torch.exp(-excerpts.shares @ torch.log(net.levels))
    for step in range(steps):
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, (step + 1) / WARM_UP_STEPS) * (0.5 + 0.5 * np.cos(np.pi * step / steps) + LEAST_RATE_SHARE)
        chosen = torch.randint(len(excerpts.rows), (BATCH,))
        pairs = list(zip(chosen, torch.randint(excerpts.rows.shape[1] - LENGTH, (BATCH,)), strict=True))
        seen = torch.stack([excerpts.spectra[item, :, EDGE + a - net.reach : EDGE + a + LENGTH + net.reach] for item, a in pairs])
        wanted = torch.stack([excerpts.rows[item, a : a + LENGTH] for item, a in pairs]).float().transpose(1, 2)
        loss = (((net(seen, excerpts.shares[chosen]) - wanted) * inverse[chosen][:, :, None]) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 500 == 499 or step == steps - 1:
            print(f"step {step + 1}: {measure(net, valid):.1f} dB, {time.process_time() - began:.0f} s", flush=True)


def main() -> None:
    """Records, trains and writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--lines", type=int, default=60)
    parser.add_argument("--steps", type=int, default=15000)
    parser.add_argument("--start", type=Path)
    parser.add_argument("--rate", type=float, default=RATE)
    parser.add_argument("--out", type=Path, default=kokoro_graphs.find_kokoro_folder() / "source_features.npz")
    options = parser.parse_args()
    torch.manual_seed(0)
    torch.set_num_threads(1)
    weights, styles = KokoroWeights(load_graph(options.model)), kokoro_graphs.read_speaker_styles()
    pitches = record_pitches(weights, styles, choose_lines(options.texts, options.lines))
    session = onnxruntime.InferenceSession(build_source_graph(weights))
    valid = cut_excerpts(session, pitches[: options.lines // 4], styles, VALID_EXCERPTS, 0.0)
    excerpts = cut_excerpts(session, pitches[options.lines // 4 :], styles, EXCERPTS, MOVED_SHARE)
    log_deviations = kokoro_graphs.read_norm_statistics().tables[NEXT_NORM][:, OUTPUTS:]
    levels = torch.from_numpy(np.exp(log_deviations).astype(np.float32))
    net = SourceNetwork(excerpts.spectra.mean((0, 2)), excerpts.spectra.std((0, 2)) + 1e-3, levels)
    if options.start is None:
        with torch.no_grad():
            inverse = torch.exp(-excerpts.shares @ torch.log(levels))
            net.bias += (excerpts.rows[:, ::7].float() * inverse[:, None]).mean((0, 1))
    else:
        with np.load(options.start) as file:
            tensors = {name: file[name] for name in file.files}
        sounds = styles[:, :STYLE_HALF]
        known = sounds[: tensors["gains"].shape[1]]
        net.load(tensors, [int(np.square(known - sound).sum(axis=1).argmin()) for sound in sounds])
        print(f"start: {measure(net, valid):.1f} dB", flush=True)
    train(net, excerpts, valid, options.steps, options.rate)
    np.savez_compressed(options.out, **net.export())


if __name__ == "__main__":
    main()
