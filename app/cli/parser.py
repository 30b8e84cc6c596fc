"""The options of every command, with help in the language of the user."""

from __future__ import annotations

from app.cli.commands.backends.options import add_backends
from app.cli.commands.bench.options import add_bench
from app.cli.commands.bert.options import add_bert
from app.cli.commands.dict.options import add_dict
from app.cli.commands.doctor.options import add_doctor
from app.cli.commands.g2p.options import add_g2p
from app.cli.commands.selftest.options import add_selftest
from app.cli.commands.speak.options import add_speak
from app.cli.commands.voices.options import add_voices
from app.command_parser import Parser
from app.language import localized
from app.version import VERSION


def build_parser() -> Parser:
    """The whole command line."""
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
    add_speak(commands)
    add_g2p(commands)
    add_dict(commands)
    add_voices(commands)
    add_bert(commands)
    add_backends(commands)
    add_doctor(commands)
    add_selftest(commands)
    add_bench(commands)
    return parser
