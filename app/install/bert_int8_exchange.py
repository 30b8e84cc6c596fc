"""Puts another int8 graph where a BERT computes in int8, or takes it away; see `app.install.int8_exchange`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.common.files.bounded_read import read_bounded
from app.common.files.untrusted_json import parse_object
from app.common.language import localize
from app.core.sound.result_metrics import compute_min_cosine
from app.core.synthesis_types import BERT_WIDTH
from app.install.bert_preparation import INT8_BERT_NAME
from app.install.bert_verification import MIN_BERT_COSINE, build_test_texts, compute_features
from app.install.graph_exchange_files import build_already_exact_error, build_refusal_error, copy_other_files, store_graph_copy
from app.install.install_bert import require_user_bert
from app.install.staging_folders import create_staging_folder, move_into_place
from app.voices.bert_models import BERT_MANIFEST_NAME, BertModel, read_bert, read_vocabulary, write_bert
from app.voices.pending_refinement import BERT_PENDING_FILES, clear_pending_refinement
from app.voices.untrusted.voice_limits import MAX_BERT_JSON_BYTES


def install_bert_int8(bert: BertModel, graph: Path) -> BertModel:
    """Install a graph as the int8 graph of a BERT; raise the errors of `app.install.int8_exchange.install_int8_graph`."""
    require_user_bert(bert)
    cosine = _measure_cosine(bert, graph)
    if cosine < MIN_BERT_COSINE:
        raise build_refusal_error(
            localize(f"コサイン類似度 {cosine:.4f}、必要な値 {MIN_BERT_COSINE}", f"its cosine is {cosine:.4f}; {MIN_BERT_COSINE} is needed")
        )
    with create_staging_folder() as folder:
        copy_other_files(Path(INT8_BERT_NAME).stem, bert.folder, folder)
        # The user's choice is not replaced by what refining would make.
        clear_pending_refinement(folder, BERT_PENDING_FILES)
        int8 = store_graph_copy(graph, folder, Path(INT8_BERT_NAME).stem)
        write_bert(
            folder, _describe_without_int8(bert) | {"files": {"float32": bert.exact_graph.name, "int8": int8}, "int8_cosine": cosine}
        )
        move_into_place(folder, bert.folder)
    return read_bert(bert.folder)


def remove_bert_int8(bert: BertModel) -> BertModel:
    """Remove the int8 graph of a BERT; raise the errors of `app.install.int8_exchange.remove_int8_graph`."""
    require_user_bert(bert)
    if "int8" not in bert.graphs:
        raise build_already_exact_error("bert")
    with create_staging_folder() as folder:
        copy_other_files(Path(INT8_BERT_NAME).stem, bert.folder, folder)
        clear_pending_refinement(folder, BERT_PENDING_FILES)
        write_bert(folder, _describe_without_int8(bert) | {"files": {"float32": bert.exact_graph.name}})
        move_into_place(folder, bert.folder)
    return read_bert(bert.folder)


def _describe_without_int8(bert: BertModel) -> dict[str, Any]:
    """Return the BERT's description without the entries of its int8 graph."""
    values = parse_object(read_bounded(bert.folder / BERT_MANIFEST_NAME, MAX_BERT_JSON_BYTES))
    return {name: value for name, value in values.items() if name not in ("int8_block", "int8_cosine")}


def _measure_cosine(bert: BertModel, graph: Path) -> float:
    texts = build_test_texts(bert.vocabulary, len(read_vocabulary(bert.folder)))
    return compute_min_cosine(compute_features(bert.exact_graph, texts, BERT_WIDTH), compute_features(graph, texts, BERT_WIDTH))
