"""Puts another int8 graph where a voice speaks fast, or takes it away.

It is judged as what the importer makes by itself, and the folder is exchanged as a whole: what was there stays where the graph is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from app.adapters.ort.graph_session import RunnableSession, open_cpu_session
from app.common.language import localize
from app.install.graph_exchange_files import build_already_exact_error, build_refusal_error, copy_other_files, store_graph_copy
from app.install.int8_graphs import (
    INT8_GRAPH_SUFFIX,
    is_close_enough,
    measure_graph_timing,
    measure_quality,
    measure_speaking_speedup,
    run_exact_voice,
)
from app.install.manage_voices import find_user_voice
from app.install.staging_folders import create_staging_folder, move_into_place
from app.voices.int8_result import MAX_INT8_LSD_DB, MIN_FRAMES_EQUAL, MIN_INT8_GAIN, MIN_INT8_SNR_DB, Int8Graph, Int8Result
from app.voices.prepared_voice import Voice
from app.voices.voice_manifest import VoiceManifest, map_int8_files, write_manifest

Int8Figures = tuple[float, float, float, float]
"""What `app.install.int8_graphs.measure_quality` finds, and how many times faster it is."""


def install_int8_graph(reference: str, name: str, graph: Path) -> VoiceManifest:
    """Install a graph that replaces `name` where a voice speaks fast.

    Args:
        reference: id of an installed voice.
        graph: an ONNX file, its weights beside it.

    Raises:
        VoiceError: the voice is not the user's own, or the graph is not near enough to the exact one or not faster.
        OutputFileError: the disk is full, or the voice is in use.
    """
    voice = find_user_voice(reference)
    alone, together = _measure_candidate(voice, name, graph)
    with create_staging_folder() as folder:
        copy_other_files(f"{name}{INT8_GRAPH_SUFFIX}", voice.path, folder)
        graphs = _find_int8_graphs(voice) | {name: Int8Graph(store_graph_copy(graph, folder, f"{name}{INT8_GRAPH_SUFFIX}"), *alone)}
        refusals = {other: why for other, why in voice.manifest.refused.items() if other != name}
        manifest = replace(voice.manifest, fast=Int8Result(graphs, *together), refused=refusals)
        write_manifest(manifest, folder)
        move_into_place(folder, voice.path)
    return manifest


def remove_int8_graph(reference: str, name: str) -> VoiceManifest:
    """Restore the exact graph of `name` where a voice speaks fast; raise the errors of `install_int8_graph`, and VoiceError if it is exact already."""
    voice = find_user_voice(reference)
    graphs = _find_int8_graphs(voice)
    if graphs.pop(name, None) is None:
        raise build_already_exact_error(name)
    manifest = replace(voice.manifest, fast=_measure_remaining(voice, graphs) if graphs else None)
    with create_staging_folder() as folder:
        copy_other_files(f"{name}{INT8_GRAPH_SUFFIX}", voice.path, folder)
        write_manifest(manifest, folder)
        move_into_place(folder, voice.path)
    return manifest


def _find_int8_graphs(voice: Voice) -> dict[str, Int8Graph]:
    return dict(voice.manifest.fast.graphs) if voice.manifest.fast is not None else {}


def _open_int8_sessions(voice: Voice, names: Iterable[str]) -> dict[str, RunnableSession]:
    files = {name: voice.path / file for name, file in map_int8_files(voice.manifest).items() if name in names}
    return {name: open_cpu_session(file, name) for name, file in files.items() if file.is_file()}


def _measure_remaining(voice: Voice, graphs: dict[str, Int8Graph]) -> Int8Result:
    """Measure the closeness and the speedup of the remaining graphs. The sessions, which hold files, are gone on return."""
    exact, sessions = run_exact_voice(voice), _open_int8_sessions(voice, graphs)
    return Int8Result(graphs, *measure_quality(voice, exact, sessions), measure_speaking_speedup(exact, sessions))


def _measure_candidate(voice: Voice, name: str, graph: Path) -> tuple[Int8Figures, Int8Figures]:
    """Measure the graph alone, and with the installed ones; raise VoiceError if it does not pass."""
    exact, session = run_exact_voice(voice), open_cpu_session(graph, name)
    sessions = _open_int8_sessions(voice, _find_int8_graphs(voice).keys() - {name}) | {name: session}
    alone, together = measure_quality(voice, exact, {name: session}), measure_quality(voice, exact, sessions)
    timing = measure_graph_timing(exact, name, session)
    gain = timing.gain
    if gain < MIN_INT8_GAIN:
        raise build_refusal_error(
            localize(f"速さ {gain:.2f} 倍、必要な値 {MIN_INT8_GAIN} 倍", f"it is {gain:.2f} times as fast; {MIN_INT8_GAIN} times is needed")
        )
    for snr_db, lsd_db, share in (alone, together):
        if not is_close_enough(snr_db, lsd_db, share):
            raise build_refusal_error(
                localize(
                    f"SNR {snr_db} dB（{MIN_INT8_SNR_DB:g} 以上）、スペクトルの差 {lsd_db} dB（{MAX_INT8_LSD_DB:g} 以下）、"
                    f"長さが同じ記号 {share:.1%}（{MIN_FRAMES_EQUAL:.0%} 以上が必要）",
                    f"SNR {snr_db} dB ({MIN_INT8_SNR_DB:g} needed), spectral distance {lsd_db} dB (at most {MAX_INT8_LSD_DB:g}), "
                    f"{share:.1%} of lengths unchanged ({MIN_FRAMES_EQUAL:.0%} needed)",
                )
            )
    return (*alone, gain), (*together, measure_speaking_speedup(exact, sessions, {name: timing}))
