"""The only file that names concrete adapters: puts a voice, its BERT and the text front end together."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, cast

from app import paths
from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.openjtalk.g2p import OpenJTalkG2P
from app.adapters.openjtalk.words import forget_taught_words
from app.adapters.ort.backends import BACKENDS, backend_of
from app.adapters.ort.bert import OrtBert
from app.adapters.ort.device_failures import DeviceFailures
from app.adapters.ort.device_graphs import device_form, form_store
from app.adapters.ort.device_memory import memory_of
from app.adapters.ort.device_record import DeviceRecord
from app.adapters.ort.failover import FailoverSession
from app.adapters.ort.optimized_graphs import GraphStore, identity_of
from app.adapters.ort.placement import CPU_ONLY, Placement, parse_placement, place_name
from app.adapters.ort.providers import known_devices
from app.adapters.ort.session import VERSION, OpenedSession, Session, open_session, unusable
from app.adapters.ort.sized_session import Opening, SizedSession
from app.adapters.ort.synthesizer import OrtOpaqueSynthesizer, OrtSynthesizer
from app.adapters.portaudio.player import PortAudioPlayer
from app.adapters.probe_results import ProbeMemory
from app.adapters.sound.files import SoundFileSink
from app.core.pipeline import Pipeline
from app.core.renderings import Caches
from app.core.types import StageTiming
from app.errors import AppError
from app.language import localized
from app.settings import DecoderPrecision, PrecisionChoice, Settings, known_settings
from app.voices.bert import Bert, find_bert
from app.voices.library import find_voice
from app.voices.precision import choose_precision, with_decoder
from app.voices.voice import Voice

if TYPE_CHECKING:
    from app.adapters.feature_cache import DiskFeatures

DEVICES_S = 1200.0  # for converting a voice and its BERT, and opening them in all sizes
STARTER = "starter"  # the format of the voice we ship, which the CPU speaks faster than a device is asked
BERT_SHARE = 0.5  # of an adapter's memory: the other graphs, which are smaller and more of the work, have room as well
_GRAPH_OF_STAGE = {"decode": "decoder", "synthesis": "whole"}  # where the names differ
SLOW_BERT_BYTES = 64 << 20  # features of a smaller BERT are computed faster than a disk is asked


@dataclass(frozen=True, slots=True)
class Speaker:
    """A pipeline that is ready to speak.

    Attributes:
        voice: its graphs are open; serialised ones are held no longer.
        sessions: by graph; the BERT among them.
        models: the files of graphs; those that were only in memory are not kept.
        bert: id of the BERT, which is the voice's own unless another one was forced.
        failures: what is known of devices that failed.
    """

    pipeline: Pipeline
    voice: Voice
    sessions: dict[str, FailoverSession]
    models: dict[str, Path]
    bert: str
    failures: DeviceFailures
    _runners: tuple[OrtBert | OrtSynthesizer | OrtOpaqueSynthesizer, ...]

    def backends_by_graph(self) -> dict[str, str]:
        """Where each graph runs now."""
        return {graph: session.backend for graph, session in self.sessions.items()}

    @property
    def backends(self) -> dict[str, str]:
        """Where each stage runs now, by stage name."""
        stage_of_graph = {graph: stage for stage, graph in _GRAPH_OF_STAGE.items()}
        return {stage_of_graph.get(graph, graph): backend for graph, backend in self.backends_by_graph().items()}

    @property
    def int8_decoder(self) -> bool:
        """Whether the decoder is the int8 one."""
        found = self.voice.manifest.decoder_int8
        return found is not None and self.models["decoder"].name == found.file

    @property
    def fallback(self) -> str | None:
        """Why a stage does not run where it was asked to, or None; a device may fail at any time. One reason a place is enough."""
        reasons = {session.place: session.fallback for session in reversed(self.sessions.values()) if session.fallback}
        return "\n".join(dict.fromkeys(reversed(reasons.values()))) or None

    def wait_for_devices(self, limit_s: float = DEVICES_S) -> None:
        """Waits until all that is to run on a device does; until then the CPU speaks."""
        end = time.monotonic() + limit_s
        for session in self.sessions.values():
            session.settle(max(0.0, end - time.monotonic()))

    def located(self, timing: StageTiming) -> StageTiming:
        """A timing that has just been taken, with what its graph ran on."""
        session = self.sessions.get(_GRAPH_OF_STAGE.get(timing.stage, timing.stage))
        if session is None or timing.cache_hit:
            return timing
        return replace(timing, backend=session.ran_on, new_size=session.new_size, waited=session.waited)

    @property
    def lost(self) -> bool:
        """Whether a device that it was put on failed, so that nothing more is tried there."""
        return any(session.place in self.failures.lost for session in self.sessions.values())

    def terminate(self) -> None:
        """Stops the graph that is running now, from any thread."""
        for runner in self._runners:
            runner.terminate()


def open_speaker(
    wanted: str | None = None,
    backend: str = "auto",
    *,
    bert: str | None = None,
    force_bert: bool = False,
    precision: PrecisionChoice | None = None,
    decoder: DecoderPrecision | None = None,
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
        precision, decoder: precision of the BERT and of the decoder; None is what the settings say.
        like: a speaker whose caches are taken over, and its BERT where it is the same.
        caches: what is remembered from before, where no speaker is left.
        failures: of devices, which voices of a program share; by default those of `like`.
        on_trial: in a process of its own, which may die and judges devices by itself.
        convert: graphs for a device, where that was not done yet; a process that soon ends would not come to that.
    """
    kept = known_settings()
    settings = replace(kept, bert_precision=precision or kept.bert_precision, decoder_precision=decoder or kept.decoder_precision)
    chosen = _choose(wanted, parse_placement(backend), settings, bert, force_bert)
    same_bert = like.sessions["bert"] if like is not None and like.pipeline.bert_id == chosen.bert_id else None
    known = failures or (like.failures if like is not None else DeviceFailures(record=None if on_trial else device_record()))
    sessions = _open_sessions(replace(chosen, measured=chosen.measured or on_trial, convert=convert), same_bert, known)
    caches = like.pipeline.caches if like is not None else caches or Caches()
    caches.stored = _stored_features(chosen.bert, settings.disk_cache_mib)
    return _speaker(chosen, sessions, caches, known)


@dataclass(frozen=True, slots=True)
class _Chosen:
    """What a speaker will be made of, before anything is opened.

    Attributes:
        bert_id, sound_id: names for all that shapes the features and the sound of the voice.
        convert: graphs for a device, where that was not done yet.
        measured: it was measured on that placement, or is being measured: graphs without a form run there as they are.
    """

    voice: Voice
    bert: Bert
    bert_graph: Path
    placement: Placement
    bert_id: str
    sound_id: str
    measured: bool = False
    convert: bool = True


def _choose(wanted: str | None, asked: Placement, settings: Settings, chosen_bert: str | None, force_bert: bool) -> _Chosen:
    voice = find_voice(wanted, paths.voice_dirs())
    bert = find_bert(voice.manifest.bert, paths.bert_dirs(), chosen=chosen_bert, force=force_bert, preferred=settings.bert)
    placement = asked.resolved(known_choice(voice, bert)) if asked.undecided else asked
    measured = asked.undecided and probe_memory().chosen(*choice_facts(voice, bert)) is not None
    bert_graph = bert.graphs[choose_precision(voice, bert, settings.bert_precision, backend_of(placement.bert))]
    bert_id = _named(bert.id, identity_of(bert_graph), placement.bert)
    voice = with_decoder(voice, settings.decoder_precision, backend_of(placement.decoder))
    graphs = [identity_of(graph) for graph in voice.graphs.values()]
    sound_id = _named(repr(voice.manifest), *graphs, placement.prosody, placement.decoder)
    return _Chosen(voice, bert, bert_graph, placement, bert_id, sound_id, measured)


def _speaker(chosen: _Chosen, sessions: dict[str, FailoverSession], caches: Caches, failures: DeviceFailures) -> Speaker:
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
    )
    return Speaker(pipeline, voice, sessions, models | {"bert": chosen.bert_graph}, chosen.bert.id, failures, (bert, synthesizer))


def _open_sessions(chosen: _Chosen, same_bert: FailoverSession | None, failures: DeviceFailures) -> dict[str, FailoverSession]:
    """Sessions by graph; they share what they know of devices that fail."""
    if same_bert is None:
        small = chosen.bert.size_bytes < SLOW_BERT_BYTES
        same_bert = _open("bert", "BERT", chosen.bert_graph, chosen, failures, small=small)
    info = chosen.voice.manifest
    graphs = {
        name: _open(name, f"{info.name}: {name}", graph, chosen, failures, small=info.format == STARTER)
        for name, graph in chosen.voice.graphs.items()
    }
    return {"bert": same_bert} | graphs


def _open(graph: str, name: str, model: Path | bytes, chosen: _Chosen, failures: DeviceFailures, *, small: bool) -> FailoverSession:
    """A session on its place; in the few sizes of its device form where it has one.

    Args:
        small: fixed sizes would gain nothing.
    """
    store, identity, place = graph_store(), identity_of(model), chosen.placement.of(graph)
    formed = isinstance(model, Path) and graph != "whole" and not small
    away = place in ("cpu", "auto") or failures.reason(place) or unusable(place)
    if away or (not formed and (chosen.measured or BACKENDS[backend_of(place)].any_size)):
        opened = failures.opened(lambda where: open_session(model, where, name, store), place, identity)
        return FailoverSession(graph, opened, place, lambda: open_session(model, "cpu", name, store).session, failures, identity)
    cpu = open_session(model, "cpu", name, store).session
    if not formed:
        return FailoverSession(graph, OpenedSession(cpu, "cpu", _has_no_form(place)), place, lambda: cpu, failures, identity)
    room = int(memory_of(place) * (BERT_SHARE if graph == "bert" else 1))
    opening = Opening(graph, identity, place, failures, room)
    find = partial(device_form, _form_store(paths.data_dir()), graph, cast(Path, model))
    if not chosen.convert and (form := find(make=False)) is None:
        return FailoverSession(graph, OpenedSession(cpu, "cpu", None), place, lambda: cpu, failures, identity)
    sized = SizedSession(cpu, name, opening, find if chosen.convert else lambda: form)
    return FailoverSession(graph, sized, place, lambda: cpu, failures, identity)


def _has_no_form(place: str) -> str:
    return localized(
        f"このモデルは {place_name(place)} 用の形式に変換できないため、CPU で動作します。",
        f"This model has no form for {place_name(place)}; it runs on the CPU.",
    )


def known_choice(voice: Voice, bert: Bert) -> Placement:
    """Where this voice was measured to speak fastest on this machine; a first guess where nothing was measured."""
    chosen = probe_memory().chosen(*choice_facts(voice, bert))
    try:
        return first_guess(voice) if chosen is None else parse_placement(chosen)
    except AppError:  # the memory is a cache, which may hold anything
        return CPU_ONLY


def first_guess(voice: Voice) -> Placement:
    """Where a voice speaks before anything is measured: its decoder, which is most of the work, on an adapter with memory of its own."""
    if voice.manifest.format == STARTER or voice.manifest.opaque:
        return CPU_ONLY
    fastest = next((device.place for device in known_devices() if device.rank == 0 and device.memory_mb is not None), "cpu")
    return replace(CPU_ONLY, decoder=fastest)


def choice_facts(voice: Voice, bert: Bert) -> list[str]:
    """What a measured choice depends on, of the models."""
    return [identity_of(graph) for graph in (*voice.graphs.values(), *bert.graphs.values())]


def probe_memory() -> ProbeMemory:
    """What probes have found."""
    return ProbeMemory(paths.data_dir() / "cache" / "probe.json")


@cache
def _device_record(folder: Path) -> DeviceRecord:
    return DeviceRecord(folder)


def device_record() -> DeviceRecord:
    """What is known of devices from before."""
    return _device_record(paths.data_dir() / "cache" / "devices")


def _named(*facts: str) -> str:
    """One name for results that nothing else may change."""
    return hashlib.sha256("\0".join((*facts, VERSION)).encode("utf-8", "surrogateescape")).hexdigest()


@cache
def _graph_store(folder: Path) -> GraphStore:
    return GraphStore(folder)


def graph_store() -> GraphStore:
    """Where optimised copies of graphs are kept."""
    return _graph_store(paths.data_dir() / "cache" / "graphs")


@cache
def _form_store(folder: Path) -> GraphStore:
    return form_store(folder / "cache" / "forms")


def _stored_features(bert: Bert, room_mib: int) -> DiskFeatures | None:
    if not room_mib or bert.size_bytes < SLOW_BERT_BYTES:
        return None
    return _features_file(paths.data_dir() / "cache" / "features.sqlite3", room_mib)


@cache
def _features_file(path: Path, room_mib: int) -> DiskFeatures:
    from app.adapters.feature_cache import DiskFeatures  # and SQLite, which the starter voice does not need

    return DiskFeatures(path, room_mib << 20)


def synthesizer_of(voice: Voice, graphs: Mapping[str, Session]) -> OrtSynthesizer | OrtOpaqueSynthesizer:
    """What runs the graphs of a voice."""
    if voice.manifest.opaque:
        return OrtOpaqueSynthesizer(graphs["whole"])
    return OrtSynthesizer(graphs["prosody"], graphs.get("flow"), graphs["decoder"], voice.manifest.multilingual)


def open_g2p() -> OpenJTalkG2P:
    """The text front end."""
    return OpenJTalkG2P()


def forget_words(caches: Caches | None) -> None:
    """The user's dictionary has changed: what is read from now on is read with the new one."""
    forget_taught_words()
    if caches is not None:
        caches.phones.clear()


def open_player(device: str | int | None, sampling_rate: int) -> PortAudioPlayer:
    """A player on an open device, by name or index; AudioDeviceError where there is none."""
    player = PortAudioPlayer(device)
    player.open(sampling_rate)
    return player


def open_file(path: str, sampling_rate: int, subtype: str | None = None, rate: int | None = None, stereo: bool = False) -> SoundFileSink:
    """A sound file; OutputFileError where it cannot be written."""
    return SoundFileSink(path, sampling_rate, subtype, 2 if stereo else 1, rate)
