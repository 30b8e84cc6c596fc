"""The options of `koebako doctor`."""

from typing import Any

from app.common.command_parser import add_command_parser


def add_doctor(commands: Any) -> None:
    parser = add_command_parser(commands, "doctor", "動作に必要なものが揃っているか確認する", "check that everything required is available")
    parser.add_option("--only", "この項目だけを確認する", "run only this check", metavar="ID")
