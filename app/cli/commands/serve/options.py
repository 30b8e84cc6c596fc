"""The options of `koebako serve`."""

from typing import Any

from app.cli.voice_options import add_licence_option, add_served_voices_options
from app.common.command_parser import add_command_parser


def add_serve(commands: Any) -> None:
    parser = add_command_parser(
        commands,
        "serve",
        "VOICEVOX 互換のサービスを起動する（このコンピューターからのみ）",
        "serve VOICEVOX's HTTP interface, to this computer only",
    )
    parser.add_option(
        "--host",
        "待ち受けるアドレス（既定: 127.0.0.1。ほかのアドレスにはトークンが必要）",
        "address to listen on (default: 127.0.0.1; any other needs a token)",
        default="127.0.0.1",
        metavar="ADDRESS",
    )
    parser.add_option(
        "--port",
        "ポート番号（既定: 25850。0 で空きポート。50021 で VOICEVOX の代わりになる）",
        "port (default: 25850; 0 takes a free one, 50021 replaces VOICEVOX)",
        type=int,
        metavar="N",
    )
    add_served_voices_options(parser)
    parser.add_option(
        "--token-file",
        "トークンを書いたファイル（環境変数 KOEBAKO_TOKEN でも指定可）",
        "file with the token that clients must send (or KOEBAKO_TOKEN)",
        metavar="FILE",
    )
    parser.add_option(
        "--allow-host",
        "応答するホスト名（繰り返し可）",
        "host name to answer to; may be repeated",
        action="append",
        default=[],
        metavar="NAME",
    )
    parser.add_option(
        "--allow-origin",
        "利用を許可する Web ページのオリジン（繰り返し可）",
        "origin of web pages that may use it; may be repeated",
        action="append",
        default=[],
        metavar="ORIGIN",
    )
    parser.add_switch("--allow-changes", "プリセットとユーザー辞書の変更を許可する", "let clients change presets and the user dictionary")
    parser.add_switch(
        "--chat-reader",
        "コメントビューアーのコメントを読み上げる（127.0.0.1 のみ。規則とポート番号は設定から）",
        "read comments of comment viewers aloud (127.0.0.1 only; rules and ports as in the settings)",
    )
    parser.add_option(
        "--chat-port",
        "--chat-reader と同じ。待ち受ける TCP ポートを指定する（0 で空きポート）",
        "as --chat-reader, on this TCP port (0 takes a free one)",
        type=int,
        metavar="N",
    )
    add_licence_option(parser)
