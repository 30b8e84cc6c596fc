"""`koebako voices add`, `remove`, `rename`, `export`, licences, and voices spoken with where they lie."""

import json
import os
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import soundfile

from app.cli.commands.voices import add_voices_command, run
from app.cli.main import main
from app.common.errors import InputError
from app.common.files import paths
from app.install import download_sources, voice_import
from app.install.manage_voices import prepare_voice_again
from app.install.refinement_runs import refine_installed
from app.settings.user_settings import load_usable_settings
from tests.install.voice_files import TERMS, aivmx, quick
from tests.small_files import small_files
from tests.voices.both_precisions import FAST, quick_pending, quick_refined

ROOT = Path(__file__).parents[3]
UUID = "0faf9f49-fb67-595a-a405-82fb5a94a69e"
LISTED = {
    "id",
    "name",
    "source",
    "format",
    "opaque",
    "speakers",
    "styles",
    "sampling_rate",
    "bert",
    "path",
    "architecture",
    "ready",
    "default",
}


@pytest.fixture
def reference(tiny_models: Path) -> Path:
    return tiny_models


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The real preparation is tested elsewhere, and below in processes of their own."""
    add_voices = voice_import.add_voices
    monkeypatch.setattr(add_voices_command, "add_voices", lambda *arguments, **options: add_voices(*arguments, prepare=quick, **options))


def koebako(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[dict[str, Any]]]:
    """Exit code and JSON lines of a command, without those of progress, to which the first time at which a voice can speak belongs."""
    code = main([*map(str, arguments), "--json"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return code, [line for line in lines if line.get("type") not in ("progress", "usable")]


def test_add_list_info_rename_export_remove(reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = aivmx(reference, tmp_path / "a.aivmx", name="花子", creators=["作者"], version="1.2.3")
    code, (added,) = koebako(capsys, "voices", "add", source)
    assert code == 0
    assert added.items() >= {"type": "voice", "id": UUID, "name": "花子", "already": False, "updated": False}.items()
    assert koebako(capsys, "voices", "add", source)[1][0]["already"] is True
    code, (shipped, own) = koebako(capsys, "voices", "list")
    assert set(own) == set(shipped) == LISTED
    assert (own["id"], own["source"], own["default"]) == (UUID, "a.aivmx", False)
    assert (shipped["id"], shipped["default"]) == ("mei", True)
    code, (info,) = koebako(capsys, "voices", "info", "花子")
    assert set(info) > LISTED - {"default"}
    assert info["creators"] == ["作者"]
    assert info["version"] == "1.2.3"
    assert Path(info["speakers"][0]["icon"]).is_file()
    assert main(["voices", "info", UUID]) == 0
    assert "version: 1.2.3" in capsys.readouterr().out
    assert koebako(capsys, "voices", "rename", UUID, "太郎")[1][0]["name"] == "太郎"
    assert koebako(capsys, "voices", "export", "太郎", tmp_path / "out.zip") == (0, [{"exported": str(tmp_path / "out.zip")}])
    assert koebako(capsys, "voices", "use", "太郎") == (0, [{"id": UUID, "default": True}])
    assert [(line["id"], line["default"]) for line in koebako(capsys, "voices", "list")[1]] == [(UUID, True), ("mei", False)]
    assert koebako(capsys, "voices", "remove", "太郎") == (0, [{"removed": "太郎"}])
    assert [(line["id"], line["default"]) for line in koebako(capsys, "voices", "list")[1]] == [("mei", True)]
    assert load_usable_settings().default_voice == ""
    assert koebako(capsys, "voices", "add", tmp_path / "out.zip")[1][0]["name"] == "太郎"


def test_a_voice_is_pending_until_somebody_waits_for_the_rest(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_voices = voice_import.add_voices
    monkeypatch.setattr(
        add_voices_command, "add_voices", lambda *arguments, **options: add_voices(*arguments, prepare=quick_pending, **options)
    )
    monkeypatch.setattr(add_voices_command, "refine_installed", partial(refine_installed, refine=quick_refined))
    source = aivmx(reference, tmp_path / "a.aivmx", name="花子")
    assert main(["voices", "add", str(source)]) == 0
    assert "voices add ID --wait" in capsys.readouterr().err
    assert [(line["id"], line["ready"]) for line in koebako(capsys, "voices", "list")[1]] == [("mei", "better"), (UUID, "usable")]
    assert koebako(capsys, "voices", "info", UUID)[1][0]["ready"] == "usable"
    for action in (("list",), ("info", UUID)):
        assert main(["voices", *action]) == 0
        assert capsys.readouterr().out.count("still being prepared") == 1
    code, (found, better) = koebako(capsys, "voices", "add", "--wait", "花子")
    assert (code, found["already"], found["ready"], found["architecture"]) == (0, True, "usable", "sbv2")
    assert (better.pop("seconds") > 0, better) == (True, {"type": "better", "id": UUID, "fast": True, "outcome": "refined"})
    (info,) = koebako(capsys, "voices", "info", UUID)[1]
    assert info["ready"] == "better"
    assert info["fast"]["gain"] == FAST.gain
    assert main(["voices", "info", UUID]) == 0
    assert "prepared\n" not in capsys.readouterr().out
    nothing_left = koebako(capsys, "voices", "add", "--wait", UUID)[1]
    assert [(line["type"], line.get("outcome")) for line in nothing_left] == [("voice", None), ("better", None)]
    assert koebako(capsys, "voices", "remove", UUID)[0] == 0
    code, (added, better) = koebako(capsys, "voices", "add", source, "--wait")
    assert (code, added["already"], better["outcome"]) == (0, False, "refined")
    assert koebako(capsys, "voices", "add", "--wait", "誰か")[0] != 0


def test_adding_a_voice_says_which_bert_is_missing_and_how_to_get_it(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    source = aivmx(reference, tmp_path / "a.aivmx")
    _, (added,) = koebako(capsys, "voices", "add", source)
    assert added["notes"] == []
    monkeypatch.setattr(paths, "list_bert_dirs", lambda: [tmp_path])
    assert main(["voices", "add", str(source)]) == 0
    said = capsys.readouterr().err.strip()
    assert f"requires is missing: “{added['bert']}”" in said
    assert "koebako bert add" in said
    _, (again,) = koebako(capsys, "voices", "add", source)
    assert again["notes"] == [said]


def test_voices_are_prepared_again_one_by_one_or_all(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run, "prepare_voice_again", partial(prepare_voice_again, prepare=quick))
    assert koebako(capsys, "voices", "renew", "--all") == (0, [])  # none was added
    for number, name in enumerate(("花子", "太郎")):
        koebako(capsys, "voices", "add", aivmx(reference, tmp_path / f"{number}.aivmx", name=name, uuid=f"{UUID[:-1]}{number}"))
    code, (one,) = koebako(capsys, "voices", "renew", "太郎")
    assert (code, one["name"], one["updated"], one["source"]) == (0, "太郎", True, "1.aivmx")
    code, lines = koebako(capsys, "voices", "renew", "花子", "誰か", "太郎")  # one that fails does not keep the others from it
    assert code != 0
    assert [line["name"] for line in lines if line.get("type") == "voice"] == ["花子", "太郎"]
    assert len(koebako(capsys, "voices", "renew", "--all")[1]) == 2
    for wanted in ((), ("花子", "--all")):
        assert koebako(capsys, "voices", "renew", *wanted)[0] == InputError.exit_code


def test_progress_lines(reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voices", "add", str(aivmx(reference, tmp_path / "a.aivmx")), "--json"]) == 0
    *progress, usable, voice = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert voice["id"] == UUID
    assert (usable.pop("seconds") > 0, usable) == (True, {"type": "usable", "id": UUID})
    assert all(set(line) == {"type", "step", "percent"} for line in progress)
    percents = [line["percent"] for line in progress]
    assert percents == sorted(percents)
    assert percents[-1] == 100


def test_of_several_sources_the_good_ones_are_added(reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.aivmx").write_bytes(b"bad")
    good = aivmx(reference, tmp_path / "good.aivmx")
    code, lines = koebako(capsys, "voices", "add", tmp_path / "bad.aivmx", good, tmp_path / "missing.zip")
    assert code == 3
    assert [line.get("source") for line in lines if "error" in line] == [str(tmp_path / "bad.aivmx"), str(tmp_path / "missing.zip")]
    assert [line["id"] for line in lines if line.get("type") == "voice"] == [UUID]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "No voice to add"),
        (["a", "b", "--name", "x"], "--name"),
        (["a", "--name", ""], "name"),
        (["a", "--all", "--name", "x"], "--name"),
    ],
)
def test_nonsense_is_an_input_error(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    code, (error,) = koebako(capsys, "voices", "add", *arguments)
    assert code == 2
    assert words in error["error"]["message"]


def test_a_licence_needs_the_option_where_nobody_can_be_asked(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    source = aivmx(reference, tmp_path / "a.aivmx", license=TERMS)
    code, (licence, error) = koebako(capsys, "voices", "add", source)
    assert code == 3
    assert licence == {"type": "licence", "id": UUID, "name": licence["name"], "text": TERMS}
    assert "--accept-licence" in error["error"]["hint"]
    assert koebako(capsys, "voices", "info", source)[1][0]["licence_accepted"] is False
    assert koebako(capsys, "voices", "add", source, "--accept-licence")[0] == 0
    assert koebako(capsys, "voices", "info", UUID)[1][0]["licence_accepted"] is True
    assert koebako(capsys, "voices", "remove", UUID)[0] == 0
    assert koebako(capsys, "voices", "add", source)[0] == 0  # remembered


def test_downloads_are_added_and_discarded(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fetched(address: str, watch: download_sources.DownloadMonitor) -> Path:
        folder = paths.find_data_dir() / "downloads" / "key"
        folder.mkdir(parents=True)
        watch.report("downloading", 1.0)
        return aivmx(reference, folder / "voice.aivmx", name=address)

    for name in ("fetch_url", "fetch_hub_voice"):
        monkeypatch.setattr(download_sources, name, fetched)
    for number, option in enumerate(("--url", "--hub")):
        code, (added,) = koebako(capsys, "voices", "add", option, f"address {number}", "--update")
        assert code == 0
        assert added["name"] == f"address {number}"
        assert not (paths.find_data_dir() / "downloads" / "key").exists()


def test_a_shipped_voice_cannot_be_removed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["voices", "remove", "mei"]) == 3
    assert "comes with Koebako" in capsys.readouterr().err
    assert main(["voices", "remove", "nobody"]) == 3
    assert "not added any voices yet" in capsys.readouterr().err


def test_aivisspeechs_voices_are_listed_with_their_path(
    reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "other-programs" / "AivisSpeech-Engine" / "Models"
    folder.mkdir(parents=True)
    source = aivmx(reference, folder / "a.aivmx", name="花子")
    _, (shipped, found) = koebako(capsys, "voices", "list")
    assert shipped["id"] == "mei"
    assert set(found) == LISTED
    assert (found["id"], found["format"], found["path"]) == (UUID, "aivmx", str(source))
    assert main(["voices", "list"]) == 0
    assert "花子  [ノーマル, Happy, Sad, Angry, Whisper]  (AivisSpeech)" in capsys.readouterr().out
    assert koebako(capsys, "voices", "add", source)[0] == 0
    assert [line["id"] for line in koebako(capsys, "voices", "list")[1]] == ["mei", UUID]  # once


def test_doctor_names_damaged_voices_and_leftovers(reference: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    koebako(capsys, "voices", "add", aivmx(reference, tmp_path / "a.aivmx"))
    (paths.find_data_dir() / "staging" / "left").mkdir()

    def finding() -> dict[str, str]:
        (report,) = koebako(capsys, "doctor")[1]
        return next(check for check in report["checks"] if check["id"] == "voices")

    assert finding()["status"] == "warn"
    assert "leftovers" in finding()["found"]
    (paths.find_data_dir() / "voices" / UUID / "decoder.onnx").unlink()
    assert UUID in finding()["found"]
    assert finding()["fix"]


def process(*arguments: object, program: Path = ROOT / "main.py", **options: Any) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, str(program), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, timeout=120, check=False, **options)


@pytest.fixture
def far_source(reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A voice in a folder with other letters, beside the data, in a plain locale."""
    folder = tmp_path / "声の 箱 é🎤"
    folder.mkdir()
    monkeypatch.setenv("KOEBAKO_HOME", str(folder / "data"))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return Path(shutil.copy(reference / "jp-extra-tiny-2spk" / "model.aivmx", folder / "花子.aivmx"))


@pytest.mark.usefixtures("_prepared_voices")
def test_a_file_is_spoken_with_where_it_lies_and_prepared_once(
    far_source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "a.wav"
    arguments = ["speak", "こんにちは。", "--voice", str(far_source), "-o", str(output)]
    assert main(arguments) == 3  # no BERT, told before anything is prepared
    assert not (paths.find_data_dir() / "cache" / "prepared").exists()
    done = process(*arguments, "--force-bert", program=ROOT / "tests" / "remembering_child.py")
    assert done.returncode == 0, done.stderr.decode()
    assert "Preparing" in done.stderr.decode()
    first, rate = soundfile.read(output)
    assert rate == 44100
    output.unlink()
    capsys.readouterr()
    assert main([*arguments, "--force-bert"]) == 0
    assert "Preparing" not in capsys.readouterr().err
    assert (soundfile.read(output)[0] == first).all()


@pytest.mark.parametrize(("answer", "code"), [("y", 0), ("はい", 0), ("n", 3), ("", 3)])
def test_on_a_terminal_the_licence_is_shown_and_asked(
    answer: str, code: int, reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        pytest.skip("needs a pseudo-terminal")
    import pty

    source = aivmx(reference, tmp_path / "a.aivmx", license="利用規約の本文。")
    controller, terminal = pty.openpty()
    with (
        open(terminal, encoding="utf-8") as typed,  # noqa: PTH123 — by its number
        open(terminal, "w", encoding="utf-8", closefd=False) as shown_on,
        monkeypatch.context() as at_terminal,
    ):
        at_terminal.setattr(sys, "stdin", typed)
        at_terminal.setattr(sys, "stderr", shown_on)
        os.write(controller, answer.encode() + b"\n")
        assert main(["voices", "add", str(source)]) == code
        shown_on.flush()
        shown = os.read(controller, 1 << 16).decode()
    os.close(controller)
    assert "利用規約の本文。" in shown
    assert "[y/N]" in shown
    assert (paths.find_data_dir() / "voices" / UUID).is_dir() == (code == 0)


@pytest.mark.usefixtures("_prepared_voices")
def test_paths_with_other_letters_in_a_plain_locale(far_source: Path) -> None:
    done = process("voices", "add", far_source, "--json", program=ROOT / "tests" / "remembering_child.py")
    assert done.returncode == 0, done.stderr.decode()
    line = json.loads(done.stdout.splitlines()[-1])
    assert line["id"] == UUID
    assert Path(line["path"]).is_dir()


@pytest.mark.parametrize(("content", "kept"), [(b"no voice", False), (None, True)])
def test_a_bad_download_is_dropped_and_an_undecided_one_kept(
    content: bytes | None, kept: bool, reference: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = paths.find_data_dir() / "downloads" / "key" / "voice.aivmx"

    def fetched(_address: str, _watch: download_sources.DownloadMonitor) -> Path:
        file.parent.mkdir(parents=True)
        if content is None:
            return aivmx(reference, file, license=TERMS)
        file.write_bytes(content)
        return file

    monkeypatch.setattr(download_sources, "fetch_url", fetched)
    monkeypatch.setattr("sys.stdin", None)
    assert koebako(capsys, "voices", "add", "--url", "x")[0] == 3
    assert file.exists() == kept


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="limits of Unix")
def test_a_disk_that_fills_up_meanwhile_leaves_nothing_and_a_voice_still_speaks(reference: Path, tmp_path: Path) -> None:
    source = reference / "jp-extra-tiny-2spk" / "model.aivmx"
    with small_files(1_000_000):
        done = process("voices", "add", source)
    assert done.returncode == 7, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert not (paths.find_data_dir() / "voices" / UUID).exists()
    assert [item.name for item in (paths.find_data_dir() / "staging").iterdir()] == [".moving"]
    with small_files(1_000_000):
        done = process("speak", "はい。", "--voice", source, "--force-bert", "-o", tmp_path / "a.wav")
    assert done.returncode == 0, done.stderr.decode()
    assert "could not be saved" in done.stderr.decode()
    assert soundfile.info(tmp_path / "a.wav").frames > 1000
