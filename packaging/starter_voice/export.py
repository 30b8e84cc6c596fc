"""Writes the shipped folders from a checkpoint: the voice's three graphs and manifest, the BERT and its vocabulary.

Usage: `python export.py --work WORK --resources resources`
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path

import numpy as np
import torch
from bert import StarterBert
from export_bert import export_bert
from export_decoder import export_decoder
from export_voice import HOP, export_flow, export_prosody
from network import Student
from symbols import ID, RELATIVES
from teacher import RATE, STYLES
from vocabulary import write_vocabulary

BERT_ID = "koebako-starter-v1"
GAIN = 0.75 / 32768  # the teacher counts in 16-bit steps; this brings lively lines to peaks of about -3 dBFS and speech to -22 dB
MARGIN_FRAMES = 3
VOICE_LICENCE = (
    'CC BY 3.0. Learned from the HTS voice "Mei" (five moods), Copyright (c) 2009-2013 Nagoya Institute of Technology, '
    "Department of Computer Science (MMDAgent Project Team), https://creativecommons.org/licenses/by/3.0/. "
    "Changes: a neural network was trained on the parameters it generates; pauses, questions and tempo were adjusted."
)
BERT_LICENCE = (
    "CC BY 3.0, as the voice it was trained with. Texts: ROHAN 4600 and Common Voice (CC0), 青空文庫 (public domain); "
    "dictionary of pyopenjtalk-plus for the part-of-speech targets."
)


def tie_relatives(student: Student) -> None:
    """Symbols that no line of the corpora holds get the embedding of their nearest relative."""
    with torch.no_grad():
        for symbol, relative in RELATIVES.items():
            student.prosody.phone.weight[ID[symbol]] = student.prosody.phone.weight[ID[relative]]


def write_voice(student: Student, statistics: dict[str, np.ndarray], folder: Path) -> None:
    """Graphs, style vectors and manifest."""
    folder.mkdir(parents=True, exist_ok=True)
    tie_relatives(student)
    export_prosody(student.prosody, folder / "prosody.onnx")
    export_flow(student.frames, statistics["mean"], statistics["deviation"], folder / "flow.onnx")
    export_decoder(statistics["lowpass"], GAIN, folder / "decoder.onnx")
    styles = np.zeros((len(STYLES), 256), np.float32)
    styles[range(1, len(STYLES)), range(1, len(STYLES))] = 1.0
    np.save(folder / "style_vectors.npy", styles)
    manifest = {
        "manifest_version": 1,
        "id": "mei",
        "name": "Mei (starter)",
        "format": "starter",
        "bert": BERT_ID,
        "sampling_rate": RATE,
        "hop_length": HOP,
        "speakers": [{"id": 0, "name": "Mei"}],
        "styles": [{"id": index, "name": name} for index, name in enumerate(STYLES)],
        "graphs": {name: f"{name}.onnx" for name in ("prosody", "flow", "decoder")},
        "durations": "carry",
        "margin_frames": MARGIN_FRAMES,
        "windows": [16, 32, 64, 128],
        "licence": VOICE_LICENCE,
        "description": "A small student of Open JTalk's HTS voices, not a trained SBV2 model.",
    }
    _write_json(manifest, folder / "voice.json")


def write_bert(bert: StarterBert, tokens: list[str], folder: Path) -> None:
    """Graph, vocabulary and description."""
    folder.mkdir(parents=True, exist_ok=True)
    export_bert(bert, folder / "bert.onnx")
    write_vocabulary(tokens, folder / "vocab.txt")
    digest = hashlib.sha256((folder / "bert.onnx").read_bytes()).hexdigest()
    name = "Koebako starter BERT"
    _write_json({"id": BERT_ID, "name": name, "hidden_size": 1024, "licence": BERT_LICENCE, "sha256": digest}, folder / "bert.json")


def _write_json(values: object, path: Path) -> None:
    path.write_text(json.dumps(values, ensure_ascii=False, indent=2) + "\n", "utf-8", newline="\n")


def export(checkpoint: Path, resources: Path) -> None:
    """Writes `resources/voices/mei` and `resources/bert/starter` from the averaged weights of a checkpoint."""
    state = torch.load(checkpoint, map_location="cpu", weights_only=False)
    student, bert = Student(), StarterBert(len(state["tokens"]), state["classes"])
    student.load_state_dict(state["student_average"])
    bert.load_state_dict(state["bert_average"])
    write_voice(student, state["statistics"], resources / "voices" / "mei")
    write_bert(bert, state["tokens"], resources / "bert" / "starter")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    options = parser.parse_args()
    export(options.work / "student.pt", options.resources)
