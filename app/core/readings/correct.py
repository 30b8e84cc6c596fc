"""What is to be read otherwise in a sentence: dictionary of ours, rules with neighbours, second analyser, in this order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

from app.core.readings import second
from app.core.readings.affixes import affixes
from app.core.readings.cries import cries
from app.core.readings.homographs import HOMOGRAPHS
from app.core.readings.misparses import misparses
from app.core.readings.morphs import Correction, Morph, without_overlaps
from app.core.readings.own_words import OwnWords
from app.core.readings.rules import Rules
from app.core.readings.second import SecondWord
from app.core.readings.verbs import VERBS
from app.core.readings.white_list import WHITE_LIST

SecondAnalyser = Callable[[str], Sequence[SecondWord]]


@cache
def rules() -> Rules:
    """All rules, read once."""
    return Rules(HOMOGRAPHS + VERBS)


def corrections(morphs: Sequence[Morph], own: OwnWords, second_words: SecondAnalyser) -> list[Correction]:
    """In order, none overlapping, none over a word of the user's dictionary. A phrase of ours wins against a rule for one word in it."""
    ours = list(own.corrections(morphs))
    phrases = [found for found in ours if found.last - found.first > 1]
    found = [*phrases, *affixes(morphs), *cries(morphs), *rules().corrections(morphs), *ours, *misparses(morphs)]
    text = "".join(morph.surface for morph in morphs)
    if second.may_correct(morphs, text, WHITE_LIST):  # asking takes as long as all the rest, and 85 MB the first time
        found += second.corrections(morphs, second_words(text), WHITE_LIST)
    return without_overlaps([one for one in found if not any(morph.is_users for morph in morphs[one.first : one.last])])
