"""The attack sees what it looks for; and a minute of it finds nothing."""

import json
import random
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import pytest

if sys.platform != "linux":
    pytest.skip("processes are watched as Linux shows them", allow_module_level=True)

from tests.campaigns.attack import checks, crew
from tests.campaigns.attack.area import Case, Complaint
from tests.campaigns.attack.areas import exports
from tests.campaigns.attack.areas.planted import FAULTS
from tests.campaigns.attack.crew import Errand
from tests.campaigns.attack.hostile.json_damage import Damages
from tests.campaigns.attack.place import ROOT
from tests.campaigns.attack.registry import SHARES

KINDS = {
    "nothing": set(),
    "traceback": {"traceback"},
    "internal": {"internal"},
    "hang": {"hang"},
    "memory": {"memory"},
    "outside": {"outside"},
    "escape": {"escape"},
    "signal": {"signal"},
    "a program that hangs": {"hang"},
    "a program outside": {"outside"},
    "a program that escapes": {"escape"},
    "a program that takes memory": {"memory"},
    "a program that dies": {"signal"},
}


@pytest.mark.slow
def test_a_fault_of_each_kind_is_seen() -> None:
    found: defaultdict[int, list[Complaint]] = defaultdict(list)
    errand = Errand("planted", "0", 0, 1, time.monotonic() + 300, lambda number, _outcome, items: found[number].extend(items), len(FAULTS))
    crew.run(errand)
    assert {fault: {item.kind for item in found[number]} for number, fault in enumerate(FAULTS)} == KINDS
    assert Path("/var/tmp/koebako-planted").exists() is False


def test_half_files_and_lost_words_are_seen(tmp_path: Path) -> None:
    case = Case("test", "0", 0)
    (tmp_path / "voices" / "half").mkdir(parents=True)
    (tmp_path / "settings.json").write_text('{"version": 1')
    (tmp_path / "dictionary.json").write_text('{"entries": [{"surface": "雨"}]}', encoding="utf-8")
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    checks.check_home(case, tmp_path)
    checks.check_sound(case, tmp_path / "a.wav")
    checks.check_words(case, tmp_path, {"雨", "雪"})
    assert [item.kind for item in case.complaints] == ["half", "half", "half", "lost"]


def test_a_destroyed_file_and_a_strange_name_are_seen(tmp_path: Path) -> None:
    out, script, kept = tmp_path / "out", tmp_path / "s.txt", tmp_path / "kept.txt"
    (out / "folder").mkdir(parents=True)
    file, link, folder = out / "a.txt", out / "a.srt", out / "folder"
    for path in (file, script, kept, folder / "mine.txt"):
        path.write_text("mine", encoding="utf-8")
    link.symlink_to(kept)
    before = exports.look(tmp_path, {file, link, folder, script, kept})

    def destroyed(*, may_replace: bool) -> set[str]:
        return {words.split(" ")[0] for words in exports.find_destroyed(before, may_replace=may_replace, spared={script, kept})}

    assert destroyed(may_replace=False) == set()
    for path in (file, script, kept):
        path.write_text("theirs", encoding="utf-8")
    link.unlink()
    (folder / "mine.txt").unlink()
    assert destroyed(may_replace=False) == {"a.txt", "a.srt", "folder", "s.txt", "kept.txt"}
    assert destroyed(may_replace=True) == {"folder", "s.txt", "kept.txt"}
    (tmp_path / "nowhere").touch()
    assert "something" in destroyed(may_replace=True)
    for name in ("package.json", ".hidden.txt", "a.exe", "a.wav"):
        (out / name).touch()
    assert sorted(exports.find_strange(out, {file})) == [".hidden.txt", "a.exe", "package.json"]


def test_parts_that_nobody_sweeps_are_seen(tmp_path: Path) -> None:
    part, staged = tmp_path / ".a.wav-0123abcd.part", tmp_path / "staging" / "0123"
    part.write_bytes(b"x")
    staged.mkdir(parents=True)
    assert checks.leftovers(tmp_path) == [part, staged]
    checks.age([part, staged])
    assert time.time() - part.stat().st_mtime > 3600


def test_every_damage_of_a_file_has_a_number() -> None:
    content = json.dumps({"version": 1, "entries": [{"surface": "雨", "accent": 1}]}, ensure_ascii=False).encode()
    damages = Damages(content)
    made = [damages[number] for number in range(len(damages))]
    assert len({what for what, _ in made}) == len(made)
    assert [damaged for _, damaged in made[: len(content)]] == [content[:end] for end in range(len(content))]
    assert made == [Damages(content)[number] for number in range(len(made))]


def test_a_try_is_made_of_its_number_alone() -> None:
    first, again, other = (Case("texts", "seed", number).draw.random() for number in (3, 3, 4))
    assert first == again == random.Random("texts seed 3").random()
    assert first != other


@pytest.mark.slow
def test_two_tries_in_every_room_find_nothing(tmp_path: Path) -> None:
    """Always the same ones; `python -m tests.campaigns.attack --minutes 60 --jobs 2` makes others, and many more."""
    report = tmp_path / "report.json"
    command = [sys.executable, "-m", "tests.campaigns.attack", "--tries", "2", "--seed", "ci", "--json", str(report)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
    areas = json.loads(report.read_text())["areas"]
    assert {name: area["tries"] for name, area in areas.items()} == dict.fromkeys(SHARES, 2)
