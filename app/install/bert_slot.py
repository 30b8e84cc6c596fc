"""Puts another int8 graph where a BERT computes in int8, or takes it away; see `app.install.fast_slot`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from app.core.types import BERT_WIDTH
from app.install.bert import require_own
from app.install.bert_check import LEAST_COSINE, features_of, least_cosine, proof_texts
from app.install.bert_prepare import INT8_NAME
from app.install.slot_files import copy_all_but, exact_already, refused, stored
from app.install.staging import put_in_place, staged_folder
from app.json_text import parse_object
from app.language import localized
from app.small_file import read_small
from app.voices.bert import BERT_MANIFEST_NAME, Bert, read_bert, write_bert
from app.voices.untrusted.limits import LARGEST_BERT_JSON_BYTES
from app.voices.vocabulary import read_vocabulary


def take_int8(bert: Bert, graph: Path) -> Bert:
    """Makes a graph what a BERT is computed with in int8. Errors as `app.install.fast_slot.take_fast`."""
    require_own(bert)
    cosine = _cosine(bert, graph)
    if cosine < LEAST_COSINE:
        raise refused(
            localized(f"コサイン類似度 {cosine:.4f}、必要な値 {LEAST_COSINE}", f"its cosine is {cosine:.4f}; {LEAST_COSINE} is needed")
        )
    with staged_folder() as folder:
        copy_all_but(Path(INT8_NAME).stem, bert.folder, folder)
        int8 = stored(graph, folder, Path(INT8_NAME).stem)
        write_bert(folder, _without_int8(bert) | {"files": {"float32": bert.graph.name, "int8": int8}, "int8_cosine": cosine})
        put_in_place(folder, bert.folder)
    return read_bert(bert.folder)


def drop_int8(bert: Bert) -> Bert:
    """Leaves a BERT its exact graph alone. Errors as `app.install.fast_slot.drop_fast`."""
    require_own(bert)
    if "int8" not in bert.graphs:
        raise exact_already("bert")
    with staged_folder() as folder:
        copy_all_but(Path(INT8_NAME).stem, bert.folder, folder)
        write_bert(folder, _without_int8(bert) | {"files": {"float32": bert.graph.name}})
        put_in_place(folder, bert.folder)
    return read_bert(bert.folder)


def _without_int8(bert: Bert) -> dict[str, Any]:
    """What its description says, but of the int8 graph."""
    values = parse_object(read_small(bert.folder / BERT_MANIFEST_NAME, LARGEST_BERT_JSON_BYTES))
    return {name: value for name, value in values.items() if name not in ("int8_block", "int8_cosine")}


def _cosine(bert: Bert, graph: Path) -> float:
    texts = proof_texts(bert.vocabulary, len(read_vocabulary(bert.folder)))
    return least_cosine(features_of(bert.graph, texts, BERT_WIDTH), features_of(graph, texts, BERT_WIDTH))
