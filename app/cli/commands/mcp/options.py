"""The options of `koebako mcp`."""

from typing import Any

from app.cli.voice_options import add_licence_option, add_served_voices_options
from app.common.command_parser import add_command_parser
from app.common.files.paths import find_agent_folder


def add_mcp(commands: Any) -> None:
    parser = add_command_parser(
        commands,
        "mcp",
        "AI エージェントから声を使えるようにする（Model Context Protocol、標準入出力）",
        "let agents speak (Model Context Protocol over stdin and stdout)",
    )
    parser.add_option(
        "--folder",
        "音声ファイルを書き出すフォルダー（既定: ミュージックの Koebako）",
        "folder for sound files (default: Koebako in Music)",
        metavar="FOLDER",
        default=str(find_agent_folder()),
    )
    add_served_voices_options(parser)
    parser.add_option("--device", "再生デバイスの名前または番号", "output device, by name or number")
    add_licence_option(parser)
