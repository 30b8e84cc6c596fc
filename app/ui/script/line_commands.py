"""The commands for lines: each is one edit of the document, and selects the lines it made."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.common.language import localize
from app.core.delivery import ENGLISH, KATAKANA
from app.core.script.characters import change_all_settings, merge_cast
from app.core.script.script import (
    Character,
    Line,
    Script,
    change_pauses,
    change_settings,
    copy_lines,
    create_line_id,
    cut_long_line,
    insert_lines,
    move_lines,
    remove_lines,
    replace_text,
    shift_lines,
)
from app.core.script.text_division import divide_sentences, join_lines, split_line
from app.core.text.text_lines import MAX_LINE_CHARACTERS, cut_line, split_lines
from app.ui.script.line_editor import LineEditor, offer_divisions
from app.ui.script.line_selection import LineSelection
from app.ui.script.script_document import LineSeeds, ScriptDocument
from app.ui.script.script_list import ScriptList
from app.ui.script.script_model import ScriptModel

MAX_SELECTED_LINES = 1_000  # lines just added; selecting more is slow


class LineCommands(QObject):
    """Edits the document for the list.

    Signals:
        noticed(str): the added lines differ from the source.
        dialogue_pasted(str, int): the names in a dialogue are to become characters, and its lines to come before this row.
        stop_requested(): Esc, while a line is edited.
    """

    stop_requested = Signal()
    noticed = Signal(str)
    dialogue_pasted = Signal(str, int)

    def __init__(self, document: ScriptDocument, model: ScriptModel, view: ScriptList, selection: LineSelection, seeds: LineSeeds) -> None:
        super().__init__(view)
        self._document, self._model, self._view = document, model, view
        self._selection, self._seeds = selection, seeds
        self._copied_lines: list[Line] = []
        self._copied_cast: tuple[Character, ...] = ()  # who speaks them: they may be pasted into another project
        self._is_copied_here = False
        document.replaced.connect(self._mark_copies_foreign)
        view.lines_dropped.connect(self._move_to)
        view.texts_dropped.connect(self.add_text)
        view.line_requested.connect(self.add_line)
        view.editor_opened.connect(self._connect_editor)
        document.stepped.connect(self._select_changed)

    @Slot()
    def add_line(self) -> None:
        """Add an empty line below the selected one, with its settings, and open its editor."""
        (line,) = self._create_typed_lines([""])
        self._insert_lines([line], self.find_insertion_row(), localize("行を追加", "Add line"))
        self._view.edit_line(self._model.find_row(line.id))

    @Slot()
    def edit_current_line(self) -> None:
        """Open the editor of the current line."""
        self._view.edit_line(self._view.currentIndex().row())

    @Slot()
    def insert_copies(self) -> None:
        """Insert copies of the selected lines below them."""
        script, copies = copy_lines(self._document.script, self._view.selected_ids)
        self._document.apply_edit(localize("行を複製", "Duplicate"), script)
        self._view.select_lines([line.id for line in copies])

    @Slot()
    def delete_lines(self) -> None:
        """Remove the selected lines and select the next one."""
        ids = self._view.selected_ids
        if not ids:
            return
        self._view.end_editing()
        row = self._model.find_row(ids[0])
        self._document.apply_edit(localize("行を削除", "Delete lines"), remove_lines(self._document.script, ids))
        self._select_row(row)

    @Slot()
    def move_up(self) -> None:
        """Move the selected lines up by one."""
        self._shift_selected(-1)

    @Slot()
    def move_down(self) -> None:
        """Move the selected lines down by one."""
        self._shift_selected(1)

    @Slot()
    def cut_lines(self) -> None:
        """Move the selected lines from the script to the clipboard."""
        self.copy_lines()
        self.delete_lines()

    @Slot()
    def copy_lines(self) -> None:
        """Copy the selected lines to the clipboard, as text; pasted into a script they keep their settings."""
        lines = [line for line_id in self._view.selected_ids if (line := self._document.script.find_line(line_id))]
        if lines:
            self._copied_lines, spoken = lines, {line.character for line in lines}
            self._copied_cast = tuple(character for character in self._document.script.cast if character.id in spoken)
            self._is_copied_here = True
            QGuiApplication.clipboard().setText("\n".join(line.text for line in lines))

    @Slot()
    def paste_lines(self) -> None:
        """Paste the clipboard as lines below the selected one."""
        text = QGuiApplication.clipboard().text()
        if text == "\n".join(line.text for line in self._copied_lines):
            copies = [replace(line, id=create_line_id()) for line in self._copied_lines]
            script, adopted = merge_cast(self._document.script, copies, self._list_copied_cast())
            self._insert_lines(list(adopted), self.find_insertion_row(), localize("貼り付け", "Paste"), script)
        else:
            row, label = self.find_insertion_row(), localize("貼り付け", "Paste")
            offer_divisions(
                self._view.window(), text, lambda lines: self._add_lines(lines, row, label), lambda: self.dialogue_pasted.emit(text, row)
            )

    @Slot()
    def split_at_cursor(self) -> None:
        """Split the edited line at the cursor, and edit the second half next."""
        editor = self._view.editor
        if editor is None:
            message = localize(
                "行を編集し、分割する位置にカーソルを置いてください。", "Edit the line and place the cursor where it should be split."
            )
            self.noticed.emit(message)
            return
        start, end = editor.selected_range
        texts = [editor.text[:start].rstrip(), editor.text[end:].lstrip()]
        if not all(texts):
            return
        script, lines = split_line(self._document.script, editor.line_id, texts)
        self._view.end_editing()
        self._document.apply_edit(localize("行を分割", "Split line"), script)
        self._view.edit_line(self._model.find_row(lines[-1].id), 0)

    @Slot()
    def split_sentences(self) -> None:
        """Give each sentence of the selected lines a line of its own."""
        script, new_ids = self._document.script, []
        selected_lines = list(filter(None, map(script.find_line, self._view.selected_ids)))
        self._view.end_editing()
        for line in selected_lines:
            script, lines = split_line(script, line.id, divide_sentences(line.text, memos=line.settings.memos))
            new_ids += [item.id for item in lines]
        if script is not self._document.script:
            self._document.apply_edit(localize("文ごとに分割", "Split into sentences"), script)
            self._view.select_lines(new_ids[:MAX_SELECTED_LINES])

    @Slot()
    def join_lines(self) -> None:
        """Join the selected lines, or the selected one and the next."""
        ids = self._view.selected_ids
        self._view.end_editing()
        if len(ids) == 1 and (below := self._model.find_line(self._model.find_row(ids[0]) + 1)) is not None:
            ids = [ids[0], below.id]
        script, joined = join_lines(self._document.script, ids)
        if joined is not None:
            self._document.apply_edit(localize("行を結合", "Join lines"), script)
            self._view.select_lines([joined.id])

    def change_setting(self, name: str, value: Any) -> None:
        """Change one setting of the selected lines; dragging a slider is one step of undo."""
        ids, script = self._selection.ids, self._document.script
        if name == "seed_locked" and value:  # the take that was heard last is the one to keep
            for line in filter(None, map(script.find_line, ids)):
                script = change_settings(script, (line.id,), seed=self._seeds.apply_last_seed(line).settings.seed)
        if name == "seed":
            self._seeds.forget_seeds(ids)
        label = localize("設定を変更", "Change settings")
        self._document.apply_edit(label, change_settings(script, ids, **{name: value}), f"{name} {' '.join(ids)}")

    @Slot(bool)
    def choose_english(self, is_english: bool) -> None:
        """Read the English of all lines and characters in English, or as katakana."""
        script = change_all_settings(self._document.script, latin=ENGLISH if is_english else KATAKANA)
        self._document.apply_edit(localize("英字の読み方を変更", "Change the reading of Latin letters"), script)

    @Slot(object)
    def change_pause(self, pause_s: float | None) -> None:
        """Give the selected lines another pause before the next line; None for the silences around them."""
        ids = self._selection.ids
        label = localize("次の行までの間を変更", "Change the pause before the next line")
        self._document.apply_edit(label, change_pauses(self._document.script, ids, pause_s), f"pause_after_s {' '.join(ids)}")

    def change_settings(self, values: dict[str, Any]) -> None:
        """Change several settings of the selected lines at once."""
        label = localize("プリセットを適用", "Apply preset")
        self._document.apply_edit(label, change_settings(self._document.script, self._selection.ids, **values))

    @Slot(str, int)
    def add_text(self, text: str, row: int) -> None:
        self._add_lines(split_lines(text), row, localize("テキストを追加", "Add text"))

    def _add_lines(self, texts: list[str], row: int, label: str) -> None:
        self._insert_lines(self._create_typed_lines(texts), row, label)

    def insert_imported(self, lines: list[Line], cast: tuple[Character, ...], row: int) -> None:
        """Insert the lines of a file, with their characters."""
        script, adopted = merge_cast(self._document.script, lines, cast)
        self._insert_lines(list(adopted), row, localize("読み込み", "Import"), script)

    def _insert_lines(self, lines: list[Line], row: int, label: str, script: Script | None = None) -> None:
        if not lines:
            return
        cut_lines = [short_line for line in lines for short_line in cut_long_line(line)]
        self._document.apply_edit(label, insert_lines(script or self._document.script, row, cut_lines))
        self._view.select_lines([line.id for line in cut_lines[: len(cut_lines) if len(cut_lines) <= MAX_SELECTED_LINES else 1]])
        if len(cut_lines) > len(lines):
            message = localize(
                f"{MAX_LINE_CHARACTERS:,} 文字より長い行を分割し、{len(cut_lines):,} 行になりました。",
                f"Lines longer than {MAX_LINE_CHARACTERS:,} characters were split, giving {len(cut_lines):,} lines.",
            )
            self.noticed.emit(message)

    def _create_typed_lines(self, texts: Iterable[str]) -> list[Line]:
        """Return lines spoken like the current one, by the same character; brackets of text from elsewhere are no memos of VOICEVOX.

        While one character's lines are shown, and none is current, they are that character's.
        """
        script, settings = self._document.script, self._selection.settings
        current, speaker = script.find_line(self._selection.current_id), script.find_character(self._model.shown_character or "")
        if current is None and speaker is not None:
            return [Line(text, speaker.settings, character=speaker.id) for text in texts]
        # Lines that share a value are compared by identity.
        settings = replace(settings, memos=False) if settings.memos else settings
        character = current.character if current else ""
        return [Line(text, settings, character=character) for text in texts]

    def _list_copied_cast(self) -> tuple[Character, ...]:
        """Return who speaks the copied lines; who was renamed here since then has the new name, and is still the same one."""
        if not self._is_copied_here:
            return self._copied_cast
        names = {character.id: character.name for character in self._document.script.cast}
        return tuple(replace(character, name=names.get(character.id, character.name)) for character in self._copied_cast)

    @Slot()
    def _mark_copies_foreign(self) -> None:
        """Remember that the copied lines are those of another script."""
        self._is_copied_here = False

    def find_insertion_row(self) -> int:
        """Return the place in the script below the selected lines."""
        ids = self._view.selected_ids or [self._view.current_id]
        row = self._document.script.find_index(ids[-1])
        return row + 1 if row is not None else self._model.find_script_row(self._model.rowCount())

    def _select_row(self, row: int) -> None:
        line = self._model.find_line(min(row, self._model.rowCount() - 1))
        self._view.select_lines([line.id] if line else [])

    def _shift_selected(self, step: int) -> None:
        shift = self._shift_among_shown if self._model.is_filtered else shift_lines
        self._edit_keeping_selection(localize("行を移動", "Move lines"), lambda script, ids: shift(script, ids, step))

    def _shift_among_shown(self, script: Script, ids: list[str], step: int) -> Script:
        """Gather the lines before the shown line above them, or behind the one below; lines that are not shown keep their order."""
        rows = sorted(map(self._model.find_row, ids))
        neighbour = self._model.find_line(rows[0] - 1 if step < 0 else rows[-1] + 1) if rows else None
        row = script.find_index(neighbour.id) if neighbour is not None else None
        return script if row is None else move_lines(script, ids, row + (step > 0))

    @Slot(object, int)
    def _move_to(self, ids: list[str], row: int) -> None:
        self._view.select_lines(ids)
        self._edit_keeping_selection(localize("行を移動", "Move lines"), lambda script, _ids: move_lines(script, ids, row))

    def _edit_keeping_selection(self, label: str, edit: Any) -> None:
        ids, current, typing = self._view.selected_ids, self._view.current_id, self._view.editor is not None
        self._document.apply_edit(label, edit(self._document.script, ids))
        self._view.select_lines([current, *(line_id for line_id in ids if line_id != current)])
        if typing:
            self.edit_current_line()

    @Slot(object)
    def _connect_editor(self, editor: LineEditor) -> None:
        editor.typed.connect(self._update_text)
        editor.pasted.connect(self._offer_paste)
        editor.stepped.connect(self._edit_neighbour)
        editor.emptied.connect(self._delete_empty_line)
        editor.finished.connect(self._finish_editing)

    @Slot(str)
    def _update_text(self, text: str) -> None:
        editor = self.sender()
        assert isinstance(editor, LineEditor)
        label = localize("入力", "Typing")
        self._document.apply_edit(label, replace_text(self._document.script, editor.line_id, text), f"text {editor.line_id}")

    @Slot(str)
    def _offer_paste(self, text: str) -> None:
        editor = self.sender()
        assert isinstance(editor, LineEditor)
        line_id, (start, end) = editor.line_id, editor.selected_range
        offer_divisions(
            self._view.window(),
            text,
            lambda lines: self._paste_into(line_id, start, end, lines),
            lambda: self._paste_dialogue_at(line_id, text),
        )

    def _paste_into(self, line_id: str, start: int, end: int, texts: list[str]) -> None:
        """Replace these letters of a line by the first text, and add the others as lines below it."""
        script = self._document.script
        line, row = script.find_line(line_id), script.find_index(line_id)
        if line is None or row is None or not texts:
            return
        self._view.end_editing()
        first, *further = [short_text for text in texts for short_text in cut_line(text)]
        script = replace_text(script, line_id, line.text[:start] + first + line.text[end:])
        settings = replace(line.settings, memos=False)  # brackets from elsewhere are no memos of VOICEVOX
        lines = [Line(text, settings, character=line.character) for text in further]
        self._document.apply_edit(localize("貼り付け", "Paste"), insert_lines(script, row + 1, lines))
        self._view.select_lines([item.id for item in lines[:MAX_SELECTED_LINES]] or [line_id])

    def _paste_dialogue_at(self, line_id: str, text: str) -> None:
        """Request the lines of a dialogue below a line, or in its place where it is empty."""
        self._view.end_editing()
        line, row = self._document.script.find_line(line_id), self._document.script.find_index(line_id)
        if line is None or row is None:
            return
        if not line.text:
            self._document.apply_edit(localize("行を削除", "Delete lines"), remove_lines(self._document.script, [line_id]))
        self.dialogue_pasted.emit(text, row + bool(line.text))

    @Slot(int)
    def _edit_neighbour(self, step: int) -> None:
        row = self._view.currentIndex().row() + step
        if 0 <= row < self._model.rowCount():
            self._view.edit_line(row, -1 if step < 0 else 0)

    @Slot()
    def _delete_empty_line(self) -> None:
        row = self._view.currentIndex().row()
        self.delete_lines()
        if row > 0:
            self._view.edit_line(row - 1)

    @Slot(bool)
    def _finish_editing(self, stop: bool) -> None:
        self._view.end_editing()
        if stop:
            self.stop_requested.emit()

    @Slot(object, object)
    def _select_changed(self, former_script: Script, script: Script) -> None:
        """Select the lines that undo or redo changed."""
        old = {line.id: line for line in former_script.lines}
        changed = [line.id for line in script.lines if old.get(line.id) is not line]
        if changed and self._view.current_id not in changed:
            self._view.select_lines(changed)
        elif not self._view.selected_ids:
            self._select_row(max(0, self._view.currentIndex().row()))
