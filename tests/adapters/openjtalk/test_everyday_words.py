"""Words of the net and of every day, and sentences in which they must not be found."""

from __future__ import annotations

import csv
from pathlib import Path

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P

G2P = OpenJTalkG2P()

WORDS = Path(__file__).parents[2] / "golden" / "everyday_words.tsv"


def test_every_sentence_is_read_right() -> None:
    with WORDS.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file, delimiter="\t"))
    assert len(rows) > 400
    said = {row["text"]: G2P.convert_sentence(row["text"]).reading for row in rows}
    assert said == {row["text"]: row["reading"] for row in rows}
