"""What the settings dialog says of each setting. The values themselves are in `app.settings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Page = Literal["general", "voice"]
Both = tuple[str, str]  # in Japanese and in English


@dataclass(frozen=True, slots=True)
class Shown:
    """How the user meets a setting.

    Attributes:
        choices: words for the values of `choices` in the metadata, in their order.
        unit: stands behind a number.
        lowest: word for the lowest number.
        switch: stands beside the box to tick.
        folder: the value is a folder; empty stands for the usual one.
        restart: takes effect at the next start.
    """

    page: Page
    title: Both
    tip: Both
    choices: tuple[Both, ...] = ()
    unit: Both = ("", "")
    lowest: Both = ("", "")
    switch: Both = ("", "")
    folder: bool = False
    restart: bool = False


LANGUAGE = Shown(
    "general",
    ("言語", "Language"),
    ("ウィンドウとメッセージの言語。", "Language of the window and its messages."),
    choices=(("システムに合わせる", "Follow the system"), ("日本語", "日本語"), ("English", "English")),
    restart=True,
)
THEME = Shown(
    "general",
    ("配色", "Theme"),
    ("明るい画面か、暗い画面か。", "A light or a dark window."),
    choices=(("システムに合わせる", "Follow the system"), ("ライト", "Light"), ("ダーク", "Dark")),
)
LOAD_VOICE = Shown(
    "voice",
    ("声を読み込むとき", "Load the voice"),
    (
        "起動時なら最初の再生がすぐ始まり、最初の再生時なら話すまでメモリーを使いません。",
        "At start the first sound comes at once; at first use no memory is taken until you speak.",
    ),
    choices=(("起動時", "At start"), ("最初の再生時", "At first use")),
    restart=True,
)
UNLOAD = Shown(
    "voice",
    ("使わないとき声を片付ける", "Unload the voice after"),
    (
        "この時間だれも話さなければメモリーを空けます。次の再生で読み込み直します。",
        "When nobody has spoken for this long, its memory is freed; the next playback loads it again.",
    ),
    unit=(" 分", " min"),
    lowest=("しない", "never"),
)
PRECISION = Shown(
    "voice",
    ("BERT の精度", "Precision of the BERT"),
    (
        "自動は、音の長さが変わらないと確かめた int8 だけを使います。int8 は速く、抑揚がわずかに変わることがあります。",
        "Auto takes int8 only where it is known to change no length; int8 is faster and may change the intonation slightly.",
    ),
    choices=(("自動", "Auto"), ("float32（正確）", "float32 (exact)"), ("int8（速い）", "int8 (fast)")),
)
DECODER = Shown(
    "voice",
    ("音声にする計算の精度", "Precision of the sound"),
    (
        "int8 は二倍ほど速く、ごく小さな雑音が加わります。追加のときに正確な音と聞き比べて差が小さかった声だけで使われます。",
        "int8 is about twice as fast and adds a very faint noise. It is used for voices that came close to the exact sound when they were added.",
    ),
    choices=(("float32（正確）", "float32 (exact)"), ("int8（速い）", "int8 (fast)")),
)
CACHE = Shown(
    "voice",
    ("ディスクに残す BERT の結果", "BERT results kept on the disk"),
    (
        "一度話した文をもう一度話すとき、BERT の計算を省きます。文章そのものは残しません。",
        "A sentence that was spoken before needs no BERT again. The text itself is not kept.",
    ),
    unit=(" MiB", " MiB"),
    lowest=("残さない", "none"),
    restart=True,
)
AIVISSPEECH = Shown(
    "voice",
    ("AivisSpeech の声のフォルダー", "Folder of AivisSpeech's voices"),
    (
        "空欄ならいつもの場所を探し、off と書くと探しません。",
        "Empty looks in its usual place, off leaves its voices out.",
    ),
    folder=True,
)
LOG_WORDS = Shown(
    "general",
    ("ログ", "Log"),
    (
        "不具合を調べる手掛かりが増えますが、読み上げた文章や辞書の単語がログに残ることがあります。",
        "This helps to find a fault, but the log may then quote your lines and the words of your dictionary.",
    ),
    switch=("エラーの文面も記録する", "Record what errors say"),
)
DEVICE = Shown(
    "general",
    ("音声の出力先", "Output device"),
    ("どこから音を出すか。", "Where the sound comes out."),
)
