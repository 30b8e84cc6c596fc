"""Cuts a public SBV2 graph at its seams into the three graphs of a prepared voice, each simplified."""

from __future__ import annotations

import onnx
from onnx import TensorProto

from app.core.types import BERT_WIDTH, STYLE_WIDTH
from app.voices.prepare.faster.crop import crop_context
from app.voices.prepare.graphs import PreparedGraphs
from app.voices.prepare.links import UnknownGraphError
from app.voices.prepare.margin import margin_frames
from app.voices.prepare.seams import Seams, find_seams
from app.voices.prepare.simplify.piece import Piece, Port, simplify
from app.voices.prepare.simplify.sizes import FREE, UndecidedError
from app.voices.prepare.simplify.tensors import NotSimplifiedError, Shape, Tensor, size_array

SHAPES: dict[str, Shape] = {
    "x_tst": (FREE,),
    "tones": (FREE,),
    "language": (FREE,),
    "sid": (1,),
    "bert": (BERT_WIDTH, FREE),
    "ja_bert": (BERT_WIDTH, FREE),
    "en_bert": (BERT_WIDTH, FREE),
    "style_vec": (STYLE_WIDTH,),
    "sdp_ratio": (),
}
"""Inputs of the public graph that a prepared one may have, without the batch axis."""
INTEGERS = {"x_tst", "tones", "language", "sid"}  # int64 here, whatever the source has
MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
)  # what rules run into where nodes lack what ONNX demands
FARTHEST_FRAMES = 256  # a decoder that sees farther cannot be run in windows; published ones need 13


def cut_graphs(source: onnx.ModelProto) -> PreparedGraphs:
    """The three graphs of `app.voices.manifest`.

    Raises:
        UnknownGraphError: the graph is not built like the public ones, or holds what cannot be simplified: run it whole.
    """
    try:
        seams = find_seams(source.graph)
        prosody = simplify(source, _prosody(source, seams))
        flow = simplify(source, _flow(source, seams, _channels(prosody, "m_p")))
        decoder = simplify(source, _decoder(source, seams, _channels(flow, "z")))
        margin = margin_frames(decoder)
        if not 0 <= margin <= FARTHEST_FRAMES:
            raise UnknownGraphError(f"the decoder sees {margin} frames far")
        crop_context(decoder)
        return PreparedGraphs(prosody, flow, decoder, margin)
    except (NotSimplifiedError, UndecidedError, MemoryError, *MALFORMED) as exc:
        raise UnknownGraphError(str(exc) or type(exc).__name__) from exc


def _prosody(source: onnx.ModelProto, seams: Seams) -> Piece:
    """Text to log durations and the prior; as nothing is padded, the length is the length of the text."""
    inputs = [*_inputs(source, *SHAPES), _batched("sdp_noise", seams.sdp_noise, 2)]
    outputs = [Port(seams.logw, "logw", (FREE,)), _matrix("m_p", seams.m_p), _matrix("logs_p", seams.logs_p)]
    lengths = [item for item in source.graph.input if item.name == "x_tst_lengths"]
    known = {item.name: _size((1,) * _rank(item), TensorProto.INT64) for item in lengths}
    return Piece("prosody", "T", inputs, outputs, known)


def _flow(source: onnx.ModelProto, seams: Seams, channels: int) -> Piece:
    """Expanded prior to z; the durations are known by their sum, the length of the prior."""
    inputs = [_batched("z_p", seams.z_p, channels), *_inputs(source, "sid", "style_vec")]
    return Piece("flow", "F", inputs, [_matrix("z", seams.z)], {seams.frame_sum: _size((1,), TensorProto.FLOAT)})


def _decoder(source: onnx.ModelProto, seams: Seams, channels: int) -> Piece:
    """A window of z to samples."""
    inputs = [_batched("z", seams.z, channels), *_inputs(source, "sid")]
    return Piece("decoder", "W", inputs, [Port(seams.audio, "audio", (FREE,))], {})


def _inputs(source: onnx.ModelProto, *names: str) -> list[Port]:
    """Those inputs of the source that it has, in the shape and type of the contract."""
    ports = []
    for item in source.graph.input:
        if item.name in names:
            shape = SHAPES[item.name]
            batched = (1,) * (_rank(item) - len(shape)) + shape if _rank(item) else ()  # a speaker may be a bare number
            ports.append(Port(item.name, item.name, shape, batched, TensorProto.INT64 if item.name in INTEGERS else TensorProto.FLOAT))
    return ports


def _rank(item: onnx.ValueInfoProto) -> int:
    return len(item.type.tensor_type.shape.dim)


def _batched(name: str, source: str, channels: int) -> Port:
    """An input [channels, size] for a tensor of the source that has a batch axis."""
    return Port(source, name, (channels, FREE), (1, channels, FREE))


def _matrix(name: str, source: str) -> Port:
    """An output [channels, size]."""
    return Port(source, name, (1, FREE))


def _size(shape: tuple[int, ...], dtype: int) -> Tensor:
    """The free size as a tensor of one element."""
    return Tensor(shape, dtype, size_array([FREE], shape))


def _channels(model: onnx.ModelProto, output: str) -> int:
    """Channels of an output."""
    return next(int(item.type.tensor_type.shape.dim[0].dim_value) for item in model.graph.output if item.name == output)
