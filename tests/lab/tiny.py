"""Subjects of the public architecture in tiny, beside what they came as."""

from pathlib import Path

from app.install.bert_preparation import prepare_bert
from app.lab.lab_subject import BERT_GRAPHS_BY_PRECISION, LabSubject
from app.voices.bert_models import write_bert
from app.voices.containers.voice_sources import read_voice_source
from app.voices.prepared_voice import read_prepared_voice
from tests.remembered import prepare_remembered


def tiny_voice(tiny_models: Path, folder: Path) -> LabSubject:
    """A voice, prepared into a new folder inside `folder`; wants the fixture `_prepared_voices`."""
    source, made = tiny_models / "jp-extra-tiny-2spk/model.aivmx", folder / "prepared"
    made.mkdir()
    prepare_remembered(source, made)
    voice = read_prepared_voice(made)
    return LabSubject("tiny", read_voice_source(source).graphs, dict(voice.graphs), voice)


def tiny_bert_of(tiny_models: Path, folder: Path) -> LabSubject:
    """A BERT, prepared into a new folder inside `folder`."""
    model, made = tiny_models / "deberta-tiny/model_fp16.onnx", folder / "bert"
    made.mkdir()
    found = prepare_bert(model, made, width=64)
    bert = write_bert(made, {"id": "tiny", "name": "tiny"} | found.build_description())
    return LabSubject("tiny", {"bert": model}, {BERT_GRAPHS_BY_PRECISION[item]: graph for item, graph in bert.graphs.items()}, bert=bert)
