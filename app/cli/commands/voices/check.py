"""`koebako voices check`: whether a voice computes what is expected, through the graphs that it would speak with."""

from __future__ import annotations

import argparse
import math
from contextlib import closing
from pathlib import Path
from typing import Any

from app.cli.commands.voices.lines import fast_values
from app.cli.output import json_line, note, result
from app.errors import InputError, VoiceError
from app.install.confined import check_voice
from app.language import localized
from app.voices.check import CaseResult, SkippedCase
from app.voices.manifest import MANIFEST_NAME, read_manifest


def check(options: argparse.Namespace) -> int:
    """Prepares the source in a temporary folder and compares every case; installs nothing."""
    if not math.isfinite(options.tolerance) or options.tolerance < 0:
        raise InputError(
            localized("許容差には 0 以上の数を指定してください。", "The tolerance must be 0 or greater."),
            localized("例: --tolerance 0.001", "For example: --tolerance 0.001"),
        )
    count, skipped, worst, good = 0, 0, 0.0, True
    with closing(check_voice(Path(options.source), Path(options.expected))) as results:
        for case, opaque in results:
            count += 1
            if isinstance(case, SkippedCase):
                skipped += 1
                _show_skipped(case, options.json)
                continue
            difference = math.inf if case.max_abs_diff is None else case.max_abs_diff
            worst = max(worst, difference)
            good = good and case.durations_equal and difference <= options.tolerance
            _show(case, opaque, options.json)
    if options.json:
        json_line({"summary": True, "cases": count, "worst": worst} | _fast(Path(options.source)))
    else:
        note(
            localized(
                f"{count - skipped} 件を比較、{skipped} 件を省略。最大の差 {worst:.3g}",
                f"{count - skipped} cases compared, {skipped} skipped; largest difference {worst:.3g}",
            )
        )
    return 0 if good else VoiceError.exit_code


def _fast(source: Path) -> dict[str, Any]:
    """What is known of the faster way to speak, of a source that was prepared before."""
    return fast_values(read_manifest(source)) if (source / MANIFEST_NAME).is_file() else {}


def _show(case: CaseResult, opaque: bool, json: bool) -> None:
    if json:
        line = {"case": case.case, "max_abs_diff": case.max_abs_diff, "durations_equal": case.durations_equal}
        json_line(line | {"frames": case.frames, "opaque": opaque})
        return
    shown = f"case {case.case}: max_abs_diff {case.max_abs_diff}, durations_equal {case.durations_equal}, {case.frames} frames"
    result(shown + (localized("、一体型", ", single graph") if opaque else ""))


def _show_skipped(case: SkippedCase, json: bool) -> None:
    if json:
        json_line({"case": case.case, "skipped": case.name})
    else:
        result(
            localized(
                f"case {case.case}: 省略（この声は入力 {case.name} を受け取りません）",
                f"case {case.case}: skipped, this voice does not take {case.name}",
            )
        )
