"""For the report of `koebako selftest`: every group of graphs on every device, compared with the CPU and timed; each in a process of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from app.adapters.ort.device_placement import CPU_ONLY
from app.adapters.ort.devices.device_facts import collect_device_facts
from app.adapters.ort.devices.ort_devices import list_devices
from app.backends.backend_probe import BackendProbe, list_placement_devices
from app.backends.trial_process import RECORD_TRIAL, run_trial
from app.cli.console_output import print_note
from app.common.errors import AppError
from app.common.language import localize


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
        found: list[dict[str, Any]] = []
        crashed: set[str] = set()
        for placement in candidates:
            devices = list_placement_devices(placement)
            if not devices & crashed:
                found.append(_try_placement(placement, calls))
                crashed |= devices if found[-1].get("crashed") else set()
    return found


def _try_placement(placement: str, runs_file: Path) -> dict[str, Any]:
    print_note(localize(f"{placement} を測定しています…", f"Measuring {placement} …"))
    ended = run_trial(placement, None, runs_file)
    if ended.line is None:
        return {"placement": placement, "error": ended.error, "crashed": ended.has_crashed}
    return {"placement": placement} | ended.line


def describe_devices() -> list[dict[str, Any]]:
    """Return every adapter with the facts that its results depend on: ONNX Runtime, name and driver."""
    return [
        {"place": item.place, "name": item.name, "memory_mb": item.memory_mb, "facts": collect_device_facts(item.place)}
        for item in list_devices()
    ]
