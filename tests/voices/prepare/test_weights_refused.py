"""Weights and settings that are no complete SBV2 voice are refused, and the part that does not fit is named."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.common.errors import VoiceError
from app.voices.prepare.weights.weight_graphs import build_voice_graphs
from app.voices.untrusted.safetensors_file import SafetensorsFile
from tests.voices.prepare.reference_weights import config_of, tensors_of

Broken = Callable[[dict[str, np.ndarray], dict[str, Any]], Any]
BROKEN: dict[str, Broken] = {
    "dp.conv_2.weight is missing": lambda tensors, config: tensors.pop("dp.conv_2.weight"),
    "Some layers of enc_p.encoder.attn_layers": lambda tensors, config: _drop(tensors, "enc_p.encoder.attn_layers.1."),
    "Some layers of sdp.flows": lambda tensors, config: _drop(tensors, "sdp.flows.5."),
    "Some layers of flow.flows": lambda tensors, config: _drop(tensors, "flow.flows.4."),
    "dec.resblocks.4.convs1.1.weight_v has the unexpected shape 16×15×7": lambda tensors, config: tensors.update(
        {"dec.resblocks.4.convs1.1.weight_v": tensors["dec.resblocks.4.convs1.1.weight_v"][:, :-1]}
    ),
    "flow.flows.2.pre.weight contains invalid values": lambda tensors, config: tensors.update(
        {"flow.flows.2.pre.weight": np.full((32, 16, 1), np.nan, np.float32)}
    ),
    "enc_p.emb.weight has the unexpected shape 111×32": lambda tensors, config: tensors.update(
        {"enc_p.emb.weight": tensors["enc_p.emb.weight"][:-1]}
    ),
    "dec.ups.0 are zero": lambda tensors, config: tensors.update({"dec.ups.0.weight_v": np.zeros((64, 32, 16), np.float32)}),
    "dec.ups.1 does not match": lambda tensors, config: tensors.update({"dec.ups.1.weight_v": np.ones((32, 16, 15), np.float32)}),
    "number of layers in dec.resblocks.0": lambda tensors, config: config["model"].update(resblock_dilation_sizes=[[1, 3]] * 3),
    "without a transformer flow": lambda tensors, config: config["model"].update(use_transformer_flow=False),
    "with resblock type 2": lambda tensors, config: config["model"].update(resblock="2"),
    "without a speaker embedding": lambda tensors, config: tensors.pop("emb_g.weight"),
    "not from a Style-Bert-VITS2 voice": lambda tensors, config: tensors.clear(),
    "“model” in config.json is not valid: it is missing": lambda tensors, config: config.pop("model"),
    "“data” in config.json is not valid: it is missing": lambda tensors, config: config.pop("data"),
    "it is 256, but upsample_rates multiply to 512": lambda tensors, config: config["data"].update(hop_length=256),
    "“model.n_heads” in config.json is not valid: 5 does not divide 32": lambda tensors, config: config["model"].update(n_heads=5),
    "“model.resblock_dilation_sizes” in config.json is not valid: it has 1 items, but the weights have 3": lambda tensors, config: config[
        "model"
    ].update(resblock_dilation_sizes=[[1, 3, 5]]),
}
BROKEN_CONFIGS = (
    {},
    {"model": None},
    {"upsample_rates": [8, 8, 2, 2]},
    {"upsample_rates": [-8, -8, 2, 2, 2]},
    {"upsample_rates": 512},
    {"n_heads": "many"},
    {"n_heads": 0},
    {"n_heads": float("inf")},
    {"n_heads": float("nan")},
    {"n_heads": 3},
    {"resblock_dilation_sizes": [[1, 3, 5]]},
    {"resblock_dilation_sizes": [1, 3, 5]},
    {"resblock_dilation_sizes": [[1, 3, 2**40]] * 3},
    {"resblock_dilation_sizes": [[1, 3, 2**70]] * 3},
    {"resblock_dilation_sizes": [[1, 3, 5.5]] * 3},
)


def _drop(tensors: dict[str, np.ndarray], prefix: str) -> None:
    for name in [name for name in tensors if name.startswith(prefix)]:
        del tensors[name]


@pytest.mark.parametrize("says", BROKEN)
def test_weights_that_do_not_fit_are_refused_by_name(tiny_models: Path, says: str) -> None:
    path = tiny_models / "jp-extra-tiny/model.safetensors"
    tensors, config = tensors_of(path), config_of(path)
    BROKEN[says](tensors, config)
    with pytest.raises(VoiceError) as caught:
        build_voice_graphs(config, tensors)
    assert says in f"{caught.value.message} {caught.value.hint}"
    assert caught.value.hint


@pytest.mark.parametrize("changes", BROKEN_CONFIGS, ids=str)
def test_settings_that_do_not_fit_are_refused(tiny_models: Path, changes: dict[str, Any]) -> None:
    path = tiny_models / "jp-extra-tiny/model.safetensors"
    config = config_of(path)
    config = config | {"model": config["model"] | changes} if changes and "model" not in changes else changes
    with pytest.raises(VoiceError) as caught:
        build_voice_graphs(config, SafetensorsFile(path))
    assert "config.json" in caught.value.message


@pytest.mark.parametrize(
    "changes",
    [
        {"n_heads": "2", "upsample_rates": [8.0, "8", 2, 2, 2], "resblock": 1.0, "use_transformer_flow": 1},
        {"n_heads": None, "upsample_rates": None, "resblock": None, "resblock_dilation_sizes": None},
    ],
    ids=["as text and float", "left out"],
)
def test_settings_that_sbv2_takes_make_the_same_voice(tiny_models: Path, changes: dict[str, Any]) -> None:
    path = tiny_models / "jp-extra-tiny/model.safetensors"
    config, tensors = config_of(path), SafetensorsFile(path)
    model = {name: value for name, value in (config["model"] | changes).items() if value is not None}
    data = {name: value for name, value in config["data"].items() if name != "hop_length"}
    assert build_voice_graphs(config | {"model": model, "data": data}, tensors) == build_voice_graphs(config, tensors)
