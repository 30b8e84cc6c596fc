"""A user's voice of an older recipe is prepared again from itself, by itself, and stays who it is; others are left alone."""

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.cli.commands.voices import run
from app.cli.main import main
from app.common.errors import InputError, VoiceError
from app.common.files import paths
from app.common.progress import Report
from app.core.sound.voice_traits import ARCHITECTURES, SBV2_ARCHITECTURE
from app.install.manage_voices import prepare_voice_again, rename_voice, renew_outdated_voice
from app.install.refinement_work import is_renewal_due, list_outdated_voices
from app.install.voice_import import add_voice
from app.install.voice_preparation import prepare_voice
from app.voices.installed_voices import find_voice, read_recipes
from app.voices.pending_refinement import is_refinement_pending, mark_refinement_pending
from app.voices.prepared_voice import PreparationResult, read_manifest, write_manifest

from .voice_files import TERMS, aivmx, quick, wishes

UUID = "0faf9f49-fb67-595a-a405-82fb5a94a69e"


def prepare_now(source: Path, folder: Path, report: Report) -> PreparationResult:
    """The real preparation, without a process of its own."""
    return prepare_voice(source, folder, report, is_quick=True)


@pytest.fixture
def installed(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A voice of the user's that an earlier version has prepared, under a name of the user's."""
    folder = add_voice(aivmx(tiny_models, tmp_path / "a.aivmx", name="花子"), wishes(), prepare=quick).voice.path
    rename_voice(UUID, "太郎")
    monkeypatch.setitem(ARCHITECTURES, "sbv2", replace(SBV2_ARCHITECTURE, recipe=2))
    return folder


def test_it_is_prepared_again_from_itself_and_stays_who_it_is(installed: Path) -> None:
    before = read_manifest(installed)
    assert (before.recipe, [voice.path for voice in list_outdated_voices()]) == (1, [installed])
    assert renew_outdated_voice(UUID, lambda _licence: False, prepare=prepare_now).was_updated
    after = read_manifest(installed)
    assert replace(after, recipe=1, fast=before.fast, refused=before.refused) == before
    assert (after.recipe, after.name) == (2, "太郎")
    assert is_refinement_pending(installed)
    assert list_outdated_voices() == []


def test_where_that_fails_the_old_one_stays(installed: Path) -> None:
    def fail(_source: Path, _folder: Path, _report: Report) -> PreparationResult:
        raise VoiceError("broken")

    before = (installed / "voice.json").read_bytes()
    with pytest.raises(VoiceError, match="broken"):
        renew_outdated_voice(UUID, lambda _licence: False, prepare=fail)
    assert (installed / "voice.json").read_bytes() == before


def test_one_of_a_newer_recipe_is_never_prepared_again(installed: Path, tmp_path: Path) -> None:
    write_manifest(replace(read_manifest(installed), recipe=3), installed)
    assert prepare_voice_again(UUID, lambda _licence: False, prepare=prepare_now).was_installed
    assert list_outdated_voices() == []
    (tmp_path / "copy").mkdir()
    assert prepare_now(installed, tmp_path / "copy", lambda _step, _fraction: None).manifest.recipe == 3, "its graphs are the newer ones"


def test_it_is_refined_first_and_its_licence_is_accepted_first(installed: Path) -> None:
    voice = find_voice(UUID, paths.list_voice_dirs())
    assert is_renewal_due(voice)
    assert not is_renewal_due(replace(voice, manifest=replace(voice.manifest, licence=TERMS))), "nobody is asked"
    mark_refinement_pending(installed)
    assert not is_renewal_due(voice)


def test_the_included_voice_and_what_cannot_be_made_of_itself_stay(installed: Path) -> None:
    voice = find_voice(UUID, paths.list_voice_dirs())
    assert not is_renewal_due(find_voice("mei", paths.list_voice_dirs()))
    assert not is_renewal_due(replace(voice, manifest=replace(voice.manifest, architecture="kokoro")))


def test_the_command_prepares_those_that_need_it(
    installed: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "renew_outdated_voice", partial(renew_outdated_voice, prepare=prepare_now))
    assert main(["voices", "renew", "--outdated", "--json", "--", "mei"]) == 0
    assert capsys.readouterr().out == ""
    assert main(["voices", "renew", "--outdated", "--json", "--", UUID]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(line["id"], line["updated"]) for line in lines if line["type"] == "voice"] == [(UUID, True)]
    assert read_recipes(paths.list_voice_dirs())[UUID] == 2
    assert main(["voices", "renew", "--outdated"]) == 0
    assert "No voice has to be prepared again." in capsys.readouterr().err
    assert main(["voices", "renew", "--outdated", "--all"]) == InputError.exit_code
