"""int8 for a voice only where it is known to change no durations."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from app.common.files import paths
from app.compose.speaker_opening import open_speaker
from app.install.calibration_runs import measure_duration_agreement, read_with_bert
from app.install.install_bert import measure_missing_agreements
from app.settings.user_settings import load_settings, save_settings
from app.voices.bert_models import (
    BertModel,
    choose_bert_precision,
    find_equal_duration_share,
    list_installed_berts,
    remember_equal_duration_share,
)
from app.voices.installed_voices import find_voice
from app.voices.int8_result import MIN_FRAMES_EQUAL
from app.voices.prepared_voice import Voice

from .greedy_voices import HARMS, crashes


@pytest.fixture
def voice() -> Voice:
    return find_voice("mei", paths.list_voice_dirs())


@pytest.fixture
def bert() -> BertModel:
    """The starter BERT with a copy of itself as its int8, where a check can find it."""
    (shipped,) = list_installed_berts([paths.find_resources_dir() / "bert"])
    folder = paths.find_data_dir() / "bert" / shipped.id
    shutil.copytree(shipped.folder, folder)
    shutil.copyfile(folder / "bert.onnx", folder / "bert_int8.onnx")
    text = (folder / "bert.json").read_text(encoding="utf-8")
    (folder / "bert.json").write_text(
        text.replace('"id"', '"files": {"float32": "bert.onnx", "int8": "bert_int8.onnx"},\n "id"'), encoding="utf-8"
    )
    return list_installed_berts([paths.find_data_dir() / "bert"])[0]


def spoil(graph: Path) -> None:
    """Adds noise to every weight."""
    model, rng = onnx.load(str(graph)), np.random.default_rng(0)
    for item in model.graph.initializer:
        values = numpy_helper.to_array(item)
        if values.dtype.kind == "f" and values.ndim > 1:
            spread = values.astype(np.float64).std()
            noise = (values + rng.standard_normal(values.shape) * spread).astype(values.dtype)
            item.CopyFrom(numpy_helper.from_array(noise, item.name))
    onnx.save(model, str(graph))


def test_equal_features_keep_every_length_and_others_do_not(voice: Voice, bert: BertModel) -> None:
    assert measure_duration_agreement(voice, read_with_bert(bert)) == 1.0
    spoil(bert.graphs["int8"])
    assert measure_duration_agreement(voice, read_with_bert(bert)) < MIN_FRAMES_EQUAL


def test_unknown_is_exact_until_it_was_measured(voice: Voice, bert: BertModel) -> None:
    assert choose_bert_precision(voice, bert, "auto", "cpu") == "float32"
    assert measure_missing_agreements() == 1
    assert find_equal_duration_share(voice, bert) == 1.0
    assert choose_bert_precision(voice, bert, "auto", "cpu") == "int8"
    assert choose_bert_precision(voice, bert, "auto", "directml") == "float32"
    assert choose_bert_precision(voice, bert, "float32", "cpu") == "float32"
    assert measure_missing_agreements() == 0
    os.utime(bert.graphs["int8"], ns=(1, 1))  # another file
    assert find_equal_duration_share(voice, bert) is None


def test_a_voice_that_cannot_be_measured_is_left_out(bert: BertModel, tmp_path: Path) -> None:
    broken = paths.find_data_dir() / "voices" / "broken"
    shutil.copytree(paths.find_resources_dir() / "voices" / "mei", broken)
    (broken / "prosody.onnx").write_bytes(b"no graph")
    assert measure_missing_agreements() == 1
    assert measure_missing_agreements() == 0


@crashes
def test_a_voice_that_is_greedy_while_it_is_measured_is_not_measured_again(bert: BertModel) -> None:
    """It gets the exact features; those after it are measured all the same."""
    for name in ("a", "b"):
        shutil.copytree(paths.find_resources_dir() / "voices" / "mei", paths.find_data_dir() / "voices" / name)
    graph = paths.find_data_dir() / "voices" / "a" / "prosody.onnx"
    model = onnx.load(str(graph))
    logw = model.graph.output[0].name
    next(node for node in model.graph.node if logw in node.output).output[:] = ["plain"]
    model.graph.initializer.append(numpy_helper.from_array(np.zeros((), np.float32), "nothing"))
    model.graph.node.extend(
        [
            *HARMS["crash"](),
            helper.make_node("Mul", ["harm", "nothing"], ["silence"]),
            helper.make_node("Add", ["plain", "silence"], [logw]),
        ]
    )
    onnx.save(model, str(graph))
    assert measure_missing_agreements() == 3
    assert [find_equal_duration_share(find_voice(name, paths.list_voice_dirs()), bert) for name in ("a", "b", "mei")] == [0.0, 1.0, 1.0]
    assert measure_missing_agreements() == 0


@pytest.mark.parametrize(("share", "expected"), [(0.9799, "float32"), (0.98, "int8"), (float("nan"), "float32"), (7.0, "float32")])
def test_enough_has_to_be_equal(share: float, expected: str, voice: Voice, bert: BertModel) -> None:
    remember_equal_duration_share(voice, bert, share)
    assert choose_bert_precision(voice, bert, "auto", "auto") == expected
    assert choose_bert_precision(voice, bert, "int8", "auto") == "int8"


def test_a_bert_without_int8_is_exact(voice: Voice, bert: BertModel) -> None:
    alone = replace(bert, graphs={"float32": bert.exact_graph})
    assert choose_bert_precision(voice, alone, "int8", "cpu") == "float32"


def test_what_is_chosen_is_opened(bert: BertModel) -> None:
    exact = open_speaker("mei", precision="float32").pipeline
    quantised = open_speaker("mei", precision="int8").pipeline
    assert exact.bert_id != quantised.bert_id  # no cache mixes them up
    assert open_speaker("mei").pipeline.bert_id == exact.bert_id
    save_settings(replace(load_settings()[0], bert_precision="int8"))
    assert open_speaker("mei").pipeline.bert_id == quantised.bert_id
