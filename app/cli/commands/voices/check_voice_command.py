"""`koebako voices check`: whether a voice computes what is expected, through the graphs that it would speak with."""

from __future__ import annotations

import argparse
import math
from contextlib import closing
from pathlib import Path
from typing import Any

from app.cli.commands.voices.voice_records import build_fast_record
from app.cli.console_output import print_json, print_note, print_result
from app.common.errors import InputError, VoiceError
from app.common.language import localize
from app.install.sandboxed_import import check_voice
from app.voices.expected_outputs import CaseResult, SkippedCase
from app.voices.voice_manifest import MANIFEST_NAME, read_manifest


def run_check(options: argparse.Namespace) -> int:
    """Prepares the source in a temporary folder and compares every case; installs nothing."""
    if not math.isfinite(options.tolerance) or options.tolerance < 0:
        raise InputError(
            localize("許容差には 0 以上の数を指定してください。", "The tolerance must be 0 or greater."),
            localize("例: --tolerance 0.001", "For example: --tolerance 0.001"),
        )
    count, skipped, worst, good = 0, 0, 0.0, True
    with closing(check_voice(Path(options.source), Path(options.expected))) as results:
        for case, opaque in results:
            count += 1
            if isinstance(case, SkippedCase):
                skipped += 1
                _print_skipped_case(case, options.json)
                continue
            difference = math.inf if case.max_abs_diff is None else case.max_abs_diff
            worst = max(worst, difference)
            good = good and case.durations_equal and difference <= options.tolerance
            _print_case(case, opaque, options.json)
    if options.json:
        print_json({"summary": True, "cases": count, "worst": worst} | _build_fast_record(Path(options.source)))
    else:
        print_note(
            localize(
                f"{count - skipped} 件を比較、{skipped} 件を省略。最大の差 {worst:.3g}",
                f"{count - skipped} cases compared, {skipped} skipped; largest difference {worst:.3g}",
            )
        )
    return 0 if good else VoiceError.exit_code


def _build_fast_record(source: Path) -> dict[str, Any]:
    """Build the known facts of the faster way to speak, for a source that was prepared before."""
    return build_fast_record(read_manifest(source)) if (source / MANIFEST_NAME).is_file() else {}


def _print_case(case: CaseResult, is_single_graph: bool, as_json: bool) -> None:
    if as_json:
        line = {"case": case.case, "max_abs_diff": case.max_abs_diff, "durations_equal": case.durations_equal}
        print_json(line | {"frames": case.frames, "opaque": is_single_graph})
        return
    shown = f"case {case.case}: max_abs_diff {case.max_abs_diff}, durations_equal {case.durations_equal}, {case.frames} frames"
    print_result(shown + (localize("、一体型", ", single graph") if is_single_graph else ""))


def _print_skipped_case(case: SkippedCase, as_json: bool) -> None:
    if as_json:
        print_json({"case": case.case, "skipped": case.name})
    else:
        print_result(
            localize(
                f"case {case.case}: 省略（この声は入力 {case.name} を受け取りません）",
                f"case {case.case}: skipped, this voice does not take {case.name}",
            )
        )
