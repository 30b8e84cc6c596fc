"""Finds where a public SBV2 graph can be cut, by what its nodes do.

    text ─ encoder ─┬─ m_p, logs_p ──────────┐ (repeated per frame)
                    └─ predictors ─ logw ─ exp ─ × length_scale ─ ceil ─ frames
    z_p = mean + noise · exp(log scale) · noise_scale ─ flow ─ z ─ first convolution of the decoder ─ … ─ output

Exporters keep neither order nor all names, so only this shape is relied on: one Ceil with a random node before it and one after it.
"""

from __future__ import annotations

from dataclasses import dataclass

import onnx

from app.voices.prepare.graph_walk import GraphLinks, UnknownGraphError

RANDOM_OP = "RandomNormalLike"
MAX_UPSAMPLINGS = 32  # published voices have five
PASS_THROUGH_OPS = {"Identity", "Cast", "Dropout"}


@dataclass(frozen=True, slots=True)
class CutPoints:
    """Tensors of the source graph at its seams.

    Attributes:
        logw: log of frames per symbol.
        m_p, logs_p: mean and log scale of the prior, per symbol.
        sdp_noise: noise of the stochastic duration predictor, times its scale.
        frames: frames per symbol.
        frame_sum: sum of all frames, a vector of one element.
        z_p: prior per frame, noise added.
        z: what the decoder's first convolution reads.
        audio: the output.
        duration_noise, prior_noise: the outputs of the two random nodes.
    """

    logw: str
    m_p: str
    logs_p: str
    sdp_noise: str
    frames: str
    frame_sum: str
    z_p: str
    z: str
    audio: str
    duration_noise: str
    prior_noise: str


def find_cut_points(graph: onnx.GraphProto) -> CutPoints:
    """Return the tensors at which a graph can be cut.

    Raises:
        UnknownGraphError: one of them is not there, or not where it should be.
    """
    links = GraphLinks(graph.node)
    if not graph.output:
        raise UnknownGraphError("no output")
    ceil = links.require_single(_find_duration_ceils(links), "Ceil")
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


def _find_duration_ceils(links: GraphLinks[onnx.NodeProto]) -> list[onnx.NodeProto]:
    """Return the nodes that round durations: by name at the top level of the module, if names are kept."""
    found = [node for node in links.nodes if node.op_type == "Ceil"]
    return found if len(found) < 2 else [node for node in found if node.name.count("/") == 1]


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
    """Return the number of frames, a vector of one element."""
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
    found, dependent = [], set[str]()
    for node in links.nodes:
        depends, listed = not dependent.isdisjoint(node.input), not outputs.isdisjoint(node.output)
        if listed and not depends:
            found.append(node)
        if listed or depends:
            dependent.update(name for name in node.output if name)
    return found


def _find_decoder_input(links: GraphLinks[onnx.NodeProto], audio: str, after_durations: set[str]) -> str:
    """Find the tensor that the first convolution of the decoder reads: above the first upsampling, the one that depends on the frames."""
    above = links.collect_upstream(links.maker[audio]) if audio in links.maker else set()
    ups = [node for node in links.nodes if node.op_type == "ConvTranspose" and node.output[0] in above]
    outputs = {node.output[0] for node in ups}
    if len(ups) > MAX_UPSAMPLINGS:
        raise UnknownGraphError(f"{len(ups)} × ConvTranspose")
    first = links.require_single(_select_independent_nodes(links, outputs), "first upsampling")
    waiting, found, seen = [str(first.input[0])], [], set()
    while waiting:
        name = links.skip_operators(waiting.pop(), PASS_THROUGH_OPS | {"LeakyRelu", "Mul"})
        node = links.maker.get(name)
        if name in seen:
            continue
        seen.add(name)
        if node is not None and node.op_type == "Add":
            waiting.extend(node.input)
        elif node is not None and node.op_type == "Conv" and name in after_durations:
            found.append(node)
    return str(links.require_single(found, "first convolution of the decoder").input[0])
