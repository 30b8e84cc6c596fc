"""Starts the built program and looks at what it does and listens to what it renders. Prints a line a check; ends the build at the first failure."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import soundfile
import soxr
from bundle.command import PROJECT
from bundle.program import Finished, Program
from bundle.sound_server import RATE, likeness, missing, sound_server

TEXT = "箱から声が出ます。今日はいい天気ですね、明日も晴れるでしょうか？"
TOLERANCE = 1e-3
PLAY = ["speak", TEXT, "--seed", "7", "--play"]
SPEAK = ["speak", TEXT, "--seed", "7", "--subtype", "float"]
LIKE = 0.99
NO_SOUND_SERVER = {"PULSE_SERVER": "unix:/nonexistent", "PIPEWIRE_REMOTE": "/nonexistent"}
REFERENCE = PROJECT.parent / "shared" / "reference" / "jp-extra-tiny"
CUT = 600


def smoke_test(program: Program) -> None:
    """All checks, in order; SystemExit names the one that failed."""
    print(f"Smoke test of {program.folder} ({program.size_mb():.0f} MB)", flush=True)
    with tempfile.TemporaryDirectory(prefix="koebako-smoke-") as name:
        folder = Path(name)
        before = _state(program.folder)
        for check in CHECKS:
            title = (check.__doc__ or check.__name__).split(".")[0].splitlines()[0]
            try:
                found = check(program, folder)
            except AssertionError as exc:
                sys.exit(f"FAILED  {title}: {exc}")
            print(f"  ok  {title}: {found}", flush=True)
        if _state(program.folder) != before:
            sys.exit("FAILED  The program wrote into its own folder.")
        print("  ok  Nothing was written into the program's folder", flush=True)


def _state(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def _ended(finished: Finished, code: int = 0) -> Finished:
    assert finished.code == code, f"exit code {finished.code} instead of {code}: {finished.stderr[-CUT:]}\n{finished.stdout[-CUT:]}"
    assert "Traceback" not in finished.stderr, finished.stderr[-CUT:]
    return finished


def starts(program: Program, folder: Path) -> str:
    """The command line starts."""
    times = [_ended(program.run("koebako-cli", "--version")).seconds for _ in range(3)]
    return f"{min(times):.2f} s"


def speaks(program: Program, folder: Path) -> str:
    """It speaks the same samples as the checkout, within 1e-3."""
    ours, theirs = folder / "bundle.wav", folder / "checkout.wav"
    finished = _ended(program.run("koebako-cli", *SPEAK, "-o", ours, "--json", env={"KOEBAKO_HOME": str(folder / "home")}))
    command = [sys.executable, str(PROJECT / "main.py"), *SPEAK, "-o", str(theirs)]
    subprocess.run(command, check=True, env=os.environ | {"KOEBAKO_HOME": str(folder / "home")}, stdout=subprocess.DEVNULL)
    difference = _difference(ours, theirs)
    report = finished.report()
    return (
        f"largest difference {difference:.1e}; {report['audio_s']:.1f} s of sound, {finished.seconds:.1f} s with the start, "
        f"first audio {report['first_audio_ms']:.0f} ms"
    )


def _difference(one: Path, other: Path) -> float:
    a, rate = soundfile.read(one, dtype="float32")
    b, other_rate = soundfile.read(other, dtype="float32")
    assert (rate, a.shape) == (other_rate, b.shape), f"{a.shape} at {rate} Hz against {b.shape} at {other_rate} Hz"
    assert float(np.abs(b).max()) > 0.05, "silence"
    difference = float(np.abs(a - b).max())
    assert difference <= TOLERANCE, f"largest difference {difference:g}"
    return difference


def doctor(program: Program, folder: Path) -> str:
    """The doctor finds nothing broken."""
    report = _ended(program.run("koebako-cli", "doctor", "--json", env={"KOEBAKO_HOME": str(folder / "home")})).report()
    return ", ".join(f"{item['id']} {item['status']}" for item in report["checks"])


def plays(program: Program, folder: Path) -> str:
    """What it plays is what it writes, recorded from a sound server."""
    if sys.platform == "win32" or missing():
        return "skipped: needs PulseAudio"
    expected, rate = soundfile.read(folder / "bundle.wav", dtype="float32")
    best = 0.0
    for _ in range(3):  # a busy machine may stumble, but not three times at the same place
        with sound_server() as server, server.recording() as heard:
            _ended(program.run("koebako-cli", *PLAY, env=server.environment | {"KOEBAKO_HOME": str(folder / "home")}))
        best = max(best, likeness(heard[0], soxr.resample(expected, rate, RATE)))
        if best > LIKE:
            return f"correlation {best:.4f}"
    raise AssertionError(f"correlation {best:.4f}")


def far_away(program: Program, folder: Path) -> str:
    """It speaks from a folder, for a user and into a file with Japanese names and spaces."""
    place = folder / "声箱 のフォルダー" / "山田 太郎"
    moved = place / "Koebako"
    shutil.copytree(program.folder, moved, symlinks=True, copy_function=_link)
    output = place / "出力 音声.wav"
    _ended(replace(program, folder=moved).run("koebako-cli", *SPEAK, "-o", output, env={"KOEBAKO_HOME": str(place / "データ")}))
    difference = _difference(output, folder / "bundle.wav")
    shutil.rmtree(moved)
    return f"the same sound ({difference:.0e})"


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk
        shutil.copy2(source, target)


def second_instance(program: Program, folder: Path) -> str:
    """Two at once do not disturb each other."""
    outputs = [folder / "one.wav", folder / "two.wav"]
    home = {"KOEBAKO_HOME": str(folder / "home")}
    running = [program.start("koebako-cli", [*SPEAK, "-o", output], home) for output in outputs]
    for process in running:
        _, stderr = process.communicate(timeout=180)
        assert process.returncode == 0, stderr[-CUT:]
    return f"the same sound ({max(_difference(output, folder / 'bundle.wav') for output in outputs):.0e})"


def no_sound(program: Program, folder: Path) -> str:
    """Without a sound device it says so and ends with 5."""
    if _ended(program.run("koebako-cli", "doctor", "--json", env=NO_SOUND_SERVER)).report()["audio_devices"]:
        return "skipped: this machine has a sound device that cannot be taken away"
    finished = _ended(program.run("koebako-cli", "speak", "はい。", "--play", env=NO_SOUND_SERVER), 5)
    return _sentence(finished)


def fallback(program: Program, folder: Path) -> str:
    """DirectML is used, or its refusal is told and the CPU speaks."""
    output = folder / "directml.wav"
    report = _ended(program.run("koebako-cli", *SPEAK, "-o", output, "--backend", "directml", "--json")).report()
    used = set(report["backend"].values())
    assert report["fallback"] or used == {"directml"}, report
    told = " ".join((report["fallback"] or "DirectML").split())[:160]
    return f"{told}; {_difference(output, folder / 'bundle.wav'):.0e} from the CPU"


def mistakes(program: Program, folder: Path) -> str:
    """Mistakes get a sentence and their exit code."""
    sentences = []
    for arguments, code in (
        (["speak", ""], 2),
        (["speak", "はい。", "--voice", "nobody"], 3),
        (["speak", "はい。", "-o", str(folder / "no" / "a.wav")], 7),
    ):
        sentences.append(_sentence(_ended(program.run("koebako-cli", *arguments), code)))
    return "; ".join(sentences)


def _sentence(finished: Finished) -> str:
    """What the program itself said; ALSA's own complaints come before it."""
    said = [line for line in finished.stderr.splitlines() if line.startswith("koebako: ")]
    assert said, finished.stderr[-CUT:]
    return said[0].removeprefix("koebako: ")


def g2p(program: Program, folder: Path) -> str:
    """Text goes in and out as UTF-8."""
    finished = _ended(program.run("koebako-cli", "g2p", text="吾輩は猫である。\n风の㐂びは№1\n"))
    readings = finished.stdout.splitlines()
    assert len(readings) == 2, finished.stdout
    assert "ワガハイワネコデアル" in readings[0], readings[0]
    return "2 lines"


def containers(program: Program, folder: Path) -> str:
    """A tiny voice in every container that opens gives the expected samples."""
    if not REFERENCE.is_dir():
        return f"skipped: no reference voices at {REFERENCE}"
    worst = {}
    for name in ("model.onnx", "model.aivmx", "model.sbv2"):
        command = ["voices", "check", str(REFERENCE / name), "--expected", str(REFERENCE / "expected.npz"), "--json"]
        worst[name] = _ended(program.run("koebako-cli", *command)).report()["worst"]
    return ", ".join(f"{name} {value:.0e}" for name, value in worst.items())


def window(program: Program, folder: Path) -> str:
    """The window opens, takes typing, speaks into a file and closes."""
    report, picture = folder / "selftest.json", program.folder.parent / "window.png"
    # Windows, and Wine with its own screen, draw on the real platform; Qt's offscreen one has no fonts there.
    platform = [] if program.windows else ["--platform", "offscreen"]
    command = ["--selftest", *platform, "--report", str(report), "--picture", str(picture)]
    finished = program.run("Koebako", *command, env={"KOEBAKO_HOME": str(folder / "window")}, timeout_s=180)
    assert report.exists(), f"exit code {finished.code}, no report: {finished.stderr[-CUT:]}"
    value = json.loads(report.read_text(encoding="utf-8"))
    assert value["ok"], value
    _ended(finished)
    log = folder / "window" / "logs" / "koebako.log"
    assert not log.exists() or "ERROR" not in log.read_text(encoding="utf-8"), log.read_text(encoding="utf-8")[-CUT:]
    return f"open after {value['window_s']} s, ready {value['ready_s']} s, spoken {value['spoken_s']} s; {picture}"


CHECKS: list[Callable[[Program, Path], str]] = [
    starts,
    speaks,
    doctor,
    g2p,
    fallback,
    containers,
    mistakes,
    plays,
    no_sound,
    far_away,
    second_instance,
    window,
]
