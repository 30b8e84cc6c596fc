"""`koebako export` with the voice that ships."""

import csv
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile

from app.cli.commands.export.run import cast_characters
from app.cli.main import main
from app.common.language import set_language
from app.common.processes import launch
from app.common.processes.json_child import JsonChild
from app.core.script.project import Project, VoiceAssignment
from app.core.script.project_data import convert_project_to_data
from app.core.script.script import Character, Line, LineSettings, Script
from app.export import process_worker
from app.export.loudness import compute_integrated_lufs, measure_loudness, merge_measurements
from app.export.manifest_store import MANIFEST_NAME
from app.install.known_voices import remember_characters
from app.interchange.koebako_files import write_project
from app.voices.installed_voices import find_shipped_voice_id
from tests.interchange.peers import aisp, vvproj
from tests.small_files import small_files

ROOT = Path(__file__).parents[3]
LINES = ("a1,雨が降る。,,,3", "a2,こんにちは、世界。,Mei,Happy,1", "a3,雪が積もる。,Tohoku f01,,2")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A script of three lines."""
    file = tmp_path / "台本.csv"
    file.write_text("\n".join(("id,text,speaker,style,seed", *LINES)), encoding="utf-8")
    return file


def export(*arguments: object) -> int:
    return main(["export", *map(str, arguments)])


def rows(text: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in text.splitlines()]


def sounds(folder: Path) -> dict[str, np.ndarray]:
    return {file.name: soundfile.read(file, dtype="float32")[0] for file in folder.glob("*.wav")}


def listed(folder: Path) -> list[str]:
    """The names in a folder, but for the record of the export."""
    return sorted(item.name for item in folder.iterdir() if item.name != MANIFEST_NAME)


def test_a_row_a_file_and_a_summary(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert export(table, "-o", out, "--pattern", "$number$_$id$", "--sidecars", "txt,json", "--json") == 0
    *files, summary = rows(capsys.readouterr().out)
    assert [row["id"] for row in files] == ["a1", "a2", "a3"]
    keys = {"type", "id", "file", "text", "voice", "speaker", "style", "seed", "audio_s", "samples", "rate", "sidecars"}
    assert all(set(row) == keys for row in files)
    assert [(row["speaker"], row["style"], row["seed"]) for row in files] == [
        ("Mei", "Neutral", 3),
        ("Mei", "Happy", 1),
        ("Tohoku f01", "Neutral", 2),
    ]
    assert set(summary) == {"type", "files", "skipped", "failed", "seconds"}
    assert (summary["files"], summary["skipped"], summary["failed"]) == (3, 0, 0)
    for row in files:
        found, rate = soundfile.read(str(row["file"]))
        assert (len(found), rate) == (row["samples"], row["rate"])
        assert row["audio_s"] == len(found) / rate
        assert all(Path(str(path)).is_file() for path in row["sidecars"])  # type: ignore[attr-defined]
    assert sorted(file.name for file in out.iterdir() if file.suffix == ".wav") == ["001_a1.wav", "002_a2.wav", "003_a3.wav"]


def test_the_same_samples_as_speak_and_from_processes_side_by_side(table: Path, tmp_path: Path) -> None:
    assert export(table, "-o", tmp_path / "one", "--subtype", "float") == 0
    assert export(table, "-o", tmp_path / "two", "--subtype", "float", "--jobs", 2) == 0
    one, two = sounds(tmp_path / "one"), sounds(tmp_path / "two")
    assert one.keys() == two.keys()
    assert len(one) == 3
    assert all(np.array_equal(one[name], two[name]) for name in one)
    assert (
        main(["speak", "こんにちは、世界。", "-o", str(tmp_path / "s.wav"), "--style", "Happy", "--seed", "1", "--subtype", "float"]) == 0
    )
    spoken, _ = soundfile.read(tmp_path / "s.wav", dtype="float32")
    assert any(np.array_equal(spoken, found) for found in one.values())


def test_a_line_that_cannot_be_spoken_fails_alone(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table.write_text(table.read_text(encoding="utf-8") + "\na4,はい。,,Angry!,\na5,はい。,Nobody,,", encoding="utf-8")
    assert export(table, "-o", tmp_path / "out", "--json") == 3
    found = rows(capsys.readouterr().out)
    assert [row["error"]["family"] for row in found if "error" in row] == ["voice"]  # type: ignore[index]
    assert (found[-1]["files"], found[-1]["failed"]) == (4, 1), "a speaker whom no voice has is a character"
    assert len(sounds(tmp_path / "out")) == 4


@pytest.mark.parametrize("name", ["a.vvproj", "a.aisp", "a.koebako", "a.csv", "a.txt"])
def test_a_voice_for_lines_whose_voice_is_missing(tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines: list[tuple[str, int, dict[str, Any] | None]] = [("はい。", 888753760, None), ("いいえ。", 888753760, None)]
    written = {
        "a.vvproj": lambda: vvproj("0.25.0", lines),
        "a.aisp": lambda: aisp("1.2.0", lines),
        "a.koebako": lambda: json.dumps(
            convert_project_to_data(Project(Script(tuple(Line(text, LineSettings("gone")) for text, _, _ in lines))))
        ).encode(),
        "a.csv": lambda: "text,voice\nはい。,gone\nいいえ。,gone\n".encode(),
        "a.txt": lambda: "花子（普通）,はい。\n花子（普通）,いいえ。\n".encode(),
    }
    (tmp_path / name).write_bytes(written[name]())
    has_characters = name in ("a.vvproj", "a.aisp", "a.txt")
    assert export(tmp_path / name, "-o", tmp_path / "no", "--json") == (0 if has_characters else 3)
    assert capsys.readouterr().err.count("the default voice speaks") == has_characters, "a line for each character, not for each line"
    assert export(tmp_path / name, "-o", tmp_path / "out", "--voice", "mei", "--json") == 0
    told = capsys.readouterr()
    assert [row["voice"] for row in rows(told.out)[:-1]] == ["mei", "mei"]
    assert "speaks 2 lines whose voice is missing" in told.err


def test_a_speaker_whom_the_voice_lacks_is_a_character(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "text,voice,speaker\nはい。,mei,勇者\nいいえ。,mei,勇者\n雨。,mei,Tohoku f01\n"
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    assert export(tmp_path / "a.csv", "-o", tmp_path / "out", "--pattern", "$number$_$character$", "--json") == 0
    printed = capsys.readouterr()
    assert printed.err.count("“勇者” is no speaker of “Mei (starter)” and counts as a character.") == 1
    assert [(row.get("character"), row["speaker"]) for row in rows(printed.out)[:-1]] == [
        ("勇者", "Mei"),
        ("勇者", "Mei"),
        (None, "Tohoku f01"),
    ]
    assert sorted(sounds(tmp_path / "out")) == ["001_勇者.wav", "002_勇者.wav", "003.wav"]


def test_a_script_names_no_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    voice = ROOT / "resources" / "voices" / "koebako-starter"
    (tmp_path / "a.csv").write_text(f"text,voice\nはい。,{voice}\nいいえ。,\n", encoding="utf-8")
    assert export(tmp_path / "a.csv", "-o", tmp_path / "out", "--json") == 3
    *_, summary = rows(capsys.readouterr().out)
    assert (summary["files"], summary["failed"]) == (1, 1)


def test_only_what_is_missing_is_made_again(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert export(table, "-o", out, "--pattern", "$id$") == 0
    before = sounds(out)
    (out / "a2.wav").unlink()
    (out / "a3.wav").write_bytes(b"other")
    capsys.readouterr()
    assert export(table, "-o", out, "--pattern", "$id$", "--only", "missing", "--json") == 0
    found = rows(capsys.readouterr().out)
    assert [row.get("id") for row in found[:-1]] == ["a2"]
    assert found[-1]["skipped"] == 2
    assert (out / "a3.wav").read_bytes() == b"other"
    assert np.array_equal(soundfile.read(out / "a2.wav", dtype="float32")[0], before["a2.wav"])


def write_table(file: Path, texts: dict[str, str]) -> Path:
    file.write_text("id,text\n" + "".join(f"{name},{text}\n" for name, text in texts.items()), encoding="utf-8")
    return file


def stamps(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Time of change, number and bytes of every file of a folder, by name."""
    return {name: ((facts := (folder / name).stat()).st_mtime_ns, facts.st_ino, (folder / name).read_bytes()) for name in listed(folder)}


def test_only_what_changed_is_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out, script = tmp_path / "out", tmp_path / "game.csv"
    texts = {f"a{number:02}": f"{number}番です。" for number in range(12)}
    options = ("-o", out, "--pattern", "$id$", "--sidecars", "txt,json", "--json")
    assert export(write_table(script, texts), *options) == 0
    before = stamps(out)
    texts |= {"a02": "雨です。", "a05": "雪です。", "a07": "風です。"}
    texts["b09"] = texts.pop("a09")
    del texts["a11"]
    capsys.readouterr()
    assert export(write_table(script, texts), *options, "--only", "changed") == 0
    *files, summary = rows(capsys.readouterr().out)
    named = {status: [row["id"] for row in files if row["status"] == status] for status in ("written", "renamed", "unchanged", "orphan")}
    assert named["written"] == ["a02", "a05", "a07"]
    assert named["renamed"] == ["b09"]
    assert len(named["unchanged"]) == 7
    assert named["orphan"] == ["a11"]
    counts = {name: summary[name] for name in ("files", "renamed", "unchanged", "orphans", "removed", "skipped", "failed")}
    assert counts == {"files": 3, "renamed": 1, "unchanged": 7, "orphans": 1, "removed": 0, "skipped": 0, "failed": 0}
    after = stamps(out)
    written = {"a02", "a05", "a07"}
    assert {name: stamp for name, stamp in after.items() if name[:3] not in {*written, "b09"}} == {
        name: stamp for name, stamp in before.items() if name[:3] not in {*written, "a09"}
    }
    assert [after[f"b09.{kind}"] for kind in ("wav", "txt", "json")] == [before[f"a09.{kind}"] for kind in ("wav", "txt", "json")]
    assert export(script, *options, "--only", "changed", "--remove-orphans") == 0
    assert export(script, "-o", tmp_path / "full", *options[2:]) == 0
    assert {name: stamp[2] for name, stamp in stamps(out).items()} == {name: stamp[2] for name, stamp in stamps(tmp_path / "full").items()}


def test_a_file_edited_by_hand_counts_as_existing(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert export(table, "-o", out, "--pattern", "$id$") == 0
    (out / "a2.wav").write_bytes(b"other")
    table.write_text(table.read_text(encoding="utf-8").replace("世界", "皆さん"), encoding="utf-8")
    assert export(table, "-o", out, "--pattern", "$id$", "--only", "changed") == 0
    assert (out / "a2.wav").read_bytes() == b"other"
    told = capsys.readouterr().err
    assert "already exist" in told
    assert "2 unchanged. (1 skipped)" in told
    assert export(table, "-o", out, "--pattern", "$id$", "--only", "changed", "--existing", "replace") == 0
    assert (out / "a2.wav").read_bytes() != b"other"
    assert export(table, "-o", out, "--remove-orphans") == 2


def test_a_common_gain_that_changes_changes_all_files(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    options = ("--pattern", "$id$", "--loudness", "-30", "--json")
    assert export(table, "-o", out, *options) == 0
    assert export(table, "-o", out, *options, "--only", "changed") == 0
    assert rows(capsys.readouterr().out)[-1]["unchanged"] == 3
    table.write_text(table.read_text(encoding="utf-8").replace("こんにちは、世界。", "あ。"), encoding="utf-8")
    assert export(table, "-o", out, *options, "--only", "changed") == 0
    assert rows(capsys.readouterr().out)[-1]["files"] == 3
    assert export(table, "-o", tmp_path / "full", *options) == 0
    assert {name: stamp[2] for name, stamp in stamps(out).items()} == {name: stamp[2] for name, stamp in stamps(tmp_path / "full").items()}


@pytest.mark.parametrize(("policy", "names"), [("skip", 3), ("number", 6), ("replace", 3), ("ask", 3)])
def test_what_happens_to_existing_files(table: Path, tmp_path: Path, policy: str, names: int, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in ("a1", "a2", "a3"):
        (out / f"{name.upper()}.WAV" if name == "a3" else out / f"{name}.wav").write_bytes(b"old")
    assert export(table, "-o", out, "--pattern", "$id$", "--existing", policy) == 0
    made = [file for file in out.iterdir() if file.read_bytes() != b"old" and file.name != MANIFEST_NAME]
    assert len(made) == (0 if policy in ("skip", "ask") else 3)
    if policy != "replace" or sys.platform in ("win32", "darwin"):  # elsewhere names of other case are other files
        assert len(listed(out)) == names
    assert ("already exist" in capsys.readouterr().err) == (policy == "ask")


def test_joined_and_by_speaker(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    single, out = tmp_path / "single", tmp_path / "out"
    assert export(table, "-o", single, "--by", "speaker", "--subtype", "float") == 0
    assert listed(single) == ["Mei", "Tohoku f01"]
    capsys.readouterr()
    assert export(table, "-o", out, "--joined", "--subtype", "float", "--sidecars", "lab,json", "--json") == 0
    row = rows(capsys.readouterr().out)[0]
    parts = [soundfile.read(file, dtype="float32")[0] for file in sorted(single.rglob("*.wav"), key=lambda file: file.name)]
    assert Path(str(row["file"])).name == "台本.wav"
    whole, _ = soundfile.read(str(row["file"]), dtype="float32")
    assert np.array_equal(whole, np.concatenate(parts))
    assert [line["end_s"] for line in row["lines"]][-1] == pytest.approx(row["audio_s"], abs=1e-9)  # type: ignore[attr-defined]
    assert export(table, "-o", tmp_path / "each", "--joined", "--by", "speaker") == 0
    assert sorted(sounds(tmp_path / "each")) == ["台本_Mei.wav", "台本_Tohoku f01.wav"]


def test_the_pause_of_a_line_is_between_it_and_the_next_in_a_joined_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "paused.csv"
    script.write_text("id,text,pause_after\na1,雨が降る。,\na2,雪。,1.25\na3,風。,0\na4,はい。,5\n", encoding="utf-8")
    options = ("--subtype", "float", "--sidecars", "srt,lab", "--json")
    assert export(script, "-o", tmp_path / "single", "--pattern", "$id$", *options) == 0
    capsys.readouterr()
    assert export(script, "-o", tmp_path / "out", "--joined", *options) == 0
    row = rows(capsys.readouterr().out)[0]
    whole, rate = soundfile.read(str(row["file"]), dtype="float32")
    silence = round(0.1 * rate)  # that each line has around it
    parts = [soundfile.read(tmp_path / "single" / f"a{number}.wav", dtype="float32")[0] for number in range(1, 5)]
    assert not any(part[:silence].any() or part[-silence:].any() for part in parts)
    pause = np.zeros(round(1.25 * rate), np.float32)
    expected = np.concatenate((parts[0], parts[1][:-silence], pause, parts[2][silence:-silence], parts[3][silence:]))
    assert np.array_equal(whole, expected)
    lines = row["lines"]
    assert lines[2]["start_s"] == pytest.approx((len(parts[0]) + len(parts[1]) - silence + len(pause)) / rate)  # type: ignore[index]
    lab = [line.split() for line in Path(str(row["sidecars"][0])).read_text(encoding="utf-8").splitlines()]  # type: ignore[index]
    assert int(lab[-1][1]) == round(len(whole) / rate * 10_000_000)


@pytest.fixture
def silent(tmp_path: Path) -> Path:
    """A script in which one line can be read."""
    file = tmp_path / "silent.csv"
    rest = "a2,……,0.3,0.4\na3,😀,0,0\na4,！,0.1,0.1"
    file.write_text(f"id,text,pre_silence_s,post_silence_s\na1,はい。,0.1,0.1\n{rest}", encoding="utf-8")
    return file


def test_a_line_without_anything_to_read_is_silent(silent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    options = ["--pattern", "$id$", "--sidecars", "txt,lab,textgrid,srt,vtt,ass,json", "--loudness", "-23", "--loudness-each", "--json"]
    assert export(silent, "-o", out, *options) == 0
    *files, summary = rows(capsys.readouterr().out)
    assert (summary["files"], summary["failed"]) == (4, 0)
    assert [row.get("silent") for row in files] == [None, True, True, True]
    assert [row["audio_s"] for row in files[1:]] == pytest.approx([0.7, 0.1, 0.2], abs=1e-4)
    assert not any(sound.any() for name, sound in sounds(out).items() if name != "a1.wav")
    assert (out / "a2.lab").read_text(encoding="utf-8") == "0 7000000 pau\n"
    assert (out / "a2.txt").read_text(encoding="utf-8") == "……\n"
    assert not any("……" in (out / f"a2{suffix}").read_text(encoding="utf-8") for suffix in (".srt", ".vtt", ".ass", ".TextGrid"))
    beside = json.loads((out / "a2.json").read_text(encoding="utf-8"))
    assert (beside["silent"], beside["credit"], beside["phones"]) == (True, "", [{"phone": "pau", "start_s": 0.0, "end_s": 0.7}])
    assert "silent" not in json.loads((out / "a1.json").read_text(encoding="utf-8"))


def test_silent_lines_in_a_joined_file(silent: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(silent, "-o", tmp_path, "--joined", "--jobs", 2, "--sidecars", "lab,srt,json", "--json") == 0
    row = rows(capsys.readouterr().out)[0]
    assert "silent" not in row
    assert [line.get("silent") for line in row["lines"]] == [None, True, True, True]  # type: ignore[attr-defined]
    lab, srt, beside = (Path(str(path)).read_text(encoding="utf-8") for path in row["sidecars"])  # type: ignore[attr-defined]
    assert [line.split()[2] for line in lab.splitlines()].count("pau") == 2  # all of what follows the line is one
    assert srt.count("-->") == 1
    assert "Mei" in json.loads(beside)["credit"]


def test_a_batch_of_a_loudness(table: Path, tmp_path: Path) -> None:
    assert export(table, "-o", tmp_path / "plain", "--subtype", "float", "--pattern", "$id$") == 0
    assert export(table, "-o", tmp_path / "out", "--subtype", "float", "--pattern", "$id$", "--loudness", "-30", "--jobs", 2) == 0
    plain, out = sounds(tmp_path / "plain"), sounds(tmp_path / "out")
    measured = merge_measurements([measure_loudness(sound, 44_100) for sound in out.values()])
    assert compute_integrated_lufs(measured.powers) == pytest.approx(-30, abs=0.02)
    gains = [float(np.abs(out[name]).max() / np.abs(plain[name]).max()) for name in plain]
    assert max(gains) == pytest.approx(min(gains), rel=1e-5)


def test_a_target_that_needs_the_limiter(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    assert export(table, "-o", out, "--subtype", "float", "--pattern", "$id$", "--loudness", "-16", "--json") == 0
    *files, summary = rows(capsys.readouterr().out)
    measured = {name: measure_loudness(sound, 44_100) for name, sound in sounds(out).items()}
    assert compute_integrated_lufs(merge_measurements(list(measured.values())).powers) == pytest.approx(-16, abs=0.1)
    assert max(one.peak for one in measured.values()) <= 10 ** (-1 / 20)
    assert (summary["loudness_lufs"], "missed_lu" in summary) == (-16.0, False)
    taken = [float(str(row["limited_db"])) for row in files]
    assert max(taken) == summary["limited_db"]
    assert 1 < max(taken) <= 6
    for row in files:
        lufs = compute_integrated_lufs(measured[Path(str(row["file"])).name].powers)
        assert row["loudness_lufs"] == pytest.approx(lufs, abs=0.006)


def test_a_joined_file_meets_its_target(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(table, "-o", tmp_path / "out", "--joined", "--rate", 48_000, "--stereo", "--loudness", "-16", "--json") == 0
    row, summary = rows(capsys.readouterr().out)
    (sound,) = sounds(tmp_path / "out").values()
    measured = measure_loudness(sound[:, 0], 48_000)
    assert compute_integrated_lufs(measured.powers) + 10 * np.log10(2) == pytest.approx(-16, abs=0.1)
    assert measured.peak <= 10 ** (-1 / 20)
    assert row["loudness_lufs"] == pytest.approx(-16, abs=0.1)
    assert "missed_lu" not in row
    assert "loudness_lufs" not in summary


def test_a_target_out_of_reach_is_said(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--loudness", "-10", "--existing", "replace")
    assert export(table, "-o", tmp_path / "a", *options, "--pattern", "$id$", "--json") == 0
    summary = rows(capsys.readouterr().out)[-1]
    assert float(str(summary["missed_lu"])) == pytest.approx(-10 - float(str(summary["loudness_lufs"])), abs=0.02)
    assert summary["limited_db"] == pytest.approx(6, abs=0.02)
    assert export(table, "-o", tmp_path / "a", *options, "--pattern", "$id$") == 0
    told = capsys.readouterr().err
    assert "The limiter lowered peaks by up to 6.0 dB." in told
    assert "LUFS instead of -10: the peaks of " in told
    assert export(table, "-o", tmp_path / "b", *options, "--joined", "--json") == 0
    row = rows(capsys.readouterr().out)[0]
    assert float(str(row["missed_lu"])) == pytest.approx(-10 - float(str(row["loudness_lufs"])), abs=0.02)
    try:
        set_language("ja")
        assert export(table, "-o", tmp_path / "b", *options, "--joined") == 0
    finally:
        set_language("en")
    told = capsys.readouterr().err
    assert "リミッターでピークを最大 6.0 dB 抑えました。" in told
    assert "-10 LUFS に届かなかったファイルがあります: " in told


@pytest.mark.parametrize("game", ["renpy", "yarn", "wwise", "csv"])
def test_files_of_games_are_named_by_id(tmp_path: Path, game: str) -> None:
    file = tmp_path / "a.csv"
    file.write_text("id,text\nline:0a,はい。\nline:0b,いいえ。\n", encoding="utf-8")
    assert export(file, "-o", tmp_path / "out", "--game", game) == 0
    names = listed(tmp_path / "out")
    lists = {"renpy": [], "yarn": ["voice_lines.csv"], "csv": ["voice_lines.csv"], "wwise": ["voice_lines.wsources"]}[game]
    stems = ["0a", "0b"] if game == "yarn" else ["line0a", "line0b"]
    assert names == [f"{stem}.{'ogg' if game == 'renpy' else 'wav'}" for stem in stems] + lists


def test_no_spreadsheet_computes_the_list_of_a_game(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text('id,text\n=x,"=1+1と言った"\n', encoding="utf-8")
    assert export(tmp_path / "a.csv", "-o", tmp_path / "out", "--game", "csv") == 0
    _, row = csv.reader((tmp_path / "out" / "voice_lines.csv").read_text(encoding="utf-8-sig").splitlines())
    assert (row[0], row[2]) == ("'=x", "'=1+1と言った")


@pytest.mark.parametrize(
    ("options", "word"),
    [
        (["--pattern", "a/b"], "cannot contain"),
        (["--pattern", "$wrong$"], "no item"),
        (["--sidecars", "doc"], "doc"),
        (["--rate", "5"], "rate"),
        (["--loudness", "3"], "loudness"),
        (["--columns", "text"], "column"),
    ],
)
def test_options_that_cannot_be(table: Path, tmp_path: Path, options: list[str], word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert export(table, "-o", tmp_path / "out", *options) == 2
    assert word in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit to the size of files")
def test_a_full_disk_ends_all(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with small_files(60_000):
        code = export(table, "-o", tmp_path / "out", "--json", "--sidecars", "txt")
    told = capsys.readouterr()
    assert code == 7, told.err
    assert "no space" in told.out.lower() or "full" in told.out.lower()
    assert list((tmp_path / "out").iterdir()) == []


def test_a_process_that_does_not_end_by_itself_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow machine it may take its time although all files are there; that is no error."""
    monkeypatch.setattr(process_worker, "CHILD_EXIT_TIMEOUT_S", 0.05)
    worker = process_worker.ProcessWorker(None)
    sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
    monkeypatch.setattr(launch, "build_cli_command", lambda: sleeping)
    child = worker._child = JsonChild()
    worker.close()
    assert child.process.returncode not in (None, 0)


def test_a_cast_from_a_file_or_from_what_was_chosen_before(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, cast, out = tmp_path / "game.csv", tmp_path / "cast.csv", tmp_path / "out"
    script.write_text("id,text,character,speed\na,はい。,勇者,\nb,いいえ。,村人,1.5\nc,雨。,王,\n", encoding="utf-8")
    assert export(script, "-o", tmp_path / "uncast", "--json") == 0
    uncast = capsys.readouterr()
    assert [f"No voice was chosen for “{who}”; the default voice speaks." for who in ("勇者", "村人", "王")] == uncast.err.splitlines()[-3:]
    assert {(row["character"], row["voice"]) for row in rows(uncast.out)[:-1]} == {("勇者", "mei"), ("村人", "mei"), ("王", "mei")}
    cast.write_text("登場人物,声,話者,話速\n勇者,Mei (starter),Tohoku f01,1.25\n村人,mei,,0.8\n", encoding="utf-8")
    remember_characters([VoiceAssignment("王", "mei", "", "Happy")])
    capsys.readouterr()
    chosen = ("--by", "character", "--pattern", "$character$_$id$", "--sidecars", "json", "--json", "--cast", cast)
    assert export(script, "-o", out, *chosen) == 0
    found = capsys.readouterr()
    assert "Not in “cast.csv”: 王" in found.err
    assert "Using the voices chosen before: 王 → Mei (starter)" in found.err
    *files, _ = rows(found.out)
    assert {row["id"]: row["character"] for row in files} == {"a": "勇者", "b": "村人", "c": "王"}
    assert {(row["id"], row["speaker"], row["style"]) for row in files} == {
        ("a", "Tohoku f01", "Neutral"),
        ("b", "Mei", "Neutral"),
        ("c", "Mei", "Happy"),
    }
    assert sorted(file.relative_to(out).as_posix() for file in out.rglob("*.wav")) == ["勇者/勇者_a.wav", "村人/村人_b.wav", "王/王_c.wav"]
    sidecars = [json.loads(file.read_text(encoding="utf-8")) for file in sorted(out.rglob("*.json")) if file.name != MANIFEST_NAME]
    by_character = {one["character"]: one for one in sidecars}
    assert by_character["勇者"]["settings"]["speed"] == 1.25
    assert by_character["村人"]["settings"]["speed"] == 1.5, "what a line does differently stays"
    assert by_character["王"]["credit"].startswith("王: Mei")
    assert export(script, "-o", out, "--cast", script.with_name("none.csv")) == 2
    (tmp_path / "empty.csv").write_text("text\nはい。\n", encoding="utf-8")
    assert export(script, "-o", out, "--cast", tmp_path / "empty.csv") == 2
    assert "“empty.csv” names no characters." in capsys.readouterr().err


@pytest.mark.parametrize(("voice", "spoken"), [(None, find_shipped_voice_id()), ("other", "")], ids=["none", "named"])
def test_a_character_without_a_voice_in_a_project_has_the_one_that_ships(tmp_path: Path, voice: str | None, spoken: str) -> None:
    write_project(tmp_path / "cast.koebako", Project(Script(cast=(Character("勇者", LineSettings(style="Happy")),))))
    hero = Character("勇者", LineSettings(voice="勇者"), id="hero")
    project = Project(Script((Line("はい。", hero.settings, character="hero"),), cast=(hero,)))
    (line,) = cast_characters(project, str(tmp_path / "cast.koebako"), voice).script.lines
    assert (line.settings.voice, line.settings.style) == (spoken, "Happy")


def test_names_that_a_voice_lacks_are_its_first_in_our_own_projects_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recast = LineSettings(voice="mei", speaker="Nobody", style="Angry!")
    hero = Character("勇者", recast, id="hero")
    lines = [Line(f"{number}。", recast, id=f"a{number}", character="hero") for number in range(2)]
    lines.append(Line("雨。", LineSettings(voice="mei", speaker="1", style="happy"), id="b"))
    project, script = tmp_path / "game.koebako", tmp_path / "game.csv"
    write_project(project, Project(Script(tuple(lines), cast=(hero,))))
    options = ("--pattern", "$id$_$speaker$_$style$", "--json")
    assert export(project, "-o", tmp_path / "out", *options, "--jobs", 2) == 0
    found = capsys.readouterr()
    assert found.err.count("“Mei (starter)” has no speaker “Nobody”, so that “Mei” is used.") == 1
    assert found.err.count("“Mei (starter)” has no style “Angry!”, so that “Neutral” is used.") == 1
    assert listed(tmp_path / "out") == ["a0_Mei_Neutral.wav", "a1_Mei_Neutral.wav", "b_Tohoku f01_Happy.wav"]
    assert {(row["id"], row["speaker"], row["style"]) for row in rows(found.out)[:-1]} == {
        ("a0", "Mei", "Neutral"),
        ("a1", "Mei", "Neutral"),
        ("b", "Tohoku f01", "Happy"),
    }
    script.write_text("id,text,character,style\na,はい。,勇者,\nb,いいえ。,勇者,Wrong\n", encoding="utf-8")
    assert export(script, "-o", tmp_path / "cast", "--cast", project, *options) == 3
    found = capsys.readouterr()
    assert found.err.count("has no style “Angry!”") == 1
    assert listed(tmp_path / "cast") == ["a_Mei_Neutral.wav"]
    assert "This voice has no style “Wrong”." in found.out + found.err


def test_a_row_whose_style_is_wrong_now_is_not_unchanged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script, out = tmp_path / "game.csv", tmp_path / "out"
    script.write_text("id,text,style\na,はい。,Neutral\n", encoding="utf-8")
    assert export(script, "-o", out, "--pattern", "$id$") == 0
    script.write_text("id,text,style\na,はい。,Wrong\n", encoding="utf-8")
    assert export(script, "-o", out, "--pattern", "$id$", "--only", "changed") == 3
    assert "This voice has no style “Wrong”." in capsys.readouterr().err


def test_two_scripts_of_one_name_in_one_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ("-o", tmp_path / "out", "--pattern", "$id$", "--only", "changed", "--existing", "skip")
    for name in ("ch1", "ch2"):
        (tmp_path / name).mkdir()
        assert export(write_table(tmp_path / name / "lines.csv", {"a": f"{name}。"}), *options) == 0
    assert "Nothing was written. (1 skipped)" in capsys.readouterr().err
    assert export(tmp_path / "ch1" / "lines.csv", *options) == 0
    assert "1 unchanged." in capsys.readouterr().err
