"""The options of `koebako lab`: those of every part here, those of one part next to its code."""

from typing import Any

from app.cli.commands.lab.lab_parts import LAB_PARTS
from app.cli.voice_options import add_licence_option
from app.common.command_parser import CommandParser, add_command_parser
from app.common.language import localize


def add_lab(commands: Any) -> None:
    parser = commands.add_parser(
        "lab",
        help=localize("声と BERT の検査、比較、測定", "inspect, verify and time voices and BERTs"),
        description=localize("声と BERT の検査、比較、測定", "Inspect, verify and time voices and BERTs."),
    )
    actions = parser.add_subparsers(
        dest="action", required=True, parser_class=CommandParser, metavar="PART", title=localize("機能", "parts")
    )
    for name, part in LAB_PARTS.items():
        part_parser = add_command_parser(actions, name, *part.summary)
        part_parser.add_argument(
            "source",
            nargs="?",
            metavar="SOURCE",
            help=localize(
                "声または BERT の ID、名前、ファイル（既定: 先頭の声）", "ID, name or file of a voice or BERT (default: the first voice)"
            ),
        )
        _add_format_options(part_parser)
        add_licence_option(part_parser)
        part.add_options(part_parser)
    add_command_parser(actions, "parts", "機能とオプションを一覧表示する", "list the parts and their options")


def _add_format_options(parser: CommandParser) -> None:
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--csv", action="store_true", help=localize("結果を CSV で出力する", "print the results as CSV"))
    formats.add_argument("--markdown", action="store_true", help=localize("結果を Markdown で出力する", "print the results as Markdown"))
    parser.add_argument(
        "--progress", action="store_true", help=localize("--json に進捗の行も含める", "with --json, also print lines of progress")
    )
    parser.add_argument(
        "--html", metavar="FILE", help=localize("レポートの保存先（.html）", "write a report with tables and picture (.html)")
    )
    parser.add_argument("--plot", metavar="FILE", help=localize("図の保存先（.svg）", "write a picture of the results (.svg)"))
