"""Adding voices: the same one is told, another version is asked about, and nothing is ever left half done."""

import json
import shutil
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from app.common.errors import OutputFileError, VoiceError
from app.common.files import paths
from app.common.progress import Report
from app.install.staging_folders import find_staging_dir
from app.install.voice_import import InstallResult, add_voice, add_voices, find_user_voices_dir
from app.voices.installed_voices import find_voice, list_installed_voices
from app.voices.prepared_voice import PreparationResult, read_prepared_voice
from app.voices.voice_card_data import CARD_NAME, read_card
from tests.remembered import prepare_remembered

from .voice_files import PNG, TERMS, WAV, aivmx, data_url, quick, tree, wishes

ROOT = Path(__file__).parents[2]
UUID = "0faf9f49-fb67-595a-a405-82fb5a94a69e"


@pytest.fixture(scope="session")
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.fixture
def voice_file(reference: Path, tmp_path: Path) -> Path:
    return aivmx(reference, tmp_path / "声 その一.aivmx", license=TERMS, version="1.0.0", creators=["誰か"])


def add(source: Path, **values: object) -> InstallResult:
    return add_voice(source, wishes(**values), prepare=quick)  # type: ignore[arg-type]


def ids() -> list[str]:
    return [voice.manifest.id for voice in list_installed_voices([find_user_voices_dir()])]


def nothing_staged() -> bool:
    return [name for name in tree(find_staging_dir()) if not name.startswith(".")] == []


def test_a_voice_and_its_card_are_installed_under_its_uuid(voice_file: Path) -> None:
    added = add(voice_file)
    assert added.voice.path == find_user_voices_dir() / UUID
    assert added.voice.manifest.id == UUID
    assert added.voice.manifest.licence == TERMS
    card = added.card
    assert (card.version, card.creators, card.source_name) == ("1.0.0", ("誰か",), "声 その一.aivmx")
    assert card.source_bytes == voice_file.stat().st_size
    assert card.prepared_bytes > 100_000
    assert card.max_abs_diff == 1e-6
    assert len(card.source_sha256) == 64
    assert [item.id for item in card.speakers] == [0, 1]
    icon = added.voice.path / card.speakers[0].icon
    assert icon.read_bytes().startswith(b"\x89PNG")
    assert nothing_staged()


def test_the_same_voice_again_is_told_whatever_it_is_called(voice_file: Path, tmp_path: Path) -> None:
    add(voice_file)
    before = tree(paths.find_data_dir())
    shutil.copy(voice_file, tmp_path / "other.bin")
    again = add_voice(tmp_path / "other.bin", wishes(False), prepare=None)  # neither asked for nor prepared
    assert again.was_installed
    assert tree(find_user_voices_dir()) == [name.removeprefix("voices/") for name in before if name.startswith("voices/")]


def test_another_version_is_refused_replaced_or_kept_beside(voice_file: Path, reference: Path, tmp_path: Path) -> None:
    add(voice_file)
    newer = aivmx(reference, tmp_path / "newer.aivmx", license=TERMS, version="1.1.0")
    with pytest.raises(VoiceError, match=r"1\.0\.0; this one: 1\.1\.0") as caught:
        add(newer)
    assert "--update" in caught.value.hint
    assert "--keep-both" in caught.value.hint
    both = add(newer, should_keep_both=True)
    assert both.voice.manifest.id == f"{UUID}-2"
    assert read_card(find_user_voices_dir() / UUID).version == "1.0.0"
    assert add(newer).was_installed
    third = aivmx(reference, tmp_path / "third.aivmx", license=TERMS, version="1.2.0")
    assert add(third, should_update=True).was_updated
    assert read_card(find_user_voices_dir() / UUID).version == "1.2.0"
    assert ids() == [UUID, f"{UUID}-2"]
    assert nothing_staged()


def test_an_update_that_fails_leaves_the_old_voice(voice_file: Path, reference: Path, tmp_path: Path) -> None:
    add(voice_file)
    before = tree(find_user_voices_dir())
    newer = aivmx(reference, tmp_path / "newer.aivmx", version="1.1.0")

    def fails(_source: Path, folder: Path, _report: Report) -> PreparationResult:
        (folder / "half.onnx").write_bytes(b"half")
        raise VoiceError("it does not speak", "hint")

    def forgets(_source: Path, folder: Path, _report: Report) -> PreparationResult:
        prepared = quick(_source, folder, _report)
        (folder / "decoder.onnx").unlink()
        return prepared

    for broken in (fails, forgets):
        with pytest.raises(VoiceError):
            add_voice(newer, wishes(should_update=True), prepare=broken)
        assert tree(find_user_voices_dir()) == before
        assert nothing_staged()


def test_a_declined_licence_stops_before_the_work(voice_file: Path) -> None:
    with pytest.raises(VoiceError, match="not been accepted") as caught:
        add_voice(voice_file, wishes(accepted=False), prepare=None)
    assert "--accept-licence" in caught.value.hint
    assert ids() == []


def test_a_voice_without_a_uuid_is_known_by_its_content(reference: Path, tmp_path: Path) -> None:
    for name in ("config.json", "style_vectors.npy", "model.safetensors"):
        shutil.copy(reference / "jp-extra-tiny-2spk" / name, tmp_path)
    first = add(tmp_path / "model.safetensors")
    assert len(first.voice.manifest.id) == 16
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for name in ("config.json", "style_vectors.npy", "model.safetensors"):
        shutil.copy(tmp_path / name, moved)
    assert add(moved / "model.safetensors").was_installed
    config = json.loads((moved / "config.json").read_text(encoding="utf-8")) | {"model_name": "another"}
    (moved / "config.json").write_text(json.dumps(config), encoding="utf-8")
    assert not add(moved / "model.safetensors").was_installed  # the settings are part of the voice


def test_several_checkpoints_are_listed_chosen_or_all_added(reference: Path, tmp_path: Path) -> None:
    source = tmp_path / "checkpoints"
    source.mkdir()
    for name in ("config.json", "style_vectors.npy"):
        shutil.copy(reference / "jp-extra-tiny-2spk" / name, source)
    shutil.copy(reference / "jp-extra-tiny-2spk" / "model.safetensors", source / "e100.safetensors")
    shutil.copy(reference / "jp-extra-tiny-2spk" / "model.onnx", source / "e200.onnx")
    with pytest.raises(VoiceError, match=r"e100.*e200") as caught:
        add(source)
    assert "--checkpoint" in caught.value.hint
    with pytest.raises(VoiceError, match="e300"):
        add_voice(source, wishes(), checkpoint="e300", prepare=quick)
    one = add_voice(source, wishes(), checkpoint="e200", prepare=quick)
    assert one.card.source_name == "checkpoints/e200.onnx"
    every = add_voices(source, wishes(), all_voices=True, prepare=quick)
    assert [item.was_installed for item in every] == [False, True]
    assert "e100" in every[0].voice.manifest.name


def test_a_zip_is_unpacked_and_nothing_of_it_stays(voice_file: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "sold.zip", "w") as archive:
        archive.write(voice_file, "声/model.aivmx")
        archive.writestr("声/readme.txt", "thank you")
    added = add(tmp_path / "sold.zip")
    assert added.voice.manifest.id == UUID
    assert added.card.source_name == "sold.zip/声/model.aivmx"
    assert nothing_staged()
    assert add(voice_file).was_installed


def test_icons_and_samples_by_local_id_broken_ones_left_out_with_a_note(reference: Path, tmp_path: Path) -> None:
    def dress(speakers: list[dict]) -> list[dict]:  # type: ignore[type-arg]
        first, second = speakers
        first["icon"] = data_url(PNG)
        second["icon"] = "data:image/png;base64,@@@"
        samples = [{"audio": data_url(WAV, "audio/wav"), "transcript": "こんにちは"}, {"audio": data_url(b"MZ evil"), "transcript": "x"}]
        second["styles"][1]["voice_samples"] = samples
        second["styles"][1]["icon"] = data_url(PNG)
        return [second, first]

    added = add(aivmx(reference, tmp_path / "a.aivmx", speakers=dress))
    second, first = added.card.speakers
    assert (second.id, second.icon) == (1, "")
    assert first.icon == second.styles[1].icon  # kept once
    (sample,) = second.styles[1].samples
    assert (added.voice.path / sample.file).read_bytes() == WAV
    assert sample.transcript == "こんにちは"
    assert len(added.card.notes) == 2


def test_a_damaged_voice_is_replaced_by_adding_it_again(voice_file: Path) -> None:
    (add(voice_file).voice.path / "decoder.onnx").unlink()
    assert ids() == []
    assert not add(voice_file).was_installed
    assert ids() == [UUID]


def test_a_full_disk_is_told_before_the_work_with_numbers(voice_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.disk_usage", lambda _folder: shutil._ntuple_diskusage(10**9, 10**9, 3_000_000))
    with pytest.raises(OutputFileError, match="75 MB required, 3 MB free"):
        add_voice(voice_file, wishes(), prepare=None)


def test_a_data_folder_that_cannot_be_written_is_told(voice_file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "file" / "below"))
    with pytest.raises(OutputFileError):
        add(voice_file)


def test_the_shipped_voice_is_not_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "mei"
    shutil.copytree(paths.find_resources_dir() / "voices" / "mei", folder)
    assert add(folder).was_installed
    (folder / "notes.txt").write_text("changed")
    with pytest.raises(VoiceError, match="Another version") as caught:
        add(folder, should_update=True)
    assert "--keep-both" in caught.value.hint
    assert add(folder, should_keep_both=True).voice.manifest.id == "mei-2"


def test_an_id_that_is_no_file_name_is_replaced(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    shutil.copytree(paths.find_resources_dir() / "voices" / "mei", folder)
    for wicked in ("../up", "con", "Ünï", "a/b", ".hidden"):
        manifest = json.loads((folder / "voice.json").read_text(encoding="utf-8")) | {"id": wicked}
        (folder / "voice.json").write_text(json.dumps(manifest), encoding="utf-8")
        added = add(folder)
        assert added.voice.path.parent == find_user_voices_dir()
        assert len(added.voice.manifest.id) == 16


@pytest.mark.usefixtures("_prepared_voices")
def test_the_real_preparation_speaks_like_its_source_and_is_added_again_from_its_own_folder(reference: Path, tmp_path: Path) -> None:
    added = add_voice(reference / "jp-extra-tiny-2spk" / "model.aivmx", wishes(), prepare=prepare_remembered)
    assert not added.voice.manifest.is_single_graph
    assert added.card.max_abs_diff is not None
    assert added.card.max_abs_diff < 1e-3
    assert add_voice(added.voice.path, wishes()).was_installed
    shutil.move(added.voice.path, tmp_path / "carried")
    back = add_voice(tmp_path / "carried", wishes())
    assert back.voice.manifest.id == UUID
    assert back.card.speakers == added.card.speakers
    assert (back.voice.path / back.card.speakers[0].icon).is_file()


CHILD = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = {path!r}
from tests.install.voice_files import quick, wishes
from app.install import staging_folders
from app.install.voice_import import add_voice
move, left = staging_folders.move_path, [{survived}]
def dies(source, target):
    if not left[0]:
        os.kill(os.getpid(), signal.SIGKILL)
    left[0] -= 1
    move(source, target)
staging_folders.move_path = dies
add_voice(Path(sys.argv[1]), wishes(should_update=True), prepare=quick)
"""


@pytest.mark.parametrize("survived", [0, 1])
def test_killed_between_the_renames_of_an_update(survived: int, voice_file: Path, reference: Path, tmp_path: Path) -> None:
    """Before the first rename, and between the two: the old voice is there, and the next addition tidies up."""
    if sys.platform == "win32":
        pytest.skip("kills with a signal")
    add(voice_file)
    newer = aivmx(reference, tmp_path / "newer.aivmx", license=TERMS, version="1.1.0")
    code = CHILD.format(path=[str(ROOT)], survived=survived)
    done = subprocess.run([sys.executable, "-c", code, str(newer)], check=False, capture_output=True, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert find_voice(UUID, [find_user_voices_dir()]).manifest.id == UUID
    assert ids() == [UUID]
    assert not nothing_staged()
    assert add(newer, should_update=True).card.version == "1.1.0"
    assert nothing_staged()
    assert [item.name for item in find_user_voices_dir().iterdir() if item.is_dir()] == [UUID]


@pytest.mark.skipif(sys.platform == "win32", reason="kills with a signal")
@pytest.mark.parametrize("step", ["reading", "cutting", "checking", pytest.param("storing", marks=pytest.mark.slow)])
def test_killed_while_preparing(step: str, voice_file: Path) -> None:
    command = [sys.executable, str(ROOT / "main.py"), "voices", "add", str(voice_file), "--accept-licence", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line).get("step") == step:
                process.kill()
                break
    assert ids() == []
    assert not nothing_staged()
    add(voice_file)
    assert ids() == [UUID]
    assert nothing_staged()


def test_a_folder_in_use_keeps_its_voice(voice_file: Path, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows a voice that is open cannot be moved; the second rename failing is the worst case."""
    add(voice_file)
    newer = aivmx(reference, tmp_path / "newer.aivmx", license=TERMS, version="1.1.0")
    replace = Path.replace

    def locked(self: Path, target: Path) -> Path:
        if self.parent.parent == find_staging_dir() and self.is_dir():
            raise PermissionError(13, "in use", str(target))
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", locked)
    with pytest.raises(OutputFileError, match="in use"):
        add(newer, should_update=True)
    assert read_prepared_voice(find_user_voices_dir() / UUID).manifest.id == UUID
    assert read_card(find_user_voices_dir() / UUID).version == "1.0.0"
    assert nothing_staged()


def test_a_damaged_card_is_an_empty_card(voice_file: Path) -> None:
    folder = add(voice_file).voice.path
    for content in (
        "",
        "[]",
        '{"speakers": 5}',
        '{"creators": 1}',
        '{"source_bytes": 1e999}',
        '{"version": 5}',
        '{"speakers": [{"id": 0, "icon": "../../x.png"}]}',
        "[" * 99_999,
    ):
        (folder / CARD_NAME).write_text(content)
        assert read_card(folder).creators == ()
    assert ids() == [UUID]
