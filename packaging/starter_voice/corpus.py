"""Writes the training corpus: lines from the text files, spoken by the teacher, as flat arrays on disk.

Usage: `python corpus.py --shared ../shared --work WORK`

`lines.pickle` holds the analysed lines, `utterances.npz` who says what and where its frames lie, `frames.f16` all frames.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pickle
import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from frontend import Line, analyse, normalise
from hts import HtsVoice
from teacher import STYLES, VOICE_OF_STYLE, teach
from tqdm import tqdm

SEED = 20
HELD_OUT = Path(__file__).with_name("held_out.json")
LOG_F0_CENTRE = 5.85  # stored relative to this so that half precision keeps hundredths of a cent
MORAE = (
    *"あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわん",
    *"がぎぐげござじずぜぞだでどばびぶべぼぱぴぷぺぽ",
    *("きゃ", "しゅ", "ちょ", "にゃ", "りょ", "じゃ", "うん", "ああ", "ええ", "おお", "はい", "いい", "えっ", "あっ", "ねえ", "うー"),
)
CHANNELS = 37  # 35 mel-cepstra, log F0, voicing


def core_texts(shared: Path) -> dict[str, list[str]]:
    """The two spoken corpora, as written, by name."""
    names = ("rohan4600", "common_voice_ja")
    return {name: (shared / "texts" / f"{name}.txt").read_text("utf-8").split("\n") for name in names}


def held_out(shared: Path) -> list[str]:
    """100 readable lines of each corpus that no mood may learn; drawn once by a fixed seed and kept beside this file."""
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


def plan(shared: Path, literature: int, joined: int) -> list[tuple[str, tuple[str, ...]]]:
    """Normalised texts, each with the styles it is spoken in."""
    dice = random.Random(SEED)
    kept = {normalise(text) for text in held_out(shared)}
    core = [normalise(text) for texts in core_texts(shared).values() for text in texts]
    core = [text for text in dict.fromkeys(core) if text and text not in kept]
    jobs = [(text, tuple(dice.sample(STYLES, 3))) for text in core]
    jobs += [(text, tuple(dice.sample(STYLES, 2))) for text in map(normalise, _aozora(shared, literature, dice)) if text not in kept]
    for _ in range(joined):
        text = "".join(part if part[-1] in ".!?" else part + "." for part in dice.sample(core, dice.randint(3, 5)))
        jobs.append((text, tuple(dice.sample(STYLES, 2))))
    dice.shuffle(jobs)
    return jobs


def plan_short(shared: Path) -> list[tuple[str, tuple[str, ...]]]:
    """Single morae in every style, and fragments of a few characters: whole lines teach too little about an "あ。" alone."""
    dice = random.Random(SEED)
    kept = {normalise(text) for text in held_out(shared)}
    core = [normalise(text) for texts in core_texts(shared).values() for text in texts]
    pieces = sorted({part for text in core if text not in kept for part in re.split(r"[.,!?'\-]+", text) if 1 <= len(part) <= 6})
    jobs = [(mora + end, STYLES) for mora in MORAE for end in ("", ".", "!", "?")]
    jobs += [(part + dice.choice(["", ".", ".", "!", "?"]), tuple(dice.sample(STYLES, 2))) for part in dice.sample(pieces, 1500)]
    dice.shuffle(jobs)
    return jobs


def build(shared: Path, work: Path, jobs: Callable[[], list[tuple[str, tuple[str, ...]]]]) -> None:
    """Writes everything; an existing corpus is kept."""
    if (work / "utterances.npz").exists():
        return
    work.mkdir(parents=True, exist_ok=True)
    voices = {style: HtsVoice(shared / "htsvoice" / f"mei_{VOICE_OF_STYLE[style]}.htsvoice", work) for style in STYLES}
    lines: list[Line] = []
    rows, durations, start = [], [], 0
    with (work / "frames.f16").open("wb") as file:
        for text, styles in tqdm(jobs(), mininterval=20):
            line = analyse(text)
            if line is None:
                continue
            lines.append(replace(line, labels=()))
            for style in styles:
                target = teach(voices[style], style, line)
                table = target.on_grid()
                table[:, 35] -= LOG_F0_CENTRE
                file.write(table.astype(np.float16).tobytes())
                rows.append((len(lines) - 1, STYLES.index(style), start, len(table)))
                durations.append(target.durations)
                start += len(table)
    (work / "lines.pickle").write_bytes(pickle.dumps(lines))
    np.savez(work / "utterances.npz", rows=np.array(rows, np.int64), durations=np.concatenate(durations))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--literature", type=int, default=12000, help="lines of 青空文庫")
    parser.add_argument("--joined", type=int, default=400, help="long lines joined from the corpora")
    options = parser.parse_args()
    build(options.shared, options.work, lambda: plan(options.shared, options.literature, options.joined))
    build(options.shared, options.work / "short", lambda: plan_short(options.shared))
