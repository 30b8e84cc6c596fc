"""Checks of the built program: where it is, whose it is, what runs at the same time, and its window."""

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from bundle.command import kill
from bundle.expectations import CUT, SPEAK, difference, ended
from bundle.other_user import NOBODY, closed_to_writing, launcher, lent_prefix, link_or_copy, not_entered
from bundle.planted import careless_environment, plant
from bundle.program import Program

# Windows, and Wine with its own screen, draw on the real platform; Qt's offscreen one has no fonts there.
OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen"}
WINDOW_S = 60
STARTS = 3


def far_away(program: Program, folder: Path) -> str:
    """It speaks from a folder, for a user and into a file with Japanese names and spaces."""
    place = folder / "声箱 のフォルダー" / "山田 太郎"
    moved = place / "Koebako"
    shutil.copytree(program.folder, moved, symlinks=True, copy_function=link_or_copy)
    output, temporary = place / "出力 音声.wav", place / "一時"
    temporary.mkdir()
    users = {"KOEBAKO_HOME": str(place / "データ")} | dict.fromkeys(("HOME", "USERPROFILE", "TMPDIR", "TEMP", "TMP"), str(temporary))
    ended(replace(program, folder=moved).run("koebako-cli", *SPEAK, "-o", output, env=users))
    return f"the same sound ({difference(output, folder / 'bundle.wav'):.0e})"


def portable(program: Program, folder: Path) -> str:
    """With a file `portable` next to it, it keeps its data in its own folder."""
    moved = folder / "声箱 のフォルダー" / "山田 太郎" / "Koebako"
    (moved / "portable").write_text("")
    try:
        ended(replace(program, folder=moved).run("koebako-cli", "dict", "add", "声箱", "コエバコ", env={"KOEBAKO_HOME": ""}))
        kept = [path.relative_to(moved).as_posix() for path in (moved / "data").rglob("*") if path.is_file()]
        assert kept, "there is no data beside it"
    finally:
        (moved / "portable").unlink()
        shutil.rmtree(moved / "data", ignore_errors=True)
    return f"{len(kept)} files, as {kept[0]}"


def read_only(program: Program, folder: Path) -> str:
    """It speaks for a user who may not write where it is."""
    if sys.platform == "win32":
        return "skipped: another user would need a password; it is only checked that nothing is written there"
    moved = folder / "声箱 のフォルダー" / "山田 太郎" / "Koebako"
    root = os.geteuid() == 0  # whom no mode of a folder keeps from writing
    if root and shutil.which("setpriv") is None:
        return "skipped: needs setpriv"
    if root and (shut := not_entered([folder.parent, *([Path.cwd()] if program.windows else [])])):  # Wine goes to where it was called
        return f"skipped: another user may not enter {shut[0]}"
    folder.chmod(0o755)
    users = folder / "nobody"
    users.mkdir()
    users.chmod(0o777)
    environment = {"KOEBAKO_HOME": str(users / "home"), "HOME": str(users), "TMPDIR": str(users)}
    as_other = launcher(NOBODY) if root else ()
    other = replace(program, folder=moved, launcher=(*as_other, *program.launcher))
    with ExitStack() as stack:
        if root and program.windows:
            prefix = lent_prefix(Path(program.env["WINEPREFIX"]), users / "prefix", NOBODY)
            environment["WINEPREFIX"] = str(stack.enter_context(prefix))
        stack.enter_context(closed_to_writing(moved))
        assert subprocess.run([*as_other, "test", "-w", moved]).returncode == 1, "the folder was open to writing"
        ended(other.run("koebako-cli", *SPEAK, "-o", users / "a.wav", env=environment))
    return f"the same sound ({difference(users / 'a.wav', folder / 'bundle.wav'):.0e})"


def current_folder(program: Program, folder: Path) -> str:
    """Neither it nor its children run or load what is in the current folder."""
    trap = folder / "unpacked"
    trap.mkdir()
    ran, script = plant(trap), folder / "two lines.txt"
    script.write_text("はい。\nいいえ。\n", encoding="utf-8")
    # What starts Wine is a shell script, which would find its own programs there.
    environment = {"KOEBAKO_HOME": str(folder / "trapped")} | ({} if program.launcher else careless_environment())
    commands: list[list[str | Path]] = [
        ["doctor", "--only", "python"], ["dict", "add", "檜箱庵", "ひのばこあん"], ["export", script, "-o", folder / "two", "--jobs", "2"],
    ]  # fmt: skip
    for command in commands:
        finished = program.run("koebako-cli", *command, env=environment, cwd=trap)
        assert not ran.exists(), f"{command}: {ran.read_text(encoding='utf-8')}"
        ended(finished)
    return f"{len(list(trap.iterdir()))} traps, {len(commands)} commands"


def second_instance(program: Program, folder: Path) -> str:
    """Two at once do not disturb each other."""
    outputs = [folder / "one.wav", folder / "two.wav"]
    home = {"KOEBAKO_HOME": str(folder / "home")}
    running = [program.start("koebako-cli", [*SPEAK, "-o", output], home) for output in outputs]
    for process in running:
        _, stderr = process.communicate(timeout=180)
        assert process.returncode == 0, stderr[-CUT:]
    return f"the same sound ({max(difference(output, folder / 'bundle.wav') for output in outputs):.0e})"


def window(program: Program, folder: Path) -> str:
    """The window opens, takes typing, speaks into a file and closes."""
    picture = program.folder.parent / "window.png"
    reports = [_try_window(program, folder / f"window {number}", picture) for number in range(1, STARTS + 1)]
    log = folder / "window 1" / "logs" / "koebako.log"
    assert not log.exists() or "ERROR" not in log.read_text(encoding="utf-8"), log.read_text(encoding="utf-8")[-CUT:]
    quickest = min(reports, key=lambda report: float(report["window_s"]))
    opened = ", ".join(f"{report['window_s']:.2f}" for report in reports)
    return f"open after {opened} s; the quickest ready {quickest['ready_s']} s, spoken {quickest['spoken_s']} s; {picture}"


def _try_window(program: Program, home: Path, picture: Path) -> dict[str, Any]:
    home.mkdir()
    platform = [] if program.windows else ["--platform", "offscreen"]
    command = ["--selftest", *platform, "--report", str(home / "selftest.json"), "--picture", str(picture)]
    finished = program.run("Koebako", *command, env={"KOEBAKO_HOME": str(home)}, timeout_s=180)
    assert (home / "selftest.json").exists(), f"exit code {finished.code}, no report: {finished.stderr[-CUT:]}"
    report: dict[str, Any] = json.loads((home / "selftest.json").read_text(encoding="utf-8"))
    assert report["ok"], report
    ended(finished)
    return report


def opens_files(program: Program, folder: Path) -> str:
    """A second start with a file gives it to the window that is open."""
    home, text = folder / "窓", folder / "台本.txt"
    text.write_text("二つ目の起動から。\n", encoding="utf-8")
    environment = {"KOEBAKO_HOME": str(home)} | ({} if program.windows else OFFSCREEN)
    first = program.start("Koebako", [], environment)
    try:
        _wait_until(lambda: (home / "requests").is_dir())
        began = time.perf_counter()
        ended(program.run("Koebako", text, env=environment, timeout_s=WINDOW_S))
        taken_s = time.perf_counter() - began
        _wait_until(lambda: "二つ目の起動から。" in _kept(home / "autosave.json"))
        assert first.poll() is None, f"the first window ended with {first.returncode}"
    finally:
        kill(first)
    return f"after {taken_s:.1f} s"


def _kept(path: Path) -> str:
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WINDOW_S
    while not true():
        assert time.monotonic() < deadline, "the window did not do it in time"
        time.sleep(0.1)
