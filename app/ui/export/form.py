"""All settings of an export, one under the other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QLayout, QWidget

from app.adapters.sound.formats import Quality
from app.export.settings import ExportSettings, Sidecar
from app.language import localized
from app.ui.export import words
from app.ui.export.fields import Choice, LoudnessField, SidecarField
from app.ui.export.pattern_field import PatternField
from app.ui.settings.fields import FolderField

CUES: tuple[Sidecar, ...] = ("srt", "vtt", "ass")


class ExportForm(QWidget):
    """The controls.

    Signals:
        changed(): another setting.

    Args:
        selected: how many lines are selected.
        starred: how many takes have a star.
    """

    changed = Signal()

    def __init__(self, selected: int, starred: int = 0) -> None:
        super().__init__()
        chosen = localized(f"選んだ行（{selected:,} 行）", f"Selected lines ({selected:,})")
        takes = localized(f"スターを付けたテイク（{starred:,} 個）", f"Starred takes ({starred:,})")
        whats = [("all", localized("すべての行", "All lines")), ("selection", chosen), ("starred", takes)]
        self._there = {"all": True, "selection": selected > 0, "starred": starred > 0}
        self.what = Choice(localized("書き出す行", "Lines"), localized("書き出す行を選びます。", "Which lines to export."), whats)
        self.files = Choice(
            localized("ファイルの分け方", "Files"),
            localized("行をファイルに分ける方法です。", "How lines are divided into files."),
            words.file_choices(),
        )
        self.folder = FolderField(
            localized("保存先のフォルダー", "Folder"), localized("ファイルの書き出し先です。", "Where the files are written.")
        )
        self.folder.path.setPlaceholderText(localized("フォルダーを選択してください", "Choose a folder"))
        self.pattern = PatternField()
        self._make_sound()
        self.sidecars = SidecarField()
        self.unit = Choice(
            localized("字幕の単位", "Subtitle unit"),
            localized("SRT、WebVTT、ASS の区切りです。", "What one subtitle covers in SRT, WebVTT and ASS."),
            words.unit_choices(),
        )
        self.loudness = LoudnessField()
        self.game = Choice(
            localized("ゲーム", "Game"),
            localized(
                "行の ID をファイル名にし、エンジン用の一覧を書き出します。", "Names files by line ID and writes a list for the engine."
            ),
            words.game_choices(),
        )
        self.existing = Choice(
            localized("同名のファイル", "Existing files"),
            localized("同じ名前のファイルがあるときの動作です。", "What to do with files that exist."),
            words.existing_choices(),
        )
        self._lay_out()
        self._connect()
        for place, there in enumerate(self._there.values()):
            cast(Any, self.what.model()).item(place).setEnabled(there)

    def _make_sound(self) -> None:
        self.sound = Choice(
            localized("形式", "Format"), localized("音声ファイルの形式です。", "Format of the audio files."), words.sound_choices()
        )
        self.quality = Choice(localized("音質", "Quality"), localized("サンプルの形式または音質です。", "Sample format or quality."))
        self.rate = Choice(
            localized("サンプリング周波数", "Sampling rate"),
            localized("音声ファイルのサンプリング周波数です。", "Sampling rate of the audio files."),
        )
        self.stereo = QCheckBox(localized("ステレオ", "Stereo"))
        self.stereo.setToolTip(localized("同じ音を左右に書き出します。", "Writes the same sound to both channels."))

    @property
    def settings(self) -> ExportSettings:
        """As the controls are now."""
        sound, depth = self.sound.value, self.quality.value
        lossless = sound in ("wav", "flac")
        return ExportSettings(
            what=cast(Any, self.what.value),
            files=cast(Any, self.files.value),
            folder=self.folder.current,
            pattern=self.pattern.pattern,
            sound=sound,
            subtype=depth if lossless and depth != "16" else "",
            quality="standard" if lossless else cast(Quality, depth),
            rate=int(self.rate.value),
            stereo=self.stereo.isChecked(),
            sidecars=self.sidecars.value,
            unit=cast(Any, self.unit.value),
            existing=cast(Any, self.existing.value),
            loudness=self.loudness.value,
            loudness_each=self.loudness.each.isChecked(),
            game=cast(Any, self.game.value),
        )

    def show_settings(self, settings: ExportSettings) -> None:
        """Shows these; where there are no such lines, all are meant."""
        self.blockSignals(True)
        self.what.choose(settings.what if self._there[settings.what] else "all")
        for choice, value in (
            (self.files, settings.files),
            (self.sound, settings.sound),
            (self.unit, settings.unit),
            (self.existing, settings.existing),
            (self.game, settings.game),
        ):
            choice.choose(value)
        self._offer_depths()
        self.quality.choose(settings.subtype or "16" if settings.sound in ("wav", "flac") else settings.quality)
        self.rate.choose(str(settings.rate))
        self.folder.show_value(settings.folder)
        self.pattern.show_pattern(settings.pattern)
        self.stereo.setChecked(settings.stereo)
        self.sidecars.choose(settings.sidecars)
        self.loudness.choose(settings.loudness, each=settings.loudness_each)
        self._follow()
        self.blockSignals(False)
        self.changed.emit()

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(9)
        grid.setColumnStretch(1, 1)
        rows: list[tuple[str, QWidget | QLayout, QWidget]] = [
            (localized("書き出す行", "Lines"), self.what, self.what),
            (localized("分け方", "Files"), self.files, self.files),
            (localized("保存先", "Folder"), self.folder, self.folder),
            (localized("ファイル名", "File name"), self.pattern, self.pattern),
            (localized("形式", "Format"), _beside(self.sound, self.quality), self.sound),
            (localized("サンプリング", "Sampling rate"), _beside(self.rate, self.stereo), self.rate),
            (localized("一緒に書き出す", "Also write"), self.sidecars, next(iter(self.sidecars.boxes.values()))),
            (localized("字幕の単位", "Subtitle unit"), self.unit, self.unit),
            (localized("ラウドネス", "Loudness"), self.loudness, self.loudness),
            (localized("ゲーム用", "For games"), self.game, self.game),
            (localized("同名のファイル", "Existing files"), self.existing, self.existing),
        ]
        for row, (title, field, buddy) in enumerate(rows):
            label = QLabel(title)
            label.setBuddy(buddy)
            top = Qt.AlignmentFlag.AlignTop if field in (self.pattern, self.sidecars) else Qt.AlignmentFlag.AlignVCenter
            label.setContentsMargins(0, 6 if field is self.pattern else 0, 0, 0)
            grid.addWidget(label, row, 0, top)
            if isinstance(field, QLayout):
                grid.addLayout(field, row, 1)
            else:
                grid.addWidget(field, row, 1)
        grid.setRowStretch(len(rows), 1)

    def _connect(self) -> None:
        self.sound.chosen.connect(self._offer_depths)
        for choice in (
            self.what,
            self.files,
            self.sound,
            self.quality,
            self.rate,
            self.unit,
            self.game,
            self.existing,
            self.sidecars,
            self.loudness,
        ):
            choice.chosen.connect(self._on_changed)
        self.folder.changed.connect(self._on_changed)
        self.pattern.changed.connect(self._on_changed)
        self.stereo.toggled.connect(self._on_changed)
        self._offer_depths()
        self.game.activated.connect(self._on_game)
        self._follow()

    @Slot()
    def _offer_depths(self) -> None:
        before = self.quality.value
        self.quality.offer(words.depth_choices(self.sound.value))
        if self.quality.findData(before) < 0 and self.sound.value not in ("wav", "flac"):
            self.quality.choose("standard")
        self.rate.offer(words.rate_choices(replace(ExportSettings(), sound=self.sound.value)))

    @Slot(int)
    def _on_game(self, _index: int) -> None:
        """Ren'Py looks for `voice/ID.ogg` by itself; the user may have it otherwise."""
        if self.game.value == "renpy":
            self.sound.choose("ogg")
            self._offer_depths()

    def _follow(self) -> None:
        """What counts only together with something else."""
        self.unit.setEnabled(any(kind in CUES for kind in self.sidecars.value))
        self.pattern.setEnabled(not self.game.value)

    @Slot()
    def _on_changed(self) -> None:
        self._follow()
        self.changed.emit()


def _beside(*parts: QWidget) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setSpacing(8)
    for part in parts:
        row.addWidget(part)
    return row
