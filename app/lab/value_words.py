"""What the lab's short values are called, for the window and the report; programs read the identifiers."""

from __future__ import annotations

import re

from app.adapters.ort.backends import BACKENDS, backend_of
from app.lab.place_words import place_names
from app.lab.rows import INT8
from app.language import localized
from app.stage_words import STAGES

GRAPHS = {
    "bert": ("BERT", "BERT"),
    "prosody": ("韻律", "Prosody"),
    "flow": ("フロー", "Flow"),
    "decoder": ("デコーダー", "Decoder"),
    "whole": ("一体型", "Single graph"),
    "source": ("元のモデル", "Source"),
    "voice": ("声", "Voice"),
    "total": ("合計", "Total"),
}
VALUES = {
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
    "stage": STAGES,
    "judged_by": {"relative": ("相対誤差", "Relative error"), "cosine": ("コサイン類似度", "Cosine"), "snr_db": ("SNR", "SNR")},
}
"""Column → what its values are called."""

WORDS = {
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

NUMBERED = (
    (re.compile(r"length (\d+)"), ("長さ {}", "length {}")),
    (re.compile(r"(\d+) of (\d+) lengths"), ("{1} 通り中 {0} 通りの長さ", "{} of {} lengths")),
    (re.compile(r"batch (\d+)"), ("バッチ {}", "batch {}")),
    (re.compile(r"(\d+) tokens"), ("{} トークン", "{} tokens")),
    (re.compile(r"(\d+) symbols"), ("{} 記号", "{} symbols")),
)
BETWEEN = re.compile(r"(: | / | \()")


def graph_name(graph: str) -> str:
    """A graph; that in 8 bits stands beside the exact one."""
    name = localized(*GRAPHS.get(graph.removesuffix(INT8), (graph, graph)))
    return localized(f"{name}（int8）", f"{name}, int8") if graph.endswith(INT8) and graph.removesuffix(INT8) in GRAPHS else name


def words_of(composed: str) -> str:
    """Every word of a case or part: `decoder: product`, `short: windows / whole (a name)`; what has no word stays."""
    return "".join(item if BETWEEN.fullmatch(item) else _word(item) for item in BETWEEN.split(composed))


def short_value(column: str, value: str) -> str:
    """A value of a column whose values are words; any other as it is."""
    if column == "graph":
        return graph_name(value)
    if column in ("case", "part", "length"):
        return words_of(value)
    names = VALUES.get(column, {})
    return localized(*names[value]) if value in names else value


def _word(text: str) -> str:
    found = ((pattern.fullmatch(text), words) for pattern, words in NUMBERED)
    numbered = next((localized(*words).format(*match.groups()) for match, words in found if match), "")
    if numbered:
        return numbered
    if text in WORDS:
        return localized(*WORDS[text])
    return place_names(text) if backend_of(text) in BACKENDS else graph_name(text)
