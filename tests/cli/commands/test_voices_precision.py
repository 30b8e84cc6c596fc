"""`koebako voices precision`: chosen for one voice, shown by `info` and `check`, and what the voice then speaks in."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from app.cli.main import main
from app.common.files import paths
from app.compose.speaker_opening import open_speaker
from app.install.voice_preparation import prepare_voice
from app.settings.user_settings import Settings, load_settings, save_settings
from app.voices.prepared_voice import read_manifest, write_manifest
from tests.brief_preparation import verify_briefly
from tests.cli.commands.test_voices_library import koebako
from tests.voices.both_precisions import FAST, REFUSED, make_fast


@pytest.fixture(autouse=True)
def _voices() -> None:
    """Two of our own with both precisions."""
    for name in ("one", "two"):
        folder = paths.find_data_dir() / "voices" / name
        shutil.copytree(paths.find_resources_dir() / "voices" / "mei", folder)
        make_fast(replace(read_manifest(folder), id=name, name=name, licence="", format="aivmx"), folder)


def test_a_choice_is_kept_for_one_voice_and_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert koebako(capsys, "voices", "precision", "one", "fast") == (0, [{"id": "one", "precision": "fast"}])
    assert load_settings()[0] == Settings(fast_voices=("one",))
    (one,), (two,) = (koebako(capsys, "voices", "info", name)[1] for name in ("one", "two"))
    assert (one["precision"], two["precision"]) == ("fast", "exact")
    assert one["fast"]["graphs"]["decoder"].items() >= {"snr_db": 41.4, "lsd_db": 0.21, "gain": 2.9}.items()
    assert one["refused"]["flow"] == {"why": "noise", "snr_db": 31.2, "lsd_db": 0.6, "frames_equal": 1.0, "gain": 2.2}
    assert main(["voices", "info", "one"]) == 0
    shown = capsys.readouterr().out
    assert "Flow: stays exact (signal-to-noise ratio 31.2 dB, 35 needed)" in shown
    assert koebako(capsys, "voices", "precision", "one", "exact")[0] == 0
    assert load_settings()[0] == Settings(exact_voices=("one",))


def test_a_voice_speaks_as_it_was_chosen_unless_a_command_says_otherwise() -> None:
    save_settings(Settings(fast_voices=("one",)))
    assert open_speaker("one", "cpu").fast_graphs == {"decoder"}
    assert open_speaker("one", "cpu", graph_precision="exact").fast_graphs == frozenset()
    assert open_speaker("two", "cpu").fast_graphs == frozenset()
    assert open_speaker("two", "cpu", graph_precision="fast").fast_graphs == {"decoder"}
    save_settings(Settings(sound_precision="fast", exact_voices=("one",)))
    assert open_speaker("one", "cpu").fast_graphs == frozenset()
    assert open_speaker("two", "cpu").fast_graphs == {"decoder"}, "it follows the default"


def test_fast_is_refused_where_a_voice_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    code, (line,) = koebako(capsys, "voices", "precision", "mei", "fast")
    assert code == 3
    assert "the included voice is exact only" in line["error"]["message"]
    assert koebako(capsys, "voices", "precision", "nobody", "fast")[0] == 3
    assert load_settings()[0] == Settings()
    assert koebako(capsys, "voices", "precision", "mei", "exact")[0] == 0


def test_check_tells_what_is_known_of_a_prepared_voice(
    tiny_models: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    verify_briefly(monkeypatch)
    source = tiny_models / "jp-extra-tiny"
    prepared = prepare_voice(source / "model.onnx", tmp_path, int8=False)
    write_manifest(replace(prepared.manifest, fast=FAST, refused=REFUSED), tmp_path)
    code, lines = koebako(capsys, "voices", "check", tmp_path, "--expected", source / "expected.npz")
    assert code == 0, lines
    assert lines[-1]["fast"]["lsd_db"] == 0.21
    assert lines[-1]["refused"]["prosody"]["why"] == "lengths"
