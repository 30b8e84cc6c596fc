"""Opens a voice with its BERT and the text front end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.ort.device_placement import parse_placement
from app.adapters.ort.graph_session import RecordingSession, RunnableSession, SpeakerSession
from app.adapters.ort.ort_synthesizer import OrtBert, OrtSingleGraphSynthesizer, OrtSynthesizer
from app.adapters.pace_store import load_pace
from app.adapters.world_pitch import WorldPitchEstimator
from app.common.errors import VoiceError
from app.common.language import localize
from app.compose.disk_stores import open_stored_features
from app.compose.graph_sessions import add_graph_traits, build_synthesizer, open_sessions
from app.compose.speaker import Speaker
from app.compose.speaker_plan import SpeakerPlan, plan_speaker
from app.compose.text_front_end import open_g2p
from app.core.sound.phrase_gate import SpeakingPace
from app.core.sound.pipeline import Pipeline
from app.core.sound.render_caches import RenderCaches
from app.settings.user_settings import GraphPrecision, PrecisionChoice, PrecisionPreference, load_usable_settings

if TYPE_CHECKING:
    from app.adapters.ort.devices.failed_devices import FailedDevices

VoiceRunner = OrtSynthesizer | OrtSingleGraphSynthesizer


def open_speaker(
    wanted: str | None = None,
    backend: str = "auto",
    *,
    bert: str | None = None,
    force_bert: bool = False,
    precision: PrecisionChoice | None = None,
    graph_precision: GraphPrecision | None = None,
    reuse_from: Speaker | None = None,
    caches: RenderCaches | None = None,
    failures: FailedDevices | None = None,
    is_probe: bool = False,
    convert: bool = True,
) -> Speaker:
    """Open a voice with everything it needs.

    Args:
        wanted: id, name or path of a voice; None is the first one.
        backend: see `app.adapters.ort.device_placement.parse_placement`; what it leaves open goes where it was measured to be fastest.
        bert: id or folder of a BERT; None is the one the voice names.
        precision, graph_precision: precision of the BERT and of the voice's own graphs; None is what the user chose for the voice.
        reuse_from: a speaker whose caches are taken over, and its BERT where it is the same.
        caches: what is remembered from before, where no speaker is left.
        failures: of devices, which voices of a program share; by default those of `reuse_from`.
        is_probe: in a process of its own, which may die and judges devices by itself.
        convert: graphs for a device, where that was not done yet; a process that soon ends would not come to that.
    """
    settings = load_usable_settings()
    settings = replace(settings, bert_precision=precision or settings.bert_precision)
    settings = settings if graph_precision is None else settings.replace_precision(PrecisionPreference(graph_precision))
    failures = failures or (reuse_from.failures if reuse_from is not None else None)
    try:
        plan = plan_speaker(wanted, parse_placement(backend), settings, bert, force_bert)
        reuses_bert = reuse_from is not None and plan.bert is not None and reuse_from.pipeline.bert_id == plan.bert_id
        same_bert = reuse_from.sessions["bert"] if reuse_from is not None and reuses_bert else None
        measured_plan = replace(plan, is_measured=plan.is_measured or is_probe, should_convert=convert)
        sessions, failures = open_sessions(measured_plan, same_bert, failures, is_probe=is_probe)
    except FileNotFoundError as exc:  # another program removed the voice or the BERT meanwhile
        raise VoiceError(
            localize("読み込み中に、声または BERT が削除されました。", "The voice or its BERT was removed while it was being opened."),
            localize("別の声を選ぶか、もう一度追加してください。", "Choose another voice, or add it again."),
        ) from exc
    caches = reuse_from.pipeline.caches if reuse_from is not None else caches or RenderCaches()
    caches.stored = None if plan.bert is None else open_stored_features(plan.bert, settings.disk_cache_mib)
    return _build_speaker(plan, sessions, caches, failures)


def _build_speaker(plan: SpeakerPlan, sessions: dict[str, SpeakerSession], caches: RenderCaches, failures: FailedDevices | None) -> Speaker:
    models = {name: graph for name, graph in plan.voice.graphs.items() if isinstance(graph, Path)}
    voice = replace(plan.voice, graphs=dict(models))
    bert = None if plan.bert is None else OrtBert(sessions["bert"], plan.bert.id)
    synthesizer = build_synthesizer(voice, sessions)
    traits = voice.build_traits()
    if isinstance(synthesizer, OrtSynthesizer):
        traits = replace(add_graph_traits(traits, synthesizer), fixed_windows=sessions["decoder"].is_fixed_shape)
    pipeline = Pipeline(
        g2p=open_g2p(),
        tokenizer=None if plan.bert is None else CharTokenizer(plan.bert.vocabulary),
        bert=bert,
        bert_id=plan.bert_id,
        synthesizer=synthesizer,
        is_single_graph=voice.manifest.is_single_graph,
        voice=traits,
        graphs_id=plan.graphs_id,
        caches=caches,
        tracker=WorldPitchEstimator(),
        pace=SpeakingPace.from_voice(traits, load_pace(plan.graphs_id)),
    )
    if plan.bert_graph is not None:
        models["bert"] = plan.bert_graph
    bert_id = "" if plan.bert is None else plan.bert.id
    return Speaker(pipeline, voice, sessions, models, bert_id, failures, _list_runners(bert, synthesizer))


def _list_runners(bert: OrtBert | None, synthesizer: VoiceRunner) -> tuple[OrtBert | VoiceRunner, ...]:
    return (synthesizer,) if bert is None else (bert, synthesizer)


def record_speaker(speaker: Speaker) -> tuple[Speaker, dict[str, RecordingSession]]:
    """Return the speaker with every graph recorded, and the recording sessions by graph; caches are those of the speaker."""
    sessions = {name: RecordingSession(session) for name, session in speaker.sessions.items()}
    return replace_sessions(speaker, sessions), sessions


def replace_sessions(speaker: Speaker, sessions: Mapping[str, RunnableSession]) -> Speaker:
    """Return the speaker with the same pipeline over other sessions of its graphs."""
    bert = OrtBert(sessions["bert"], speaker.bert) if speaker.bert else None
    synthesizer = build_synthesizer(speaker.voice, sessions)
    pipeline = replace(speaker.pipeline, bert=bert, synthesizer=synthesizer)
    return replace(speaker, pipeline=pipeline, _runners=_list_runners(bert, synthesizer))
