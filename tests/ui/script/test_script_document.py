"""Steps of the undo stack: what becomes one, what becomes none, and what is let go."""

import gc

import pytest

from app.core.script.script import Line, Script
from app.ui.script import script_document
from app.ui.script.script_document import ScriptDocument


def script(text: str) -> Script:
    return Script((Line(text, id="line"),))


def kept() -> int:
    gc.collect()
    return sum(type(item) is script_document.EditCommand for item in gc.get_objects())


def test_what_follows_quickly_is_one_step_and_nothing_of_it_is_kept(qapp: object) -> None:
    before = kept()
    document = ScriptDocument(script(""))
    for length in range(1, 200):
        document.apply_edit("type", script("あ" * length), "typing")
    assert document.stack.count() == 1
    assert kept() - before == 1
    document.stack.undo()
    assert document.script == script("")
    document.stack.redo()
    assert document.script == script("あ" * 199)


def test_what_comes_to_nothing_is_no_step(qapp: object) -> None:
    document = ScriptDocument(script("あ"))
    document.apply_edit("other", script("い"))
    document.apply_edit("type", script("いう"), "typing")
    document.apply_edit("type", script("い"), "typing")
    assert document.stack.count() == 1
    assert document.stack.undoText() == "other"
    assert document.script == script("い")
    document.apply_edit("type", script("いえ"), "typing")
    document.stack.undo()
    assert document.script == script("い")


def test_other_words_undo_and_time_end_a_step(qapp: object, monkeypatch: pytest.MonkeyPatch) -> None:
    document = ScriptDocument(script(""))
    document.apply_edit("type", script("1"), "typing")
    document.apply_edit("drag", script("12"), "drag")
    assert document.stack.count() == 2
    document.stack.undo()
    document.apply_edit("type", script("13"), "typing")
    assert document.stack.count() == 2, "a step that was taken back to is not gone on with"
    monkeypatch.setattr(script_document, "UNDO_MERGE_WITHIN_S", -1.0)
    document.apply_edit("type", script("134"), "typing")
    assert document.stack.count() == 3
