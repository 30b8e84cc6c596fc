"""Memory and loading time of each side, measured in a fresh process for each."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Literal

from app.bench.compare import open_one, request_of_line
from app.bench.home import Originals, OursReady
from app.bench.machine import peak_mb
from app.bench.reference import Reference
from app.bench.stages import run_once
from app.bench.texts import LINES
from app.core.types import SynthesisRequest
from app.errors import InternalError
from app.json_text import json_objects
from app.language import localized
from app.own_program import run_own

Side = Literal["ours", "reference"]
TIME_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class OwnProcess:
    """What a side takes that has a process for itself.

    Attributes:
        load_ms: until voice and BERT are open.
        peak_mb: after it has spoken both lines twice.
    """

    load_ms: float
    peak_mb: float


def measure_ours(ready: OursReady) -> OwnProcess:
    """In this process."""
    began = time.perf_counter()
    speaker = open_one(ready)
    load_ms = (time.perf_counter() - began) * 1000
    for text in (*LINES.values(), *LINES.values()):
        run_once(speaker, request_of_line(speaker, text), cached=False)
    return OwnProcess(load_ms, peak_mb())


def measure_reference(originals: Originals) -> OwnProcess:
    """In this process."""
    began = time.perf_counter()
    reference = Reference(originals)
    load_ms = (time.perf_counter() - began) * 1000
    for text in (*LINES.values(), *LINES.values()):
        reference.speak(SynthesisRequest(text, noise_w=0.0, sdp_ratio=0.0))
    return OwnProcess(load_ms, peak_mb())


def in_own_process(side: Side, voice: str, bert: str) -> OwnProcess:
    """Measured in a child; `voice` and `bert` are ids for ours, files for the reference."""
    done = run_own("bench", "--memory-of", side, "--voice", voice, "--bert", bert, "--json", timeout_s=TIME_LIMIT_S)
    text = done.stdout.decode("utf-8", "replace")
    values = next((line for line in json_objects(text) if {"load_ms", "peak_mb"} <= line.keys()), None)
    if values is None or done.returncode:
        reason = (text.splitlines() or done.stderr.decode("utf-8", "replace").splitlines() or [""])[-1]
        raise InternalError(localized("メモリーの測定に失敗しました。", "Memory use could not be measured."), reason[:300])
    return OwnProcess(values["load_ms"], values["peak_mb"])
