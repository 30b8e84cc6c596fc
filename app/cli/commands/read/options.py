"""The options of `koebako read`."""

from typing import Any

from app.common.command_parser import add_command_parser
from app.common.language import localize


def add_read(commands: Any) -> None:
    parser = add_command_parser(
        commands,
        "read",
        "開いている Koebako で、クリップボードなどを読み上げる",
        "have the open Koebako read the clipboard or a text aloud, or control what it reads",
    )
    sources = parser.add_mutually_exclusive_group()
    sources.add_argument(
        "text", nargs="?", metavar="TEXT", help=localize("読み上げるテキスト（省略時は標準入力）", "text to read (default: stdin)")
    )
    sources.add_argument("--clipboard", action="store_true", help=localize("クリップボードを読み上げる", "read the clipboard"))
    sources.add_argument(
        "--selection", action="store_true", help=localize("選択中のテキストを読み上げる（X11）", "read the selected text (X11)")
    )
    sources.add_argument("--stop", action="store_true", help=localize("読み上げを停止する", "stop the reading"))
    sources.add_argument(
        "--pause",
        action="store_true",
        help=localize("読み上げを一時停止または再開する", "pause the reading, or resume it where it is paused"),
    )
    sources.add_argument("--skip", action="store_true", help=localize("次の部分に進む", "skip to the next passage"))
