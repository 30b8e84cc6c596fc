"""`koebako bench --reference`: how many times faster our path is than the files as they come."""

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from typing import Any

from tqdm import tqdm

from app.adapters.ort.graph_session import ORT_VERSION
from app.adapters.ort.session_options import count_intra_threads
from app.bench.multiply_adds import find_cpu_name
from app.bench.reference_comparison import (
    BertComparisonResult,
    LineComparisonResult,
    PreparedFiles,
    ProcessCost,
    ReferenceComparison,
    compute_overall_ratio,
    find_originals,
    measure_in_child,
    measure_ours,
    measure_reference,
    prepare_files,
    use_bench_home,
)
from app.bench.repeated_runs import UNCOUNTED_TURNS, SpeedRatio
from app.bench.stage_timing import BENCH_LINES
from app.cli.console_output import print_json, print_localized_note, print_note, print_result
from app.cli.licence_prompt import create_licence_prompt
from app.cli.progress_display import show_progress
from app.common.errors import InputError
from app.common.files import paths
from app.common.language import localize
from app.voices.int8_result import Int8Result
from app.voices.voice_labels import describe_int8_quality

MAX_TURNS = 1_000


def run_reference(options: argparse.Namespace) -> int:
    """Print a line for BERT, for each text and for the memory, then the summary."""
    if options.memory_of:
        return _measure_memory(options)
    if not 1 <= options.turns <= MAX_TURNS:
        raise InputError(
            localize(f"回数には 1 から {MAX_TURNS} までの値を指定してください。", f"The number of turns must be from 1 to {MAX_TURNS}."),
            "--turns 12",
        )
    originals = find_originals(options.voice, options.bert)
    print_localized_note(
        "比較相手は、ある製品の設定を再現したものです（float16 の BERT、最適化なし、全文を一度に計算）。その製品そのものではありません。",
        "The reference re-creates one product's settings (float16 BERT, no optimisation, the whole text at once); it is not that product.",
    )
    turns = partial(_iterate_turns, count=options.turns + UNCOUNTED_TURNS)
    with use_bench_home() as home:
        with show_progress(as_json=False) as report:
            ready = prepare_files(originals, home, create_licence_prompt(is_accepted=options.accept_licence), report)
        for note in ready.notes:
            print_note(note)
        comparison = ReferenceComparison.open_comparison(originals, ready)
        bert = comparison.measure_bert(turns)
        _report_bert(bert, as_json=options.json)
        lines = []
        for name in BENCH_LINES:
            lines.append(comparison.measure_line(name, turns))
            _report_line(lines[-1], as_json=options.json)
        likeness = comparison.ours["auto"].voice.manifest.fast
        # The comparison holds gigabytes that the children need.
        del comparison
        # Finds its optimised copies, or makes them: as the first of many starts does.
        measure_in_child("ours", ready.voice, ready.bert)
        ours = measure_in_child("ours", ready.voice, ready.bert)
        theirs = measure_in_child("reference", str(originals.voice.absolute()), str(originals.bert.absolute()))
        _report_memory(ours, theirs, as_json=options.json)
    if likeness is not None and not options.json:
        print_result(f"fast: {describe_int8_quality(likeness)}")
    if options.json:
        print_json(_build_summary(bert, lines, ours, theirs, likeness, options.turns))
    return 0


def _iterate_turns(name: str, count: int) -> Iterable[int]:
    return tqdm(range(count), leave=False, disable=None, desc=name)


def _measure_memory(options: argparse.Namespace) -> int:
    """Measure memory in the child; ours finds its models in the home that is in force."""
    if options.memory_of == "ours":
        figures = measure_ours(PreparedFiles(paths.find_data_dir(), options.voice, options.bert))
    else:
        figures = measure_reference(find_originals(options.voice, options.bert))
    print_json(asdict(figures))
    return 0


def _build_summary(
    bert: BertComparisonResult,
    lines: list[LineComparisonResult],
    ours: ProcessCost,
    theirs: ProcessCost,
    fast_result: Int8Result | None,
    turns: int,
) -> dict[str, Any]:
    auto, exact, fast = bert.against_reference["auto"], compute_overall_ratio(lines, "exact"), compute_overall_ratio(lines, "fast")
    return {
        "summary": True,
        "bert": {
            "ratio": auto.median,
            "exact_ratio": bert.against_reference["exact"].median,
            "cosine_min": bert.cosine_min["auto"],
            "p25": auto.p25,
            "p75": auto.p75,
        },
        "first_audio": {item.line: item.first_audio["auto"].median for item in lines},
        "whole_line": {"exact": exact.median if exact else None, "int8": fast.median if fast else None},
        "fast": build_fast_summary(lines, fast_result),
        "memory": {"ours_mb": ours.peak_mb, "reference_mb": theirs.peak_mb},
        "lines": [{"phones": item.phones, "tokens": item.tokens, "frames": item.frames["auto"]} for item in lines],
        "turns": turns,
        "threads": count_intra_threads(),
        "ort": ORT_VERSION.removeprefix("onnxruntime "),
        "cpu": find_cpu_name(),
    }


def build_fast_summary(lines: list[LineComparisonResult], fast_result: Int8Result | None) -> dict[str, Any] | None:
    """Return the summary of the faster way to speak; None if the voice has none."""
    whole = compute_overall_ratio(lines, "fast")
    if whole is None or fast_result is None:
        return None
    first = {item.line: item.first_audio["fast"].median for item in lines}
    alike = {"snr_db": fast_result.snr_db, "lsd_db": fast_result.lsd_db, "frames_equal": fast_result.frames_equal}
    return {"first_audio": first, "whole_line": whole.median} | alike


def _report_bert(bert: BertComparisonResult, *, as_json: bool) -> None:
    if as_json:
        print_json({"type": "bert"} | asdict(bert))
        return
    print_result(
        localize(
            f"BERT、{bert.tokens} トークン（使用する精度: {bert.precision}）",
            f"BERT, {bert.tokens} tokens (precision in use: {bert.precision})",
        )
    )
    for way, ratio in bert.against_reference.items():
        alike = localize(f"コサイン類似度の最小値 {bert.cosine_min[way]:.5f}", f"minimum cosine similarity {bert.cosine_min[way]:.5f}")
        print_result(f"  {way:<10}{_format_ratio(ratio)}   {bert.ms['reference']:.0f} → {bert.ms[way]:.0f} ms   {alike}")
    for way, ratio in bert.against_exported.items():
        words = localize("float32 のファイルを最適化した場合との比", "compared with the float32 file, optimised")
        print_result(f"  {way:<10}{_format_ratio(ratio)}   {bert.ms['exported']:.0f} → {bert.ms[way]:.0f} ms   {words}")


def _report_line(line: LineComparisonResult, *, as_json: bool) -> None:
    if as_json:
        print_json({"type": "line"} | line.build_json_record())
        return
    print_result(
        localize(
            f"{line.line}: {line.phones} 音素、{line.tokens} トークン、{line.frames['auto']} フレーム",
            f"{line.line}: {line.phones} phones, {line.tokens} tokens, {line.frames['auto']} frames",
        )
    )
    whole = line.ms["reference"]
    for way in line.whole_line:
        first, total = line.first_audio[way], line.whole_line[way]
        print_result(
            f"  {way:<10}{localize('最初の音声まで', 'time to first audio'):<12}{_format_ratio(first)}   {whole:.0f} → {line.first_audio_ms[way]:.0f} ms"
        )
        print_result(f"  {'':<10}{localize('行全体', 'whole line'):<12}{_format_ratio(total)}   {whole:.0f} → {line.ms[way]:.0f} ms")
        print_result(f"  {'':<10}{localize('音声合成だけ', 'graphs only'):<12}{_format_ratio(line.synthesiser[way])}")


def _report_memory(ours: ProcessCost, theirs: ProcessCost, *, as_json: bool) -> None:
    if as_json:
        print_json({"type": "memory", "ours": asdict(ours), "reference": asdict(theirs)})
        return
    share = ours.peak_mb / theirs.peak_mb
    print_result(
        localize(
            f"最大メモリー {ours.peak_mb:.0f} MB（相手 {theirs.peak_mb:.0f} MB の {share:.2f}）、読み込み {ours.load_ms:.0f} ms（相手 {theirs.load_ms:.0f} ms）",
            f"peak memory {ours.peak_mb:.0f} MB ({share:.2f} of {theirs.peak_mb:.0f} MB), load time {ours.load_ms:.0f} ms ({theirs.load_ms:.0f} ms)",
        )
    )


def _format_ratio(ratio: SpeedRatio) -> str:
    return f"{ratio.median:5.2f}× ({ratio.p25:.2f}–{ratio.p75:.2f})"
