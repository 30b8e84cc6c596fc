"""`koebako bench --reference`: how many times faster our path is than the files as they come."""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from dataclasses import asdict
from functools import partial
from typing import Any

from tqdm import tqdm

from app import paths
from app.adapters.ort.providers import intra_threads
from app.adapters.ort.session import VERSION
from app.bench.compare import BertResult, Comparison, LineResult, whole_line
from app.bench.home import OursReady, find_originals, own_home, prepare_ours
from app.bench.machine import cpu_name
from app.bench.own_process import OwnProcess, in_own_process, measure_ours, measure_reference
from app.bench.texts import LINES
from app.bench.turns import UNCOUNTED, Ratio
from app.cli.licence_prompt import licence_prompt
from app.cli.output import json_line, note, result
from app.cli.progress import shown_progress
from app.errors import InputError
from app.language import localized
from app.voices.fast import Fast
from app.voices.fast_words import likeness as words_of

MOST_TURNS = 1_000


def run_reference(options: argparse.Namespace) -> int:
    """Prints a line for BERT, for each text and for the memory, then the summary."""
    if options.memory_of:
        return _memory_of(options)
    if not 1 <= options.turns <= MOST_TURNS:
        raise InputError(
            localized(f"回数には 1 から {MOST_TURNS} までの値を指定してください。", f"The number of turns must be from 1 to {MOST_TURNS}."),
            "--turns 12",
        )
    originals = find_originals(options.voice, options.bert)
    note(
        localized(
            "比較相手は、ある製品の設定を再現したものです（float16 の BERT、最適化なし、全文を一度に計算）。その製品そのものではありません。",
            "The reference re-creates one product's settings (float16 BERT, no optimisation, the whole text at once); it is not that product.",
        )
    )
    turns = partial(_turns, count=options.turns + UNCOUNTED)
    with own_home() as home:
        with shown_progress(as_json=False) as report:
            ready = prepare_ours(originals, home, licence_prompt(accepted=options.accept_licence), report)
        comparison = Comparison.opened(originals, ready)
        bert = comparison.bert(turns)
        _report_bert(bert, as_json=options.json)
        lines = []
        for name in LINES:
            lines.append(comparison.line(name, turns))
            _report_line(lines[-1], as_json=options.json)
        likeness = comparison.ours["auto"].voice.manifest.fast
        del comparison  # gigabytes, which the children need
        in_own_process("ours", ready.voice, ready.bert)  # finds its optimised copies, or makes them: as the first of many starts does
        ours = in_own_process("ours", ready.voice, ready.bert)
        theirs = in_own_process("reference", str(originals.voice.absolute()), str(originals.bert.absolute()))
        _report_memory(ours, theirs, as_json=options.json)
    if likeness is not None and not options.json:
        result(f"fast: {words_of(likeness)}")
    if options.json:
        json_line(_summary(bert, lines, ours, theirs, likeness, options.turns))
    return 0


def _turns(name: str, count: int) -> Iterable[int]:
    return tqdm(range(count), leave=False, disable=None, desc=name)


def _memory_of(options: argparse.Namespace) -> int:
    """The child's part; ours finds its models in the home that is in force."""
    if options.memory_of == "ours":
        figures = measure_ours(OursReady(paths.data_dir(), options.voice, options.bert))
    else:
        figures = measure_reference(find_originals(options.voice, options.bert))
    json_line(asdict(figures))
    return 0


def _summary(
    bert: BertResult, lines: list[LineResult], ours: OwnProcess, theirs: OwnProcess, likeness: Fast | None, turns: int
) -> dict[str, Any]:
    auto, exact, fast = bert.against_reference["auto"], whole_line(lines, "exact"), whole_line(lines, "fast")
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
        "fast": _fast(lines, likeness),
        "memory": {"ours_mb": ours.peak_mb, "reference_mb": theirs.peak_mb},
        "lines": [{"phones": item.phones, "tokens": item.tokens, "frames": item.frames["auto"]} for item in lines],
        "turns": turns,
        "threads": intra_threads(),
        "ort": VERSION.removeprefix("onnxruntime "),
        "cpu": cpu_name(),
    }


def _fast(lines: list[LineResult], likeness: Fast | None) -> dict[str, Any] | None:
    """The faster way to speak; None where the voice has none."""
    whole = whole_line(lines, "fast")
    if whole is None or likeness is None:
        return None
    first = {item.line: item.first_audio["fast"].median for item in lines}
    alike = {"snr_db": likeness.snr_db, "lsd_db": likeness.lsd_db, "frames_equal": likeness.frames_equal}
    return {"first_audio": first, "whole_line": whole.median} | alike


def _report_bert(bert: BertResult, *, as_json: bool) -> None:
    if as_json:
        json_line({"type": "bert"} | asdict(bert))
        return
    result(
        localized(
            f"BERT、{bert.tokens} トークン（使用する精度: {bert.precision}）",
            f"BERT, {bert.tokens} tokens (precision in use: {bert.precision})",
        )
    )
    for way, found in bert.against_reference.items():
        alike = localized(f"コサイン類似度の最小値 {bert.cosine_min[way]:.5f}", f"minimum cosine similarity {bert.cosine_min[way]:.5f}")
        result(f"  {way:<10}{_times(found)}   {bert.ms['reference']:.0f} → {bert.ms[way]:.0f} ms   {alike}")
    for way, found in bert.against_exported.items():
        words = localized("float32 のファイルを最適化した場合との比", "compared with the float32 file, optimised")
        result(f"  {way:<10}{_times(found)}   {bert.ms['exported']:.0f} → {bert.ms[way]:.0f} ms   {words}")


def _report_line(line: LineResult, *, as_json: bool) -> None:
    if as_json:
        json_line({"type": "line"} | line.values())
        return
    result(
        localized(
            f"{line.line}: {line.phones} 音素、{line.tokens} トークン、{line.frames['auto']} フレーム",
            f"{line.line}: {line.phones} phones, {line.tokens} tokens, {line.frames['auto']} frames",
        )
    )
    whole = line.ms["reference"]
    for way in line.whole_line:
        first, total = line.first_audio[way], line.whole_line[way]
        result(
            f"  {way:<10}{localized('最初の音声まで', 'time to first audio'):<12}{_times(first)}   {whole:.0f} → {line.first_audio_ms[way]:.0f} ms"
        )
        result(f"  {'':<10}{localized('行全体', 'whole line'):<12}{_times(total)}   {whole:.0f} → {line.ms[way]:.0f} ms")
        result(f"  {'':<10}{localized('音声合成だけ', 'graphs only'):<12}{_times(line.synthesiser[way])}")


def _report_memory(ours: OwnProcess, theirs: OwnProcess, *, as_json: bool) -> None:
    if as_json:
        json_line({"type": "memory", "ours": asdict(ours), "reference": asdict(theirs)})
        return
    share = ours.peak_mb / theirs.peak_mb
    result(
        localized(
            f"最大メモリー {ours.peak_mb:.0f} MB（相手 {theirs.peak_mb:.0f} MB の {share:.2f}）、読み込み {ours.load_ms:.0f} ms（相手 {theirs.load_ms:.0f} ms）",
            f"peak memory {ours.peak_mb:.0f} MB ({share:.2f} of {theirs.peak_mb:.0f} MB), load time {ours.load_ms:.0f} ms ({theirs.load_ms:.0f} ms)",
        )
    )


def _times(found: Ratio) -> str:
    return f"{found.median:5.2f}× ({found.p25:.2f}–{found.p75:.2f})"
