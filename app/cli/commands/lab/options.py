"""The options of `koebako lab`: those of every part here, those of one part beside what it does."""

from __future__ import annotations

from typing import Any

from app.cli.commands.lab import check, compare, expect, inspect, optimise, parts, place, profile, verify
from app.cli.voice_options import add_licence_option
from app.command_parser import Parser, add_command
from app.language import localized

PARTS = {
    "inspect": inspect,
    "expect": expect,
    "profile": profile,
    "place": place,
    "verify": verify,
    "compare": compare,
    "optimise": optimise,
    "check": check,
}


def add_lab(commands: Any) -> None:
    """Adds the command and its parts."""
    parser = commands.add_parser(
        "lab",
        help=localized("声と BERT の検査、比較、測定", "inspect, verify and time voices and BERTs"),
        description=localized("声と BERT の検査、比較、測定", "Inspect, verify and time voices and BERTs."),
    )
    actions = parser.add_subparsers(dest="action", required=True, parser_class=Parser, metavar="PART", title=localized("機能", "parts"))
    for name, part in PARTS.items():
        one = add_command(actions, name, *part.summary())
        one.add_argument(
            "source",
            nargs="?",
            metavar="SOURCE",
            help=localized(
                "声または BERT の ID、名前、ファイル（既定: 先頭の声）", "ID, name or file of a voice or BERT (default: the first voice)"
            ),
        )
        _add_formats(one)
        add_licence_option(one)
        part.add_options(one)
    add_command(actions, "parts", *parts.summary())


def _add_formats(parser: Parser) -> None:
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--csv", action="store_true", help=localized("結果を CSV で出力する", "print the results as CSV"))
    formats.add_argument("--markdown", action="store_true", help=localized("結果を Markdown で出力する", "print the results as Markdown"))
    parser.add_argument(
        "--progress", action="store_true", help=localized("--json に進捗の行も含める", "with --json, also print lines of progress")
    )
    parser.add_argument(
        "--html", metavar="FILE", help=localized("レポートの保存先（.html）", "write a report with tables and picture (.html)")
    )
    parser.add_argument("--plot", metavar="FILE", help=localized("図の保存先（.svg）", "write a picture of the results (.svg)"))
