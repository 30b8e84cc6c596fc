"""Labels of the lab's short values, for the window and the report; programs read the identifiers."""

from __future__ import annotations

import re

from app.adapters.ort.backends import BACKENDS, parse_backend
from app.common.language import localize
from app.common.stage_labels import STAGE_LABELS
from app.lab.device_labels import format_placement
from app.lab.report_rows import INT8_SUFFIX

GRAPH_LABELS = {
    "bert": ("BERT", "BERT"),
    "prosody": ("韻律", "Prosody"),
    "flow": ("フロー", "Flow"),
    "decoder": ("デコーダー", "Decoder"),
    "whole": ("一体型", "Single graph"),
    "source": ("元のモデル", "Source"),
    "voice": ("声", "Voice"),
    "total": ("合計", "Total"),
}
VALUE_LABELS = {
    "form": {"source": ("元のモデル", "Source"), "prepared": ("準備済み", "Prepared"), "device": ("デバイス用", "For devices")},
    "direction": {"input": ("入力", "Input"), "output": ("出力", "Output")},
    "scope": {"stage": ("処理", "Stage"), "module": ("モジュール", "Module"), "operator": ("演算子", "Operator")},
    "verdict": {
        "much work": ("計算量が多い", "Much work"),
        "inefficient": ("効率が悪い", "Inefficient"),
        "slower": ("遅くなった", "Slower"),
        "faster": ("速くなった", "Faster"),
        "same": ("変化なし", "Same"),
        "new": ("新規", "New"),
        "gone": ("なくなった", "Gone"),
    },
    "check": {
        "placement": ("割り当て", "Placement"),
        "parity": ("一致", "Parity"),
        "shapes": ("長さ", "Lengths"),
        "latency": ("時間", "Latency"),
    },
    "stage": STAGE_LABELS,
    "judged_by": {"relative": ("相対誤差", "Relative error"), "cosine": ("コサイン類似度", "Cosine"), "snr_db": ("SNR", "SNR")},
}
"""Column → what its values are called."""

CASE_LABELS = {
    "optimised": ("最適化あり", "optimised"),
    "unoptimised": ("最適化なし", "unoptimised"),
    "source": ("元のモデル", "source"),
    "prepared": ("準備済み", "prepared"),
    "windows": ("ストリーミング", "streamed"),
    "windows of devices": ("デバイスでのストリーミング", "streamed on devices"),
    "whole": ("一括", "at once"),
    "short": ("短い文", "short line"),
    "long": ("長い文", "long line"),
    "convolution": ("畳み込み", "convolution"),
    "product": ("行列積", "matrix product"),
    "other": ("その他", "other"),
}
"""Words of cases and parts, which are made of several."""

NUMBERED_VALUE_LABELS = (
    (re.compile(r"length (\d+)"), ("長さ {}", "length {}")),
    (re.compile(r"(\d+) of (\d+) lengths"), ("{1} 通り中 {0} 通りの長さ", "{} of {} lengths")),
    (re.compile(r"batch (\d+)"), ("バッチ {}", "batch {}")),
    (re.compile(r"(\d+) tokens"), ("{} トークン", "{} tokens")),
    (re.compile(r"(\d+) symbols"), ("{} 記号", "{} symbols")),
)
CASE_SEPARATOR = re.compile(r"(: | / | \()")


def format_graph(graph: str) -> str:
    """Return the name of a graph; that of an int8 graph shows that it stands beside the exact one."""
    name = localize(*GRAPH_LABELS.get(graph.removesuffix(INT8_SUFFIX), (graph, graph)))
    return (
        localize(f"{name}（int8）", f"{name}, int8")
        if graph.endswith(INT8_SUFFIX) and graph.removesuffix(INT8_SUFFIX) in GRAPH_LABELS
        else name
    )


def format_case(composed: str) -> str:
    """Return every word of a case or part in the user's language: `decoder: product`, `short: windows / whole (a name)`; unknown words stay."""
    return "".join(item if CASE_SEPARATOR.fullmatch(item) else _format_word(item) for item in CASE_SEPARATOR.split(composed))


def format_short_value(column: str, value: str) -> str:
    """Return the name of a value in a column whose values are words; any other value as it is."""
    if column == "graph":
        return format_graph(value)
    if column in ("case", "part", "length"):
        return format_case(value)
    names = VALUE_LABELS.get(column, {})
    return localize(*names[value]) if value in names else value


def _format_word(text: str) -> str:
    found = ((pattern.fullmatch(text), words) for pattern, words in NUMBERED_VALUE_LABELS)
    numbered = next((localize(*words).format(*match.groups()) for match, words in found if match), "")
    if numbered:
        return numbered
    if text in CASE_LABELS:
        return localize(*CASE_LABELS[text])
    return format_placement(text) if parse_backend(text) in BACKENDS else format_graph(text)
