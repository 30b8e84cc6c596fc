"""The options of `koebako selftest`."""

from typing import Any

from app.common.command_parser import add_command_parser


def add_selftest(commands: Any) -> None:
    parser = add_command_parser(
        commands, "selftest", "使用できるバックエンドをすべて測定して比較する", "try and compare all backends of this machine"
    )
    parser.add_option("--report", "結果の保存先（JSON）", "write a report (JSON)", metavar="FILE")
