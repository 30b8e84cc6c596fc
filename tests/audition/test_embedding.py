"""Sounds between a project's file and the folder beside it."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from app.audition import embedding
from app.audition.embedding import lacks_sounds, packed, unpacked
from app.audition.take_store import KeptSound, TakeStore, folder_of
from app.core.project import Project
from app.core.takes import Take
from app.errors import InputError
from app.interchange.koebako import write_project


def kept(path: Path | None, *counts: int) -> list[KeptSound]:
    store = TakeStore(folder_of(path))
    return [store.keep(np.random.default_rng(count).uniform(-0.5, 0.5, count).astype(np.float32), 44_100) for count in counts]


def project_of(*sounds: KeptSound) -> Project:
    return Project(takes=tuple(Take("l", sound=sound.name, size=sound.size, id=sound.name) for sound in sounds), embeds=True)


def test_what_fits_goes_in_tests_first_then_stars_then_the_newest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.koebako"
    old, star, new = kept(path, 3_000, 3_001, 3_002)
    (tested,) = kept(None, 3_003)
    project = project_of(star, old, new)
    project = Project(takes=project.takes, tests=({"sound": tested.name},), embeds=True)
    monkeypatch.setattr(embedding, "MOST_SOUND_BYTES", tested.size + new.size + 100)
    full, left_out = packed(project, (path, None, path))
    assert (set(full.sounds), left_out) == ({tested.name, new.name}, 2)
    starred = Project(takes=(Take("l", sound=star.name, starred=True), *project.takes[1:]), embeds=True)
    monkeypatch.setattr(embedding, "MOST_SOUND_BYTES", star.size + 100)
    assert set(packed(starred, (path,))[0].sounds) == {star.name}


def test_sounds_that_somebody_removed_beside_the_file_stay_in_it(tmp_path: Path) -> None:
    path = tmp_path / "a.koebako"
    (sound,) = kept(path, 3_000)
    full, _ = packed(project_of(sound), (path,))
    write_project(path, full)
    (folder_of(path) / sound.name).unlink()
    assert lacks_sounds(full, path)
    assert packed(project_of(sound), (tmp_path / "b.koebako", path))[0].sounds == full.sounds


@pytest.mark.skipif(sys.platform == "win32", reason="links of Unix")
def test_only_what_takes_need_comes_out_and_nothing_is_written_through_a_link(tmp_path: Path) -> None:
    path, elsewhere = tmp_path / "a.koebako", tmp_path / "elsewhere"
    wanted, other = kept(None, 3_000, 3_001)
    full, _ = packed(project_of(wanted, other), (None,))
    TakeStore(folder_of(None)).sweep(())
    out = unpacked(Project(takes=project_of(wanted).takes, embeds=True, sounds=full.sounds), path)
    assert (out.sounds, [item.name for item in folder_of(path).iterdir()]) == ({}, [wanted.name])
    (folder_of(path) / wanted.name).write_bytes(b"damaged")
    unpacked(full, path)
    assert not lacks_sounds(full, path)
    assert TakeStore(folder_of(path)).content(wanted.name) == full.sounds[wanted.name]

    elsewhere.mkdir()
    linked = tmp_path / "b.koebako"
    folder_of(linked).symlink_to(elsewhere)
    assert unpacked(full, linked).takes == full.takes
    assert not list(elsewhere.iterdir())
    assert TakeStore(folder_of(None)).has(wanted.name), "where it can be written, and played from"
    with pytest.raises(InputError):
        TakeStore(folder_of(linked)).read(wanted.name)
