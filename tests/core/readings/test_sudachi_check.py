"""The second analyser's readings: as they sound, for the white list, and as doubts."""

import pytest

from app.core.text.pronunciation import Word
from app.core.text.readings.morphs import Morph, SecondWord, add_other_readings, convert_to_pronunciation, find_listed_words


@pytest.mark.parametrize(
    ("reading", "sound"), [("コウエン", "コーエン"), ("センセイ", "センセー"), ("ツヅク", "ツズク"), ("オオキイ", "オオキイ"), ("", "")]
)
def test_readings_as_they_sound(reading: str, sound: str) -> None:
    assert convert_to_pronunciation(reading) == sound


def test_a_word_of_the_white_list_with_the_same_ends_is_taken_over() -> None:
    words = [Morph("細", "細", (), "ホソ"), Morph("道", "道", (), "ミチ", 1), Morph("細道", "細道", (), "サイドー", 2)]
    second = [SecondWord("細道", "ホソミチ", 0), SecondWord("細道", "ホソミチ", 2)]
    found = list(find_listed_words(words, second, frozenset(["細道"])))
    assert [(one.first, one.last, one.parts[0].reading, one.source) for one in found] == [
        (0, 2, "ホソミチ", "second"),
        (2, 3, "ホソミチ", "second"),
    ]
    assert not list(find_listed_words(words, second, frozenset()))


def test_what_the_first_analyser_divides_is_one_word() -> None:
    words = [Morph("半", "半", (), "ハン"), Morph("七", "七", (), "ナナ", 1), Morph("は", "は", (), "ワ", 2)]
    (found,) = find_listed_words(words, [SecondWord("半七", "ハンシチ", 0), SecondWord("は", "ハ", 2)], frozenset(["半七"]))
    assert (found.first, found.last, found.parts[0].surface, found.parts[0].reading) == (0, 2, "半七", "ハンシチ")


@pytest.mark.parametrize(
    ("word", "other"),
    [
        (Word("玩具", "ガング"), "オモチャ"),
        (Word("玩具", "オモチャ"), ""),
        (Word("玩具", "ガング", read_by="user"), ""),
        (Word("玩具", "ガング", read_by="rule"), ""),
        (Word("玩具", "ガング", kind=("名詞", "接尾")), ""),
    ],
)
def test_a_doubt_is_what_nothing_has_settled(word: Word, other: str) -> None:
    assert add_other_readings([word], [SecondWord("玩具", "オモチャ", 0)])[0].other_reading == other


def test_voicing_alone_is_no_doubt() -> None:
    assert not add_other_readings([Word("小屋", "ゴヤ")], [SecondWord("小屋", "コヤ", 0)])[0].other_reading
