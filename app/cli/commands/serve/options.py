"""The options of `koebako serve`."""

from __future__ import annotations

from typing import Any

from app.cli.voice_options import add_licence_option
from app.common.command_parser import add_command_parser
from app.common.language import localize


def add_serve(commands: Any) -> None:
    """Add the `serve` command and the options for its address, its permitted clients and its voice."""
    parser = add_command_parser(
        commands,
        "serve",
        "VOICEVOX 互換のサービスを起動する（このコンピューターからのみ）",
        "serve VOICEVOX's HTTP interface, to this computer only",
    )
    parser.add_argument(
        "--host",
        default="127.0.0.1",
        metavar="ADDRESS",
        help=localize(
            "待ち受けるアドレス（既定: 127.0.0.1。ほかのアドレスにはトークンが必要）",
            "address to listen on (default: 127.0.0.1; any other needs a token)",
        ),
    )
    parser.add_argument(
        "--port",
        type=int,
        metavar="N",
        help=localize(
            "ポート番号（既定: 25850。0 で空きポート。50021 で VOICEVOX の代わりになる）",
            "port (default: 25850; 0 takes a free one, 50021 replaces VOICEVOX)",
        ),
    )
    parser.add_argument(
        "--voice",
        action="append",
        metavar="ID|NAME",
        help=localize("提供する声（繰り返し可。既定: すべて）", "a voice to offer; may be repeated (default: all)"),
    )
    parser.add_argument("--backend", default="auto", metavar="NAME", help=localize("speak の --backend と同じ", "as --backend of `speak`"))
    parser.add_argument(
        "--force-bert",
        action="store_true",
        help=localize("対応する BERT がないとき、別の BERT で代用する", "use another BERT if a voice's own is missing"),
    )
    parser.add_argument(
        "--token-file",
        metavar="FILE",
        help=localize(
            "トークンを書いたファイル（環境変数 KOEBAKO_TOKEN でも指定可）", "file with the token that clients must send (or KOEBAKO_TOKEN)"
        ),
    )
    parser.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help=localize("応答するホスト名（繰り返し可）", "host name to answer to; may be repeated"),
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help=localize("利用を許可する Web ページのオリジン（繰り返し可）", "origin of web pages that may use it; may be repeated"),
    )
    parser.add_argument(
        "--allow-changes",
        action="store_true",
        help=localize("プリセットとユーザー辞書の変更を許可する", "let clients change presets and the user dictionary"),
    )
    add_licence_option(parser)
