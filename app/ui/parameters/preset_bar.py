"""Presets, the user's own and those of the open project: their files, and the bar that chooses, saves, removes, imports and exports them."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.common.errors import AppError, InputError
from app.common.files.paths import find_data_dir
from app.common.files.untrusted_json import MAX_SHORT_TEXT_CHARS, parse_json
from app.common.files.whole_files import PARSE_FAULTS, check_version, load_data, read_with_retry, save_data
from app.common.language import localize
from app.common.system_errors import describe_reason
from app.common.user_notices import show_notice
from app.core.script.project import MOST_PRESETS, LinePreset, Presets, convert_presets_to_data, parse_presets, parse_untrusted_presets
from app.core.script.script import LineSettings
from app.ui.background_thread import AutosavedFile, BackgroundThread
from app.ui.theme.theme import ThemedWidget, draw_icon
from app.ui.widgets.controls import DIALOG_MARGINS, ChoiceBox, PlainLabel, describe_control, fill_box, set_up_button
from app.ui.widgets.dialogs import ClosableDialog, append_suffix, ask_for_file

PRESETS_VERSION = 1
LARGEST_BYTES, MOST_VALUES = 4 << 20, 50 * MOST_PRESETS  # limits (bytes, values) of an imported file; a preset has some 500 bytes


@dataclass(frozen=True, slots=True)
class PresetEntry:
    """A preset as it is displayed."""

    name: str
    preset: LinePreset
    stored_name: str  # Its name in the file; a preset of a project may be named like one of the user's
    in_project: bool = False


def locate_presets_file() -> Path:
    """Return the path of the user's presets."""
    return find_data_dir() / "presets.json"


def describe_default_preset() -> str:
    """Return the name of the built-in preset, which has every value at its default."""
    return localize("標準", "Default")


def load_presets() -> tuple[dict[str, LinePreset], AppError | None]:
    """Return the user's presets by name; a file that cannot be read is copied aside and reported."""
    presets, error = load_data(
        locate_presets_file(), _parse_presets, localize("プリセットを読み込めませんでした。", "The presets could not be read.")
    )
    return presets or {}, error


def save_presets(presets: Presets, path: Path | None = None) -> None:
    """Write all presets, to the user's own file or to an exported one. Raise OutputFileError where that fails."""
    data = {"version": PRESETS_VERSION, "presets": convert_presets_to_data(presets)}
    save_data(path or locate_presets_file(), data, localize("プリセットを保存できません", "The presets could not be saved"))


def read_presets(path: Path) -> dict[str, LinePreset]:
    """Return the presets of an imported file. Raise InputError where it is not a preset file."""
    try:
        data = parse_json(read_with_retry(path, LARGEST_BYTES), most_values=MOST_VALUES)
        return parse_untrusted_presets(check_version(data, PRESETS_VERSION, "presets"))
    except PARSE_FAULTS as exc:
        hint = localize("Koebako から書き出したプリセットのファイルを選んでください。", "Choose a preset file that Koebako exported.")
        details = f"{hint}（{describe_reason(exc)}）" if isinstance(exc, OSError) else hint
        raise InputError(localize(f"「{path.name}」を読み込めません。", f"“{path.name}” cannot be read."), details) from exc


def merge_presets(presets: Presets, added: Presets) -> dict[str, LinePreset]:
    """Return both sets of presets; an added one whose name is taken by a different preset gets a number."""
    result = dict(presets)
    for name, preset in added.items():
        result[choose_free_name(result, name, preset)] = preset
    return result


def choose_free_name(presets: Presets, name: str, preset: LinePreset) -> str:
    """Return the name for an added preset: its own, or one with a number where that belongs to a different preset."""
    names = (name, *(f"{name} ({number})" for number in range(2, len(presets) + 3)))
    return next(name for name in names if (name not in presets and name != describe_default_preset()) or presets.get(name) == preset)


def _parse_presets(data: Any) -> dict[str, LinePreset]:
    return parse_presets(check_version(data, PRESETS_VERSION, "presets"))


class PresetCollection:
    """A collection of both kinds of presets."""

    def __init__(self) -> None:
        self.own: Presets = {}
        self.project: Presets = {}
        # The displayed presets, the user's first; one that is identical in the project is displayed once.
        self.entries: tuple[PresetEntry, ...] = ()

    def set_presets(self, own: Presets | None = None, project: Presets | None = None) -> None:
        """Replace the presets of either kind; None keeps those of a kind."""
        self.own = dict(self.own if own is None else own)
        self.project = dict(self.project if project is None else project)
        entries = {name: PresetEntry(name, preset, name) for name, preset in self.own.items()}
        for name, preset in self.project.items():
            presets = {item.name: item.preset for item in entries.values()}
            entries.setdefault(free := choose_free_name(presets, name, preset), PresetEntry(free, preset, name, in_project=True))
        self.entries = tuple(entries.values())

    def list_names(self, *, in_project: bool) -> Collection[str]:
        """Return the names under which a preset of this kind would be replaced."""
        return {name for item in self.entries if item.in_project is in_project for name in (item.name, item.stored_name)}

    def put_preset(self, name: str, preset: LinePreset, *, in_project: bool) -> None:
        """Add a preset, replacing one of this kind that is displayed under the name."""
        # The displayed name may have a number that the stored name lacks; the stored one is replaced.
        stored_names = (item.stored_name for item in self.entries if item.in_project is in_project and item.name == name)
        self._replace_presets({**self._select_presets(in_project=in_project), next(stored_names, name): preset}, in_project=in_project)

    def add_presets(self, presets: Presets, *, in_project: bool) -> None:
        self._replace_presets(merge_presets(self._select_presets(in_project=in_project), presets), in_project=in_project)

    def remove_preset(self, entry: PresetEntry) -> None:
        presets = {name: preset for name, preset in self._select_presets(in_project=entry.in_project).items() if name != entry.stored_name}
        self._replace_presets(presets, in_project=entry.in_project)

    def _select_presets(self, *, in_project: bool) -> Presets:
        return self.project if in_project else self.own

    def _replace_presets(self, presets: Presets, *, in_project: bool) -> None:
        self.set_presets(project=presets) if in_project else self.set_presets(own=presets)


class PresetNameDialog(ClosableDialog):
    """A dialog with a field and two check boxes.

    Args:
        presets: The present ones; the dialog warns where one will be replaced.

    Signals:
        name_accepted(str, bool, bool): The name, whether the preset includes voice, speaker and style, and whether it is the project's.
    """

    name_accepted = Signal(str, bool, bool)

    def __init__(self, parent: QWidget, presets: PresetCollection, entry: PresetEntry | None = None) -> None:
        super().__init__(parent)
        self._presets = presets
        self.setWindowTitle(localize("プリセットとして保存", "Save as a preset"))
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(400)
        label = QLabel(localize("プリセット名", "Preset name"))
        self.field = QLineEdit(entry.name if entry is not None else "", maxLength=MAX_SHORT_TEXT_CHARS)
        describe_control(self.field, label.text(), localize("一覧に表示する名前です。", "The name in the list."))
        self.field.selectAll()
        label.setBuddy(self.field)
        text = localize("声・話者・スタイルも含める", "Include voice, speaker and style")
        self.character = QCheckBox(text)
        tip = localize(
            "プリセットを選んだときに、声・話者・スタイルも変えます。", "Choosing the preset also changes voice, speaker and style."
        )
        self.character.setToolTip(tip)
        self.character.setChecked(entry is not None and entry.preset.character)
        self.in_project = QCheckBox(localize("このプロジェクトだけで使う", "Only in this project"))
        tip = localize(
            "プロジェクトのファイルに保存し、ほかのプロジェクトでは表示しません。",
            "Saves it in the project file; other projects do not show it.",
        )
        self.in_project.setToolTip(tip)
        self.in_project.setChecked(entry is not None and entry.in_project)
        self.note = PlainLabel("", "muted", wraps=True)
        self._create_buttons()
        rows = label, self.field, self.character, self.in_project, self.note, (self.buttons, Qt.AlignmentFlag.AlignRight)
        fill_box(QVBoxLayout(self), *rows, margins=DIALOG_MARGINS, spacing=10)
        self.field.textChanged.connect(self._update_buttons)
        self.in_project.toggled.connect(self._update_buttons)
        self._update_buttons()

    def _create_buttons(self) -> None:
        self.buttons = QDialogButtonBox()
        self.save = self.buttons.addButton(localize("保存", "Save"), QDialogButtonBox.ButtonRole.AcceptRole)
        set_up_button(self.save, localize("今の設定を保存します。（Enter）", "Saves the current settings. (Enter)"), style="primary")
        cancel = self.buttons.addButton(localize("キャンセル", "Cancel"), QDialogButtonBox.ButtonRole.RejectRole)
        cancel.setToolTip(localize("保存せずに閉じます。", "Closes without saving."))
        self.buttons.accepted.connect(self._accept_name)
        self.buttons.rejected.connect(self.reject)

    @property
    def name(self) -> str:
        """Return the typed name without surrounding blanks."""
        return self.field.text().strip()

    @Slot()
    def _update_buttons(self) -> None:
        # The name of the built-in preset is reserved: the list would show two entries that look the same.
        is_reserved = self.name == describe_default_preset()
        self.save.setEnabled(bool(self.name) and not is_reserved)
        replaces = localize("同じ名前のプリセットを置き換えます。", "Replaces the preset of this name.")
        reserved = localize("この名前は使えません。", "This name is reserved.")
        is_taken = self.name in self._presets.list_names(in_project=self.in_project.isChecked())
        self.note.setText(reserved if is_reserved else replaces if is_taken else "")

    @Slot()
    def _accept_name(self) -> None:
        self.name_accepted.emit(self.name, self.character.isChecked(), self.in_project.isChecked())
        self.accept()


class PresetMenuButton(QToolButton):
    """A button whose menu saves, deletes, imports and exports presets; files are read and written in the background.

    Args:
        presets: Returns the presets to export.
        save: Called where the user wants to save the current settings as a preset.
        delete: Called where the user wants to delete the selected preset.

    Signals:
        presets_read(Presets): The presets of a file were read.
        failed(AppError): A file could not be read or written.
    """

    presets_read = Signal(object)
    failed = Signal(object)

    def __init__(self, *, presets: Callable[[], Presets], save: Callable[[], None], delete: Callable[[], None]) -> None:
        super().__init__()
        self._presets = presets
        self._background = BackgroundThread(self, "preset files")
        self._background.failed.connect(self.failed)
        tip = localize("プリセットの保存、削除、読み込み、書き出しをします。", "Saves, deletes, imports or exports presets.")
        set_up_button(self, tip, name=localize("プリセットの操作", "Preset actions"), style="more")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self)
        self.save = menu.addAction(localize("今の設定をプリセットとして保存…", "Save settings as a preset…"))
        self.save.triggered.connect(save)
        self.delete = menu.addAction(localize("選択中のプリセットを削除", "Delete the selected preset"))
        self.delete.triggered.connect(delete)
        menu.addSeparator()
        self.import_presets = menu.addAction(localize("プリセットを読み込む…", "Import presets…"))
        self.import_presets.triggered.connect(self._choose_import_file)
        self.export = menu.addAction(localize("プリセットを書き出す…", "Export presets…"))
        self.export.triggered.connect(self._export_presets)
        self.setMenu(menu)

    def import_file(self, file: Path) -> None:
        """Read a file and emit `presets_read` or `failed`."""
        self._background.run_work(partial(read_presets, file), self.presets_read.emit)

    @Slot()
    def _choose_import_file(self) -> None:
        kinds = localize("プリセット", "Presets") + " (*.json)"
        if (file := ask_for_file(self, localize("プリセットを読み込む", "Import presets"), kinds)) is not None:
            self.import_file(file)

    @Slot()
    def _export_presets(self) -> None:
        start = str(Path.home() / "koebako-presets.json")
        name, _ = QFileDialog.getSaveFileName(self, localize("プリセットを書き出す", "Export presets"), start, "JSON (*.json)")
        if name:
            file = Path(name) if Path(name).suffix.lower() == ".json" else append_suffix(Path(name), ".json")
            self._background.run_work(partial(save_presets, self._presets(), file))


class PresetBar(ThemedWidget, QWidget):
    """A list of presets with its menu; changes are shown at once, written in the background, and are no steps of the script's history.

    Signals:
        chosen(dict): A preset was chosen; its values by the name of the setting.
        preset_removed(PresetEntry): The user removed the preset; `restore_preset` puts it back.
        project_changed(Presets): The user changed the presets of the project.
        presets_imported(int): This number of presets was imported.
        failed(AppError): A file could not be read or written.
    """

    chosen = Signal(object)
    preset_removed = Signal(object)
    project_changed = Signal(object)
    presets_imported = Signal(int)
    failed = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._collection = PresetCollection()
        self.file = AutosavedFile(self, "presets", lambda: partial(save_presets, self._collection.own), delay_ms=0)
        self._settings = LineSettings()
        self.label = QLabel(localize("プリセット", "Preset"))
        self.names = ChoiceBox()
        self.names.setPlaceholderText(localize("（変更あり）", "(changed)"))
        self.names.setAccessibleName(self.label.text())
        self.names.setToolTip(localize("選んだ行にプリセットの設定を適用します。", "Applies a preset to the selected lines."))
        self.names.setMinimumContentsLength(6)
        self.names.activated.connect(self._apply_selected)
        self.label.setBuddy(self.names)
        self.more = PresetMenuButton(presets=lambda: self.presets, save=self._ask_for_name, delete=self._remove_selected)
        self.more.failed.connect(self.failed)
        self.more.presets_read.connect(self._import_presets)
        fill_box(QHBoxLayout(self), self.label, (self.names, 1), self.more, spacing=8)
        self._fill_choices()
        self.draw_in_theme()

    @property
    def presets(self) -> Presets:
        """Return all presets by their displayed name."""
        return {item.name: item.preset for item in self._collection.entries}

    def load_presets(self) -> None:
        """Read the user's presets from the disk, and show a notice where that fails."""
        presets, error = load_presets()
        self._collection.set_presets(own=presets)
        self._fill_choices()
        show_notice(error)

    def show_project(self, presets: Presets) -> None:
        """Show the presets of another project, or changed ones of the same."""
        if presets != self._collection.project:
            self._collection.set_presets(project=presets)
            self._fill_choices()

    def show_settings(self, settings: LineSettings) -> None:
        """Show the preset that equals a line's settings, preferring one with voice, speaker and style."""
        self._settings = settings
        presets = [LinePreset(), *self.presets.values()]
        rows = [row for row, preset in enumerate(presets) if LinePreset.from_settings(settings, character=preset.character) == preset]
        self.names.setCurrentIndex(max(rows, key=lambda row: (presets[row].character, -row), default=-1))
        self.more.delete.setEnabled(self.names.currentIndex() > 0)

    def keep_settings_as(self, name: str, with_speaker: bool = False, in_project: bool = False) -> None:
        """Save the shown settings under a name, for all projects or for the open one, replacing a preset of that name."""
        self._collection.put_preset(name, LinePreset.from_settings(self._settings, character=with_speaker), in_project=in_project)
        self._save_presets(in_project=in_project)

    def restore_preset(self, entry: PresetEntry) -> None:
        """Put back a removed preset; presets added since are kept."""
        self._collection.add_presets({entry.stored_name: entry.preset}, in_project=entry.in_project)
        self._save_presets(in_project=entry.in_project)

    def _save_presets(self, *, in_project: bool) -> None:
        self._fill_choices()
        if in_project:
            self.project_changed.emit(self._collection.project)
        else:
            self.file.schedule_save()

    def _fill_choices(self) -> None:
        self.names.clear()
        of_project = localize("（プロジェクト）", " (project)")
        self.names.addItems([describe_default_preset(), *(item.name + of_project * item.in_project for item in self._collection.entries)])
        self.more.export.setEnabled(bool(self._collection.entries))
        self.show_settings(self._settings)

    @Slot(int)
    def _apply_selected(self, row: int) -> None:
        self.chosen.emit([LinePreset(), *self.presets.values()][row].values)

    @Slot()
    def _ask_for_name(self) -> None:
        entry = self._collection.entries[self.names.currentIndex() - 1] if self.more.delete.isEnabled() else None
        dialog = PresetNameDialog(self, self._collection, entry)
        dialog.name_accepted.connect(self.keep_settings_as)
        dialog.open()

    @Slot()
    def _remove_selected(self) -> None:
        entry = self._collection.entries[self.names.currentIndex() - 1]
        self._collection.remove_preset(entry)
        self._save_presets(in_project=entry.in_project)
        self.preset_removed.emit(entry)

    @Slot(object)
    def _import_presets(self, presets: Presets) -> None:
        self._collection.add_presets(presets, in_project=False)
        self._save_presets(in_project=False)
        self.presets_imported.emit(len(presets))

    def draw_in_theme(self) -> None:
        self.more.setIcon(draw_icon(self.more.objectName(), self.palette().color(QPalette.ColorRole.WindowText)))
