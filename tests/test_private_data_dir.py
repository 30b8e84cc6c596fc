"""Only the owner can read the data folder, whatever the umask and whichever code created a file."""

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from app.common.files.paths import HOME_VARIABLE, find_data_dir
from app.common.files.private_data_dir import make_private_folder
from app.install.staging_folders import create_staging_folder, move_into_place

pytestmark = pytest.mark.skipif(os.name == "nt", reason="permissions of Unix")

ROOT = Path(__file__).parents[1]
USE = """
import sys
from app.cli.main import main
assert main(["speak", "雨が降る。", "-o", sys.argv[1]]) == main(["dict", "add", "声箱", "コエバコ"]) == 0
from app.common.log import logger, start_log
from app.common.files.paths import find_data_dir
from app.settings.user_settings import Settings, load_settings, save_settings, find_settings_path
from app.ui.script.autosave import write_autosave
from app.ui.shell.single_instance import find_requests_dir, acquire_window_lock
from app.ui.parameters.preset_bar import save_presets
from app.ui.actions.window_actions import save_shortcuts
from app.core.script.script import Line, Script
start_log()
logger.warning("a message")
held = acquire_window_lock([])
save_settings(Settings())
find_settings_path().write_bytes(b"{")
load_settings()
write_autosave(Script((Line("雨。"),)), "")
save_presets({})
save_shortcuts({})
from app.ui.shell import single_instance
single_instance.INSTANCE_TIMEOUT_S = 0.1
single_instance.FileLock.acquire = lambda lock: False
keep = single_instance.write_file_atomically
single_instance.write_file_atomically = lambda *given: (keep(*given), keep(given[0].with_suffix(".copy"), given[1], *given[2:]))
single_instance.acquire_window_lock([])
"""


@pytest.fixture(autouse=True)
def _usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def within_reach(home: Path) -> list[str]:
    """What other users could read, if they were let into the home itself."""
    reached = []
    for item in sorted(home.iterdir()):
        if item.is_dir() and mode(item) & 0o077:
            reached += [f"{item.relative_to(home)}/", *within_reach(item)]
        elif item.is_file() and mode(item) & 0o077:
            reached.append(item.name)
    return reached


def use(home: Path, sound: Path) -> None:
    """Has the program fill a home, under a umask that forbids nothing."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", HOME_VARIABLE: str(home)}
    command = [sys.executable, "-c", USE, str(sound)]
    subprocess.run(command, cwd=ROOT, env=environment, umask=0, check=True, stdout=subprocess.DEVNULL)
    kept = {item.name for item in home.iterdir()}
    assert kept >= {"autosave.json", "cache", "dictionary.json", "logs", "presets.json", "requests", "settings.json.unreadable"}
    assert mode(sound) == 0o666, "what users save for themselves follows their umask"


def test_a_home_that_we_make_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "data" / "home"
    use(home, tmp_path / "a.wav")
    assert mode(home) == 0o700
    assert within_reach(home) == []


def test_a_home_that_was_there_keeps_its_mode_and_what_we_make_in_it_is_closed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    home.chmod(0o755)
    (home / "logs").mkdir()
    (home / "logs").chmod(0o777)  # as an older version left it
    (home / "photos").mkdir()
    (home / "photos").chmod(0o755)
    use(home, tmp_path / "a.wav")
    assert mode(home) == 0o755
    assert mode(home / "photos") == 0o755
    assert within_reach(home) == ["photos/"]


def test_the_usual_home_of_an_older_version_is_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(HOME_VARIABLE)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    find_data_dir().mkdir(parents=True)
    find_data_dir().chmod(0o775)
    make_private_folder(find_data_dir() / "cache" / "graphs")
    assert mode(find_data_dir()) == 0o700
    assert within_reach(find_data_dir()) == []
    assert mode(tmp_path / "share") == 0o755, "that one is not ours"


def test_voices_are_closed_and_so_are_their_staging_folders() -> None:
    os.umask(0)
    make_private_folder(find_data_dir())
    with create_staging_folder() as stage:
        make_private_folder(stage / "mei")
        (stage / "mei" / "voice.json").write_text("{}")
        assert within_reach(find_data_dir()) == []
        move_into_place(stage / "mei", find_data_dir() / "voices" / "mei")
    assert (find_data_dir() / "voices" / "mei" / "voice.json").is_file()
    assert within_reach(find_data_dir()) == []


def test_links_and_places_outside_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "large disk").mkdir()
    (tmp_path / "large disk").chmod(0o755)
    make_private_folder(find_data_dir())
    (find_data_dir() / "voices").symlink_to(tmp_path / "large disk")
    make_private_folder(find_data_dir() / "voices" / "mei")
    make_private_folder(tmp_path / "elsewhere" / "sounds")
    assert mode(tmp_path / "large disk") == 0o755
    assert mode(tmp_path / "large disk" / "mei") == 0o700
    assert mode(tmp_path / "elsewhere" / "sounds") == 0o755


@pytest.mark.parametrize("closed", [False, True])
def test_a_file_in_the_place_of_a_folder_is_an_error(closed: bool) -> None:
    make_private_folder(find_data_dir())
    (find_data_dir() / "logs").write_bytes(b"")
    with pytest.raises(OSError, match=r"."):
        make_private_folder(find_data_dir() / "logs" / "old" if closed else find_data_dir() / "logs")


def test_a_folder_that_does_not_let_itself_be_closed_is_used_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_given: object) -> None:
        raise PermissionError(1, "not yours")

    (find_data_dir() / "logs").mkdir(parents=True)
    (find_data_dir() / "logs").chmod(0o755)
    monkeypatch.setattr(Path, "chmod", refuse)
    make_private_folder(find_data_dir() / "logs")
    assert mode(find_data_dir() / "logs") == 0o755
