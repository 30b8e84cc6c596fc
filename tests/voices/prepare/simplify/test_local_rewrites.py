"""Each rule on a graph as exporters write it: the operators are gone, the numbers are the same."""

import numpy as np
import pytest

from app.voices.prepare.simplify.known_tensors import KnownTensor, NotSimplifiedError
from app.voices.prepare.simplify.subgraph import SubgraphPort, SubgraphSpec, simplify_subgraph
from app.voices.prepare.simplify.symbolic_sizes import FREE_SIZE, build_size_array
from tests.voices.prepare.simplify.pieces import Rewritten

RNG = np.random.default_rng(0)
LENGTH = KnownTensor((1,), 7, build_size_array([FREE_SIZE]))


def test_a_mask_of_ones_leaves_nothing() -> None:
    graph = Rewritten(
        """g (float[1,3,T] x, int64[1] lengths) => (float[1,3,T] y) <int64 two = {2}, int64 zero = {0}, int64 one = {1}, int64[1] first = {0},
        int64[1] second = {1}, float low = {-10000}> {
            shape = Shape(x)
            longest = Gather<axis = 0>(shape, two)
            range = Range(zero, longest, one)
            row = Unsqueeze(range, first)
            column = Unsqueeze(lengths, second)
            inside = Less(row, column)
            bools = Unsqueeze(inside, second)
            mask = Cast<to = 1>(bools)
            masked = Mul(x, mask)
            raised = Exp(masked)
            outside = Equal(mask, low)
            filled = Where(outside, low, raised)
            y = Mul(mask, filled)
        }""",
        known={"lengths": LENGTH},
    )
    assert graph.ops == {"Exp": 1}
    graph.assert_same(told={"lengths": 0})


def test_sizes_become_constants_or_one_shape_node() -> None:
    graph = Rewritten(
        """g (float[1,4,T] x) => (float[1,4,T] y) <int64[2] heads = {2, 2}, int64 two = {2}, int64[1] axis = {2}, int64[1] zero = {0},
        int64[1] one = {1}, int64 single = {1}> {
            shape = Shape(x)
            batch = Slice(shape, zero, one)
            last = Gather<axis = 0>(shape, two)
            length = Unsqueeze(last, zero)
            wanted = Concat<axis = 0>(batch, heads, length)
            split = Reshape(x, wanted)
            turned = Transpose<perm = [0, 1, 3, 2]>(split)
            more = Add(last, single)
            pad = Sub(more, single)
            beside = Unsqueeze(pad, zero)
            pads = Concat<axis = 0>(zero, zero, zero, zero, zero, zero, beside, zero)
            padded = Pad(turned, pads)
            start = Mul(beside, zero)
            cut = Slice(padded, start, length, axis, one)
            back = Transpose<perm = [0, 1, 3, 2]>(cut)
            y = Reshape(back, shape)
        }""",
    )
    assert {"Concat", "Gather", "Unsqueeze"}.isdisjoint(graph.ops)
    assert graph.ops["Shape"] == 1
    graph.assert_same()


def test_reshapes_merge_and_cancel() -> None:
    graph = Rewritten(
        """g (float[1,4,T] x) => (float[1,4,T] y) <int64[4] folded = {0, 2, 2, -1}, int64[1] axis = {0}, int64[3] back = {0, 4, -1}> {
            a = Reshape(x, folded)
            b = Unsqueeze(a, axis)
            c = Squeeze(b, axis)
            d = Reshape(c, back)
            y = Neg(d)
        }"""
    )
    assert graph.ops == {"Neg": 1}
    graph.assert_same()


def test_transposes_merge_and_moves_of_single_axes_are_reshapes() -> None:
    graph = Rewritten(
        """g (float[1,4,T] x) => (float[1,T,1,4] y) <int64[1] axis = {1}> {
            a = Unsqueeze(x, axis)
            b = Transpose<perm = [0, 1, 3, 2]>(a)
            c = Transpose<perm = [1, 2, 0, 3]>(b)
            y = Neg(c)
        }"""
    )
    assert graph.ops["Transpose"] == 1
    graph.assert_same()


def test_slices_merge_and_count_from_the_end() -> None:
    graph = Rewritten(
        """g (float[1,6,T] x) => (float[1,3,T] y) <int64[1] zero = {0}, int64[1] one = {1}, int64[1] two = {2}, int64[1] three = {3},
        int64[1] far = {9223372036854775807}, int64[1] minus = {-1}, int64[1] before = {-9223372036854775807}> {
            shape = Shape(x)
            length = Slice(shape, two, three)
            whole = Slice(x, zero, far, two)
            upper = Slice(whole, three, far, one)
            turned = Slice(upper, minus, before, one, minus)
            less = Sub(length, one)
            tail = Slice(turned, one, length, two)
            head = Slice(turned, zero, less, two)
            near = Sub(tail, head)
            front = Slice(turned, zero, one, two)
            y = Concat<axis = 2>(front, near)
        }"""
    )
    assert graph.ops["Shape"] == 0
    assert graph.ops["Slice"] == 4  # the turned half, and three cuts of it that turn as they cut
    graph.assert_same()


def test_selected_elements_are_computed_everywhere() -> None:
    """A root in an interval, as in splines: outside it would have no answer, or an index no element."""
    graph = Rewritten(
        """g (float[1,1,T] x, float[1,1,T,3] w) => (float[1,1,T] y) <float low = {0}, float high = {2}, int64[1] axis = {1}, int64 one = {1},
        int64[1] zero = {0}, int64 first = {0}> {
            above = GreaterOrEqual(x, low)
            below = LessOrEqual(x, high)
            inside = And(above, below)
            outside = Not(inside)
            shape = Shape(x)
            empty = ConstantOfShape(shape)
            columns = NonZero(outside)
            rows = Transpose<perm = [1, 0]>(columns)
            kept = GatherND(x, rows)
            base = ScatterND(empty, rows, kept)
            places = NonZero(inside)
            chosen = Transpose<perm = [1, 0]>(places)
            picked = GatherND(x, chosen)
            weights = GatherND(w, chosen)
            root = Sqrt(picked)
            whole = Cast<to = 7>(picked)
            index = Unsqueeze(whole, axis)
            factor = GatherElements<axis = 1>(weights, index)
            number = Gather<axis = 1>(factor, first)
            product = Mul(root, number)
            count = Shape(chosen)
            many = Slice(count, zero, axis)
            all = Slice(product, zero, many, zero)
            y = ScatterND(base, chosen, all)
        }"""
    )
    assert {"NonZero", "GatherND", "ScatterND", "ConstantOfShape"}.isdisjoint(graph.ops)
    assert graph.ops["Where"] == 1
    graph.assert_same()


def test_an_assigned_column_is_a_choice() -> None:
    graph = Rewritten(
        """g (float[1,T,5] x) => (float[1,T,5] y) <int64 one = {1}, int64 zero = {0}, int64[1] last = {-1}, int64[1] axis = {1},
        int64[1] second = {2}, int64[3] column = {-1, 1, 1}, float[1] half = {0.5}> {
            shape = Shape(x)
            length = Gather<axis = 0>(shape, one)
            range = Range(zero, length, one)
            ramp = Reshape(range, column)
            lead = Transpose<perm = [1, 0, 2]>(ramp)
            sizes = Shape(lead)
            grid = Expand(lead, sizes)
            a = Unsqueeze(grid, last)
            none = Mul(last, axis)
            nothing = Add(none, axis)
            b0 = Expand(nothing, sizes)
            b = Unsqueeze(b0, last)
            c0 = Expand(last, sizes)
            c = Unsqueeze(c0, last)
            places = Concat<axis = -1>(b, a, c)
            v0 = Expand(half, sizes)
            y = ScatterND(x, places, v0)
        }"""
    )
    assert graph.ops == {"Where": 1}
    graph.assert_same()


def test_gelu_is_spelled_out_for_older_opsets() -> None:
    graph = Rewritten("g (float[1,2,T] x) => (float[1,2,T] y) { y = Gelu(x) }", opset=20)
    assert graph.model.opset_import[0].version == 17
    assert graph.ops == {"Div": 1, "Erf": 1, "Add": 1, "Mul": 2}
    graph.assert_same()


def test_axes_of_reductions_become_attributes_again() -> None:
    graph = Rewritten("g (float[1,3,T] x) => (float[1,1,T] y) <int64[1] axis = {1}> { y = ReduceMean(x, axis) }", opset=18)
    assert graph.ops == {"ReduceMean": 1}
    graph.assert_same()


def test_convolutions_take_their_padding_and_become_images() -> None:
    weights = {"w": RNG.standard_normal((6, 4, 3)).astype(np.float32), "v": RNG.standard_normal((6, 2, 4)).astype(np.float32)}
    graph = Rewritten(
        """g (float[1,4,T] x, float[1,6,1] bias) => (float[1,2,N] y) <int64[6] pads = {0, 0, 2, 0, 0, 2}> {
            padded = Pad(x, pads)
            a = Conv<dilations = [2]>(padded, w)
            b = Add(a, bias)
            c = LeakyRelu<alpha = 0.1>(b)
            y = ConvTranspose<strides = [2], pads = [1, 1]>(c, v)
        }""",
        constants=weights,
    )
    assert "Pad" not in graph.ops
    assert all(len(item.dims) == 4 for item in graph.model.graph.initializer if item.data_type == 1)
    graph.assert_same()


@pytest.mark.parametrize(
    ("body", "opset"),
    [
        ("g (float[1,2,T] x) => (float[1,2,T] y) { y = Neg(x) }", 12),
        ("g (float[1,2,T] x) => (float[1,2,T] y) { y = Add(x, nowhere) }", 17),
        ("g (float[1,2,T] x) => (int64[3,N] y) { y = NonZero(x) }", 17),
        ("g (float[1,2,T] x) => (float[1,2,T] y) { y = Identity(x) }", 17),
    ],
)
def test_what_cannot_be_kept_is_refused(body: str, opset: int) -> None:
    with pytest.raises(NotSimplifiedError):
        Rewritten(body, opset=opset)


def test_pieces_of_a_split_have_stated_sizes() -> None:
    graph = Rewritten("g (float[1,4,T] x) => (float[1,2,T] y) { a, b = Split<axis = 1, num_outputs = 2>(x)  y = Sub(a, b) }", opset=18)
    assert graph.ops == {"Split": 1, "Sub": 1}
    graph.assert_same()


def test_equal_operations_are_done_once() -> None:
    graph = Rewritten("g (float[1,2,T] x) => (float[1,2,T] y) { a = Exp(x)  b = Exp(x)  y = Add(a, b) }")
    assert graph.ops == {"Exp": 1, "Add": 1}
    graph.assert_same()


def test_only_what_an_output_needs_is_taken() -> None:
    source = Rewritten("g (float[1,2,T] x) => (float[1,2,T] y) { a = Exp(x)  b = Neg(a)  y = Sin(b) }").source
    ports = [SubgraphPort("a", "a", (2, FREE_SIZE), (1, 2, FREE_SIZE))], [SubgraphPort("b", "b", (1, FREE_SIZE))]
    model = simplify_subgraph(source, SubgraphSpec("part", "T", *ports, known_tensors={}))
    assert [node.op_type for node in model.graph.node] == ["Reshape", "Neg", "Reshape"]
    assert [item.name for item in model.graph.input] == ["a"]
