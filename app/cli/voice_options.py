"""Options of every command that opens a voice."""

from __future__ import annotations

from app.command_parser import Parser
from app.language import localized
from app.settings import DECODER_PRECISIONS


def add_voice_options(parser: Parser) -> None:
    """Which voice, on what, in which precision."""
    parser.add_argument(
        "--voice",
        metavar="ID|NAME|PATH",
        help=localized("声（既定: voices list の先頭）", "voice (default: the first in `voices list`)"),
    )
    parser.add_argument(
        "--backend",
        default="auto",
        metavar="NAME[:ADAPTER]|GROUP=NAME,…",
        help=localized(
            "auto、cpu、directml:1、cuda など。bert、prosody、decoder ごとにも指定できる（例: bert=cpu,decoder=directml）",
            "auto, cpu, directml:1, cuda …; or one for each of bert, prosody and decoder, as in bert=cpu,decoder=directml",
        ),
    )
    parser.add_argument(
        "--decoder",
        choices=DECODER_PRECISIONS,
        help=localized(
            "音声生成（デコーダー）の精度。int8 は高速（差が小さいと確認できた声だけ。voices info に表示）",
            "decoder precision; int8 is faster, for voices where the difference is small (see `voices info`)",
        ),
    )
    parser.add_argument(
        "--force-bert",
        action="store_true",
        help=localized(
            "対応する BERT がないとき、別の BERT で代用する（抑揚が不自然になります）",
            "use another BERT if the voice's own is missing (intonation will be off)",
        ),
    )
    add_licence_option(parser)


def add_licence_option(parser: Parser) -> None:
    """`--accept-licence`, for commands that use a voice."""
    parser.add_argument(
        "--accept-licence",
        action="store_true",
        help=localized("声の利用規約を読み、同意する", "accept the voice's licence, which you have read"),
    )
