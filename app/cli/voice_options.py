"""Options of every command that opens a voice."""

from app.common.command_parser import CommandParser
from app.common.language import localize
from app.settings.user_settings import GRAPH_PRECISIONS


def add_voice_options(parser: CommandParser) -> None:
    parser.add_argument(
        "--voice",
        metavar="ID|NAME|PATH",
        help=localize(
            "声（既定: voices list のうち、必要な BERT がある先頭の声）",
            "voice (default: the first in `voices list` whose BERT is installed)",
        ),
    )
    parser.add_argument(
        "--backend",
        default="auto",
        metavar="NAME[:ADAPTER]|GROUP=NAME,…",
        help=localize(
            "auto、cpu、directml:1、cuda など。bert、prosody、decoder ごとにも指定できる（例: bert=cpu,decoder=directml）",
            "auto, cpu, directml:1, cuda …; or one for each of bert, prosody and decoder, as in bert=cpu,decoder=directml",
        ),
    )
    parser.add_argument(
        "--precision",
        choices=GRAPH_PRECISIONS,
        help=localize(
            "音声合成の精度（既定: 声ごとの設定）。fast は計算の一部を簡略にして高速（差が小さいと確認できた声だけ。voices info に表示）",
            "synthesis precision (default: that chosen for the voice); fast simplifies part of the computation, for voices where the difference is small (see `voices info`)",
        ),
    )
    parser.add_argument(
        "--force-bert",
        action="store_true",
        help=localize(
            "対応する BERT がないとき、別の BERT で代用する（抑揚が不自然になります）",
            "use another BERT if the voice's own is missing (intonation will be off)",
        ),
    )
    add_licence_option(parser)


def add_served_voices_options(parser: CommandParser) -> None:
    """Add the options of commands that offer voices to other programs: which ones, on which device, with which BERT."""
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


def add_licence_option(parser: CommandParser) -> None:
    """Add `--accept-licence`, for commands that use a voice."""
    parser.add_argument(
        "--accept-licence",
        action="store_true",
        help=localize("声の利用規約を読み、同意する", "accept the voice's licence, which you have read"),
    )
