"""The graph of a tiny voice as public exporters write it: one graph with a batch axis, masks and padded tables of relative positions.

The network is that of VITS (Kim et al. 2021) with the transformer flow of VITS2 (Kong et al. 2023); tensors are [1, C, T].
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import TensorProto, helper

from app.core.synthesis_types import BERT_WIDTH, STYLE_WIDTH, Float32
from tests.tiny_models.graph_builder import GraphBuilder
from tests.tiny_models.voice_weights import BLOCK_WIDTHS, COUPLINGS, DILATIONS, HEADS, SEPARABLE_LAYERS, SPLINE_FLOWS, UPSAMPLE_RATES

SPEAKER_LAYER = 2  # the third layer of an encoder is given the speaker
SLOPE = 0.1
BINS, BOUND, SMALLEST = 10, 5.0, 1e-3
WHOLE, FLOAT = TensorProto.INT64, TensorProto.FLOAT
FRAMES = "/Ceil_output_0"  # frames of each symbol
SCALARS = ("length_scale", "sdp_ratio", "noise_scale", "noise_scale_w")


@dataclass(frozen=True, slots=True)
class ExportForm:
    """One of the ways in which exporters write a voice.

    Attributes:
        int32: whole numbers come as int32.
        vector_scalars: numbers come as vectors of one element.
        noise_inputs: how much noise there is can be chosen.
        all_outputs: beside the sound, the graph gives the alignment, the mask of the frames and the priors.
        constant_nodes: it is not simplified.
    """

    opset: int = 20
    int32: bool = False
    vector_scalars: bool = False
    noise_inputs: bool = True
    all_outputs: bool = True
    constant_nodes: bool = False


USUAL_FORM = ExportForm()
FIXED_NOISE = {"noise_scale": 0.677, "noise_scale_w": 0.8}


def make_public_graph(weights: Mapping[str, Float32], form: ExportForm = USUAL_FORM) -> onnx.ModelProto:
    """Return the whole voice as one graph, from the inputs that public voices have to `output`, [1, 1, samples]."""
    return _PublicVoice(weights, form).build()


class _PublicVoice:
    """Writes the graph of one voice."""

    def __init__(self, weights: Mapping[str, Float32], form: ExportForm) -> None:
        self._weights, self._form = weights, form
        self._op = GraphBuilder(form.opset, constant_nodes=form.constant_nodes)
        self._inputs: dict[str, str] = {}
        self._hidden = weights["enc_p.emb.weight"].shape[1]
        self._inter = weights["enc_p.proj.weight"].shape[0] // 2
        languages = ("bert", "ja_bert", "en_bert")
        self._features = [name for name in languages if f"enc_p.{name}_proj.weight" in weights]

    def build(self) -> onnx.ModelProto:
        op = self._op
        declared = self._declare_inputs()
        speaker = op("Unsqueeze", op("Gather", self._table("emb_g.weight"), self._inputs["sid"]), op.whole(2))  # [1, gin, 1]
        text, mask = self._encode_text(speaker)
        op.path = "enc_p/proj"
        statistics = op("Mul", self._conv("enc_p.proj", text), mask)
        mean, log_scale = op.add_node("Split", statistics, op.whole(self._inter, self._inter), outputs=2, axis=1)
        drawn = op("Mul", self._draw_durations(text, mask, speaker), self._inputs["sdp_ratio"])
        plain = op("Mul", self._predict_durations(text, mask, speaker), op("Sub", op.number(1.0), self._inputs["sdp_ratio"]))
        spoken = op("Mul", op("Mul", op("Exp", op("Add", drawn, plain)), mask), self._inputs["length_scale"])
        op.path = ""
        frames = FRAMES  # [1, 1, T]
        op.nodes.append(helper.make_node("Ceil", [spoken], [frames], name="/Ceil"))
        path, frame_mask = self._align(frames, mask)
        mean, log_scale = (self._spread(path, values) for values in (mean, log_scale))
        noise = op("Mul", op("Mul", op("RandomNormalLike", mean), op("Exp", log_scale)), self._inputs["noise_scale"])
        z_p = op("Add", mean, noise)
        z = op("Mul", self._run_flow(z_p, frame_mask, speaker), frame_mask)
        op.nodes.append(helper.make_node("Identity", [self._decode(z, speaker)], ["output"], name="/Identity_output"))
        others: dict[str, Sequence[int | str]] = {path: [1, 1, "frames", "symbols"], frame_mask: [1, 1, "frames"]}
        others |= {name: [1, self._inter, "frames"] for name in (z, z_p, mean, log_scale)}
        outputs = [helper.make_tensor_value_info("output", FLOAT, [1, 1, "samples"])]
        if self._form.all_outputs:
            outputs += [helper.make_tensor_value_info(name, FLOAT, shape) for name, shape in others.items()]
        return op.finish("main_graph", declared, outputs)

    def _declare_inputs(self) -> list[onnx.ValueInfoProto]:
        op, form = self._op, self._form
        text: Sequence[int | str] = [1, "x_tst_max_length"]
        shapes: dict[str, Sequence[int | str]] = {"x_tst": text, "x_tst_lengths": [1], "sid": [1], "tones": text, "language": text}
        whole = set(shapes)
        features: Sequence[int | str] = [1, BERT_WIDTH, "x_tst_max_length"]
        shapes |= dict.fromkeys(self._features, features) | {"style_vec": [1, STYLE_WIDTH]}
        shapes |= {
            name: list[int | str]([1] if form.vector_scalars else []) for name in SCALARS if form.noise_inputs or name not in FIXED_NOISE
        }
        for name in (*shapes, *FIXED_NOISE):
            if name not in shapes:
                self._inputs[name] = op.number(FIXED_NOISE[name])
            elif name in whole and form.int32:
                self._inputs[name] = op("Cast", name, to=WHOLE)
            else:
                self._inputs[name] = name
        kinds = dict.fromkeys(whole, TensorProto.INT32 if form.int32 else WHOLE)
        return [helper.make_tensor_value_info(name, kinds.get(name, FLOAT), shape) for name, shape in shapes.items()]

    # layers

    def _table(self, name: str) -> str:
        return self._op.weight(name, self._weights[name])

    def _conv(self, name: str, value: str, *, dilation: int = 1, group: int = 1) -> str:
        """A convolution that keeps the length, its weight norm applied."""
        kernel = self._kernel(name)
        bias = [self._table(f"{name}.bias")] if f"{name}.bias" in self._weights else []
        if kernel.ndim == 2:
            kernel = kernel[:, :, None]
        pad = (kernel.shape[2] - 1) * dilation // 2
        stored = self._op.weight(f"{name}.weight", kernel)
        return self._op(
            "Conv", value, stored, *bias, dilations=[dilation], group=group, kernel_shape=[kernel.shape[2]], pads=[pad, pad], strides=[1]
        )

    def _kernel(self, name: str) -> np.ndarray:
        if f"{name}.weight" in self._weights:
            return self._weights[f"{name}.weight"]
        direction, gain = self._weights[f"{name}.weight_v"], self._weights[f"{name}.weight_g"]
        return direction * (gain / np.sqrt((direction**2).sum(axis=(1, 2), keepdims=True)))

    def _norm(self, name: str, value: str) -> str:
        """A layer norm over the channels."""
        op = self._op
        rows = op("Transpose", value, perm=[0, 2, 1])
        made = op("LayerNormalization", rows, self._table(f"{name}.gamma"), self._table(f"{name}.beta"), axis=-1, epsilon=1e-5)
        return op("Transpose", made, perm=[0, 2, 1])

    def _size(self, value: str, axis: int) -> str:
        """The size of an axis as a number."""
        return self._op("Gather", self._op("Shape", value), self._op.whole_number(axis))

    def _mask(self, lengths: str, longest: str) -> str:
        """1 where there is something, [1, 1, longest]."""
        op = self._op
        positions = op("Unsqueeze", op("Range", op.whole_number(0), longest, op.whole_number(1)), op.whole(0))
        inside = op("Less", positions, op("Unsqueeze", lengths, op.whole(1)))
        return op("Unsqueeze", op("Cast", inside, to=FLOAT), op.whole(1))

    # text encoder

    def _encode_text(self, speaker: str) -> tuple[str, str]:
        op, hidden = self._op, self._hidden
        op.path = "enc_p"
        found = [
            op("Gather", self._table(f"enc_p.{table}.weight"), self._inputs[name])
            for table, name in (("emb", "x_tst"), ("tone_emb", "tones"), ("language_emb", "language"))
        ]
        total = op("Add", op("Add", found[0], found[1]), found[2])
        for name in self._features:
            op.path = f"enc_p/{name}_proj"
            total = op("Add", total, op("Transpose", self._conv(f"enc_p.{name}_proj", name), perm=[0, 2, 1]))
        op.path = "enc_p"
        style = op("Gemm", "style_vec", self._table("enc_p.style_proj.weight"), self._table("enc_p.style_proj.bias"), transB=1)
        total = op("Mul", op("Add", total, op("Unsqueeze", style, op.whole(1))), op.number(float(np.sqrt(hidden))))
        value = op("Transpose", total, perm=[0, 2, 1])
        mask = self._mask(self._inputs["x_tst_lengths"], self._size(value, 2))
        return self._encode("enc_p.encoder", op("Mul", value, mask), mask, speaker), mask

    def _encode(self, name: str, value: str, mask: str, speaker: str) -> str:
        """A transformer with relative positions, [1, hidden, T]."""
        op = self._op
        turned = op("Unsqueeze", mask, op.whole(-1))
        both = op("Mul", op("Unsqueeze", mask, op.whole(2)), turned)  # [1, 1, T, T]
        value = op("Mul", value, mask)
        for number in range(self._count(f"{name}.attn_layers")):
            if number == SPEAKER_LAYER:
                row = op("Transpose", speaker, perm=[0, 2, 1])
                added = op("Add", op("MatMul", row, self._turned(f"{name}.spk_emb_linear")), self._table(f"{name}.spk_emb_linear.bias"))
                value = op("Mul", op("Add", value, op("Transpose", added, perm=[0, 2, 1])), mask)
            op.path = f"{_module(name)}/attn_layers.{number}"
            attended = self._attend(f"{name}.attn_layers.{number}", value, both)
            value = self._norm(f"{name}.norm_layers_1.{number}", op("Add", value, attended))
            op.path = f"{_module(name)}/ffn_layers.{number}"
            inner = op("Relu", self._conv(f"{name}.ffn_layers.{number}.conv_1", op("Mul", value, mask)))
            outer = op("Mul", self._conv(f"{name}.ffn_layers.{number}.conv_2", op("Mul", inner, mask)), mask)
            value = self._norm(f"{name}.norm_layers_2.{number}", op("Add", value, outer))
        op.path = _module(name)
        return op("Mul", value, mask)

    def _turned(self, name: str) -> str:
        return self._op.weight(f"{name}.weight.T", self._weights[f"{name}.weight"].T)

    def _count(self, prefix: str) -> int:
        return len({name[len(prefix) + 1 :].split(".")[0] for name in self._weights if name.startswith(f"{prefix}.")})

    def _attend(self, name: str, value: str, both: str) -> str:
        op, width = self._op, self._hidden // HEADS
        length = self._size(value, 2)
        by_head = self._op.vector(1, HEADS, width, length)
        query, key, values = (
            op("Transpose", op("Reshape", self._conv(f"{name}.conv_{part}", value), by_head), perm=[0, 1, 3, 2]) for part in "qkv"
        )
        query = op("Div", query, op.number(float(np.sqrt(width))))
        scores = op("MatMul", query, op("Transpose", key, perm=[0, 1, 3, 2]))
        near = op("MatMul", query, op("Transpose", self._positions(f"{name}.emb_rel_k", length), perm=[0, 1, 3, 2]))
        scores = op("Add", scores, self._to_absolute(near, length))
        scores = op("Where", op("Equal", both, op.number(0.0)), op.number(-1e4), scores)
        shares = op("Softmax", scores, axis=-1)
        mixed = op("MatMul", shares, values)
        mixed = op("Add", mixed, op("MatMul", self._to_relative(shares, length), self._positions(f"{name}.emb_rel_v", length)))
        joined = op("Reshape", op("Transpose", mixed, perm=[0, 1, 3, 2]), self._op.vector(1, self._hidden, length))
        return self._conv(f"{name}.conv_o", joined)

    def _positions(self, name: str, length: str) -> str:
        """The table padded to all 2T - 1 distances, as a trace of a long line writes it: [1, 1, 2T - 1, width]; a short line cuts it."""
        op = self._op
        pad = op("Sub", length, op.whole_number(self._weights[name].shape[1] // 2 + 1))
        padded = op("Pad", self._table(name), self._op.vector(0, pad, 0, 0, pad, 0), op.number(0.0))
        twice = op("Sub", op("Mul", length, op.whole_number(2)), op.whole_number(1))
        return op("Unsqueeze", op("Slice", padded, op.whole(0), self._op.vector(twice), op.whole(1), op.whole(1)), op.whole(0))

    def _to_absolute(self, value: str, length: str) -> str:
        """[1, heads, T, 2T - 1] to [1, heads, T, T]."""
        op = self._op
        last = op("Sub", length, op.whole_number(1))
        twice = op("Sub", op("Mul", length, op.whole_number(2)), op.whole_number(1))
        value = op("Pad", value, op.whole(0, 0, 0, 0, 0, 0, 0, 1), op.number(0.0))
        flat = op("Reshape", value, self._op.vector(1, HEADS, op("Mul", length, op("Mul", length, op.whole_number(2)))))
        flat = op("Pad", flat, self._op.vector(0, 0, 0, 0, 0, last), op.number(0.0))
        square = op("Reshape", flat, self._op.vector(1, HEADS, op("Add", length, op.whole_number(1)), twice))
        square = op("Slice", square, op.whole(0), self._op.vector(length), op.whole(2), op.whole(1))
        return op("Slice", square, self._op.vector(last), op.whole(2**63 - 1), op.whole(3), op.whole(1))

    def _to_relative(self, value: str, length: str) -> str:
        """[1, heads, T, T] to [1, heads, T, 2T - 1]."""
        op = self._op
        last = op("Sub", length, op.whole_number(1))
        value = op("Pad", value, self._op.vector(0, 0, 0, 0, 0, 0, 0, last), op.number(0.0))
        size = op("Add", op("Mul", length, length), op("Mul", length, last))
        flat = op("Reshape", value, self._op.vector(1, HEADS, size))
        flat = op("Pad", flat, self._op.vector(0, 0, length, 0, 0, 0), op.number(0.0))
        wide = op("Reshape", flat, self._op.vector(1, HEADS, length, op("Mul", length, op.whole_number(2))))
        return op("Slice", wide, op.whole(1), op.whole(2**63 - 1), op.whole(3), op.whole(1))

    # durations

    def _predict_durations(self, text: str, mask: str, speaker: str) -> str:
        op = self._op
        op.path = "dp"
        value = op("Add", text, self._conv("dp.cond", speaker))
        for number in (1, 2):
            value = self._norm(f"dp.norm_{number}", op("Relu", self._conv(f"dp.conv_{number}", op("Mul", value, mask))))
        return op("Mul", self._conv("dp.proj", op("Mul", value, mask)), mask)

    def _draw_durations(self, text: str, mask: str, speaker: str) -> str:
        op = self._op
        op.path = "sdp"
        value = op("Add", self._conv("sdp.pre", text), self._conv("sdp.cond", speaker))
        value = op("Mul", self._conv("sdp.proj", self._separate("sdp.convs", value, mask)), mask)
        noise = op("RandomNormalLike", op("ConstantOfShape", self._op.vector(1, 2, self._size(text, 2)), value=_zero()))
        first, second = op.add_node("Split", op("Mul", noise, self._inputs["noise_scale_w"]), op.whole(1, 1), outputs=2, axis=1)
        for number in reversed(range(1, SPLINE_FLOWS)):  # the last coupling is left out, as in training's own inference
            first, second = second, first  # the channels turn around
            op.path = f"sdp/flows.{2 * number + 1}"
            second = op("Mul", self._invert_spline(f"sdp.flows.{2 * number + 1}", first, second, value, mask), mask)
        first, second = second, first
        op.path = "sdp/flows.0"
        mean, log = (op("Unsqueeze", self._half(f"sdp.flows.0.{part}"), op.whole(0)) for part in ("m", "logs"))
        return op("Mul", op("Mul", op("Sub", first, mean), op("Exp", op("Neg", log))), mask)

    def _half(self, name: str) -> str:
        """The first of two channels, [1, 1]."""
        return self._op.weight(f"{name}.first", self._weights[name][:1])

    def _separate(self, name: str, value: str, mask: str, added: str = "") -> str:
        """Dilated depthwise convolutions with skips."""
        op = self._op
        value = op("Add", value, added) if added else value
        for number in range(SEPARABLE_LAYERS):
            inner = self._conv(f"{name}.convs_sep.{number}", op("Mul", value, mask), dilation=3**number, group=self._hidden)
            inner = op.gelu(self._norm(f"{name}.norms_1.{number}", inner))
            inner = op.gelu(self._norm(f"{name}.norms_2.{number}", self._conv(f"{name}.convs_1x1.{number}", inner)))
            value = op("Add", value, inner)
        return op("Mul", value, mask)

    def _invert_spline(self, name: str, known: str, changed: str, given: str, mask: str) -> str:
        """A rational-quadratic spline (Durkan et al. 2019) in reverse, all bins at once: [1, 1, T]."""
        op = self._op
        inner = self._separate(f"{name}.convs", self._conv(f"{name}.pre", known), mask, given)
        parameters = op("Transpose", op("Mul", self._conv(f"{name}.proj", inner), mask), perm=[0, 2, 1])  # [1, T, 29]
        widths, heights, slopes = op.add_node("Split", parameters, op.whole(BINS, BINS, BINS - 1), outputs=3, axis=2)
        root = op.number(float(np.sqrt(self._hidden)))
        lefts, floors = (self._edges(op("Div", logits, root)) for logits in (widths, heights))
        slopes = op("Add", op("Softplus", slopes), op.number(SMALLEST))
        slopes = op("Pad", slopes, op.whole(0, 0, 1, 0, 0, 1), op.number(1.0))
        value = op("Transpose", changed, perm=[0, 2, 1])  # [1, T, 1]
        below = op("Cast", op("GreaterOrEqual", value, op("Slice", floors, op.whole(1), op.whole(BINS), op.whole(2))), to=WHOLE)
        place = op("ReduceSum", below, op.whole(2), keepdims=1)
        following = op("Add", place, op.whole_number(1))
        left, right, floor, ceiling, slope, next_slope = (
            op("GatherElements", table, index, axis=2) for table in (lefts, floors, slopes) for index in (place, following)
        )
        inside = op("LessOrEqual", op("Abs", value), op.number(BOUND))
        solved = self._solve_bin(value, left, right, floor, ceiling, slope, next_slope)
        return op("Transpose", op("Where", inside, solved, value), perm=[0, 2, 1])

    def _edges(self, logits: str) -> str:
        op = self._op
        shares = op("Add", op("Mul", op("Softmax", logits, axis=-1), op.number(1 - BINS * SMALLEST)), op.number(SMALLEST))
        sums = op("CumSum", shares, op.whole_number(2))
        sums = op("Pad", sums, op.whole(0, 0, 1, 0, 0, 0), op.number(0.0))
        return op("Sub", op("Mul", sums, op.number(2 * BOUND)), op.number(BOUND))

    def _solve_bin(self, value: str, left: str, right: str, floor: str, ceiling: str, slope: str, next_slope: str) -> str:
        op = self._op
        width, height, rise = op("Sub", right, left), op("Sub", ceiling, floor), op("Sub", value, floor)
        mean_slope = op("Div", height, width)
        bend = op("Sub", op("Add", slope, next_slope), op("Mul", mean_slope, op.number(2.0)))
        bent = op("Mul", rise, bend)
        a = op("Add", bent, op("Mul", height, op("Sub", mean_slope, slope)))
        b = op("Sub", op("Mul", height, slope), bent)
        c = op("Neg", op("Mul", mean_slope, rise))
        inside = op("Sub", op("Pow", b, op.number(2.0)), op("Mul", op("Mul", a, c), op.number(4.0)))
        root = op("Div", op("Mul", c, op.number(2.0)), op("Sub", op("Neg", b), op("Sqrt", op("Relu", inside))))
        return op("Add", op("Mul", root, width), left)

    # frames and sound

    def _align(self, frames: str, mask: str) -> tuple[str, str]:
        """The alignment [1, 1, F, T] of ones and zeros, and the mask of the frames [1, 1, F]."""
        op = self._op
        count = op("Clip", op("ReduceSum", frames, op.whole(1, 2), keepdims=0), op.number(1.0))
        lengths = op("Cast", count, to=WHOLE)
        longest = op("ReduceMax", lengths, keepdims=0)
        frame_mask = self._mask(lengths, longest)
        ends = op("Unsqueeze", op("CumSum", frames, op.whole_number(2)), op.whole(-1))  # [1, 1, T, 1]
        starts = op("Sub", ends, op("Unsqueeze", frames, op.whole(-1)))
        positions = op("Cast", op("Range", op.whole_number(0), longest, op.whole_number(1)), to=FLOAT)
        spoken = op("And", op("GreaterOrEqual", positions, starts), op("Less", positions, ends))
        path = op("Mul", op("Cast", spoken, to=FLOAT), op("Unsqueeze", mask, op.whole(-1)))
        return op("Transpose", path, perm=[0, 1, 3, 2]), frame_mask

    def _spread(self, path: str, values: str) -> str:
        op = self._op
        rows = op("MatMul", op("Squeeze", path, op.whole(1)), op("Transpose", values, perm=[0, 2, 1]))
        return op("Transpose", rows, perm=[0, 2, 1])

    def _run_flow(self, value: str, mask: str, speaker: str) -> str:
        op, half = self._op, self._inter // 2
        for number in reversed(range(COUPLINGS)):
            name = f"flow.flows.{2 * number}"
            op.path = _module(name)
            value = op("Slice", value, op.whole(-1), op.whole(-(2**63 - 1)), op.whole(1), op.whole(-1))
            known, changed = op.add_node("Split", value, op.whole(half, half), outputs=2, axis=1)
            inner = self._encode(f"{name}.enc", op("Mul", self._conv(f"{name}.pre", known), mask), mask, speaker)
            op.path = _module(name)
            shift = op("Mul", self._conv(f"{name}.post", inner), mask)
            value = op("Concat", known, op("Mul", op("Sub", changed, shift), mask), axis=1)
        op.path = ""
        return value

    def _decode(self, value: str, speaker: str) -> str:
        op = self._op
        op.path = "dec"
        value = op("Add", self._conv("dec.conv_pre", value), self._conv("dec.cond", speaker))
        for stage, rate in enumerate(UPSAMPLE_RATES):
            op.path = f"dec/ups.{stage}"
            kernel = self._kernel(f"dec.ups.{stage}")
            pad = (kernel.shape[2] - rate) // 2
            stored = op.weight(f"dec.ups.{stage}.weight", kernel)
            value = op(
                "ConvTranspose", op("LeakyRelu", value, alpha=SLOPE), stored, self._table(f"dec.ups.{stage}.bias"),
                kernel_shape=[kernel.shape[2]], strides=[rate], pads=[pad, pad], dilations=[1], group=1,
            )  # fmt: skip
            blocks = [self._block(f"dec.resblocks.{stage * len(BLOCK_WIDTHS) + block}", value) for block in range(len(BLOCK_WIDTHS))]
            value = op("Div", _sum(op, blocks), op.number(float(len(BLOCK_WIDTHS))))
        op.path = "dec"
        return op("Tanh", self._conv("dec.conv_post", op("LeakyRelu", value, alpha=0.01)))

    def _block(self, name: str, value: str) -> str:
        op = self._op
        op.path = _module(name)
        for number, dilation in enumerate(DILATIONS):
            inner = self._conv(f"{name}.convs1.{number}", op("LeakyRelu", value, alpha=SLOPE), dilation=dilation)
            value = op("Add", self._conv(f"{name}.convs2.{number}", op("LeakyRelu", inner, alpha=SLOPE)), value)
        return value


def _module(name: str) -> str:
    """Return the path of a module in node names: `flow.flows.0.enc` is `flow/flows.0/enc`."""
    return re.sub(r"\.(?!\d)", "/", name)


def _sum(op: GraphBuilder, values: Sequence[str]) -> str:
    total = values[0]
    for value in values[1:]:
        total = op("Add", total, value)
    return total


def _zero() -> onnx.TensorProto:
    return helper.make_tensor("zero", FLOAT, [1], [0.0])
