"""int8 for a voice only where it is known to change no durations."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper

from app import paths
from app.compose.opening import open_speaker
from app.install.equal_share import equal_share, read_by
from app.install.precision import check_precisions
from app.settings import load_settings, save_settings
from app.voices.bert import Bert, installed_berts
from app.voices.fast import ENOUGH_EQUAL
from app.voices.library import find_voice
from app.voices.precision import choose_precision, known_share, remember_share
from app.voices.voice import Voice

from .greedy_voices import HARMS, crashes


@pytest.fixture
def voice() -> Voice:
    return find_voice("mei", paths.voice_dirs())


@pytest.fixture
def bert() -> Bert:
    """The starter BERT with a copy of itself as its int8, where a check can find it."""
    (shipped,) = installed_berts([paths.resources_dir() / "bert"])
    folder = paths.data_dir() / "bert" / shipped.id
    shutil.copytree(shipped.folder, folder)
    shutil.copyfile(folder / "bert.onnx", folder / "bert_int8.onnx")
    text = (folder / "bert.json").read_text(encoding="utf-8")
    (folder / "bert.json").write_text(
        text.replace('"id"', '"files": {"float32": "bert.onnx", "int8": "bert_int8.onnx"},\n "id"'), encoding="utf-8"
    )
    return installed_berts([paths.data_dir() / "bert"])[0]


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


def test_equal_features_keep_every_length_and_others_do_not(voice: Voice, bert: Bert) -> None:
    assert equal_share(voice, read_by(bert)) == 1.0
    spoil(bert.graphs["int8"])
    assert equal_share(voice, read_by(bert)) < ENOUGH_EQUAL


def test_unknown_is_exact_until_it_was_measured(voice: Voice, bert: Bert) -> None:
    assert choose_precision(voice, bert, "auto", "cpu") == "float32"
    assert check_precisions() == 1
    assert known_share(voice, bert) == 1.0
    assert choose_precision(voice, bert, "auto", "cpu") == "int8"
    assert choose_precision(voice, bert, "auto", "directml") == "float32"
    assert choose_precision(voice, bert, "float32", "cpu") == "float32"
    assert check_precisions() == 0
    os.utime(bert.graphs["int8"], ns=(1, 1))  # another file
    assert known_share(voice, bert) is None


def test_a_voice_that_cannot_be_measured_is_left_out(bert: Bert, tmp_path: Path) -> None:
    broken = paths.data_dir() / "voices" / "broken"
    shutil.copytree(paths.resources_dir() / "voices" / "mei", broken)
    (broken / "prosody.onnx").write_bytes(b"no graph")
    assert check_precisions() == 1
    assert check_precisions() == 0


@crashes
def test_a_voice_that_is_greedy_while_it_is_measured_is_not_measured_again(bert: Bert) -> None:
    """It gets the exact features; those after it are measured all the same."""
    for name in ("a", "b", "c"):
        shutil.copytree(paths.resources_dir() / "voices" / "mei", paths.data_dir() / "voices" / name)
    graph = paths.data_dir() / "voices" / "b" / "prosody.onnx"
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
    assert check_precisions() == 4
    assert [known_share(find_voice(name, paths.voice_dirs()), bert) for name in ("a", "b", "c")] == [1.0, 0.0, 1.0]
    assert check_precisions() == 0


@pytest.mark.parametrize(("share", "expected"), [(0.9799, "float32"), (0.98, "int8"), (float("nan"), "float32"), (7.0, "float32")])
def test_enough_has_to_be_equal(share: float, expected: str, voice: Voice, bert: Bert) -> None:
    remember_share(voice, bert, share)
    assert choose_precision(voice, bert, "auto", "auto") == expected
    assert choose_precision(voice, bert, "int8", "auto") == "int8"


def test_a_bert_without_int8_is_exact(voice: Voice, bert: Bert) -> None:
    alone = replace(bert, graphs={"float32": bert.graph})
    assert choose_precision(voice, alone, "int8", "cpu") == "float32"


def test_what_is_chosen_is_opened(bert: Bert) -> None:
    exact = open_speaker("mei", precision="float32").pipeline
    quantised = open_speaker("mei", precision="int8").pipeline
    assert exact.bert_id != quantised.bert_id  # no cache mixes them up
    assert open_speaker("mei").pipeline.bert_id == exact.bert_id
    save_settings(replace(load_settings()[0], bert_precision="int8"))
    assert open_speaker("mei").pipeline.bert_id == quantised.bert_id
