"""Voices that are not installed: AivisSpeech's and files anywhere are prepared once and never touched."""

import os
import shutil
import sys
import time
from pathlib import Path

import pytest

from app.common.errors import AppError, OutputFileError, VoiceError
from app.common.progress import Report
from app.install import resolve_source
from app.install.resolve_source import find_cache_dir, shrink_cache
from app.install.resolve_voice import ResolvedVoice, find_unprepared_voice, resolve_ready_voice
from app.install.voice_licence import VoiceLicence
from app.settings.user_settings import Settings, save_settings
from app.voices import aivisspeech_voices
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices
from app.voices.containers.voice_sources import read_source_facts
from app.voices.prepared_voice import PreparationResult

from .voice_files import TERMS, aivmx, quick, tree

UUID = "0faf9f49-fb67-595a-a405-82fb5a94a69e"


@pytest.fixture
def voice_file(tiny_models: Path, tmp_path: Path) -> Path:
    return aivmx(tiny_models, tmp_path / "声.aivmx", name="花子")


@pytest.fixture
def models(voice_file: Path, tmp_path: Path) -> Path:
    """AivisSpeech's folder with one voice and one broken file."""
    folder = tmp_path / "other-programs" / "AivisSpeech-Engine" / "Models"
    folder.mkdir(parents=True)
    shutil.move(voice_file, folder / f"{UUID}.aivmx")
    (folder / "broken.aivmx").write_bytes(b"broken")
    return folder


def yes(_licence: VoiceLicence) -> bool:
    return True


def ready(wanted: str | None, prepare: object = quick) -> ResolvedVoice:
    return resolve_ready_voice(wanted, yes, prepare=prepare)  # type: ignore[arg-type]


def refused(_source: Path, _folder: Path, _report: Report) -> PreparationResult:
    raise VoiceError("it differs from its source", "hint")


def test_a_file_is_prepared_once_and_found_at_the_next_start(voice_file: Path, tmp_path: Path) -> None:
    told: list[str] = []
    first = resolve_ready_voice(str(voice_file), yes, announce=told.append, prepare=quick)
    assert [*map(bool, told)] == [True]
    assert "花子" in told[0]
    assert first.voice.manifest.id == UUID
    assert first.voice.path.parent == find_cache_dir()
    assert first.reference == str(first.voice.path)
    assert first.note is None
    shutil.copy(voice_file, tmp_path / "renamed.bin")
    for again in (voice_file, tmp_path / "renamed.bin"):
        assert ready(str(again), prepare=None).voice.path == first.voice.path


def test_changed_content_is_another_voice(voice_file: Path, tiny_models: Path) -> None:
    first = ready(str(voice_file))
    aivmx(tiny_models, voice_file, name="太郎")
    assert ready(str(voice_file)).voice.path != first.voice.path


def test_a_damaged_copy_is_made_anew(voice_file: Path) -> None:
    folder = ready(str(voice_file)).voice.path
    (folder / "flow.onnx").unlink()
    assert (ready(str(voice_file)).voice.path / "flow.onnx").is_file()


def test_what_cannot_be_prepared_runs_whole_with_a_note(voice_file: Path) -> None:
    result = ready(str(voice_file), prepare=refused)
    assert result.voice.manifest.is_single_graph
    assert result.reference == str(voice_file)
    assert "it differs from its source" in str(result.note)
    assert tree(find_cache_dir()) == []


def test_weights_that_cannot_be_prepared_do_not_speak(tiny_models: Path) -> None:
    with pytest.raises(VoiceError, match="differs"):
        ready(str(tiny_models / "jp-extra-tiny" / "model.safetensors"), prepare=refused)


def test_without_room_it_speaks_from_memory_and_says_so(voice_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: shutil._ntuple_diskusage(10**9, 10**9, 1_000_000))
    result = ready(str(voice_file), prepare=None)
    assert result.reference == str(voice_file)
    assert "1 MB free" in str(result.note)


def test_a_data_folder_that_cannot_be_written_is_no_obstacle(voice_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "file" / "below"))
    result = ready(str(voice_file))
    assert result.reference == str(voice_file)
    assert result.note


def test_the_licence_is_asked_before_the_work_and_once(tiny_models: Path, tmp_path: Path) -> None:
    source = str(aivmx(tiny_models, tmp_path / "a.aivmx", license=TERMS))
    with pytest.raises(VoiceError, match="not been accepted"):
        resolve_ready_voice(source, lambda _licence: False, prepare=None)
    asked: list[VoiceLicence] = []
    for _ in range(2):
        resolve_ready_voice(source, lambda licence: asked.append(licence) is None, prepare=quick)
    assert [licence.text for licence in asked] == [TERMS]


def test_a_missing_bert_is_told_before_the_work(voice_file: Path) -> None:
    def missing(bert: str) -> None:
        raise VoiceError(f"{bert} is missing")

    with pytest.raises(VoiceError, match="deberta-v2-large-japanese-char-wwm is missing"):
        resolve_ready_voice(str(voice_file), yes, require_bert=missing, prepare=None)


def test_the_cache_stays_small_and_keeps_what_was_used_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        folder = find_cache_dir() / f"{number:064x}"
        folder.mkdir(parents=True)
        (folder / "decoder.bin").write_bytes(bytes(1000))
        (folder / "voice.json").write_text("{}")
        os.utime(folder / "voice.json", (time.time() - number, time.time() - number))
    shrink_cache()
    assert sorted(int(item.name, 16) for item in find_cache_dir().iterdir() if item.is_dir()) == [0, 1, 2, 3, 4]
    monkeypatch.setattr(resolve_source, "MAX_VOICE_CACHE_BYTES", 2500)
    shrink_cache(kept_folder=find_cache_dir() / f"{4:064x}")
    assert sorted(int(item.name, 16) for item in find_cache_dir().iterdir() if item.is_dir()) == [0, 1, 4]


@pytest.mark.parametrize("wanted", [UUID, UUID.upper(), "花子"])
def test_aivisspeechs_voices_are_found_and_left_alone(models: Path, wanted: str) -> None:
    before = [(item.name, item.stat().st_mtime_ns) for item in models.iterdir()]
    assert find_unprepared_voice(wanted).path == models / f"{UUID}.aivmx"
    assert ready(wanted).voice.path.parent == find_cache_dir()
    assert [(item.name, item.stat().st_mtime_ns) for item in models.iterdir()] == before


def test_two_of_one_name_are_told_apart_by_their_ids(models: Path, tiny_models: Path) -> None:
    other = "11111111-2222-4333-8444-555555555555"
    aivmx(tiny_models, models / "b.aivmx", name="花子", uuid=other)
    with pytest.raises(VoiceError, match="More than one") as caught:
        ready("花子")
    assert UUID in caught.value.hint
    assert other in caught.value.hint


def test_near_names_of_all_voices_are_offered(models: Path) -> None:
    with pytest.raises(VoiceError) as caught:
        ready("花")
    assert "花子" in caught.value.hint


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege on Windows")
def test_a_listing_reads_each_file_once(models: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(300):
        (models / f"link{number}.aivmx").symlink_to(models / f"{UUID}.aivmx")
    reads: list[Path] = []
    monkeypatch.setattr(aivisspeech_voices, "read_source_facts", lambda path: reads.append(path) or read_source_facts(path))
    first = list_aivisspeech_voices(models)
    assert len(first) == 301
    assert len(reads) == 302
    began = time.perf_counter()
    assert list_aivisspeech_voices(models) == first
    print(f"listed 301 voices in {(time.perf_counter() - began) * 1000:.0f} ms")
    assert len(reads) == 302


def test_its_folder_is_a_setting(models: Path, tmp_path: Path) -> None:
    assert find_aivisspeech_folder() == models
    save_settings(Settings(aivisspeech_folder="off"))
    assert find_aivisspeech_folder() is None
    assert list_aivisspeech_voices(find_aivisspeech_folder()) == []
    save_settings(Settings(aivisspeech_folder=str(tmp_path)))
    assert find_aivisspeech_folder() == tmp_path
    save_settings(Settings(aivisspeech_folder=str(tmp_path / "missing")))
    assert find_aivisspeech_folder() is None


def test_what_is_no_voice_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "x.onnx").write_bytes(b"nothing")
    for wanted in (str(tmp_path / "x.onnx"), str(tmp_path / "missing.aivmx"), "nobody"):
        with pytest.raises(AppError) as caught:
            ready(wanted)
        assert not isinstance(caught.value, OutputFileError)
