"""A natural voice of an older recipe is prepared again from what is at hand; what the user made of it stays, and else the old one speaks."""

import errno
import shutil
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from app.common.errors import OutputFileError, VoiceError
from app.common.files import paths
from app.common.files.paths import find_data_dir
from app.common.progress import Report, ignore_report
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE, SpeakerBlend
from app.install import natural_voice, natural_voice_install
from app.install.manage_voices import prepare_voice_again, rename_voice, renew_outdated_voice
from app.install.natural_voice import SplitModel, find_installed_parts, find_natural_voice
from app.install.natural_voice_install import install_natural_voice
from app.install.refinement_work import list_outdated_voices
from app.install.resolve_voice import resolve_ready_voice
from app.install.speaker_blends import add_blend
from app.install.staging_folders import list_leftovers
from app.install.voice_import import InstallResult
from app.voices.prepared_voice import VoiceManifest, read_manifest, read_prepared_voice, write_manifest
from app.voices.voice_card_data import VoiceCardData, write_card

from .natural_voice_files import unpack_wheels
from .test_speaker_blends import write_voice

OLD, NOW = KOKORO_ARCHITECTURE.recipe - 1, KOKORO_ARCHITECTURE.recipe
BLEND = SpeakerBlend("混声", "Female 1", "Male 1", 0.5)


def write_natural(folder: Path, recipe: int, sha256: str) -> Path:
    """A natural voice whose decoder says by which recipe it was made."""
    write_voice(folder)
    (folder / "decoder.onnx").write_text(str(recipe))
    write_manifest(replace(read_manifest(folder), recipe=recipe), folder)
    write_card(VoiceCardData(source_sha256=sha256), folder)
    return folder


def prepare_now(model: Path, folder: Path, report: Report = ignore_report, *, source_sha256: str = "") -> VoiceManifest:
    """In place of the real preparation."""
    write_natural(folder / "made", NOW, source_sha256)
    for file in (folder / "made").iterdir():
        file.rename(folder / file.name)
    (folder / "made").rmdir()
    return read_manifest(folder)


@pytest.fixture
def old(model: SplitModel, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's natural voice by the recipe before, with a blend and a name of its own; nothing that it is made of is at hand."""
    monkeypatch.delenv("KOEBAKO_NATURAL_VOICE")
    monkeypatch.setattr(natural_voice, "find_installed_parts", partial(find_installed_parts, model))
    quickly = partial(install_natural_voice, model=model, prepare=prepare_now)
    for place in ("app.install.manage_voices.install_natural_voice", "app.install.natural_voice_install.install_natural_voice"):
        monkeypatch.setattr(place, quickly)
    folder = write_natural(find_data_dir() / "voices" / "kokoro", OLD, model.sha256)
    add_blend("kokoro", BLEND)
    rename_voice("kokoro", "私の声")
    return folder


@pytest.fixture
def parts(old: Path, wheels: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The parts are installed; the folder that they are in."""
    site = unpack_wheels(wheels, tmp_path / "site")
    monkeypatch.syspath_prepend(str(site))
    return site


@pytest.fixture
def ship(model: SplitModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Path]:
    """Lets the program ship a natural voice by some recipe."""

    def ship(recipe: int) -> Path:
        resources = tmp_path / "resources"
        folder = write_natural(resources / "voices" / "kokoro", recipe, model.sha256)
        for module in (natural_voice, paths):
            monkeypatch.setattr(module, "find_resources_dir", lambda: resources)
        return folder

    return ship


def require_renewed(old: Path) -> None:
    voice = find_natural_voice()
    assert voice is not None
    assert voice.path == old
    assert (voice.path / "decoder.onnx").read_text() == str(NOW)
    assert (voice.manifest.recipe, voice.manifest.name) == (NOW, "私の声")
    assert [(style.id, style.name) for style in voice.manifest.styles] == [(0, "Neutral"), (1, "混声")]
    traits = voice.build_traits()
    assert np.allclose(traits.style_vectors[traits.find_style_row(0, 1)], 2.0)
    assert list_outdated_voices() == []
    assert list_leftovers() == []


def speak(reference: str | None) -> list[str]:
    told: list[str] = []
    assert resolve_ready_voice(reference, lambda _licence: False, announce=told.append).voice.manifest.id == "kokoro"
    return told


@pytest.mark.parametrize("reference", [None, "kokoro", "私の声", "natural"])
def test_it_is_prepared_again_before_the_first_sentence(old: Path, parts: Path, reference: str | None) -> None:
    told = speak(reference)
    assert [line.startswith("Preparing “私の声” again") for line in told] == [True]
    require_renewed(old)
    assert speak(reference) == []


def test_the_new_one_that_ships_is_taken_first_and_the_copy_hides_it_no_longer(
    old: Path, parts: Path, ship: Callable[[int], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    (parts / "koebako_test_part_1" / "part.bin").write_bytes(b"")  # nothing else is looked for
    shipped = ship(NOW)
    assert len(speak("kokoro")) == 1
    require_renewed(old)
    assert not (shipped / "flow.onnx").samefile(old / "flow.onnx")
    assert read_manifest(shipped).blends == []


def test_one_that_ships_by_the_older_recipe_helps_nobody(old: Path, ship: Callable[[int], Path]) -> None:
    ship(OLD)
    before = (old / "voice.json").read_bytes()
    (said,) = speak("kokoro")
    assert said.startswith("“私の声” could not be prepared again and speaks in its earlier form.")
    assert "koebako voices renew kokoro" in said
    assert (old / "voice.json").read_bytes() == before


def test_a_blend_that_is_added_meanwhile_stays_too(old: Path, parts: Path, model: SplitModel) -> None:
    def add_meanwhile(model: Path, folder: Path, report: Report = ignore_report, *, source_sha256: str = "") -> VoiceManifest:
        add_blend("kokoro", replace(BLEND, name="二"))
        return prepare_now(model, folder, report, source_sha256=source_sha256)

    renewed = install_natural_voice(model=model, prepare=add_meanwhile, may_download=False)
    assert renewed.voice.manifest.blends == ["混声", "二"]


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
def test_where_the_disk_refuses_the_old_one_speaks_and_it_is_said(
    old: Path, parts: Path, model: SplitModel, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refuse(_folder: Path, target: Path) -> None:
        raise OSError(code, "refused", str(target))

    before = read_prepared_voice(old)
    monkeypatch.setattr(natural_voice_install, "move_into_place", refuse)
    preparing, said = speak("kokoro")
    assert preparing.startswith("Preparing")
    assert said.startswith("“私の声” could not be prepared again and speaks in its earlier form.")
    assert read_prepared_voice(old).manifest == before.manifest
    assert list_leftovers() == []


def test_a_full_disk_is_noticed_before_the_work(old: Path, parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=1000))
    with pytest.raises(OutputFileError, match="disk space"):
        renew_outdated_voice("kokoro", lambda _licence: False)
    assert read_manifest(old).recipe == OLD


def test_nothing_is_downloaded_unless_it_is_asked_for(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def download(*_arguments: object, **_options: object) -> Path:
        asked.append("download")
        raise VoiceError("offline")

    monkeypatch.setattr(natural_voice_install, "download_wheels", download)
    with pytest.raises(VoiceError, match="not on this computer"):
        renew_outdated_voice("kokoro", lambda _licence: False)
    assert asked == []
    with pytest.raises(VoiceError, match="offline"):
        prepare_voice_again("kokoro", lambda _licence: False)
    assert asked == ["download"]


def test_one_of_a_newer_recipe_is_used_as_it_is(old: Path, parts: Path) -> None:
    write_manifest(replace(read_manifest(old), recipe=NOW + 1), old)
    before = (old / "voice.json").stat().st_mtime_ns
    results: list[InstallResult] = [
        renew_outdated_voice("kokoro", lambda _licence: False),
        prepare_voice_again("kokoro", lambda _licence: False),
    ]
    assert [item.was_installed for item in results] == [True, True]
    assert speak(None) == []
    assert (old / "voice.json").stat().st_mtime_ns == before


def test_who_wants_it_by_request_alone_hears_the_old_one(old: Path, parts: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KOEBAKO_NATURAL_VOICE", "off")
    assert speak("kokoro") == []
    assert read_manifest(old).recipe == OLD


def test_the_window_goes_on_with_the_old_one(old: Path, parts: Path) -> None:
    ready = resolve_ready_voice("kokoro", lambda _licence: False, renews_first=False)
    assert ready.voice.manifest.recipe == OLD
    assert [voice.manifest.recipe for voice in list_outdated_voices()] == [OLD]
