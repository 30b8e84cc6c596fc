"""Whether a melody drawn by mora is heard as it was drawn, in each kind of voice.

    python -m tests.benchmarks.drawn_melody TEXTS [--natural FOLDER] [--lines 50] [--judge FOLDER] [--write]

TEXTS has a line a row ("id:text,…" or the text alone); lines are chosen by a hash. Each mora is moved by a random amount, at most DRAWN_SEMITONES and at most LARGEST_STEP from the one before, and
another rendering without it says where the pitch was. Both are measured as the lane of the window measures them. "off" is how far a
voiced mora misses what was drawn. Then all morae are moved alike, by SHIFTS: "OVRL" is what DNSMOS P.835 thinks of that less than of the plain line, "formants" how
far they move. The included voice speaks twice: with the melody in its flow, and through the pitch stage, as every SBV2 voice does.
"""

import argparse
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from app.adapters.world_pitch import WorldPitchEstimator
from app.compose.speaker_opening import open_speaker
from app.core.sound.line_edits import set_mora_pitches
from app.core.sound.line_melody import measure_mora_pitches
from app.core.sound.pipeline import Pipeline
from app.core.sound.render_caches import RenderCaches
from app.core.synthesis_types import Float32, Float64, Overrides, PhoneTiming, SynthesisRequest
from tests.benchmarks.page import put
from tests.benchmarks.pitch import Opinion, judged
from tests.pitch_measures import formant_shift

SHORTEST, LONGEST = 12, 40  # characters of a line
DRAWN_SEMITONES, LARGEST_STEP = 6.0, 4.0
SHIFTS = (3.0, -3.0)
FORMANT_LINES, JUDGED_LINES = 6, 10
MOST_MORAS = 400


@dataclass(frozen=True, slots=True)
class Spoken:
    """One rendering: samples, and the timings of its phones."""

    samples: Float32
    timings: list[PhoneTiming]


def speak(pipeline: Pipeline, request: SynthesisRequest) -> Spoken:
    """A line without silence around it; sentences follow one another."""
    pipeline.caches = RenderCaches()
    samples: list[Float32] = []
    timings: list[PhoneTiming] = []
    for chunk in pipeline.synthesize(request):
        start_s = sum(map(len, samples)) / chunk.sampling_rate
        timings += [replace(item, start_s=item.start_s + start_s, end_s=item.end_s + start_s) for item in chunk.phones]
        samples.append(chunk.samples)
    return Spoken(np.concatenate(samples), timings)


def draw(request: SynthesisRequest, semitones: Float64 | float) -> SynthesisRequest:
    """The line with its morae moved by so much, one number or one each."""
    moved = np.broadcast_to(semitones, MOST_MORAS)
    return replace(request, overrides=set_mora_pitches(Overrides(), {mora: float(by) for mora, by in enumerate(moved)}))


def draw_steps(seed: int) -> Float64:
    """Semitones for each mora, as of a pen that wanders."""
    wandering = np.random.default_rng(seed).uniform(-LARGEST_STEP, LARGEST_STEP, MOST_MORAS)
    for mora in range(1, MOST_MORAS):
        wandering[mora] = np.clip(wandering[mora - 1] + wandering[mora], -DRAWN_SEMITONES, DRAWN_SEMITONES)
    return wandering.round(1)


def choose_texts(path: Path, count: int) -> list[str]:
    """Lines of middle length, by the hash of their text."""
    rows = path.read_text(encoding="utf-8").splitlines()
    texts = {re.sub(r"\(.*?\)", "", re.sub(r"^[\w-]+:", "", row).split(",")[0]) for row in rows}
    fitting = [text for text in texts if SHORTEST <= len(text) <= LONGEST]
    return sorted(fitting, key=lambda text: hashlib.sha256(text.encode()).hexdigest())[:count]


def iterate_requests(pipeline: Pipeline, texts: list[str]) -> Iterator[SynthesisRequest]:
    """A request a text; speakers and styles take turns."""
    speakers, styles = sorted(pipeline.voice.speakers), sorted(pipeline.voice.styles)
    for number, text in enumerate(texts):
        style = styles[number // len(speakers) % len(styles)]
        yield SynthesisRequest(text, pre_silence_s=0, post_silence_s=0, speaker=speakers[number % len(speakers)], style=style)


def measure_misses(pipeline: Pipeline, texts: list[str]) -> Float64:
    """How far each voiced mora of the lines misses what was drawn, in semitones."""
    rate, tracker, misses = pipeline.voice.sampling_rate, WorldPitchEstimator(), []
    for number, request in enumerate(iterate_requests(pipeline, texts)):
        drawn = draw_steps(number)
        both = [speak(pipeline, item) for item in (request, draw(request, drawn))]
        before, after = (measure_mora_pitches(item.samples, rate, item.timings, tracker) for item in both)
        for wanted, one, two in zip(drawn, before, after, strict=False):
            if one is not None and two is not None:
                misses.append(12 * np.log2(two / one) - wanted)
    return np.abs(misses)


def describe_shift(pipeline: Pipeline, texts: list[str], semitones: float, opinion: Opinion | None) -> list[str]:
    """Formants and opinion of lines that are moved as a whole."""
    rate = pipeline.voice.sampling_rate
    requests = list(iterate_requests(pipeline, texts[:JUDGED_LINES]))
    plain = [speak(pipeline, request).samples for request in requests]
    moved = [speak(pipeline, draw(request, semitones)).samples for request in requests]
    pairs = list(zip(plain, moved, strict=True))[:FORMANT_LINES]
    formants = [abs(formant_shift(one, two, rate) - 1) for one, two in pairs]
    told = [f"{np.median(formants):.1%} (most {max(formants):.1%})"]
    return told if opinion is None else [*told, f"{opinion(moved, rate) - opinion(plain, rate):+.2f}"]


def open_voices(natural: Path | None) -> Iterator[tuple[str, Pipeline]]:
    """The voices by name."""
    included = open_speaker(None, "cpu").pipeline
    yield "included voice, in its flow", included
    yield "included voice, pitch stage", replace(included, voice=replace(included.voice, flow_pitch_offset=False), caches=RenderCaches())
    if natural is not None:
        yield "natural voice, in its flow", open_speaker(str(natural), "cpu").pipeline


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("texts", type=Path)
    parser.add_argument("--natural", type=Path, help="the prepared natural voice")
    parser.add_argument("--lines", type=int, default=50)
    parser.add_argument("--judge", type=Path)
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    texts = choose_texts(options.texts, options.lines)
    opinion = judged(options.judge) if options.judge is not None else None
    figures = [f"{semitones:+g}: {name}" for semitones in SHIFTS for name in ("formants", *(["OVRL"] if opinion is not None else []))]
    heads = ["voice", "morae", "off, median", "95 %", "within 1", *figures]
    rows = [f"| {' | '.join(heads)} |", "|" + "---|" * len(heads)]
    for name, pipeline in open_voices(options.natural):
        misses = measure_misses(pipeline, texts)
        told = [name, str(len(misses)), f"{np.median(misses):.2f}", f"{np.quantile(misses, 0.95):.2f}", f"{(misses <= 1).mean():.1%}"]
        for semitones in SHIFTS:
            told += describe_shift(pipeline, texts, semitones, opinion)
        rows.append(f"| {' | '.join(told)} |")
        print(rows[-1], flush=True)
    if options.write:
        put("drawn_melody", "\n".join(rows))
    print("\n".join(rows))


if __name__ == "__main__":
    main()
