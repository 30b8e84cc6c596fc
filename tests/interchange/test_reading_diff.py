"""Accents and readings of other programs as edits, with the real front end."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.compose.text_front_end import open_g2p
from app.core.script.project import Project
from app.core.script.script import Line, LineSettings, Script
from app.core.sound.line_edits import list_phrases
from app.core.sound.line_reading import LineReading, read_line
from app.core.synthesis_types import Overrides, PauseOverride, ReadingOverride
from app.core.text.pronunciation import split_moras
from app.interchange.imported_script import ImportedPhrase, ImportedScript
from app.interchange.reading_diff import apply_spoken_phrases

G2P = open_g2p()


def read(
    text: str, readings: tuple[ReadingOverride, ...] = (), emoji: bool = False, memos: bool = False, english: bool = False
) -> LineReading:
    return read_line(text, readings, G2P, emoji=emoji, memos=memos, english=english)


def spoken(kana: str, accent: int, pause_s: float | None = None) -> ImportedPhrase:
    return ImportedPhrase(tuple(split_moras(kana)), accent, pause_s)


def settle(text: str, *phrases: ImportedPhrase) -> ImportedScript:
    return apply_spoken_phrases(ImportedScript(Project(Script((Line(text, id="a"),))), (), {"a": phrases}), read)


def heard(imported: ImportedScript) -> tuple[str, list[tuple[int, int, int]]]:
    """What is spoken with the edits: kana, and phrases as (start, end, accent)."""
    (line,) = imported.project.script.lines
    reading = read(line.text, line.overrides.readings)
    return "".join(mora.kana for mora in reading.moras), [(one.start, one.end, one.accent) for one in list_phrases(reading, line.overrides)]


def test_what_is_read_so_anyway_is_no_edit() -> None:
    imported = settle("今日は、いい天気ですね。", spoken("キョオワ", 1), spoken("イイ", 1), spoken("テンキデスネ", 1))
    assert imported.project.script.lines[0].overrides == Overrides()
    assert imported.losses == ()


def test_another_accent() -> None:
    imported = settle("今日は、いい天気ですね。", spoken("キョオワ", 3), spoken("イイテンキデスネ", 4))
    assert heard(imported) == ("キョーワイイテンキデスネ", [(0, 3, 0), (3, 11, 4)])
    assert imported.project.script.lines[0].overrides.readings == ()


def test_another_reading_and_a_pause() -> None:
    imported = settle("今日は、いい天気ですね。", spoken("コンニチワ", 5, 0.35), spoken("イイ", 1), spoken("ソラデスネ", 1))
    overrides = imported.project.script.lines[0].overrides
    assert overrides.readings == (ReadingOverride("今日", "コンニチ", occurrence=0), ReadingOverride("天気", "ソラ", occurrence=0))
    assert overrides.pauses == (PauseOverride(0, 0.35),)
    assert heard(imported)[0] == "コンニチワイイソラデスネ"


def test_a_reading_that_fits_nowhere_is_reported() -> None:
    imported = settle("はい", spoken("ハイ", 1), spoken("", 0), spoken("マッタクチガウ", 2))
    assert imported.losses == () or len(imported.losses) == 1
    assert heard(imported)[0] in ("ハイ", "ハイマッタクチガウ")


TEXTS = ("東京都に住んでいます。", "明日、学校へ行く？", "コーヒーを飲もう", "音声合成は楽しい。", "123円です")


@given(st.sampled_from(TEXTS), st.data())
def test_any_accents_of_our_own_reading_arrive(text: str, data: st.DataObject) -> None:
    """Cut anywhere but across a mark, with any accents: the edits give exactly these phrases."""
    reading = read(text)
    count = len(reading.moras)
    forced = {0} | {mark.moras_before for mark in reading.marks if mark.moras_before < count} | {place.moras for place in reading.offsets}
    starts = sorted({start for start in forced if start < count} | data.draw(st.sets(st.integers(1, count - 1), max_size=4)))
    ends = [*starts[1:], count]
    phrases, wanted = [], []
    for start, end in zip(starts, ends, strict=True):
        accent = data.draw(st.integers(0, end - start))
        phrases.append(ImportedPhrase(tuple(mora.kana for mora in reading.moras[start:end]), accent))
        wanted.append((start, end, accent if accent < end - start else 0))
    imported = settle(text, *phrases)
    assert imported.losses == ()
    assert heard(imported)[1] == wanted


@pytest.mark.parametrize("kana", ["ーー", "ン", "ッッ"])
def test_odd_kana_end_in_a_sentence_not_in_an_error(kana: str) -> None:
    imported = settle("はい、どうぞ。", spoken(kana, 1), spoken("ドオゾ", 1))
    assert heard(imported)[0]


def test_edits_are_counted_without_memos() -> None:
    imported = ImportedScript(Project(Script((Line("今日[小声で]は{晴天|せいてん}です。", LineSettings(memos=True), id="a"),))), (), {})
    phrases = (spoken("キョオワ", 3), spoken("ハレデス", 2))
    (line,) = apply_spoken_phrases(replace(imported, phrases_by_line={"a": phrases}), read).project.script.lines
    assert line.overrides.memos
    assert line.overrides.readings == (ReadingOverride("晴天", "ハレ", occurrence=0),)
    reading = read(line.text, line.overrides.readings, memos=True)
    assert "".join(mora.kana for mora in reading.moras) == "キョーワハレデス"
