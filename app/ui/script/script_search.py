"""Search and replace in the lines of the script."""

import time
from collections.abc import Collection, Iterator

from PySide6.QtCore import QObject, QRegularExpression, QTimer, Signal, Slot

from app.common.errors import InputError
from app.common.language import localize
from app.core.script.script import Line, Script
from app.core.script.text_search import SearchMatch, SearchQuery, expand_replacement, find_matches, find_unknown_group, replace_matches
from app.ui.script.line_selection import LineSelection
from app.ui.script.list_bars import SearchBar
from app.ui.script.script_document import ScriptDocument
from app.ui.script.script_list import ScriptList

# Python's own hold every thread until they are done, which `(a+)+$` is not in a lifetime; a library with a time limit would be one more to ship.

MAX_EXPRESSION_S = 0.1  # of a search through all lines, its pauses apart; Qt gives up a single match after about a fifth of that
LAST_BMP_CHARACTER = "\uffff"  # letters behind it are two for Qt


class EndlessExpressionError(InputError):
    """An expression takes too long."""

    def __init__(self) -> None:
        super().__init__(
            localize(
                "この正規表現は処理に時間がかかりすぎます。繰り返しを減らしてください。",
                "This expression takes too long. Use fewer repetitions.",
            )
        )


def parse_expression(pattern: str) -> QRegularExpression:
    """Return an expression; raise InputError with the place of the mistake if it is not valid."""
    expression = QRegularExpression(pattern, QRegularExpression.PatternOption.UseUnicodePropertiesOption)
    if not expression.isValid():
        offset = expression.patternErrorOffset()
        message = localize(
            f"正規表現が正しくありません（{offset} 文字目）。", f"Invalid expression at character {offset}: {expression.errorString()}."
        )
        raise InputError(message)
    return expression


def find_matches_by_line(script: Script, expression: QRegularExpression, ids: Collection[str] | None = None) -> Iterator[list[SearchMatch]]:
    """Yield for each of these lines, or of all, a list of its matches; empty matches count, such as the beginning of a line.

    Raises EndlessExpressionError.
    """
    left_s = MAX_EXPRESSION_S
    for line in script.lines:
        if ids is None or line.id in ids:
            matches: list[SearchMatch] = []
            began = time.perf_counter()
            for match in _iterate_matches(line, expression):
                matches.append(match)
                if time.perf_counter() - began > left_s:
                    raise EndlessExpressionError
            left_s -= time.perf_counter() - began
            if left_s < 0:
                raise EndlessExpressionError
            yield matches


def _iterate_matches(line: Line, expression: QRegularExpression) -> Iterator[SearchMatch]:
    matches = expression.globalMatch(line.text)
    if not matches.isValid():
        raise EndlessExpressionError
    is_plain = not line.text or max(line.text) <= LAST_BMP_CHARACTER
    units = line.text.encode("utf-16-le", "surrogatepass")

    def convert_offset(utf16_offset: int) -> int:
        return utf16_offset if is_plain else len(units[: 2 * utf16_offset].decode("utf-16-le", "replace"))

    while matches.hasNext():
        match = matches.next()
        if not match.isValid():
            raise EndlessExpressionError
        groups = tuple(match.captured(number) for number in range(expression.captureCount() + 1))
        yield SearchMatch(line.id, convert_offset(match.capturedStart()), convert_offset(match.capturedEnd()), groups)


SEARCH_SLICE_S = 0.008  # of its own time that a search computes, after which the window does what else it has to do


class ScriptSearchController(QObject):
    """Finds what the bar asks for, selects the line it is in, and replaces it; all that is replaced at once is one step to undo.

    Signals:
        replaced(int): everything was replaced at once, in so many places.
    """

    replaced = Signal(int)

    def __init__(self, bar: SearchBar, document: ScriptDocument, view: ScriptList, selection: LineSelection) -> None:
        super().__init__(bar)
        self._bar, self._document, self._view, self._selection = bar, document, view, selection
        self._scope: list[str] | None = None
        self._matches: list[SearchMatch] = []
        self._remaining_lines: Iterator[list[SearchMatch]] | None = None  # the lines that were not looked through yet
        self._match_index = -1
        self._begin: tuple[str, int] | None = None  # the line and the letter from which on a place is wanted, until one is found
        self._pause = QTimer(self, interval=0)
        self._pause.timeout.connect(self._search_next_slice)
        self._is_replacing = False
        self._endless: SearchQuery | None = None
        bar.query_changed.connect(self._search_from_current)
        bar.replacement_changed.connect(self._check_replacement)
        bar.step_requested.connect(self._select_next_match)
        bar.replace_requested.connect(self._replace_matches)
        bar.closed.connect(self.close)
        document.changed.connect(self._search_changed_script)

    @Slot()
    def open_search(self) -> None:
        self._open_bar(is_replacing=False)

    @Slot()
    def open_replace(self) -> None:
        """Open the search bar with the field for the replacement."""
        self._open_bar(is_replacing=True)

    @Slot()
    def search_shown_lines(self) -> None:
        """Search again after other lines are shown; what is not shown is neither found nor replaced."""
        if self._bar.isVisible():
            self._begin_search()

    @Slot()
    def close(self) -> None:
        """Hide the bar and drop the unfinished search; keys go to the lines again."""
        self._remaining_lines = None
        self._pause.stop()
        self._bar.hide()
        self._view.setFocus()

    def _open_bar(self, *, is_replacing: bool) -> None:
        ids = self._selection.ids
        self._scope = ids if len(ids) > 1 else None
        self._view.end_editing()
        self._bar.open_bar(is_replacing=is_replacing, has_selection=self._scope is not None)
        self._search_from_current()

    @Slot()
    def _search_from_current(self) -> None:
        """From the current line on; where nothing is found there, from the top."""
        self._set_search_start(self._selection.current_id, 0)
        self._begin_search()

    @Slot(int)
    def _select_next_match(self, step: int) -> None:
        self._finish_search()
        if self._matches:
            self._match_index = (self._match_index + step) % len(self._matches)
            self._show_match()

    @Slot(bool)
    def _replace_matches(self, is_everywhere: bool) -> None:
        self._finish_search()
        matches = self._matches if is_everywhere else self._matches[self._match_index : self._match_index + 1]
        if not matches or self._bar.problem.isVisible():
            return
        last, by = matches[-1], self._bar.by.text()
        count = f"{len(matches):,}"
        label = localize(f"{count} か所を置換", f"Replace {count}") if is_everywhere else localize("置換", "Replace")
        self._is_replacing = True  # the places are looked for once, below
        self._document.apply_edit(label, replace_matches(self._document.script, matches, by))
        self._is_replacing = False
        if is_everywhere:
            self.replaced.emit(len(matches))
        # What was put there may be found again: あ → ああ.
        self._set_search_start(last.line_id, last.start + len(expand_replacement(last, by)))
        self._begin_search()

    @Slot(object, object)
    def _search_changed_script(self, former_script: Script, script: Script) -> None:
        if self._bar.isVisible() and not self._is_replacing and _has_other_texts(former_script, script):
            self._begin_search()

    @Slot()
    def _check_replacement(self) -> None:
        """Check that the replacement of an expression names no group that does not exist."""
        if self._bar.query.is_expression and self._bar.isVisible():
            self._begin_search()

    def _set_search_start(self, line_id: str, start: int) -> None:
        """Request the first match from a character of a line on, or the first of all behind the last one."""
        self._begin, self._match_index = (line_id, start), -1

    def _begin_search(self) -> None:
        """Begin to search the lines; a search longer than a slice continues in further slices."""
        scope = self._scope if self._bar.chosen_only.isChecked() and self._bar.chosen_only.isVisible() else None
        if scope is None and self._view.is_filtered:
            scope = self._view.shown_ids
        ids, query = None if scope is None else frozenset(scope), self._bar.query
        if self._endless == query:  # the lines may change many times before the expression does
            return
        self._endless, self._matches = None, []
        script = self._document.script
        self._remaining_lines = self._find_expression(query.text, ids) if query.is_expression else find_matches(script, query, ids)
        self._search_next_slice()

    @Slot()
    def _search_next_slice(self) -> None:
        self._search_until(time.thread_time() + SEARCH_SLICE_S)

    def _finish_search(self) -> None:
        """Search the lines that are left."""
        if self._remaining_lines is not None:
            self._search_until(float("inf"))

    def _search_until(self, end_time: float) -> None:
        """Search lines until a time of `time.thread_time`, which other threads' work does not shorten, and show the result."""
        assert self._remaining_lines is not None
        checked_count = len(self._matches)
        try:
            for matches in self._remaining_lines:
                self._matches += matches
                if time.thread_time() > end_time:
                    self._pause.start()
                    self._select_first_match(checked_count)
                    return
        except InputError as error:
            self._matches = []
            self._endless = self._bar.query if isinstance(error, EndlessExpressionError) else None
            self._bar.show_problem(error.message)
        else:
            self._bar.show_problem("")
        self._remaining_lines = None
        self._pause.stop()
        self._select_first_match(min(checked_count, len(self._matches)))
        self._match_index = min(self._match_index, len(self._matches) - 1)
        self._bar.show_count(self._match_index + 1, len(self._matches))

    def _select_first_match(self, checked_count: int) -> None:
        """Select the wanted match once it is found, or the first of all once it is known that there is none behind it.

        Args:
            checked_count: how many places were looked at before.
        """
        if self._begin is None:
            return
        script = self._document.script
        begin = (script.find_index(self._begin[0]) or 0, self._begin[1])
        matches = enumerate(self._matches[checked_count:], checked_count)
        index = next((at for at, match in matches if (script.find_index(match.line_id) or 0, match.start) >= begin), -1)
        if index >= 0 or self._remaining_lines is None:
            self._begin, self._match_index = None, max(index, 0)
            self._show_match()

    def _find_expression(self, pattern: str, ids: Collection[str] | None) -> Iterator[list[SearchMatch]]:
        """Yield the matches of a pattern; raise InputError if the expression or the replacement is not valid."""
        if not pattern:
            return
        expression = parse_expression(pattern)
        unknown = find_unknown_group(self._bar.by.text(), expression.captureCount()) if self._bar.by.isVisible() else None
        if unknown is not None:
            raise InputError(localize(f"この正規表現にグループ {unknown} はありません。", f"The expression has no group {unknown}."))
        yield from find_matches_by_line(self._document.script, expression, ids)

    def _show_match(self) -> None:
        if not self._matches:
            self._match_index = -1
        else:
            self._view.select_lines([self._matches[self._match_index].line_id])
        self._bar.show_count(self._match_index + 1, len(self._matches))


def _has_other_texts(former_script: Script, script: Script) -> bool:
    """Return whether a search of one script may find something else than in the other."""
    return len(former_script.lines) != len(script.lines) or any(
        old is not new and (old.text != new.text or old.id != new.id or old.settings.memos != new.settings.memos)
        for old, new in zip(former_script.lines, script.lines, strict=True)
    )
