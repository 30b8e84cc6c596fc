"""Search and replace in the lines of the script."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QObject, Slot

from app.core.text_search import Match, Query, find, substitute, unknown_group, written_for
from app.errors import InputError
from app.language import localized
from app.ui.script.document import ScriptDocument
from app.ui.script.expressions import EndlessError, compiled, find_expression
from app.ui.script.list import ScriptList
from app.ui.script.search_bar import SearchBar
from app.ui.script.selection import Selection


class Search(QObject):
    """Finds what the bar asks for, selects the line it is in, and replaces it; all that is replaced at once is one step to undo."""

    def __init__(self, bar: SearchBar, document: ScriptDocument, view: ScriptList, selection: Selection) -> None:
        super().__init__(bar)
        self._bar, self._document, self._view, self._selection = bar, document, view, selection
        self._scope: list[str] | None = None
        self._matches: list[Match] = []
        self._place = -1
        self._is_replacing = False
        self._endless: Query | None = None
        bar.query_changed.connect(self._search)
        bar.by_changed.connect(self._on_by)
        bar.step_requested.connect(self._step)
        bar.replace_requested.connect(self._replace)
        bar.closed.connect(self.close)
        document.changed.connect(self._on_document)

    @Slot()
    def open(self) -> None:
        """Asks what is sought."""
        self._open(replacing=False)

    @Slot()
    def open_replace(self) -> None:
        """Asks what is sought, and what takes its place."""
        self._open(replacing=True)

    @Slot()
    def close(self) -> None:
        """Hides the bar; the keys go to the lines again."""
        self._bar.hide()
        self._view.setFocus()

    def _open(self, *, replacing: bool) -> None:
        ids = self._selection.ids
        self._scope = ids if len(ids) > 1 else None
        self._view.end_editing()
        self._bar.open(replacing=replacing, several=self._scope is not None)
        self._search()

    @Slot()
    def _search(self) -> None:
        """From the current line on; where nothing is found there, from the top."""
        self._find()
        self._go_behind(self._selection.current_id, 0)
        self._show()

    @Slot(int)
    def _step(self, forth: int) -> None:
        if self._matches:
            self._place = (self._place + forth) % len(self._matches)
            self._show()

    @Slot(bool)
    def _replace(self, everywhere: bool) -> None:
        wanted = self._matches if everywhere else self._matches[self._place : self._place + 1]
        if not wanted or self._bar.problem.isVisible():
            return
        last, by = wanted[-1], self._bar.by.text()
        count = f"{len(wanted):,}"
        label = localized(f"{count} か所を置換", f"Replace {count}") if everywhere else localized("置換", "Replace")
        self._is_replacing = True  # the places are looked for once, below
        self._document.edit(label, substitute(self._document.script, wanted, by))
        self._is_replacing = False
        self._find()
        self._go_behind(last.line_id, last.start + len(written_for(last, by)))  # what was put there may be found again: あ → ああ
        self._show()

    @Slot()
    def _on_document(self) -> None:
        if self._bar.isVisible() and not self._is_replacing:
            self._find()
            self._place = min(self._place, len(self._matches) - 1)
            self._bar.show_count(self._place + 1, len(self._matches))

    @Slot()
    def _on_by(self) -> None:
        """What takes the place of an expression's matches may name a group that there is not."""
        if self._bar.query.is_expression:
            self._on_document()

    def _go_behind(self, line_id: str, start: int) -> None:
        """To the first place from a letter of a line on; behind the last one to the first of all."""
        rows = {line.id: row for row, line in enumerate(self._document.script.lines)}
        begin = (rows.get(line_id, 0), start)
        self._place = next((index for index, match in enumerate(self._matches) if (rows[match.line_id], match.start) >= begin), 0)

    def _find(self) -> None:
        scope = self._scope if self._bar.chosen_only.isChecked() and self._bar.chosen_only.isVisible() else None
        ids, query = None if scope is None else frozenset(scope), self._bar.query
        if self._endless == query:  # the lines may change many times before the expression does
            return
        self._endless = None
        try:
            self._matches = self._find_expression(query.text, ids) if query.is_expression else find(self._document.script, query, ids)
        except InputError as error:
            self._matches = []
            self._endless = query if isinstance(error, EndlessError) else None
            self._bar.show_problem(error.message)
        else:
            self._bar.show_problem("")

    def _find_expression(self, pattern: str, ids: Collection[str] | None) -> list[Match]:
        """Raises InputError where the expression, or what takes the place of its matches, means nothing."""
        if not pattern:
            return []
        expression = compiled(pattern)
        unknown = unknown_group(self._bar.by.text(), expression.captureCount()) if self._bar.by.isVisible() else None
        if unknown is not None:
            raise InputError(localized(f"この正規表現にグループ {unknown} はありません。", f"The expression has no group {unknown}."))
        return find_expression(self._document.script, expression, ids)

    def _show(self) -> None:
        if not self._matches:
            self._place = -1
        else:
            self._view.choose([self._matches[self._place].line_id])
        self._bar.show_count(self._place + 1, len(self._matches))
