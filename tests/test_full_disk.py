"""Whatever the disk refuses, and whenever the program is killed: a file is the one before or the one after, and a set of files is one of both."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.adapters.shared_settings import change_settings
from app.adapters.user_dictionary import change_dictionary, read_user_entries
from app.audition.take_store import TakeStore
from app.common.errors import AppError, OutputFileError
from app.common.files.paths import find_data_dir
from app.common.files.whole_files import list_stale_parts
from app.core.script.project import Project
from app.core.script.script import Line, Script
from app.core.synthesis_types import AudioChunk
from app.core.text.dictionary_entries import make_entry
from app.export.export_plan import PlannedFile
from app.export.export_renderer import PlannedFileWriter
from app.export.export_settings import ExportSettings
from app.export.sidecar_formats import SpokenLine
from app.interchange.koebako_files import read_project, write_project
from app.settings.user_settings import Settings, load_settings, save_settings
from tests.disk_faults import Fault, tried_at_every_place

ROOT = Path(__file__).parents[1]
RATE = 44_100
OLD, NEW = "old", "new"
FAULTS: tuple[Fault, ...] = ("full", "once", "killed")
SIDECARS = (".txt", ".srt", ".json")


@dataclass(frozen=True, slots=True)
class Deed:
    """What is done to a folder.

    Attributes:
        state: what is there: OLD, NEW, or anything else, which must not be.
    """

    prepare: Callable[[Path], object]
    work: Callable[[Path], object]
    state: Callable[[Path], str]


def write_set(folder: Path, which: str, **settings: object) -> None:
    """A sound and what lies beside it."""
    samples = np.full(3_000, 0.1 if which == OLD else 0.2, np.float32)
    item = PlannedFile(folder / "a.wav", (), replaced_names=("a.wav", *(f"a{suffix}" for suffix in SIDECARS)))
    writer = PlannedFileWriter(item, ExportSettings(sidecars=("txt", "srt", "json"), **settings), RATE)  # type: ignore[arg-type]
    writer.write_chunk(AudioChunk(samples, RATE, "r", 1, last=True))
    writer.close([SpokenLine("a", which, which, 1, "v", "s", "t", {}, "", 0.0, len(samples) / RATE)])


def state_of_set(folder: Path) -> str:
    """OLD and NEW where all files are of one; else what each is. Raises whatever a half file makes of it."""
    found = {suffix: (folder / f"a{suffix}") for suffix in (*SIDECARS, ".wav")}
    states = {suffix: _state_of_one(path) for suffix, path in found.items()}
    return states[".wav"] if len(set(states.values())) == 1 else ", ".join(f"{suffix} {state}" for suffix, state in states.items())


def _state_of_one(path: Path) -> str:
    if not path.exists():
        return "none"
    if path.suffix == ".wav":
        samples, _rate = soundfile.read(path, dtype="float32")
        assert len(samples) == 3_000
        return OLD if samples[0] < 0.15 else NEW
    text = path.read_text(encoding="utf-8")
    assert text.endswith(("\n", "}"))
    return NEW if NEW in text else OLD


def _project(which: str) -> Project:
    return Project(script=Script((Line(which, id="a"),)))


def _keep_take(folder: Path) -> None:
    TakeStore(folder / "d").keep_sound(np.full(2_000, 0.3, np.float32), RATE)


def _state_of_take(folder: Path) -> str:
    """A take that is not there is none; under its name it is whole."""
    names = [item.name for item in (folder / "d").glob("[!.]*")]
    for name in names:
        TakeStore(folder / "d").read_sound(name)
    return NEW if names else OLD


DEEDS = {
    "export": Deed(partial(write_set, which=OLD), partial(write_set, which=NEW), state_of_set),
    "project": Deed(
        lambda folder: write_project(folder / "a.koebako", _project(OLD)),
        lambda folder: write_project(folder / "a.koebako", _project(NEW)),
        lambda folder: read_project(folder / "a.koebako").script.lines[0].text,
    ),
    "take": Deed(lambda _folder: None, _keep_take, _state_of_take),
    "settings": Deed(
        lambda _folder: save_settings(Settings(text=OLD)),
        lambda _folder: change_settings(lambda kept: replace(kept, text=NEW)),
        lambda _folder: str(load_settings()[0].text),
    ),
    "dictionary": Deed(
        lambda _folder: change_dictionary(lambda _words: (make_entry(OLD, "オ"),)),
        lambda _folder: change_dictionary(lambda _words: (make_entry(NEW, "ニ"),)),
        lambda _folder: read_user_entries()[0].surface,
    ),
}


def complaint(name: str, fault: Fault, folder: Path) -> str:
    """What is wrong with what a deed has left; empty where nothing is."""
    state = DEEDS[name].state(folder)
    if fault == "killed":
        pieces = set(state.replace(",", "").split()[1::2])
        fits = state in (OLD, NEW) or (pieces == {OLD, NEW} and f".wav {OLD}" in state)  # the sound comes last
        return "" if fits else state
    left = [item for place in (folder, *folder.glob("*/"), find_data_dir()) for item in list_stale_parts(place, -1.0)]
    return "" if state in (OLD, NEW) and not left else f"{state} {left}"


def try_everywhere(name: str, fault: Fault, folder: Path) -> set[str]:
    """One deed with one fault at every place; the states that were left."""
    deed, states = DEEDS[name], set[str]()

    def prepare() -> None:
        for place in (folder, find_data_dir()):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir(parents=True)
        deed.prepare(folder)

    def look(where: str) -> None:
        states.add(deed.state(folder))
        assert complaint(name, fault, folder) == "", where

    places = tried_at_every_place(fault, prepare, lambda: deed.work(folder), look)
    assert places > 3
    assert states >= {OLD, NEW}
    return states


@pytest.mark.parametrize("fault", ["full", "once"])
@pytest.mark.parametrize("name", DEEDS)
def test_what_a_disk_refuses_leaves_the_old_or_the_new(name: str, fault: Fault, tmp_path: Path) -> None:
    assert try_everywhere(name, fault, tmp_path / "work") == {OLD, NEW}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes that die at a place of ours")
def test_a_kill_at_any_place_leaves_the_old_or_the_new(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "tests.test_full_disk", str(tmp_path / "work")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_set_where_nothing_was_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    def look(where: str) -> None:
        assert len(list(tmp_path.iterdir())) in (0, 4), where

    def clear() -> None:
        for item in tmp_path.iterdir():
            item.unlink()

    tried_at_every_place("once", clear, lambda: write_set(tmp_path, NEW), look)


@pytest.mark.parametrize("links", [True, False])
def test_a_file_that_cannot_be_replaced_keeps_the_whole_set(tmp_path: Path, links: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(_new: Path, _old: Path) -> None:
        raise OSError(1, "no second names here")

    def in_use(part: Path, target: Path) -> Path:
        if target.suffix == ".wav" and target.name == "a.wav" and part.suffix == ".part":
            raise PermissionError(13, "in use")
        return replace_file(part, target)

    write_set(tmp_path, OLD)
    if not links:
        monkeypatch.setattr(Path, "hardlink_to", refused)
    replace_file = Path.replace
    monkeypatch.setattr(Path, "replace", in_use)
    with pytest.raises(OutputFileError, match=r"a\.wav"):
        write_set(tmp_path, NEW)
    assert state_of_set(tmp_path) == OLD
    assert len(list(tmp_path.iterdir())) == 4
    monkeypatch.undo()
    write_set(tmp_path, NEW)
    assert state_of_set(tmp_path) == NEW
    assert len(list(tmp_path.iterdir())) == 4


def test_settings_that_cannot_be_read_or_copied_are_not_lost(tmp_path: Path) -> None:
    path = find_data_dir() / "settings.json"

    def prepare() -> None:
        shutil.rmtree(find_data_dir(), ignore_errors=True)
        find_data_dir().mkdir(parents=True)
        path.write_bytes(b"{ my settings")

    def look(where: str) -> None:
        assert b"{ my settings" in [item.read_bytes() for item in find_data_dir().glob("settings.json*")], where

    def work() -> None:
        load_settings()
        save_settings(Settings())

    tried_at_every_place("full", prepare, work, look)


def main() -> int:
    """Kills in a process without threads, which forks well; the folder is the argument."""
    for name in DEEDS:
        try:
            states = try_everywhere(name, "killed", Path(sys.argv[1]))
        except AppError as error:
            print(f"{name}: {error.message} {error.hint}")
            return 1
        print(name, sorted(states))
    return 0


if __name__ == "__main__":
    sys.exit(main())
