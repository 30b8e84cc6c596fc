"""The options of every command, with help in the language of the user."""

from __future__ import annotations

import itertools
import os
import re
import sys
from typing import Any

from app.cli.commands.backends.options import add_backends
from app.cli.commands.bench.options import add_bench_options
from app.cli.commands.bert.options import add_bert
from app.cli.commands.dict.options import add_dict
from app.cli.commands.voices.options import add_licence_option, add_voices
from app.command_parser import Parser, add_command
from app.core.limits import BOUNDS
from app.errors import InputError
from app.language import say
from app.settings import DECODER_PRECISIONS
from app.version import VERSION

_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


def build_parser() -> Parser:
    """The whole command line."""
    parser = Parser(prog="koebako", description=say("日本語の文章を声にします。", "Speaks Japanese text."))
    parser.add_argument(
        "--version", action="version", version=f"koebako {VERSION}", help=say("版を表示して終わる", "show the version and exit")
    )
    commands = parser.add_subparsers(
        dest="command", required=True, parser_class=Parser, metavar="COMMAND", title=say("コマンド", "commands")
    )
    _add_speak(commands)
    _add_g2p(commands)
    add_dict(commands)
    add_voices(commands)
    add_bert(commands)
    add_backends(commands)
    _add_doctor(commands)
    _add_selftest(commands)
    _add_bench(commands)
    return parser


def _add_voice_options(parser: Parser) -> None:
    parser.add_argument(
        "--voice",
        metavar="ID|NAME|PATH",
        help=say("声(省略すると voices list の最初の声)", "the voice (default: the first of `voices list`)"),
    )
    parser.add_argument(
        "--backend",
        default="auto",
        metavar="NAME[:ADAPTER]|GROUP=NAME,…",
        help=say(
            "auto、cpu、directml:1、cuda など。bert=cpu,decoder=directml のように bert・prosody・decoder で分けられる",
            "auto, cpu, directml:1, cuda …, or apart as in bert=cpu,decoder=directml (groups: bert, prosody, decoder)",
        ),
    )
    parser.add_argument(
        "--decoder",
        choices=DECODER_PRECISIONS,
        help=say(
            "音声にする計算の精度。int8 は速い(小さな差しか出ないと確かめた声だけ。voices info に表示)",
            "precision of the decoder; int8 is fast, for voices that it was found to change little (see voices info)",
        ),
    )
    parser.add_argument(
        "--force-bert",
        action="store_true",
        help=say(
            "声が求める BERT が無いとき別の BERT で代用する(抑揚がおかしくなる)",
            "use another BERT when the voice's own is missing (wrong prosody)",
        ),
    )
    add_licence_option(parser)


def _add_speak(commands: Any) -> None:
    parser = add_command(commands, "speak", "文章を読み上げる、または音声ファイルに書く", "speak text, or write it to a sound file")
    parser.add_argument("text", nargs="?", metavar="TEXT", help=say("読み上げる文章(省略すると標準入力)", "what to say (default: stdin)"))
    parser.add_argument("-f", "--file", metavar="FILE", help=say("文章のファイル(UTF-8)", "a UTF-8 text file"))
    parser.add_argument("-o", "--output", metavar="FILE", help=say("音声ファイル。- は標準出力に WAV", "sound file; - is a WAV on stdout"))
    parser.add_argument("--play", action="store_true", help=say("音声ファイルに加えて再生もする", "play as well as write"))
    parser.add_argument("--device", help=say("再生する装置の名前か番号", "output device by name or number"))
    _add_voice_options(parser)
    parser.add_argument("--speaker", help=say("話者の名前か番号", "speaker by name or number"))
    parser.add_argument("--style", help=say("スタイルの名前か番号", "style by name or number"))
    for name, bounds in BOUNDS.items():
        option = "--" + name.removesuffix("_s").replace("_", "-")
        text = f"{bounds.label} {bounds.low:g}–{bounds.high:g} ({bounds.default:g})"
        parser.add_argument(option, dest=name, type=float, default=bounds.default, metavar="N", help=text)
    parser.add_argument("--assist", default="", metavar="TEXT", help=say("読み方の雰囲気を与える文", "text whose mood colours the reading"))
    parser.add_argument(
        "--pause",
        action="append",
        default=[],
        metavar="MARK=SECONDS",
        help=say("記号ごとの間。例: --pause 、=0.2", "pause of a mark, as in --pause 、=0.2"),
    )
    parser.add_argument("--seed", type=int, default=0, help=say("ゆらぎの種(0)", "seed of the noise (0)"))
    parser.add_argument("--rate", type=int, metavar="HZ", help=say("音声ファイルのサンプリング周波数", "sampling rate of the file"))
    parser.add_argument("--stereo", action="store_true", help=say("音声ファイルを 2 チャンネルにする", "write two channels"))
    parser.add_argument("--subtype", choices=["16", "24", "float"], help=say("サンプルの形式(wav・flac)", "sample format (wav, flac)"))


def _add_g2p(commands: Any) -> None:
    parser = add_command(
        commands, "g2p", "標準入力の各行を読みと音素にする(常に JSON)", "readings and phones of each line on stdin (always JSON)"
    )
    emoji = say("Nanairo の声と同じように、絵文字も音素にする", "make phones of emoji, as for Nanairo voices")
    parser.add_argument("--emoji", action="store_true", help=emoji)


def _add_doctor(commands: Any) -> None:
    parser = add_command(commands, "doctor", "動作に必要なものが揃っているか調べる", "check that everything the program needs is there")
    parser.add_argument("--only", metavar="ID", help=say("この項目だけを調べる", "only this check"))


def _add_selftest(commands: Any) -> None:
    parser = add_command(
        commands, "selftest", "使えるバックエンドをすべて試して比べる", "try every backend of this machine and compare them"
    )
    parser.add_argument("--report", metavar="FILE", help=say("報告のファイル(JSON)", "a file for the report (JSON)"))


def _add_bench(commands: Any) -> None:
    parser = add_command(commands, "bench", "段階ごとの時間を測る", "measure how long each stage takes")
    _add_voice_options(parser)
    add_bench_options(parser)


def as_utf8(argument: str) -> str:
    """The argument decoded as UTF-8 whatever the locale; bytes that are not UTF-8 stay lone surrogates, which `check_letters` refuses."""
    try:
        return os.fsencode(argument).decode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return argument


def check_letters(arguments: list[str]) -> None:
    """Raises InputError for undecodable arguments: with replacement characters the wrong text would be spoken, or the wrong file written."""
    for argument in arguments:
        if _NO_TEXT.search(argument):
            raise InputError(
                say(f"引数に使えない文字があります: {argument}", f"This argument has characters that cannot be used: {argument}"),
                say("UTF-8 の文字だけを使うか、ファイルの名前を変えてください。", "Use UTF-8, or rename the file."),
            )


def wants_json(arguments: list[str]) -> bool:
    """Whether errors shall be JSON, even errors of the command line itself."""
    return "--json" in arguments or (bool(arguments) and arguments[0] == "g2p")


def stdout_is_sound(arguments: list[str]) -> bool:
    """Whether stdout carries a WAV, so that JSON has to go to stderr."""
    return any(option in ("-o", "--output") and value == "-" for option, value in itertools.pairwise(arguments)) or (
        "-o-" in arguments or "--output=-" in arguments
    )


def json_stream(arguments: list[str]) -> Any:
    """Where JSON lines go."""
    return sys.stderr if stdout_is_sound(arguments) else sys.stdout
