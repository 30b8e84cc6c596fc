"""Spectrograms of student beside teacher, for the eye: clicks, buzz and smear show at once.

Usage: `python pictures.py --shared ../shared --work WORK --resources resources --text 今日はいい天気ですね。`
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
import soundfile
from evaluate import teacher_sound
from frontend import analyse, normalise
from hts import HtsVoice
from speaker import RATE, Speaker
from teacher import STYLES, VOICE_OF_STYLE, teach

mpl.use("Agg")
from matplotlib import pyplot


def draw(speaker: Speaker, shared: Path, work: Path, text: str, styles: tuple[str, ...]) -> None:
    """Writes `spectrograms.png` and the sounds it shows."""
    line = analyse(normalise(text))
    if line is None:
        raise SystemExit(f"cannot read: {text}")
    _, axes = pyplot.subplots(len(styles), 2, figsize=(18, 4 * len(styles)), squeeze=False)
    for row, name in zip(axes, styles, strict=True):
        voice = HtsVoice(shared / "htsvoice" / f"mei_{VOICE_OF_STYLE[name]}.htsvoice", work)
        sounds = {"student": speaker.speak(line, speaker.styles[STYLES.index(name)])}
        sounds["teacher"] = teacher_sound(speaker, teach(voice, name, line))
        for axis, (who, audio) in zip(row, sounds.items(), strict=True):
            soundfile.write(work / f"{name}_{who}.wav", audio, RATE)
            floor = 1e-6 * np.random.default_rng(0).standard_normal(len(audio))  # keeps digital silence off log(0)
            axis.specgram(audio + floor, NFFT=1024, Fs=RATE, noverlap=896, vmin=-150, vmax=-40)
            axis.set_title(f"{name}, {who}: peak {np.abs(audio).max():.2f}, mean {audio.mean():.1e}")
    pyplot.tight_layout()
    pyplot.savefig(work / "spectrograms.png", dpi=60)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    parser.add_argument("--text", default="今日はいい天気ですね。")
    parser.add_argument("--styles", nargs="+", default=["Neutral", "Angry"])
    options = parser.parse_args()
    draw(Speaker(options.resources), options.shared, options.work, options.text, tuple(options.styles))
