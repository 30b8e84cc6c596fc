"""A form with all settings of an export, which emits `changed` when one is."""

from dataclasses import replace
from typing import Any, cast

from PySide6.QtCore import QSignalBlocker, Qt, Signal, Slot
from PySide6.QtWidgets import QCheckBox, QGridLayout, QHBoxLayout, QLabel, QLayout, QLineEdit, QMenu, QToolButton, QVBoxLayout, QWidget

from app.adapters.sound.sound_formats import SoundQuality
from app.common.language import localize
from app.export.export_plan import SPEAKER_PATTERNS
from app.export.export_settings import ExportSettings, SidecarKind
from app.export.safe_file_names import describe_pattern_problem, list_tokens, translate_pattern
from app.ui.export.export_fields import ExportChoiceBox, LoudnessField, SidecarField, list_choices, list_depth_choices, list_rate_choices
from app.ui.settings.setting_fields import FolderField
from app.ui.widgets.controls import PlainLabel, create_tool_button, describe_control, fill_box


class PatternField(QWidget):
    """A line edit with a menu of placeholders; below it an error or an example name."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._default = translate_pattern(localize(*SPEAKER_PATTERNS))  # what is shown where the user has chosen none
        tip = localize("「$」で囲んだ項目は、行ごとの値に置き換わります。", "Items between “$” are replaced with values of each line.")
        self.edit = describe_control(QLineEdit(), localize("ファイル名", "File name"), tip)
        self.edit.textChanged.connect(self._check_pattern)
        tip = localize("行の番号や登場人物の名前などを挿入します。", "Inserts the line number, character and so on.")
        name = localize("ファイル名に項目を挿入", "Insert an item into the file name")
        self.insert = create_tool_button(localize("項目", "Insert"), tip, name=name)
        self.insert.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.insert.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        menu = QMenu(self)
        for label, meaning in list_tokens():
            action = menu.addAction(f"{label}\t{meaning}")
            action.triggered.connect(lambda _checked=False, label=label: self._insert_placeholder(label))
        self.insert.setMenu(menu)
        self.note = PlainLabel(wraps=True)
        self.setFocusProxy(self.edit)
        row = fill_box(QHBoxLayout(), (self.edit, 1), self.insert, spacing=6)
        fill_box(QVBoxLayout(self), row, self.note, spacing=4)
        self._show_note("")

    @property
    def pattern(self) -> str:
        """Return the pattern as typed; empty for the default pattern, which follows the files and the language of the window."""
        text = self.edit.text().strip()
        return "" if text == self._default else text

    @property
    def problem(self) -> str:
        """Return what is wrong with the pattern; empty where it is valid."""
        return describe_pattern_problem(self.edit.text())

    def show_pattern(self, pattern: str) -> None:
        """Show a pattern; empty shows the default."""
        self.edit.setText(translate_pattern(pattern) or self._default)
        # Without this a long pattern would show its end.
        self.edit.setCursorPosition(0)

    def show_default(self, pattern: str) -> None:
        """Show another default where the user has chosen no pattern."""
        has_default, self._default = self.edit.text() == self._default, pattern
        if has_default:
            with QSignalBlocker(self.edit):
                self.show_pattern("")

    def show_example(self, name: str) -> None:
        """Show an example name, where the pattern is valid."""
        if not self.problem:
            self._show_note(localize(f"例: {name}", f"Example: {name}") if name else "")

    def _insert_placeholder(self, placeholder: str) -> None:
        self.edit.insert(placeholder)
        self.edit.setFocus()

    @Slot()
    def _check_pattern(self) -> None:
        self._show_note(self.problem, is_error=bool(self.problem))
        self.changed.emit()

    def _show_note(self, text: str, *, is_error: bool = False) -> None:
        # A blank keeps the row's height, so that the form does not jump when an error appears.
        self.note.setText(text or " ")
        self.note.change_style("error" if is_error else "muted")


CUE_SIDECARS: tuple[SidecarKind, ...] = ("srt", "vtt", "ass")


class ExportForm(QWidget):
    """The fields of the export page, with the numbers of selected lines and starred takes."""

    changed = Signal()

    def __init__(self, selected_count: int, starred_count: int = 0) -> None:
        super().__init__()
        chosen = localize(f"選んだ行（{selected_count:,} 行）", f"Selected lines ({selected_count:,})")
        takes = localize(f"スターを付けたテイク（{starred_count:,} 個）", f"Starred takes ({starred_count:,})")
        whats = [("all", localize("すべての行", "All lines")), ("selection", chosen), ("starred", takes)]
        self._is_offered = {"all": True, "selection": selected_count > 0, "starred": starred_count > 0}
        self.what = ExportChoiceBox(localize("書き出す行", "Lines"), localize("書き出す行を選びます。", "Which lines to export."), whats)
        self.only_changed = QCheckBox(localize("変更した行だけ", "Only what changed"))
        self.only_changed.setToolTip(
            localize(
                "前回の書き出しから変更した行だけを書き出します。名前だけが変わったファイルは、名前を変更します。",
                "Writes only lines that changed since the last export. Files whose name alone changed are renamed.",
            )
        )
        self.files = ExportChoiceBox(
            localize("ファイルの分け方", "Files"),
            localize("行をファイルに分ける方法です。", "How lines are divided into files."),
            list_choices("files"),
        )
        self.folder = FolderField(
            localize("保存先のフォルダー", "Folder"), localize("ファイルの書き出し先です。", "Where the files are written.")
        )
        self.folder.path.setPlaceholderText(localize("フォルダーを選択してください", "Choose a folder"))
        self.pattern = PatternField()
        self._create_format_fields()
        self.sidecars = SidecarField()
        self.unit = ExportChoiceBox(
            localize("字幕の単位", "Subtitle unit"),
            localize("SRT、WebVTT、ASS の区切りです。", "What one subtitle covers in SRT, WebVTT and ASS."),
            list_choices("unit"),
        )
        self.loudness = LoudnessField()
        self.game = ExportChoiceBox(
            localize("ゲーム", "Game"),
            localize(
                "行の ID をファイル名にし、エンジン用の一覧を書き出します。", "Names files by line ID and writes a list for the engine."
            ),
            list_choices("game"),
        )
        self.existing = ExportChoiceBox(
            localize("同名のファイル", "Existing files"),
            localize("同じ名前のファイルがあるときの動作です。", "What to do with files that exist."),
            list_choices("existing"),
        )
        self._lay_out_fields()
        self._connect_signals()
        for row, is_offered in enumerate(self._is_offered.values()):
            # The entries stay in place but cannot be chosen: without a selection or a star there is nothing to export.
            cast(Any, self.what.model()).item(row).setEnabled(is_offered)

    def _create_format_fields(self) -> None:
        self.sound = ExportChoiceBox(
            localize("形式", "Format"), localize("音声ファイルの形式です。", "Format of the audio files."), list_choices("sound")
        )
        self.quality = ExportChoiceBox(localize("音質", "Quality"), localize("サンプルの形式または音質です。", "Sample format or quality."))
        self.rate = ExportChoiceBox(
            localize("サンプリング周波数", "Sampling rate"),
            localize("音声ファイルのサンプリング周波数です。", "Sampling rate of the audio files."),
        )
        self.stereo = QCheckBox(localize("ステレオ", "Stereo"))
        self.stereo.setToolTip(localize("同じ音を左右に書き出します。", "Writes the same sound to both channels."))

    @property
    def settings(self) -> ExportSettings:
        sound, depth = self.sound.value, self.quality.value
        lossless = sound in ("wav", "flac")
        return ExportSettings(
            what=cast(Any, self.what.value),
            files=cast(Any, self.files.value),
            folder=self.folder.current,
            pattern=self.pattern.pattern,
            sound=sound,
            subtype=depth if lossless and depth != "16" else "",
            quality="standard" if lossless else cast(SoundQuality, depth),
            rate=int(self.rate.value),
            stereo=self.stereo.isChecked(),
            sidecars=self.sidecars.value,
            unit=cast(Any, self.unit.value),
            existing=cast(Any, self.existing.value),
            loudness=self.loudness.value,
            loudness_each=self.loudness.each.isChecked(),
            game=cast(Any, self.game.value),
            only_changed=self.only_changed.isChecked(),
        )

    def show_settings(self, settings: ExportSettings) -> None:
        """Show these settings; where no line is selected or no take starred, choose all lines instead."""
        # One signal at the end instead of a plan for each field that is set.
        self.blockSignals(True)
        self.what.choose_value(settings.what if self._is_offered[settings.what] else "all")
        values = (settings.files, settings.sound, settings.unit, settings.existing, settings.game)
        for box, value in zip((self.files, self.sound, self.unit, self.existing, self.game), values, strict=True):
            box.choose_value(value)
        # The qualities depend on the format, so they are offered before one of them is chosen.
        self._offer_depths()
        self.quality.choose_value(settings.subtype or "16" if settings.sound in ("wav", "flac") else settings.quality)
        self.rate.choose_value(str(settings.rate))
        self.folder.show_value(settings.folder)
        self.pattern.show_pattern(settings.pattern)
        self.stereo.setChecked(settings.stereo)
        self.only_changed.setChecked(settings.only_changed)
        self.sidecars.choose_kinds(settings.sidecars)
        self.loudness.choose_target(settings.loudness, is_each_file=settings.loudness_each)
        self._update_enabled_fields()
        self.blockSignals(False)
        self.changed.emit()

    def _lay_out_fields(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(9)
        grid.setColumnStretch(1, 1)
        rows: list[tuple[str, QWidget | QLayout, QWidget]] = [
            (localize("書き出す行", "Lines"), fill_box(QHBoxLayout(), self.what, self.only_changed, spacing=8), self.what),
            (localize("分け方", "Files"), self.files, self.files),
            (localize("保存先", "Folder"), self.folder, self.folder),
            (localize("ファイル名", "File name"), self.pattern, self.pattern),
            (localize("形式", "Format"), fill_box(QHBoxLayout(), self.sound, self.quality, spacing=8), self.sound),
            (localize("サンプリング", "Sampling rate"), fill_box(QHBoxLayout(), self.rate, self.stereo, spacing=8), self.rate),
            (localize("一緒に書き出す", "Also write"), self.sidecars, next(iter(self.sidecars.boxes.values()))),
            (localize("字幕の単位", "Subtitle unit"), self.unit, self.unit),
            (localize("ラウドネス", "Loudness"), self.loudness, self.loudness),
            (localize("ゲーム用", "For games"), self.game, self.game),
            (localize("同名のファイル", "Existing files"), self.existing, self.existing),
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

    def _connect_signals(self) -> None:
        self.sound.chosen.connect(self._offer_depths)
        boxes = (self.what, self.files, self.sound, self.quality, self.rate, self.unit, self.game, self.existing)
        for field in (*boxes, self.sidecars, self.loudness):
            field.chosen.connect(self._emit_changed)
        self.folder.changed.connect(self._emit_changed)
        self.pattern.changed.connect(self._emit_changed)
        self.stereo.toggled.connect(self._emit_changed)
        self.only_changed.toggled.connect(self._emit_changed)
        self._offer_depths()
        # `activated` comes from the user alone: shown settings keep a format that was chosen otherwise.
        self.game.activated.connect(self._apply_game_format)
        self._update_enabled_fields()

    @Slot()
    def _offer_depths(self) -> None:
        last_depth = self.quality.value
        self.quality.offer_choices(list_depth_choices(self.sound.value))
        if self.quality.findData(last_depth) < 0 and self.sound.value not in ("wav", "flac"):
            self.quality.choose_value("standard")
        self.rate.offer_choices(list_rate_choices(replace(ExportSettings(), sound=self.sound.value)))

    @Slot(int)
    def _apply_game_format(self, _index: int) -> None:
        # Ren'Py finds `voice/ID.ogg` by itself; the user may still choose another format afterwards.
        if self.game.value == "renpy":
            self.sound.choose_value("ogg")
            self._offer_depths()

    def _update_enabled_fields(self) -> None:
        """Enable the fields that depend on others: the subtitle unit and the name pattern."""
        self.unit.setEnabled(any(kind in CUE_SIDECARS for kind in self.sidecars.value))
        self.pattern.setEnabled(not self.game.value)

    @Slot()
    def _emit_changed(self) -> None:
        self._update_enabled_fields()
        self.changed.emit()
