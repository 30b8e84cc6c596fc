"""Small fields of the export page (choices, check boxes for sidecars, a loudness), and the labels of its choices. Each emits `chosen` on a change."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QCheckBox, QComboBox, QGridLayout, QHBoxLayout, QSizePolicy, QWidget

from app.common.language import localize
from app.export.changed_plan import ExportChanges
from app.export.export_settings import HIGHEST_LUFS, LOWEST_LUFS, ExportSettings, SidecarKind
from app.export.sidecar_formats import SIDECAR_FORMATS
from app.ui.widgets.controls import ChoiceBox, GuardedDoubleSpinBox, describe_control, fill_box

SIDECARS_PER_ROW = 4
DEFAULT_LUFS = -20.0
MIN_CHOICE_LENGTH = 6  # counted in letters: without a minimum the longest entry would set the width of the page

Choices = list[tuple[str, str]]
EXPORT_RATES = (16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000)


class ExportChoiceBox(ChoiceBox):
    """A combo box of values, each shown with a label."""

    chosen = Signal()

    def __init__(self, name: str, tip: str, choices: Sequence[tuple[str, str]] = ()) -> None:
        super().__init__()
        describe_control(self, name, tip)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(MIN_CHOICE_LENGTH)
        self.offer_choices(choices)
        self.currentIndexChanged.connect(self.chosen)

    @property
    def value(self) -> str:
        return str(self.currentData())

    def choose_value(self, value: str) -> None:
        """Choose a value, or the first one where it is not offered."""
        self.setCurrentIndex(max(0, self.findData(value)))

    def offer_choices(self, choices: Sequence[tuple[str, str]]) -> None:
        """Offer other values; the chosen one is kept where it is among them."""
        last_value = self.currentData()
        # Clearing and refilling would emit `chosen` several times with values that were not chosen.
        self.blockSignals(True)
        self.clear()
        for value, word in choices:
            self.addItem(word, value)
        self.choose_value(str(last_value))
        self.blockSignals(False)


class SidecarField(QWidget):
    """Check boxes for the sidecar files written with each sound."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        tips = {
            "txt": localize("テキスト", "Text"),
            "lab": localize("音素の時刻（100 ns 単位）", "Times of phones, in units of 100 ns"),
            "textgrid": localize("Praat 用の音素・モーラ・アクセント句・文の時刻", "Phones, morae, phrases and sentences for Praat"),
            "srt": localize("字幕（SubRip）", "Subtitles (SubRip)"),
            "vtt": localize("字幕（WebVTT）", "Subtitles (WebVTT)"),
            "ass": localize("カラオケ字幕（ASS）", "Karaoke subtitles (ASS)"),
            "json": localize("テキスト、読み、時刻、設定、クレジット", "Text, reading, times, settings and credit"),
        }
        self.boxes: dict[SidecarKind, QCheckBox] = {}
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(6)
        for index, (kind, form) in enumerate(SIDECAR_FORMATS.items()):
            box = self.boxes[kind] = QCheckBox(form.name)
            box.setToolTip(tips[kind])
            box.toggled.connect(self.chosen)
            grid.addWidget(box, index // SIDECARS_PER_ROW, index % SIDECARS_PER_ROW)
        grid.setColumnStretch(SIDECARS_PER_ROW, 1)

    @property
    def value(self) -> tuple[SidecarKind, ...]:
        return tuple(kind for kind, box in self.boxes.items() if box.isChecked())

    def choose_kinds(self, kinds: Sequence[SidecarKind]) -> None:
        """Check these kinds and no others."""
        for kind, box in self.boxes.items():
            box.setChecked(kind in kinds)


def list_choices(setting: str) -> Choices:
    """Return the values of a setting of the page, each with its label."""
    labels = {
        "files": {
            "lines": localize("1 行ごとに 1 ファイル", "One file per line"),
            "speaker_folders": localize("1 行ごと・話者別フォルダー", "One per line, a folder per speaker"),
            "character_folders": localize("1 行ごと・登場人物別フォルダー", "One per line, a folder per character"),
            "speakers": localize("話者ごとに 1 ファイル", "One file per speaker"),
            "characters": localize("登場人物ごとに 1 ファイル", "One file per character"),
            "joined": localize("すべてを 1 ファイル", "One file for everything"),
        },
        "sound": {"wav": "WAV", "flac": "FLAC", "ogg": "Ogg Vorbis", "opus": "Opus", "mp3": "MP3"},
        "unit": {
            "line": localize("行", "Line"),
            "sentence": localize("文", "Sentence"),
            "phrase": localize("アクセント句", "Accent phrase"),
            "mora": localize("モーラ", "Mora"),
        },
        "existing": {
            "ask": localize("確認する", "Ask"),
            "skip": localize("書き出さない", "Skip"),
            "number": localize("番号を付けて書き出す", "Add a number"),
            "replace": localize("上書きする", "Replace"),
        },
        "game": {
            "": localize("使わない", "None"),
            "renpy": localize("Ren’Py（voice/{id}.ogg）", "Ren’Py (voice/{id}.ogg)"),
            "yarn": "Yarn Spinner",
            "wwise": localize("Wwise（.wsources）", "Wwise (.wsources)"),
            "csv": localize("CSV の一覧", "CSV list"),
        },
    }
    return list(labels[setting].items())


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


def list_loudness_choices() -> Choices:
    """Return the loudness targets in LUFS."""
    names = {-23.0: "EBU R 128", -19.0: localize("モノラル", "mono"), -16.0: localize("配信", "streaming")}
    targets = [(f"{value:g}", localize(f"{value:g} LUFS（{name}）", f"{value:g} LUFS ({name})")) for value, name in names.items()]
    return [("", localize("変更しない", "Leave as is")), *targets, ("own", localize("値を指定", "Other"))]


def list_rate_choices(settings: ExportSettings) -> Choices:
    """Return the sampling rates (Hz) that the format supports; 0 is the voice's own."""
    from app.adapters.sound.sound_formats import SOUND_FORMATS

    format_rates = SOUND_FORMATS[settings.suffix].rates
    fitting = [rate for rate in EXPORT_RATES if not format_rates or rate in format_rates]
    return [("0", localize("声と同じ", "Same as the voice")), *((str(rate), f"{rate:,} Hz") for rate in fitting)]


def describe_existing_file(is_existing: bool, settings: ExportSettings) -> str:
    """Describe what happens to an existing file; empty where there is none."""
    # With "number" the plan has given the file a free name already, so nothing happens to the existing one.
    labels = {"ask": localize("確認", "Asks"), "skip": localize("書き出さない", "Skipped"), "replace": localize("上書き", "Replaced")}
    return labels.get(settings.existing, "") if is_existing else ""


def list_file_states(changes: ExportChanges) -> dict[Path, str]:
    """Return what happens to each planned file where only what changed is exported."""
    write, rename = localize("書き出す", "Write"), localize("名前を変更", "Rename")
    unchanged, skip = localize("変更なし", "Unchanged"), localize("書き出さない", "Skipped")
    return {
        **{file.item.file: write for file in changes.rendered},
        **{file.item.file: rename for file, _ in changes.renamed},
        **{file.item.file: unchanged for file, _ in changes.unchanged},
        **{item.file: skip for item in changes.skipped},
    }


class LoudnessField(QWidget):
    """A loudness target in LUFS, or none."""

    chosen = Signal()

    def __init__(self) -> None:
        super().__init__()
        name = localize("ラウドネス", "Loudness")
        tip = localize(
            "書き出すファイル全体の音量を、この値にそろえます。測定のため、書き出しに約 2 倍の時間がかかります。",
            "Adjusts all files together to this loudness. Measuring doubles the time.",
        )
        self.target = ExportChoiceBox(name, tip, list_loudness_choices())
        self.own = GuardedDoubleSpinBox()
        self.own.setRange(LOWEST_LUFS, HIGHEST_LUFS)
        self.own.setDecimals(1)
        self.own.setSingleStep(0.5)
        self.own.setSuffix(" LUFS")
        self.own.setValue(DEFAULT_LUFS)
        self.own.lineEdit().setTextMargins(6, 0, 0, 0)
        describe_control(self.own, localize("ラウドネスの値", "Loudness value"), tip)
        self.each = QCheckBox(localize("ファイルごと", "Each file"))
        self.each.setToolTip(
            localize(
                "ファイルごとにそろえます。3 秒より短いファイルは全体に合わせます。",
                "Adjusts each file by itself; files shorter than 3 seconds follow the others.",
            )
        )
        fill_box(QHBoxLayout(self), self.target, self.own, self.each, spacing=8)
        self.setFocusProxy(self.target)
        self.target.chosen.connect(self._update_fields)
        self.own.valueChanged.connect(self.chosen)
        self.each.toggled.connect(self.chosen)
        self._update_fields()

    @property
    def value(self) -> float | None:
        """Return the target in LUFS, or None to leave the loudness as it is."""
        chosen = self.target.value
        return None if not chosen else self.own.value() if chosen == "own" else float(chosen)

    def choose_target(self, value: float | None, *, is_each_file: bool) -> None:
        """Show a target in LUFS, or none."""
        name = "" if value is None else f"{value:g}"
        self.target.choose_value(name if self.target.findData(name) >= 0 else "own")
        if value is not None:
            self.own.setValue(value)
        self.each.setChecked(is_each_file)

    @Slot()
    def _update_fields(self) -> None:
        self.own.setVisible(self.target.value == "own")
        self.each.setVisible(bool(self.target.value))
        self.chosen.emit()
