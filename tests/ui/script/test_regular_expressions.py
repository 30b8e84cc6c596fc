"""Regular expressions: what they find, what takes its place, and that none of them holds the window."""

import re
import time
from itertools import chain

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.common.errors import InputError
from app.core.script.script import Line, Script
from app.core.script.text_search import SearchMatch, expand_replacement, find_unknown_group, replace_matches
from app.ui.script.script_search import find_matches_by_line, parse_expression
from tests.ui.conftest import OpenWindow
from tests.ui.script.test_script_search import CONTROL, press, texts
from tests.ui.window_driver import WindowDriver

HELD_S = 0.5  # a search of LONGEST_S on a machine that does other things as well


def script(*lines: str) -> Script:
    return Script(tuple(Line(text, id=str(index)) for index, text in enumerate(lines)))


def find(within: Script, pattern: str) -> list[SearchMatch]:
    return list(chain.from_iterable(find_matches_by_line(within, parse_expression(pattern))))


def replaced(pattern: str, by: str, *lines: str) -> list[str]:
    within = script(*lines)
    return [line.text for line in replace_matches(within, find(within, pattern), by).lines]


def test_groups_take_their_places() -> None:
    assert replaced(r"^(\w+)「(.+)」$", "$2（$1）", "花子「はい」", "地の文") == ["はい（花子）", "地の文"]
    assert replaced(r"(\d+)年", r"\1ねん", "2026年と2027年") == ["2026ねんと2027ねん"]
    assert replaced(r"(猫)|犬", "[${1}]", "猫と犬") == ["[猫]と[]"]
    assert replaced("円", r"$$\\$0", "5円") == [r"5$\円"]
    assert replaced("^", "「", "あ", "い") == ["「あ", "「い"]
    assert replaced(r"\p{Han}+", "漢", "日本語のテキスト") == ["漢のテキスト"]


def test_letters_that_qt_counts_twice() -> None:
    assert replaced("野.", "$0!", "𠮷野家😀𠮷野屋") == ["𠮷野家!😀𠮷野屋!"]
    assert replaced("😀", "", "a😀b😀") == ["ab"]


@given(st.text("ab。𠮷x1", max_size=40), st.sampled_from(["a", "a+", "b|x", "(a)(b)", "[^a]", r"\d", "a*?b", "^.", ".$"]))
def test_the_same_as_pythons_where_they_mean_the_same(text: str, pattern: str) -> None:
    assert replaced(pattern, "<$0>", text) == [re.sub(pattern, lambda found: f"<{found[0]}>", text)]


def test_a_plain_text_for_replacing_stays_as_it_is() -> None:
    assert expand_replacement(SearchMatch("0", 0, 1), "$1") == "$1"
    assert find_unknown_group("$1 ${12} $$3", 2) == 12
    assert find_unknown_group(r"\\3 $2", 2) is None


@pytest.mark.parametrize("pattern", ["(", "a{2,1}", "[", "(?<", "*", r"\p{Nonsense}"])
def test_one_that_is_wrong_says_where(pattern: str) -> None:
    with pytest.raises(InputError, match=r"Invalid expression at character [0-9]+: .+"):
        parse_expression(pattern)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [(r"(a+)+$", "a" * 1000 + "b"), (r"^(([a-z])+.)+[A-Z]([a-z])+$", "a" * 2000), ("(a?){30}a{30}", "a" * 30), ("()", "あ" * 2000)],
)
def test_one_without_end_is_given_up(pattern: str, text: str) -> None:
    lines = script(*[text] * 3000)
    began = time.process_time()
    with pytest.raises(InputError, match="takes too long"):
        find(lines, pattern)
    assert time.process_time() - began < HELD_S


def test_in_the_window(qtbot: QtBot, open_window: OpenWindow) -> None:
    window: WindowDriver = open_window()
    window.commands.add_text("花子「はい」\n太郎「いいえ」\n地の文", 0)
    window.script.select_lines([window.lines[0].id])
    bar = window.left.search
    press(qtbot, window.script, Qt.Key.Key_H, CONTROL)
    bar.expression.click()
    assert not bar.loose.isEnabled()
    bar.sought.setText("^(.+)「(.+")
    assert bar.problem.isVisible()
    assert bar.problem.text().startswith("Invalid expression at character")
    assert not bar.replace_all.isEnabled()
    bar.sought.setText("^(.+)「(.+)」")
    assert not bar.problem.isVisible()
    assert bar.count.text() == "1 / 2"
    bar.by.setText("$3")
    assert bar.problem.text() == "The expression has no group 3."
    assert not bar.replace_all.isEnabled()
    bar.by.setText("$2。")
    bar.replace_all.click()
    assert texts(window) == ["はい。", "いいえ。", "地の文"]
    window.undo_stack.undo()
    assert texts(window) == ["花子「はい」", "太郎「いいえ」", "地の文"]
    bar.expression.click()
    assert bar.loose.isEnabled()
    assert bar.count.text() == "Not found"


def test_in_the_selected_lines_only(qtbot: QtBot, open_window: OpenWindow) -> None:
    window: WindowDriver = open_window()
    window.commands.add_text("一1\n二2\n三3", 0)
    window.script.select_lines([line.id for line in window.lines[:2]])
    press(qtbot, window.script, Qt.Key.Key_H, CONTROL)
    bar = window.left.search
    bar.expression.click()
    bar.sought.setText(r"\d")
    assert bar.count.text() == "1 / 2"
    bar.replace_all.click()
    assert texts(window) == ["一", "二", "三3"]
