#!/usr/bin/env python3
"""Prepares a blind test for ears: the natural voice with our melody, with its own, and the light voice Mei.

    python3 packaging/natural_voice/listening_test.py VOICE TEXTS FILE.koebako [--lines 10]

Writes a project with a sealed test by pairs, and its sounds next to it. Open it in Koebako and choose "Blind test". VOICE is the prepared
folder; lines are chosen by a hash of their text, and the speakers take turns. All sounds have the same loudness.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "packaging/natural_voice")]

from evaluate import choose_lines  # noqa: E402

from app.audition.blind_test import BlindTestPlan, begin_blind_test, generate_seed  # noqa: E402
from app.audition.blind_test_data import dump_blind_test  # noqa: E402
from app.audition.take_store import TakeStore, find_sound_folder  # noqa: E402
from app.compose.speaker_opening import open_speaker  # noqa: E402
from app.core.script.project import Project  # noqa: E402
from app.core.script.script import Line, LineSettings, Script  # noqa: E402
from app.core.synthesis_types import Float32, SynthesisRequest  # noqa: E402
from app.interchange.koebako_files import write_project  # noqa: E402

LOUDNESS = 0.06  # root mean square


def main() -> None:
    """Speaks the lines and writes the project."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("voice", type=Path)
    parser.add_argument("texts", type=Path)
    parser.add_argument("file", type=Path)
    parser.add_argument("--lines", type=int, default=10)
    options = parser.parse_args()
    natural, mei = open_speaker(str(options.voice), "cpu"), open_speaker("mei", "cpu")
    store, rows, lines = TakeStore(find_sound_folder(options.file)), [], []
    for index, text in enumerate(choose_lines(options.texts, options.lines)):
        speaker = index % len(natural.pipeline.voice.speakers)
        requests = ((natural, {"speaker": speaker}), (natural, {"speaker": speaker, "accent_fidelity": 0.0}), (mei, {}))
        rows.append(tuple(store.keep_sound(*speak_text(one, text, settings)).name for one, settings in requests))
        lines.append(Line(text, LineSettings(voice=natural.voice.manifest.id, speaker=natural.pipeline.voice.speakers[speaker])))
        print(text, flush=True)
    names = ("natural voice, our melody", "natural voice, its own melody", "Mei")
    plan = BlindTestPlan("pairs", tuple(rows), names, trials=len(rows), undecided=True)
    write_project(options.file, Project(Script(tuple(lines)), tests=(dump_blind_test(begin_blind_test(plan, generate_seed())),)))


def speak_text(speaker: object, text: str, settings: dict[str, float]) -> tuple[Float32, int]:
    """Returns the samples of a line at the common loudness, and their rate."""
    chunks = list(speaker.pipeline.synthesize(SynthesisRequest(text, **settings)))  # type: ignore[attr-defined]
    samples = np.concatenate([chunk.samples for chunk in chunks])
    loudness = float(np.sqrt(np.mean(samples**2)))
    return np.asarray(samples * (LOUDNESS / max(loudness, 1e-6)), np.float32), chunks[0].sampling_rate


if __name__ == "__main__":
    main()
