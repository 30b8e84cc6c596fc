"""A prepared voice gets an int8 decoder where it passes its check, says how good it is, and speaks with it only when asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.compose import open_speaker
from app.core.types import SynthesisRequest
from app.install import int8
from app.install.prepare import prepare_voice
from app.voices.likeness import signal_to_noise_db
from app.voices.manifest import Int8Decoder, read_manifest
from app.voices.precision import with_decoder
from app.voices.voice import read_prepared


@pytest.fixture(scope="module")
def prepared(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny voice with its int8 decoder."""
    source = shared / "reference" / "jp-extra-tiny-2spk" / "model.safetensors"
    if not source.is_file():
        pytest.skip(f"no reference model at {source}")
    folder = tmp_path_factory.mktemp("声")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(int8, "LEAST_SNR_DB", 20.0)  # weights of no voice; what is tested is not how well they bear 8 bits
        patch.setattr(int8, "MOST_LSD_DB", 6.0)
        patch.setenv("KOEBAKO_HOME", str(tmp_path_factory.mktemp("home")))
        prepare_voice(source, folder)
    return folder


def _samples(speaker: object) -> np.ndarray:
    request = SynthesisRequest(id="1", text="今日はいい天気ですね。", speaker=0, style=0)
    return np.concatenate([chunk.samples for chunk in speaker.pipeline.synthesize(request)])  # type: ignore[attr-defined]


def test_a_prepared_voice_says_how_good_its_int8_decoder_is(prepared: Path) -> None:
    found = read_manifest(prepared).decoder_int8
    assert found is not None
    assert found == Int8Decoder("decoder_int8.onnx", found.snr_db, found.lsd_db)
    assert 20 <= found.snr_db < 80
    assert 0 < found.lsd_db <= 6
    assert (prepared / found.file).is_file()
    assert not [path for path in prepared.iterdir() if path.is_dir()]  # what was watched is gone


def test_it_speaks_with_it_when_asked_and_only_then(prepared: Path) -> None:
    exact = open_speaker(str(prepared), "cpu", force_bert=True)
    fast = open_speaker(str(prepared), "cpu", decoder="int8", force_bert=True)
    assert (exact.int8_decoder, fast.int8_decoder) == (False, True)
    right, other = _samples(exact), _samples(fast)
    assert len(right) == len(other)
    assert 15 < signal_to_noise_db([right], [other]) < 80
    assert exact.pipeline.sound_id != fast.pipeline.sound_id  # takes of one are no takes of the other


def test_other_places_and_lost_files_get_the_exact_decoder(prepared: Path) -> None:
    voice = read_prepared(prepared)
    assert voice.manifest.decoder_int8 is not None
    assert with_decoder(voice, "int8", "cpu").graphs["decoder"] == prepared / "decoder_int8.onnx"
    lost = replace(voice, manifest=replace(voice.manifest, decoder_int8=Int8Decoder("gone.onnx", 40.0, 0.1)))
    outside = replace(voice, manifest=replace(voice.manifest, decoder_int8=Int8Decoder("../decoder_int8.onnx", 40.0, 0.1)))
    for given, backend in ((voice, "directml"), (lost, "cpu"), (outside, "cpu")):
        assert with_decoder(given, "int8", backend).graphs["decoder"] == prepared / "decoder.onnx"


def test_one_that_is_audibly_different_is_thrown_away(prepared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "copy"
    folder.mkdir()
    monkeypatch.setattr(int8, "LEAST_SNR_DB", 119.0)
    prepared_anew = prepare_voice(prepared, folder)  # a prepared voice brings no int8 decoder along: it is made anew
    assert prepared_anew.manifest.decoder_int8 is None
    assert json.loads((folder / "voice.json").read_text("utf-8"))["decoder_int8"] is None
    assert not list(folder.glob("decoder_int8*"))
    assert open_speaker(str(folder), "cpu", decoder="int8", force_bert=True).int8_decoder is False
