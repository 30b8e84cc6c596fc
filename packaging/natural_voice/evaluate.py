#!/usr/bin/env python3
"""Measures the natural voice: how it is judged, whether its accents are right, and how soon and how fast it speaks.

    python3 packaging/natural_voice/evaluate.py MODEL VOICE judge TEXTS DNSMOS [--lines 30]
    python3 packaging/natural_voice/evaluate.py MODEL VOICE pairs
    python3 packaging/natural_voice/evaluate.py MODEL VOICE tones TEXTS [--lines 200]
    python3 packaging/natural_voice/evaluate.py MODEL VOICE speed

MODEL is the joined int8 file, run whole as other programs do; VOICE the prepared folder. Both speak the same tokens with the same styles,
in turns in one process. Lines are chosen by a hash of their text, not by ear. Needs the project's packages and soxr.
"""

import argparse
import hashlib
import itertools
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnxruntime
import pyworld
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "packaging/starter_voice")]

from app.compose.speaker_opening import open_speaker  # noqa: E402
from app.core.sound.render_caches import RenderCaches  # noqa: E402
from app.core.synthesis_types import AudioChunk, Phones, SynthesisRequest  # noqa: E402
from app.core.text.phone_ids import NO_INDEX, map_phones_to_moras  # noqa: E402
from app.settings.user_settings import GraphPrecision  # noqa: E402

Samples = NDArray[np.float32]
RATE = 24000
SHORTEST_LINE, LONGEST_LINE = 12, 60  # characters
PAIRS = (
    ("雨", "飴"), ("橋", "箸"), ("神", "紙"), ("鮭", "酒"), ("牡蠣", "柿"), ("今", "居間"), ("朝", "麻"), ("海", "膿"), ("秋", "空き"), ("北", "来た"),
    ("白", "城"), ("鶴", "蔓"), ("型", "肩"), ("歯", "葉"), ("火", "日"), ("気", "木"), ("切る", "着る"), ("買う", "飼う"), ("熱い", "厚い"), ("晴れる", "腫れる"),
)  # fmt: skip
"""Words of the same sounds; the front end says which accent each has, and those that it reads alike are left out."""

SPEED_TEXTS = {
    3.9: "今日はとても天気がいいので、みんなで散歩に行きましょう。",
    9.4: "昨日の夜から降り続いていた雨がようやく上がって、朝の空には大きな虹がかかっていたので、私は思わず立ち止まって、しばらくそれを見上げていました。",
}
TURNS = 5


@dataclass
class WholeModel:
    """The int8 file as other programs run it: one graph, one call a line, with the model's own melody."""

    session: onnxruntime.InferenceSession

    def speak(self, tokens: NDArray[np.int64], style: Samples) -> Samples:
        """Returns the samples of a line."""
        feed = {"tokens": tokens[None], "style": style[None], "speed": np.ones(1, np.float32)}
        return np.asarray(self.session.run(["audio"], feed)[0], np.float32)


class NaturalVoice:
    """The prepared voice in the program's own pipeline."""

    def __init__(self, folder: Path, precision: GraphPrecision = "exact") -> None:
        self.speaker = open_speaker(str(folder), "cpu", graph_precision=precision)
        self.pipeline = self.speaker.pipeline
        self.speakers = self.pipeline.voice.speakers

    def iterate_chunks(self, text: str, speaker: int) -> Iterator[AudioChunk]:
        """Yields the chunks of a line, without silence around it."""
        self.pipeline.caches = RenderCaches()
        request = SynthesisRequest(text, speaker=speaker, pre_silence_s=0.0, post_silence_s=0.0)
        return self.pipeline.synthesize(request)

    def speak(self, text: str, speaker: int) -> tuple[Samples, list[AudioChunk]]:
        """Returns the samples of a line, and its chunks."""
        chunks = list(self.iterate_chunks(text, speaker))
        return np.concatenate([chunk.samples for chunk in chunks]), chunks

    def convert(self, text: str) -> tuple[Phones, NDArray[np.int64]]:
        """Returns the phones and the tokens of a sentence."""
        phones = self.pipeline.g2p.convert_sentence(text)
        return phones, self.pipeline.voice.encode_phones(phones).phones

    def style(self, speaker: int) -> Samples:
        """Returns the style of a speaker."""
        return self.pipeline.voice.style_vectors[self.pipeline.voice.find_style_row(speaker, 0)]


def choose_lines(texts: Path, count: int) -> list[str]:
    """Chooses lines by the hash of their text."""
    lines = [line.strip() for line in texts.read_text("utf-8").splitlines()]
    fitting = [line for line in lines if SHORTEST_LINE <= len(line) <= LONGEST_LINE]
    return sorted(fitting, key=lambda line: hashlib.sha256(line.encode()).hexdigest())[:count]


def judge(whole: WholeModel, voice: NaturalVoice, lines: list[str], judge_folder: Path) -> None:
    """Prints the judge's opinion of both, by speaker."""
    from dnsmos import Dnsmos

    opinion = Dnsmos(judge_folder)
    means = []
    for speaker, name in voice.speakers.items():
        scores = np.array([
            (opinion.score(whole.speak(voice.convert(line)[1], voice.style(speaker)), RATE), opinion.score(voice.speak(line, speaker)[0], RATE))
            for line in lines
        ])  # fmt: skip
        means.append(scores.mean(axis=0))
        print(
            f"{name}: whole {scores[:, 0].mean():.3f}, natural voice {scores[:, 1].mean():.3f}, difference {np.diff(scores).mean():+.3f}",
            flush=True,
        )
    both = np.mean(means, axis=0)
    print(
        f"mean of {len(lines)} lines and {len(means)} speakers: whole {both[0]:.3f}, natural voice {both[1]:.3f}, difference {both[1] - both[0]:+.3f}"
    )


def track_pitch(samples: Samples) -> NDArray[np.float64]:
    """Returns the pitch every 5 ms in semitones over 100 Hz, NaN where nothing is voiced."""
    audio = samples.astype(np.float64)
    f0, times = pyworld.dio(audio, RATE, f0_floor=50.0, f0_ceil=600.0)
    f0 = pyworld.stonemask(audio, f0, times, RATE)
    return np.where(f0 > 0, 12 * np.log2(np.maximum(f0, 1) / 100), np.nan)


def measure_moras(samples: Samples, chunks: list[AudioChunk]) -> list[tuple[int, int, float]]:
    """Returns (mora, tone, semitones) of each mora in order; the median of the vowel's second half, where the tone has arrived."""
    pitch, start, found = track_pitch(samples), 0.0, []
    for chunk in chunks:
        if chunk.phones:
            moras = map_phones_to_moras([timing.phone for timing in chunk.phones])
            for index, timing in enumerate(chunk.phones):
                if moras[index] != NO_INDEX and (index + 1 == len(moras) or moras[index + 1] != moras[index]):
                    middle = (timing.start_s + timing.end_s) / 2
                    values = pitch[round((start + middle) * 200) : round((start + timing.end_s) * 200) + 1]
                    known = values[~np.isnan(values)]
                    found.append((moras[index], timing.tone, float(np.median(known)) if len(known) else np.nan))
                elif moras[index] == NO_INDEX:
                    found.append((NO_INDEX, timing.tone, np.nan))
        start += len(chunk.samples) / RATE
    return found


def count_steps(moras: list[tuple[int, int, float]], before: int, after: int) -> tuple[int, int]:
    """Returns how many steps between tones have the right sign, and how many there are."""
    right = total = 0
    for (mora, tone, low), (next_mora, next_tone, high) in itertools.pairwise(moras):
        if NO_INDEX in (mora, next_mora) or (tone, next_tone) != (before, after) or np.isnan(low + high):
            continue
        total += 1
        right += (high < low) if before > after else (high > low)
    return right, total


def check_pairs(voice: NaturalVoice) -> None:
    """Prints for how many pairs, spoken by each speaker, the measured pitch has the shape that the reading says."""
    usable = [pair for pair in PAIRS if voice.convert(f"{pair[0]}が")[0].tones != voice.convert(f"{pair[1]}が")[0].tones]
    right = total = 0
    for speaker in voice.speakers:
        for word in itertools.chain.from_iterable(usable):
            steps = [count_steps(measure_moras(*voice.speak(f"{word}が、あります。", speaker)), *tones) for tones in ((1, 0), (0, 1))]
            total += 1
            right += all(found == count for found, count in steps)
            if any(found != count for found, count in steps):
                print(f"  wrong: {word}, {voice.speakers[speaker]}")
    print(f"{len(usable)} pairs of {len(PAIRS)} whose accents the front end tells apart: {right} of {total} words have the right shape")


def check_tones(voice: NaturalVoice, lines: list[str]) -> None:
    """Prints for how many falls and rises between tones the measured pitch has the right sign; the speakers take turns."""
    sums = {(1, 0): [0, 0], (0, 1): [0, 0]}
    for index, line in enumerate(lines):
        moras = measure_moras(*voice.speak(line, index % len(voice.speakers)))
        for tones, counts in sums.items():
            right, total = count_steps(moras, *tones)
            counts[0] += right
            counts[1] += total
    for tones, (right, total) in sums.items():
        print(f"{'falls' if tones == (1, 0) else 'rises'}: {right} of {total} ({right / total:.1%})")


def measure_speed(whole: WholeModel, voices: dict[str, NaturalVoice]) -> None:
    """Prints times of the first sound and of the whole line in turns, as ratios to the whole model."""
    for seconds, text in SPEED_TEXTS.items():
        found: dict[str, list[tuple[float, float]]] = {"whole": [], **{name: [] for name in voices}}
        for _ in range(TURNS + 1):
            tokens = next(iter(voices.values())).convert(text)[1]
            started = time.perf_counter()
            length = len(whole.speak(tokens, next(iter(voices.values())).style(0))) / RATE
            took = time.perf_counter() - started
            found["whole"].append((took, took))
            for name, voice in voices.items():
                found[name].append(_time_line(voice, text))
        first, line = (np.median([pair[index] for pair in found["whole"][1:]]) for index in (0, 1))
        print(f"line of {length:.1f} s (meant: {seconds}): the whole model takes {line * 1000:.0f} ms")
        for name in voices:
            own = [np.median([pair[index] for pair in found[name][1:]]) for index in (0, 1)]
            print(
                f"  {name}: first sound {own[0] * 1000:.0f} ms ({first / own[0]:.1f}×), whole line {own[1] * 1000:.0f} ms ({line / own[1]:.2f}×)"
            )


def _time_line(voice: NaturalVoice, text: str) -> tuple[float, float]:
    started, first = time.perf_counter(), 0.0
    for chunk in voice.iterate_chunks(text, 0):
        if not first and np.abs(chunk.samples).max(initial=0) > 1e-3:
            first = time.perf_counter() - started
    return first, time.perf_counter() - started


def main() -> None:
    """Runs what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("voice", type=Path)
    parser.add_argument("what", choices=("judge", "pairs", "tones", "speed"))
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--lines", type=int, default=30)
    options = parser.parse_args()
    voice = NaturalVoice(options.voice)
    if options.what == "pairs":
        check_pairs(voice)
    elif options.what == "tones":
        check_tones(voice, choose_lines(options.files[0], options.lines))
    elif options.what == "judge":
        whole = WholeModel(onnxruntime.InferenceSession(str(options.model)))
        judge(whole, voice, choose_lines(options.files[0], options.lines), options.files[1])
    else:
        voices = {"exact": voice}
        if voice.speaker.voice.manifest.fast is not None:
            voices["fast"] = NaturalVoice(options.voice, "fast")
        measure_speed(WholeModel(onnxruntime.InferenceSession(str(options.model))), voices)


if __name__ == "__main__":
    main()
