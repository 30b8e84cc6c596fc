"""`koebako backends`: what a voice can be computed on here, how fast and how exactly; `--probe` measures it."""

import argparse
from dataclasses import asdict
from pathlib import Path

from app.backends.backend_probe import RECORD_TRIAL, BackendProbe, ProbeResult
from app.cli.console_output import print_json, print_result
from app.cli.progress_display import show_progress
from app.cli.served_voices import prepare_chosen_voice
from app.common.errors import InputError
from app.common.language import localize

PROBE_FIELDS = ("backend", "adapter", "ok", "max_abs_diff", "first_audio_ms", "total_ms", "chosen", "reason")
PROBE_MARKS = {True: "✓", False: "✗", None: "·"}


def run(options: argparse.Namespace) -> int:
    """Print a line for each candidate; return exit code 4 if not even the CPU speaks."""
    if options.trial is not None and options.calls is None:
        raise InputError(localize("--trial には --calls が必要です。", "--trial requires --calls."))
    if options.trial is not None:
        return _run_trial(options.trial, options.voice, Path(options.calls))
    probe = BackendProbe(prepare_chosen_voice(options))
    if options.probe:
        # With JSON, stdout carries a line a candidate and nothing else.
        if options.json:
            results = list(probe.run_trials(should_retry=options.retry))
        else:
            with show_progress(as_json=False) as report:
                results = list(probe.run_trials(report, should_retry=options.retry))
    else:
        results = probe.list_known_results()
    for finding in results:
        _print_finding(finding, as_json=options.json, is_measured=options.probe)
    return 0


def _run_trial(placement: str, voice: str | None, calls: Path) -> int:
    """Run the child's part of a trial."""
    from app.backends.backend_trial import record_reference_runs, try_placement

    if placement == RECORD_TRIAL:
        record_reference_runs(voice, calls)
        print_json({"ok": True})
    else:
        print_json(asdict(try_placement(placement, voice, calls)))
    return 0


def _print_finding(finding: ProbeResult, *, as_json: bool, is_measured: bool) -> None:
    if as_json:
        line = asdict(finding)
        more = ("ran_on", "group_ms", "trace") if is_measured else ()
        print_json({name: line[name] for name in (*PROBE_FIELDS, *more)})
        return
    name = f"{finding.backend} {finding.adapter}".strip()
    figures = ""
    if finding.first_audio_ms is not None and finding.total_ms is not None:
        difference = "–" if finding.max_abs_diff is None else f"{finding.max_abs_diff:.0e}"
        figures = localize(
            f": 最初の音声まで {finding.first_audio_ms:.0f} ms、合計 {finding.total_ms:.0f} ms、CPU との差 {difference}",
            f": time to first audio {finding.first_audio_ms:.0f} ms, total {finding.total_ms:.0f} ms, difference from the CPU {difference}",
        )
    chosen = localize(" ← auto で使用", " ← used by auto") if finding.chosen else ""
    print_result(f"{PROBE_MARKS[finding.ok]} {name}{figures}{chosen}")
    if finding.reason:
        print_result(f"    {finding.reason}")
