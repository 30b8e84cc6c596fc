"""Public SBV2 graphs: where one can be cut, by what its nodes do, and copies with other names, with noise from outside or without it.

    text ─ encoder ─┬─ m_p, logs_p ──────────┐ (repeated per frame)
                    └─ predictors ─ logw ─ exp ─ × length_scale ─ ceil ─ frames
    z_p = mean + noise · exp(log scale) · noise_scale ─ flow ─ z ─ first convolution of the decoder ─ … ─ output

Exporters keep neither order nor all names, so only this shape is relied on: one Ceil with a random node before it and one after it.
"""

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import onnx
from onnx import TensorProto, helper, numpy_helper

from app.voices.prepare.graph_store import load_graph
from app.voices.prepare.graph_walk import GraphLinks, UnknownGraphError, collect_needed_nodes, iterate_graphs, rename_inputs, replace_items
from app.voices.prepare.input_roles import AssignedInput, InputRoles

RANDOM_OP = "RandomNormalLike"
MAX_UPSAMPLINGS = 32  # published voices have five
PASS_THROUGH_OPS = {"Identity", "Cast", "Dropout"}

DURATION_NOISE = "koebako_duration_noise"
PRIOR_NOISE = "koebako_prior_noise"

DURATIONS_OUTPUT = "koebako_durations"

AUDIO_OUTPUT = "output"
_CONVERTED_NAMES = {"rows": "rows_of_{}", "inverse": "inverse_of_{}"}


@dataclass(frozen=True, slots=True)
class CutPoints:
    """Tensors of the source graph at its seams."""

    logw: str  # log of frames per symbol
    m_p: str  # m_p, logs_p: mean and log scale of the prior, per symbol
    logs_p: str
    sdp_noise: str  # noise of the stochastic duration predictor, times its scale
    frames: str  # frames, frame_sum: frames per symbol, and the sum of all, a vector of one element
    frame_sum: str
    z_p: str  # prior per frame, noise added
    z: str  # what the decoder's first convolution reads
    audio: str
    duration_noise: str  # duration_noise, prior_noise: the outputs of the two random nodes
    prior_noise: str


def find_cut_points(graph: onnx.GraphProto) -> CutPoints:
    """Return the tensors at which a graph can be cut; raise UnknownGraphError if one of them is not there, or not where it should be."""
    links = GraphLinks(graph.node)
    if not graph.output:
        raise UnknownGraphError("no output")
    ceils = [node for node in links.nodes if node.op_type == "Ceil"]
    # Of several, durations are rounded at the top level of the module, if names are kept.
    ceil = links.require_single(ceils if len(ceils) < 2 else (node for node in ceils if node.name.count("/") == 1), "Ceil")
    upstream, downstream = links.collect_upstream(ceil), links.collect_downstream(ceil)
    random = [node for node in links.nodes if node.op_type == RANDOM_OP]
    duration = links.require_single((node for node in random if node.output[0] in upstream), "noise before the durations")
    prior = links.require_single((node for node in random if node.output[0] in downstream), "noise after the durations")
    z_p, log_scale = _find_prior(links, prior)
    return CutPoints(
        logw=_find_logw(links, ceil),
        m_p=_find_per_symbol_operand(links, prior.input[0], downstream),
        logs_p=_find_per_symbol_operand(links, log_scale, downstream),
        sdp_noise=_find_scaled_noise(links, duration),
        frames=ceil.output[0],
        frame_sum=_find_frame_sum(links, ceil),
        z_p=z_p,
        z=_find_decoder_input(links, graph.output[0].name, downstream),
        audio=graph.output[0].name,
        duration_noise=duration.output[0],
        prior_noise=prior.output[0],
    )


def _find_logw(links: GraphLinks[onnx.NodeProto], ceil: onnx.NodeProto) -> str:
    """Return logw of ceil(exp(logw) · mask · length_scale), or divided by a speed: the input of the first exp above the products."""
    waiting, seen = [ceil.input[0]], set()
    while waiting:
        name = links.skip_operators(waiting.pop(0), PASS_THROUGH_OPS)
        node = links.maker.get(name)
        if node is not None and node.op_type == "Exp":
            return str(node.input[0])
        if node is not None and node.op_type in ("Mul", "Div") and name not in seen:
            # Without this, x · x · … would double the walk at every step.
            seen.add(name)
            waiting.extend(node.input if node.op_type == "Mul" else node.input[:1])
    raise UnknownGraphError("durations are not an exponential")


def _find_frame_sum(links: GraphLinks[onnx.NodeProto], ceil: onnx.NodeProto) -> str:
    node = links.require_single((node for node in links.readers[ceil.output[0]] if node.op_type == "ReduceSum"), "sum of frames")
    if any(item.name == "keepdims" and item.i == 0 for item in node.attribute):
        return str(node.output[0])
    raise UnknownGraphError("the sum of frames keeps its axes")


def _find_prior(links: GraphLinks[onnx.NodeProto], random: onnx.NodeProto) -> tuple[str, str]:
    """Return z_p and the log scale per frame, from mean + random · exp(log scale) · noise_scale."""
    name, scale = str(random.output[0]), ""
    for _ in range(6):
        node = links.require_single(links.readers[name], "use of the prior's noise")
        if node.op_type == "Add":
            if not scale:
                raise UnknownGraphError("the prior has no scale")
            return str(node.output[0]), scale
        if node.op_type not in PASS_THROUGH_OPS | {"Mul"}:
            break
        for other in node.input:
            above = links.maker.get(links.skip_operators(other, PASS_THROUGH_OPS))
            if above is not None and above.op_type == "Exp":
                scale = str(above.input[0])
        name = str(node.output[0])
    raise UnknownGraphError("the prior's noise is not added to a mean")


def _find_per_symbol_operand(links: GraphLinks[onnx.NodeProto], per_frame: str, after_durations: set[str]) -> str:
    """Find the operand that a product with the alignment spreads over frames: the one that does not depend on the durations."""
    product = links.maker.get(links.skip_operators(per_frame, PASS_THROUGH_OPS | {"Transpose"}))
    if product is None or product.op_type != "MatMul":
        raise UnknownGraphError("the prior is not spread by a matrix product")
    free = [name for name in product.input if name not in after_durations]
    if len(free) != 1:
        raise UnknownGraphError("both operands of the spreading depend on the durations")
    source = links.skip_operators(free[0], PASS_THROUGH_OPS)
    transpose = links.maker.get(source)
    if transpose is None or transpose.op_type != "Transpose":
        raise UnknownGraphError("the prior per symbol has an unknown layout")
    return links.skip_operators(transpose.input[0], PASS_THROUGH_OPS)


def _find_scaled_noise(links: GraphLinks[onnx.NodeProto], random: onnx.NodeProto) -> str:
    """Return the product of noise and noise_scale_w, an input or a constant, or the noise itself if it is not scaled."""
    name = str(random.output[0])
    while len(links.readers[name]) == 1 and links.readers[name][0].op_type in PASS_THROUGH_OPS:
        name = str(links.readers[name][0].output[0])
    readers = links.readers[name]
    return str(readers[0].output[0]) if len(readers) == 1 and readers[0].op_type == "Mul" else name


def _select_independent_nodes(links: GraphLinks[onnx.NodeProto], outputs: set[str]) -> list[onnx.NodeProto]:
    """Return the nodes with these outputs that depend on none of the others, in the order of the graph."""
    independent, dependent = [], set[str]()
    for node in links.nodes:
        depends, is_listed = not dependent.isdisjoint(node.input), not outputs.isdisjoint(node.output)
        if is_listed and not depends:
            independent.append(node)
        if is_listed or depends:
            dependent.update(name for name in node.output if name)
    return independent


def _find_decoder_input(links: GraphLinks[onnx.NodeProto], audio: str, after_durations: set[str]) -> str:
    """Find the tensor that the first convolution of the decoder reads: above the first upsampling, the one that depends on the frames."""
    above = links.collect_upstream(links.maker[audio]) if audio in links.maker else set()
    ups = [node for node in links.nodes if node.op_type == "ConvTranspose" and node.output[0] in above]
    outputs = {node.output[0] for node in ups}
    if len(ups) > MAX_UPSAMPLINGS:
        raise UnknownGraphError(f"{len(ups)} × ConvTranspose")
    first = links.require_single(_select_independent_nodes(links, outputs), "first upsampling")
    waiting, convolutions, seen = [str(first.input[0])], [], set()
    while waiting:
        name = links.skip_operators(waiting.pop(), PASS_THROUGH_OPS | {"LeakyRelu", "Mul"})
        node = links.maker.get(name)
        if name in seen:
            continue
        seen.add(name)
        if node is not None and node.op_type == "Add":
            waiting.extend(node.input)
        elif node is not None and node.op_type == "Conv" and name in after_durations:
            convolutions.append(node)
    return str(links.require_single(convolutions, "first convolution of the decoder").input[0])


def build_noiseless_graph(model: Path | bytes) -> tuple[bytes, bool]:
    """Return the silenced graph, serialised, and whether it has the extra output DURATIONS (frames per symbol)."""
    proto = load_graph(model)
    nodes: list[onnx.NodeProto] = []
    for node in proto.graph.node:
        if node.op_type == RANDOM_OP:
            # Zeros, as a scale of 0 would abort the process inside ONNX Runtime. Some exporters make no input of the scale anyway.
            shape = f"{node.output[0]}_shape"
            nodes += [helper.make_node("Shape", [node.input[0]], [shape]), helper.make_node("ConstantOfShape", [shape], [node.output[0]])]
        else:
            nodes.append(node)
    replace_items(proto.graph.node, nodes)
    ceils = [node for node in proto.graph.node if node.op_type == "Ceil"]
    if len(ceils) == 1:
        _show_durations(proto.graph, ceils[0].output[0])
    return proto.SerializeToString(), len(ceils) == 1


def _show_durations(graph: onnx.GraphProto, frames: str) -> None:
    graph.node.append(helper.make_node("Identity", [frames], [DURATIONS_OUTPUT]))
    graph.output.append(helper.make_tensor_value_info(DURATIONS_OUTPUT, TensorProto.FLOAT, None))


def expose_noise_inputs(source: onnx.ModelProto) -> onnx.ModelProto:
    """Return the graph with its two random nodes made inputs; its outputs are the audio and DURATIONS (frames per symbol). Raises UnknownGraphError.

    Inputs: DURATION_NOISE float32 [1, 2, T] and PRIOR_NOISE float32 [1, C, F], both standard normal; the graph scales them itself.
    """
    seams = find_cut_points(source.graph)
    copy = _replace_by_inputs(source, {seams.duration_noise: DURATION_NOISE, seams.prior_noise: PRIOR_NOISE})
    graph = copy.graph
    del graph.output[1:]
    _show_durations(graph, seams.frames)
    for name in (DURATION_NOISE, PRIOR_NOISE):
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, [1, None, None]))
    # What only other outputs need would run all the same.
    replace_items(graph.node, collect_needed_nodes(graph, [item.name for item in graph.output]))
    return copy


def _replace_by_inputs(source: onnx.ModelProto, names: Mapping[str, str]) -> onnx.ModelProto:
    """Return a copy of a graph without the nodes that make some tensors, which go by other names in it and are yet to be declared as inputs."""
    copy = deepcopy(source)
    nodes = [node for node in copy.graph.node if names.keys().isdisjoint(node.output)]
    rename_inputs(nodes, names)
    replace_items(copy.graph.node, nodes)
    return copy


def find_baked_noise_scales(source: onnx.ModelProto) -> dict[str, float]:
    """Return the noise scales that an exporter wrote into the graph instead of making them inputs, by the input's name."""
    seams, links = find_cut_points(source.graph), GraphLinks(source.graph.node)
    ends = {"noise_scale_w": (seams.duration_noise, seams.sdp_noise), "noise_scale": (seams.prior_noise, seams.z_p)}
    inputs = {item.name for item in source.graph.input}
    return {name: _compute_constant_factor(source.graph, links, *way) for name, way in ends.items() if name not in inputs}


def _compute_constant_factor(graph: onnx.GraphProto, links: GraphLinks[onnx.NodeProto], name: str, end_name: str) -> float:
    """Return the product of the constant numbers that a tensor is multiplied by on its way to `end_name`."""
    factor = 1.0
    while name != end_name and len(links.readers[name]) == 1 and links.readers[name][0].op_type in PASS_THROUGH_OPS | {"Mul"}:
        node = links.readers[name][0]
        others = [_find_constant_number(graph, links, other) for other in node.input if other != name] if node.op_type == "Mul" else []
        factor *= next((value for value in others if value is not None), 1.0)
        name = node.output[0]
    return factor


def _find_constant_number(graph: onnx.GraphProto, links: GraphLinks[onnx.NodeProto], name: str) -> float | None:
    name = links.skip_operators(name, PASS_THROUGH_OPS)
    maker = links.maker.get(name)
    if maker is not None:
        tensor = next((item.t for item in maker.attribute if maker.op_type == "Constant" and item.name == "value"), None)
    else:
        tensor = next((item for item in graph.initializer if item.name == name), None)
    if tensor is None:
        return None
    array = numpy_helper.to_array(tensor)
    return float(array.reshape(-1)[0]) if array.size == 1 else None


@dataclass(frozen=True, slots=True)
class ReferenceOutputNames:
    """Names in the copy: what a prepared graph calls `logw` … `audio`."""

    prosody: dict[str, str]
    flow: dict[str, str]
    decoder: dict[str, str]
    z_p: str


def build_reference_graph(source: onnx.ModelProto) -> tuple[onnx.ModelProto, ReferenceOutputNames]:
    """Return the graph, its random nodes and frames per symbol made inputs, its outputs the tensors at its cut points. Raises UnknownGraphError.

    Inputs: DURATION_NOISE float32 [1, 2, T] and PRIOR_NOISE float32 [1, C, F], both standard normal, DURATIONS float32 [1, 1, T].
    So a right graph cannot differ by a frame because the last digit of a duration decides.
    """
    seams = find_cut_points(source.graph)
    copy = _replace_by_inputs(
        source, {seams.duration_noise: DURATION_NOISE, seams.prior_noise: PRIOR_NOISE, seams.frames: DURATIONS_OUTPUT}
    )
    graph = copy.graph
    names = ReferenceOutputNames(
        {"logw": seams.logw, "m_p": seams.m_p, "logs_p": seams.logs_p}, {"z": seams.z}, {"audio": seams.audio}, seams.z_p
    )
    outputs = list(dict.fromkeys([*names.prosody.values(), names.z_p, *names.flow.values(), *names.decoder.values()]))
    replace_items(graph.node, collect_needed_nodes(graph, outputs))
    replace_items(graph.output, [onnx.ValueInfoProto(name=name) for name in outputs])
    for name, shape in ((DURATION_NOISE, [1, 2, None]), (PRIOR_NOISE, [1, None, None]), (DURATIONS_OUTPUT, [1, 1, None])):
        graph.input.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, shape))
    return copy, names


def rename_to_public_inputs(model: onnx.ModelProto, roles: InputRoles) -> onnx.ModelProto:
    """Rename the inputs of a model in place by their roles, none of them unclear, drop the unread ones, put the sound first among the outputs, and return the model."""
    graph = model.graph
    names = {item.name: _CONVERTED_NAMES.get(item.form, "{}").format(usual) for usual, item in roles.assigned.items()}
    if roles.audio is not None:
        names[roles.audio] = AUDIO_OUTPUT
    public_names = {*roles.assigned, *names.values()}
    value_names: set[str] = set()
    for inner in iterate_graphs(graph):
        value_names.update(item.name for item in (*inner.input, *inner.output, *inner.initializer))
        value_names.update(name for node in inner.node for name in (*node.input, *node.output))
    for name in public_names & (value_names - names.keys()):  # any other value with such a name
        names[name] = f"{name} of the exporter"
    for inner in iterate_graphs(graph):
        for item in (*inner.input, *inner.output, *inner.initializer, *inner.value_info):
            item.name = names.get(item.name, item.name)
        rename_inputs(inner.node, names)
        for node in inner.node:
            node.output[:] = [names.get(name, name) for name in node.output]
    inputs = {item.name: item for item in graph.input if item.name not in roles.unread}
    for usual, assigned in roles.assigned.items():
        if assigned.form != "as it is":
            _convert_public_input(graph, inputs, names[assigned.name], usual, assigned)
    replace_items(graph.input, inputs.values())
    replace_items(graph.output, sorted(graph.output, key=lambda item: item.name != AUDIO_OUTPUT))
    return model


def _convert_public_input(
    graph: onnx.GraphProto, inputs: dict[str, onnx.ValueInfoProto], own_name: str, public_name: str, assigned: AssignedInput
) -> None:
    """Convert the usual input, which takes its place among the graph's inputs, to the input that the graph takes."""
    declared = inputs.pop(own_name)
    public = deepcopy(declared)
    public.name = public_name
    sizes = public.type.tensor_type.shape.dim
    if assigned.form == "rows":
        order = [*range(len(sizes) - 2), len(sizes) - 1, len(sizes) - 2]
        replace_items(sizes, [declared.type.tensor_type.shape.dim[axis] for axis in order])
        node = helper.make_node("Transpose", [public_name], [own_name], perm=order)
    else:
        node = helper.make_node("Reciprocal", [public_name], [own_name])
    inputs[public_name] = public
    graph.node.insert(0, node)
