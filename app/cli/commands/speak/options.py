"""The options of `koebako speak`."""

from typing import Any

from app.cli.voice_options import add_voice_options
from app.common.command_parser import add_command_parser
from app.common.language import localize
from app.core.delivery import KATAKANA, LATIN_READINGS, name_option
from app.core.synthesis_types import BOUNDS


def add_speak(commands: Any) -> None:
    parser = add_command_parser(
        commands, "speak", "テキストを読み上げる、または音声ファイルに書き出す", "speak text, or write it to an audio file"
    )
    parser.add_option("text", "読み上げるテキスト（省略時は標準入力）", "text to speak (default: stdin)", nargs="?", metavar="TEXT")
    parser.add_argument("-f", "--file", metavar="FILE", help=localize("読み上げるテキストファイル", "text file to speak"))
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help=localize("書き出す音声ファイル（- で標準出力に WAV）", "audio file to write; - writes a WAV to stdout"),
    )
    parser.add_switch("--play", "ファイルに書き出し、再生もする", "play as well as write")
    parser.add_option("--device", "再生デバイスの名前または番号", "output device, by name or number")
    add_voice_options(parser)
    parser.add_option("--speaker", "話者の名前または番号", "speaker, by name or number")
    parser.add_option("--style", "スタイルの名前または番号", "style, by name or number")
    for name, bounds in BOUNDS.items():
        text = f"{bounds.label} {bounds.low:g}–{bounds.high:g} ({bounds.default:g})"
        parser.add_argument(name_option(name), dest=name, type=float, default=bounds.default, metavar="N", help=text)
    parser.add_option(
        "--latin",
        "英字の単語の読み方（既定: katakana）。english は、英語を話せる声だけ",
        "how words in Latin letters are read (default: katakana); english where the voice speaks it",
        choices=LATIN_READINGS,
        default=KATAKANA,
    )
    parser.add_option(
        "--assist",
        "話し方の雰囲気を伝えるテキスト（アシストテキスト）",
        "assist text, whose mood colours the speech",
        default="",
        metavar="TEXT",
    )
    parser.add_option(
        "--pause",
        "記号ごとの間の長さ（秒）。例: --pause 、=0.2",
        "pause length of a mark in seconds, as in --pause 、=0.2",
        action="append",
        default=[],
        metavar="MARK=SECONDS",
    )
    parser.add_option(
        "--melody",
        "モーラごとの音高の変化（半音）の JSON、または同じテキストの行があるプロジェクト",
        "JSON with semitones by which morae are moved, or a project that has a line of this text",
        metavar="FILE",
    )
    parser.add_option("--seed", "乱数のシード（既定: 0）", "random seed (default: 0)", type=int, default=0)
    parser.add_option("--rate", "音声ファイルのサンプリング周波数", "sampling rate of the file", type=int, metavar="HZ")
    parser.add_switch("--stereo", "ステレオで書き出す", "write stereo")
    parser.add_option("--subtype", "サンプルの形式（wav、flac）", "sample format (wav, flac)", choices=["16", "24", "float"])
