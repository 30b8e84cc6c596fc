"""Words of our own: found where words of the analyser begin and end, and in the text where they have Latin letters."""

import csv

import pytest

from app.common.files.paths import find_resources_dir
from app.core.text.dictionary_entries import make_entry
from app.core.text.pronunciation import split_moras
from app.core.text.readings.morphs import Morph
from app.core.text.readings.shipped_words import ShippedWords

WORDS = ShippedWords([make_entry("花鳥", "カチョウ"), make_entry("花鳥風月", "カチョーフーゲツ"), make_entry("Zappo", "ザッポー", 1)])


def found(*surfaces: str) -> list[tuple[int, int, str]]:
    """Places and names of what is found in these words."""
    morphs: list[Morph] = []
    for surface in surfaces:
        morphs.append(Morph(surface, surface, ("名詞",), "ア", morphs[-1].end if morphs else 0))
    return [(one.first, one.last, one.name) for one in WORDS.find_corrections(morphs)]


@pytest.mark.parametrize(
    ("surfaces", "expected"),
    [
        (("花", "鳥", "風月"), [(0, 3, "花鳥風月")]),
        (("花鳥", "が"), [(0, 1, "花鳥")]),
        (("花", "鳥風", "が"), []),
        (("お花", "鳥"), []),
        (("花", "鳥し", "た"), [(0, 2, "花鳥")]),  # the analyser drew a form of する into it
    ],
)
def test_words_are_found_at_the_ends_of_words(surfaces: tuple[str, ...], expected: list[tuple[int, int, str]]) -> None:
    assert found(*surfaces) == expected


@pytest.mark.parametrize(
    ("text", "spoken"),
    [
        ("Zappoは", " ザッポー は"),
        ("ｚａｐｐｏは", " ザッポー は"),
        ("Zappos", "Zappos"),
        ("zappo.comとa@zappo", "zappo.comとa@zappo"),
    ],
)
def test_latin_words_are_katakana_but_not_in_addresses(text: str, spoken: str) -> None:
    assert WORDS.speak_latin_words(text) == spoken


def test_every_shipped_word_is_whole_and_stands_once() -> None:
    with (find_resources_dir() / "readings" / "words.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 150
    assert len({row["surface"] for row in rows}) == len(rows)
    for row in rows:
        entry = make_entry(row["surface"], row["reading"], int(row["accent"]), row["kind"], int(row["priority"]))
        assert entry.reading == row["reading"]
        assert entry.accent <= len(split_moras(entry.reading))
