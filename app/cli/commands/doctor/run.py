"""`koebako doctor`: checks what the program needs, and prints what was found and how to mend it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict

from app import paths
from app.cli.commands.doctor.checks import CHECKS, Check, label
from app.cli.commands.doctor.machine import audio_devices, providers, versions
from app.cli.output import json_line, result
from app.errors import AppError, InputError
from app.language import localized

MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def run(options: argparse.Namespace) -> int:
    """Prints every check; exit code 70 when one fails."""
    checks = [_guard(name, check) for name, check in _wanted(options.only).items()]
    ok = all(check.status != "fail" for check in checks)
    if options.json:
        json_line(
            {
                "ok": ok,
                "checks": [{name: value for name, value in asdict(check).items() if name != "shown"} for check in checks],
                "versions": versions(),
                "providers": providers() if options.only in (None, "onnxruntime") else [],
                "audio_devices": audio_devices(),
                "paths": {"data": str(paths.data_dir()), "resources": str(paths.resources_dir())},
            }
        )
    else:
        for check in checks:
            result(f"{MARKS[check.status]} {label(check.id)}: {check.shown or check.found}")
            if check.fix:
                result(f"    → {check.fix}")
    return 0 if ok else AppError.exit_code


def _wanted(only: str | None) -> dict[str, Callable[[], Check]]:
    if only is None:
        return CHECKS
    if only not in CHECKS:
        raise InputError(
            localized(f"この項目はありません: {only}", f"Unknown check: {only}"),
            localized("使用できるもの: ", "Available: ") + ", ".join(CHECKS),
        )
    return {only: CHECKS[only]}


def _guard(name: str, check: Callable[[], Check]) -> Check:
    """A check that breaks is itself a finding."""
    try:
        return check()
    except AppError as error:
        return Check(name, "fail", error.message, error.hint)
    except Exception as error:
        return Check(
            name, "fail", f"{type(error).__name__}: {error}", localized("Koebako を再インストールしてください。", "Reinstall Koebako.")
        )
