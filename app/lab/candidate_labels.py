"""Candidates of `compare` and `optimise`, as people call them; rows, options and files have their identifiers."""

from __future__ import annotations

import re

from app.common.language import localize
from app.lab.device_labels import format_placement

OPTIMISED_LABELS = {
    "prepared": ("準備済み", "Prepared"),
    "as-it-came": ("元のモデル", "As it came"),
    "int8": ("追加時の int8", "int8 as installed"),
    "fp16": ("半精度", "Half precision"),
    "base+projection": ("小さい BERT と射影", "Smaller BERT, projected"),
    "fused": ("演算子を融合", "Fused operators"),
    "ort": ("ORT 形式", "ORT format"),
}
NUMBERED_CANDIDATE_LABELS = (
    (re.compile(r"int8-(\d+)"), ("int8、ブロック {}", "int8, blocks of {}")),
    (re.compile(r"layers-(\d+)"), ("{} 層", "{} layers")),
    (re.compile(r"heads-(\d+)"), ("アテンションヘッド {}%", "{}% of attention heads")),
)
LEVEL_LABELS = {
    "none": ("最適化なし", "not optimised"),
    "basic": ("基本の最適化", "basic optimisation"),
    "extended": ("拡張の最適化", "extended optimisation"),
    "all": ("すべての最適化", "all optimisations"),
}
CANDIDATE_FORM_LABELS = {"source": ("元のモデル", "source"), "prepared": ("準備済み", "prepared"), "ort": ("ORT 形式", "ORT format")}
# Before the only group of operators that a candidate changes.
GROUP_SEPARATOR = ": "


def format_candidate(identifier: str) -> str:
    """Return a candidate's name in the language of the user, or its identifier if it has no name yet."""
    return _format_compared(identifier) or _format_optimised(identifier) or identifier


def format_candidate_with_id(identifier: str) -> str:
    """Return name and identifier of a candidate, for tables: the candidates of `optimise` are chosen by their identifiers."""
    name = _format_optimised(identifier)
    if not name:
        return format_candidate(identifier)
    return localize(f"{name}（{identifier}）", f"{name} ({identifier})")


def _format_compared(identifier: str) -> str:
    """Return the name of an identifier such as `cpu float32 all prepared`; empty for any other."""
    place, *rest = identifier.split(" ")
    if len(rest) != 3 or rest[1] not in LEVEL_LABELS or rest[2] not in CANDIDATE_FORM_LABELS:
        return ""
    precision, level, form = rest
    return localize("、", ", ").join(
        (format_placement(place), precision, localize(*LEVEL_LABELS[level]), localize(*CANDIDATE_FORM_LABELS[form]))
    )


def _format_optimised(identifier: str) -> str:
    """Return the name of a candidate of `optimise`; empty for any other."""
    kind, _, group = identifier.partition(GROUP_SEPARATOR)
    if kind in OPTIMISED_LABELS:
        name = localize(*OPTIMISED_LABELS[kind])
    else:
        found = ((pattern.fullmatch(kind), words) for pattern, words in NUMBERED_CANDIDATE_LABELS)
        name = next((localize(*words).format(match[1]) for match, words in found if match), "")
    return (name and group and f"{name}{localize('：', ': ')}{group}") or name
