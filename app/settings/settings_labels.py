"""The labels of the settings dialog. The values themselves are in `app.settings.user_settings`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SettingsPage = Literal["general", "voice", "service"]
# In Japanese and in English.
BilingualText = tuple[str, str]


@dataclass(frozen=True, slots=True)
class SettingLabel:
    """The words and the page of a setting in the dialog.

    Attributes:
        choices: words for the values of `choices` in the metadata, in their order.
        unit: stands behind a number.
        lowest: word for the lowest number.
        switch: stands beside the box to tick.
        folder: the value is a folder; empty stands for the usual one.
        restart: takes effect at the next start.
    """

    page: SettingsPage
    title: BilingualText
    tip: BilingualText
    choices: tuple[BilingualText, ...] = ()
    unit: BilingualText = ("", "")
    lowest: BilingualText = ("", "")
    switch: BilingualText = ("", "")
    folder: bool = False
    restart: bool = False


LANGUAGE_LABEL = SettingLabel(
    "general",
    ("言語", "Language"),
    ("ウィンドウとメッセージの言語を選びます。", "Language of the window and its messages."),
    choices=(("システムの設定に合わせる", "Use system setting"), ("日本語", "日本語"), ("English", "English")),
    restart=True,
)
THEME_LABEL = SettingLabel(
    "general",
    ("配色", "Theme"),
    ("ウィンドウの配色を選びます。", "Colour theme of the window."),
    choices=(("システムの設定に合わせる", "Use system setting"), ("ライト", "Light"), ("ダーク", "Dark")),
)
TEXT_SIZE_LABEL = SettingLabel(
    "general",
    ("文字の大きさ", "Text size"),
    ("ウィンドウ全体の文字の大きさを選びます。", "Size of all text in the window."),
    choices=(("小", "Small"), ("標準", "Normal"), ("大", "Large"), ("特大", "Largest")),
    restart=True,
)
LOAD_VOICE_LABEL = SettingLabel(
    "voice",
    ("声を読み込むタイミング", "When to load the voice"),
    (
        "「起動時」は最初の再生がすぐに始まり、「最初の再生時」は再生するまでメモリーを使いません。",
        "“At startup” makes the first playback start sooner; “On first playback” uses no memory until you play a line.",
    ),
    choices=(("起動時", "At startup"), ("最初の再生時", "On first playback")),
    restart=True,
)
UNLOAD_LABEL = SettingLabel(
    "voice",
    ("未使用の声をメモリーから解放", "Unload idle voices after"),
    (
        "この時間使わなかった声をメモリーから解放します。次に再生するときに再び読み込みます。",
        "Frees the memory of voices that have not been used for this long; the next playback loads them again.",
    ),
    unit=(" 分", " min"),
    lowest=("解放しない", "never"),
)
BERT_PRECISION_LABEL = SettingLabel(
    "voice",
    ("BERT の精度", "BERT precision"),
    (
        "「自動」では、音の長さが変わらないと確認できた場合だけ int8 を使います。int8 は高速ですが、抑揚がわずかに変わることがあります。",
        "Auto uses int8 only where it does not change any durations. int8 is faster but may change the intonation slightly.",
    ),
    choices=(("自動", "Auto"), ("float32（高精度）", "float32 (exact)"), ("int8（高速）", "int8 (fast)")),
)
GRAPH_PRECISION_LABEL = SettingLabel(
    "voice",
    ("音声合成の精度の既定値", "Default synthesis precision"),
    (
        "個別に選んでいない声に使います。声ごとの設定は、声のカードか声の管理で選べます。「高速」は計算の一部を int8 で行うため約 2〜3 倍速くなりますが、"
        "ごく小さな雑音が加わります。準備したときに「高精度」と比べて差が小さかった声だけで使えます。",
        "For voices without a choice of their own, which you make on a voice's card or in the library. “Fast” computes part of the sound in int8: "
        "two to three times as fast, with very faint noise. It is available for voices that stayed close to “Exact” when they were prepared.",
    ),
    choices=(("高精度", "Exact"), ("高速（int8）", "Fast (int8)")),
)
DISK_CACHE_LABEL = SettingLabel(
    "voice",
    ("BERT のディスクキャッシュ", "BERT disk cache"),
    (
        "同じ文をもう一度再生するときに、BERT の計算を省略します。テキスト自体は保存しません。",
        "Skips the BERT for sentences played before. The text itself is not stored.",
    ),
    unit=(" MiB", " MiB"),
    lowest=("使用しない", "off"),
    restart=True,
)
AIVISSPEECH_FOLDER_LABEL = SettingLabel(
    "voice",
    ("AivisSpeech の声のフォルダー", "AivisSpeech voices folder"),
    (
        "空欄の場合は既定のフォルダーを使います。off と入力すると使いません。",
        "Leave empty for the default folder; enter “off” to hide these voices.",
    ),
    folder=True,
)
BUILT_IN_WORDS_LABEL = SettingLabel(
    "general",
    ("付属の辞書", "Built-in dictionary"),
    (
        "商品名や作品名、慣用句などの読みとアクセントです。ユーザー辞書の単語が優先されます。",
        "Readings and accents of brands, titles and set phrases. Words in your user dictionary take precedence.",
    ),
    switch=("付属の辞書を使う", "Use the built-in dictionary"),
)
MEMOS_LABEL = SettingLabel(
    "general",
    ("メモ", "Memos"),
    (
        "VOICEVOX や AivisSpeech のプロジェクトから読み込んだ行では、この設定にかかわらず読み上げません。",
        "In lines from VOICEVOX and AivisSpeech projects they are never read aloud, whatever is set here.",
    ),
    switch=("[ ] で囲んだ部分を読み上げない", "Do not read text in [ ] aloud"),
)
LINKS_LABEL = SettingLabel(
    "general",
    ("URL の読み上げ", "Web addresses"),
    (
        "「ホスト名だけ」では、https://example.com/news を「イグザンプル ドット コム」と読みます。",
        "“Host name only” reads https://example.com/news as “example dot com”.",
    ),
    choices=(("ホスト名だけ", "Host name only"), ("すべて", "In full"), ("読み上げない", "Not at all")),
)
LOG_WORDS_LABEL = SettingLabel(
    "general",
    ("ログ", "Log"),
    (
        "不具合の調査に役立ちますが、読み上げたテキストや辞書の単語がログに残ることがあります。",
        "Helps to diagnose problems, but the log may then contain your text and dictionary words.",
    ),
    switch=("エラーの詳細も記録する", "Log error details"),
)
SERVICE_LABEL = SettingLabel(
    "service",
    ("サービス", "Service"),
    (
        "VOICEVOX に対応したアプリから Koebako の声を使えるようにします。このコンピューターからのみ接続できます。",
        "Lets programs that work with VOICEVOX use Koebako's voices. Only this computer can connect.",
    ),
    switch=("サービスを起動する", "Run the service"),
)
SERVICE_PORT_LABEL = SettingLabel(
    "service",
    ("ポート番号", "Port"),
    (
        "接続するアプリに設定する番号です。50021 にすると VOICEVOX の代わりになります。",
        "The number to enter in other programs. Use 50021 to replace VOICEVOX.",
    ),
)
SERVICE_CHANGES_LABEL = SettingLabel(
    "service",
    ("変更の許可", "Changes"),
    (
        "接続したアプリが、プリセットとユーザー辞書を変更できるようにします。",
        "Lets other programs change the presets and your user dictionary.",
    ),
    switch=("プリセットと辞書の変更を許可する", "Allow changes to presets and dictionary"),
)
OUTPUT_DEVICE_LABEL = SettingLabel(
    "general",
    ("再生デバイス", "Output device"),
    ("音声を再生するデバイスを選びます。", "Device that plays the audio."),
)
