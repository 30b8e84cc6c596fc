"""`koebako voices`: what is at hand, what a voice is, and whether it computes what it should."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from app import paths
from app.cli.output import json_line, note, result
from app.errors import InputError, VoiceError
from app.language import say
from app.parity import runner_of
from app.voices.check import check_cases, read_cases
from app.voices.library import find_voice, installed_voices
from app.voices.sources import read_source
from app.voices.voice import Voice


def run(options: argparse.Namespace) -> int:
    """One of the actions list, info, check."""
    if options.action == "list":
        return _list(options)
    return _info(options) if options.action == "info" else _check(options)


def describe(voice: Voice) -> dict[str, Any]:
    """A voice as `voices list --json` shows it."""
    info = voice.manifest
    return {
        "id": info.id,
        "name": info.name,
        "source": str(voice.path),
        "format": info.format,
        "opaque": info.opaque,
        "speakers": [{"id": item.id, "name": item.name} for item in info.speakers],
        "styles": [{"id": item.id, "name": item.name} for item in info.styles],
        "sampling_rate": info.sampling_rate,
        "bert": info.bert,
        "path": str(voice.path),
    }


def _list(options: argparse.Namespace) -> int:
    for voice in installed_voices(paths.voice_dirs()):
        if options.json:
            json_line(describe(voice))
        else:
            result(f"{voice.manifest.id}  {voice.manifest.name}  [{', '.join(item.name for item in voice.manifest.styles)}]")
    return 0


def _info(options: argparse.Namespace) -> int:
    voice = find_voice(options.voice, paths.voice_dirs())
    details = describe(voice) | {"description": voice.manifest.description, "licence": voice.manifest.licence}
    if options.json:
        json_line(details)
        return 0
    for key, value in details.items():
        shown = ", ".join(f"{item['id']} {item['name']}" for item in value) if isinstance(value, list) else value
        result(f"{key}: {shown}")
    return 0


def _check(options: argparse.Namespace) -> int:
    if not math.isfinite(options.tolerance) or options.tolerance < 0:
        raise InputError(
            say("許す差は 0 以上の数にしてください。", "The tolerance must be a number from 0 up."),
            say("例: --tolerance 0.001", "For example --tolerance 0.001"),
        )
    cases = read_cases(Path(options.expected))
    voice = read_source(Path(options.source))
    worst, good = 0.0, True
    for case in check_cases(cases, runner_of(voice), voice.manifest.hop_length):
        difference = math.inf if case.max_abs_diff is None else case.max_abs_diff
        worst = max(worst, difference)
        good = good and case.durations_equal and difference <= options.tolerance
        line = {"case": case.case, "max_abs_diff": case.max_abs_diff, "durations_equal": case.durations_equal}
        line |= {"frames": case.frames, "opaque": voice.manifest.opaque}
        if options.json:
            json_line(line)
        else:
            result(f"case {case.case}: max_abs_diff {case.max_abs_diff}, durations_equal {case.durations_equal}, {case.frames} frames")
    if options.json:
        json_line({"summary": True, "cases": len(cases), "worst": worst})
    else:
        note(say(f"{len(cases)} 件、最大の差 {worst:.3g}", f"{len(cases)} cases, largest difference {worst:.3g}"))
    return 0 if good else VoiceError.exit_code
