"""What the student is taught: the same phones as the product, and a teacher whose habits are mended."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from corpus import HELD_OUT
from frontend import Line, analyse, normalise, spread
from hts import STATES, Trajectory
from symbols import RELATIVES, SYMBOLS
from teacher import QUESTION_CENTS, STYLES, teach
from vocabulary import SPECIAL, encode, make_vocabulary

GOLDEN = Path(__file__).parents[1] / "golden" / "g2p_rohan_300.jsonl"


class SteadyVoice:
    """Stands in for the HTS engine: every state lasts 20 frames, the pitch is 300 Hz throughout."""

    def run(self, labels: tuple[str, ...], speed: float) -> Trajectory:
        count = len(labels) * STATES * 20
        durations = np.full((len(labels), STATES), 20, np.int32)
        ramp = np.repeat(np.arange(count, dtype=np.float32)[:, None], 35, 1)
        return Trajectory(durations, ramp, np.full(count, np.log(300.0), np.float32), np.ones(count, np.bool_), np.ones(31, np.float32))


def line(text: str) -> Line:
    found = analyse(normalise(text))
    assert found is not None
    return found


def test_rare_symbols_have_a_relative_that_was_learned() -> None:
    assert {*RELATIVES, *RELATIVES.values()} <= set(SYMBOLS)
    assert not set(RELATIVES) & set(RELATIVES.values())


def test_phones_tones_and_word2ph_follow_sbv2() -> None:
    cases = [json.loads(row) for row in GOLDEN.read_text("utf-8").splitlines()]
    wrong = 0
    for case in cases:
        found = analyse(normalise(case["text"]))
        same = found is not None and [list(found.phones), list(found.tones), list(found.word2ph)] == [
            case[k] for k in ("phones", "tones", "word2ph")
        ]
        wrong += not same
    assert wrong <= 3  # a few accents of rare words, where SBV2 itself is at odds with the labels


def test_each_label_finds_its_tokens() -> None:
    found = line("「今日は」と、言った。")
    assert [len(tokens) for tokens in found.token_of_label][:1] == [2]
    assert sorted(token for tokens in found.token_of_label for token in tokens) == list(range(len(found.phones)))
    assert len(found.word2ph) == len(found.text) + 2
    assert sum(found.word2ph) == len(found.phones)


def test_unreadable_text_is_left_out() -> None:
    assert analyse("ABC 123") is None
    assert analyse("") is None


def test_a_word_gives_its_first_characters_what_is_left_over() -> None:
    assert spread(5, 2) == [3, 2]
    assert spread(1, 3) == [1, 0, 0]


def test_silences_and_pauses_are_shortened() -> None:
    found = line("雨です、でも行く。")
    target = teach(SteadyVoice(), STYLES[0], found)
    length = dict(zip(range(len(found.phones)), target.durations.sum(1), strict=True))
    assert length[0] == pytest.approx(0.09)
    assert length[len(found.phones) - 1] == pytest.approx(0.09)
    assert 0.25 <= length[found.phones.index(",")] <= 0.4
    assert target.durations.sum() == pytest.approx(len(target.log_f0) * 0.005, rel=1e-5)


def test_a_pause_keeps_its_edges() -> None:
    target = teach(SteadyVoice(), STYLES[0], line("雨です、でも行く。"))
    jumps = np.diff(target.cepstra[:, 0])
    assert (jumps >= 1).all()
    assert (jumps > 1).sum() == 1  # only the middle of the comma is gone; the ends of the line lie outside


def test_questions_rise_and_statements_do_not() -> None:
    asked, said = (teach(SteadyVoice(), STYLES[0], line(f"行きますか{mark}")).log_f0 for mark in "？。")
    cents = (asked - np.log(300.0)) * 1200 / np.log(2)
    assert cents.max() == pytest.approx(QUESTION_CENTS, abs=1)
    assert (np.diff(cents) >= -1e-3).all()
    assert np.ptp(said) == 0


def test_the_grid_holds_the_trajectory() -> None:
    table = teach(SteadyVoice(), STYLES[0], line("雨です。")).on_grid()
    assert table.shape[1] == 37
    assert len(table) % 2 == 0
    assert table[2:-20, 0].tolist() == sorted(table[2:-20, 0].tolist())


def test_held_out_lines_are_a_hundred_of_each_corpus() -> None:
    drawn = json.loads(HELD_OUT.read_text("utf-8"))
    assert {name: len(set(texts)) for name, texts in drawn.items()} == {"rohan4600": 100, "common_voice_ja": 100}


def test_the_vocabulary_covers_kanji_and_ascii() -> None:
    tokens = make_vocabulary(["㎏"])
    assert tuple(tokens[:5]) == SPECIAL
    assert {"亜", "熙", "あ", "ー", "A", "~", "k"} <= set(tokens)
    assert len(tokens) == len(set(tokens))
    index = {token: place for place, token in enumerate(tokens)}
    assert encode("あ𠮷", index) == [1, index["あ"], 3, 2]
