"""Makes the int8 decoder of a voice, and finds out how far it is from the exact one: where that is audible, the voice gets none.

A few sentences are spoken up to what the decoder is given. Some of them show how large the numbers in the decoder become, the others how
much an int8 decoder made of that differs. Whether 8-bit products are exact depends on the processor, so what is measured holds here.
"""

from __future__ import annotations

import logging
import tempfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np

from app import paths
from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.session import GraphSession, Session, open_session
from app.adapters.ort.synthesizer import OrtSynthesizer
from app.compose import open_g2p
from app.core.durations import expand, symbol_frames
from app.core.features import phone_features
from app.core.phones import phones_to_ids
from app.core.ports import ProsodyInput
from app.core.style import style_vector
from app.core.types import BERT_WIDTH, Float32, Phones
from app.errors import AppError
from app.install.equal_share import SENTENCES
from app.progress import Report, unreported
from app.voices.bert import installed_berts
from app.voices.likeness import log_spectral_distance_db, signal_to_noise_db
from app.voices.manifest import Int8Decoder, VoiceManifest, write_manifest
from app.voices.voice import Voice

GRAPH = "decoder_int8"
LEAST_SNR_DB, MOST_LSD_DB = 35.0, 1.0
CALIBRATING = 3  # sentences whose numbers are looked at; as many others are compared
LONGEST_FRAMES = 100  # of a sentence
LONGEST_SYMBOL_FRAMES = 20  # with features of another BERT, or of none, a symbol may become very long
NOISE, NOISE_W, SDP_RATIO = 0.6, 0.8, 0.2  # as a request has them by default


def add_int8(voice: Voice, folder: Path, report: Report = unreported) -> VoiceManifest:
    """Stores an int8 decoder in the folder of a prepared voice where it passes.

    Returns:
        The manifest as it is now in `voice.json`; it names the int8 decoder only when there is one.
    """
    report("cutting", 0.0)
    try:
        found = _made(voice, folder, report)
    except AppError as exc:
        logging.getLogger("koebako").warning("no int8 decoder for %s: %s %s", voice.manifest.id, exc, exc.hint)
        found = None
    if found is None or found.snr_db < LEAST_SNR_DB or found.lsd_db > MOST_LSD_DB:
        for path in folder.glob(f"{GRAPH}.*"):
            path.unlink()
        return voice.manifest
    manifest = replace(voice.manifest, decoder_int8=found)
    write_manifest(manifest, folder)
    return manifest


def _made(voice: Voice, folder: Path, report: Report) -> Int8Decoder | None:
    """A decoder and how good it is; None where nothing in the exact one can be made int8."""
    from app.voices.prepare.int8.observe import observed, watch  # onnx is slow to import
    from app.voices.prepare.int8.quantise import quantise
    from app.voices.prepare.store import load_graph, store_graph

    exact = voice.graphs["decoder"]
    model = load_graph(exact)
    names = observed(model.graph)
    if not names:
        return None
    sentences = spoken_frames(voice)
    report("cutting", 0.2)
    with tempfile.TemporaryDirectory(dir=folder, ignore_cleanup_errors=True) as scratch:
        watch(model)
        watched = Path(scratch) / store_graph(model, Path(scratch), "watched")
        ranges = _ranges(open_session(watched, "cpu", "decoder").session, sentences[:CALIBRATING])
    report("cutting", 0.6)
    model = load_graph(exact)
    quantise(model, dict(zip(names, ranges, strict=True)))
    file = store_graph(model, folder, GRAPH)
    del model
    right, made = (_decoded(open_session(graph, "cpu", "decoder").session, sentences[CALIBRATING:]) for graph in (exact, folder / file))
    report("cutting", 1.0)
    return Int8Decoder(file, round(signal_to_noise_db(right, made), 1), round(log_spectral_distance_db(right, made), 2))


def spoken_frames(
    voice: Voice, watch: Callable[[str, GraphSession], Session] = lambda _name, session: session
) -> list[tuple[Float32, int]]:
    """What the decoder of a voice is given for some sentences, z (D, F) and the speaker: with features of its own BERT where that is installed.

    Args:
        watch: may put something between us and the sessions of prosody and flow.
    """
    info = voice.manifest
    prosody, flow = (
        watch(name, open_session(voice.graphs[name], "cpu", info.name).session) if name in voice.graphs else None
        for name in ("prosody", "flow")
    )
    assert prosody is not None
    synthesizer = OrtSynthesizer(prosody, flow, prosody, info.multilingual)  # nothing is decoded
    g2p = open_g2p()
    phones = [g2p.convert(text) for text in SENTENCES[1 : 1 + 2 * CALIBRATING]]
    return [_frames(voice, synthesizer, *given) for given in enumerate(zip(phones, _token_features(info.bert, phones), strict=True))]


def _token_features(bert_id: str, sentences: list[Phones]) -> list[Float32]:
    """Token features (n, 1024); noise where the BERT is missing."""
    bert = next((item for item in installed_berts(paths.bert_dirs()) if item.id == bert_id), None)
    if bert is None:
        rng = np.random.default_rng(0)
        return [rng.standard_normal((len(phones.word2ph), BERT_WIDTH), dtype=np.float32) for phones in sentences]
    tokenizer = CharTokenizer(bert.vocabulary)
    runner = OrtBert(open_session(bert.graphs.get("int8", bert.graphs["float32"]), "cpu", "BERT").session, bert.id)
    return [runner.run(tokenizer.encode(phones.text)) for phones in sentences]


def _frames(voice: Voice, synthesizer: OrtSynthesizer, index: int, sentence: tuple[Phones, Float32]) -> tuple[Float32, int]:
    """What the decoder is given for a sentence; speakers and styles take turns."""
    info, (phones, tokens), rng = voice.manifest, sentence, np.random.default_rng(index)
    ids = phones_to_ids(phones, multilingual=info.multilingual, add_blank=info.add_blank)
    speakers, styles = [item.id for item in info.speakers] or [0], [item.id for item in info.styles] or [0]
    speaker = speakers[index % len(speakers)]
    style = style_vector(voice.style_vectors, styles[index % len(styles)], 1.0)
    noise = rng.standard_normal((2, len(ids.phones)), dtype=np.float32) * np.float32(NOISE_W)
    features = phone_features(tokens, ids.word2ph)
    values = ProsodyInput(ids.phones, ids.tones, ids.language, features, style, speaker, SDP_RATIO, noise, ids.kinds)
    prosody = synthesizer.prosody(values)
    frames = np.minimum(symbol_frames(prosody.logw, 1.0, info.durations), LONGEST_SYMBOL_FRAMES)
    z = synthesizer.flow(expand(prosody, frames, rng, NOISE, 1.0, speaker, style))
    return z[:, :LONGEST_FRAMES], speaker


def _ranges(session: Session, sentences: list[tuple[Float32, int]]) -> list[tuple[float, float]]:
    seen = [session.run(_feed(z, speaker), ["least", "greatest"]) for z, speaker in sentences]
    least, greatest = np.min([item[0] for item in seen], axis=0), np.max([item[1] for item in seen], axis=0)
    return [(float(low), float(high)) for low, high in zip(least, greatest, strict=True)]


def _decoded(session: Session, sentences: list[tuple[Float32, int]]) -> list[Float32]:
    return [session.run(_feed(z, speaker), ["audio"])[0] for z, speaker in sentences]


def _feed(z: Float32, speaker: int) -> dict[str, object]:
    return {"z": z, "sid": speaker, "first": 0, "last": z.shape[1]}
