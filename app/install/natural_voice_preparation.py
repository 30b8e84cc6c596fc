"""Prepares the natural voice: Kokoro-82M's weights become a voice of the library."""

from __future__ import annotations

import datetime
from pathlib import Path

import numpy as np

from app.adapters.files.part_file import build_write_error
from app.common.progress import Report, ignore_report
from app.core.sound.voice_traits import KOKORO_ARCHITECTURE
from app.install.natural_voice_terms import NATURAL_VOICE_DESCRIPTION, NATURAL_VOICE_LICENCE, NATURAL_VOICE_SPEAKERS
from app.voices.int8_result import Int8Rejection
from app.voices.untrusted.style_vectors import STYLE_VECTORS_NAME
from app.voices.voice_card_data import VoiceCardData, write_card
from app.voices.voice_labels import NATURAL_VOICE_ID
from app.voices.voice_manifest import NamedId, VoiceManifest, write_manifest

NATURAL_VOICE_NAME = "Kokoro"
NATURAL_VOICE_FORMAT = "kokoro"
SAMPLING_RATE_HZ, HOP_LENGTH = 24000, 600
# The first window is what the first sound waits for; in less than 300 ms many lines have none yet. Each of the others is decoded before
# the one before it has sounded, as long as decoding takes a third of real time.
WINDOWS = (12, 28, 76, 160)
MEASURED_F0_HZ = (253.5, 218.0, 223.3, 310.4, 90.6)
"""The medians of the speakers' own pitch over 24 lines, measured by `packaging/natural_voice/measure_norms.py`."""
LEVEL_SEMITONES = (-1.0, -1.0, -1.0, -1.5, 1.0)
"""How far from them our melody is sung.

Low morae often lose their voice, so that what is voiced lies half a semitone above the mean of a melody; the highest voice was judged best lower still. The last speaker creaks often, and creaks count in his median.
"""
MAX_STYLE_WEIGHT = 2.0
"""Measured over 6 and 20 morae: at 2 all speakers have a sound, at 2.5 that of the last one bursts, at 3 it is no number."""
MEDIAN_F0_HZ = tuple(round(hz * 2 ** (level / 12), 1) for hz, level in zip(MEASURED_F0_HZ, LEVEL_SEMITONES, strict=True))

# onnx is slow to import: everything of app.voices.prepare is imported where it is used.


def prepare_natural_voice(model: Path, folder: Path, report: Report = ignore_report, *, source_sha256: str = "") -> VoiceManifest:
    """Write the prepared voice into an existing, empty folder.

    Args:
        model: the joined int8 file of Kokoro-82M.
        source_sha256: of that file, for the voice's card.

    Raises:
        VoiceError: it is another file.
        OutputFileError: the files cannot be written.
    """
    from app.voices.prepare.graph_store import store_graph
    from app.voices.prepare.kokoro.kokoro_graphs import build_kokoro_graphs, read_kokoro_styles

    report("reading", 0.0)
    source_bytes = model.stat().st_size
    graphs = build_kokoro_graphs(model)
    report("storing", 0.5)
    files = {name: store_graph(getattr(graphs, name), folder, name) for name in ("prosody", "flow", "decoder")}
    manifest = _build_manifest(files, graphs.margin_frames)
    try:
        np.save(folder / STYLE_VECTORS_NAME, read_kokoro_styles())
        write_manifest(manifest, folder)
        write_card(_build_card(source_bytes, source_sha256, folder), folder)
    except OSError as exc:
        raise build_write_error(folder, exc) from exc
    report("checking", 0.9)
    return manifest


def _build_manifest(files: dict[str, str], margin_frames: int) -> VoiceManifest:
    mean_hz = float(np.exp(np.log(MEDIAN_F0_HZ).mean()))
    return VoiceManifest(
        id=NATURAL_VOICE_ID,
        name=NATURAL_VOICE_NAME,
        format=NATURAL_VOICE_FORMAT,
        bert="",
        sampling_rate=SAMPLING_RATE_HZ,
        hop_length=HOP_LENGTH,
        speakers=tuple(NamedId(index, name) for index, name in enumerate(NATURAL_VOICE_SPEAKERS)),
        styles=(NamedId(0, "Neutral"),),
        graphs=files,
        durations="round",
        margin_frames=margin_frames,
        windows=WINDOWS,
        add_blank=False,
        licence=NATURAL_VOICE_LICENCE,
        description=NATURAL_VOICE_DESCRIPTION,
        architecture=KOKORO_ARCHITECTURE.name,
        recipe=KOKORO_ARCHITECTURE.recipe,
        refused={name: Int8Rejection("unsuitable") for name in files},
        median_f0=(round(mean_hz, 1), *MEDIAN_F0_HZ),
        max_style_weight=MAX_STYLE_WEIGHT,
    )


def _build_card(source_bytes: int, source_sha256: str, folder: Path) -> VoiceCardData:
    return VoiceCardData(
        architecture="Kokoro-82M (StyleTTS 2, iSTFTNet)",
        creators=("hexgrad",),
        version="1.0",
        source_name="kokoro-v1.0.int8.onnx",
        source_sha256=source_sha256,
        source_bytes=source_bytes,
        prepared_bytes=sum(item.stat().st_size for item in folder.iterdir()),
        installed_at=datetime.datetime.now().astimezone().isoformat(timespec="seconds"),
    )
