"""Exports of what changed: the folder ends up as after a full export, and what was right already is not touched."""

import contextlib
import itertools
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.ort import graph_session
from app.adapters.ort.device_placement import parse_placement
from app.common import language
from app.common.files.paths import find_resources_dir
from app.compose.speaker_plan import plan_speaker
from app.core.script.script import Line, LineSettings
from app.core.text.dictionary_entries import DictionaryEntry
from app.export.changed_plan import ExportChanges, KeyedFile, ScriptScope, plan_changes
from app.export.export_ledger import ExportLedger, LedgerScript, describe_changes, order_renames
from app.export.export_plan import PlanContext, PlannedFile, build_numbered_lines, plan_files
from app.export.export_settings import ExportSettings
from app.export.loudness import LoudnessMeasurement
from app.export.manifest_store import (
    JOURNAL_NAME,
    MANIFEST_NAME,
    NAMES_VERSION,
    FileContent,
    ManifestEntry,
    ManifestStore,
    convert_entry_to_data,
    parse_entry,
)
from app.export.render_keys import SoundConditions, VoiceFacts, compute_file_key, compute_sound_key, compute_voice_fingerprint
from app.export.safe_file_names import SpeakerNames
from app.settings.user_settings import Settings
from app.voices.installed_voices import find_shipped_voice_id
from app.voices.pending_refinement import SOURCE_GRAPH_NAME, clear_pending_refinement, mark_refinement_pending
from app.voices.prepared_voice import read_manifest
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from tests.voices.both_precisions import fainter, make_fast

CONDITIONS = SoundConditions(("1",), {"": VoiceFacts("voice", ("Mei", "Rei"), ("Neutral", "Happy"))})
CONTEXT = PlanContext("story", lambda how: SpeakerNames("Voice", how.speaker or "Mei", how.style or "Neutral"), date(2026, 1, 31))
PATTERNS = ("$id$", "$number$", "$number$_$text$", "$text$", "x", "$take$")


class KilledError(Exception):
    """The program ended in the middle."""


@dataclass
class Exporter:
    """Exports into a folder with files that only say what they were made of."""

    folder: Path
    lines: Sequence[Line] = ()
    chosen: ExportSettings = field(default_factory=ExportSettings)
    project: str = "story"
    file: Path | None = None
    conditions: SoundConditions = CONDITIONS
    context: PlanContext = CONTEXT
    rendered: list[str] = field(default_factory=list)

    @property
    def settings(self) -> ExportSettings:
        return replace(self.chosen, folder=str(self.folder))

    def open_ledger(self) -> ExportLedger:
        script = LedgerScript(self.project, frozenset(line.id for line in self.lines), self.file)
        return ExportLedger(self.settings, script, self.conditions)

    def export_all(self) -> None:
        ledger = self.open_ledger()
        for item in plan_files(build_numbered_lines(self.lines), replace(self.settings, existing="replace"), self.context):
            ledger.record_written(item, self.render(item))
        ledger.close()

    def export_changed(
        self, *, orphans: bool = True, killed_after: int = 1_000, only: Sequence[str] = (), failing: str = ""
    ) -> ExportChanges:
        """Export what changed; after so many files and renames the program dies, and nothing is closed. A `failing` text cannot be spoken."""
        steps = itertools.count()

        def step() -> None:
            if next(steps) >= killed_after:
                raise KilledError

        self.rendered = []
        ledger = self.open_ledger()
        lines = [item for item in build_numbered_lines(self.lines) if not only or item.line.id in only]
        files = ledger.plan_files(lines, replace(self.settings, only_changed=True), self.context)
        changes = ledger.plan_changes(files, self.settings, {})
        for _ in ledger.rename_files(changes):
            step()
        for file in changes.rendered:
            step()
            if file.item.lines[0].text == failing:
                continue
            self.rendered.append(file.path)
            ledger.record_written(file.item, self.render(file.item))
        if orphans:
            ledger.remove_orphans(changes.orphans)
        ledger.close()
        return changes

    def render(self, item: PlannedFile) -> list[Path]:
        item.file.parent.mkdir(parents=True, exist_ok=True)
        made = repr([(line.text, line.settings.seed) for line in item.lines])
        beside = [item.file.with_suffix(f".{kind}") for kind in self.settings.sidecars]
        for path in (*beside, item.file):
            part = path.with_suffix(".part")
            part.write_text(f"{path.suffix} {made}", encoding="utf-8")
            part.replace(path)
        return beside


def contents(folder: Path) -> dict[str, str]:
    return {
        item.relative_to(folder).as_posix(): item.read_text(encoding="utf-8")
        for item in sorted(folder.rglob("*"))
        if item.is_file() and item.name not in (MANIFEST_NAME, JOURNAL_NAME)
    }


def stamps(folder: Path) -> dict[str, tuple[int, int]]:
    return {name: ((facts := (folder / name).stat()).st_mtime_ns, facts.st_ino) for name in contents(folder)}


def export_fully(exporter: Exporter, folder: Path) -> dict[str, str]:
    Exporter(folder, exporter.lines, exporter.chosen).export_all()
    return contents(folder)


@pytest.mark.parametrize(("files", "made"), [("lines", 0), ("joined", 1)])
def test_a_pause_is_heard_in_a_joined_file_alone(tmp_path: Path, files: Any, made: int) -> None:
    exporter = Exporter(tmp_path, (Line("雨", id="a"), Line("雪", id="b")), ExportSettings(pattern="$id$", files=files))
    exporter.export_all()
    first, last = exporter.lines
    exporter.lines = (first, replace(last, pause_after_s=2.0))
    exporter.export_changed()
    assert not exporter.rendered, "nothing follows the last line"
    exporter.lines = (replace(first, pause_after_s=2.0), last)
    exporter.export_changed()
    assert len(exporter.rendered) == made
    exporter.export_changed()
    assert not exporter.rendered


EARLIER_PATTERN = "$number$_$speaker$_$style$_$text$"


@pytest.fixture
def earlier(tmp_path: Path) -> Exporter:
    """A folder that a version has exported into that named all files by number, speaker and text, and did not note it."""
    lines = (Line("雨", id="a", character="h"), Line("雪", id="b", character="h"))
    exporter = Exporter(tmp_path, lines, ExportSettings(pattern=EARLIER_PATTERN), context=replace(CONTEXT, characters={"h": "勇者"}))
    for files in ("lines", "joined"):
        exporter.chosen = ExportSettings(pattern=EARLIER_PATTERN, files=files)
        if files == "joined":
            exporter.folder = tmp_path / "joined"
            exporter.folder.mkdir()
        exporter.export_all()
        manifest = exporter.folder / MANIFEST_NAME
        data = json.loads(manifest.read_text(encoding="utf-8"))
        assert {row.pop("names") for row in data["files"]} == {NAMES_VERSION}
        manifest.write_text(json.dumps(data), encoding="utf-8")
    exporter.folder, exporter.chosen = tmp_path, ExportSettings()
    return exporter


def test_files_of_an_earlier_version_keep_their_names(earlier: Exporter) -> None:
    before = stamps(earlier.folder)
    changes = earlier.export_changed()
    assert (changes.rendered, changes.renamed, changes.orphans, len(changes.unchanged)) == ([], [], [], 2)
    earlier.lines = (*earlier.lines, Line("風", id="c", character="h"))
    assert earlier.export_changed().renamed == []
    assert earlier.rendered == ["003_Mei_Neutral_風.wav"], "the new file is named as those beside it"
    assert {name: stamp for name, stamp in stamps(earlier.folder).items() if name in before} == before
    earlier.lines = earlier.lines[1:]
    assert len(earlier.export_changed().renamed) == 2
    assert sorted(contents(earlier.folder)) == ["001_Mei_Neutral_雪.wav", "002_Mei_Neutral_風.wav", "joined/001_Mei_Neutral_雨.wav"]
    earlier.chosen = ExportSettings(pattern="$number$_$character$")
    assert len(earlier.export_changed().renamed) == 2, "names that were asked for are given"


def test_a_joined_file_of_an_earlier_version_keeps_its_name(earlier: Exporter) -> None:
    earlier.chosen = ExportSettings(files="joined")
    assert [file.path for file in earlier.export_changed().rendered] == ["story.wav"], "none was there beside the files of lines"
    earlier.folder /= "joined"
    assert [file.path for file, _ in earlier.export_changed().unchanged] == ["001_Mei_Neutral_雨.wav"]


def test_a_folder_without_its_record_keeps_the_names_that_are_there(earlier: Exporter) -> None:
    (earlier.folder / MANIFEST_NAME).unlink()
    earlier.chosen = ExportSettings(existing="skip")
    assert earlier.export_changed().rendered == []
    for file in earlier.folder.glob("*.wav"):
        file.unlink()
    earlier.export_changed()
    assert earlier.rendered == ["001_勇者_雨.wav", "002_勇者_雪.wav"]
    assert len(earlier.export_changed().unchanged) == 2


TEXTS = st.sampled_from(["雨", "雪", "風", "はい。", "雨が降る。"])
LINES = st.lists(TEXTS, min_size=1, max_size=5).map(lambda texts: tuple(Line(text, id=f"a{place}") for place, text in enumerate(texts)))


@st.composite
def edit_scripts(draw: st.DrawFn, lines: tuple[Line, ...]) -> tuple[Line, ...]:
    """The script after one edit."""
    place = draw(st.integers(0, len(lines) - 1)) if lines else 0
    kind = draw(st.sampled_from(["text", "seed", "remove", "insert", "reverse", "exchange"]))
    if not lines or kind == "insert":
        taken = {line.id for line in lines}
        made = draw(st.integers(0, 10**9).map(lambda number: f"b{number}").filter(lambda name: name not in taken))
        return (*lines[:place], Line(draw(TEXTS), id=made), *lines[place:])
    line = lines[place]
    if kind in ("text", "seed"):
        new = replace(line, text=draw(TEXTS)) if kind == "text" else replace(line, settings=LineSettings(seed=draw(st.integers(1, 2))))
        return (*lines[:place], new, *lines[place + 1 :])
    if kind == "remove":
        return (*lines[:place], *lines[place + 1 :])
    if kind == "reverse":
        return lines[::-1]
    other = lines[-1]
    return tuple(
        replace(item, text=other.text) if item is line else replace(item, text=line.text) if item is other else item for item in lines
    )


@st.composite
def change_settings(draw: st.DrawFn, chosen: ExportSettings) -> ExportSettings:
    """The settings after one edit, most often as they were."""
    kind = draw(st.sampled_from(["same", "same", "pattern", "sidecars", "files"]))
    if kind == "pattern":
        return replace(chosen, pattern=draw(st.sampled_from(PATTERNS)))
    if kind == "sidecars":
        return replace(chosen, sidecars=draw(st.sampled_from([(), ("txt",), ("txt", "lab")])))
    return replace(chosen, files=draw(st.sampled_from(["lines", "joined", "speaker_folders"]))) if kind == "files" else chosen


@given(st.data(), LINES)
def test_after_any_edits_the_folder_is_that_of_a_full_export(data: st.DataObject, lines: tuple[Line, ...]) -> None:
    with tempfile.TemporaryDirectory() as place:
        exporter = Exporter(Path(place) / "out", lines, ExportSettings(pattern=data.draw(st.sampled_from(PATTERNS)), sidecars=("txt",)))
        exporter.folder.mkdir()
        exporter.export_all()
        groupings = {exporter.chosen.files}
        for number in range(data.draw(st.integers(1, 3))):
            lines_before, chosen_before = exporter.lines, exporter.chosen
            for _ in range(data.draw(st.integers(1, 3))):
                exporter.lines = data.draw(edit_scripts(tuple(exporter.lines)))
            exporter.chosen = data.draw(change_settings(exporter.chosen))
            groupings.add(exporter.chosen.files)
            there = sorted(contents(exporter.folder))
            lost = data.draw(st.sampled_from(["", *there]))
            if lost:
                (exporter.folder / lost).unlink()
            killed_after = data.draw(st.sampled_from([1_000, 0, 1, 2, 3]))
            with contextlib.suppress(KilledError):
                exporter.export_changed(killed_after=killed_after)
            if chosen_before == exporter.chosen and not lost and len(groupings) == 1 and exporter.chosen.files == "lines":
                known = {(line.id, line.text, line.settings.seed) for line in lines_before}
                assert len(exporter.rendered) <= sum((line.id, line.text, line.settings.seed) not in known for line in exporter.lines)
            stamp = stamps(exporter.folder)
            changes = exporter.export_changed()
            kept = [name for file, entry in changes.unchanged for name, _ in entry.list_parts() if file.path == entry.path]
            assert all(stamp[name] == stamps(exporter.folder)[name] for name in kept)
            wanted, found = export_fully(exporter, Path(place) / f"full{number}"), contents(exporter.folder)
            # Files of another grouping hold lines that are still there: they are no orphans.
            assert found == wanted if len(groupings) == 1 else found.items() >= wanted.items()
            assert not exporter.export_changed().renamed
            assert exporter.rendered == []


@given(st.data(), LINES, st.sampled_from(["skip", "number", "replace"]))
def test_what_was_edited_by_hand_is_somebody_elses(data: st.DataObject, lines: tuple[Line, ...], policy: Any) -> None:
    with tempfile.TemporaryDirectory() as place:
        exporter = Exporter(
            Path(place) / "out",
            lines,
            ExportSettings(pattern=data.draw(st.sampled_from(PATTERNS[:-1])), sidecars=("txt",), existing=policy),
        )
        exporter.folder.mkdir()
        exporter.export_all()
        edited = data.draw(st.sampled_from(sorted(contents(exporter.folder))))
        (exporter.folder / edited).write_text("mine", encoding="utf-8")
        exporter.lines = data.draw(edit_scripts(tuple(exporter.lines)))
        exporter.export_changed()
        found, wanted = contents(exporter.folder), export_fully(exporter, Path(place) / "full")
        if policy == "replace":
            assert found.items() >= wanted.items()
        else:
            assert found[edited] == "mine"
        if policy == "number":
            assert {text for text in wanted.values() if text.startswith(".wav")} <= set(found.values())


def test_three_edits_and_a_rename_touch_nothing_else(tmp_path: Path) -> None:
    lines = [Line(f"台詞{number}。", id=f"{number:02}") for number in range(12)]
    exporter = Exporter(tmp_path, lines, ExportSettings(pattern="$id$_$speaker$", sidecars=("txt", "json")))
    exporter.export_all()
    before = stamps(tmp_path)
    for place in (2, 5, 7):
        lines[place] = replace(lines[place], text="別の台詞。")
    lines[9] = replace(lines[9], id="renamed")
    changes = exporter.export_changed()
    assert exporter.rendered == ["02_Mei.wav", "05_Mei.wav", "07_Mei.wav"]
    assert [(old.path, file.path) for file, old in changes.renamed] == [("09_Mei.wav", "renamed_Mei.wav")]
    after = stamps(tmp_path)
    touched = {"02", "05", "07", "09"}
    assert {name: stamp for name, stamp in after.items() if name[:2] not in {*touched, "re"}} == {
        name: stamp for name, stamp in before.items() if name[:2] not in touched
    }
    assert {name for name in after if name.startswith("renamed")} == {"renamed_Mei.wav", "renamed_Mei.txt", "renamed_Mei.json"}
    assert after["renamed_Mei.wav"] == before["09_Mei.wav"]


def test_names_that_are_exchanged(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path, [Line("雨", id="a"), Line("雪", id="b"), Line("風", id="c")], ExportSettings(pattern="$number$"))
    exporter.export_all()
    inodes = {name: stamp[1] for name, stamp in stamps(tmp_path).items()}
    exporter.lines = [exporter.lines[place] for place in (1, 2, 0)]
    exporter.export_changed()
    assert exporter.rendered == []
    assert {name: stamp[1] for name, stamp in stamps(tmp_path).items()} == {
        "001.wav": inodes["002.wav"],
        "002.wav": inodes["003.wav"],
        "003.wav": inodes["001.wav"],
    }


def test_a_file_whose_name_another_takes_is_kept_until_it_is_made_again(tmp_path: Path) -> None:
    exporter = Exporter(
        tmp_path, [Line("雨", id="a"), Line("雪", id="b"), Line("風", id="c")], ExportSettings(pattern="$number$", sidecars=("txt",))
    )
    exporter.export_all()
    exporter.lines = [Line("雪", id="b"), Line("嵐", id="a"), Line("風", id="c")]
    exporter.export_changed(failing="嵐")
    assert [(name, text.split()[1]) for name, text in contents(tmp_path).items() if name.endswith(".wav")] == [
        ("001.wav", "[('雪',"),
        ("002.wav", "[('雨',"),
        ("003.wav", "[('風',"),
    ], "the old file has the name that the new one would have had"
    exporter.lines = [Line("空", id="c"), Line("雪", id="b"), Line("嵐", id="a")]
    with pytest.raises(KilledError):
        exporter.export_changed(killed_after=1)
    assert {text.split()[1] for text in contents(tmp_path).values()} == {"[('雨',", "[('雪',", "[('風',"}
    exporter.export_changed()
    assert contents(tmp_path) == export_fully(exporter, Path(tempfile.mkdtemp(dir=tmp_path.parent)))


@given(st.permutations(range(6)), st.integers(0, 6))
def test_no_rename_meets_a_file_that_is_still_to_go(places: list[int], moved: int) -> None:
    there = {f"A/{place}.wav": place for place in range(6)}
    targets = {f"A/{place}.wav": f"A/{places[place] + moved}.wav" for place in range(6)}
    for source, target in order_renames({source: target for source, target in targets.items() if source != target}):
        assert target not in there
        there[target] = there.pop(source)
    assert there == {f"A/{places[place] + moved}.wav": place for place in range(6)}


def test_a_killed_export_goes_on_where_it_ended(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path, [Line(f"台詞{number}。", id=f"{number}") for number in range(6)], ExportSettings(pattern="$id$"))
    exporter.export_all()
    exporter.lines = [replace(line, text=f"別の{line.text}") for line in exporter.lines]
    with pytest.raises(KilledError):
        exporter.export_changed(killed_after=3)
    assert len(exporter.rendered) == 3
    with (tmp_path / JOURNAL_NAME).open("ab") as journal:
        journal.write(b'{"file": {"path": "9.w')
    for entry in ManifestStore(tmp_path).entries.values():
        assert (tmp_path / entry.path).stat().st_size == entry.sound.size
    with pytest.raises(KilledError):
        exporter.export_changed(killed_after=1)
    exporter.export_changed()
    assert len(exporter.rendered) == 2, "the row behind one that was cut short is read"
    assert not (tmp_path / JOURNAL_NAME).exists()


def test_lines_of_a_table_without_ids_are_known_by_what_they_say(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path / "out", [Line("雨"), Line("雪"), Line("雪")], ExportSettings(pattern="$number$"))
    exporter.folder.mkdir()
    exporter.export_all()
    exporter.lines = [Line("嵐"), Line("雨"), Line("雪"), Line("雪")]
    exporter.export_changed()
    assert exporter.rendered == ["001.wav"]
    assert contents(exporter.folder) == export_fully(exporter, tmp_path / "full")


def test_thousands_of_lines_that_say_the_same_are_known_at_once(tmp_path: Path) -> None:
    names = [f"{number:05}.wav" for number in range(5_001)]
    content = FileContent(1, "0" * 32)
    entries = {name: ManifestEntry(name, content, {}, (f"old {name}",), "story", "0" * 32, "0" * 32) for name in names[:-1]}
    files = [KeyedFile(PlannedFile(tmp_path / name, (Line("はい。", id=name),)), name, "0" * 32, "0" * 32) for name in names[1:]]
    ids = frozenset(names)
    began = time.process_time()
    changes = plan_changes(files, entries, ScriptScope("story", ids, ids), lambda _entry: "whole", may_overwrite=False)
    assert (len(changes.unchanged), len(changes.renamed), changes.rendered) == (4_999, 1, [])
    assert time.process_time() - began < 1.5


def test_files_of_other_scripts_and_lines_are_left_alone(tmp_path: Path) -> None:
    one = Exporter(tmp_path, [Line("雨", id="1"), Line("雪", id="2")], ExportSettings(pattern="$id$"), project="one")
    one.export_all()
    two = Exporter(tmp_path, [Line("風", id="1"), Line("空", id="3")], ExportSettings(pattern="$id$", existing="skip"), project="two")
    changes = two.export_changed()
    assert [item.file.name for item in changes.skipped] == ["1.wav"]
    assert changes.orphans == []
    assert set(contents(tmp_path)) == {"1.wav", "2.wav", "3.wav"}
    # Of one script, what is not selected stays as well.
    one.lines = [replace(line, text="霧") for line in one.lines]
    one.export_changed(only=["2"])
    assert one.rendered == ["2.wav"]
    one.lines = one.lines[1:]
    assert [entry.path for entry in one.export_changed(orphans=False).orphans] == ["1.wav"]
    assert "1.wav" in contents(tmp_path)


def test_scripts_of_one_name_differ_by_their_place(tmp_path: Path) -> None:
    work = tmp_path / "work"
    chapters = [work / f"ch{number}" / "lines.csv" for number in (1, 2)]
    for file in chapters:
        file.parent.mkdir(parents=True)
        file.touch()
    chosen = ExportSettings(pattern="$id$", existing="skip")
    one, two = (
        Exporter(work / "out", [Line(text, id="1")], chosen, "lines", file=file) for text, file in zip("雨風", chapters, strict=True)
    )
    one.export_all()
    changes = two.export_changed()
    assert ([item.file.name for item in changes.skipped], two.rendered, changes.orphans) == (["1.wav"], [], [])
    two.lines = [Line("風", id="2")]
    assert two.export_changed().orphans == []
    assert contents(work / "out") == {"1.wav": ".wav [('雨', 0)]", "2.wav": ".wav [('風', 0)]"}

    def export_again(file: Path) -> None:
        one.file = file
        assert len(one.export_changed().unchanged) == 1, file

    export_again(chapters[0].with_suffix(".koebako"))
    one.folder = work.rename(tmp_path / "moved") / "out"
    export_again(tmp_path / "moved" / "ch1" / "lines.csv")
    (tmp_path / "moved" / "ch1").rename(tmp_path / "moved" / "ch3")
    export_again(tmp_path / "moved" / "ch3" / "lines.csv")
    manifest = one.folder / MANIFEST_NAME
    data = json.loads(manifest.read_text(encoding="utf-8"))
    assert sorted(entry["place"] for entry in data["files"]) == ["../ch2/lines.csv", "../ch3/lines.csv"]
    for name in ("ch2", "ch3"):
        shutil.rmtree(tmp_path / "moved" / name)
    one.file = tmp_path / "moved" / "ch4" / "lines.csv"
    assert len(one.export_changed().skipped) == 1, "nobody knows whose the files were"
    for entry in data["files"]:
        del entry["place"]
    manifest.write_text(json.dumps(data), encoding="utf-8")
    export_again(one.file)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: data.update(version=2),
        lambda data: data.update(format="other"),
        lambda data: data["files"][0].update(path="../a.wav"),
        lambda data: data["files"][0].update(path="/a.wav"),
        lambda data: data["files"][0].update(path="C:a.wav"),
        lambda data: data["files"][0].update(path="b\\a.wav"),
        lambda data: data["files"][0].update(path=".git/a.wav"),
        lambda data: data["files"][0].update(path="a.py"),
        lambda data: data["files"][0].update(sidecars={".py": [1, "0" * 32]}),
        lambda data: data["files"][0].update(content=[-1, "0" * 32]),
        lambda data: data["files"][0].update(lines=[]),
        lambda data: data["files"].append(data["files"][0]),
        lambda data: data["files"][0].update(loudness={"powers": "AAAA", "peak": 1, "seconds": 1, "losses": []}),
        lambda data: data["files"][0].update(loudness={"powers": "", "peak": 1, "seconds": 1, "losses": [[-3]]}),
        lambda data: data["files"][0].update(loudness={"powers": "", "peak": 1, "seconds": 1, "losses": [[-3, -0.1]]}),
        lambda data: data.update(files=5),
        lambda data: data["files"][0].update(place="//host/share/a.csv"),
        lambda data: data["files"][0].update(place="../C:a.csv"),
        lambda data: data["files"][0].update(place="../.."),
    ],
    ids=[str(number) for number in range(19)],
)
def test_a_manifest_that_cannot_be_ours(tmp_path: Path, spoil: Callable[[dict[str, Any]], object]) -> None:
    exporter = Exporter(tmp_path, [Line("雨", id="a")], ExportSettings(pattern="$id$", existing="skip"))
    exporter.export_all()
    data = json.loads((tmp_path / MANIFEST_NAME).read_text(encoding="utf-8"))
    spoil(data)
    (tmp_path / MANIFEST_NAME).write_text(json.dumps(data), encoding="utf-8")
    assert exporter.open_ledger().problem
    exporter.lines = [Line("雪", id="a"), Line("風", id="b")]
    changes = exporter.export_changed()
    assert (exporter.rendered, len(changes.skipped)) == (["b.wav"], 1)
    kept = json.loads((tmp_path / MANIFEST_NAME).read_text(encoding="utf-8"))
    assert (kept == data) == ("version" in data and (data["version"], data["format"]) != (1, "koebako-export"))


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_manifest_reaches_through_no_link(tmp_path: Path) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    exporter = Exporter(out, [Line("雨", id="a")], ExportSettings(pattern="$id$", files="speaker_folders"))
    out.mkdir()
    exporter.export_all()
    (out / "Mei").rename(other)
    (out / "Mei").symlink_to(other)
    exporter.lines = [Line("風", LineSettings(speaker="Rei"), id="b")]
    assert exporter.export_changed().orphans == []
    assert contents(other) == {"a.wav": ".wav [('雨', 0)]"}


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
@pytest.mark.parametrize("name", [MANIFEST_NAME, JOURNAL_NAME])
def test_nothing_is_written_through_a_link_in_place_of_the_manifest(tmp_path: Path, name: str) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    out.mkdir()
    other.write_text("mine", encoding="utf-8")
    (out / name).symlink_to(other)
    Exporter(out, [Line("雨", id="a")], ExportSettings(pattern="$id$")).export_all()
    assert other.read_text(encoding="utf-8") == "mine"
    assert (out / "a.wav").is_file()


def test_a_folder_that_takes_no_manifest_takes_the_files(tmp_path: Path) -> None:
    (tmp_path / JOURNAL_NAME).mkdir()
    exporter = Exporter(tmp_path, [Line("雨", id="a")], ExportSettings(pattern="$id$"))
    ledger = exporter.open_ledger()
    for item in plan_files(build_numbered_lines(exporter.lines), exporter.settings, CONTEXT):
        ledger.record_written(item, exporter.render(item))
    ledger.close()
    assert ledger.write_error is not None
    assert "a.wav" in contents(tmp_path)


def key_of(line: Line, conditions: SoundConditions = CONDITIONS, gain_db: float = 0.0, **chosen: Any) -> str:
    item = PlannedFile(Path("a.wav"), (line,))
    return compute_file_key(item, compute_sound_key(item, conditions), ExportSettings(**chosen), gain_db)


def test_what_a_key_holds() -> None:
    line = Line("雨が降る。", LineSettings(seed=1), id="a")
    same = [
        key_of(replace(line, id="b")),
        key_of(replace(line, settings=LineSettings(seed=1, seed_locked=False, speaker="Mei", style="Neutral"))),
        key_of(replace(line, settings=LineSettings(seed=1, speaker="Nobody", style="Angry!"))),
        key_of(line, pattern="$id$", folder="/x", existing="skip", unit="mora"),
        key_of(line, replace(CONDITIONS, words=(DictionaryEntry("風", "カゼ"),))),
    ]
    others = [
        key_of(replace(line, text="雨が降った。")),
        key_of(replace(line, settings=LineSettings(seed=2))),
        key_of(replace(line, settings=LineSettings(seed=1, style="Happy"))),
        key_of(line, replace(CONDITIONS, words=(DictionaryEntry("雨", "アメ"),))),
        key_of(line, replace(CONDITIONS, words=(DictionaryEntry("ふる", "フル"),))),
        key_of(line, replace(CONDITIONS, program=("2",))),
        key_of(line, replace(CONDITIONS, voices={"": VoiceFacts("other", ("Mei", "Rei"), ("Neutral", "Happy"))})),
        key_of(line, gain_db=-1.0),
        *(key_of(line, **chosen) for chosen in ({"sound": "flac"}, {"subtype": "24"}, {"rate": 8_000}, {"stereo": True})),
        *(key_of(line, sidecars=("srt",), unit=unit) for unit in ("line", "mora")),
    ]
    assert set(same) == {key_of(line)}
    assert len({key_of(line), *others}) == len(others) + 1


def test_a_voice_is_known_by_its_content(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shipped = find_resources_dir() / "voices" / str(find_shipped_voice_id())
    copied = Path(shutil.copytree(shipped, tmp_path / "copied"))

    def fingerprint(folder: Path) -> str:
        return compute_voice_fingerprint(plan_speaker(str(folder), parse_placement("auto"), Settings(), None, False))

    known = fingerprint(shipped)
    assert fingerprint(copied) == known
    with monkeypatch.context() as patched:
        patched.setattr(graph_session, "ORT_VERSION", "onnxruntime 0")
        assert fingerprint(copied) != known
    vectors = np.load(copied / STYLE_VECTORS_NAME)
    np.save(copied / STYLE_VECTORS_NAME, vectors + np.float32(0.5))
    assert fingerprint(copied) != known


def test_a_voice_that_is_refined_changes_no_file_whatever_precision_is_wanted(tmp_path: Path) -> None:
    """Faster graphs come while it speaks already; only the user's choice between the two is another sound."""
    shipped = find_resources_dir() / "voices" / str(find_shipped_voice_id())
    folder = Path(shutil.copytree(shipped, tmp_path / "copied"))
    voice = read_manifest(folder)
    choices = (Settings(), Settings(fast_voices=(voice.id,)), Settings(bert_precision="int8"))

    def fingerprints() -> list[str]:
        return [compute_voice_fingerprint(plan_speaker(str(folder), parse_placement("auto"), one, None, False)) for one in choices]

    mark_refinement_pending(folder, {})
    (folder / SOURCE_GRAPH_NAME).write_bytes(b"only refining reads this")
    before = fingerprints()
    assert len(set(before)) == len(choices)
    make_fast(voice, folder)
    clear_pending_refinement(folder)
    plan = plan_speaker(str(folder), parse_placement("auto"), choices[1], None, False)
    assert "decoder_int8.onnx" in str(plan.voice.graphs["decoder"]), "it is the one that speaks"
    assert fingerprints() == before
    fainter(folder / "decoder_int8.onnx", folder / "decoder.onnx")
    assert not set(fingerprints()) & set(before)


def test_a_list_that_is_written_again_is_the_one_that_counts(tmp_path: Path) -> None:
    for content in (FileContent(1, "1" * 32), FileContent(2, "2" * 32)):
        store = ManifestStore(tmp_path)
        store.set_list("lines.csv", content)
        store.close()
        assert ManifestStore(tmp_path).lists == {"lines.csv": content}


def test_an_entry_comes_back_as_it_was(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path, [Line("雨", id="a")], ExportSettings(pattern="$id$", sidecars=("txt",)))
    exporter.export_all()
    (entry,) = ManifestStore(tmp_path).entries.values()
    measured = replace(entry, loudness=LoudnessMeasurement((0.1, 1 / 3), 0.7, 1.25, {-4: 0.02, -5: 1 / 30}))
    measured = replace(measured, place="../章　1/台本.csv")
    assert parse_entry(json.loads(json.dumps(convert_entry_to_data(measured)))) == measured


def test_a_loudness_of_a_version_before_the_limiter_is_measured_again(tmp_path: Path) -> None:
    exporter = Exporter(tmp_path, [Line("雨", id="a")], ExportSettings(pattern="$id$"))
    exporter.export_all()
    (entry,) = ManifestStore(tmp_path).entries.values()
    data = convert_entry_to_data(replace(entry, loudness=LoudnessMeasurement((0.1,), 0.7, 1.25)))
    del data["loudness"]["losses"]
    assert parse_entry(data) == replace(entry, loudness=None)


@pytest.mark.parametrize(
    ("counts", "japanese", "english"),
    [
        ((3, 1, 9, 0), "3 個を書き出し、1 個の名前を変更しました。9 個は変更されていません。", "3 written, 1 renamed, 9 unchanged."),
        ((3, 0, 0, 0), "3 個を書き出しました。", "3 written."),
        ((0, 2, 0, 0), "2 個の名前を変更しました。", "2 renamed."),
        ((0, 0, 1_200, 0), "1,200 個は変更されていません。", "1,200 unchanged."),
        ((0, 0, 0, 0), "何も書き出しませんでした。", "Nothing was written."),
        (
            (1, 0, 0, 1),
            "1 個を書き出しました。台本にない行のファイルが 1 個あります。",
            "1 written. 1 file belongs to lines that are no longer in the script.",
        ),
    ],
)
def test_what_did_not_happen_is_not_told(
    monkeypatch: pytest.MonkeyPatch, counts: tuple[int, int, int, int], japanese: str, english: str
) -> None:
    for tongue, told in (("ja", japanese), ("en", english)):
        monkeypatch.setattr(language, "_current", tongue)
        assert describe_changes(*counts) == told
