"""Gets a voice ready that is not installed: AivisSpeech's, or a file somewhere. Apart from `ready`, for most starts need none of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.common.errors import OutputFileError, VoiceError
from app.common.files import paths
from app.common.language import localize
from app.common.progress import Report, build_part_report
from app.install.preparation_results import PrepareVoice
from app.install.prepared_voice_cache import cache_voice, find_cache_dir, find_cached_voice
from app.install.sandboxed_import import UnsafeFileError, verify_source
from app.install.voice_identity import VoiceIdentity, identify_voice
from app.install.voice_licence import AskLicence, require_licence
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices
from app.voices.containers.voice_sources import read_voice_source
from app.voices.installed_voices import build_unknown_voice_error, find_voice_among, is_path_text, list_installed_voices
from app.voices.prepared_voice import Voice
from app.voices.required_bert import SBV2_BERT_ID
from app.voices.voice_manifest import MANIFEST_NAME, read_manifest

ResolvedParts = tuple[Voice, str, str | None]


@dataclass(frozen=True, slots=True)
class PriorConsent:
    """The questions of licence and BERT, settled before the user waits, not after it."""

    ask_licence: AskLicence
    require_bert: Callable[[str], object]
    announce: Callable[[str], object]

    def __call__(self, source: Path, identity: VoiceIdentity) -> None:
        require_licence(identity.create_licence(identity.id), self.ask_licence)
        self.require_bert(read_manifest(source).bert if _is_prepared(source) else SBV2_BERT_ID)
        name = identity.name
        self.announce(localize(f"声「{name}」を準備しています（初回のみ）。", f"Preparing the voice “{name}” (first time only)."))


def prepare_source(source: Path, report: Report, consent: PriorConsent, prepare: PrepareVoice) -> ResolvedParts:
    """Return the voice of a source, prepared unless it was before, as the values of a `ReadyVoice`; raise VoiceError if it cannot speak."""
    if _is_prepared(source) and source.absolute().parent in [*paths.list_voice_dirs(), find_cache_dir()]:
        # A voice in these folders was verified when it came there.
        return read_voice_source(source), str(source), None
    voice = find_cached_voice(source, build_part_report(report, 0.0, 0.1))
    if voice is None:
        identity = identify_voice(source)
        consent(source, identity)
        try:
            voice = cache_voice(source, identity, build_part_report(report, 0.1, 0.9), prepare)
        except OutputFileError as error:
            verify_source(source, build_part_report(report, 0.9, 1.0))
            return read_voice_source(source), str(source), _explain_cache_failure(error)
        except UnsafeFileError:
            raise
        except VoiceError as error:
            return _open_single_graph(source, error, build_part_report(report, 0.9, 1.0))
    return voice, str(voice.path), _explain_single_graph(voice) if voice.manifest.is_single_graph else None


def find_source(reference: str, *, may_be_path: bool = True) -> Path:
    """Find an unprepared voice in AivisSpeech's folder, or at the user's path."""
    found = list_aivisspeech_voices(find_aivisspeech_folder())
    voice = find_voice_among(reference, found)
    if voice is not None:
        return voice.path
    if may_be_path and is_path_text(reference):
        return Path(reference)
    installed = [item.manifest for item in list_installed_voices(paths.list_voice_dirs())]
    raise build_unknown_voice_error(reference, [*installed, *(item.manifest for item in found)])


def _is_prepared(source: Path) -> bool:
    return (source / MANIFEST_NAME).is_file()


def _open_single_graph(source: Path, error: VoiceError, report: Report) -> ResolvedParts:
    """Open a graph that could not be cut correctly, which still runs whole; weights that were not understood do not run at all."""
    voice = read_voice_source(source)
    if not voice.manifest.is_single_graph:
        raise error
    verify_source(source, report)
    return voice, str(source), _explain_unprepared(error)


def _explain_single_graph(voice: Voice) -> str:
    return localize(
        f"声「{voice.manifest.name}」は分割できない構造のため、文ごとに合成します（再生が始まるまで長くなります）。",
        f"The voice “{voice.manifest.name}” cannot be split and is synthesised sentence by sentence; playback starts later.",
    )


def _explain_cache_failure(error: OutputFileError) -> str:
    return localize(
        f"準備した声を保存できないため、元の形式のまま使います。{error.message}",
        f"The prepared voice could not be saved; the original is used. {error.message}",
    )


def _explain_unprepared(error: VoiceError) -> str:
    return localize(
        f"声を準備できないため、元の形式のまま使います。{error.message}",
        f"The voice could not be prepared; the original is used. {error.message}",
    )
