"""The options of `koebako g2p`."""

from __future__ import annotations

from typing import Any

from app.command_parser import add_command
from app.language import localized


def add_g2p(commands: Any) -> None:
    """There is one; texts come from standard input."""
    parser = add_command(
        commands,
        "g2p",
        "標準入力の各行を読みと音素に変換する（常に JSON）",
        "convert each line on stdin to its reading and phones (always JSON)",
    )
    emoji = localized("Nanairo の声と同じように、絵文字も音素に変換する", "also turn emoji into phones, as Nanairo voices do")
    parser.add_argument("--emoji", action="store_true", help=emoji)
