"""What could stand for the exact graph of a BERT."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.levels import open_at_level
from app.core.types import Float32
from app.install.bert_centres import SENTENCES, centres_by
from app.lab.optimise.candidate import AS_IT_CAME, INSTALLED, Candidate
from app.lab.optimise.general import general_candidates
from app.lab.optimise.heads import importance
from app.lab.optimise.measure import opened
from app.lab.optimise.projection import write_projected
from app.lab.subject import Subject
from app.language import localized
from app.voices.bert import Bert
from app.voices.prepare.bert.architecture import LAYERS_LEFT_OUT

GRAPH = "bert"
HEAD_SHARES = (0.1, 0.25, 0.5)
FEWER_LAYERS = (1, 2, 4)


def bert_candidates(subject: Subject, base: Path | None, texts: Sequence[str], *, by_group: bool) -> Iterator[Candidate]:
    """In the order of the report; what does not fit this BERT at all is left out.

    Args:
        base: a smaller model, for a projection.
        texts: of the user, to fit it with; our own sentences are there in any case.
    """
    bert, exact = subject.bert, subject.prepared[GRAPH]
    assert bert is not None
    assert isinstance(exact, Path)
    if "bert" in subject.source and not subject.reason:
        source = subject.source["bert"]
        assert isinstance(source, Path)
        yield Candidate(AS_IT_CAME, partial(_as_it_came, source))
    if "bert_int8" in subject.prepared:
        int8 = subject.prepared["bert_int8"]
        assert isinstance(int8, Path)
        yield Candidate(INSTALLED, lambda _folder: int8)
    yield from general_candidates(GRAPH, exact, by_group=by_group, centred=cache(partial(_centres, exact, bert)))
    whole, fewer = _layer_counts(exact)
    if subject.weights is not None and whole:
        yield Candidate(f"layers-{whole + LAYERS_LEFT_OUT}", partial(_all_layers, subject.weights), _unread(whole))
    for count in fewer:
        yield Candidate(f"layers-{count}", partial(_layers, exact, count))
    yield from _fused(exact)
    for share in HEAD_SHARES if _heads(exact) else ():
        yield Candidate(f"heads-{100 - round(100 * share)}", partial(_pruned, exact, bert, share))
    if base is not None:
        yield Candidate("base+projection", partial(_projected, base, exact, bert, [*SENTENCES, *texts]))


def _as_it_came(source: Path, folder: Path) -> Path:
    """In float32, as it is compared when a BERT is prepared."""
    from app.voices.prepare.bert.float32_copy import write_float32_copy  # onnx is slow to import
    from app.voices.prepare.bert.onnx_graph import open_onnx

    write_float32_copy(open_onnx(source), folder / "bert.onnx")
    return folder / "bert.onnx"


def _layer_counts(exact: Path) -> tuple[int, list[int]]:
    """How many layers there are, and how many fewer are tried."""
    from app.voices.prepare.store import load_graph
    from app.voices.prepare.variants.layers import layer_count

    whole = layer_count(load_graph(exact, outside=False).graph)
    return whole, [whole - fewer for fewer in FEWER_LAYERS if whole - fewer >= 1]


def _all_layers(weights: Path, folder: Path) -> Path:
    from app.voices.prepare.variants.layers import write_all_layers

    return write_all_layers(weights, folder, GRAPH)


def _unread(layers: int) -> str:
    return localized(
        f"公開されているモデルの全 {layers + LAYERS_LEFT_OUT} 層。声が使うのは {layers} 層目の出力で、残りは結果に影響しません。",
        f"All {layers + LAYERS_LEFT_OUT} layers of the published model; voices read what layer {layers} gives, so the others change nothing.",
    )


def _layers(exact: Path, count: int, folder: Path) -> Path:
    from app.voices.prepare.variants.layers import cut_layers
    from app.voices.prepare.variants.stored import changed_copy

    return changed_copy(exact, folder, GRAPH, lambda model: cut_layers(model, count))


def _heads(exact: Path) -> tuple[int, int] | None:
    """Heads and width of a lean BERT; None where it is none."""
    from app.voices.prepare.store import load_graph
    from app.voices.prepare.variants.heads import lean_sizes

    return lean_sizes(load_graph(exact).graph)


def _fused(exact: Path) -> Iterator[Candidate]:
    from app.adapters.ort.ort_format import write_fused

    sizes = _heads(exact)
    if sizes is not None:

        def fused(folder: Path) -> Path:
            made = (
                folder / f"bert-{os.urandom(4).hex()}.onnx"
            )  # the tool refuses a name that lies in the current folder with `.data` behind it
            write_fused(exact, made, *sizes)
            return made

        yield Candidate("fused", fused)


def _centres(exact: Path, bert: Bert) -> dict[str, Float32]:
    """As they are measured when a BERT is prepared: the convolution has none."""
    from app.voices.prepare.bert.lean import CONVOLUTION
    from app.voices.prepare.bert.watched import watch_products
    from app.voices.prepare.store import load_graph

    watched = load_graph(exact, outside=False)
    watch_products(watched)
    if not watched.graph.output:  # it is none of ours
        return {}
    session = open_at_level(watched.SerializeToString(), "none", GRAPH, weights=exact.parent)
    tokenizer = CharTokenizer(bert.vocabulary)
    found = centres_by(session, [tokenizer.encode(text) for text in SENTENCES])
    return {name: mean for name, mean in found.items() if name != CONVOLUTION}


def _pruned(exact: Path, bert: Bert, share: float, folder: Path) -> Path:
    """Measured and pruned with the same sentences; another set judges."""
    from app.voices.prepare.variants.heads import prune_heads
    from app.voices.prepare.variants.stored import changed_copy

    tokenizer = CharTokenizer(bert.vocabulary)
    found = importance(exact, [tokenizer.encode(text) for text in SENTENCES])
    return changed_copy(exact, folder, GRAPH, lambda model: prune_heads(model, found.least(share), found.means))


def _projected(base: Path, exact: Path, bert: Bert, texts: Sequence[str], folder: Path) -> Path:
    return write_projected(base, folder, opened(exact, GRAPH), bert.vocabulary, texts)
