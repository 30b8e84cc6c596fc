"""Speaks a thousand lines that were never learned, and odd ones, in all roles in turn, and looks for whatever breaks.

Usage: `python sweep.py --shared ../shared --work WORK --resources resources --lines 1000`

Writes `sweep.json` into the work folder: how many lines were spoken, what was wrong with which, and the extremes that were met.
"""

import argparse
import gzip
import json
import pickle
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from cast import SPEAKERS, STYLES
from frontend import MARKS, Line, analyse, normalise
from numpy.typing import NDArray
from speaker import HOP, RATE, Speaker, Who
from texts import SEED, held_out
from tqdm import tqdm

from app.core.sound.acoustic import plan_windows
from app.core.sound.durations import round_with_carry

WINDOWS, MARGIN = (16, 32, 64, 128), 3
ODD = (
    *(
        head + end
        for head in ("クァ", "グェ", "ヴョ", "ヴァ", "フェ", "ティ", "デュ", "ツォ", "シェ", "ん", "あ", "っと", "を", "ぴょ")
        for end in ("", "?", "!")
    ),
    *(
        "あはははは!",
        "うふふふふ.",
        "ひひひひひひひひ!",
        "わはは,はははは?",
        "ああああああああ!",
        "えーーーーーっ!?",
        "うーん,うーん.",
        "んんん?",
    ),
    *(
        "クァルテットとグェンさんのヴョルン.",
        "ヴァイオリンとフィドル,デュエットとトゥクトゥク.",
        "本当?うそ!まさか?",
        "はい,はい,はい,はい,はい.",
    ),
)
LIMITS = {"peak": 0.8913, "offset": 1e-3, "seam": 1e-5}
MORA_S = (0.06, 0.42)  # mean length of a mora
PHONE_S = 0.6  # the longest that one phone may last; teachers draw out a lone え to 0.36 s
STEADY_DB = 14.0  # between the loudest and the faintest third of a line
F0_HZ = (60.0, 1000.0)


def unseen(shared: Path, work: Path, count: int) -> list[str]:
    """Lines held out, lines of 青空文庫 that neither corpus nor reader met, odd ones, and lines of about 500 characters."""
    met = {line.text for name in ("lines.pickle", "pretrain.pickle") for line in pickle.loads((work / name).read_bytes())}
    dice = random.Random(SEED + 2)
    own = [normalise(text) for text in held_out(shared)]
    asked = [text.rstrip(".!?") + end for text in own for end in "?!"]
    with gzip.open(shared / "texts" / "aozora_300k.txt.gz", "rt", encoding="utf-8") as file:
        literature = [text for text in map(normalise, file) if 5 <= len(text) <= 100 and text not in met]
    endless = ["".join(part if part[-1] in ".!?" else part + "," for part in dice.sample(own, 30))[:500] for _ in range(20)]
    texts = [*ODD, *own, *dice.sample(asked, 150), *endless]
    return texts + dice.sample(literature, max(0, count - len(texts)))


def contour(z: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Log F0 and voicing per frame of 256 samples."""
    halves = z.T.reshape(-1, z.shape[0] // 2)
    return halves[:, 35], halves[:, 36] > 0.5


def windowed(speaker: Speaker, z: NDArray[np.float32], seed: int) -> NDArray[np.float32]:
    """The sound as the program makes it, window by window."""
    noise = np.random.default_rng(seed).standard_normal(z.shape[1] * HOP, dtype=np.float32)
    parts = []
    for window in plan_windows(z.shape[1], WINDOWS, MARGIN):
        cut = np.ascontiguousarray(z[:, window.start : window.end])
        part = speaker.run("decoder", z=cut, noise=noise[window.start * HOP : window.end * HOP])[0]
        parts.append(part[(window.first - window.start) * HOP : (window.last - window.start) * HOP])
    return np.concatenate(parts)


def thirds_db(audio: NDArray[np.float32]) -> NDArray[np.float64]:
    """Level of the louder half of each third of a line."""
    levels = []
    for part in np.array_split(audio, 3):
        blocks = part[: len(part) // 441 * 441].reshape(-1, 441).std(1)
        levels.append(np.sqrt(np.mean(np.sort(blocks)[len(blocks) // 2 :] ** 2)))
    return np.asarray(20 * np.log10(np.array(levels) + 1e-9))


def look(speaker: Speaker, line: Line, who: Who, seed: int) -> dict[str, float]:
    """Everything measured on one line."""
    dice = np.random.default_rng(seed)
    noise = dice.standard_normal((2, 2 * len(line.phones) + 1), dtype=np.float32) * np.float32(0.8)
    logw, mean, scale = speaker.prosody(line, who, 0.2, noise)
    frames = round_with_carry(np.exp(logw))
    z_p = np.repeat(mean, frames, 1)
    z_p += np.repeat(np.exp(scale), frames, 1) * dice.standard_normal(z_p.shape, dtype=np.float32) * np.float32(0.6)
    z = speaker.flow(z_p, frames, who)
    audio, joined = speaker.decode(z, seed), windowed(speaker, z, seed)
    spoken = np.array([phone not in MARKS and phone != "_" for phone in line.phones])
    lengths = np.exp(logw[1::2]) * HOP / RATE
    f0, voiced = contour(z)
    pitch = np.exp(f0[voiced]) if voiced.any() else np.array([np.nan])
    level = thirds_db(audio)
    moras = sum(phone in {"a", "i", "u", "e", "o", "N", "q"} for phone in line.phones)
    return {
        "finite": float(np.isfinite(audio).all()),
        "peak": float(np.abs(audio).max()),
        "offset": float(abs(audio.mean())),
        "seam": float(np.abs(audio - joined).max()),
        "mora_s": float(lengths[spoken].sum() / max(moras, 1)),
        "phone_s": float(lengths[spoken].max()),
        "level_db": float(level.max()),
        "uneven_db": float(np.ptp(level)) if len(line.phones) > 20 else 0.0,
        "f0_low": float(pitch.min()),
        "f0_high": float(pitch.max()),
    }


def faults(found: dict[str, float]) -> Iterator[str]:
    """Names of what is wrong."""
    yield from (name for name, limit in LIMITS.items() if found[name] > limit)
    if not found["finite"]:
        yield "not finite"
    if not MORA_S[0] <= found["mora_s"] <= MORA_S[1] or found["phone_s"] > PHONE_S:
        yield "length"
    if found["level_db"] < -40:
        yield "silence"
    if found["uneven_db"] > STEADY_DB:
        yield "uneven"
    if not F0_HZ[0] <= found["f0_low"] <= found["f0_high"] <= F0_HZ[1]:
        yield "pitch"


def sweep(shared: Path, work: Path, resources: Path, count: int) -> dict[str, object]:
    """Every speaker with every style in turn, those that are borrowed too."""
    speaker = Speaker(resources)
    people = [(name, style) for name in SPEAKERS for style in STYLES]
    lines = [line for line in map(analyse, unseen(shared, work, count)) if line is not None]
    rows, wrong = [], []
    for number, line in enumerate(tqdm(lines, mininterval=20)):
        name, style = people[number % len(people)]
        who = Who(np.array([SPEAKERS.index(name)]), speaker.styles[STYLES.index(style)])
        rows.append(look(speaker, line, who, number))
        wrong += [{"fault": fault, "who": f"{name}, {style}", "text": line.text, **rows[-1]} for fault in faults(rows[-1])]
    table = {name: [row[name] for row in rows] for name in rows[0]}
    extremes = {name: [float(np.nanmin(values)), float(np.nanmax(values))] for name, values in table.items()}
    return {"lines": len(rows), "extremes": extremes, "wrong": wrong}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    parser.add_argument("--lines", type=int, default=1000)
    options = parser.parse_args()
    swept = sweep(options.shared, options.work, options.resources, options.lines)
    (options.work / "sweep.json").write_text(json.dumps(swept, ensure_ascii=False, indent=1) + "\n", "utf-8")
    print(swept["lines"], swept["extremes"], [(row["fault"], row["who"], row["text"][:20]) for row in swept["wrong"]])  # type: ignore[attr-defined]
