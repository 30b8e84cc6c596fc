"""For the report of `koebako selftest`: every group of graphs on every device, compared with the CPU and timed; each in a process of its own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from app.adapters.ort.device_facts import device_facts
from app.adapters.ort.placement import CPU_ONLY
from app.adapters.ort.providers import known_devices
from app.backends.child import RECORD, run_trial
from app.backends.probe import Probe, devices_of
from app.cli.output import note
from app.errors import AppError
from app.language import localized


def placement_reports() -> list[dict[str, Any]]:
    """A line a placement, the CPU first: what `app.backends.trial` found, or `error`. Nothing where there is no voice, as the rest says.

    A device that crashed or hung is not tried with the groups that follow, which would take minutes each.
    """
    try:
        candidates = Probe().candidates()
    except AppError:
        return []
    with tempfile.TemporaryDirectory(prefix="koebako-") as folder:
        calls = Path(folder) / "calls.npz"
        recorded = run_trial(RECORD, None, calls)
        if recorded.error is not None:
            return [{"placement": str(CPU_ONLY), "error": recorded.error, "crashed": recorded.crashed}]
        found: list[dict[str, Any]] = []
        crashed: set[str] = set()
        for placement in candidates:
            devices = devices_of(placement)
            if not devices & crashed:
                found.append(_tried(placement, calls))
                crashed |= devices if found[-1].get("crashed") else set()
    return found


def _tried(placement: str, calls: Path) -> dict[str, Any]:
    note(localized(f"{placement} を測定しています…", f"Measuring {placement} …"))
    ended = run_trial(placement, None, calls)
    if ended.line is None:
        return {"placement": placement, "error": ended.error, "crashed": ended.crashed}
    return {"placement": placement} | ended.line


def device_reports() -> list[dict[str, Any]]:
    """Every adapter with what its results depend on: ONNX Runtime, name and driver."""
    return [
        {"place": item.place, "name": item.name, "memory_mb": item.memory_mb, "facts": device_facts(item.place)} for item in known_devices()
    ]
