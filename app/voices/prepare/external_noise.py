"""A copy of a public SBV2 graph that takes noise and frames from outside and shows its seams: what each prepared graph is compared with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import onnx
from onnx import TensorProto, helper

from app.voices.prepare.cut_points import find_cut_points
from app.voices.prepare.noise_inputs import DURATION_NOISE, PRIOR_NOISE
from app.voices.prepare.simplify.subgraph import collect_needed_nodes
from app.voices.prepare.zero_noise import DURATIONS_OUTPUT


@dataclass(frozen=True, slots=True)
class ReferenceOutputNames:
    """Names in the copy: what a prepared graph calls `logw` … `audio`."""

    prosody: dict[str, str]
    flow: dict[str, str]
    decoder: dict[str, str]
    z_p: str


def build_reference_graph(source: onnx.ModelProto) -> tuple[onnx.ModelProto, ReferenceOutputNames]:
    """Return the graph with its random nodes and the frames per symbol made inputs; its outputs are the tensors at its cut points.

    Inputs: DURATION_NOISE float32 [1, 2, T] and PRIOR_NOISE float32 [1, C, F], both standard normal, DURATIONS float32 [1, 1, T].
    So a right graph cannot differ by a frame because the last digit of a duration decides.

    Raises:
        UnknownGraphError: the seams are not found.
    """
    seams = find_cut_points(source.graph)
    inputs = {seams.duration_noise: DURATION_NOISE, seams.prior_noise: PRIOR_NOISE, seams.frames: DURATIONS_OUTPUT}
    copy = onnx.ModelProto()
    copy.CopyFrom(source)
    graph = copy.graph
    nodes = [node for node in graph.node if not set(node.output) & inputs.keys()]
    for node in nodes:
        for place, name in enumerate(node.input):
            node.input[place] = inputs.get(name, name)
    _replace_items(graph.node, nodes)
    names = ReferenceOutputNames(
        {"logw": seams.logw, "m_p": seams.m_p, "logs_p": seams.logs_p}, {"z": seams.z}, {"audio": seams.audio}, seams.z_p
    )
    outputs = list(dict.fromkeys([*names.prosody.values(), names.z_p, *names.flow.values(), *names.decoder.values()]))
    _replace_items(graph.node, collect_needed_nodes(graph, outputs, set()))
    _replace_items(graph.output, [onnx.ValueInfoProto(name=name) for name in outputs])
    for name, shape in ((DURATION_NOISE, [1, 2, None]), (PRIOR_NOISE, [1, None, None]), (DURATIONS_OUTPUT, [1, 1, None])):
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    return copy, names


def _replace_items(field: Any, items: Sequence[Any]) -> None:
    """Replace the content of a repeated field."""
    del field[:]
    field.extend(items)
