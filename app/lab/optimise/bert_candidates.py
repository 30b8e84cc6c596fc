"""Candidates to replace the exact graph of a BERT."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.optimization_levels import open_at_level
from app.common.language import localize
from app.core.synthesis_types import Float32
from app.install.bert_activation_means import BERT_CALIBRATION_SENTENCES, measure_means_by_session
from app.lab.lab_subject import LabSubject
from app.lab.optimise.base_projection import write_projected
from app.lab.optimise.candidate_measures import open_graph
from app.lab.optimise.general_candidates import list_general_candidates
from app.lab.optimise.graph_candidate import AS_IT_CAME, INSTALLED, GraphCandidate
from app.lab.optimise.head_importance import measure_head_importance
from app.voices.bert_models import BertModel
from app.voices.prepare.bert.deberta_sizes import UNUSED_TOP_LAYERS

BERT_GRAPH = "bert"
HEAD_SHARES = (0.1, 0.25, 0.5)
FEWER_LAYERS = (1, 2, 4)


def list_bert_candidates(subject: LabSubject, base: Path | None, texts: Sequence[str], *, by_group: bool) -> Iterator[GraphCandidate]:
    """Yield the candidates in the order of the report; those that do not fit this BERT at all are left out.

    Args:
        base: a smaller model, for a projection.
        texts: of the user, to fit it with; our own sentences are there in any case.
    """
    bert, exact = subject.bert, subject.prepared[BERT_GRAPH]
    assert bert is not None
    assert isinstance(exact, Path)
    if "bert" in subject.source and not subject.reason:
        source = subject.source["bert"]
        assert isinstance(source, Path)
        yield GraphCandidate(AS_IT_CAME, partial(_write_source_copy, source))
    if "bert_int8" in subject.prepared:
        int8 = subject.prepared["bert_int8"]
        assert isinstance(int8, Path)
        yield GraphCandidate(INSTALLED, lambda _folder: int8)
    yield from list_general_candidates(BERT_GRAPH, exact, by_group=by_group, centred=cache(partial(_measure_centres, exact, bert)))
    whole, fewer = _count_layers(exact)
    if subject.weights is not None and whole:
        yield GraphCandidate(
            f"layers-{whole + UNUSED_TOP_LAYERS}", partial(_write_all_layers, subject.weights), _describe_unread_layers(whole)
        )
    for count in fewer:
        yield GraphCandidate(f"layers-{count}", partial(_cut_layers, exact, count))
    yield from _list_fused_candidates(exact)
    for share in HEAD_SHARES if _find_head_sizes(exact) else ():
        yield GraphCandidate(f"heads-{100 - round(100 * share)}", partial(_write_pruned, exact, bert, share))
    if base is not None:
        yield GraphCandidate("base+projection", partial(_write_projected, base, exact, bert, [*BERT_CALIBRATION_SENTENCES, *texts]))


def _write_source_copy(source: Path, folder: Path) -> Path:
    """Write a copy in float32, as it is compared when a BERT is prepared."""
    # Onnx is slow to import.
    from app.voices.prepare.bert.float32_copy import write_float32_copy
    from app.voices.prepare.bert.onnx_index import open_onnx_index

    write_float32_copy(open_onnx_index(source), folder / "bert.onnx")
    return folder / "bert.onnx"


def _count_layers(exact: Path) -> tuple[int, list[int]]:
    """Count the layers there are, and the smaller numbers to try."""
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.layer_cutting import count_layers

    whole = count_layers(load_graph(exact, with_external_weights=False).graph)
    return whole, [whole - fewer for fewer in FEWER_LAYERS if whole - fewer >= 1]


def _write_all_layers(weights: Path, folder: Path) -> Path:
    from app.voices.prepare.variants.layer_cutting import write_all_layers

    return write_all_layers(weights, folder, BERT_GRAPH)


def _describe_unread_layers(layers: int) -> str:
    return localize(
        f"公開されているモデルの全 {layers + UNUSED_TOP_LAYERS} 層。声が使うのは {layers} 層目の出力で、残りは結果に影響しません。",
        f"All {layers + UNUSED_TOP_LAYERS} layers of the published model; voices read what layer {layers} gives, so the others change nothing.",
    )


def _cut_layers(exact: Path, count: int, folder: Path) -> Path:
    from app.voices.prepare.variants.graph_copies import write_changed_copy
    from app.voices.prepare.variants.layer_cutting import cut_layers

    return write_changed_copy(exact, folder, BERT_GRAPH, lambda model: cut_layers(model, count))


def _find_head_sizes(exact: Path) -> tuple[int, int] | None:
    """Return heads and width of a lean BERT; None for another graph."""
    from app.voices.prepare.graph_store import load_graph
    from app.voices.prepare.variants.attention_heads import find_head_sizes

    return find_head_sizes(load_graph(exact).graph)


def _list_fused_candidates(exact: Path) -> Iterator[GraphCandidate]:
    from app.adapters.ort.ort_format import write_fused_graph

    sizes = _find_head_sizes(exact)
    if sizes is not None:

        def write_fused_copy(folder: Path) -> Path:
            made = (
                folder / f"bert-{os.urandom(4).hex()}.onnx"
            )  # the tool refuses a name that lies in the current folder with `.data` behind it
            write_fused_graph(exact, made, *sizes)
            return made

        yield GraphCandidate("fused", write_fused_copy)


def _measure_centres(exact: Path, bert: BertModel) -> dict[str, Float32]:
    """Measure the centres as for preparing a BERT: the convolution has none."""
    from app.voices.prepare.bert.lean_deberta import CONVOLUTION_NAME
    from app.voices.prepare.bert.product_means import expose_product_means
    from app.voices.prepare.graph_store import load_graph

    watched = load_graph(exact, with_external_weights=False)
    expose_product_means(watched)
    # It is none of ours.
    if not watched.graph.output:
        return {}
    session = open_at_level(watched.SerializeToString(), "none", BERT_GRAPH, weights=exact.parent)
    tokenizer = CharTokenizer(bert.vocabulary)
    found = measure_means_by_session(session, [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES])
    return {name: mean for name, mean in found.items() if name != CONVOLUTION_NAME}


def _write_pruned(exact: Path, bert: BertModel, share: float, folder: Path) -> Path:
    """Write a graph measured and pruned with the same sentences; another set judges it."""
    from app.voices.prepare.variants.attention_heads import prune_heads
    from app.voices.prepare.variants.graph_copies import write_changed_copy

    tokenizer = CharTokenizer(bert.vocabulary)
    found = measure_head_importance(exact, [tokenizer.encode(text) for text in BERT_CALIBRATION_SENTENCES])
    return write_changed_copy(exact, folder, BERT_GRAPH, lambda model: prune_heads(model, found.list_least_heads(share), found.means))


def _write_projected(base: Path, exact: Path, bert: BertModel, texts: Sequence[str], folder: Path) -> Path:
    return write_projected(base, folder, open_graph(exact, BERT_GRAPH), bert.vocabulary, texts)
