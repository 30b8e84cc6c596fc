"""Sounds between a project's file and the folder beside it."""

import sys
from pathlib import Path

import numpy as np
import pytest

from app.audition import embedded_sounds
from app.audition.embedded_sounds import is_missing_sounds, pack_sounds, unpack_sounds
from app.audition.take_store import KeptSound, TakeStore, find_sound_folder
from app.common.errors import InputError
from app.core.script.project import LineTake, Project
from app.interchange.koebako_files import write_project


def kept(path: Path | None, *counts: int) -> list[KeptSound]:
    store = TakeStore(find_sound_folder(path))
    return [store.keep_sound(np.random.default_rng(count).uniform(-0.5, 0.5, count).astype(np.float32), 44_100) for count in counts]


def project_of(*sounds: KeptSound) -> Project:
    return Project(takes=tuple(LineTake("l", sound=sound.name, size=sound.size, id=sound.name) for sound in sounds), embeds=True)


def test_what_fits_goes_in_tests_first_then_stars_then_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.koebako"
    old, star, new = kept(path, 3_000, 3_001, 3_002)
    (tested,) = kept(None, 3_003)
    project = project_of(star, old, new)
    project = Project(takes=project.takes, tests=({"sound": tested.name},), embeds=True)
    monkeypatch.setattr(embedded_sounds, "MAX_EMBEDDED_SOUND_BYTES", tested.size + new.size + 100)
    full, left_out = pack_sounds(project, (path, None, path))
    assert (set(full.sounds), left_out) == ({tested.name, new.name}, 2)
    starred = Project(takes=(LineTake("l", sound=star.name, starred=True), *project.takes[1:]), embeds=True)
    monkeypatch.setattr(embedded_sounds, "MAX_EMBEDDED_SOUND_BYTES", star.size + 100)
    assert set(pack_sounds(starred, (path,))[0].sounds) == {star.name}


def test_sounds_that_somebody_removed_beside_the_file_stay_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a.koebako"
    (sound,) = kept(path, 3_000)
    full, _ = pack_sounds(project_of(sound), (path,))
    write_project(path, full)
    (find_sound_folder(path) / sound.name).unlink()
    assert is_missing_sounds(full, path)
    assert pack_sounds(project_of(sound), (tmp_path / "b.koebako", path))[0].sounds == full.sounds


@pytest.mark.skipif(sys.platform == "win32", reason="links of Unix")
def test_only_what_takes_need_comes_out_and_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "a.koebako", tmp_path / "elsewhere"
    wanted, other = kept(None, 3_000, 3_001)
    full, _ = pack_sounds(project_of(wanted, other), (None,))
    TakeStore(find_sound_folder(None)).remove_unneeded_sounds(())
    out = unpack_sounds(Project(takes=project_of(wanted).takes, embeds=True, sounds=full.sounds), path)
    assert (out.sounds, [item.name for item in find_sound_folder(path).iterdir()]) == ({}, [wanted.name])
    (find_sound_folder(path) / wanted.name).write_bytes(b"damaged")
    unpack_sounds(full, path)
    assert not is_missing_sounds(full, path)
    assert TakeStore(find_sound_folder(path)).read_content(wanted.name) == full.sounds[wanted.name]

    elsewhere.mkdir()
    linked = tmp_path / "b.koebako"
    find_sound_folder(linked).symlink_to(elsewhere)
    assert unpack_sounds(full, linked).takes == full.takes
    assert not list(elsewhere.iterdir())
    assert TakeStore(find_sound_folder(None)).has_sound(wanted.name), "where it can be written, and played from"
    with pytest.raises(InputError):
        TakeStore(find_sound_folder(linked)).read_sound(wanted.name)
