"""Opens a voice with its BERT and the text front end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.device_failures import DeviceFailures
from app.adapters.ort.failover import FailoverSession
from app.adapters.ort.placement import parse_placement
from app.adapters.ort.synthesizer import OrtSynthesizer
from app.adapters.pitch import WorldPitch
from app.compose.chosen import Chosen, choose
from app.compose.features import stored_features
from app.compose.sessions import open_sessions, synthesizer_of
from app.compose.speaker import Speaker
from app.compose.stores import device_record
from app.compose.text import open_g2p
from app.core.pipeline import Pipeline
from app.core.renderings import Caches
from app.errors import VoiceError
from app.language import localized
from app.settings import PrecisionChoice, known_settings
from app.sound_choice import SoundChoice, SoundPrecision


def open_speaker(
    wanted: str | None = None,
    backend: str = "auto",
    *,
    bert: str | None = None,
    force_bert: bool = False,
    precision: PrecisionChoice | None = None,
    sound: SoundPrecision | None = None,
    like: Speaker | None = None,
    caches: Caches | None = None,
    failures: DeviceFailures | None = None,
    on_trial: bool = False,
    convert: bool = True,
) -> Speaker:
    """Opens a voice with everything it needs.

    Args:
        wanted: id, name or path of a voice; None is the first one.
        backend: see `app.adapters.ort.placement.parse_placement`; what it leaves open goes where it was measured to be fastest.
        bert: id or folder of a BERT; None is the one the voice names.
        force_bert: take another BERT than the voice's own.
        precision, sound: precision of the BERT and of the voice's own graphs; None is what the user chose for the voice.
        like: a speaker whose caches are taken over, and its BERT where it is the same.
        caches: what is remembered from before, where no speaker is left.
        failures: of devices, which voices of a program share; by default those of `like`.
        on_trial: in a process of its own, which may die and judges devices by itself.
        convert: graphs for a device, where that was not done yet; a process that soon ends would not come to that.
    """
    kept = known_settings()
    settings = replace(kept, bert_precision=precision or kept.bert_precision)
    settings = settings if sound is None else settings.with_sound(SoundChoice(sound))
    with _all_there():
        chosen = choose(wanted, parse_placement(backend), settings, bert, force_bert)
        same_bert = like.sessions["bert"] if like is not None and like.pipeline.bert_id == chosen.bert_id else None
        known = failures or (like.failures if like is not None else DeviceFailures(record=None if on_trial else device_record()))
        sessions = open_sessions(replace(chosen, measured=chosen.measured or on_trial, convert=convert), same_bert, known)
    caches = like.pipeline.caches if like is not None else caches or Caches()
    caches.stored = stored_features(chosen.bert, settings.disk_cache_mib)
    return _speaker(chosen, sessions, caches, known)


@contextmanager
def _all_there() -> Iterator[None]:
    """Raises VoiceError where a file is gone that was there a moment ago: another program removed the voice or the BERT."""
    try:
        yield
    except FileNotFoundError as exc:
        raise VoiceError(
            localized("読み込み中に、声または BERT が削除されました。", "The voice or its BERT was removed while it was being opened."),
            localized("別の声を選ぶか、もう一度追加してください。", "Choose another voice, or add it again."),
        ) from exc


def _speaker(chosen: Chosen, sessions: dict[str, FailoverSession], caches: Caches, failures: DeviceFailures) -> Speaker:
    models = {name: graph for name, graph in chosen.voice.graphs.items() if isinstance(graph, Path)}
    voice = replace(chosen.voice, graphs=dict(models))
    bert, synthesizer = OrtBert(sessions["bert"], chosen.bert.id), synthesizer_of(voice, sessions)
    traits = voice.traits()
    if isinstance(synthesizer, OrtSynthesizer):
        traits = replace(traits, decoder_noise=synthesizer.decoder_noise, fixed_windows=sessions["decoder"].sized)
    pipeline = Pipeline(
        g2p=open_g2p(),
        tokenizer=CharTokenizer(chosen.bert.vocabulary),
        bert=bert,
        bert_id=chosen.bert_id,
        synthesizer=synthesizer,
        opaque=voice.manifest.opaque,
        voice=traits,
        sound_id=chosen.sound_id,
        caches=caches,
        tracker=WorldPitch(),
    )
    return Speaker(pipeline, voice, sessions, models | {"bert": chosen.bert_graph}, chosen.bert.id, failures, (bert, synthesizer))
