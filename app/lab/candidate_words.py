"""Candidates of `compare` and `optimise`, as people call them; rows, options and files have their identifiers."""

from __future__ import annotations

import re

from app.lab.place_words import place_names
from app.language import localized

OPTIMISED = {
    "prepared": ("準備済み", "Prepared"),
    "as-it-came": ("元のモデル", "As it came"),
    "int8": ("追加時の int8", "int8 as installed"),
    "fp16": ("半精度", "Half precision"),
    "base+projection": ("小さい BERT と射影", "Smaller BERT, projected"),
    "fused": ("演算子を融合", "Fused operators"),
    "ort": ("ORT 形式", "ORT format"),
}
NUMBERED = (
    (re.compile(r"int8-(\d+)"), ("int8、ブロック {}", "int8, blocks of {}")),
    (re.compile(r"layers-(\d+)"), ("{} 層", "{} layers")),
    (re.compile(r"heads-(\d+)"), ("アテンションヘッド {}%", "{}% of attention heads")),
)
LEVELS = {
    "none": ("最適化なし", "not optimised"),
    "basic": ("基本の最適化", "basic optimisation"),
    "extended": ("拡張の最適化", "extended optimisation"),
    "all": ("すべての最適化", "all optimisations"),
}
FORMS = {"source": ("元のモデル", "source"), "prepared": ("準備済み", "prepared"), "ort": ("ORT 形式", "ORT format")}
GROUP = ": "  # before the only group of operators that a candidate changes


def candidate_name(identifier: str) -> str:
    """In the language of the user; a candidate that has no name yet calls itself by its identifier."""
    return _compared(identifier) or _optimised(identifier) or identifier


def candidate_with_identifier(identifier: str) -> str:
    """For tables: those of `optimise` are chosen by their identifiers."""
    name = _optimised(identifier)
    if not name:
        return candidate_name(identifier)
    return localized(f"{name}（{identifier}）", f"{name} ({identifier})")


def _compared(identifier: str) -> str:
    """`cpu float32 all prepared`; empty for any other."""
    place, *rest = identifier.split(" ")
    if len(rest) != 3 or rest[1] not in LEVELS or rest[2] not in FORMS:
        return ""
    precision, level, form = rest
    return localized("、", ", ").join((place_names(place), precision, localized(*LEVELS[level]), localized(*FORMS[form])))


def _optimised(identifier: str) -> str:
    """Empty for one that is none of these."""
    kind, _, group = identifier.partition(GROUP)
    if kind in OPTIMISED:
        name = localized(*OPTIMISED[kind])
    else:
        found = ((pattern.fullmatch(kind), words) for pattern, words in NUMBERED)
        name = next((localized(*words).format(match[1]) for match, words in found if match), "")
    return (name and group and f"{name}{localized('：', ': ')}{group}") or name
