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
        help=localized("声(省略すると voices list の最初の声)", "the voice (default: the first of `voices list`)"),
    )
    parser.add_argument(
        "--backend",
        default="auto",
        metavar="NAME[:ADAPTER]|GROUP=NAME,…",
        help=localized(
            "auto、cpu、directml:1、cuda など。bert=cpu,decoder=directml のように bert・prosody・decoder で分けられる",
            "auto, cpu, directml:1, cuda …, or apart as in bert=cpu,decoder=directml (groups: bert, prosody, decoder)",
        ),
    )
    parser.add_argument(
        "--decoder",
        choices=DECODER_PRECISIONS,
        help=localized(
            "音声にする計算の精度。int8 は速い(小さな差しか出ないと確かめた声だけ。voices info に表示)",
            "precision of the decoder; int8 is fast, for voices that it was found to change little (see voices info)",
        ),
    )
    parser.add_argument(
        "--force-bert",
        action="store_true",
        help=localized(
            "声が求める BERT が無いとき別の BERT で代用する(抑揚がおかしくなる)",
            "use another BERT when the voice's own is missing (wrong prosody)",
        ),
    )
    add_licence_option(parser)


def add_licence_option(parser: Parser) -> None:
    """`--accept-licence`, for commands that use a voice."""
    parser.add_argument(
        "--accept-licence",
        action="store_true",
        help=localized("声のライセンスを読み、同意した", "the licence of the voice was read and is accepted"),
    )
