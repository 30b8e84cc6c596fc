"""The options of every command, with help in the language of the user."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from app.common.command_parser import CommandParser
from app.common.language import localize
from app.common.version import VERSION

COMMANDS = ("speak", "export", "serve", "g2p", "dict", "project", "voices", "bert", "backends", "doctor", "selftest", "bench", "lab")


def build_parser(arguments: Sequence[str] = ()) -> CommandParser:
    """The whole command line; where `arguments` begins with a command, that one alone, which is read in half the time."""
    parser = CommandParser(prog="koebako", description=localize("日本語のテキストを読み上げます。", "Speaks Japanese text."))
    parser.add_argument(
        "--version",
        action="version",
        version=f"koebako {VERSION}",
        help=localize("バージョンを表示して終了する", "show the version and exit"),
    )
    commands = parser.add_subparsers(
        dest="command", required=True, parser_class=CommandParser, metavar="COMMAND", title=localize("コマンド", "commands")
    )
    for name in arguments[:1] if arguments and arguments[0] in COMMANDS else COMMANDS:
        getattr(importlib.import_module(f"app.cli.commands.{name}.options"), f"add_{name}")(commands)
    return parser
