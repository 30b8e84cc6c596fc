"""Puts another int8 graph where a voice speaks fast, or takes it away.

It is judged as what the importer makes by itself, and the folder is exchanged as a whole: what was there stays where the graph is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from app.adapters.ort.session import Session, open_session
from app.install.int8 import SUFFIX, exact_voice, graph_gain, judged, passes, speaking_gain
from app.install.slot_files import copy_all_but, exact_already, refused, stored
from app.install.staging import put_in_place, staged_folder
from app.install.upkeep import own_voice
from app.language import localized
from app.voices.fast import ENOUGH_EQUAL, LEAST_GAIN, LEAST_SNR_DB, MOST_LSD_DB, Fast, FastGraph
from app.voices.manifest import VoiceManifest, fast_files, write_manifest
from app.voices.voice import Voice

Figures = tuple[float, float, float, float]
"""What `app.install.int8.judged` finds, and how many times faster it is."""


def take_fast(wanted: str, name: str, graph: Path) -> VoiceManifest:
    """Makes a graph what `name` is computed with where a voice speaks fast.

    Args:
        wanted: id of an installed voice.
        graph: an ONNX file, its weights beside it.

    Raises:
        VoiceError: the voice is not the user's own, or the graph is not near enough to the exact one or not faster.
        OutputFileError: the disk is full, or the voice is in use.
    """
    voice = own_voice(wanted)
    alone, together = _fast_figures(voice, name, graph)
    with staged_folder() as folder:
        copy_all_but(f"{name}{SUFFIX}", voice.path, folder)
        graphs = _fast_graphs(voice) | {name: FastGraph(stored(graph, folder, f"{name}{SUFFIX}"), *alone)}
        refusals = {other: why for other, why in voice.manifest.refused.items() if other != name}
        manifest = replace(voice.manifest, fast=Fast(graphs, *together), refused=refusals)
        write_manifest(manifest, folder)
        put_in_place(folder, voice.path)
    return manifest


def drop_fast(wanted: str, name: str) -> VoiceManifest:
    """Computes `name` exactly again where a voice speaks fast. Errors as `take_fast`, VoiceError where it is exact already."""
    voice = own_voice(wanted)
    graphs = _fast_graphs(voice)
    if graphs.pop(name, None) is None:
        raise exact_already(name)
    manifest = replace(voice.manifest, fast=_judged_again(voice, graphs) if graphs else None)
    with staged_folder() as folder:
        copy_all_but(f"{name}{SUFFIX}", voice.path, folder)
        write_manifest(manifest, folder)
        put_in_place(folder, voice.path)
    return manifest


def _fast_graphs(voice: Voice) -> dict[str, FastGraph]:
    return dict(voice.manifest.fast.graphs) if voice.manifest.fast is not None else {}


def _fast_sessions(voice: Voice, names: Iterable[str]) -> dict[str, Session]:
    files = {name: voice.path / file for name, file in fast_files(voice.manifest).items() if name in names}
    return {name: open_session(file, "cpu", name).session for name, file in files.items() if file.is_file()}


def _judged_again(voice: Voice, graphs: dict[str, FastGraph]) -> Fast:
    """What is left: how near it is, and how much faster. Sessions are gone afterwards: they hold files."""
    exact, sessions = exact_voice(voice), _fast_sessions(voice, graphs)
    return Fast(graphs, *judged(voice, exact, sessions), speaking_gain(voice, exact, sessions))


def _fast_figures(voice: Voice, name: str, graph: Path) -> tuple[Figures, Figures]:
    """Alone, and with the graphs that are there; VoiceError where it does not pass. Sessions as above."""
    exact, session = exact_voice(voice), open_session(graph, "cpu", name).session
    sessions = _fast_sessions(voice, _fast_graphs(voice).keys() - {name}) | {name: session}
    alone, together = judged(voice, exact, {name: session}), judged(voice, exact, sessions)
    gain = graph_gain(exact, name, session)
    if gain < LEAST_GAIN:
        raise refused(
            localized(f"速さ {gain:.2f} 倍、必要な値 {LEAST_GAIN} 倍", f"it is {gain:.2f} times as fast; {LEAST_GAIN} times is needed")
        )
    for snr_db, lsd_db, share in (alone, together):
        if not passes(snr_db, lsd_db, share):
            raise refused(
                localized(
                    f"SNR {snr_db} dB（{LEAST_SNR_DB:g} 以上）、スペクトルの差 {lsd_db} dB（{MOST_LSD_DB:g} 以下）、"
                    f"長さが同じ記号 {share:.1%}（{ENOUGH_EQUAL:.0%} 以上が必要）",
                    f"SNR {snr_db} dB ({LEAST_SNR_DB:g} needed), spectral distance {lsd_db} dB (at most {MOST_LSD_DB:g}), "
                    f"{share:.1%} of lengths unchanged ({ENOUGH_EQUAL:.0%} needed)",
                )
            )
    return (*alone, gain), (*together, speaking_gain(voice, exact, sessions))
