"""The options of `koebako selftest`."""

from __future__ import annotations

from typing import Any

from app.command_parser import add_command
from app.language import localized


def add_selftest(commands: Any) -> None:
    """Where the report goes."""
    parser = add_command(
        commands, "selftest", "使えるバックエンドをすべて試して比べる", "try every backend of this machine and compare them"
    )
    parser.add_argument("--report", metavar="FILE", help=localized("報告のファイル(JSON)", "a file for the report (JSON)"))
