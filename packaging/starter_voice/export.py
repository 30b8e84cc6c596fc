"""Writes the shipped folders from a checkpoint: the voice's three graphs and manifest, the BERT and its vocabulary.

Usage: `python export.py --shared ../shared --work WORK --resources resources`
"""

import argparse
import hashlib
import itertools
import json
from pathlib import Path

import numpy as np
import torch
from balance import balance
from bert import StarterBert
from cast import CAST, SPEAKERS, STYLES
from export_bert import array, export_bert
from export_decoder import export_decoder
from export_flow import export_flow
from export_parts import HOP
from export_prosody import export_prosody
from forest import Forest, open_forest
from network import Student
from pitch_input import add_pitch_input
from plain_shapes import rewrite
from pretrain import Reader, load_reader
from symbols import ID, RELATIVES
from teacher import RATE
from vocabulary import write_vocabulary

BERT_ID = "koebako-starter-v1"
GAIN = 0.75 / 32768  # the teacher counts in 16-bit steps; this brings lively lines to peaks of about -3 dBFS and speech to -22 dB
MARGIN_FRAMES = 3
VOICE_LICENCE = (
    'CC BY 4.0. Learned from three HTS voices: "Mei" (five moods), Copyright (c) 2009-2013 Nagoya Institute of Technology, Department of '
    "Computer Science (MMDAgent Project Team), CC BY 3.0, https://creativecommons.org/licenses/by/3.0/; "
    '"tohoku-f01" (four moods), Copyright (c) 2015 Intelligent Communication Network (Ito-Nose) Laboratory, Tohoku University, CC BY 4.0, '
    "https://creativecommons.org/licenses/by/4.0/; "
    '"NIT ATR503 M001", Copyright (c) 2003-2012 Nagoya Institute of Technology, Department of Computer Science (HTS Working Group), CC BY 3.0. '
    "Changes: their decision trees, in half precision, were joined with neural networks trained on the parameters they generate; "
    "pauses, questions, exclamations, loudness and tempo were adjusted."
)
BERT_LICENCE = (
    "CC BY 4.0, as the voice it serves. Texts: ROHAN 4600 and Common Voice (CC0), 青空文庫 (public domain); "
    "dictionary of pyopenjtalk-plus for the words and phrases it learned to name."
)


def tie_relatives(*embeddings: torch.nn.Embedding) -> None:
    """Symbols that no line of the corpora holds get the embedding of their nearest relative."""
    with torch.no_grad():
        for embedding, (symbol, relative) in itertools.product(embeddings, RELATIVES.items()):
            embedding.weight[ID[symbol]] = embedding.weight[ID[relative]]


def write_voice(student: Student, reader: Reader, forest: Forest, statistics: dict[str, np.ndarray], own: np.ndarray, folder: Path) -> None:
    """Graphs, style vectors and manifest; `own` is what `balance.py` finds."""
    folder.mkdir(parents=True, exist_ok=True)
    tie_relatives(student.prosody.phone, reader.finder.phone)
    roles = array(student.role.weight)
    export_prosody(student.prosody, reader.finder, reader.codes, forest, roles, own, folder / "prosody.onnx")
    export_flow(student.frames, roles, own, statistics["mean"], statistics["deviation"], folder / "flow.onnx")
    export_decoder(statistics["lowpass"], GAIN, folder / "decoder.onnx")
    for name in ("prosody", "flow", "decoder"):
        rewrite(folder / f"{name}.onnx")
    add_pitch_input(folder / "flow.onnx")
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
        "speakers": [{"id": index, "name": name} for index, name in enumerate(SPEAKERS)],
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


def export(shared: Path, work: Path, resources: Path) -> None:
    """Writes `resources/voices/mei` and `resources/bert/starter` from the reader and from the averaged weights of the student."""
    state, student, reader = torch.load(work / "student.pt", map_location="cpu", weights_only=False), Student(), load_reader(work)
    student.load_state_dict(state["average"])
    write_bert(reader.bert, list(reader.index), resources / "bert" / "starter")
    voice = (student, reader, open_forest(shared, work), state["statistics"])
    write_voice(*voice, np.zeros((len(CAST), 2), np.float32), resources / "voices" / "mei")
    write_voice(*voice, balance(work, resources), resources / "voices" / "mei")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shared", type=Path, default=Path("../shared"))
    parser.add_argument("--work", type=Path, required=True)
    parser.add_argument("--resources", type=Path, default=Path("resources"))
    options = parser.parse_args()
    export(options.shared, options.work, options.resources)
