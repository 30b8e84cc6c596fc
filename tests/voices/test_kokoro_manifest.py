"""The manifest of a voice of the second architecture: what comes back, and what is refused."""

import json
from pathlib import Path

import pytest

from app.common.errors import VoiceError
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.voices.prepared_voice import read_manifest, read_prepared_voice, write_manifest
from tests.tiny_models.kokoro_voice import MEDIAN_HZ, make_kokoro_voice


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_kokoro_voice(tmp_path / "tiny-kokoro")


def change_manifest(folder: Path, **changes: object) -> None:
    path = folder / "voice.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | changes), encoding="utf-8")


def test_a_manifest_comes_back(folder: Path, tmp_path: Path) -> None:
    manifest = read_manifest(folder)
    assert (manifest.architecture, manifest.median_f0, manifest.bert, manifest.durations) == ("kokoro", MEDIAN_HZ, "", "round")
    other = tmp_path / "other"
    other.mkdir()
    write_manifest(manifest, other)
    assert read_manifest(other) == manifest


def test_its_traits_are_those_of_the_manifest(folder: Path) -> None:
    traits = read_prepared_voice(folder).build_traits()
    assert traits.architecture is KOKORO_ARCHITECTURE
    assert traits.median_f0 == MEDIAN_HZ
    assert traits.bert == ""


def test_a_manifest_without_the_new_fields_is_that_of_the_usual_architecture(folder: Path) -> None:
    path = folder / "voice.json"
    values = json.loads(path.read_text(encoding="utf-8"))
    del values["architecture"], values["median_f0"]
    path.write_text(json.dumps(values | {"bert": "some"}), encoding="utf-8")
    assert read_manifest(folder).architecture == "sbv2"


@pytest.mark.parametrize(
    "changes",
    [
        {"architecture": "vits9"},
        {"architecture": ["kokoro"]},
        {"architecture": None},
        {"median_f0": [20.0, 100.0, 100.0, 100.0]},
        {"median_f0": [100.0, 1e9, 100.0, 100.0]},
        {"median_f0": ["100", 100.0, 100.0, 100.0]},
        {"median_f0": [float("nan"), 100.0, 100.0, 100.0]},
        {"median_f0": 100.0},
        {"max_style_weight": 0.5},
        {"max_style_weight": 11.0},
        {"max_style_weight": float("nan")},
        {"max_style_weight": "2"},
        {"median_f0": None},
        {"durations": "floor"},
        {"graphs": {"whole": "prosody.onnx"}},
        {"graphs": {"whole": "prosody.onnx"}, "architecture": "sbv2", "bert": ""},
    ],
)
def test_values_that_no_voice_can_have_are_refused_in_a_sentence(folder: Path, changes: dict[str, object]) -> None:
    change_manifest(folder, **changes)
    with pytest.raises(VoiceError, match="description of this voice is damaged"):
        read_prepared_voice(folder)


@pytest.mark.parametrize(
    "changes",
    [
        {"median_f0": [100.0, 100.0]},
        {"median_f0": []},
        {"speakers": [{"id": 0, "name": "A"}, {"id": 9, "name": "B"}]},
        {"styles": [{"id": number, "name": name} for number, name in enumerate("ABCD")]},
    ],
)
def test_tables_that_do_not_fit_each_other_are_refused_in_a_sentence(folder: Path, changes: dict[str, object]) -> None:
    change_manifest(folder, **changes)
    with pytest.raises(VoiceError, match="number of styles"):
        read_prepared_voice(folder)
