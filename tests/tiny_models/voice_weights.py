"""The settings of a tiny voice, and random weights under the names and in the shapes that training leaves."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.core.symbols import NANAIRO_SYMBOL_COUNT, SYMBOLS
from app.core.synthesis_types import BERT_WIDTH, STYLE_WIDTH, Float32
from app.core.text.phone_ids import SYMBOL_KIND_COUNT

STYLES = ("Neutral", "Happy", "Sad", "Angry", "Whisper")
UPSAMPLE_RATES, UPSAMPLE_WIDTHS = (8, 8, 2, 2, 2), (16, 16, 8, 2, 2)
BLOCK_WIDTHS, DILATIONS = (3, 7, 11), (1, 3, 5)
HEADS, COUPLINGS, SEPARABLE_LAYERS, SPLINE_FLOWS = 2, 4, 3, 4
RELATIVE_POSITIONS = 9  # rows of a table of relative positions: four to each side and the middle
SPLINE_PARAMETERS = 29  # of ten bins
FRAMES_PER_SYMBOL = 3.1  # as in real speech, blanks counted
Shapes = Iterator[tuple[str, tuple[int, ...]]]


@dataclass(frozen=True, slots=True)
class TinyVoice:
    """The sizes of a voice.

    What is of half the size takes a third less time to prepare, so only one voice is as deep as real ones.

    Attributes:
        name: name of its folder and model.
        speakers: rows of the table of speakers.
        multilingual: it reads three BERTs, and its couplings have four layers whatever `layers` says.
        nanairo: it knows emoji, and transformers draw its durations.
        layers: of each encoder; a real voice has six.
        decoder_channels: channels before the first upsampling; half as many after each, so 32 leave a single one at the end, where 64
            leave two, which can be quantised.
    """

    name: str
    speakers: int = 1
    multilingual: bool = False
    nanairo: bool = False
    seed: int = 0
    layers: int = 3
    decoder_channels: int = 32

    @property
    def hidden(self) -> int:
        """Channels of the text encoder, and of the prior."""
        return 16 if self.nanairo else 32

    @property
    def filters(self) -> int:
        """Channels inside a feed-forward layer."""
        return 32 if self.nanairo else 64

    @property
    def gin(self) -> int:
        """Width of a speaker embedding."""
        return 24 if self.nanairo else 48


def make_config(voice: TinyVoice) -> dict[str, Any]:
    """Return the `config.json` that training writes."""
    version = "2.5.0" if voice.multilingual else "2.5.0-JP-Extra"
    return {
        "model_name": voice.name,
        "version": version,
        "train": {"log_interval": 200, "seed": 42, "epochs": 1000, "learning_rate": 0.0001, "betas": [0.8, 0.99], "eps": 1e-9},
        "data": {
            "use_jp_extra": not voice.multilingual, "sampling_rate": 44100, "filter_length": 2048, "hop_length": 512, "add_blank": True,
            "n_speakers": voice.speakers, "spk2id": {f"speaker{number}": number for number in range(voice.speakers)},
            "num_styles": len(STYLES), "style2id": {style: number for number, style in enumerate(STYLES)},
        },
        "model": {
            "use_spk_conditioned_encoder": True, "inter_channels": voice.hidden, "hidden_channels": voice.hidden,
            "filter_channels": voice.filters, "n_heads": HEADS, "n_layers": voice.layers, "kernel_size": 3, "resblock": "1",
            "resblock_kernel_sizes": list(BLOCK_WIDTHS), "resblock_dilation_sizes": [list(DILATIONS) for _ in BLOCK_WIDTHS],
            "upsample_rates": list(UPSAMPLE_RATES), "upsample_kernel_sizes": list(UPSAMPLE_WIDTHS),
            "upsample_initial_channel": voice.decoder_channels, "gin_channels": voice.gin,
        },
    }  # fmt: skip


def make_style_vectors(voice: TinyVoice) -> Float32:
    """Return random style vectors, [styles, 256]."""
    return np.random.default_rng(voice.seed).standard_normal((len(STYLES), STYLE_WIDTH)).astype(np.float32)


def make_weights(voice: TinyVoice) -> dict[str, Float32]:
    """Return random weights by name.

    No layer is zero, the decoder answers its input, and a line takes about as many frames as real speech: see `_draw`.
    """
    random = np.random.default_rng(voice.seed)
    return {name: _draw(random, name, shape).astype(np.float32) for name, shape in _shapes(voice)}


def _draw(random: np.random.Generator, name: str, shape: tuple[int, ...]) -> np.ndarray:
    values = random.standard_normal(shape)
    if name.endswith("gamma"):
        return 1 + 0.1 * values
    if name.startswith("dec.") and name.endswith("weight_g"):  # unit gain
        return 0.5 + 0.4 * random.random(shape) + (0.8 if ".ups." in name else 0.0)
    if name in ("dp.proj.bias", "dp.output_proj.bias"):
        return np.full(shape, np.log(FRAMES_PER_SYMBOL))
    if name in ("sdp.flows.0.m", "sdp.prior_flow_layers.0.m"):  # (noise - m) * exp(-logs) are the log durations
        return np.full(shape, -np.log(FRAMES_PER_SYMBOL) * np.e)
    if name.endswith("flows.0.logs") or name.endswith("flow_layers.0.logs"):
        return np.ones(shape)
    if name == "dec.conv_post.weight":
        return 0.1 * values
    if name.endswith(("bias", "beta", ".m", ".logs")) or name in ("dp.proj.weight", "dp.output_proj.weight"):
        return 0.05 * values
    if name == "enc_p.proj.weight":  # a prior that noise does not drown
        return 0.2 * values / np.sqrt(shape[1])
    if name.endswith("weight_v") or len(shape) < 2:
        return values
    return values / np.sqrt(np.prod(shape[1:]) if not name.endswith("emb.weight") else 1)


def _shapes(voice: TinyVoice) -> Shapes:
    """Yield the names and shapes of all tensors."""
    yield "emb_g.weight", (voice.speakers, voice.gin)
    yield from _text_encoder(voice)
    yield from _decoder(voice)
    layers = 4 if voice.multilingual else voice.layers
    for number in range(COUPLINGS):
        name, half = f"flow.flows.{2 * number}", voice.hidden // 2
        yield from _layer(f"{name}.pre", voice.hidden, half, 1)
        yield from _encoder(voice, f"{name}.enc", layers, 5, voice.filters)
        yield from _layer(f"{name}.post", half, voice.hidden, 1)
    if voice.nanairo:
        yield from _transformer_durations(voice)
        yield "speaker_adapter.gate_logit", ()  # training leaves ways to other speakers
        yield from _layer("speaker_adapter.net.0", 256, 10)
        yield "g_neutral", (1, voice.gin)
    else:
        yield from _convolution_durations(voice)


def _layer(name: str, outputs: int, *inputs: int) -> Shapes:
    yield f"{name}.weight", (outputs, *inputs)
    yield f"{name}.bias", (outputs,)


def _norm(name: str, channels: int) -> Shapes:
    yield f"{name}.gamma", (channels,)
    yield f"{name}.beta", (channels,)


def _encoder(voice: TinyVoice, name: str, layers: int, width: int, filters: int, *, speaker: bool = True) -> Shapes:
    hidden = voice.hidden
    for number in range(layers):
        for part in "qkvo":
            yield from _layer(f"{name}.attn_layers.{number}.conv_{part}", hidden, hidden, 1)
        for part in "kv":
            yield f"{name}.attn_layers.{number}.emb_rel_{part}", (1, RELATIVE_POSITIONS, hidden // HEADS)
        yield from _layer(f"{name}.ffn_layers.{number}.conv_1", filters, hidden, width)
        yield from _layer(f"{name}.ffn_layers.{number}.conv_2", hidden, filters, width)
        for place in (1, 2):
            yield from _norm(f"{name}.norm_layers_{place}.{number}", hidden)
    if speaker:
        yield from _layer(f"{name}.spk_emb_linear", hidden, voice.gin)


def _text_encoder(voice: TinyVoice) -> Shapes:
    hidden = voice.hidden
    tables = {"emb": NANAIRO_SYMBOL_COUNT if voice.nanairo else len(SYMBOLS), "tone_emb": 12, "language_emb": 3}
    for table, rows in tables.items():
        yield f"enc_p.{table}.weight", (rows, hidden)
    for language in ("", "ja_", "en_") if voice.multilingual else ("",):
        yield from _layer(f"enc_p.{language}bert_proj", hidden, BERT_WIDTH, 1)
    yield from _layer("enc_p.style_proj", hidden, STYLE_WIDTH)
    yield from _encoder(voice, "enc_p.encoder", voice.layers, 3, voice.filters)
    yield from _layer("enc_p.proj", 2 * hidden, hidden, 1)


def _decoder(voice: TinyVoice) -> Shapes:
    channels = voice.decoder_channels
    yield from _layer("dec.conv_pre", channels, voice.hidden, 7)
    yield from _layer("dec.cond", channels, voice.gin, 1)
    for stage, width in enumerate(UPSAMPLE_WIDTHS):
        yield f"dec.ups.{stage}.weight_g", (channels, 1, 1)
        yield f"dec.ups.{stage}.weight_v", (channels, channels // 2, width)
        channels //= 2
        yield f"dec.ups.{stage}.bias", (channels,)
        for block, wide in enumerate(BLOCK_WIDTHS):
            for half in ("convs1", "convs2"):
                for number in range(len(DILATIONS)):
                    name = f"dec.resblocks.{stage * len(BLOCK_WIDTHS) + block}.{half}.{number}"
                    yield f"{name}.weight_g", (channels, 1, 1)
                    yield f"{name}.weight_v", (channels, channels, wide)
                    yield f"{name}.bias", (channels,)
    yield "dec.conv_post.weight", (1, channels, 7)


def _separable(name: str, hidden: int) -> Shapes:
    for number in range(SEPARABLE_LAYERS):
        yield from _layer(f"{name}.convs_sep.{number}", hidden, 1, 3)
        yield from _layer(f"{name}.convs_1x1.{number}", hidden, hidden, 1)
        for place in (1, 2):
            yield from _norm(f"{name}.norms_{place}.{number}", hidden)


def _spline_flows(name: str, hidden: int) -> Shapes:
    yield f"{name}.0.m", (2, 1)
    yield f"{name}.0.logs", (2, 1)
    for number in range(1, 2 * SPLINE_FLOWS, 2):
        yield from _layer(f"{name}.{number}.pre", hidden, 1, 1)
        yield from _separable(f"{name}.{number}.convs", hidden)
        yield from _layer(f"{name}.{number}.proj", SPLINE_PARAMETERS, hidden, 1)


def _convolution_durations(voice: TinyVoice) -> Shapes:
    hidden, filters = voice.hidden, 256
    for number, inputs in ((1, hidden), (2, filters)):
        yield from _layer(f"dp.conv_{number}", filters, inputs, 3)
        yield from _norm(f"dp.norm_{number}", filters)
    yield from _layer("dp.proj", 1, filters, 1)
    for predictor in ("dp", "sdp"):
        yield from _layer(f"{predictor}.cond", hidden, voice.gin, 1)
    for name in ("sdp.pre", "sdp.proj"):
        yield from _layer(name, hidden, hidden, 1)
    yield from _separable("sdp.convs", hidden)
    yield from _spline_flows("sdp.flows", hidden)


def _transformer_durations(voice: TinyVoice) -> Shapes:
    hidden, filters = voice.hidden, 20
    yield "duration_symbol_type_emb.weight", (SYMBOL_KIND_COUNT, hidden)
    yield from _encoder(voice, "dp.transformer_encoder", voice.layers, 3, filters)
    yield from _layer("dp.output_proj", 1, hidden, 1)
    for name in ("sdp.prior_input_proj", "sdp.prior_output_proj"):
        yield from _layer(name, hidden, hidden, 1)
    yield from _encoder(voice, "sdp.prior_cond_encoder", 4, 3, filters)
    yield from _spline_flows("sdp.prior_flow_layers", hidden)
