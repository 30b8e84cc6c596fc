"""`koebako doctor`: checks what the program needs, and prints what was found and how to mend it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import asdict

from app.cli.commands.doctor.doctor_checks import DOCTOR_CHECKS, DoctorFinding, format_check_name
from app.cli.commands.doctor.installed_parts import collect_versions, list_audio_devices, list_providers
from app.cli.console_output import print_json, print_result
from app.common.errors import AppError, InputError
from app.common.files import paths
from app.common.language import localize

STATUS_MARKS = {"ok": "✓", "warn": "!", "fail": "✗"}


def run(options: argparse.Namespace) -> int:
    """Prints every check; exit code 70 when one fails."""
    checks = [_run_check(name, check) for name, check in _select_checks(options.only).items()]
    ok = all(check.status != "fail" for check in checks)
    if options.json:
        print_json(
            {
                "ok": ok,
                "checks": [{name: value for name, value in asdict(check).items() if name != "shown"} for check in checks],
                "versions": collect_versions(),
                "providers": list_providers() if options.only in (None, "onnxruntime") else [],
                "audio_devices": list_audio_devices(),
                "paths": {"data": str(paths.find_data_dir()), "resources": str(paths.find_resources_dir())},
            }
        )
    else:
        for check in checks:
            print_result(f"{STATUS_MARKS[check.status]} {format_check_name(check.id)}: {check.shown or check.found}")
            if check.fix:
                print_result(f"    → {check.fix}")
    return 0 if ok else AppError.exit_code


def _select_checks(only: str | None) -> dict[str, Callable[[], DoctorFinding]]:
    if only is None:
        return DOCTOR_CHECKS
    if only not in DOCTOR_CHECKS:
        raise InputError(
            localize(f"この項目はありません: {only}", f"Unknown check: {only}"),
            localize("使用できるもの: ", "Available: ") + ", ".join(DOCTOR_CHECKS),
        )
    return {only: DOCTOR_CHECKS[only]}


def _run_check(name: str, check: Callable[[], DoctorFinding]) -> DoctorFinding:
    """A check that breaks is itself a finding."""
    try:
        return check()
    except AppError as error:
        return DoctorFinding(name, "fail", error.message, error.hint)
    except Exception as error:
        return DoctorFinding(
            name, "fail", f"{type(error).__name__}: {error}", localize("Koebako を再インストールしてください。", "Reinstall Koebako.")
        )
