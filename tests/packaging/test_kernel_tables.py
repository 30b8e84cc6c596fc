"""The tables of kernels are as ONNX Runtime lists its kernels."""

import json
from types import SimpleNamespace

from bundle.kernel_tables import TABLES, as_row
from onnxruntime.capi.onnxruntime_pybind11_state import get_all_opkernel_def


def test_a_kernel_becomes_a_row() -> None:
    kernel = SimpleNamespace(
        domain="", op_name="Gather", version_range=(13, 2**31 - 1), type_constraints={"Tind": ["tensor(int64)", "tensor(int32)"], "T": []}
    )
    assert as_row(kernel) == ["", "Gather", 13, None, {"T": [], "Tind": ["int32", "int64"]}]


def test_most_kernels_of_the_cpu_are_those_of_this_onnx_runtime() -> None:
    here = {json.dumps(as_row(kernel)) for kernel in get_all_opkernel_def()}
    table = json.loads((TABLES / "cpu.json").read_text(encoding="utf-8"))["kernels"]
    assert sum(json.dumps(kernel) in here for kernel in table) > 0.9 * len(table), (
        "other versions add kernels, and close the range of old ones"
    )
