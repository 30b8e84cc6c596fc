"""The options of `koebako selftest`."""

from __future__ import annotations

from typing import Any

from app.command_parser import add_command
from app.language import localized


def add_selftest(commands: Any) -> None:
    """Where the report goes."""
    parser = add_command(
        commands, "selftest", "使用できるバックエンドをすべて測定して比較する", "try and compare all backends of this machine"
    )
    parser.add_argument("--report", metavar="FILE", help=localized("結果の保存先（JSON）", "write a report (JSON)"))
