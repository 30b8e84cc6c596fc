"""`koebako selftest`: speaks on every backend of this machine, compares and times it, and writes one file that a user can send.

Every backend is tried in a process of its own: a graphics driver that crashes must not take the report with it.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import tempfile
import time
import wave
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from app.adapters.files.part_file import PartFile, write_error
from app.cli.commands.selftest.devices import device_reports, placement_reports
from app.cli.commands.selftest.report import log_tail, window_report
from app.cli.output import json_line, note, result
from app.data_file import write_whole
from app.errors import AppError
from app.json_text import json_objects
from app.language import localized
from app.own_program import run_own
from app.version import VERSION

TEXT = "箱から声が出ます。今日はいい天気ですね、明日も晴れるでしょうか？"
TIMEOUT_S = 180
# 16-bit files: half a step of rounding on each side, and what graphs may differ between processors.
TOLERANCE = 2e-3


@dataclass(slots=True)
class Trial:
    """How one backend did.

    Attributes:
        used: where each stage really ran.
        max_abs_diff: largest difference from the samples of the CPU; None where there is nothing to compare.
        bench: lines of `koebako bench`.
    """

    backend: str
    ok: bool = False
    exit_code: int | None = None
    used: dict[str, str] = field(default_factory=dict)
    fallback: str | None = None
    first_audio_ms: float | None = None
    total_ms: float | None = None
    max_abs_diff: float | None = None
    bench: list[dict[str, Any]] = field(default_factory=list)
    messages: str = ""


def run(options: argparse.Namespace) -> int:
    """Prints how each backend did; exit code 70 when the CPU does not speak or the doctor finds a fault."""
    if options.report:
        PartFile(Path(options.report)).discard()  # before minutes of work, not after them, it is known whether it can be written
    doctor = next(iter(_child("doctor", "--json")[1]), {})
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        trials = [_try_backend(name, Path(folder)) for name in ["cpu", *_others()]]
    ok = bool(doctor.get("ok")) and trials[0].ok
    report = {
        "ok": ok,
        "version": VERSION,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": _machine(),
        "doctor": doctor,
        "backends": [asdict(trial) for trial in trials],
        "devices": device_reports(),
        "placements": placement_reports() if options.report else [],
        "probed": _probed(),
        "window": window_report(),
        "log": log_tail(),
    }
    if options.report:
        _write(options.report, report)
    if options.json:
        json_line(report)
    else:
        for trial in trials:
            _print(trial)
    return 0 if ok else AppError.exit_code


def _others() -> list[str]:
    from app.adapters.ort.providers import places

    return [place for place in places() if place != "cpu"]


def _probed() -> list[dict[str, Any]]:
    """What `koebako backends` knows from before."""
    from app.backends.probe import Probe

    try:
        return [asdict(finding) for finding in Probe().known()]
    except AppError:  # without a voice; the trials show it
        return []


def _try_backend(backend: str, folder: Path) -> Trial:
    note(localized(f"{backend} を測定しています…", f"Measuring {backend} …"))
    trial, output = Trial(backend), folder / f"{backend.replace(':', '-')}.wav"
    trial.exit_code, lines, trial.messages = _child("speak", TEXT, "--seed", "7", "--backend", backend, "-o", str(output), "--json")
    if trial.exit_code or not lines:
        return trial
    spoken = lines[-1]
    trial.used, trial.fallback = spoken["backend"], spoken["fallback"]
    trial.first_audio_ms, trial.total_ms = spoken["first_audio_ms"], spoken["total_ms"]
    trial.max_abs_diff = _difference(output, folder / "cpu.wav")
    trial.ok = trial.fallback is None and trial.max_abs_diff is not None and trial.max_abs_diff <= TOLERANCE
    if trial.fallback is None:
        trial.bench = _child("bench", "--backend", backend, "--tokens", "5,20", "--runs", "5", "--warmup", "2", "--json")[1]
    return trial


def _child(*arguments: str) -> tuple[int | None, list[dict[str, Any]], str]:
    """Exit code (None: it had to be stopped), JSON lines and messages of a run of our own command line."""
    try:
        done = run_own(*arguments, timeout_s=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, [], f"stopped after {TIMEOUT_S} s"
    printed, messages = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return done.returncode, list(json_objects(printed)), messages[-4000:]


def _difference(one: Path, other: Path) -> float | None:
    a, b = _samples(one), _samples(other)
    return float(np.abs(a - b).max()) if a.shape == b.shape and a.size else None


def _samples(path: Path) -> np.ndarray:
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768


def _machine() -> dict[str, Any]:
    from app.adapters.ort.providers import devices_offered

    memory = psutil.virtual_memory()
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": [psutil.cpu_count(logical=False), os.cpu_count()],
        "memory_gb": round(memory.total / 2**30, 1),
        "adapters": devices_offered(),
    }


def _write(report: str, value: dict[str, Any]) -> None:
    # Reports are sent to others, and folders of a home carry its owner's name.
    text = json.dumps(value, ensure_ascii=False, indent=1)
    for home in {str(Path.home()), json.dumps(str(Path.home()), ensure_ascii=False)[1:-1]}:
        text = text.replace(home, "~")
    try:
        write_whole(Path(report), f"{text}\n".encode("utf-8", "replace"))
    except OSError as exc:
        raise write_error(Path(report), exc) from exc
    note(localized(f"結果を保存しました: {report}", f"Report written to {report}"))


def _print(trial: Trial) -> None:
    if trial.total_ms is None:
        reason = trial.messages.strip().splitlines()[-1:] or [f"exit code {trial.exit_code}"]
        result(f"✗ {trial.backend}: {reason[0]}")
        return
    difference = "–" if trial.max_abs_diff is None else f"{trial.max_abs_diff:.1e}"
    times = localized(
        f"最初の音声まで {trial.first_audio_ms:.0f} ms、合計 {trial.total_ms:.0f} ms、CPU との差 {difference}",
        f"time to first audio {trial.first_audio_ms:.0f} ms, total {trial.total_ms:.0f} ms, difference from the CPU {difference}",
    )
    result(f"{'✓' if trial.ok else '!'} {trial.backend}: {times}")
    if trial.fallback:
        result(f"    {trial.fallback}")
