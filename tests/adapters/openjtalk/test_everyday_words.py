"""Words of the net and of every day, and sentences in which they must not be found."""

import csv
import random
import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from app.adapters.openjtalk import mecab_words
from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P
from app.core.text.normalise import normalise_text
from app.core.text.readings.reading_corrections import load_rules

G2P = OpenJTalkG2P()
MARKS = re.compile("[。．.！？!?…]|^8+$")  # of ends; and applause is a number with a stop behind it
DRAWN_SENTENCES = 600  # of each text of the reference material; one that starts like a particle continues the sentence before it

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


def find_dependent_readings(sentences: Iterable[str]) -> dict[str, str]:
    """Return the sentences that are read otherwise with a full stop, or behind another sentence."""
    found = {}
    for text in sentences:
        reading = G2P.convert_sentence(text).reading
        for written, expected in ((f"{text}。", reading), (f"はい。{text}", f"ハイ{reading}")):
            if (heard := G2P.convert_sentence(written).reading) != expected:
                found[written] = heard
    return found


def test_neither_a_full_stop_nor_the_place_in_the_text_shapes_a_reading() -> None:
    assert find_dependent_readings(text for text in READINGS if not MARKS.search(text)) == {}


@pytest.mark.slow
@pytest.mark.reference
@pytest.mark.parametrize("name", ["rohan4600.txt", "common_voice_ja.txt"])
def test_no_sentence_of_the_texts_depends_on_a_full_stop_or_its_place(shared: Path, name: str) -> None:
    lines = (line.rpartition(":")[2].partition(",")[0].strip() for line in (shared / "texts" / name).read_text("utf-8").splitlines())
    sentences = [
        text for line in lines if (text := line.rstrip("。．.！？!?")) and not MARKS.search(text) and text[0] not in "をとのはへがにで"
    ]
    assert find_dependent_readings(random.Random(58).sample(sentences, DRAWN_SENTENCES)) == {}
