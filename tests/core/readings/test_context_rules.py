"""The form of rules, and that they match what they say."""

from collections.abc import Callable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.adapters.openjtalk import mecab_words
from app.core.text.normalise import normalise_text
from app.core.text.readings.context_rules import ReadingRules
from app.core.text.readings.morphs import Correction, Morph, MorphPart, drop_overlaps
from app.core.text.readings.place_names import PlaceNames
from app.core.text.readings.reading_corrections import find_corrections, load_rules
from app.core.text.readings.shipped_words import ShippedWords

NO_WORDS = ShippedWords([])
WITHOUT_EXAMPLE = {
    "人 ジン>ヒト",
    "寒気 カンキ>サムケ",
    "目下 メシタ>モッカ",
    "二重 ニジュー>フタエ",
    "行 コー>ギョー",
    "色紙 シキシ>イロガミ",
    "末期 マッキ>マツゴ",
    "館 カン>ヤカタ",
    "臭い クサイ>ニオイ",
    "可い カイ>イー",
    "好い スイ>イー",
    "者 シャ>モノ",
    "月 ツキ>ゲツ",
    "数 スー>カズ",
    "被る カム>カブ",
    "訳 ヤク>ワケ",
    "下 カ>シタ",
    "皮 カワ>ツラ",
    "汚れ ケガ>ヨゴ",
    "這入る ハイー>ハイ",
    "強いる ツヨ>シ",
}


def morphs(*words: tuple[str, str], base: str = "", kind: str = "名詞") -> list[Morph]:
    """Words with their readings, one behind the other."""
    found: list[Morph] = []
    for surface, reading in words:
        found.append(Morph(surface, base or surface, (kind,), reading, found[-1].end if found else 0))
    return found


def read(text: str, *words: tuple[str, str], base: str = "") -> list[str | None]:
    """Readings that rules give to words."""
    return [correction.parts[0].reading for correction in ReadingRules(text).find_corrections(morphs(*words, base=base))]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("角 カド>ツノ@2 -2..-1 牛", ["ツノ"]),
        ("角 カド>ツノ@2 -1 牛", []),
        ("角 カド>ツノ@2 -1 の & -2 牛", ["ツノ"]),
        ("角 カド>ツノ@2 -1 が | -2 牛", ["ツノ"]),
        ("角 カド>ツノ@2 !-2..-1 鹿", ["ツノ"]),
        ("角 カド>ツノ@2 !-2..-1 牛", []),
        ("角 カク>ツノ@2 -2 牛", []),
        ("角 *>ツノ -2 <名詞>", ["ツノ"]),
        ("角 カド= +1 $", ["カド"]),
        ("角 カド>ツノ", ["ツノ"]),
    ],
)
def test_conditions(rule: str, expected: list[str]) -> None:
    assert read(rule, ("牛", "ウシ"), ("の", "ノ"), ("角", "カド")) == expected


def test_only_the_beginning_of_a_reading_changes_and_a_base_form_is_enough() -> None:
    assert read("被る コーム>カブ", ("被っ", "コームッ"), base="被る") == ["カブッ"]


def test_the_first_rule_that_fits_wins() -> None:
    assert read("角 カド>ツノ -2 牛\n角 カド>スミ", ("牛", "ウシ"), ("の", "ノ"), ("角", "カド")) == ["ツノ"]


@pytest.mark.parametrize("line", ["角", "角 カド", "角 カド>ツノ -1", "角 カド>ツノ 牛", "角 かど>ツノ"])
def test_what_is_no_rule_is_an_error(line: str) -> None:
    with pytest.raises(ValueError, match="no"):
        ReadingRules(line)


def test_every_rule_changes_or_keeps_something() -> None:
    for rule in load_rules():
        assert rule.wrong != rule.right, rule
        assert rule.alternatives, rule


def test_words_of_the_user_are_never_changed() -> None:
    users = [
        Morph("牛", "牛", ("名詞",), "ウシ"),
        Morph("の", "の", ("助詞",), "ノ", 1),
        Morph("角", "角", ("名詞",), "カド", 2, is_users=True),
    ]
    assert find_corrections(users, NO_WORDS, PlaceNames("", str), lambda _: []) == []


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(1, 5)), max_size=12))
def test_kept_corrections_never_overlap(places: list[tuple[int, int]]) -> None:
    found = [Correction(first, first + size, (MorphPart("あ"),), "rule", str(index)) for index, (first, size) in enumerate(places)]
    kept = drop_overlaps(found)
    assert all(one.last <= other.first for one, other in pairwise(kept))
    assert not found or found[0] in kept


def list_rules_that_never_decide(rules: ReadingRules, split: Callable[[str], list[Morph]]) -> list[str]:
    """The rules that decide on no word of their example, as they are written."""
    unfired = []
    for rule in rules:
        found = split(normalise_text(rule.example, lambda _word: None)) if rule.example else []
        if not any(one is rule for _at, one, _reading in rules.find_decisions(found)):
            unfired.append(f"{rule.key} {rule.wrong}>{rule.right}")
    return unfired


def test_every_rule_decides_on_its_example() -> None:
    """Those of `WITHOUT_EXAMPLE` cover readings that the analyser gives where no short text was found; a new rule needs an example."""
    split = mecab_words.create_lexicon().split_morphs
    planted = "角 カド>ツノ -2 牛  # 牛の角。\n角 カド>スミ -2 牛  # 牛の角。\n月 ツキ>ゲツ"
    assert list_rules_that_never_decide(ReadingRules(planted), split) == ["角 カド>スミ", "月 ツキ>ゲツ"]
    assert set(list_rules_that_never_decide(load_rules(), split)) == WITHOUT_EXAMPLE
