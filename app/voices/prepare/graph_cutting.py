"""Cuts a public SBV2 graph at its seams into the three graphs of a prepared voice, each simplified."""

import onnx
from onnx import TensorProto

from app.core.synthesis_types import BERT_WIDTH, STYLE_WIDTH
from app.voices.prepare.decoder_context import compute_margin_frames, crop_decoder_context
from app.voices.prepare.graph_store import PreparedGraphs
from app.voices.prepare.graph_walk import UnknownGraphError
from app.voices.prepare.simplify.known_tensors import KnownTensor, NotSimplifiedError
from app.voices.prepare.simplify.subgraph import SubgraphPort, SubgraphSpec, simplify_subgraph
from app.voices.prepare.simplify.symbolic_sizes import FREE_SIZE, SymbolicShape, UndecidedSizeError, build_size_array
from app.voices.prepare.source_graphs import CutPoints, find_cut_points

CONTRACT_SHAPES: dict[str, SymbolicShape] = {
    **dict.fromkeys(("x_tst", "tones", "language"), (FREE_SIZE,)),
    **dict.fromkeys(("bert", "ja_bert", "en_bert"), (BERT_WIDTH, FREE_SIZE)),
    "sid": (1,),
    "style_vec": (STYLE_WIDTH,),
    "sdp_ratio": (),
}
"""Inputs of the public graph that a prepared one may have, without the batch axis."""
INTEGER_INPUTS = {"x_tst", "tones", "language", "sid"}  # int64 here, whatever the source has
# What rules run into where nodes lack what ONNX demands.
MALFORMED_GRAPH_ERRORS = (ArithmeticError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
MAX_CONTEXT_FRAMES = 256  # a decoder that sees farther cannot be run in windows; published ones need 13


def cut_voice_graph(source: onnx.ModelProto) -> PreparedGraphs:
    """Return the graphs of `app.voices.prepared_voice`; raise UnknownGraphError if one is unlike the public ones, or cannot be simplified: run it whole."""
    try:
        seams = find_cut_points(source.graph)
        prosody = simplify_subgraph(source, _define_prosody_graph(source, seams))
        # From the expanded prior to z; the durations are known by their sum, the length of the prior.
        inputs = [_create_batched_port("z_p", seams.z_p, _find_channel_count(prosody, "m_p"))]
        inputs += _list_input_ports(source, "sid", "style_vec")
        frame_sum = {seams.frame_sum: _create_size_tensor((1,), TensorProto.FLOAT)}
        flow = simplify_subgraph(source, SubgraphSpec("flow", "F", inputs, [_create_matrix_port("z", seams.z)], frame_sum))
        inputs = [_create_batched_port("z", seams.z, _find_channel_count(flow, "z")), *_list_input_ports(source, "sid")]
        audio = SubgraphPort(seams.audio, "audio", (FREE_SIZE,))
        decoder = simplify_subgraph(source, SubgraphSpec("decoder", "W", inputs, [audio], {}))
        margin = compute_margin_frames(decoder)
        if not 0 <= margin <= MAX_CONTEXT_FRAMES:
            raise UnknownGraphError(f"the decoder sees {margin} frames far")
        crop_decoder_context(decoder)
        return PreparedGraphs(prosody, flow, decoder, margin)
    except (NotSimplifiedError, UndecidedSizeError, MemoryError, *MALFORMED_GRAPH_ERRORS) as exc:
        raise UnknownGraphError(str(exc) or type(exc).__name__) from exc


def _define_prosody_graph(source: onnx.ModelProto, cut_points: CutPoints) -> SubgraphSpec:
    """Return the part from text to log durations and the prior; as nothing is padded, the length is the length of the text."""
    inputs = [*_list_input_ports(source, *CONTRACT_SHAPES), _create_batched_port("sdp_noise", cut_points.sdp_noise, 2)]
    outputs = [
        SubgraphPort(cut_points.logw, "logw", (FREE_SIZE,)),
        _create_matrix_port("m_p", cut_points.m_p),
        _create_matrix_port("logs_p", cut_points.logs_p),
    ]
    lengths = [item for item in source.graph.input if item.name == "x_tst_lengths"]
    known = {item.name: _create_size_tensor((1,) * _count_axes(item), TensorProto.INT64) for item in lengths}
    return SubgraphSpec("prosody", "T", inputs, outputs, known)


def _list_input_ports(source: onnx.ModelProto, *names: str) -> list[SubgraphPort]:
    """Return those of the named inputs that the source has, in the shape and type of the contract."""
    ports = []
    for item in source.graph.input:
        if item.name in names:
            shape, dtype = CONTRACT_SHAPES[item.name], TensorProto.INT64 if item.name in INTEGER_INPUTS else TensorProto.FLOAT
            batched = (1,) * (_count_axes(item) - len(shape)) + shape if _count_axes(item) else ()  # a speaker may be a bare number
            ports.append(SubgraphPort(item.name, item.name, shape, batched, dtype))
    return ports


def _count_axes(item: onnx.ValueInfoProto) -> int:
    return len(item.type.tensor_type.shape.dim)


def _create_batched_port(name: str, source: str, channels: int) -> SubgraphPort:
    """Return an input [channels, size] for a tensor of the source that has a batch axis."""
    return SubgraphPort(source, name, (channels, FREE_SIZE), (1, channels, FREE_SIZE))


def _create_matrix_port(name: str, source: str) -> SubgraphPort:
    return SubgraphPort(source, name, (1, FREE_SIZE))


def _create_size_tensor(shape: tuple[int, ...], dtype: int) -> KnownTensor:
    return KnownTensor(shape, dtype, build_size_array([FREE_SIZE], shape))


def _find_channel_count(model: onnx.ModelProto, output: str) -> int:
    return next(int(item.type.tensor_type.shape.dim[0].dim_value) for item in model.graph.output if item.name == output)
