"""Blends of speakers: rows between two speakers, kept as styles; the voice is there whole after every change."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from app.common.errors import InputError, OutputFileError, VoiceError
from app.common.files import paths
from app.core.sound.manners import MANNERS
from app.core.sound.voice_traits import SpeakerBlend
from app.install import speaker_blends, staging_folders
from app.install.speaker_blends import add_blend, keep_blends, remove_blend
from app.voices.prepared_voice import NamedId, VoiceManifest, read_prepared_voice, write_manifest

SPEAKERS = ("Female 1", "Female 2", "Male 1")
MEDIANS = (200.0, 250.0, 220.0, 90.0)


def write_voice(folder: Path) -> Path:
    """A voice with three speakers whose graphs nobody opens."""
    folder.mkdir(parents=True)
    graphs = {name: f"{name}.onnx" for name in ("prosody", "flow", "decoder")}
    for file in graphs.values():
        (folder / file).write_bytes(file.encode())
    np.save(folder / "style_vectors.npy", np.outer(np.arange(4), np.ones(256)).astype(np.float32))
    speakers = tuple(NamedId(index, name) for index, name in enumerate(SPEAKERS))
    manifest = VoiceManifest("kokoro", "Kokoro", "kokoro", "", 24_000, 600, speakers, (NamedId(0, "Neutral"),), graphs)
    write_manifest(replace(manifest, architecture="kokoro", median_f0=MEDIANS, durations="round", add_blank=False), folder)
    return folder


@pytest.fixture
def voice(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path))
    return write_voice(tmp_path / "voices" / "kokoro")


def test_a_blend_lies_between_its_speakers(voice: Path) -> None:
    changed = add_blend("kokoro", SpeakerBlend(" 混声  A ", "Female 1", "Male 1", 0.25))
    assert [(style.id, style.name) for style in changed.manifest.styles] == [(0, "Neutral"), (1, "混声 A")]
    traits = changed.build_traits()
    row = traits.find_style_row(2, 1)
    assert np.allclose(traits.style_vectors[row], 0.75 * 1 + 0.25 * 3)
    assert traits.median_f0[row] == pytest.approx(250**0.75 * 90**0.25, abs=0.1)
    assert changed.manifest.blends == ["混声 A"]
    assert (voice / "decoder.onnx").read_bytes() == b"decoder.onnx"
    assert [item.name for item in voice.parent.iterdir() if item.is_dir()] == ["kokoro"]


def test_the_same_name_replaces_and_removing_closes_the_gap(voice: Path) -> None:
    add_blend("kokoro", SpeakerBlend("一", "Female 1", "Female 2", 0.5))
    add_blend("kokoro", SpeakerBlend("二", "Female 1", "Male 1", 1.0))
    changed = add_blend("kokoro", SpeakerBlend("一", "Female 1", "Female 2", 0.0))
    assert changed.manifest.blends == ["一", "二"]
    assert changed.style_vectors[:, 0].tolist() == [0, 1, 2, 3, 1, 3]
    changed = remove_blend("kokoro", "一")
    assert [(style.id, style.name) for style in changed.manifest.styles] == [(0, "Neutral"), (1, "二")]
    assert changed.style_vectors[:, 0].tolist() == [0, 1, 2, 3, 3]
    assert changed.manifest.median_f0 == (*MEDIANS, 90.0)
    assert remove_blend("kokoro", "二").manifest.median_f0 == MEDIANS


@pytest.mark.parametrize(
    "blend",
    [
        SpeakerBlend("", "Female 1", "Male 1", 0.5),
        SpeakerBlend("ノーマル", "Female 1", "Male 1", 0.5),
        SpeakerBlend("a", "Female 1", "Nobody", 0.5),
        SpeakerBlend("a", "Female 1", "Male 1", 1.5),
        SpeakerBlend("a", "Female 1", "Male 1", float("nan")),
    ],
)
def test_what_makes_no_sense_changes_nothing(voice: Path, blend: SpeakerBlend) -> None:
    before = (voice / "voice.json").read_bytes()
    with pytest.raises(InputError):
        add_blend("kokoro", blend)
    assert (voice / "voice.json").read_bytes() == before


def test_what_is_not_there_is_said(voice: Path) -> None:
    with pytest.raises(InputError):
        remove_blend("kokoro", "Neutral")
    with pytest.raises(InputError):
        remove_blend("kokoro", "どこにもない")
    with pytest.raises(VoiceError):
        add_blend("どこにもない", SpeakerBlend("a", "Female 1", "Male 1", 0.5))
    with pytest.raises(VoiceError):
        add_blend("mei", SpeakerBlend("a", "Mei", "NIT m001", 0.5))


def test_a_shipped_voice_is_copied_into_the_users_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "home"))
    shipped = write_voice(tmp_path / "shipped" / "kokoro")
    monkeypatch.setattr(speaker_blends, "list_voice_dirs", lambda: [paths.find_data_dir() / "voices", shipped.parent])
    changed = add_blend("kokoro", SpeakerBlend("混声", "Female 1", "Male 1", 0.5))
    assert changed.path == tmp_path / "home" / "voices" / "kokoro"
    assert read_prepared_voice(shipped).manifest.blends == []
    assert not (shipped / "flow.onnx").samefile(changed.path / "flow.onnx")
    assert add_blend("kokoro", SpeakerBlend("二", "Female 1", "Male 1", 0.5)).manifest.blends == ["混声", "二"]


def test_a_voice_prepared_again_keeps_its_blends(voice: Path, tmp_path: Path) -> None:
    before = add_blend("kokoro", SpeakerBlend("混声", "Female 1", "Male 1", 0.5))
    renewed = write_voice(tmp_path / "renewed" / "kokoro")
    keep_blends(before, renewed)
    after = read_prepared_voice(renewed)
    assert after.manifest.blends == ["混声"]
    assert np.array_equal(after.style_vectors, before.style_vectors)
    assert after.manifest.median_f0 == before.manifest.median_f0
    assert after.build_traits().find_style_row(0, 1) == 4
    keep_blends(read_prepared_voice(write_voice(tmp_path / "plain" / "kokoro")), renewed)
    assert read_prepared_voice(renewed).manifest.blends == ["混声"], "a voice without blends takes none away"


def test_blends_are_kept_where_there_are_more_speakers_and_manners_now(voice: Path, tmp_path: Path) -> None:
    before = add_blend("kokoro", SpeakerBlend("混声", "Female 1", "Male 1", 0.5))
    folder = write_voice(tmp_path / "renewed" / "kokoro")
    plain = read_prepared_voice(folder).manifest
    speakers, manner = (*plain.speakers, NamedId(3, "Male 2")), MANNERS[0]
    styles = (*plain.styles, NamedId(manner.style_id, manner.name))
    np.save(folder / "style_vectors.npy", np.outer(np.arange(9), np.ones(256)).astype(np.float32))
    write_manifest(replace(plain, speakers=speakers, styles=styles, median_f0=(*MEDIANS, *[100.0] * 5)), folder)
    keep_blends(before, folder)
    after = read_prepared_voice(folder)
    assert [(style.id, style.name) for style in after.manifest.styles] == [(0, "Neutral"), (manner.style_id, manner.name), (1, "混声")]
    traits = after.build_traits()
    assert np.array_equal(traits.build_style_vector(0, 1, 1.0), before.build_traits().build_style_vector(0, 1, 1.0))
    assert [traits.find_style_row(number, manner.style_id) for number in range(4)] == [5, 6, 7, 8]
    assert add_blend("kokoro", SpeakerBlend("二", "Female 1", "Male 1", 0.5)).manifest.blends == ["混声", "二"]
    with pytest.raises(InputError):
        add_blend("kokoro", SpeakerBlend(manner.name, "Female 1", "Male 1", 0.5))


def test_a_disk_that_refuses_leaves_the_voice_as_it_was(voice: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_folder: Path, _target: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(staging_folders, "move_into_place", refuse)
    with pytest.raises(OutputFileError):
        add_blend("kokoro", SpeakerBlend("混声", "Female 1", "Male 1", 0.5))
    assert read_prepared_voice(voice).manifest.blends == []
