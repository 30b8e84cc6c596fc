"""Labels of everything short in the lab's rows, for people: kinds of rows, columns, values, candidates, backends; programs read the identifiers.

No ONNX Runtime here: the window reads this, too.
"""

import re

from app.adapters.ort.backends import BACKENDS, format_device_name, parse_backend
from app.common.language import localize
from app.common.stages import STAGE_LABELS
from app.lab.report_rows import INT8_SUFFIX, Row

TABLE_LABELS = {
    "machine": ("測定した環境", "Machine"),
    "graph": ("グラフ", "Graphs"),
    "value": ("入力と出力", "Inputs and outputs"),
    "weights": ("重みのデータ型", "Types of weights"),
    "weight": ("大きな重み", "Largest weights"),
    "part": ("モジュール", "Modules"),
    "diff": ("準備による変化", "Changed by preparing"),
    "rewrite": ("書き換え", "Rewrites"),
    "reason": ("一体型の理由", "Why it is a single graph"),
    "note": ("備考", "Notes"),
    "peak": ("この環境の速さ", "Speed of this machine"),
    "expect": ("想定と実測", "Expected and measured"),
    "profile": ("処理時間", "Times"),
    "profile:stage": ("処理", "Stages"),
    "profile:module": ("モジュール", "Modules"),
    "profile:operator": ("演算子", "Operators"),
    "memory": ("メモリー", "Memory"),
    "place": ("割り当て", "Placement"),
    "verify": ("一致の検証", "Agreement"),
    "compare": ("比較", "Comparison"),
    "crossover": ("速さが入れ替わる長さ", "Crossover"),
    "optimise": ("候補", "Candidates"),
    "test": ("ブラインドテスト", "Blind test"),
    "installed": ("組み込み", "Installed"),
    "check": ("チェック", "Checks"),
    "summary": ("まとめ", "Summary"),
}
"""Kind of rows → its heading."""
SHARE_COLUMNS = {"efficiency", "frames_equal", "share"}  # columns of shares, 0..1; people see percents
CANDIDATE_COLUMNS = {"candidate", "below", "above"}  # columns of candidates, of `compare` or `optimise`
TABLE_SPLIT_COLUMNS = {"profile": "scope"}  # kind of rows → the column by whose values people see tables of their own
COLUMN_LABELS = {
    "above": ("これより長いとき", "Above it"),
    "assigned": ("実際の割り当て", "Assigned"),
    "at_ms": ("時刻 (ms)", "At (ms)"),
    "backend": ("バックエンド", "Backend"),
    "batch": ("バッチ", "Batch"),
    "before_ms": ("以前 (ms)", "Before (ms)"),
    "below": ("これより短いとき", "Below it"),
    "boundaries": ("境界の数", "Boundaries"),
    "boundaries_in_a_row": ("続けて通る境界", "Boundaries in a row"),
    "busy": ("ほかの処理が動作中", "Busy"),
    "bytes": ("サイズ（バイト）", "Size (bytes)"),
    "calls": ("呼び出し回数", "Calls"),
    "candidate": ("候補", "Candidate"),
    "case": ("ケース", "Case"),
    "change": ("変化", "Change"),
    "check": ("チェック", "Check"),
    "cold_ms": ("初回 (ms)", "Cold (ms)"),
    "convolution_gmac_s": ("畳み込み (GMAC/s)", "Convolution (GMAC/s)"),
    "convolution_int8_gmac_s": ("畳み込み int8 (GMAC/s)", "Convolution, int8 (GMAC/s)"),
    "copy_in_ms": ("入力の転送 (ms)", "Copy in (ms)"),
    "copy_out_ms": ("出力の転送 (ms)", "Copy out (ms)"),
    "cosine": ("コサイン類似度", "Cosine"),
    "count": ("個数", "Count"),
    "counted_with": ("計算に使った形", "Counted with"),
    "cpu": ("CPU", "CPU"),
    "detail": ("説明", "Detail"),
    "direction": ("向き", "Direction"),
    "domains": ("ドメイン", "Domains"),
    "dtype": ("データ型", "Type"),
    "efficiency": ("効率", "Efficiency"),
    "error": ("エラー", "Error"),
    "expected_ms": ("想定 (ms)", "Expected (ms)"),
    "file": ("ファイル", "File"),
    "first_difference": ("最初に異なるテンソル", "First difference"),
    "form": ("形式", "Form"),
    "format": ("形式", "Format"),
    "frames": ("フレーム数", "Frames"),
    "frames_equal": ("フレームが一致", "Frames equal"),
    "graph": ("グラフ", "Graph"),
    "graphs": ("グラフ", "Graphs"),
    "held_mib": ("確保済み (MiB)", "Held (MiB)"),
    "in_use_mib": ("使用中 (MiB)", "In use (MiB)"),
    "joules_per_s": ("音声 1 秒の消費電力量 (J)", "Joules per second of speech"),
    "judged_by": ("判定の基準", "Judged by"),
    "kept": ("保存済み", "Kept"),
    "kernels": ("カーネルの出典", "Kernels of"),
    "length": ("長さ", "Length"),
    "level": ("最適化レベル", "Optimisation level"),
    "lines": ("行", "Lines"),
    "limit": ("許容値", "Limit"),
    "lsd_db": ("スペクトルの差 (dB)", "Spectral distance (dB)"),
    "lufs_difference": ("ラウドネスの差 (LU)", "Loudness difference (LU)"),
    "macs": ("積和演算数", "MACs"),
    "macs_int8": ("うち int8", "MACs in int8"),
    "macs_per_frame": ("積和演算数（1 フレーム）", "MACs per frame"),
    "macs_saved": ("減った積和演算数", "MACs saved"),
    "max_abs_diff": ("最大の差", "Max difference"),
    "max_ms": ("最大 (ms)", "Max (ms)"),
    "mean_ms": ("平均 (ms)", "Mean (ms)"),
    "measured_ms": ("実測 (ms)", "Measured (ms)"),
    "median_ms": ("中央値 (ms)", "Median (ms)"),
    "memory_mib": ("メモリー (MiB)", "Memory (MiB)"),
    "min_ms": ("最小 (ms)", "Min (ms)"),
    "ms": ("時間 (ms)", "Time (ms)"),
    "name": ("名前", "Name"),
    "names": ("比べるもの", "Compared"),
    "nodes": ("ノード数", "Nodes"),
    "note": ("備考", "Note"),
    "ok": ("合格", "Passed"),
    "op": ("演算子", "Operator"),
    "open_ms": ("準備 (ms)", "Opening (ms)"),
    "operator": ("演算子", "Operator"),
    "operators": ("演算子", "Operators"),
    "opset": ("opset", "Opset"),
    "ort": ("ONNX Runtime", "ONNX Runtime"),
    "outliers": ("外れ値", "Outliers"),
    "output_mib": ("出力 (MiB)", "Output (MiB)"),
    "p90_ms": ("90% 点 (ms)", "p90 (ms)"),
    "p95_ms": ("95% 点 (ms)", "p95 (ms)"),
    "p99_ms": ("99% 点 (ms)", "p99 (ms)"),
    "parameters": ("パラメーター数", "Parameters"),
    "part": ("部分", "Part"),
    "passed": ("合格", "Passed"),
    "precision": ("精度", "Precision"),
    "prepared": ("準備済み", "Prepared"),
    "prepared_macs": ("積和演算数（準備済み）", "MACs, prepared"),
    "prepared_nodes": ("ノード数（準備済み）", "Nodes, prepared"),
    "process_mib": ("プロセス全体 (MiB)", "Process (MiB)"),
    "product_gmac_s": ("行列積 (GMAC/s)", "Matrix product (GMAC/s)"),
    "product_int8_gmac_s": ("行列積 int8 (GMAC/s)", "Matrix product, int8 (GMAC/s)"),
    "reason": ("理由", "Reason"),
    "rewrite": ("書き換え", "Rewrite"),
    "run_ms": ("計算 (ms)", "Run (ms)"),
    "runs": ("回数", "Runs"),
    "scope": ("単位", "Scope"),
    "shape": ("形", "Shape"),
    "share": ("割合", "Share"),
    "size": ("大きさ", "Size"),
    "slower": ("最速の何倍の時間か", "Time ÷ winner's"),
    "slower_p25": ("最速の何倍の時間か（25% 点）", "Time ÷ winner's, p25"),
    "slower_p75": ("最速の何倍の時間か（75% 点）", "Time ÷ winner's, p75"),
    "snr_db": ("SNR (dB)", "SNR (dB)"),
    "sounds": ("音声", "Sounds"),
    "source": ("元のモデル", "Source"),
    "source_macs": ("積和演算数（元）", "MACs, source"),
    "source_nodes": ("ノード数（元）", "Nodes, source"),
    "speech_lsd_db": ("音声の LSD (dB)", "LSD of the speech (dB)"),
    "speech_snr_db": ("音声の SNR (dB)", "SNR of the speech (dB)"),
    "speedup": ("速さ（倍）", "Speedup"),
    "stage": ("処理", "Stage"),
    "std_ms": ("標準偏差 (ms)", "Deviation (ms)"),
    "supported": ("対応", "Supported"),
    "symbols": ("記号数", "Symbols"),
    "tensors": ("テンソル数", "Tensors"),
    "threads": ("スレッド数", "Threads"),
    "tokens": ("トークン数", "Tokens"),
    "unsupported": ("未対応", "Unsupported"),
    "value": ("値", "Value"),
    "verdict": ("判定", "Verdict"),
    "winner": ("最速", "Winner"),
}
"""Name in a row → label above its column."""
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
    (re.compile(r"length (\d{1,9})"), ("長さ {}", "length {}")),
    (re.compile(r"(\d{1,9}) of (\d{1,9}) lengths"), ("{1} 通り中 {0} 通りの長さ", "{} of {} lengths")),
    (re.compile(r"batch (\d{1,9})"), ("バッチ {}", "batch {}")),
    (re.compile(r"(\d{1,9}) tokens"), ("{} トークン", "{} tokens")),
    (re.compile(r"(\d{1,9}) symbols"), ("{} 記号", "{} symbols")),
)
CASE_SEPARATOR = re.compile(r"(: | / | \()")
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
    (re.compile(r"int8-(\d{1,9})"), ("int8、ブロック {}", "int8, blocks of {}")),
    (re.compile(r"layers-(\d{1,9})"), ("{} 層", "{} layers")),
    (re.compile(r"heads-(\d{1,9})"), ("アテンションヘッド {}%", "{}% of attention heads")),
)
LEVEL_LABELS = {
    "none": ("最適化なし", "not optimised"),
    "basic": ("基本の最適化", "basic optimisation"),
    "extended": ("拡張の最適化", "extended optimisation"),
    "all": ("すべての最適化", "all optimisations"),
}
CANDIDATE_FORM_LABELS = {"source": ("元のモデル", "source"), "prepared": ("準備済み", "prepared"), "ort": ("ORT 形式", "ORT format")}
GROUP_SEPARATOR = ": "  # before the only group of operators that a candidate changes
PLACEMENT_SEPARATOR = re.compile("([,=])")


def name_table(row: Row) -> str:
    """Return the kind of a row, or the part of its kind that is a table of its own; `format_kind` names both."""
    kind = str(row["type"])
    return f"{kind}:{row.get(TABLE_SPLIT_COLUMNS[kind])}" if kind in TABLE_SPLIT_COLUMNS else kind


def format_kind(kind: str) -> str:
    """Return the heading for rows of a kind, or the kind itself if it has no name yet."""
    return localize(*TABLE_LABELS.get(kind, (kind, kind)))


def format_column(name: str) -> str:
    """Return the label above a column, or its name if it has no label yet."""
    return localize(*COLUMN_LABELS.get(name, (name, name)))


def format_identifier(column: str, value: object) -> object:
    """Return candidates and places as people call them, in every table that people read; any other value as it is."""
    if column in CANDIDATE_COLUMNS and isinstance(value, str):
        # The candidates of `optimise` are chosen by their identifiers.
        name = _format_optimised(value)
        return localize(f"{name}（{value}）", f"{name} ({value})") if name else format_candidate(value)
    if column == "backend" and isinstance(value, str):
        return format_placement(value)
    if column == "assigned" and isinstance(value, dict):
        return {format_placement(str(device)): count for device, count in value.items()}
    return value


def format_value(column: str, value: object) -> object:
    """Return a short value as people call it; shares, and operators with their counts, in short; any other value as it is."""
    value = format_identifier(column, value)
    if column in SHARE_COLUMNS and isinstance(value, float):
        return f"{value:.1%}"
    if column == "unsupported" and isinstance(value, list):
        return ", ".join(f"{item['op']} ×{item['count']}" for item in value)
    if not isinstance(value, str):
        return value
    if column == "graph":
        return format_graph(value)
    if column in ("case", "part", "length"):
        return format_case(value)
    names = VALUE_LABELS.get(column, {})
    return localize(*names[value]) if value in names else value


def format_graph(graph: str) -> str:
    """Return the name of a graph; that of an int8 graph shows that there is an exact one too."""
    name = localize(*GRAPH_LABELS.get(graph.removesuffix(INT8_SUFFIX), (graph, graph)))
    return (
        localize(f"{name}（int8）", f"{name}, int8")
        if graph.endswith(INT8_SUFFIX) and graph.removesuffix(INT8_SUFFIX) in GRAPH_LABELS
        else name
    )


def format_case(composed: str) -> str:
    """Return every word of a case or part in the user's language: `decoder: product`, `short: windows / whole (a name)`; unknown words stay."""
    return "".join(item if CASE_SEPARATOR.fullmatch(item) else _format_word(item) for item in CASE_SEPARATOR.split(composed))


def _format_word(text: str) -> str:
    matches = ((pattern.fullmatch(text), words) for pattern, words in NUMBERED_VALUE_LABELS)
    numbered = next((localize(*words).format(*match.groups()) for match, words in matches if match), "")
    if numbered:
        return numbered
    if text in CASE_LABELS:
        return localize(*CASE_LABELS[text])
    return format_placement(text) if parse_backend(text) in BACKENDS else format_graph(text)


def format_candidate(identifier: str) -> str:
    """Return a candidate's name in the language of the user, or its identifier if it has no name yet."""
    return _format_compared(identifier) or _format_optimised(identifier) or identifier


def _format_compared(identifier: str) -> str:
    """Return the name of an identifier such as `cpu float32 all prepared`; empty for any other."""
    device, *words = identifier.split(" ")
    if len(words) != 3 or words[1] not in LEVEL_LABELS or words[2] not in CANDIDATE_FORM_LABELS:
        return ""
    precision, level, form = words
    return localize("、", ", ").join(
        (format_placement(device), precision, localize(*LEVEL_LABELS[level]), localize(*CANDIDATE_FORM_LABELS[form]))
    )


def _format_optimised(identifier: str) -> str:
    """Return the name of a candidate of `optimise`; empty for any other."""
    kind, _, group = identifier.partition(GROUP_SEPARATOR)
    if kind in OPTIMISED_LABELS:
        name = localize(*OPTIMISED_LABELS[kind])
    else:
        matches = ((pattern.fullmatch(kind), words) for pattern, words in NUMBERED_CANDIDATE_LABELS)
        name = next((localize(*words).format(match[1]) for match, words in matches if match), "")
    return (name and group and f"{name}{localize('：', ': ')}{group}") or name


def format_placement(placement: str) -> str:
    """Return the value of `--backend` in names: `bert=cpu,decoder=directml:1` → `bert=CPU, decoder=DirectML 1`; any other word as it is."""
    items = PLACEMENT_SEPARATOR.split(placement)
    labels = (format_device_name(item) if parse_backend(item) in (*BACKENDS, "auto") else item for item in items)
    return "".join(", " if label == "," else label for label in labels)
