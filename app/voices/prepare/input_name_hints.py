"""The names that exporters give the inputs of a voice: a hint where the graph itself does not show their roles."""

from __future__ import annotations

import re
from typing import Literal

InputKind = Literal["index", "vector", "number"]

INPUT_SPELLINGS: dict[InputKind, dict[str, tuple[str, ...]]] = {
    "index": {
        "x_tst": ("x", "phone", "phoneme", "symbol", "text", "input"),
        "x_tst_lengths": ("x_tst_length", "x_length", "length", "phone_length", "phoneme_length", "text_length", "input_length"),
        "sid": ("speaker", "spk", "speaker_id", "spk_id"),
        "tones": ("tone",),
        "language": ("lang", "lid", "language_id", "lang_id"),
    },
    "vector": {
        "style_vec": ("style", "style_vector", "style_emb", "style_embedding"),
        "bert": ("bert_feature", "bert_emb", "bert_embedding", "bert_vec"),
    },
    "number": {
        "length_scale": ("length", "length_ratio", "duration_scale"),
        "sdp_ratio": ("sdp", "ratio", "sdp_mix"),
        "noise_scale": ("noise", "noise_level"),
        "noise_scale_w": ("noise_w", "noise_scale_dur", "noise_scale_duration", "noise_width", "sdp_noise_scale"),
    },
}
PUBLIC_INPUT_NAMES = frozenset(("ja_bert", "en_bert", *(usual for table in INPUT_SPELLINGS.values() for usual in table)))
LANGUAGE_SPELLINGS = {"ja_bert": {"ja", "jp", "jpn", "japanese"}, "en_bert": {"en", "eng", "english"}}


def guess_role_by_name(name: str, kind: InputKind) -> str:
    """Return the usual name of an input of this kind, guessed by its own name; empty if the name says nothing."""
    words = _split_name(name)
    plain = "_".join(word for word in words if word not in ("ids", "id", "seq", "tensor"))
    spelled = {"_".join(words), plain, *(text.removesuffix("s") for text in ("_".join(words), plain))}
    return next((usual for usual, others in INPUT_SPELLINGS[kind].items() if spelled & {usual, *others}), "")


def guess_feature_input(name: str) -> str:
    """Return `bert`, or `ja_bert` or `en_bert` if the name of the graph's input says so."""
    words = set(_split_name(name))
    return next((usual for usual, languages in LANGUAGE_SPELLINGS.items() if words & languages), "bert")


def _split_name(name: str) -> list[str]:
    """Split a name into lower-case words: `Style-Vec:0` and `styleVec` give style, vec."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name.partition(":")[0])
    return [word.lower() for word in re.split(r"[^A-Za-z0-9]+", spaced) if word]
