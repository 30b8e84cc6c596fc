"""What another pitch costs and does to the sound, beside other ways to do it.

    python -m tests.benchmarks.pitch [--lines 20] [--judge FOLDER] [--write]

"time" is processor time by length of sound. "semitones off" is the median of how far a line's pitch misses what was asked for, "formants" by how
much they move, both measured by `tests.pitch_measures`. `--judge` is the folder of DNSMOS P.835; OVRL is what it thinks less of a line than without, a column only where it is asked.
Rows of signalsmith-stretch come where `python-stretch` is installed.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyworld

from app.adapters.world_pitch import WorldPitchEstimator
from app.compose.speaker_opening import open_speaker
from app.core.sound.pitch_shift import PitchChange, PitchShift
from app.core.synthesis_types import Float32, Float64, SynthesisRequest
from tests.benchmarks.page import put
from tests.pitch_measures import formant_shift, semitones_between

ROOT = Path(__file__).parents[2]
SEMITONES = (3.0, -3.0)
Way = Callable[[Float32, int, float], Float32]
Opinion = Callable[[list[Float32], int], float]


class Harvest:
    """WORLD's other way to find the pitch."""

    def estimate_f0(self, samples: Float32, sampling_rate: int) -> Float64:
        """As `PitchTracker` has it."""
        found: Float64 = pyworld.harvest(samples.astype(np.float64), sampling_rate, 55.0, 1000.0)[0]
        return found


def periods(tracker: WorldPitchEstimator | Harvest) -> Way:
    """Ours: overlap-add of the sound's own periods."""

    def way(samples: Float32, rate: int, semitones: float) -> Float32:
        shift = PitchShift(PitchChange(semitones, 1.0), tracker, rate)
        shift.feed_samples(samples)
        shift.end_input()
        pieces = []
        while shift.is_ready:
            pieces.append(shift.shift_block())
        return np.concatenate(pieces)

    return way


def vocoder(find: Callable[..., tuple[Float64, Float64]], refine: bool) -> Way:
    """WORLD from end to end: envelope and aperiodicity, and speech made of them."""

    def way(samples: Float32, rate: int, semitones: float) -> Float32:
        sound = samples.astype(np.float64)
        f0, times = find(sound, rate, 55.0, 1000.0)
        f0 = pyworld.stonemask(sound, f0, times, rate) if refine else f0
        spectrum, noise = pyworld.cheaptrick(sound, f0, times, rate), pyworld.d4c(sound, f0, times, rate)
        made = pyworld.synthesize(f0 * 2 ** (semitones / 12), spectrum, noise, rate).astype(np.float32)
        return np.pad(made, (0, max(0, len(samples) - len(made))))[: len(samples)]

    return way


def ways() -> dict[str, Way]:
    """All that can be compared here."""
    found = {
        "periods at DIO's pitch (chosen)": periods(WorldPitchEstimator()),
        "periods at Harvest's pitch": periods(Harvest()),
        "WORLD, DIO": vocoder(pyworld.dio, True),
        "WORLD, Harvest": vocoder(pyworld.harvest, False),
    }
    try:
        from python_stretch import Signalsmith
    except ImportError:
        return found

    def stretch(samples: Float32, rate: int, semitones: float) -> Float32:
        made = Signalsmith.Stretch()
        made.preset(1, rate)
        made.setTransposeSemitones(semitones)
        return np.asarray(made.process(samples[None]), np.float32)[0]

    return found | {"signalsmith-stretch": stretch}


def texts(count: int) -> list[str]:
    """Sentences of the golden file, spread over it."""
    lines = (ROOT / "tests" / "golden" / "g2p_rohan_300.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["text"] for line in lines[:: len(lines) // count]][:count]


def spoken(count: int) -> tuple[list[Float32], int, float]:
    """Lines of the included voice in its styles, its rate, and the decoder's time by length of sound."""
    pipeline = open_speaker(None, "cpu").pipeline
    pipeline.warm_up()
    sounds, decode_ms = [], 0.0

    def on_stage(timing: object) -> None:
        nonlocal decode_ms
        decode_ms += timing.ms if timing.stage == "decode" else 0  # type: ignore[attr-defined]

    for number, text in enumerate(texts(count)):
        request = SynthesisRequest(text, pre_silence_s=0, post_silence_s=0, style=number % len(pipeline.voice.styles))
        sounds.append(np.concatenate([chunk.samples for chunk in pipeline.synthesize(request, on_stage)]))
    rate = pipeline.voice.sampling_rate
    return sounds, rate, decode_ms / 1000 / (sum(map(len, sounds)) / rate)


def judged(folder: Path) -> Opinion:
    """The mean opinion of the judge."""
    sys.path.insert(0, str(ROOT / "packaging" / "starter_voice"))
    from dnsmos import Dnsmos

    judge = Dnsmos(folder)
    return lambda sounds, rate: float(np.mean([judge.score(sound, rate) for sound in sounds]))


def row(name: str, way: Way, sounds: list[Float32], rate: int, opinion: Opinion | None) -> str:
    """A line of the table."""
    spent = 0.0
    told = []
    for semitones in SEMITONES:
        began = time.process_time()
        made = [way(sound, rate, semitones) for sound in sounds]
        spent += time.process_time() - began
        pairs = list(zip(sounds, made, strict=True))
        off = np.median([abs(np.median(semitones_between(one, two, rate)) - semitones) for one, two in pairs])
        formants = np.median([abs(formant_shift(one, two, rate) - 1) for one, two in pairs[:5]])
        judgement = [] if opinion is None else [f"{opinion(made, rate) - opinion(sounds, rate):+.2f}"]
        told += [f"{off:.3f}", f"{formants:.1%}", *judgement]
    return f"| {name} | {spent / len(SEMITONES) / (sum(map(len, sounds)) / rate):.3f} | {' | '.join(told)} |"


def main() -> None:
    """Prints the table, or writes it into the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--lines", type=int, default=20)
    parser.add_argument("--judge", type=Path)
    parser.add_argument("--write", action="store_true", help="into tests/benchmarks/README.md")
    options = parser.parse_args()
    sounds, rate, decode = spoken(options.lines)
    opinion = judged(options.judge) if options.judge is not None else None
    figures = ["semitones off", "formants", *(["OVRL"] if opinion is not None else [])]
    heads = [f"{semitones:+g}: {figures[0]} | {' | '.join(figures[1:])}" for semitones in SEMITONES]
    lines = [
        f"{options.lines} lines, {sum(map(len, sounds)) / rate:.0f} s; the decoder of the included voice takes {decode:.3f} of the sound's length\n",
        f"| way | time | {' | '.join(heads)} |",
        "|---|---|" + "---|" * len(figures) * len(SEMITONES),
    ]
    for name, way in ways().items():
        lines.append(row(name, way, sounds, rate, opinion))
        print(lines[-1], flush=True)
    if options.write:
        put("pitch", "\n".join(lines))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
