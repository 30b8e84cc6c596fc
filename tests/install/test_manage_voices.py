"""Removing, renaming and exporting voices; staging folders of processes that died and of those that live."""

import shutil
import subprocess
import sys
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

from app.adapters.ort.optimized_graphs import OPTIMIZED_GRAPH_NAME, GraphStore
from app.common.errors import InputError, OutputFileError, VoiceError
from app.common.files import paths
from app.common.progress import Report
from app.install.manage_voices import export_voice, prepare_voice_again, remove_voice, rename_voice
from app.install.staging_folders import create_staging_folder, find_staging_dir, list_leftovers
from app.install.voice_import import add_voice, find_user_voices_dir
from app.voices.installed_voices import find_voice, list_installed_voices
from app.voices.int8_result import Int8Graph, Int8Result
from app.voices.prepared_voice import PreparationResult, read_manifest
from app.voices.voice_card_data import read_card

from .voice_files import PNG, aivmx, data_url, quick, tree, wishes

ROOT = Path(__file__).parents[2]
UUID = "0faf9f49-fb67-595a-a405-82fb5a94a69e"


@pytest.fixture
def installed(tiny_models: Path, tmp_path: Path) -> Path:
    """Folder of an installed voice with an icon."""

    def dress(speakers: list[dict[str, object]]) -> list[dict[str, object]]:
        speakers[0]["icon"] = data_url(PNG)
        return speakers

    source = aivmx(tiny_models, tmp_path / "a.aivmx", speakers=dress, name="花子")
    return add_voice(source, wishes(), prepare=quick).voice.path


def test_a_voice_takes_the_copies_of_its_graphs_with_it(installed: Path) -> None:
    def write_copy(copy: Path) -> None:
        (copy / OPTIMIZED_GRAPH_NAME).write_bytes(b"graph")

    folder = paths.find_data_dir() / "cache" / "graphs"
    store = GraphStore(folder, smallest_bytes=0)
    for graph in (installed / "flow.onnx", paths.find_resources_dir() / "voices" / "mei" / "flow.onnx"):
        assert store.find_or_write_copy(graph, "any", write_copy)
    before = set(folder.iterdir())
    remove_voice("花子")
    assert len(before) == 2
    assert len(before & set(folder.iterdir())) == 1


def test_a_voice_is_prepared_again_from_itself_and_stays_who_it_is(installed: Path) -> None:
    rename_voice(UUID, "太郎")
    manifest, card = read_manifest(installed), read_card(installed)
    icon = (installed / card.speakers[0].icon).read_bytes()
    from_itself: list[Path] = []

    def prepare(source: Path, folder: Path, report: Report) -> PreparationResult:
        from_itself.append(source)
        done = quick(source, folder, report)
        fast = Int8Result({"decoder": Int8Graph("decoder.onnx", 40.0, 0.5)}, 40.0, 0.5, gain=2.0)
        return replace(done, manifest=replace(done.manifest, fast=fast, format=manifest.format))

    renewed = prepare_voice_again("太郎", lambda _licence: False, prepare=prepare)  # its licence was accepted when it was added
    assert from_itself == [installed]
    assert renewed.was_updated
    now = read_manifest(installed)
    assert now.fast is not None
    assert replace(now, fast=None) == manifest
    assert replace(read_card(installed), installed_at=card.installed_at, prepared_bytes=card.prepared_bytes) == card
    assert (installed / card.speakers[0].icon).read_bytes() == icon

    def fail(_source: Path, _folder: Path, _report: Report) -> PreparationResult:
        raise VoiceError("broken")

    with pytest.raises(VoiceError):
        prepare_voice_again(UUID, lambda _licence: False, prepare=fail)
    assert read_manifest(installed) == now
    with pytest.raises(VoiceError):
        prepare_voice_again("mei", lambda _licence: True)  # ships with the program


@pytest.mark.parametrize("wanted", [UUID, "花子"])
def test_a_voice_is_removed_as_a_whole(installed: Path, wanted: str) -> None:
    remove_voice(wanted)
    assert list_installed_voices([find_user_voices_dir()]) == []
    assert not installed.exists()
    assert [name for name in tree(find_staging_dir()) if not name.startswith(".")] == []


def test_a_damaged_voice_is_removed_by_its_folder(installed: Path) -> None:
    (installed / "voice.json").write_text("{")
    remove_voice(UUID)
    assert not installed.exists()


@pytest.mark.parametrize("wanted", ["mei", "Mei (starter)"])
def test_a_shipped_voice_stays(wanted: str) -> None:
    for change in (lambda: remove_voice(wanted), lambda: rename_voice(wanted, "x")):
        with pytest.raises(VoiceError, match="comes with"):
            change()
    assert find_voice("mei", paths.list_voice_dirs()).manifest.name == "Mei (starter)"


@pytest.mark.parametrize("wanted", ["nobody", "..", ".", "", "../voices", "a/b", "x" * 5000])
def test_what_is_not_there_cannot_be_removed(installed: Path, wanted: str) -> None:
    with pytest.raises(VoiceError, match="no voice"):
        remove_voice(wanted)
    assert installed.is_dir()


def test_another_name_keeps_the_id_and_the_card(installed: Path) -> None:
    card = read_card(installed)
    assert rename_voice("花子", "  花子\n2 号 ").manifest.name == "花子 2 号"
    assert find_voice("花子 2 号", paths.list_voice_dirs()).manifest.id == UUID
    assert read_card(installed) == card


@pytest.mark.parametrize("name", ["", "  ", "x" * 81, "a\x00b", "\x1b[2J"])
def test_a_name_that_cannot_be_shown_is_refused(installed: Path, name: str) -> None:
    with pytest.raises(InputError):
        rename_voice(UUID, name)
    assert find_voice(UUID, paths.list_voice_dirs()).manifest.name == "花子"


@pytest.mark.parametrize("target", ["声 の 写し", "copy.zip", "Copy.ZIP"])
def test_an_exported_voice_can_be_added_elsewhere(installed: Path, target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = read_card(installed)
    (tmp_path / "out").mkdir()
    exported = export_voice(UUID, tmp_path / "out" / target)
    assert zipfile.is_zipfile(exported) == exported.suffix.lower().endswith("zip")
    assert [item.name for item in (tmp_path / "out").iterdir()] == [target]
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "another-machine"))
    added = add_voice(exported, wishes(), prepare=quick)
    assert added.voice.manifest.id == UUID
    assert added.voice.manifest.name == "花子"
    assert added.card.speakers == before.speakers
    assert added.card.source_sha256 == before.source_sha256
    assert (added.voice.path / added.card.speakers[0].icon).read_bytes() == PNG


def test_the_shipped_voice_can_be_exported_and_is_then_known(tmp_path: Path) -> None:
    assert add_voice(export_voice("mei", tmp_path / "mei"), wishes(), prepare=quick).was_installed


def test_an_export_replaces_nothing_and_leaves_nothing(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "mine.zip").write_text("mine")
    monkeypatch.chdir(tmp_path)
    for target in (tmp_path / "full", tmp_path / "mine.zip", Path(), Path("/")):
        with pytest.raises(OutputFileError, match="already exists"):
            export_voice(UUID, target)
    for target in (tmp_path / "no" / "such" / "folder.zip", tmp_path / "mine.zip" / "below", tmp_path / ("x" * 300)):
        with pytest.raises(OutputFileError):
            export_voice(UUID, target)
    assert tree(tmp_path / "full") == ["mine.txt"]
    assert not list(tmp_path.glob("*.part"))


def test_an_export_replaces_a_zip_where_that_is_wished_and_nothing_else(installed: Path, tmp_path: Path) -> None:
    zipped, folder = tmp_path / "mine.zip", tmp_path / "full"
    zipped.write_text("mine")
    folder.mkdir()
    (folder / "mine.txt").write_text("mine")
    assert zipfile.is_zipfile(export_voice(UUID, zipped, may_replace=True))
    with pytest.raises(OutputFileError, match="already exists"):
        export_voice(UUID, folder, may_replace=True)
    assert tree(folder) == ["mine.txt"]
    assert not list(tmp_path.glob(".*"))


def test_a_staging_folder_is_swept_when_its_process_is_dead_and_not_before(tmp_path: Path) -> None:
    code = "import sys, time; from app.install.staging_folders import create_staging_folder\nwith create_staging_folder() as f: print(f, flush=True); time.sleep(60)"
    with subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        theirs = Path(process.stdout.readline().strip())
        with create_staging_folder() as ours:
            assert theirs.is_dir()
            assert ours.is_dir()
            assert list_leftovers() == []
        process.kill()
    assert list_leftovers() == [theirs]
    with create_staging_folder():
        assert not theirs.exists()
    assert [item.name for item in find_staging_dir().iterdir()] == [".moving"]


def test_what_fails_while_staged_is_an_output_error_and_leaves_nothing() -> None:
    with pytest.raises(OutputFileError, match="disk is full"), create_staging_folder() as folder:  # noqa: PT012
        (folder / "x").write_text("x")
        raise OSError(28, "No space left on device", str(folder / "x"))
    assert [item.name for item in find_staging_dir().iterdir()] == [".moving"]


def test_two_processes_adding_one_voice_agree(tiny_models: Path, tmp_path: Path) -> None:
    source = aivmx(tiny_models, tmp_path / "a.aivmx")
    code = (
        "import sys; from pathlib import Path; from tests.install.voice_files import quick, wishes; from app.install.voice_import import add_voice\n"
        "print(add_voice(Path(sys.argv[1]), wishes(), prepare=quick).voice.manifest.id)"
    )
    command = [sys.executable, "-c", code, str(source)]
    processes = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    assert [process.communicate(timeout=60)[0].strip() for process in processes] == [UUID] * 3
    assert [voice.manifest.id for voice in list_installed_voices([find_user_voices_dir()])] == [UUID]
    assert [item.name for item in find_user_voices_dir().iterdir() if item.is_dir()] == [UUID]


def test_very_long_and_foreign_paths(tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "とても長い名前のフォルダー 🎤" / Path(*["深い" * 20] * 6)
    monkeypatch.setenv("KOEBAKO_HOME", str(home))
    source = aivmx(tiny_models, tmp_path / "é ü 声.aivmx")
    added = add_voice(source, wishes(), prepare=quick)
    assert Path(str(added.voice.path).removeprefix("\\\\?\\")).is_relative_to(home)  # how Windows writes long paths
    assert find_voice(UUID, paths.list_voice_dirs()).manifest.id == UUID
    remove_voice(UUID)
    shutil.rmtree(home)
