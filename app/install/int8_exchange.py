"""Puts another int8 graph where a voice speaks fast or a BERT computes in int8, or takes it away.

It is judged as what the importer makes by itself, and the folder is exchanged as a whole: what was there stays where the graph is refused.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.common.errors import VoiceError
from app.common.files.untrusted_json import parse_object
from app.common.files.whole_files import read_bounded
from app.common.language import localize
from app.core.sound.result_metrics import compute_min_cosine
from app.core.synthesis_types import BERT_WIDTH
from app.install import int8_graphs
from app.install.bert_preparation import INT8_BERT_NAME, MIN_BERT_COSINE, build_test_texts, compute_features
from app.install.install_bert import require_user_bert
from app.install.manage_voices import find_user_voice
from app.install.staging_folders import link_or_copy, replace_folder
from app.voices.bert_models import BERT_MANIFEST_NAME, BertModel, read_bert, read_vocabulary, write_bert
from app.voices.int8_result import MAX_INT8_LSD_DB, MIN_FRAMES_EQUAL, MIN_INT8_GAIN, MIN_INT8_SNR_DB, Int8Graph, Int8Result
from app.voices.pending_refinement import BERT_PENDING_FILES, clear_pending_refinement
from app.voices.prepared_voice import Voice, VoiceManifest, map_int8_files, write_manifest
from app.voices.untrusted.voice_limits import MAX_BERT_JSON_BYTES

Int8Figures = tuple[float, float, float, float]  # what `app.install.int8_graphs.measure_quality` finds, and how many times faster it is
INT8_BERT_STEM = Path(INT8_BERT_NAME).stem


def install_int8_graph(reference: str, name: str, graph: Path) -> VoiceManifest:
    """Install a graph, an ONNX file with its weights next to it, that replaces `name` where a voice speaks fast.

    Raises:
        VoiceError: the voice is not the user's own, or the graph is not near enough to the exact one or not faster.
        OutputFileError: the disk is full, or the voice is in use.
    """
    voice = find_user_voice(reference)
    alone, together = _measure_candidate(voice, name, graph)
    with _rebuild_folder(voice.path, f"{name}{int8_graphs.INT8_GRAPH_SUFFIX}") as folder:
        int8 = Int8Graph(_store_copy(graph, folder, f"{name}{int8_graphs.INT8_GRAPH_SUFFIX}"), *alone)
        refusals = {other: why for other, why in voice.manifest.refused.items() if other != name}
        manifest = replace(voice.manifest, fast=Int8Result(_find_int8_graphs(voice) | {name: int8}, *together), refused=refusals)
        write_manifest(manifest, folder)
    return manifest


def remove_int8_graph(reference: str, name: str) -> VoiceManifest:
    """Restore the exact graph of `name` where a voice speaks fast; raise the errors of `install_int8_graph`, and VoiceError if it is exact already."""
    voice = find_user_voice(reference)
    graphs = _find_int8_graphs(voice)
    if graphs.pop(name, None) is None:
        raise build_already_exact_error(name)
    manifest = replace(voice.manifest, fast=_measure_remaining(voice, graphs) if graphs else None)
    with _rebuild_folder(voice.path, f"{name}{int8_graphs.INT8_GRAPH_SUFFIX}") as folder:
        write_manifest(manifest, folder)
    return manifest


def install_bert_int8(bert: BertModel, graph: Path) -> BertModel:
    """Install a graph as the int8 graph of a BERT; raise the errors of `install_int8_graph`."""
    require_user_bert(bert)
    texts = build_test_texts(bert.vocabulary, len(read_vocabulary(bert.folder)))
    cosine = compute_min_cosine(compute_features(bert.exact_graph, texts, BERT_WIDTH), compute_features(graph, texts, BERT_WIDTH))
    if cosine < MIN_BERT_COSINE:
        raise _build_refusal_error(
            localize(f"コサイン類似度 {cosine:.4f}、必要な値 {MIN_BERT_COSINE}", f"its cosine is {cosine:.4f}; {MIN_BERT_COSINE} is needed")
        )
    return _rebuild_bert(bert, graph, cosine)


def remove_bert_int8(bert: BertModel) -> BertModel:
    """Remove the int8 graph of a BERT; raise the errors of `remove_int8_graph`."""
    require_user_bert(bert)
    if "int8" not in bert.graphs:
        raise build_already_exact_error("bert")
    return _rebuild_bert(bert)


def build_already_exact_error(name: str) -> VoiceError:
    """Return the error for a graph that no other graph replaces."""
    return VoiceError(
        localize(f"「{name}」に組み込まれた int8 のグラフはありません。", f"No int8 graph is installed for “{name}”."),
        localize("すでに元のグラフで計算しています。", "The exact graph is already in use."),
    )


def _rebuild_bert(bert: BertModel, graph: Path | None = None, cosine: float = 0.0) -> BertModel:
    """Give a BERT this int8 graph, or none."""
    values = parse_object(read_bounded(bert.folder / BERT_MANIFEST_NAME, MAX_BERT_JSON_BYTES))
    values = {name: value for name, value in values.items() if name not in ("int8_block", "int8_cosine")}
    values["files"] = {"float32": bert.exact_graph.name}
    with _rebuild_folder(bert.folder, INT8_BERT_STEM) as folder:
        # The user's choice is not replaced by what refining would make.
        clear_pending_refinement(folder, BERT_PENDING_FILES)
        if graph is not None:
            values["files"]["int8"] = _store_copy(graph, folder, INT8_BERT_STEM)
            values["int8_cosine"] = cosine
        write_bert(folder, values)
    return read_bert(bert.folder)


@contextmanager
def _rebuild_folder(original: Path, without_stem: str) -> Iterator[Path]:
    """Yield a staged copy of a folder without a graph, of links if the file system has them; after the block it takes the folder's place."""
    with replace_folder(original) as folder:
        for path in sorted(original.rglob("*")):
            if path.is_file() and not path.name.startswith(f"{without_stem}."):
                link_or_copy(path, folder / path.relative_to(original))
        yield folder


def _store_copy(graph: Path, folder: Path, name: str) -> str:
    # Onnx is slow to import.
    from app.voices.prepare.graph_store import load_graph, store_graph

    return store_graph(load_graph(graph), folder, name)


def _build_refusal_error(reason: str) -> VoiceError:
    return VoiceError(
        localize(f"この候補は組み込めません（{reason}）。", f"This candidate cannot be installed: {reason}."),
        localize("ほかの候補を選んでください。", "Choose another candidate."),
    )


def _find_int8_graphs(voice: Voice) -> dict[str, Int8Graph]:
    return dict(voice.manifest.fast.graphs) if voice.manifest.fast is not None else {}


def _open_int8_sessions(voice: Voice, names: Iterable[str]) -> dict[str, RunnableSession]:
    files = {name: voice.path / file for name, file in map_int8_files(voice.manifest).items() if name in names}
    return {name: open_cpu_session(file, name) for name, file in files.items() if file.is_file()}


def _measure_remaining(voice: Voice, graphs: dict[str, Int8Graph]) -> Int8Result:
    """Measure the closeness and the speedup of the remaining graphs. The sessions, which hold files, are gone on return."""
    exact, sessions = int8_graphs.run_exact_voice(voice), _open_int8_sessions(voice, graphs)
    return Int8Result(graphs, *int8_graphs.measure_quality(voice, exact, sessions), int8_graphs.measure_speaking_speedup(exact, sessions))


def _measure_candidate(voice: Voice, name: str, graph: Path) -> tuple[Int8Figures, Int8Figures]:
    """Measure the graph alone, and with the installed ones; raise VoiceError if it does not pass."""
    exact, session = int8_graphs.run_exact_voice(voice), open_cpu_session(graph, name)
    sessions = _open_int8_sessions(voice, _find_int8_graphs(voice).keys() - {name}) | {name: session}
    alone, together = int8_graphs.measure_quality(voice, exact, {name: session}), int8_graphs.measure_quality(voice, exact, sessions)
    timing = int8_graphs.measure_graph_timing(exact, name, session)
    if timing.gain < MIN_INT8_GAIN:
        raise _build_refusal_error(
            localize(
                f"速さ {timing.gain:.2f} 倍、必要な値 {MIN_INT8_GAIN} 倍",
                f"it is {timing.gain:.2f} times as fast; {MIN_INT8_GAIN} times is needed",
            )
        )
    for snr_db, lsd_db, share in (alone, together):
        if not int8_graphs.is_close_enough(snr_db, lsd_db, share):
            raise _build_refusal_error(
                localize(
                    f"SNR {snr_db} dB（{MIN_INT8_SNR_DB:g} 以上）、スペクトルの差 {lsd_db} dB（{MAX_INT8_LSD_DB:g} 以下）、"
                    f"長さが同じ記号 {share:.1%}（{MIN_FRAMES_EQUAL:.0%} 以上が必要）",
                    f"SNR {snr_db} dB ({MIN_INT8_SNR_DB:g} needed), spectral distance {lsd_db} dB (at most {MAX_INT8_LSD_DB:g}), "
                    f"{share:.1%} of lengths unchanged ({MIN_FRAMES_EQUAL:.0%} needed)",
                )
            )
    return (*alone, timing.gain), (*together, int8_graphs.measure_speaking_speedup(exact, sessions, {name: timing}))
