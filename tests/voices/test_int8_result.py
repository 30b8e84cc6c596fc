"""What a manifest says of the faster way to speak: read again as it was written, readable from before, refused where it is damaged."""

import json
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from app.common.errors import VoiceError
from app.voices.int8_result import Int8Graph, Int8Rejection, Int8RejectionReason, Int8Result, explain_int8_rejection
from app.voices.prepared_voice import NamedId, VoiceManifest, read_manifest, write_manifest
from app.voices.voice_labels import describe_int8_graphs, explain_missing_int8
from tests.voices.both_precisions import FAST, REFUSED

GRAPHS = {"prosody": "p.onnx", "flow": "f.onnx", "decoder": "d.onnx"}


def manifest(**values: object) -> VoiceManifest:
    named = (NamedId(0, "A"),)
    return replace(VoiceManifest("a", "A", "aivmx", "b", 44_100, 512, named, named, GRAPHS), **values)  # type: ignore[arg-type]


def test_every_part_comes_back(tmp_path: Path) -> None:
    written = manifest(fast=FAST, refused=REFUSED | {"prosody": Int8Rejection("unsuitable")})
    write_manifest(written, tmp_path)
    assert read_manifest(tmp_path) == written


def test_a_manifest_from_before_says_that_more_can_be_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_manifest(manifest(fast=FAST), tmp_path)
    values = json.loads((tmp_path / "voice.json").read_text(encoding="utf-8"))
    del values["refused"]
    del values["fast"]["graphs"]["decoder"]["gain"]
    (tmp_path / "voice.json").write_text(json.dumps(values), encoding="utf-8")
    found = read_manifest(tmp_path)
    assert found.refused == {}
    assert all("`voices renew` tells more" in words for _, words in describe_int8_graphs(found))
    monkeypatch.setenv("KOEBAKO_FRONTEND", "window")
    parts = dict(describe_int8_graphs(found))
    assert list(parts) == ["Decoder", "Flow", "Prosody"]
    assert all("prepare the voice again" in words for words in parts.values())
    assert "prepare the voice again" in explain_missing_int8(replace(found, fast=None))


def test_every_part_says_how_close_it_came_or_why_it_stays_exact() -> None:
    parts = dict(describe_int8_graphs(manifest(fast=FAST, refused=REFUSED)))
    assert parts == {
        "Decoder": "signal-to-noise ratio 41 dB, spectral distance 0.21 dB, about 2.9 times as fast",
        "Flow": "stays exact (signal-to-noise ratio 31.2 dB, 35 needed)",
        "Prosody": "stays exact (97.10% of durations unchanged, 98% needed)",
    }
    prosody = Int8Result({"prosody": Int8Graph("p_int8.onnx", 50, 0.1, 0.991, 1.3)}, 50, 0.1, 0.991, 1.2)
    assert "99.1% of durations unchanged" in dict(describe_int8_graphs(manifest(fast=prosody)))["Prosody"], "it alone can change lengths"


def test_a_voice_without_fast_says_why_in_a_few_words() -> None:
    assert explain_missing_int8(manifest(fast=FAST)) == ""
    assert explain_missing_int8(manifest(refused=REFUSED)) == "Flow: signal-to-noise ratio 31.2 dB, 35 needed"
    assert explain_missing_int8(manifest(graphs={"whole": "w.onnx"})) == "a single graph"
    assert explain_missing_int8(manifest(format="starter")) == "the included voice is exact only"
    words = {explain_int8_rejection(Int8Rejection(why, 30.0, 2.0, 0.9, 1.0)) for why in get_args(Int8RejectionReason)}
    assert len(words) == len(get_args(Int8RejectionReason))


@pytest.mark.parametrize(
    "refused",
    [
        [],
        {"whole": {"why": "noise"}},
        {"flow": {"why": "because"}},
        {"flow": {}},
        {"flow": {"why": "noise", "snr_db": "loud"}},
        {"flow": {"why": ["noise"]}},
    ],
)
def test_reasons_that_nobody_gives_are_a_damaged_manifest(refused: object, tmp_path: Path) -> None:
    write_manifest(manifest(), tmp_path)
    values = json.loads((tmp_path / "voice.json").read_text(encoding="utf-8"))
    (tmp_path / "voice.json").write_text(json.dumps(values | {"refused": refused}), encoding="utf-8")
    with pytest.raises(VoiceError, match="damaged"):
        read_manifest(tmp_path)
