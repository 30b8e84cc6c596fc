"""The options of `koebako g2p`."""

from typing import Any

from app.common.command_parser import add_command_parser
from app.common.language import localize
from app.core.delivery import KATAKANA, LATIN_READINGS
from app.core.text.link_reading import LINK_READINGS


def add_g2p(commands: Any) -> None:
    """Add the command; without a text, lines come from standard input."""
    parser = add_command_parser(
        commands,
        "g2p",
        "テキストまたは標準入力の各行を読みと音素に変換する（常に JSON）",
        "convert each line of a text, or on stdin, to its reading and phones (always JSON)",
    )
    parser.add_option("text", "変換するテキスト（既定: 標準入力）", "text to convert (default: standard input)", nargs="?", metavar="TEXT")
    emoji = localize("Nanairo の声と同じように、絵文字も音素に変換する", "also turn emoji into phones, as Nanairo voices do")
    parser.add_argument("--emoji", action="store_true", help=emoji)
    explain = localize("語ごとに、読みの根拠（規則、辞書、解析器など）も出力する", "also show where each reading comes from")
    parser.add_argument("--explain", action="store_true", help=explain)
    without = localize("付属の辞書を使わない", "do not use the built-in dictionary")
    parser.add_argument("--no-built-in-words", action="store_true", help=without)
    memos = localize("［］や [ ] で囲んだ部分をメモとして扱い、読まない", "treat what is in square brackets as a memo, which is not read")
    parser.add_argument("--memos", action="store_true", help=memos)
    latin = localize("英字の単語の読み方", "how words in Latin letters are read")
    parser.add_argument("--latin", choices=LATIN_READINGS, default=KATAKANA, help=latin)
    links = localize(
        "URL の読み方：host（ホスト名だけ）、all（すべて）、skip（読み上げない）。省略時は設定の値を使う",
        "how web addresses are read: host (its name only), all or skip; by default as the settings say",
    )
    parser.add_argument("--links", choices=LINK_READINGS, help=links)
