"""A decoder that lets go of its context gives the very samples that the whole decode gives, at both ends of a sentence and inside."""

import os
from functools import cache
from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.voices.prepare.decoder_context import FIRST_FRAME_INPUT, LAST_FRAME_INPUT, crop_decoder_context
from app.voices.prepare.graph_cutting import cut_voice_graph
from tests.conftest import MODELS_VARIABLE
from tests.voices.prepare.parity import session

pytestmark = pytest.mark.usefixtures("tiny_models")
FRAMES, MARGIN, HOP, CHANNELS = 70, 13, 512, 32
TOLERANCE = 1e-6


@cache
def _decoder() -> onnx.ModelProto:
    return cut_voice_graph(onnx.load(Path(os.environ[MODELS_VARIABLE]) / "jp-extra-tiny-2spk" / "model.onnx")).decoder


@cache
def _session():  # type: ignore[no-untyped-def]
    return session(_decoder(), "decoder")


@cache
def _z() -> np.ndarray:
    return np.random.default_rng(0).standard_normal((CHANNELS, FRAMES), dtype=np.float32)


def _run(z: np.ndarray, first: int, last: int) -> np.ndarray:
    return _session().run_graph({"z": z, "sid": 0, FIRST_FRAME_INPUT: first, LAST_FRAME_INPUT: last}, ["audio"])[0]


@cache
def _whole() -> np.ndarray:
    return _run(_z(), 0, FRAMES)


@given(st.integers(0, FRAMES - 1), st.integers(1, FRAMES))
def test_wanted_frames_are_those_of_the_whole_decode(first: int, count: int) -> None:
    last = min(FRAMES, first + count)
    start, end = max(0, first - MARGIN), min(FRAMES, last + MARGIN)
    samples = _run(_z()[:, start:end], first - start, last - start)
    assert samples.shape == ((last - first) * HOP,)
    assert np.abs(samples - _whole()[first * HOP : last * HOP]).max() <= TOLERANCE


def test_the_margin_is_needed_and_not_more() -> None:
    right = _whole()[30 * HOP : 40 * HOP]
    for margin, equal in ((MARGIN, True), (MARGIN - 3, False)):
        samples = _run(_z()[:, 30 - margin : 40 + margin], margin, margin + 10)
        assert (np.abs(samples - right).max() <= TOLERANCE) == equal


def test_later_stages_compute_little_more_than_what_is_requested() -> None:
    """The lengths that convolutions see, told by running them."""
    model = onnx.ModelProto()
    model.CopyFrom(_decoder())
    last = [node for node in model.graph.node if node.op_type == "ConvTranspose"][-1]
    model.graph.output.append(onnx.helper.make_empty_tensor_value_info(last.output[0]))
    given = {"z": _z()[:, :42], "sid": 0, FIRST_FRAME_INPUT: MARGIN, LAST_FRAME_INPUT: MARGIN + 16}
    steps = session(model, "decoder").run_graph(given, [last.output[0]])[0].shape[-1]
    assert 16 * HOP <= steps <= 17 * HOP


def test_one_that_is_built_otherwise_stays_as_it_is() -> None:
    graph = onnx.helper.make_graph(
        [onnx.helper.make_node("Identity", ["z"], ["audio"])],
        "decoder",
        [onnx.helper.make_tensor_value_info("z", onnx.TensorProto.FLOAT, [CHANNELS, "W"])],
        [onnx.helper.make_tensor_value_info("audio", onnx.TensorProto.FLOAT, [CHANNELS, "W"])],
    )
    model = onnx.helper.make_model(graph)
    before = model.SerializeToString()
    assert not crop_decoder_context(model)
    assert model.SerializeToString() == before


def test_a_graph_that_asks_for_lengths_stays_as_it_is() -> None:
    model = onnx.ModelProto()
    model.CopyFrom(_decoder())  # it asks for the length of z since it was rewritten
    assert not crop_decoder_context(model)
    assert [item.name for item in model.graph.input] == ["z", "sid", FIRST_FRAME_INPUT, LAST_FRAME_INPUT]


def test_stated_lengths_are_true() -> None:
    """ONNX Runtime gives tensors of one stated length one buffer, and warns where a length is another."""
    lengths: dict[str, set[int]] = {}
    model = onnx.ModelProto()
    model.CopyFrom(_decoder())
    stated = {item.name: item.type.tensor_type.shape.dim[-1].dim_param for item in model.graph.value_info}
    stated = {name: length for name, length in stated.items() if length and not name.startswith("crop/")}
    del model.graph.output[:]
    model.graph.output.extend(onnx.helper.make_empty_tensor_value_info(name) for name in stated)
    results = session(model, "decoder").run_graph({"z": _z(), "sid": 0, FIRST_FRAME_INPUT: MARGIN, LAST_FRAME_INPUT: FRAMES - MARGIN})
    for name, value in zip(stated, results, strict=True):
        lengths.setdefault(stated[name], set()).add(value.shape[-1])
    assert len(lengths) >= 5
    assert all(len(found) == 1 for found in lengths.values())
