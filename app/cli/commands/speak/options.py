"""The options of `koebako speak`."""

from __future__ import annotations

from typing import Any

from app.cli.voice_options import add_voice_options
from app.common.command_parser import add_command_parser
from app.common.language import localize
from app.core.delivery import name_option
from app.core.request_limits import BOUNDS


def add_speak(commands: Any) -> None:
    """Add the `speak` command and the options for its text, its voice, the delivery and the output."""
    parser = add_command_parser(
        commands, "speak", "テキストを読み上げる、または音声ファイルに書き出す", "speak text, or write it to an audio file"
    )
    parser.add_argument(
        "text", nargs="?", metavar="TEXT", help=localize("読み上げるテキスト（省略時は標準入力）", "text to speak (default: stdin)")
    )
    parser.add_argument("-f", "--file", metavar="FILE", help=localize("読み上げるテキストファイル", "text file to speak"))
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=localize("書き出す音声ファイル（- で標準出力に WAV）", "audio file to write; - writes a WAV to stdout"),
    )
    parser.add_argument("--play", action="store_true", help=localize("ファイルに書き出し、再生もする", "play as well as write"))
    parser.add_argument("--device", help=localize("再生デバイスの名前または番号", "output device, by name or number"))
    add_voice_options(parser)
    parser.add_argument("--speaker", help=localize("話者の名前または番号", "speaker, by name or number"))
    parser.add_argument("--style", help=localize("スタイルの名前または番号", "style, by name or number"))
    for name, bounds in BOUNDS.items():
        text = f"{bounds.label} {bounds.low:g}–{bounds.high:g} ({bounds.default:g})"
        parser.add_argument(name_option(name), dest=name, type=float, default=bounds.default, metavar="N", help=text)
    parser.add_argument(
        "--assist",
        default="",
        metavar="TEXT",
        help=localize("話し方の雰囲気を伝えるテキスト（アシストテキスト）", "assist text, whose mood colours the speech"),
    )
    parser.add_argument(
        "--pause",
        action="append",
        default=[],
        metavar="MARK=SECONDS",
        help=localize("記号ごとの間の長さ（秒）。例: --pause 、=0.2", "pause length of a mark in seconds, as in --pause 、=0.2"),
    )
    parser.add_argument(
        "--melody",
        metavar="FILE",
        help=localize(
            "モーラごとの音高の変化（半音）の JSON、または同じテキストの行があるプロジェクト",
            "JSON with semitones by which morae are moved, or a project that has a line of this text",
        ),
    )
    parser.add_argument("--seed", type=int, default=0, help=localize("乱数のシード（既定: 0）", "random seed (default: 0)"))
    parser.add_argument("--rate", type=int, metavar="HZ", help=localize("音声ファイルのサンプリング周波数", "sampling rate of the file"))
    parser.add_argument("--stereo", action="store_true", help=localize("ステレオで書き出す", "write stereo"))
    parser.add_argument(
        "--subtype", choices=["16", "24", "float"], help=localize("サンプルの形式（wav、flac）", "sample format (wav, flac)")
    )
