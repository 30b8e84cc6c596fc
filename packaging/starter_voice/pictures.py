"""Pictures for the eye: spectrograms of student next to teacher for every role, and the pitch of words that differ in accent alone.

Usage: `python pictures.py --shared ../shared --work WORK --resources resources`

The pictures are written next to the model card, the sounds that they show into the work folder.
"""

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
import soundfile
from cast import CAST, Role, open_role
from evaluate import teacher_sound
from frontend import Line, analyse, normalise
from numpy.typing import NDArray
from speaker import RATE, Speaker
from sweep import contour
from teacher import STEP, teach

from app.core.sound.durations import round_with_carry

mpl.use("Agg")
from matplotlib import pyplot

TEXT = "えっ、明日の朝は雪が降るんですか？それは楽しみです！"
PAIRS = (
    ("はしがある", ("箸がある", "橋がある", "端がある")),
    ("あめがふる", ("雨が降る", "飴が降る")),
    ("いまです", ("今です", "居間です")),
)


def read(text: str) -> Line:
    """The analysed line; stops for one that cannot be read."""
    line = analyse(normalise(text))
    if line is None:
        raise SystemExit(f"cannot read: {text}")
    return line


def spectrograms(speaker: Speaker, shared: Path, work: Path, line: Line, roles: tuple[Role, ...], path: Path) -> None:
    """One row a role, the student left, the teacher's parameters through the same vocoder right."""
    _, axes = pyplot.subplots(len(roles), 2, figsize=(20, 3 * len(roles)), squeeze=False)
    for row, role in zip(axes, roles, strict=True):
        voice = open_role(role, shared, work)
        sounds = {"student": speaker.speak(line, speaker.who(role)), "teacher": teacher_sound(speaker, teach(voice, role, line))}
        voice.close()
        for axis, (who, audio) in zip(row, sounds.items(), strict=True):
            soundfile.write(work / f"{role.file}_{who}.wav", audio, RATE)
            floor = 1e-6 * np.random.default_rng(0).standard_normal(len(audio))  # keeps digital silence off log(0)
            axis.specgram(audio + floor, NFFT=1024, Fs=RATE, noverlap=768, vmin=-150, vmax=-40)
            axis.set_ylim(0, 16000)
            axis.set_title(f"{role.name}, {who}: peak {np.abs(audio).max():.2f}, mean {audio.mean():.1e}", fontsize=9)
    pyplot.tight_layout()
    pyplot.savefig(path, dpi=50, pil_kwargs={"quality": 60})
    pyplot.close()


def pitch(speaker: Speaker, text: str, role: Role) -> tuple[NDArray[np.float64], NDArray[np.float32]]:
    """Times in seconds and pitch in Hz of the voiced frames, without noise."""
    line, who = read(text), speaker.who(role)
    logw, mean, _ = speaker.prosody(line, who)
    frames = round_with_carry(np.exp(logw))
    log_f0, voiced = contour(speaker.flow(np.repeat(mean, frames, 1), frames, who))
    return np.where(voiced)[0] * STEP / RATE, np.exp(log_f0[voiced])


def accents(speaker: Speaker, path: Path) -> None:
    """Pitch of words whose phones are the same."""
    people = [role for role in CAST if role.style == "Neutral"]
    _, axes = pyplot.subplots(len(people), len(PAIRS), figsize=(15, 3 * len(people)), squeeze=False)
    for row, role in zip(axes, people, strict=True):
        for axis, (_, texts) in zip(row, PAIRS, strict=True):
            for text in texts:
                axis.write_picture(*pitch(speaker, text, role), ".", markersize=3, label=" ".join(map(str, read(text).tones[1:-1])))
            axis.set_title(f"{role.speaker}: {''.join(read(texts[0]).phones[1:-1])}", fontsize=9)
            axis.legend(fontsize=7)
    pyplot.tight_layout()
    pyplot.savefig(path, dpi=60)
    pyplot.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    parser.add_argument("--text", default=TEXT)
    options = parser.parse_args()
    who_speaks, beside = Speaker(options.resources), options.resources / "voices" / "mei"
    spectrograms(who_speaks, options.shared, options.work, read(options.text), CAST, beside / "spectrograms.jpg")
    accents(who_speaks, beside / "accents.png")
