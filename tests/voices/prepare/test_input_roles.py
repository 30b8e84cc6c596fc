"""The inputs of a voice are known by what the graph does with them, whatever an exporter called them."""

import shutil
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import helper, numpy_helper

from app.install.voice_preparation import prepare_voice
from app.voices.expected_outputs import read_cases
from app.voices.prepare.graph_cutting import cut_voice_graph
from app.voices.prepare.input_roles import InputRoles, find_input_roles, guess_feature_input, guess_role_by_name
from app.voices.prepare.source_graphs import rename_to_public_inputs
from app.voices.untrusted.onnx_nodes import parse_onnx_nodes
from tests.voices.prepare.parity import PreparedVoice
from tests.voices.prepare.public_graph import INPUTS, SPEAKERS, public_graph

VARIANTS = ("jp-extra-tiny-2spk", "variant-int32-rank1-single", "variant-opset17-raw", "variant-no-noise-inputs")


def _roles(model: onnx.ModelProto) -> InputRoles:
    return find_input_roles(parse_onnx_nodes(memoryview(model.SerializeToString())))


def _reference(shared: Path, name: str) -> onnx.ModelProto:
    path = shared / "reference" / name / "model.onnx"
    if not path.is_file():
        pytest.skip(f"no reference model at {path}")
    return onnx.load(str(path))


def _renamed(model: onnx.ModelProto, names: dict[str, str]) -> onnx.ModelProto:
    """The model with inputs called otherwise, and nothing else in it that has a name of its own."""
    made = (name for node in model.graph.node for name in node.output if name)
    values = {name: f"value {number}" for number, name in enumerate(made)}
    values |= {item.name: f"weight {number}" for number, item in enumerate(model.graph.initializer)} | names
    for item in (*model.graph.input, *model.graph.output, *model.graph.initializer):
        item.name = values.get(item.name, item.name)
    for node in model.graph.node:
        node.name = ""
        for fields in (node.input, node.output):
            for place, name in enumerate(fields):
                fields[place] = values.get(name, name)
    del model.graph.value_info[:]
    return model


@given(st.permutations([*INPUTS]), st.booleans(), st.booleans())
def test_inputs_that_bear_each_others_names_are_told_apart(names: list[str], by_row: bool, speed: bool) -> None:
    called = dict(zip(INPUTS, names, strict=True))
    roles = _roles(public_graph(called, by_row=by_row, speed=speed))
    assert {usual: taken.name for usual, taken in roles.assigned.items()} == called
    assert {taken.form for taken in roles.assigned.values()} == {"as it is"} | ({"rows"} if by_row else set()) | (
        {"inverse"} if speed else set()
    )
    assert (roles.unclear, roles.unread, roles.speakers, roles.is_voice) == ([], [], SPEAKERS, True)
    usual = rename_to_public_inputs(public_graph(called, by_row=by_row, speed=speed), roles)
    assert {usual: taken.name for usual, taken in _roles(usual).assigned.items()} == {name: name for name in INPUTS}
    assert usual.graph.output[0].name == "output"
    assert [item.type.tensor_type.shape.dim[1].dim_value for item in usual.graph.input if item.name == "bert"] == [1024]


@pytest.mark.parametrize("name", VARIANTS)
def test_the_reference_says_by_itself_what_its_inputs_are_for(shared: Path, name: str) -> None:
    model, called = _nameless(shared, name)
    assert {usual: taken.name for usual, taken in _roles(model).assigned.items()} == called


def test_the_reference_under_other_names_is_cut_and_exact(shared: Path) -> None:
    name = "variant-int32-rank1-single"
    model, called = _nameless(shared, name)
    _take_features_by_row(model, called["bert"])
    _take_a_bare_speaker(model, called["sid"])
    case = read_cases(shared / "reference" / name / "expected.npz")[0]
    samples, frames = PreparedVoice(cut_voice_graph(rename_to_public_inputs(model, _roles(model)))).speak(case)
    assert np.array_equal(frames, case["durations_frames"].reshape(-1))
    assert np.abs(samples - case["output"].reshape(-1)).max() <= 1e-4


@pytest.mark.slow
def test_a_voice_under_other_names_is_proved_against_its_file(shared: Path, tmp_path: Path) -> None:
    reference = shared / "reference" / "jp-extra-tiny-2spk"
    model, called = _nameless(shared, reference.name)
    _take_features_by_row(model, called["bert"])
    _take_a_bare_speaker(model, called["sid"])
    rounded = next(node for node in model.graph.node if node.op_type == "Ceil")
    next(node for node in model.graph.node if node.output[0] == rounded.input[0]).op_type = "Div"  # by a speed
    for beside in ("config.json", "style_vectors.npy"):
        shutil.copy(reference / beside, tmp_path)
    onnx.save(model, str(tmp_path / "synthesizer.onnx"))
    (tmp_path / "prepared").mkdir()
    prepared = prepare_voice(tmp_path / "synthesizer.onnx", tmp_path / "prepared", int8=False)
    assert prepared.reason is None
    assert prepared.max_abs_diff is not None
    assert prepared.max_abs_diff <= 1e-4


def _nameless(shared: Path, name: str) -> tuple[onnx.ModelProto, dict[str, str]]:
    """A reference model whose inputs bear names that say nothing, and how each is called."""
    model = _reference(shared, name)
    called = {item.name: f"arg{number}" for number, item in enumerate(model.graph.input)}
    return _renamed(model, called), called


def _take_features_by_row(model: onnx.ModelProto, name: str) -> None:
    _put_before(model, name, [1, "T", 1024], helper.make_node("Transpose", [name], ["by column"], perm=[0, 2, 1]))


def _take_a_bare_speaker(model: onnx.ModelProto, name: str) -> None:
    model.graph.initializer.append(numpy_helper.from_array(np.array([0]), "first axis"))
    _put_before(model, name, [], helper.make_node("Unsqueeze", [name, "first axis"], ["a list of one"]))


def _put_before(model: onnx.ModelProto, name: str, shape: list[int | str], node: onnx.NodeProto) -> None:
    """An input of this shape, what reads it reading what a node makes of it."""
    declared = next(item for item in model.graph.input if item.name == name)
    declared.CopyFrom(helper.make_tensor_value_info(name, declared.type.tensor_type.elem_type, shape))
    reader = next(item for item in model.graph.node if name in item.input)
    reader.input[list(reader.input).index(name)] = node.output[0]
    model.graph.node.insert(0, node)


def test_features_of_three_languages_are_told_apart_by_a_name_or_refused(shared: Path) -> None:
    model = _reference(shared, "multilingual-tiny")
    by_layer = _roles(model)
    assert {"bert", "ja_bert", "en_bert"} <= by_layer.assigned.keys()
    names = {"bert": "zhFeatures", "ja_bert": "jaFeatures", "en_bert": "enFeatures"}
    by_input = _roles(_renamed(_reference(shared, "multilingual-tiny"), names))
    assert {usual: by_input.assigned[usual].name for usual in names} == names
    nameless = _roles(_renamed(model, {"bert": "a", "ja_bert": "b", "en_bert": "c"}))
    assert sorted(set(nameless.unclear)) == ["a", "b", "c"]


def test_what_nobody_reads_is_left_out_and_what_nobody_knows_is_named() -> None:
    model = public_graph()
    for name in ("unread", "pitch_shift"):
        model.graph.input.append(helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, [1]))
    model.graph.node.append(helper.make_node("Sin", ["pitch_shift"], ["shifted"]))
    roles = _roles(model)
    assert (roles.unread, roles.unclear) == (["unread"], ["pitch_shift"])
    assert "unread" not in {item.name for item in rename_to_public_inputs(model, roles).graph.input}


def test_two_inputs_for_one_purpose_are_unclear() -> None:
    model = public_graph()
    model.graph.input.append(helper.make_tensor_value_info("second", onnx.TensorProto.INT64, [1, "T"]))
    looked_up = next(node for node in model.graph.node if node.input[1:] == ["tones"])
    model.graph.node.append(helper.make_node("Gather", [looked_up.input[0], "second"], ["more"]))
    model.graph.node.append(helper.make_node("Add", ["more", looked_up.output[0]], ["most"]))
    assert sorted(_roles(model).unclear) == ["second", "tones"]


@pytest.mark.parametrize(
    ("name", "kind", "usual"),
    [
        ("phone_ids", "index", "x_tst"),
        ("inputLengths", "index", "x_tst_lengths"),
        ("Style-Vec:0", "vector", "style_vec"),
        ("noiseW", "number", "noise_scale_w"),
        ("speed", "number", ""),
    ],
)
def test_spellings(name: str, kind: str, usual: str) -> None:
    assert guess_role_by_name(name, kind) == usual  # type: ignore[arg-type]


def test_languages_of_features_are_words_of_their_names() -> None:
    names = ("bert_jp", "EnBert", "zh_bert", "open_bert", "bert")
    assert [guess_feature_input(name) for name in names] == ["ja_bert", "en_bert", "bert", "bert", "bert"]
