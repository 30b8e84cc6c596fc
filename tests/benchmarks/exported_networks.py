"""The networks that `exporters.py` writes: those of the included voice and its BERT, and a DeBERTa in small. All weights are random."""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

RECIPE = Path(__file__).parents[2] / "packaging" / "starter_voice"
sys.path.append(str(RECIPE))  # its scripts import each other by plain names

SYMBOLS, TONES, TOKENS = 40, 12, 500
SIZES = {"hidden_size": 256, "num_attention_heads": 4, "intermediate_size": 1024, "num_hidden_layers": 6, "vocab_size": TOKENS}
AS_PUBLISHED = {
    "relative_attention": True, "position_buckets": 256, "share_att_key": True, "norm_rel_ebd": "layer_norm", "conv_kernel_size": 3,
    "conv_act": "gelu", "pos_att_type": ["p2c", "c2p"], "max_relative_positions": -1, "position_biased_input": False, "type_vocab_size": 0,
    "layer_norm_eps": 1e-7,
}  # fmt: skip
Inputs = dict[str, Tensor]


@dataclass(frozen=True, slots=True)
class Network:
    """One network.

    Attributes:
        inputs: by name, for a length.
        growing: those whose second axis is the length.
        own: our writer; None where it writes this network only together with others.
    """

    name: str
    model: nn.Module
    inputs: Callable[[int], Inputs]
    growing: tuple[str, ...]
    own: Callable[[Path], None] | None = None

    def own_feed(self, given: Inputs) -> Mapping[str, np.ndarray]:
        """Inputs of what our writer writes, which has no batch."""
        return {"input_ids": given["ids"][0].numpy()}


def networks(folder: Path) -> list[Network]:
    """All of them.

    Args:
        folder: for the weights of the DeBERTa, as published models store them.
    """
    torch.manual_seed(0)
    return [_starter_bert(), _finder(), _prosody(), _frames(), _deberta(folder)]


def _starter_bert() -> Network:
    from bert import StarterBert
    from export_bert import export_bert

    model = _as_stored(StarterBert(TOKENS))
    assert isinstance(model, StarterBert)

    def given(length: int) -> Inputs:
        return {"ids": _whole(length, TOKENS), "real": torch.ones(1, length)}

    return Network("BERT of the included voice", model, given, ("ids", "real"), lambda path: export_bert(model, path))


def _finder() -> Network:
    from network import Finder

    def given(length: int) -> Inputs:
        return {**_spoken(length), "features": torch.randn(1, length, 1024), "real": torch.ones(1, length)}

    return Network("its finder", _as_stored(Finder(8)), given, ("phones", "tones", "features", "real"))


def _prosody() -> Network:
    from advice import VALUES
    from network import ROLE_WIDTH, STATES, Prosody

    def given(length: int) -> Inputs:
        said = {"values": torch.randn(1, length, STATES, VALUES), "lengths": torch.rand(1, length, STATES)}
        return {**_spoken(length), **said, "role": torch.randn(1, ROLE_WIDTH), "real": torch.ones(1, length)}

    return Network("its prosody", _as_stored(Prosody()), given, ("phones", "tones", "values", "lengths", "real"))


def _frames() -> Network:
    from network import FEATURES, ROLE_WIDTH, STATE_WIDTH, Frames

    def given(length: int) -> Inputs:
        moving = {"vectors": torch.randn(1, 2 * length, STATE_WIDTH), "positions": torch.randn(1, 2 * length, FEATURES)}
        return {**moving, "role": torch.randn(1, ROLE_WIDTH), "real": torch.ones(1, length)}

    return Network("its frames", _as_stored(Frames()), given, ("vectors", "positions", "real"))


class Features(nn.Module):
    """Of a DeBERTa, what Style-Bert-VITS2 reads."""

    def __init__(self, model: nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Both int64 (1, n) → (1, n, hidden)."""
        found: Tensor = self.model(ids, attention_mask=mask, output_hidden_states=True).hidden_states[-3]
        return found


def _deberta(folder: Path) -> Network:
    from transformers import DebertaV2Config, DebertaV2Model

    from app.common.progress import ignore_report
    from app.voices.prepare.bert.lean_deberta import write_lean_deberta
    from app.voices.prepare.bert.open_weights import open_deberta_weights

    model = DebertaV2Model(DebertaV2Config(**SIZES, **AS_PUBLISHED)).eval()
    for name, weight in model.named_parameters():
        nn.init.normal_(weight, mean=float(name.endswith("LayerNorm.weight")), std=0.08 if weight.ndim > 1 else 0.05)
    model.save_pretrained(folder, safe_serialization=True)

    def given(length: int) -> Inputs:
        return {"ids": _whole(length, TOKENS), "mask": torch.ones(1, length, dtype=torch.int64)}

    def write(path: Path) -> None:
        write_lean_deberta(open_deberta_weights(folder / "model.safetensors"), path, ignore_report)

    return Network("DeBERTa, 6 layers of 256", Features(model).eval(), given, ("ids", "mask"), write)


def _as_stored(model: nn.Module) -> nn.Module:
    """No weight is zero, as some are before training, and half precision holds each exactly, as our writer stores them."""
    with torch.no_grad():
        for weight in model.parameters():
            if not weight.any():
                weight.normal_(std=0.1)
            weight.copy_(weight.half().float())
    return model.eval()


def _spoken(length: int) -> Inputs:
    return {"phones": _whole(length, SYMBOLS), "tones": _whole(length, TONES)}


def _whole(length: int, below: int) -> Tensor:
    return torch.randint(0, below, (1, length))
