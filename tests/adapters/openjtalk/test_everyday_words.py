"""Words of the net and of every day, and sentences in which they must not be found."""

import csv
from pathlib import Path

from app.adapters.openjtalk import mecab_words
from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.core.text.normalise import normalise_text
from app.core.text.readings.reading_corrections import load_rules

G2P = OpenJTalkG2P()

with (Path(__file__).parents[2] / "golden" / "everyday_words.tsv").open(encoding="utf-8", newline="") as _file:
    READINGS = {row["text"]: row["reading"] for row in csv.DictReader(_file, delimiter="\t")}
# Rules from before there were rows; a new rule comes with a sentence where it acts, and this number only falls.
RULES_WITHOUT_ROWS = 107


def test_every_sentence_is_read_right() -> None:
    assert len(READINGS) > 400
    assert {text: G2P.convert_sentence(text).reading for text in READINGS} == READINGS


def test_a_new_rule_acts_in_a_sentence() -> None:
    rules = load_rules()
    split = mecab_words.create_lexicon().split_morphs
    acting = {
        id(rule) for text in READINGS for _at, rule, _reading in rules.find_decisions(split(normalise_text(text, lambda _word: None)))
    }
    assert sum(id(rule) not in acting for rule in rules) <= RULES_WITHOUT_ROWS
