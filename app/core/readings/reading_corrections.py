"""Corrects the readings of a sentence: our dictionary, rules with neighbours, second analyser, in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from app.core.readings import sudachi_check
from app.core.readings.affixes import find_affixes
from app.core.readings.context_rules import ReadingRules
from app.core.readings.homograph_rules import HOMOGRAPH_RULES, VERB_RULES
from app.core.readings.misparses import find_cries, find_misparses
from app.core.readings.morphs import Correction, Morph, drop_overlaps
from app.core.readings.shipped_words import ShippedWords
from app.core.readings.sudachi_check import SecondWord

WHITE_LIST = frozenset(
    """
居り 拵える 起き上る 盗人 奇怪 良人 懐く 集う 蔑む
半七 左膳 右門 紋也 三千代 三四郎 源十郎 九十郎 宗三郎 唯円 三吉 小坂部 お秀 お民 お蓮 お葉
""".split()  # noqa: SIM905 — a list to read
)


SecondAnalysis = Callable[[str], Sequence[SecondWord]]


@cache
def load_rules() -> ReadingRules:
    """Return all rules, read once."""
    return ReadingRules(HOMOGRAPH_RULES + VERB_RULES)


def find_corrections(morphs: Sequence[Morph], own: ShippedWords, second_words: SecondAnalysis) -> list[Correction]:
    """Return corrections in order, none overlapping, none over a word of the user's dictionary.

    A phrase of ours wins against a rule for one word in it.
    """
    ours = list(own.find_corrections(morphs))
    phrases = [found for found in ours if found.last - found.first > 1]
    found = [*phrases, *find_affixes(morphs), *find_cries(morphs), *load_rules().find_corrections(morphs), *ours, *find_misparses(morphs)]
    text = "".join(morph.surface for morph in morphs)
    if sudachi_check.may_correct(morphs, text, WHITE_LIST):  # asking takes as long as all the rest, and 85 MB the first time
        found += sudachi_check.find_corrections(morphs, second_words(text), WHITE_LIST)
    return drop_overlaps([one for one in found if not any(morph.is_users for morph in morphs[one.first : one.last])])
