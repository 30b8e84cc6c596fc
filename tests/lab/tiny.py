"""Subjects of the public architecture in tiny, beside what they came as."""

from __future__ import annotations

from pathlib import Path

from app.install.bert_prepare import prepare_bert
from app.lab.subject import BERT_GRAPHS, Subject
from app.voices.bert import write_bert
from app.voices.containers.sources import read_source
from app.voices.voice import read_prepared
from tests.remembered import prepare_remembered


def tiny_voice(tiny_models: Path, folder: Path) -> Subject:
    """A voice, prepared into a new folder inside `folder`; wants the fixture `_prepared_voices`."""
    source, made = tiny_models / "jp-extra-tiny-2spk/model.aivmx", folder / "prepared"
    made.mkdir()
    prepare_remembered(source, made)
    voice = read_prepared(made)
    return Subject("tiny", read_source(source).graphs, dict(voice.graphs), voice)


def tiny_bert_of(tiny_models: Path, folder: Path) -> Subject:
    """A BERT, prepared into a new folder inside `folder`."""
    model, made = tiny_models / "deberta-tiny/model_fp16.onnx", folder / "bert"
    made.mkdir()
    found = prepare_bert(model, made, width=64)
    bert = write_bert(made, {"id": "tiny", "name": "tiny"} | found.values())
    return Subject("tiny", {"bert": model}, {BERT_GRAPHS[item]: graph for item, graph in bert.graphs.items()}, bert=bert)
