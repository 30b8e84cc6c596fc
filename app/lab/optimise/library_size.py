"""Estimates the size of an ONNX Runtime that runs one candidate and nothing else."""

from __future__ import annotations

from pathlib import Path

from app.adapters.ort.ort_format import describe_missing_tools, estimate_runtime_bytes, read_required_operators
from app.common.language import localize
from app.lab.optimise.general_candidates import OPERATORS_CONFIG_NAME


def describe_library_size(folder: Path) -> str:
    """Return one sentence about a candidate in ONNX Runtime's own format; empty for any other."""
    if not any(folder.glob("*.ort")):
        return ""
    config = next(folder.glob(OPERATORS_CONFIG_NAME.format(graph="*")), None)
    if config is None:
        hint = describe_missing_tools()
        return localize(
            f"必要な演算子の一覧は作成できません。{hint}", f"ONNX Runtime's tools, which list its operators, are not available. {hint}"
        )
    operators = read_required_operators(config)
    size = estimate_runtime_bytes(operators)
    if size is None:
        return localize(f"演算子 {len(operators)} 種", f"{len(operators)} operators")
    return localize(
        f"演算子 {len(operators)} 種だけの ONNX Runtime は約 {size / 1e6:.0f} MB（推定）",
        f"{len(operators)} operators; an ONNX Runtime with these alone takes about {size / 1e6:.0f} MB (estimate)",
    )
