"""The options of `koebako serve`."""

from __future__ import annotations

from typing import Any

from app.cli.voice_options import add_licence_option, add_served_voices_options
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
    add_served_voices_options(parser)
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
    parser.add_argument(
        "--chat-reader",
        action="store_true",
        help=localize(
            "コメントビューアーのコメントを読み上げる（127.0.0.1 のみ。規則とポート番号は設定から）",
            "read comments of comment viewers aloud (127.0.0.1 only; rules and ports as in the settings)",
        ),
    )
    parser.add_argument(
        "--chat-port",
        type=int,
        metavar="N",
        help=localize(
            "--chat-reader と同じ。待ち受ける TCP ポートを指定する（0 で空きポート）",
            "as --chat-reader, on this TCP port (0 takes a free one)",
        ),
    )
    add_licence_option(parser)
