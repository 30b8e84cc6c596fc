"""What can be done to lines: each command is one edit of the document, and chooses the lines it made."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtGui import QGuiApplication

from app.core.script import Line, LineSettings, Script, change, cut, duplicate, insert, move, new_id, remove, retext, shift
from app.core.text_division import divide_sentences, join_lines, split_line
from app.core.text_lines import LONGEST_LINE, cut_line, split_lines
from app.language import localized
from app.ui.script.document import ScriptDocument
from app.ui.script.editor import LineEditor
from app.ui.script.list import ScriptList
from app.ui.script.paste_offer import divisions_of, offer_divisions
from app.ui.script.script_model import ScriptModel
from app.ui.script.selection import Selection
from app.ui.script.take_seeds import TakeSeeds

MOST_CHOSEN = 1_000  # lines just added; selecting more is slow


class LineCommands(QObject):
    """Edits the document for the list.

    Signals:
        noticed(str): the added lines differ from the source.
        stop_requested(): Esc, while a line is edited.
    """

    stop_requested = Signal()
    noticed = Signal(str)

    def __init__(self, document: ScriptDocument, model: ScriptModel, view: ScriptList, selection: Selection, seeds: TakeSeeds) -> None:
        super().__init__(view)
        self._document, self._model, self._view = document, model, view
        self._selection, self._seeds = selection, seeds
        self._copied: list[Line] = []
        view.lines_dropped.connect(self._move_to)
        view.texts_dropped.connect(self.add_text)
        view.line_requested.connect(self.add)
        view.editor_opened.connect(self._connect_editor)
        document.stepped.connect(self._on_stepped)

    @Slot()
    def add(self) -> None:
        """An empty line below the selected one, with its settings, ready to be typed into."""
        line = Line(settings=self._typed_settings)
        self._put([line], self.place(), localized("行を追加", "Add line"))
        self._view.edit_line(self._model.row(line.id))

    @Slot()
    def edit(self) -> None:
        """Opens the editor of the current line."""
        self._view.edit_line(self._view.currentIndex().row())

    @Slot()
    def duplicate(self) -> None:
        """Copies of the selected lines below them."""
        after, copies = duplicate(self._document.script, self._view.chosen_ids)
        self._document.edit(localized("行を複製", "Duplicate"), after)
        self._view.choose([line.id for line in copies])

    @Slot()
    def delete(self) -> None:
        """Removes the selected lines; the next one is selected."""
        ids = self._view.chosen_ids
        if not ids:
            return
        self._view.end_editing()
        row = self._model.row(ids[0])
        self._document.edit(localized("行を削除", "Delete lines"), remove(self._document.script, ids))
        self._choose_row(row)

    @Slot()
    def move_up(self) -> None:
        """One place up."""
        self._shift(-1)

    @Slot()
    def move_down(self) -> None:
        """One place down."""
        self._shift(1)

    @Slot()
    def cut(self) -> None:
        """To the clipboard, and out of the script."""
        self.copy()
        self.delete()

    @Slot()
    def copy(self) -> None:
        """To the clipboard, as text; pasted in here the lines keep their settings."""
        lines = [line for line_id in self._view.chosen_ids if (line := self._document.script.find(line_id))]
        if lines:
            self._copied = lines
            QGuiApplication.clipboard().setText("\n".join(line.text for line in lines))

    @Slot()
    def paste(self) -> None:
        """Lines below the selected one."""
        text = QGuiApplication.clipboard().text()
        if text == "\n".join(line.text for line in self._copied):
            self._put([replace(line, id=new_id()) for line in self._copied], self.place(), localized("貼り付け", "Paste"))
        else:
            row = self.place()
            offer_divisions(
                self._view.window(), divisions_of(text), lambda lines: self._add_lines(lines, row, localized("貼り付け", "Paste"))
            )

    @Slot()
    def split_here(self) -> None:
        """Splits the line that is edited where the cursor is; the second half is edited next."""
        editor = self._view.editor
        if editor is None:
            self.noticed.emit(
                localized(
                    "行を編集し、分割する位置にカーソルを置いてください。", "Edit the line and place the cursor where it should be split."
                )
            )
            return
        start, end = editor.selected_range
        texts = [editor.text[:start].rstrip(), editor.text[end:].lstrip()]
        if not all(texts):
            return
        after, pieces = split_line(self._document.script, editor.line_id, texts)
        self._view.end_editing()
        self._document.edit(localized("行を分割", "Split line"), after)
        self._view.edit_line(self._model.row(pieces[-1].id), 0)

    @Slot()
    def split_sentences(self) -> None:
        """Gives each sentence of the selected lines a line of its own."""
        ids, script, made = self._view.chosen_ids, self._document.script, []
        self._view.end_editing()
        for line in [found for line_id in ids if (found := script.find(line_id)) is not None]:
            script, pieces = split_line(script, line.id, divide_sentences(line.text, memos=line.settings.memos))
            made += [piece.id for piece in pieces]
        if script is not self._document.script:
            self._document.edit(localized("文ごとに分割", "Split into sentences"), script)
            self._view.choose(made[:MOST_CHOSEN])

    @Slot()
    def join(self) -> None:
        """Makes one line of the selected ones, or of the selected one and the next."""
        ids = self._view.chosen_ids
        self._view.end_editing()
        if len(ids) == 1 and (below := self._model.line(self._model.row(ids[0]) + 1)) is not None:
            ids = [ids[0], below.id]
        after, joined = join_lines(self._document.script, ids)
        if joined is not None:
            self._document.edit(localized("行を結合", "Join lines"), after)
            self._view.choose([joined.id])

    def change(self, name: str, value: Any) -> None:
        """Changes one setting of the selected lines; a slider that is dragged is one step."""
        ids, script = self._selection.ids, self._document.script
        if name == "seed_locked" and value:  # the take that was heard last is the one to keep
            for line in filter(None, map(script.find, ids)):
                script = change(script, (line.id,), seed=self._seeds.applied(line).settings.seed)
        if name == "seed":
            self._seeds.forget(ids)
        self._document.edit(localized("設定を変更", "Change settings"), change(script, ids, **{name: value}), f"{name} {' '.join(ids)}")

    def change_all(self, values: dict[str, Any]) -> None:
        """Changes several settings of the selected lines at once."""
        self._document.edit(localized("プリセットを適用", "Apply preset"), change(self._document.script, self._selection.ids, **values))

    @Slot(str, int)
    def add_text(self, text: str, row: int) -> None:
        """A line for every line of a text."""
        self._add_lines(split_lines(text), row, localized("テキストを追加", "Add text"))

    def _add_lines(self, texts: list[str], row: int, label: str) -> None:
        settings = self._typed_settings
        self._put([Line(text, settings) for text in texts], row, label)

    def put(self, lines: list[Line], row: int) -> None:
        """Lines of a file."""
        self._put(lines, row, localized("読み込み", "Import"))

    def _put(self, lines: list[Line], row: int, label: str) -> None:
        if not lines:
            return
        put = [piece for line in lines for piece in cut(line)]
        self._document.edit(label, insert(self._document.script, row, put))
        self._view.choose([line.id for line in put[: len(put) if len(put) <= MOST_CHOSEN else 1]])
        if len(put) > len(lines):
            self.noticed.emit(
                localized(
                    f"{LONGEST_LINE:,} 文字より長い行を分割し、{len(put):,} 行になりました。",
                    f"Lines longer than {LONGEST_LINE:,} characters were split, giving {len(put):,} lines.",
                )
            )

    @property
    def _typed_settings(self) -> LineSettings:
        """Those of the selected lines for text that comes from elsewhere: its brackets are no memos of VOICEVOX."""
        return replace(self._selection.settings, memos=False)

    def place(self) -> int:
        """The row below the selected lines."""
        ids = self._view.chosen_ids or [self._view.current_id]
        row = self._model.row(ids[-1])
        return row + 1 if row >= 0 else self._model.rowCount()

    def _choose_row(self, row: int) -> None:
        line = self._model.line(min(row, self._model.rowCount() - 1))
        self._view.choose([line.id] if line else [])

    def _shift(self, step: int) -> None:
        self._keep_selected(localized("行を移動", "Move lines"), lambda script, ids: shift(script, ids, step))

    @Slot(object, int)
    def _move_to(self, ids: list[str], row: int) -> None:
        self._view.choose(ids)
        self._keep_selected(localized("行を移動", "Move lines"), lambda script, _ids: move(script, ids, row))

    def _keep_selected(self, label: str, edit: Any) -> None:
        ids, current, typing = self._view.chosen_ids, self._view.current_id, self._view.editor is not None
        self._document.edit(label, edit(self._document.script, ids))
        self._view.choose([current, *(line_id for line_id in ids if line_id != current)])
        if typing:
            self.edit()

    @Slot(object)
    def _connect_editor(self, editor: LineEditor) -> None:
        editor.typed.connect(self._on_typed)
        editor.pasted.connect(self._on_pasted)
        editor.stepped.connect(self._on_edge)
        editor.emptied.connect(self._on_emptied)
        editor.finished.connect(self._on_finished)

    @Slot(str)
    def _on_typed(self, text: str) -> None:
        editor = self.sender()
        assert isinstance(editor, LineEditor)
        self._document.edit(localized("入力", "Typing"), retext(self._document.script, editor.line_id, text), f"text {editor.line_id}")

    @Slot(str)
    def _on_pasted(self, text: str) -> None:
        editor = self.sender()
        assert isinstance(editor, LineEditor)
        line_id, (start, end) = editor.line_id, editor.selected_range
        offer_divisions(self._view.window(), divisions_of(text), lambda lines: self._paste_into(line_id, start, end, lines))

    def _paste_into(self, line_id: str, start: int, end: int, texts: list[str]) -> None:
        """Puts the first text in the place of these letters of a line, and the others below it."""
        script = self._document.script
        line, row = script.find(line_id), self._model.row(line_id)
        if line is None or not texts:
            return
        self._view.end_editing()
        first, *others = [piece for text in texts for piece in cut_line(text)]
        script = retext(script, line_id, line.text[:start] + first + line.text[end:])
        settings = replace(line.settings, memos=False)  # brackets from elsewhere are no memos of VOICEVOX
        made = [Line(text, settings) for text in others]
        self._document.edit(localized("貼り付け", "Paste"), insert(script, row + 1, made))
        self._view.choose([item.id for item in made[:MOST_CHOSEN]] or [line_id])

    @Slot(int)
    def _on_edge(self, step: int) -> None:
        row = self._view.currentIndex().row() + step
        if 0 <= row < self._model.rowCount():
            self._view.edit_line(row, -1 if step < 0 else 0)

    @Slot()
    def _on_emptied(self) -> None:
        row = self._view.currentIndex().row()
        self.delete()
        if row > 0:
            self._view.edit_line(row - 1)

    @Slot(bool)
    def _on_finished(self, stop: bool) -> None:
        self._view.end_editing()
        if stop:
            self.stop_requested.emit()

    @Slot(object, object)
    def _on_stepped(self, before: Script, after: Script) -> None:
        """Undo and redo show what they changed."""
        old = {line.id: line for line in before.lines}
        changed = [line.id for line in after.lines if old.get(line.id) is not line]
        if changed and self._view.current_id not in changed:
            self._view.choose(changed)
        elif not self._view.chosen_ids:
            self._choose_row(max(0, self._view.currentIndex().row()))
