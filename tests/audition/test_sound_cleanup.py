"""Nothing that anybody names is removed, and what nobody names is."""

import os
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from app.audition import take_store
from app.audition.embedded_sounds import copy_sounds_beside
from app.audition.take_store import TakeStore, find_sound_folder, find_sound_names, release_sounds, remove_unneeded_sounds
from app.common.errors import OutputFileError
from app.core.script.project import LineTake, Project
from app.interchange.koebako_files import write_project


def keep(path: Path | None, *seeds: int) -> list[str]:
    """Sounds beside a project, or held."""
    store = TakeStore(find_sound_folder(path))
    return [store.keep_sound(np.random.default_rng(seed).uniform(-0.5, 0.5, 300).astype(np.float32), 44_100).name for seed in seeds]


def project_of(*names: str, embeds: bool = False) -> Project:
    return Project(takes=tuple(LineTake("l", sound=name, id=name[:9]) for name in names), embeds=embeds)


@pytest.mark.parametrize("block", [70, 100, 1 << 20])
def test_names_are_found_wherever_a_file_is_cut(block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(take_store, "_BLOCK_BYTES", block)
    names = [f"{number:064x}" for number in range(50)]
    write_project(tmp_path / "a.koebako", Project(takes=project_of(*names[:25]).takes, tests=tuple({"id": name} for name in names[25:])))
    assert find_sound_names(tmp_path / "a.koebako") >= {*names}
    assert find_sound_names(tmp_path / "none") == frozenset()


def test_beside_a_project_stays_what_the_file_the_recovery_or_the_window_names(tmp_path: Path) -> None:
    path, recovery = tmp_path / "a.koebako", tmp_path / "autosave.json"
    in_file, in_recovery, in_window, gone = keep(path, 1, 2, 3, 4)
    write_project(path, project_of(in_file))
    recovery.write_text(f'{{"sound": "{in_recovery}"}}')
    assert remove_unneeded_sounds(path, recovery, {in_window}) == 1
    assert set(TakeStore(find_sound_folder(path)).list_names()) == {in_file, in_recovery, in_window}
    assert gone not in {in_file, in_recovery, in_window}
    recovery.unlink()
    recovery.mkdir()
    assert remove_unneeded_sounds(path, recovery, ()) == 0, "what cannot be read may name anything"
    recovery.rmdir()
    path.unlink()
    assert remove_unneeded_sounds(path, recovery, ()) == 0, "and so may a file that is not there"


@pytest.mark.parametrize(
    ("named_by", "is_beside", "is_known", "days", "stays"),
    [
        (["window"], False, True, 0, True),
        (["window"], True, True, 0, True),  # the file does not name it: a project that is moved leaves it behind
        (["recovery"], False, True, 99, True),
        (["file", "window"], True, True, 0, False),
        (["file", "window"], False, True, 0, True),
        (["file"], False, True, 99, True),
        (["file"], True, False, 0, False),
        (["other"], False, True, 99, True),
        (["other"], True, True, 0, False),
        ([], False, True, 0, False),
        ([], False, False, 0, True),
        ([], False, False, 99, False),
    ],
)
def test_a_held_sound_goes_once_it_lies_where_it_is_named_or_nobody_names_it(
    named_by: Sequence[str], is_beside: bool, is_known: bool, days: int, stays: bool, tmp_path: Path
) -> None:
    path, other, recovery = tmp_path / "a.koebako", tmp_path / "b.koebako", tmp_path / "autosave.json"
    (name,) = keep(None, 1)
    for file, who in ((path, "file"), (other, "other")):
        write_project(file, project_of(*([name] if who in named_by else [])))
        if is_beside:
            keep(file, 1)
    recovery.write_text(name if "recovery" in named_by else "{}")
    then = time.time() - days * 24 * 3600
    os.utime(find_sound_folder(None) / name, (then, then))
    gone = release_sounds(path, recovery, {name} if "window" in named_by else (), {name} if is_known else (), [other])
    assert (gone, TakeStore(find_sound_folder(None)).has_sound(name)) == ((0, True) if stays else (1, False))


def test_while_a_project_is_open_only_what_nobody_names_goes(tmp_path: Path) -> None:
    path, none = tmp_path / "a.koebako", tmp_path / "none"
    named, wanted, gone, foreign = keep(None, 1, 2, 3, 4)
    keep(path, 1)
    write_project(path, project_of(named))
    known = {named, wanted, gone}
    assert release_sounds(path, none, {wanted}, known, unnamed_only=True) == 1
    assert set(TakeStore(find_sound_folder(None)).list_names()) == {named, wanted, foreign}


def test_a_damaged_sound_beside_the_project_lets_no_held_one_go(tmp_path: Path) -> None:
    path = tmp_path / "a.koebako"
    (name,) = keep(None, 1)
    keep(path, 1)
    write_project(path, project_of(name))
    (find_sound_folder(path) / name).write_bytes(b"damaged")
    assert release_sounds(path, tmp_path / "none", {name}, {name}) == 0
    copy_sounds_beside(project_of(name), path, None)
    assert release_sounds(path, tmp_path / "none", {name}, {name}) == 1
    assert TakeStore(find_sound_folder(path)).read_content(name)


def test_all_sounds_of_a_project_come_beside_it_from_wherever_they_are(tmp_path: Path) -> None:
    before, path = tmp_path / "old" / "a.koebako", tmp_path / "b.koebako"
    (held,), (beside,), (inside,) = keep(None, 1), keep(before, 2), keep(tmp_path / "c.koebako", 3)
    content = TakeStore(find_sound_folder(tmp_path / "c.koebako")).read_content(inside)
    write_project(before, Project(takes=project_of(inside).takes, embeds=True, sounds={inside: content}))
    copy_sounds_beside(project_of(held, beside, inside, "0" * 64), path, before)
    assert set(TakeStore(find_sound_folder(path)).list_names()) == {held, beside, inside}
    assert TakeStore(find_sound_folder(None)).has_sound(held), "it is held until the file names it"


def test_a_place_that_cannot_be_written_refuses_but_not_what_the_file_holds_itself(tmp_path: Path) -> None:
    path = tmp_path / "a.koebako"
    find_sound_folder(path).write_bytes(b"no folder")
    (name,) = keep(None, 1)
    with pytest.raises(OutputFileError):
        copy_sounds_beside(project_of(name), path, None)
    (other,) = keep(tmp_path / "b.koebako", 2)
    content = TakeStore(find_sound_folder(tmp_path / "b.koebako")).read_content(other)
    copy_sounds_beside(Project(takes=project_of(other).takes, embeds=True, sounds={other: content}), path, None)
    assert TakeStore(find_sound_folder(None)).has_sound(other)
