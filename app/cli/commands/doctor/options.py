"""The options of `koebako doctor`."""

from __future__ import annotations

from typing import Any

from app.command_parser import add_command
from app.language import localized


def add_doctor(commands: Any) -> None:
    """Which checks."""
    parser = add_command(commands, "doctor", "動作に必要なものが揃っているか調べる", "check that everything the program needs is there")
    parser.add_argument("--only", metavar="ID", help=localized("この項目だけを調べる", "only this check"))
