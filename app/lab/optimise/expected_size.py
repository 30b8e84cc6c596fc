"""What an ONNX Runtime would take that runs one candidate and nothing else."""

from __future__ import annotations

from pathlib import Path

from app.adapters.ort.ort_format import expected_bytes, required_operators, where_tools_are
from app.lab.optimise.general import CONFIG_NAME
from app.language import localized


def library_note(folder: Path) -> str:
    """One sentence about a candidate in ONNX Runtime's own format; empty for any other."""
    if not any(folder.glob("*.ort")):
        return ""
    config = next(folder.glob(CONFIG_NAME.format(graph="*")), None)
    if config is None:
        hint = where_tools_are()
        return localized(
            f"必要な演算子の一覧は作成できません。{hint}", f"ONNX Runtime's tools, which list its operators, are not available. {hint}"
        )
    operators = required_operators(config)
    size = expected_bytes(operators)
    if size is None:
        return localized(f"演算子 {len(operators)} 種", f"{len(operators)} operators")
    return localized(
        f"演算子 {len(operators)} 種だけの ONNX Runtime は約 {size / 1e6:.0f} MB（推定）",
        f"{len(operators)} operators; an ONNX Runtime with these alone takes about {size / 1e6:.0f} MB (estimate)",
    )
