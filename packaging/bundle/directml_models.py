"""A voice and a BERT of the public architectures with random numbers, for checks that count: they cost what real ones cost and sound like noise.

Made with the program's own writers, without PyTorch. Durations come out at about three frames a symbol, as in speech.
"""

import json
import math
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from app.install.voice_preparation import prepare_voice
from app.voices.bert_models import BERT_GRAPH_NAME, VOCABULARY_NAME, write_bert
from app.voices.prepare.bert.deberta_weights import DebertaSizes
from app.voices.prepare.bert.lean_deberta import write_lean_deberta
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME

Array = np.ndarray
BERT_WIDTH, STYLE_WIDTH, SYMBOLS, TONES, LANGUAGES = 1024, 256, 112, 12, 3
LAYERS, HEADS, DIAGONALS, COUPLINGS = 6, 2, 9, (0, 2, 4, 6)
KERNELS, DILATIONS = (3, 7, 11), (1, 3, 5)
RATES, UPSAMPLE_KERNELS = (8, 8, 2, 2, 2), (16, 16, 8, 2, 2)
DURATION_CHANNELS, SPLINE, SPLINES = 256, 29, (1, 3, 5, 7)
FRAMES_PER_SYMBOL = 3.1
SPREAD = 0.02  # of random weights: small, so that durations stay near their bias
POSITIONS = 512  # rows of relative positions in DeBERTa


@dataclass(frozen=True, slots=True)
class Widths:
    """What differs between a voice as people have them and one that is made faster; the layers are the same."""

    hidden: int
    inner: int
    speaker: int
    decoder: int
    bert_inner: int
    bert_layers: int


REAL = Widths(hidden=192, inner=768, speaker=512, decoder=512, bert_inner=4096, bert_layers=22)
SMALL = Widths(hidden=32, inner=64, speaker=48, decoder=64, bert_inner=64, bert_layers=22)


def make_voice(folder: Path, name: str, widths: Widths) -> None:
    """Prepares a made-up voice into `folder`, the way that a user's file is prepared."""
    folder.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as made:
        _write_checkpoint(Path(made), name, widths)
        prepare_voice(Path(made), folder, int8=False)


def _write_checkpoint(source: Path, name: str, widths: Widths) -> None:
    (source / "config.json").write_text(json.dumps(_config(name, widths)), encoding="utf-8")
    np.save(source / STYLE_VECTORS_NAME, np.zeros((1, STYLE_WIDTH), np.float32))
    _write_safetensors(source / "model.safetensors", dict(_weights(widths)))


def make_bert(folder: Path, vocabulary: Path, widths: Widths) -> None:
    """Writes a made-up BERT of the standard id into `folder`, with the vocabulary of another."""
    folder.mkdir(parents=True)
    text = vocabulary.read_text(encoding="utf-8")
    (folder / VOCABULARY_NAME).write_text(text, encoding="utf-8", newline="\n")
    write_lean_deberta(_MadeUpBert(len(text.splitlines()), widths), folder / BERT_GRAPH_NAME, lambda stage, share: None)
    write_bert(folder, {"id": SBV2_BERT_ID, "name": "made up", "hidden_size": BERT_WIDTH, "licence": "none: random numbers"})


class _MadeUpBert:
    """Implements `app.voices.prepare.bert.deberta_weights.DebertaWeights`."""

    def __init__(self, tokens: int, widths: Widths) -> None:
        self.architecture = DebertaSizes(widths.bert_layers, 16, BERT_WIDTH, widths.bert_inner, tokens, 1e-7)
        self._random = np.random.default_rng(0)

    def read_tensor(self, name: str) -> Array:
        """By the end of its name: layer norms start at one, biases at nothing."""
        sizes = self.architecture
        width = sizes.inner if name.endswith("intermediate.dense.bias") else sizes.hidden
        if name == "embeddings.word_embeddings.weight":
            return self._numbers(sizes.vocabulary, width)
        if name == "encoder.conv.conv.weight":
            return self._numbers(width, width, 3)
        return np.ones(width, np.float32) if name.endswith("LayerNorm.weight") else self._numbers(width)

    def read_matrix(self, name: str) -> Array:
        """Feed-forward layers are wider inside, all others square."""
        sizes = self.architecture
        inner_in = name.endswith("output.dense") and "attention" not in name
        inner_out = name.endswith("intermediate.dense")
        return self._numbers(sizes.inner if inner_in else sizes.hidden, sizes.inner if inner_out else sizes.hidden)

    def read_position_tables(self, layer: int) -> tuple[Array, Array]:
        """As many rows as the public model has."""
        return self._numbers(POSITIONS, BERT_WIDTH), self._numbers(POSITIONS, BERT_WIDTH)

    def _numbers(self, *shape: int) -> Array:
        return self._random.standard_normal(shape, np.float32) * np.float32(SPREAD)


def shapes(widths: Widths) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Names and shapes of the weights that speaking needs, weight norms folded in."""
    hidden, speaker = widths.hidden, widths.speaker
    for name, size in (("emb", SYMBOLS), ("tone_emb", TONES), ("language_emb", LANGUAGES)):
        yield f"enc_p.{name}.weight", (size, hidden)
    yield from _layer("enc_p.bert_proj", hidden, BERT_WIDTH, 1)
    yield from _layer("enc_p.style_proj", hidden, STYLE_WIDTH)
    yield from _encoder("enc_p.encoder", widths, 3)
    yield from _layer("enc_p.proj", 2 * hidden, hidden, 1)
    yield "emb_g.weight", (1, speaker)
    for number in COUPLINGS:
        name = f"flow.flows.{number}"
        yield from _layer(f"{name}.pre", hidden, hidden // 2, 1)
        yield from _encoder(f"{name}.enc", widths, 5)
        yield from _layer(f"{name}.post", hidden // 2, hidden, 1)
    yield from _decoder(widths)
    yield from _durations(hidden, speaker)


def _layer(name: str, outputs: int, *rest: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.weight", (outputs, *rest)
    yield f"{name}.bias", (outputs,)


def _norm(name: str, channels: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f"{name}.gamma", (channels,)
    yield f"{name}.beta", (channels,)


def _encoder(name: str, widths: Widths, kernel: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    hidden = widths.hidden
    yield from _layer(f"{name}.spk_emb_linear", hidden, widths.speaker)
    for layer in range(LAYERS):
        for part in "qkvo":
            yield from _layer(f"{name}.attn_layers.{layer}.conv_{part}", hidden, hidden, 1)
        for part in "kv":
            yield f"{name}.attn_layers.{layer}.emb_rel_{part}", (1, DIAGONALS, hidden // HEADS)
        yield from _layer(f"{name}.ffn_layers.{layer}.conv_1", widths.inner, hidden, kernel)
        yield from _layer(f"{name}.ffn_layers.{layer}.conv_2", hidden, widths.inner, kernel)
        for number in (1, 2):
            yield from _norm(f"{name}.norm_layers_{number}.{layer}", hidden)


def _decoder(widths: Widths) -> Iterator[tuple[str, tuple[int, ...]]]:
    channels = widths.decoder
    yield from _layer("dec.conv_pre", channels, widths.hidden, 7)
    yield from _layer("dec.cond", channels, widths.speaker, 1)
    for stage, kernel in enumerate(UPSAMPLE_KERNELS):
        yield f"dec.ups.{stage}.weight", (channels, channels // 2, kernel)
        yield f"dec.ups.{stage}.bias", (channels // 2,)
        channels //= 2
        for block, width in enumerate(KERNELS):
            for number in range(len(DILATIONS)):
                for side in ("convs1", "convs2"):
                    yield from _layer(f"dec.resblocks.{stage * len(KERNELS) + block}.{side}.{number}", channels, channels, width)
    yield "dec.conv_post.weight", (1, channels, 7)


def _durations(hidden: int, speaker: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield from _layer("dp.cond", hidden, speaker, 1)
    for number, inputs in ((1, hidden), (2, DURATION_CHANNELS)):
        yield from _layer(f"dp.conv_{number}", DURATION_CHANNELS, inputs, 3)
        yield from _norm(f"dp.norm_{number}", DURATION_CHANNELS)
    yield from _layer("dp.proj", 1, DURATION_CHANNELS, 1)
    yield from _layer("sdp.cond", hidden, speaker, 1)
    for part in ("pre", "proj"):
        yield from _layer(f"sdp.{part}", hidden, hidden, 1)
    yield from _separable("sdp.convs", hidden)
    for part in ("m", "logs"):
        yield f"sdp.flows.0.{part}", (2, 1)
    for number in SPLINES:
        yield from _layer(f"sdp.flows.{number}.pre", hidden, 1, 1)
        yield from _separable(f"sdp.flows.{number}.convs", hidden)
        yield from _layer(f"sdp.flows.{number}.proj", SPLINE, hidden, 1)


def _separable(name: str, hidden: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    for number in range(3):
        yield from _layer(f"{name}.convs_sep.{number}", hidden, 1, 3)
        yield from _layer(f"{name}.convs_1x1.{number}", hidden, hidden, 1)
        for side in (1, 2):
            yield from _norm(f"{name}.norms_{side}.{number}", hidden)


def _weights(widths: Widths) -> Iterator[tuple[str, Array]]:
    random = np.random.default_rng(0)
    for name, shape in shapes(widths):
        numbers = random.standard_normal(shape, np.float32) * np.float32(SPREAD)
        if name.endswith("gamma"):
            numbers += 1
        yield name, numbers + np.float32(math.log(FRAMES_PER_SYMBOL)) if name in ("dp.proj.bias", "sdp.flows.0.m") else numbers


def _config(name: str, widths: Widths) -> dict[str, object]:
    model = {
        "n_heads": HEADS, "resblock": "1", "upsample_rates": list(RATES), "resblock_dilation_sizes": [list(DILATIONS)] * len(KERNELS),
        "use_transformer_flow": True, "gin_channels": widths.speaker,
    }  # fmt: skip
    data = {
        "use_jp_extra": True, "sampling_rate": 44_100, "hop_length": math.prod(RATES), "add_blank": True, "n_speakers": 1,
        "spk2id": {"speaker": 0}, "num_styles": 1, "style2id": {"Neutral": 0},
    }  # fmt: skip
    return {"model_name": name, "version": "2.5.0-JP-Extra", "data": data, "model": model}


def _write_safetensors(path: Path, tensors: dict[str, Array]) -> None:
    """See `app.voices.untrusted.safetensors_file`, which reads it."""
    header, end = {}, 0
    for name, values in tensors.items():
        header[name] = {"dtype": "F32", "shape": list(values.shape), "data_offsets": [end, end + values.nbytes]}
        end += values.nbytes
    head = json.dumps(header).encode()
    with path.open("wb") as file:
        file.write(len(head).to_bytes(8, "little") + head)
        for values in tensors.values():
            file.write(values.tobytes())
