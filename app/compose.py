"""The only file that names concrete adapters: puts a voice, its BERT and the text front end together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from app import paths
from app.adapters.char_tokenizer import CharTokenizer
from app.adapters.openjtalk_g2p import OpenJTalkG2P
from app.adapters.ort_bert import OrtBert
from app.adapters.ort_session import OpenedSession, check_backend, open_session
from app.adapters.ort_synthesizer import OrtOpaqueSynthesizer, OrtSynthesizer
from app.adapters.portaudio_player import PortAudioPlayer
from app.adapters.sound_files import SoundFileSink
from app.core.pipeline import Pipeline
from app.voices.bert import find_bert
from app.voices.library import find_voice
from app.voices.voice import Voice


@dataclass(frozen=True, slots=True)
class Speaker:
    """A pipeline that is ready to speak.

    Attributes:
        backends: where each stage runs, by stage name.
        fallback: why a stage does not run where it was asked to, or None.
    """

    pipeline: Pipeline
    voice: Voice
    backends: dict[str, str]
    fallback: str | None
    _runners: tuple[OrtBert | OrtSynthesizer | OrtOpaqueSynthesizer, ...]

    def terminate(self) -> None:
        """Stops the graph that is running now, from any thread."""
        for runner in self._runners:
            runner.terminate()


def open_speaker(
    wanted: str | None = None, backend: str = "auto", *, bert: str | None = None, force_bert: bool = False, like: Pipeline | None = None
) -> Speaker:
    """Opens a voice with everything it needs.

    Args:
        wanted: id, name or path of a voice; None is the first one.
        backend: see `app.adapters.ort_session.NAMES`.
        bert: id or folder of a BERT; None is the one the voice names.
        force_bert: take another BERT than the voice's own.
        like: a pipeline whose front end and caches are taken over.
    """
    backend = check_backend(backend)
    voice = find_voice(wanted, paths.voice_dirs())
    found_bert = find_bert(voice.manifest.bert, paths.bert_dirs(), chosen=bert, force=force_bert)
    bert_session = open_session(found_bert.graph, backend, "BERT")
    graphs = {name: open_session(graph, backend, f"{voice.manifest.name}: {name}") for name, graph in voice.graphs.items()}
    runner = OrtBert(bert_session.session, found_bert.id)
    synthesizer = synthesizer_of(voice, graphs)
    traits = voice.traits()
    if isinstance(synthesizer, OrtSynthesizer):
        traits = replace(traits, decoder_noise=synthesizer.decoder_noise)
    pipeline = Pipeline(
        g2p=like.g2p if like else open_g2p(),
        tokenizer=CharTokenizer(found_bert.vocabulary),
        bert=runner,
        bert_id=found_bert.id,
        synthesizer=synthesizer,
        opaque=voice.manifest.opaque,
        voice=traits,
    )
    if like:
        pipeline.phones, pipeline.features = like.phones, like.features
    opened = {"bert": bert_session} | graphs
    fallback = next((item.fallback for item in opened.values() if item.fallback), None)
    return Speaker(pipeline, voice, _backends(opened), fallback, (runner, synthesizer))


def synthesizer_of(voice: Voice, graphs: Mapping[str, OpenedSession]) -> OrtSynthesizer | OrtOpaqueSynthesizer:
    """What runs the graphs of a voice."""
    if voice.manifest.opaque:
        return OrtOpaqueSynthesizer(graphs["whole"].session)
    flow = graphs.get("flow")
    return OrtSynthesizer(graphs["prosody"].session, flow.session if flow else None, graphs["decoder"].session, voice.manifest.multilingual)


def _backends(opened: Mapping[str, OpenedSession]) -> dict[str, str]:
    stage_of_graph = {"decoder": "decode", "whole": "synthesis"}
    return {stage_of_graph.get(name, name): item.backend for name, item in opened.items()}


def open_g2p() -> OpenJTalkG2P:
    """The text front end."""
    return OpenJTalkG2P()


def open_player(device: str | int | None, sampling_rate: int) -> PortAudioPlayer:
    """A player on an open device, by name or index; AudioDeviceError where there is none."""
    player = PortAudioPlayer(int(device) if isinstance(device, str) and device.isdecimal() else device)
    player.open(sampling_rate)
    return player


def open_file(path: str, sampling_rate: int, subtype: str | None = None, rate: int | None = None, stereo: bool = False) -> SoundFileSink:
    """A sound file; OutputFileError where it cannot be written."""
    return SoundFileSink(path, sampling_rate, subtype, 2 if stereo else 1, rate)
