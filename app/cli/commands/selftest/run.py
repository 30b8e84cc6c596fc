"""`koebako selftest`: speaks on every backend of this machine, compares and times it, and writes one file that a user can send.

Every backend is tried in a process of its own: a graphics driver that crashes must not take the report with it.
"""

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

from app.adapters.files.part_file import PartFile, build_write_error
from app.adapters.ort.backends import BACKENDS
from app.adapters.ort.device_placement import CPU_ONLY
from app.adapters.ort.devices.ort_devices import (
    collect_device_facts,
    has_device,
    list_devices,
    list_places,
    list_plugin_devices,
    list_usable_backends,
)
from app.backends.backend_probe import RECORD_TRIAL, BackendProbe, list_placement_devices, run_trial
from app.cli.console_output import print_json, print_note, print_result
from app.common.errors import AppError
from app.common.files.untrusted_json import parse_object, parse_object_lines
from app.common.files.whole_files import read_bounded, write_file_atomically
from app.common.language import localize
from app.common.log import MAX_LOG_BYTES, find_log_path
from app.common.processes.launch import run_own_program, run_window
from app.common.version import VERSION
from app.core.sound.result_metrics import compute_max_difference
from app.voices.installed_voices import find_shipped_voice_id

WINDOW_TIMEOUT_S = 150
MAX_REPORT_BYTES = 1 << 20
LOG_TAIL_LINES = 60


def run_window_selftest() -> dict[str, Any]:
    """Run `Koebako --selftest` in a process of its own and return its report; `errors` gives the reason where it printed none."""
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        report = Path(folder) / "window.json"
        try:
            done = run_window("--selftest", "--report", str(report), timeout_s=WINDOW_TIMEOUT_S)
        except (OSError, subprocess.TimeoutExpired) as exc:
            return {"ok": False, "errors": [str(exc)]}
        try:
            return parse_object(read_bounded(report, MAX_REPORT_BYTES))
        except (OSError, ValueError):
            stderr = done.stderr.decode("utf-8", "replace")[-1000:]
            return {"ok": False, "errors": [f"exit code {done.returncode}", stderr]}


def read_log_tail() -> list[str]:
    try:
        return read_bounded(find_log_path(), 2 * MAX_LOG_BYTES).decode("utf-8", "replace").splitlines()[-LOG_TAIL_LINES:]
    except OSError:
        return []


def measure_placements() -> list[dict[str, Any]]:
    """Return a record for each placement, the CPU first, with the result of `app.backends.backend_trial` or `error`; none if there is no
    voice, which the report states elsewhere.

    A device that crashed or hung is not tried with the groups that follow, which would take minutes each.
    """
    try:
        candidates = BackendProbe().list_candidates()
    except AppError:
        return []
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        calls = Path(folder) / "calls.npz"
        recorded = run_trial(RECORD_TRIAL, None, calls)
        if recorded.error is not None:
            return [{"placement": str(CPU_ONLY), "error": recorded.error, "crashed": recorded.has_crashed}]
        records: list[dict[str, Any]] = []
        crashed: set[str] = set()
        for placement in candidates:
            devices = list_placement_devices(placement)
            if not devices & crashed:
                records.append(_try_placement(placement, calls))
                crashed |= devices if records[-1].get("crashed") else set()
    return records


def _try_placement(placement: str, runs_file: Path) -> dict[str, Any]:
    print_note(localize(f"{placement} を測定しています…", f"Measuring {placement} …"))
    ended = run_trial(placement, None, runs_file)
    if ended.line is None:
        return {"placement": placement, "error": ended.error, "crashed": ended.has_crashed}
    return {"placement": placement} | ended.line


def describe_devices() -> list[dict[str, Any]]:
    """Return every adapter with the facts that its results depend on: ONNX Runtime, name and driver."""
    # A plug-in that does not load has no devices; its measurement says so.
    plugins = [backend for backend in list_usable_backends() if BACKENDS[backend].plugin]
    return [
        {"place": item.place, "name": item.name, "memory_mb": item.memory_mb, "facts": collect_device_facts(item.place)}
        for item in [*list_devices(), *(device for backend in plugins for device in list_plugin_devices(backend))]
    ]


SELFTEST_TEXT = "箱から声が出ます。今日はいい天気ですね、明日も晴れるでしょうか？"
SELFTEST_TIMEOUT_S = 180
SELFTEST_TOLERANCE = 2e-3  # 16-bit files: half a step of rounding on each side, and what graphs may differ between processors


@dataclass(slots=True)
class BackendTrial:
    """The result of one backend's trial."""

    backend: str
    ok: bool = False
    exit_code: int | None = None
    used: dict[str, str] = field(default_factory=dict)  # where each stage really ran
    fallback: str | None = None
    first_audio_ms: float | None = None
    total_ms: float | None = None
    max_abs_diff: float | None = None  # largest difference from the samples of the CPU; None where there is nothing to compare
    bench: list[dict[str, Any]] = field(default_factory=list)  # lines of `koebako bench`
    messages: str = ""


def run(options: argparse.Namespace) -> int:
    """Print the result of each backend; return exit code 70 if the CPU does not speak or the doctor finds a fault."""
    if options.report:
        # An unwritable report is noticed before minutes of work, not after them.
        PartFile(Path(options.report)).discard()
    doctor = next(iter(_run_cli("doctor", "--json")[1]), {})
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        trials = [
            try_backend(name, Path(folder)) for name in ["cpu", *filter(lambda place: place != "cpu" and has_device(place), list_places())]
        ]
    ok = bool(doctor.get("ok")) and trials[0].ok
    report = {
        "ok": ok,
        "version": VERSION,
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "machine": _describe_machine(),
        "doctor": doctor,
        "backends": [asdict(trial) for trial in trials],
        "devices": describe_devices(),
        "placements": measure_placements() if options.report else [],
        "probed": _load_probe_results(),
        "window": run_window_selftest(),
        "log": read_log_tail(),
    }
    if options.report:
        _write_report(options.report, report)
    if options.json:
        print_json(report)
    else:
        for trial in trials:
            _print_trial(trial)
    return 0 if ok else AppError.exit_code


def _load_probe_results() -> list[dict[str, Any]]:
    """Load the earlier results of `koebako backends`."""
    try:
        return [asdict(finding) for finding in BackendProbe().list_known_results()]
    except AppError:  # without a voice; the trials show it
        return []


def try_backend(backend: str, folder: Path) -> BackendTrial:
    """Speak with a backend in a process of its own, and return how that went."""
    print_note(localize(f"{backend} を測定しています…", f"Measuring {backend} …"))
    trial, output = BackendTrial(backend), folder / f"{backend.replace(':', '-')}.wav"
    # The voice that all have: reports of different machines are compared.
    shipped = find_shipped_voice_id()
    voice = [] if shipped is None else ["--voice", shipped]
    trial.exit_code, lines, trial.messages = _run_cli(
        "speak", SELFTEST_TEXT, *voice, "--seed", "7", "--backend", backend, "-o", str(output), "--json"
    )
    if trial.exit_code or not lines:
        return trial
    spoken = lines[-1]
    trial.used, trial.fallback = spoken["backend"], spoken["fallback"]
    trial.first_audio_ms, trial.total_ms = spoken["first_audio_ms"], spoken["total_ms"]
    samples, cpu_samples = _read_samples(output), _read_samples(folder / "cpu.wav")
    trial.max_abs_diff = compute_max_difference(cpu_samples, samples) if samples.shape == cpu_samples.shape and samples.size else None
    trial.ok = trial.fallback is None and trial.max_abs_diff is not None and trial.max_abs_diff <= SELFTEST_TOLERANCE
    if trial.fallback is None:
        trial.bench = _run_cli("bench", *voice, "--backend", backend, "--tokens", "5,20", "--runs", "5", "--warmup", "2", "--json")[1]
    return trial


def _run_cli(*arguments: str) -> tuple[int | None, list[dict[str, Any]], str]:
    """Exit code (None: it had to be stopped), JSON lines and messages of a run of our own command line."""
    try:
        done = run_own_program(*arguments, timeout_s=SELFTEST_TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None, [], f"stopped after {SELFTEST_TIMEOUT_S} s"
    printed, messages = (stream.decode("utf-8", "replace") for stream in (done.stdout, done.stderr))
    return done.returncode, list(parse_object_lines(printed)), messages[-4000:]


def _read_samples(path: Path) -> np.ndarray:
    with wave.open(str(path)) as file:
        return np.frombuffer(file.readframes(file.getnframes()), np.int16).astype(np.float32) / 32768


def _describe_machine() -> dict[str, Any]:
    from app.adapters.ort.devices.ort_devices import list_device_reports

    memory = psutil.virtual_memory()
    return {
        "system": platform.platform(),
        "processor": platform.processor() or platform.machine(),
        "cores": [psutil.cpu_count(logical=False), os.cpu_count()],
        "memory_gb": round(memory.total / 2**30, 1),
        "adapters": list_device_reports(),
    }


def _write_report(path: str, value: dict[str, Any]) -> None:
    # Reports are sent to others, and folders of a home carry its owner's name.
    text = json.dumps(value, ensure_ascii=False, indent=1)
    for home in {str(Path.home()), json.dumps(str(Path.home()), ensure_ascii=False)[1:-1]}:
        text = text.replace(home, "~")
    try:
        write_file_atomically(Path(path), f"{text}\n".encode("utf-8", "replace"))
    except OSError as exc:
        raise build_write_error(Path(path), exc) from exc
    print_note(localize(f"結果を保存しました: {path}", f"Report written to {path}"))


def _print_trial(trial: BackendTrial) -> None:
    if trial.total_ms is None:
        reason = trial.messages.strip().splitlines()[-1:] or [f"exit code {trial.exit_code}"]
        print_result(f"✗ {trial.backend}: {reason[0]}")
        return
    difference = "–" if trial.max_abs_diff is None else f"{trial.max_abs_diff:.1e}"
    times = localize(
        f"最初の音声まで {trial.first_audio_ms:.0f} ms、合計 {trial.total_ms:.0f} ms、CPU との差 {difference}",
        f"time to first audio {trial.first_audio_ms:.0f} ms, total {trial.total_ms:.0f} ms, difference from the CPU {difference}",
    )
    print_result(f"{'✓' if trial.ok else '!'} {trial.backend}: {times}")
    if trial.fallback:
        print_result(f"    {trial.fallback}")
