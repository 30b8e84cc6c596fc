"""The options of `koebako doctor`."""

from __future__ import annotations

from typing import Any

from app.command_parser import add_command
from app.language import localized


def add_doctor(commands: Any) -> None:
    """Which checks."""
    parser = add_command(commands, "doctor", "動作に必要なものが揃っているか確認する", "check that everything required is available")
    parser.add_argument("--only", metavar="ID", help=localized("この項目だけを確認する", "run only this check"))
