"""`koebako backends`: what a voice can be computed on here, how fast and how exactly; `--probe` measures it."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from app.backends.child import RECORD
from app.backends.probe import Probe
from app.backends.probe_result import ProbeResult
from app.cli.output import json_line, result
from app.cli.progress import shown_progress
from app.cli.voice_choice import chosen_voice
from app.errors import InputError
from app.language import localized

FIELDS = ("backend", "adapter", "ok", "max_abs_diff", "first_audio_ms", "total_ms", "chosen", "reason")
MARKS = {True: "✓", False: "✗", None: "·"}


def run(options: argparse.Namespace) -> int:
    """Prints a line a candidate; the exit code is 4 when not even the CPU speaks."""
    if options.trial is not None and options.calls is None:
        raise InputError(localized("--trial には --calls が必要です。", "--trial requires --calls."))
    if options.trial is not None:
        return _trial(options.trial, options.voice, Path(options.calls))
    probe = Probe(chosen_voice(options))
    if options.probe:
        if options.json:  # stdout carries a line a candidate and nothing else
            found = list(probe.run(retry=options.retry))
        else:
            with shown_progress(as_json=False) as report:
                found = list(probe.run(report, retry=options.retry))
    else:
        found = probe.known()
    for finding in found:
        _print(finding, as_json=options.json, measured=options.probe)
    return 0


def _trial(trial: str, wanted: str | None, calls: Path) -> int:
    """The child's part."""
    from app.backends.trial import record, try_placement

    if trial == RECORD:
        record(wanted, calls)
        json_line({"ok": True})
    else:
        json_line(asdict(try_placement(trial, wanted, calls)))
    return 0


def _print(finding: ProbeResult, *, as_json: bool, measured: bool) -> None:
    if as_json:
        line = asdict(finding)
        more = ("ran_on", "group_ms", "trace") if measured else ()
        json_line({name: line[name] for name in (*FIELDS, *more)})
        return
    name = f"{finding.backend} {finding.adapter}".strip()
    figures = ""
    if finding.first_audio_ms is not None and finding.total_ms is not None:
        difference = "–" if finding.max_abs_diff is None else f"{finding.max_abs_diff:.0e}"
        figures = localized(
            f": 最初の音声まで {finding.first_audio_ms:.0f} ms、合計 {finding.total_ms:.0f} ms、CPU との差 {difference}",
            f": time to first audio {finding.first_audio_ms:.0f} ms, total {finding.total_ms:.0f} ms, difference from the CPU {difference}",
        )
    chosen = localized(" ← auto で使用", " ← used by auto") if finding.chosen else ""
    result(f"{MARKS[finding.ok]} {name}{figures}{chosen}")
    if finding.reason:
        result(f"    {finding.reason}")
