"""A copy of an SBV2 graph that calls its inputs as the public exporters do, so that all that comes after it knows one set of names."""

from __future__ import annotations

from collections.abc import Mapping

import onnx
from onnx import helper

from app.voices.prepare.input_roles import AssignedInput, InputRoles

AUDIO_OUTPUT = "output"
_CONVERTED_NAMES = {"rows": "rows_of_{}", "inverse": "inverse_of_{}"}


def rename_to_public_inputs(model: onnx.ModelProto, roles: InputRoles) -> onnx.ModelProto:
    """Rename the inputs of a model in place, drop the unread ones, put the sound first among the outputs, and return the model.

    Args:
        roles: those of this graph, none of them unclear.
    """
    graph = model.graph
    names = {taken.name: _CONVERTED_NAMES.get(taken.form, "{}").format(usual) for usual, taken in roles.assigned.items()}
    if roles.audio is not None:
        names[roles.audio] = AUDIO_OUTPUT
    wanted = {*roles.assigned, *names.values()}
    for name in wanted & (_collect_value_names(graph) - names.keys()):  # what else bears such a name
        names[name] = f"{name} of the exporter"
    _rename_values(graph, names)
    inputs = {item.name: item for item in graph.input if item.name not in roles.unread}
    for usual, taken in roles.assigned.items():
        if taken.form != "as it is":
            _convert_public_input(graph, inputs, names[taken.name], usual, taken)
    outputs = sorted(graph.output, key=lambda item: item.name != AUDIO_OUTPUT)
    for field, items in ((graph.input, inputs.values()), (graph.output, outputs)):
        kept = list(items)
        del field[:]
        field.extend(kept)
    return model


def _convert_public_input(
    graph: onnx.GraphProto, inputs: dict[str, onnx.ValueInfoProto], own_name: str, public_name: str, assigned: AssignedInput
) -> None:
    """Convert the usual input, which takes its place among the graph's inputs, to the input that the graph takes."""
    declared = inputs.pop(own_name)
    given = onnx.ValueInfoProto()
    given.CopyFrom(declared)
    given.name = public_name
    sizes = given.type.tensor_type.shape.dim
    if assigned.form == "rows":
        order = [*range(len(sizes) - 2), len(sizes) - 1, len(sizes) - 2]
        turned = [declared.type.tensor_type.shape.dim[axis] for axis in order]
        del sizes[:]
        sizes.extend(turned)
        node = helper.make_node("Transpose", [public_name], [own_name], perm=order)
    else:
        node = helper.make_node("Reciprocal", [public_name], [own_name])
    inputs[public_name] = given
    graph.node.insert(0, node)


def _collect_value_names(graph: onnx.GraphProto) -> set[str]:
    """Return every name of a value, with those of graphs inside nodes."""
    found = {item.name for item in (*graph.input, *graph.output, *graph.initializer)}
    for node in graph.node:
        found |= {*node.input, *node.output}
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                found |= _collect_value_names(inner)
    return found


def _rename_values(graph: onnx.GraphProto, names: Mapping[str, str]) -> None:
    for item in (*graph.input, *graph.output, *graph.initializer, *graph.value_info):
        item.name = names.get(item.name, item.name)
    for node in graph.node:
        for values in (node.input, node.output):
            for place, name in enumerate(values):
                if name in names:
                    values[place] = names[name]
        for attribute in node.attribute:
            for inner in (attribute.g, *attribute.graphs):
                _rename_values(inner, names)
