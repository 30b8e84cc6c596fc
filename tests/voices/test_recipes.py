"""The recipe by which a voice was prepared: absent in voices of versions that knew of none, which must stay what they were."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.adapters.ort import graph_session
from app.adapters.ort.device_placement import parse_placement
from app.common.errors import VoiceError
from app.compose.speaker_plan import SpeakerPlan
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.export.render_keys import compute_voice_fingerprint
from app.voices.prepared_voice import NamedId, VoiceManifest, read_manifest, read_prepared_voice, write_manifest

RECORDED_FINGERPRINT = "de4ed32139251ca23c22cd5ac0ddc20d"
"""Of the voice below, by the version that knew of no recipes."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    graphs = {"prosody": "prosody.onnx", "decoder": "decoder.onnx"}
    for file in graphs.values():
        (tmp_path / file).write_bytes(file.encode())
    np.save(tmp_path / "style_vectors.npy", np.ones((1, 256), np.float32))
    named = (NamedId(0, "a"),)
    write_manifest(VoiceManifest("a", "A", "aivmx", "", 44_100, 512, named, named, graphs), tmp_path)
    return tmp_path


def write_recipe(folder: Path, recipe: object) -> None:
    path = folder / "voice.json"
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | {"recipe": recipe}), encoding="utf-8")


def test_a_voice_without_a_number_has_the_first_one_and_is_written_without(folder: Path) -> None:
    manifest = read_manifest(folder)
    assert manifest.recipe == 1
    assert "recipe" not in json.loads((folder / "voice.json").read_text(encoding="utf-8"))
    write_manifest(replace(manifest, recipe=7), folder)
    assert read_manifest(folder) == replace(manifest, recipe=7)


@pytest.mark.parametrize("recipe", [0, -1, 1.5, True, "2", None, 1 << 40])
def test_what_is_no_number_of_a_recipe_is_refused(folder: Path, recipe: object) -> None:
    write_recipe(folder, recipe)
    with pytest.raises(VoiceError):
        read_manifest(folder)


def test_it_is_compared_with_that_of_its_architecture(folder: Path) -> None:
    kokoro = replace(read_manifest(folder), architecture="kokoro")
    ages = [(one.is_outdated, one.is_from_newer_version) for change in (-1, 0, 1) for one in [change_recipe(kokoro, change)]]
    assert ages == [(True, False), (False, False), (False, True)]


def change_recipe(manifest: VoiceManifest, change: int) -> VoiceManifest:
    return replace(manifest, recipe=KOKORO_ARCHITECTURE.recipe + change)


def test_exports_see_another_recipe_and_nothing_new_where_there_was_none(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_session, "ORT_VERSION", "1.0")

    def compute_fingerprint() -> str:
        return compute_voice_fingerprint(
            SpeakerPlan(read_prepared_voice(folder), None, None, parse_placement("cpu"), "", "", ("auto", "exact"))
        )

    assert compute_fingerprint() == RECORDED_FINGERPRINT
    found = {compute_fingerprint()}
    for recipe in (2, 3):
        write_recipe(folder, recipe)
        found.add(compute_fingerprint())
    assert len(found) == 3
