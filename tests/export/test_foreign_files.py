"""An export destroys nothing that is not its own: a sound and what lies beside it are one set, which exists if any of its names is taken."""

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from app.common.errors import BackendError, InputError, OutputFileError
from app.core.script.script import Line, LineSettings
from app.export.cluster_worker import ClusterWorker
from app.export.export_plan import PlannedFile, build_numbered_lines, plan_files
from app.export.export_renderer import FileRenderer, WrittenFile
from app.export.export_settings import ExportSettings
from app.export.export_tasks import BatchSettings, ExportTask
from app.export.manifest_store import MANIFEST_NAME
from app.export.safe_file_names import SourceFiles
from tests.export.test_changed import CONTEXT, Exporter, contents, export_fully

MINE = "mine\n"
needs_links = pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")


def export(*arguments: object) -> int:
    return main(["export", *map(str, arguments)])


def write_script(file: Path, *texts: str) -> Path:
    file.parent.mkdir(exist_ok=True)
    rows = (f"a{number},{text}" for number, text in enumerate(texts, 1))
    file.write_text("\n".join(("id,text", *rows)) if file.suffix == ".csv" else "\n".join(texts), encoding="utf-8")
    return file


def put(file: Path, content: str = MINE) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content, encoding="utf-8")
    return file


def listed(folder: Path) -> list[str]:
    return sorted(item.name for item in folder.iterdir() if item.is_file() and item.name != MANIFEST_NAME)


@pytest.mark.parametrize(
    ("policy", "code", "names"),
    [
        ("ask", 0, ["story.txt"]),
        ("skip", 0, ["story.txt"]),
        ("number", 0, ["story 2.txt", "story 2.wav", "story.txt"]),
        ("replace", 2, ["story.txt"]),
    ],
)
def test_a_script_is_never_a_target_of_its_own_export(
    tmp_path: Path, policy: str, code: int, names: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    script = write_script(tmp_path / "story.txt", "はい。")
    before = script.read_bytes()
    assert export(script, "-o", tmp_path, "--joined", "--pattern", "story", "--sidecars", "txt", "--existing", policy) == code
    assert (listed(tmp_path), script.read_bytes()) == (names, before)
    assert ("“story.txt” is the source itself" in capsys.readouterr().err) == (policy == "replace")


def test_a_script_that_an_export_wrote_is_a_script(tmp_path: Path) -> None:
    script = write_script(tmp_path / "first" / "story.csv", "はい。")
    out = tmp_path / "out"
    options = ("-o", out, "--joined", "--pattern", "story", "--sidecars", "txt", "--only", "changed", "--existing", "replace")
    assert export(script, *options) == 0
    before = (out / "story.txt").read_bytes()
    assert export(out / "story.txt", *options) == 2, "its record says that story.txt is a file of an export"
    assert export(write_script(script, "いいえ。"), *options) == 0, "it is, for the script that it was made of"
    assert (out / "story.txt").read_bytes() != before
    assert export(out / "story.txt", *options[:-2], "--remove-orphans") == 0
    assert (out / "story.txt").is_file()


@needs_links
def test_a_script_behind_a_link_is_that_script(tmp_path: Path) -> None:
    script = write_script(tmp_path / "real" / "story.txt", "はい。")
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    (tmp_path / "name.txt").symlink_to(script)
    for source, folder, stem in (("linked/story.txt", "real", "story"), ("real/story.txt", "linked", "STORY"), ("name.txt", ".", "name")):
        sources = SourceFiles([tmp_path / source])
        settings = ExportSettings(folder=str(tmp_path / folder), pattern=stem, sidecars=("txt",), existing="replace")
        with pytest.raises(InputError):
            plan_files(build_numbered_lines([Line("はい。")]), settings, CONTEXT, sources=sources)
    assert tmp_path / "real" / "story.txt" in SourceFiles([tmp_path / "name.txt"])


@pytest.mark.parametrize(("policy", "made"), [("ask", []), ("skip", []), ("number", ["a1 2.srt", "a1 2.txt", "a1 2.wav"])])
def test_a_subtitle_that_was_corrected_by_hand_stays(
    tmp_path: Path, policy: str, made: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    script, out = write_script(tmp_path / "s.csv", "はい。"), tmp_path / "out"
    put(out / "a1.srt")
    assert export(script, "-o", out, "--pattern", "$id$", "--sidecars", "txt,srt", "--existing", policy, "--json") == 0
    told = capsys.readouterr()
    assert (out / "a1.srt").read_text(encoding="utf-8") == MINE
    assert listed(out) == [*made, "a1.srt"]
    summary = json.loads(told.out.splitlines()[-1])
    assert (summary["files"], summary["skipped"]) == (bool(made), not made)
    assert ("1 of the files already exist" in told.err) == (policy == "ask")


def test_what_lies_beside_a_sound_that_is_gone_is_ours_unless_it_was_edited(tmp_path: Path) -> None:
    script, out = write_script(tmp_path / "s.csv", "はい。", "いいえ。"), tmp_path / "out"
    options = ("-o", out, "--pattern", "$id$", "--sidecars", "txt", "--only", "missing")
    assert export(script, *options) == 0
    for sound in out.glob("*.wav"):
        sound.unlink()
    put(out / "a2.txt")
    assert export(script, *options) == 0
    assert listed(out) == ["a1.txt", "a1.wav", "a2.txt"]
    assert (out / "a2.txt").read_text(encoding="utf-8") == MINE


@pytest.mark.parametrize("policy", ["ask", "skip", "number", "replace"])
def test_no_rename_takes_the_place_of_somebody_elses_subtitle(tmp_path: Path, policy: Any) -> None:
    exporter = Exporter(tmp_path, [Line("雨", id="a")], ExportSettings(pattern="$id$", sidecars=("txt", "srt"), existing=policy))
    exporter.export_all()
    exporter.lines = [Line("雨", id="b")]
    put(tmp_path / "b.srt")
    exporter.export_changed()
    found = contents(tmp_path)
    assert (found["b.srt"] == MINE) == (policy != "replace")
    assert sorted(found) == {
        "number": ["b 2.srt", "b 2.txt", "b 2.wav", "b.srt"],
        "replace": ["b.srt", "b.txt", "b.wav"],
    }.get(policy, ["a.srt", "a.txt", "a.wav", "b.srt"])
    exporter.lines = []
    exporter.export_changed()
    assert (tmp_path / "b.srt").exists() == (policy != "replace"), "it did not become ours either"


def test_a_file_that_comes_between_plan_and_rename_stays(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path, [Line("雨", id="a")], ExportSettings(pattern="$id$", sidecars=("txt",), existing="skip"))
    exporter.export_all()
    exporter.lines = [Line("雨", id="b")]
    ledger = exporter.open_ledger()
    files = ledger.plan_files(
        build_numbered_lines(exporter.lines), ExportSettings(**_fields(exporter.settings), only_changed=True), CONTEXT
    )
    changes = ledger.plan_changes(files, exporter.settings, {})
    put(tmp_path / "b.txt")
    with pytest.raises(OutputFileError):
        list(ledger.rename_files(changes))
    assert sorted(contents(tmp_path)) == ["a.txt", "a.wav", "b.txt"]
    assert (tmp_path / "b.txt").read_text(encoding="utf-8") == MINE


def _fields(settings: ExportSettings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in ("folder", "pattern", "sidecars", "existing")}


@pytest.mark.parametrize(("policy", "code", "lists"), [("ask", 0, []), ("number", 0, ["voice_lines 2.csv"]), ("replace", 2, [])])
def test_a_table_is_no_place_for_the_list_of_its_own_files(tmp_path: Path, policy: str, code: int, lists: list[str]) -> None:
    script = write_script(tmp_path / "voice_lines.csv", "はい。")
    before = script.read_bytes()
    assert export(script, "-o", tmp_path, "--game", "csv", "--existing", policy) == code
    assert script.read_bytes() == before
    assert sorted(item.name for item in tmp_path.glob("voice_lines*")) == [*lists, "voice_lines.csv"]


def test_a_list_is_ours_while_it_is_as_we_wrote_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, out = tmp_path / "s.csv", tmp_path / "out"
    put(out / "voice_lines.csv")
    assert export(write_script(script, "はい。"), "-o", out, "--game", "csv", "--existing", "skip") == 0
    assert (out / "voice_lines.csv").read_text(encoding="utf-8") == MINE
    assert "“voice_lines.csv” already exists, so the list" in capsys.readouterr().err
    (out / "voice_lines.csv").unlink()
    for texts in (("はい。",), ("はい。", "いいえ。")):
        assert export(write_script(script, *texts), "-o", out, "--game", "csv", "--existing", "skip") == 0
        assert len((out / "voice_lines.csv").read_text(encoding="utf-8-sig").splitlines()) == 1 + len(texts)
    put(out / "voice_lines.csv")
    assert export(write_script(script, "はい。"), "-o", out, "--game", "csv", "--only", "changed", "--existing", "skip") == 0
    assert (out / "voice_lines.csv").read_text(encoding="utf-8") == MINE


def test_a_list_names_no_sound_that_is_not_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    put(out / "a1.txt")
    script = write_script(tmp_path / "s.csv", "はい。", "いいえ。")
    assert export(script, "-o", out, "--game", "csv", "--sidecars", "txt", "--existing", "skip") == 0
    assert (out / "voice_lines.csv").read_text(encoding="utf-8-sig").count(".wav") == 1


@needs_links
@pytest.mark.parametrize("name", ["a1.txt", "a1.wav", "voice_lines.csv"])
@pytest.mark.parametrize("leads_somewhere", [True, False])
def test_no_name_of_an_export_is_followed_through_a_link(tmp_path: Path, name: str, leads_somewhere: bool) -> None:
    script, out, profile = write_script(tmp_path / "s.csv", "はい。"), tmp_path / "out", tmp_path / ".profile"
    out.mkdir()
    if leads_somewhere:
        put(profile)
    (out / name).symlink_to(profile)
    options = ("-o", out, "--game", "csv", "--sidecars", "txt")
    assert export(script, *options, "--existing", "skip") == 0
    assert (out / name).is_symlink()
    assert export(script, *options, "--existing", "replace") == 0
    assert not (out / name).is_symlink()
    assert (profile.read_text(encoding="utf-8") if profile.exists() else None) == (MINE if leads_somewhere else None)


@needs_links
def test_the_folder_itself_may_be_a_link_and_those_within_may_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, real = write_script(tmp_path / "s.csv", "はい。"), tmp_path / "real"
    real.mkdir()
    (tmp_path / "out").symlink_to(real)
    assert export(script, "-o", tmp_path / "out", "--pattern", "$id$") == 0
    assert listed(real) == ["a1.wav"]
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (real / "Mei").symlink_to(elsewhere)
    assert export(script, "-o", tmp_path / "out", "--by", "speaker", "--existing", "replace") == 7
    assert "is a link" in capsys.readouterr().err
    assert not listed(elsewhere)


@pytest.mark.parametrize("kind", ["sound", "sidecar", "list"])
def test_a_folder_in_the_way_stays(tmp_path: Path, kind: str) -> None:
    script, out = write_script(tmp_path / "s.csv", "はい。"), tmp_path / "out"
    name = {"sound": "a1.wav", "sidecar": "a1.txt", "list": "voice_lines.csv"}[kind]
    put(out / name / "kept.txt")
    options = ("-o", out, "--game", "csv", "--sidecars", "txt")
    assert export(script, *options, "--existing", "skip") == 0
    assert export(script, *options, "--existing", "replace") == 7
    assert (out / name / "kept.txt").read_text(encoding="utf-8") == MINE
    assert export(script, *options, "--existing", "number") == 0


def test_no_script_makes_a_file_that_another_program_acts_on(tmp_path: Path) -> None:
    names = ("package", "Package", "CMakeLists", "requirements", "desktop", ".hidden", "../up", "a/b", "con", "lpt1.x")
    files = plan_files(
        build_numbered_lines([Line("はい。", id=name) for name in names]), ExportSettings(folder=str(tmp_path), pattern="$id$"), CONTEXT
    )
    assert [item.file.parent for item in files] == [tmp_path] * len(names)
    stems = [item.file.stem for item in files]
    assert stems == ["package_", "Package_ 2", "CMakeLists_", "requirements_", "desktop_", "hidden", "up", "ab", "con_", "lpt1_.x"]


def test_a_worker_of_a_cluster_sends_no_file_that_nobody_asked_for(tmp_path: Path) -> None:
    subtitle = put(tmp_path / "a.srt")
    answer = {"row": {"type": "file"}, "sound": b"RIFF", "sidecars": {".txt": b"a\n", ".srt": b"theirs\n"}}

    class Cluster:
        def run_task(self, _batch: BatchSettings, _task: ExportTask, _is_stopped: Callable[[], bool]) -> dict[str, Any]:
            return answer

    item = PlannedFile(tmp_path / "a.wav", (Line("はい。", LineSettings(), id="a"),))
    worker = ClusterWorker(Cluster(), BatchSettings(ExportSettings(sidecars=("txt",)), {}))  # type: ignore[arg-type]
    with pytest.raises(Exception, match="no file"):
        worker.run_task(ExportTask(item))
    assert [file.name for file in tmp_path.iterdir()] == ["a.srt"]
    assert subtitle.read_text(encoding="utf-8") == MINE
    del answer["sidecars"][".srt"]  # type: ignore[attr-defined]
    worker.run_task(ExportTask(item))
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.srt", "a.txt", "a.wav"]
    with pytest.raises(OutputFileError, match="already exists"):
        worker.run_task(ExportTask(item))
    worker.run_task(ExportTask(replace(item, replaced_names=("a.txt", "a.wav"))))


@pytest.mark.parametrize("policy", ["skip", "number", "replace"])
@pytest.mark.parametrize("late", ["a1.wav", "a1.txt", "voice_lines.csv"])
def test_a_file_that_appears_while_an_export_runs_is_not_replaced(
    tmp_path: Path, policy: str, late: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script, out = write_script(tmp_path / "s.csv", "はい。"), tmp_path / "out"
    spoken = FileRenderer.write_file

    def speak(renderer: FileRenderer, *asked: Any) -> WrittenFile | None:
        put(out / late)
        return spoken(renderer, *asked)

    options = ("-o", out, "--sidecars", "txt", "--game", "csv")
    with monkeypatch.context() as patch:
        patch.setattr(FileRenderer, "write_file", speak)
        assert export(script, *options, "--existing", policy) == 7
    assert "already exists" in capsys.readouterr().err
    assert (out / late).read_text(encoding="utf-8") == MINE
    assert listed(out) == (["a1.txt", "a1.wav", late] if late == "voice_lines.csv" else [late])
    assert export(script, *options, "--existing", "replace") == 0, "what the user saw gives way"
    assert (out / late).read_bytes() != MINE.encode()
    assert export(script, *options, "--only", "changed") == 0
    assert listed(out) == ["a1.txt", "a1.wav", "voice_lines.csv"]


@pytest.mark.parametrize(
    ("is_measurement", "answer"),
    [
        (True, {"measured": {"powers": "AAAA", "peak": 1, "seconds": 1, "losses": []}}),
        (True, {"measured": {"powers": "", "peak": "1", "seconds": 1, "losses": []}}),
        (False, {"row": {"limited_db": "1"}, "sound": b"RIFF", "sidecars": {}}),
        (False, {"row": {"limited_db": 1, "audio_s": [4]}, "sound": b"RIFF", "sidecars": {}}),
    ],
)
def test_a_worker_of_a_cluster_sends_no_loudness_that_is_none(tmp_path: Path, is_measurement: bool, answer: dict[str, Any]) -> None:
    class Cluster:
        def run_task(self, _batch: BatchSettings, _task: ExportTask, _is_stopped: Callable[[], bool]) -> dict[str, Any]:
            return answer

    item = PlannedFile(tmp_path / "a.wav", (Line("はい。", LineSettings(), id="a"),))
    worker = ClusterWorker(Cluster(), BatchSettings(ExportSettings(), {}))  # type: ignore[arg-type]
    with pytest.raises(BackendError, match="no file"):
        worker.run_task(ExportTask(item, is_measurement=is_measurement))
    assert not list(tmp_path.iterdir())


def test_an_own_set_of_another_format_gives_way_to_a_rename(tmp_path: Path) -> None:
    lines = [Line("雨", id="a"), Line("雪", id="b")]
    exporter = Exporter(tmp_path / "out", lines, ExportSettings(pattern="$number$", sidecars=("txt",), existing="skip", sound="flac"))
    exporter.folder.mkdir()
    exporter.export_all()
    exporter.chosen = replace(exporter.chosen, sound="wav")
    exporter.export_changed(only=["b"])
    exporter.lines = lines[::-1]
    changes = exporter.export_changed()
    assert [(entry.path, file.path) for file, entry in changes.renamed] == [("002.wav", "001.wav")]
    assert contents(exporter.folder).items() >= export_fully(exporter, tmp_path / "full").items()
