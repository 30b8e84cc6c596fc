"""`koebako voices check`: whether a voice computes what is expected, through the graphs that it would speak with."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from app.cli.output import json_line, note, result
from app.errors import InputError, VoiceError
from app.install.prepare import prepared_copy
from app.language import say
from app.parity import runner_of
from app.voices.check import CaseResult, check_cases, read_cases


def check(options: argparse.Namespace) -> int:
    """Prepares the source in a temporary folder and compares every case; installs nothing."""
    if not math.isfinite(options.tolerance) or options.tolerance < 0:
        raise InputError(
            say("許す差は 0 以上の数にしてください。", "The tolerance must be a number from 0 up."),
            say("例: --tolerance 0.001", "For example --tolerance 0.001"),
        )
    cases = read_cases(Path(options.expected))
    worst, good = 0.0, True
    with prepared_copy(Path(options.source)) as voice:
        for case in check_cases(cases, runner_of(voice), voice.manifest.hop_length):
            difference = math.inf if case.max_abs_diff is None else case.max_abs_diff
            worst = max(worst, difference)
            good = good and case.durations_equal and difference <= options.tolerance
            _show(case, voice.manifest.opaque, options.json)
    if options.json:
        json_line({"summary": True, "cases": len(cases), "worst": worst})
    else:
        note(say(f"{len(cases)} 件、最大の差 {worst:.3g}", f"{len(cases)} cases, largest difference {worst:.3g}"))
    return 0 if good else VoiceError.exit_code


def _show(case: CaseResult, opaque: bool, json: bool) -> None:
    if json:
        line = {"case": case.case, "max_abs_diff": case.max_abs_diff, "durations_equal": case.durations_equal}
        json_line(line | {"frames": case.frames, "opaque": opaque})
        return
    shown = f"case {case.case}: max_abs_diff {case.max_abs_diff}, durations_equal {case.durations_equal}, {case.frames} frames"
    result(shown + (say("、一体型", ", opaque") if opaque else ""))
