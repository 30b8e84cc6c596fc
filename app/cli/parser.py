"""The options of every command, with help in the language of the user."""

from __future__ import annotations

import importlib
from collections.abc import Sequence

from app.command_parser import Parser
from app.language import localized
from app.version import VERSION

COMMANDS = ("speak", "export", "serve", "g2p", "dict", "project", "voices", "bert", "backends", "doctor", "selftest", "bench", "lab")


def build_parser(given: Sequence[str] = ()) -> Parser:
    """The whole command line; where `given` begins with a command, that one alone, which is read in half the time."""
    parser = Parser(prog="koebako", description=localized("日本語のテキストを読み上げます。", "Speaks Japanese text."))
    parser.add_argument(
        "--version",
        action="version",
        version=f"koebako {VERSION}",
        help=localized("バージョンを表示して終了する", "show the version and exit"),
    )
    commands = parser.add_subparsers(
        dest="command", required=True, parser_class=Parser, metavar="COMMAND", title=localized("コマンド", "commands")
    )
    for name in given[:1] if given and given[0] in COMMANDS else COMMANDS:
        getattr(importlib.import_module(f"app.cli.commands.{name}.options"), f"add_{name}")(commands)
    return parser
