"""Labels for the choices of the export page."""

from __future__ import annotations

from pathlib import Path

from app.common.language import localize
from app.export.changed_plan import ExportChanges
from app.export.export_settings import (
    EXISTING_FILE_POLICIES,
    EXPORT_SOUND_FORMATS,
    FILE_GROUPINGS,
    GAME_ENGINES,
    TIMING_UNITS,
    ExportSettings,
)

Choices = list[tuple[str, str]]
EXPORT_RATES = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000)
LOUDNESS_TARGETS = (-23.0, -19.0, -16.0)


def list_file_choices() -> Choices:
    """Return the ways to divide lines into files."""
    words = {
        "lines": localize("1 行ごとに 1 ファイル", "One file per line"),
        "speaker_folders": localize("1 行ごと・話者別フォルダー", "One per line, a folder per speaker"),
        "character_folders": localize("1 行ごと・登場人物別フォルダー", "One per line, a folder per character"),
        "speakers": localize("話者ごとに 1 ファイル", "One file per speaker"),
        "characters": localize("登場人物ごとに 1 ファイル", "One file per character"),
        "joined": localize("すべてを 1 ファイル", "One file for everything"),
    }
    return [(name, words[name]) for name in FILE_GROUPINGS]


def list_format_choices() -> Choices:
    """Return the sound formats by their suffix."""
    words = {"wav": "WAV", "flac": "FLAC", "ogg": "Ogg Vorbis", "opus": "Opus", "mp3": "MP3"}
    return [(name, words.get(name, name.upper())) for name in EXPORT_SOUND_FORMATS]


def list_depth_choices(sound_format: str) -> Choices:
    """Return the sample formats or qualities of a sound format."""
    if sound_format in ("wav", "flac"):
        depths = [("16", localize("16 ビット", "16 bit")), ("24", localize("24 ビット", "24 bit"))]
        return [*depths, ("float", localize("32 ビット浮動小数点", "32-bit float"))] if sound_format == "wav" else depths
    return [
        ("small", localize("小さいサイズ", "Small file")),
        ("standard", localize("標準", "Standard")),
        ("high", localize("高音質", "High quality")),
    ]


def list_unit_choices() -> Choices:
    """Return the units that one subtitle can cover."""
    words = {
        "line": localize("行", "Line"),
        "sentence": localize("文", "Sentence"),
        "phrase": localize("アクセント句", "Accent phrase"),
        "mora": localize("モーラ", "Mora"),
    }
    return [(name, words[name]) for name in TIMING_UNITS]


def list_existing_choices() -> Choices:
    """Return what can be done with existing files."""
    words = {
        "ask": localize("確認する", "Ask"),
        "skip": localize("書き出さない", "Skip"),
        "number": localize("番号を付けて書き出す", "Add a number"),
        "replace": localize("上書きする", "Replace"),
    }
    return [(name, words[name]) for name in EXISTING_FILE_POLICIES]


def list_game_choices() -> Choices:
    """Return the supported game engines."""
    words = {
        "": localize("使わない", "None"),
        "renpy": localize("Ren’Py（voice/{id}.ogg）", "Ren’Py (voice/{id}.ogg)"),
        "yarn": "Yarn Spinner",
        "wwise": localize("Wwise（.wsources）", "Wwise (.wsources)"),
        "csv": localize("CSV の一覧", "CSV list"),
    }
    return [(name, words[name]) for name in GAME_ENGINES]


def list_loudness_choices() -> Choices:
    """Return the loudness targets in LUFS."""
    named = {-23.0: "EBU R 128", -19.0: localize("モノラル", "mono"), -16.0: localize("配信", "streaming")}
    shown = [(f"{value:g}", localize(f"{value:g} LUFS（{name}）", f"{value:g} LUFS ({name})")) for value, name in named.items()]
    return [("", localize("変更しない", "Leave as is")), *shown, ("own", localize("値を指定", "Other"))]


def list_rate_choices(settings: ExportSettings) -> Choices:
    """Return the sampling rates (Hz) that the format supports; 0 is the voice's own."""
    from app.adapters.sound.sound_formats import SOUND_FORMATS

    known = SOUND_FORMATS[settings.suffix].rates
    fitting = [rate for rate in EXPORT_RATES if not known or rate in known]
    return [("0", localize("声と同じ", "Same as the voice")), *((str(rate), f"{rate:,} Hz") for rate in fitting)]


def describe_existing_file(is_existing: bool, settings: ExportSettings) -> str:
    """Describe what happens to an existing file; empty where there is none."""
    if not is_existing:
        return ""
    return {
        "ask": localize("確認", "Asks"),
        "skip": localize("書き出さない", "Skipped"),
        "replace": localize("上書き", "Replaced"),
        # The plan has given the file a free name already, so nothing happens to the existing one.
        "number": "",
    }[settings.existing]


def list_file_states(changes: ExportChanges) -> dict[Path, str]:
    """Return what happens to each planned file where only what changed is exported."""
    write, rename = localize("書き出す", "Write"), localize("名前を変更", "Rename")
    same, skip = localize("変更なし", "Unchanged"), localize("書き出さない", "Skipped")
    return {
        **{file.item.file: write for file in changes.rendered},
        **{file.item.file: rename for file, _ in changes.renamed},
        **{file.item.file: same for file, _ in changes.unchanged},
        **{item.file: skip for item in changes.skipped},
    }
