"""What is said: texts of the corpus with who says them, and the lines that nobody learns."""

import gzip
import json
import random
import re
from pathlib import Path
from typing import NamedTuple

from cast import CAST
from frontend import analyse, normalise

SEED = 20
HELD_OUT = Path(__file__).with_name("held_out.json")
MORAE = (
    *"あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん",
    *"がぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽ",
    *(head + tail for head in "きしちにひみりぎじびぴ" for tail in "ゃゅょ"),
    *("ファ", "フィ", "フェ", "フォ", "ヴァ", "ヴィ", "ヴ", "ヴェ", "ヴォ", "ヴョ", "ティ", "ディ", "トゥ", "ドゥ", "テュ", "デュ"),
    *(
        "クァ",
        "クィ",
        "クェ",
        "クォ",
        "グァ",
        "グェ",
        "ツァ",
        "ツェ",
        "ツォ",
        "チェ",
        "シェ",
        "ジェ",
        "イェ",
        "ウィ",
        "ウェ",
        "ウォ",
        "スィ",
    ),
    *(
        "うん",
        "ああ",
        "ええ",
        "おお",
        "はい",
        "いい",
        "えっ",
        "あっ",
        "ねえ",
        "うー",
        "んー",
        "んんー",
        "あーあ",
        "ううん",
        "いや",
        "うーん",
    ),
)
LAUGHTER = ("あは", "うふ", "えへ", "おほ", "いひ", "は", "ふ", "へ", "ひ", "くく", "に")
CARRIERS = ("{}です.", "これは{}と読みます.", "{},と言った.", "あの{}さん?", "{}だよ!", "{}{}ん.")


def core_texts(shared: Path) -> dict[str, list[str]]:
    """The two spoken corpora, as written, by name."""
    names = ("rohan4600", "common_voice_ja")
    return {name: (shared / "texts" / f"{name}.txt").read_text("utf-8").split("\n") for name in names}


def held_out(shared: Path) -> list[str]:
    """100 readable lines of each corpus that no mood may learn; drawn once by a fixed seed and kept next to this file."""
    if HELD_OUT.exists():
        return [text for texts in json.loads(HELD_OUT.read_text("utf-8")).values() for text in texts]
    drawn: dict[str, list[str]] = {}
    for name, texts in core_texts(shared).items():
        shuffled = sorted({text.strip() for text in texts if text.strip()})
        random.Random(SEED).shuffle(shuffled)
        readable = (text for text in shuffled if analyse(normalise(text)) is not None)
        drawn[name] = [next(readable) for _ in range(100)]
    HELD_OUT.write_text(json.dumps(drawn, ensure_ascii=False, indent=1) + "\n", "utf-8")
    return held_out(shared)


def _aozora(shared: Path, count: int, dice: random.Random) -> list[str]:
    with gzip.open(shared / "texts" / "aozora_300k.txt.gz", "rt", encoding="utf-8") as file:
        texts = [text.strip() for text in file]
    return dice.sample([text for text in texts if 5 <= len(text) <= 60], count)


class Job(NamedTuple):
    """A normalised text and the places in CAST of those who say it."""

    text: str
    roles: tuple[int, ...]


def _some(dice: random.Random, count: int) -> tuple[int, ...]:
    return tuple(sorted(dice.sample(range(len(CAST)), count)))


def _joined(dice: random.Random, core: list[str], parts: int, ends: str) -> str:
    """Lines in a row, each with an end of its own."""
    return "".join(part if part[-1] in ".!?" else part + dice.choice(ends) for part in dice.sample(core, parts))


def plan(shared: Path, literature: int) -> list[Job]:
    """Everything that is said: the corpora, literature, long lines, and what whole lines teach too little about."""
    dice = random.Random(SEED)
    kept = {normalise(text) for text in held_out(shared)}
    core = [normalise(text) for texts in core_texts(shared).values() for text in texts]
    core = [text for text in dict.fromkeys(core) if text and text not in kept]
    jobs = [Job(text, _some(dice, 3)) for text in core]
    jobs += [Job(text, _some(dice, 2)) for text in map(normalise, _aozora(shared, literature, dice)) if text not in kept]
    jobs += [Job(_joined(dice, core, dice.randint(3, 5), "."), _some(dice, 2)) for _ in range(400)]
    jobs += [Job(_joined(dice, core, 2, "??!!."), _some(dice, 2)) for _ in range(1200)]
    jobs += [Job(text.rstrip(".!?,") + dice.choice("?!"), _some(dice, 2)) for text in dice.sample(core, 2500) if len(text) > 4]
    jobs += _short(dice, core)
    dice.shuffle(jobs)
    return jobs


def _short(dice: random.Random, core: list[str]) -> list[Job]:
    """Single morae by everybody, in carriers too, laughter, and fragments of a few characters."""
    everybody = tuple(range(len(CAST)))
    jobs = [Job(mora + end, everybody) for mora in MORAE for end in dice.sample(["", ".", "!", "?"], 2)]
    jobs += [Job(carrier.format(mora, mora), _some(dice, 2)) for mora in MORAE for carrier in CARRIERS]
    jobs += [
        Job(dice.choice(LAUGHTER) + tail * dice.randint(1, 7) + dice.choice(".!"), _some(dice, 3))
        for tail in "はふへほひ"
        for _ in range(30)
    ]
    pieces = sorted({part for text in core for part in re.split(r"[.,!?'\-]+", text) if 1 <= len(part) <= 6})
    return jobs + [Job(part + dice.choice(["", ".", ".", "!", "?"]), _some(dice, 3)) for part in pieces]
