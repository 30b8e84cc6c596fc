"""Everyday sentences, and where we read otherwise than SBV2's own front end: for a reason each, listed in app/decisions/reading.md."""

import importlib.util
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from app.adapters.openjtalk.openjtalk_g2p import OpenJTalkG2P

G2P = OpenJTalkG2P()
# Words that were wrong in the golden sentences: they stand in every sentence whose phones differ.
MENDED = (
    "へジャリャ", "次の", "辛", "金を", "表に", "街中", "桜の下", "神の一手", "止め", "細々", "抱い", "中に", "穴が開", "蓋が開", "何時も", "コミュ障", "音を上げ", "拵える", "喧しい", "拵える", "心中", "被る", "貴女", "名寄市", "蛇口を捻", "五拍子", "彷徨",
    "四字熟語", "其方", "和木町", "空になった", "苦って",
)  # fmt: skip
# Kinds of accent that differ.
ACCENTED = (
    "「ちゃん」",
    "「ぬん」",
    "そうです",
    "そうだ",
    "そうなので",
    "ないで",
    "百円",
    "ご飯",
    "ごはん",
    "なさい",
    "一杯",
    "いい",
    *MENDED,
)
MIMETIC = re.compile(r"([ぁ-ゖァ-ヺ]{2,4})\1(?:の|だ|です|でし|に|な)")  # flat: ボロボロの


def scorer(shared: Path) -> Callable[[str], str]:
    """`sound` of the scorer beside the sentences: ways of writing that sound the same count as equal."""
    spec = importlib.util.spec_from_file_location("score_readings", shared / "golden" / "score_readings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Callable[[str], str] = module.sound
    return found


def test_everyday_sentences(shared: Path) -> None:
    sound = scorer(shared)
    cases = [json.loads(line) for line in (shared / "golden" / "readings_everyday.jsonl").read_text(encoding="utf-8").splitlines()]
    wrong = [
        case["text"] for case in cases if sound(G2P.convert_sentence(case["text"]).reading) not in {sound(one) for one in case["accept"]}
    ]
    assert len(wrong) <= 0.03 * len(cases), wrong


@pytest.mark.slow
def test_only_listed_words_and_accents_differ_from_the_golden_front_end(shared: Path) -> None:
    other_phones, other_tones = [], []
    for line in (shared / "golden" / "g2p_rohan.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        phones = G2P.convert_sentence(case["text"])
        if list(phones.phones) != case["phones"]:
            other_phones.append(case["text"])
        elif list(phones.tones) != case["tones"] or list(phones.word2ph) != case["word2ph"]:
            other_tones.append(case["text"])
    assert [text for text in other_phones if not any(word in text for word in MENDED)] == []
    assert [text for text in other_tones if not any(word in text for word in ACCENTED) and not MIMETIC.search(text)] == []
    assert len(other_phones) <= 32
    assert len(other_tones) <= 75
