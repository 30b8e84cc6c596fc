"""People read names, programs identifiers: candidates and backends in tables, charts, CSV and JSON."""

import csv
import io

import pytest

from app.common.language import Language, set_language
from app.lab.compare.compare_candidates import CANDIDATE_FORMS
from app.lab.optimise.candidate_measures import make_candidate_row
from app.lab.report_charts import draw_chart
from app.lab.report_rows import Row
from app.lab.report_tables import format_as_csv, format_as_html, format_as_markdown, format_as_text
from app.lab.row_labels import COLUMN_LABELS, format_candidate, format_placement, format_value

NAMES = {
    "prepared": ("準備済み", "Prepared"),
    "as-it-came": ("元のモデル", "As it came"),
    "int8": ("追加時の int8", "int8 as installed"),
    "int8: Conv 2×2×1×11": ("追加時の int8：Conv 2×2×1×11", "int8 as installed: Conv 2×2×1×11"),
    "int8-32": ("int8、ブロック 32", "int8, blocks of 32"),
    "int8-32: layer 3": ("int8、ブロック 32：layer 3", "int8, blocks of 32: layer 3"),
    "fp16": ("半精度", "Half precision"),
    "layers-20": ("20 層", "20 layers"),
    "heads-75": ("アテンションヘッド 75%", "75% of attention heads"),
    "base+projection": ("小さい BERT と射影", "Smaller BERT, projected"),
    "fused": ("演算子を融合", "Fused operators"),
    "ort": ("ORT 形式", "ORT format"),
    "directml:1 int8 none source": ("DirectML 1、int8、最適化なし、元のモデル", "DirectML 1, int8, not optimised, source"),
    "something new": ("something new", "something new"),
}


@pytest.mark.parametrize(("language", "place"), [("ja", 0), ("en", 1)])
def test_candidates_have_names_in_the_users_language(language: Language, place: int) -> None:
    set_language(language)
    assert [format_candidate(identifier) for identifier in NAMES] == [pair[place] for pair in NAMES.values()]


def test_places_have_their_makers_names() -> None:
    assert format_placement("cpu,directml:1") == "CPU, DirectML 1"
    assert format_placement("bert=cpu,decoder=auto") == "bert=CPU, decoder=Auto"
    assert format_placement("all") == "all"
    assert format_value("assigned", {"cpu": 3, "cuda": 4}) == {"CPU": 3, "CUDA": 4}


def test_people_read_names_and_programs_identifiers() -> None:
    rows: list[Row] = [
        make_candidate_row("bert", "fused", speedup=1.5, snr_db=90.0),
        {"type": "place", "graph": "bert", "backend": "directml", "assigned": None},
    ]
    for shown in (format_as_text(rows), format_as_markdown(rows), format_as_html(rows, "report")):
        assert "Fused operators (fused)" in shown
        assert "DirectML" in shown
    picture = draw_chart(rows)
    assert picture is not None
    assert "Fused operators" in picture
    first, second = csv.DictReader(io.StringIO(format_as_csv(rows)))
    assert (first["candidate"], second["backend"]) == ("fused", "directml")


def test_names_out_of_a_graph_are_nothing_that_a_spreadsheet_computes() -> None:
    (row,) = csv.DictReader(io.StringIO(format_as_csv([{"type": "node", "name": "=cmd|' /C calc'!A0", "ms": -1.5, "delta": None}])))
    assert (row["name"], row["ms"]) == ("'=cmd|' /C calc'!A0", "-1.5")


@pytest.mark.parametrize("language", ["ja", "en"])
def test_graphs_and_cases_have_names_in_the_users_language(language: Language) -> None:
    set_language(language)
    ja = language == "ja"
    assert format_value("graph", "decoder_int8") == ("デコーダー（int8）" if ja else "Decoder, int8")
    assert format_value("graph", "enc_p/encoder") == "enc_p/encoder"
    assert format_value("part", "prosody: product") == ("韻律: 行列積" if ja else "Prosody: matrix product")
    assert format_value("case", "windows of devices: long") == (
        "デバイスでのストリーミング: 長い文" if ja else "streamed on devices: long line"
    )
    assert format_value("case", "directml:1: short") == ("DirectML 1: 短い文" if ja else "DirectML 1: short line")
    assert format_value("case", "length 7") == ("長さ 7" if ja else "length 7")
    assert format_value("case", "short: windows / whole (koebako-starter-v1)") == (
        "短い文: ストリーミング / 一括 (koebako-starter-v1)" if ja else "short line: streamed / at once (koebako-starter-v1)"
    )
    assert format_value("case", "67 of 68 lengths") == ("68 通り中 67 通りの長さ" if ja else "67 of 68 lengths")
    assert format_value("length", "20 tokens") == ("20 トークン" if ja else "20 tokens")
    assert format_value("stage", "decode") == ("デコード" if ja else "Decode")
    assert format_value("judged_by", "relative") == ("相対誤差" if ja else "Relative error")


def test_every_form_that_is_compared_has_a_name() -> None:
    assert all(format_candidate(f"cpu float32 all {form}").startswith("CPU, float32, ") for form in CANDIDATE_FORMS)


def test_what_a_candidate_is_said_of_has_a_heading() -> None:
    assert set(make_candidate_row("bert", "fp16")) - {"type"} <= COLUMN_LABELS.keys()
    assert "ratio" not in COLUMN_LABELS, "which of two times is above the line?"
