"""What the choices of the export page are called."""

from __future__ import annotations

from app.export.settings import EXISTING, FILES, GAMES, SOUNDS, UNITS, ExportSettings
from app.language import localized

Choices = list[tuple[str, str]]
RATES = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000)
TARGETS = (-23.0, -19.0, -16.0)


def file_choices() -> Choices:
    """Which lines go into one file."""
    words = {
        "lines": localized("1 行ごとに 1 ファイル", "One file per line"),
        "speaker_folders": localized("1 行ごと・話者別フォルダー", "One per line, a folder per speaker"),
        "speakers": localized("話者ごとに 1 ファイル", "One file per speaker"),
        "joined": localized("すべてを 1 ファイル", "One file for everything"),
    }
    return [(name, words[name]) for name in FILES]


def sound_choices() -> Choices:
    """Formats, by their suffix."""
    words = {"wav": "WAV", "flac": "FLAC", "ogg": "Ogg Vorbis", "opus": "Opus", "mp3": "MP3"}
    return [(name, words.get(name, name.upper())) for name in SOUNDS]


def depth_choices(sound: str) -> Choices:
    """Sample formats or qualities that a sound format has."""
    if sound in ("wav", "flac"):
        depths = [("16", localized("16 ビット", "16 bit")), ("24", localized("24 ビット", "24 bit"))]
        return [*depths, ("float", localized("32 ビット浮動小数点", "32-bit float"))] if sound == "wav" else depths
    return [
        ("small", localized("小さいサイズ", "Small file")),
        ("standard", localized("標準", "Standard")),
        ("high", localized("高音質", "High quality")),
    ]


def unit_choices() -> Choices:
    """What a cue holds."""
    words = {
        "line": localized("行", "Line"),
        "sentence": localized("文", "Sentence"),
        "phrase": localized("アクセント句", "Accent phrase"),
        "mora": localized("モーラ", "Mora"),
    }
    return [(name, words[name]) for name in UNITS]


def existing_choices() -> Choices:
    """What happens to files that are there."""
    words = {
        "ask": localized("確認する", "Ask"),
        "skip": localized("書き出さない", "Skip"),
        "number": localized("番号を付けて書き出す", "Add a number"),
        "replace": localized("上書きする", "Replace"),
    }
    return [(name, words[name]) for name in EXISTING]


def game_choices() -> Choices:
    """Engines."""
    words = {
        "": localized("使わない", "None"),
        "renpy": localized("Ren’Py（voice/{id}.ogg）", "Ren’Py (voice/{id}.ogg)"),
        "yarn": "Yarn Spinner",
        "wwise": localized("Wwise（.wsources）", "Wwise (.wsources)"),
        "csv": localized("CSV の一覧", "CSV list"),
    }
    return [(name, words[name]) for name in GAMES]


def loudness_choices() -> Choices:
    """Targets in LUFS."""
    named = {-23.0: "EBU R 128", -19.0: localized("モノラル", "mono"), -16.0: localized("配信", "streaming")}
    shown = [(f"{value:g}", localized(f"{value:g} LUFS（{name}）", f"{value:g} LUFS ({name})")) for value, name in named.items()]
    return [("", localized("変更しない", "Leave as is")), *shown, ("own", localized("値を指定", "Other"))]


def rate_choices(settings: ExportSettings) -> Choices:
    """Sampling rates that the format may have."""
    from app.adapters.sound.formats import FORMATS

    known = FORMATS[settings.suffix].rates
    fitting = [rate for rate in RATES if not known or rate in known]
    return [("0", localized("声と同じ", "Same as the voice")), *((str(rate), f"{rate:,} Hz") for rate in fitting)]


def state_of(exists: bool, settings: ExportSettings) -> str:
    """What happens to a file that is there; empty where there is none."""
    if not exists:
        return ""
    return {
        "ask": localized("確認", "Asks"),
        "skip": localized("書き出さない", "Skipped"),
        "replace": localized("上書き", "Replaced"),
        "number": "",
    }[settings.existing]
