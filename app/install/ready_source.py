"""Gets a voice ready that is not installed: AivisSpeech's, or a file somewhere. Apart from `ready`, for most starts need none of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app import paths
from app.errors import OutputFileError, VoiceError
from app.install.confined import UnsafeError, prove_source
from app.install.identity import Identity, identify
from app.install.licence import Ask, require_licence
from app.install.prepared import Prepare
from app.install.prepared_cache import cache_dir, keep_voice, kept_voice
from app.language import localized
from app.progress import Report, part
from app.voices.aivisspeech import aivisspeech_folder, aivisspeech_voices
from app.voices.containers.sources import read_source
from app.voices.library import find_among, installed_voices, is_path, unknown_voice
from app.voices.manifest import MANIFEST_NAME, read_manifest
from app.voices.voice import Voice
from app.voices.wanted_bert import SBV2_BERT

Found = tuple[Voice, str, str | None]


@dataclass(frozen=True, slots=True)
class Before:
    """What is settled before the user waits, not after it."""

    ask: Ask
    need_bert: Callable[[str], object]
    announce: Callable[[str], object]

    def __call__(self, source: Path, identity: Identity) -> None:
        require_licence(identity.licence_for(identity.id), self.ask)
        self.need_bert(read_manifest(source).bert if _is_prepared(source) else SBV2_BERT)
        name = identity.name
        self.announce(localized(f"声「{name}」を準備しています（初回のみ）。", f"Preparing the voice “{name}” (first time only)."))


def ready_source(source: Path, report: Report, before: Before, prepare: Prepare) -> Found:
    """The voice of a source, which is prepared unless it was before; the values of a `Ready`. Raises VoiceError where it cannot speak."""
    if _is_prepared(source) and source.absolute().parent in [*paths.voice_dirs(), cache_dir()]:
        return read_source(source), str(source), None  # it was proved when it came there
    voice = kept_voice(source, part(report, 0.0, 0.1))
    if voice is None:
        identity = identify(source)
        before(source, identity)
        try:
            voice = keep_voice(source, identity, part(report, 0.1, 0.9), prepare)
        except OutputFileError as error:
            prove_source(source, part(report, 0.9, 1.0))
            return read_source(source), str(source), _kept_nothing(error)
        except UnsafeError:
            raise
        except VoiceError as error:
            return _whole(source, error, part(report, 0.9, 1.0))
    return voice, str(voice.path), _opaque(voice) if voice.manifest.opaque else None


def source_of(wanted: str, *, by_path: bool = True) -> Path:
    """Where an unprepared voice lies: in AivisSpeech's folder, or where the user says."""
    found = aivisspeech_voices(aivisspeech_folder())
    voice = find_among(wanted, found)
    if voice is not None:
        return voice.path
    if by_path and is_path(wanted):
        return Path(wanted)
    installed = [item.manifest for item in installed_voices(paths.voice_dirs())]
    raise unknown_voice(wanted, [*installed, *(item.manifest for item in found)])


def _is_prepared(source: Path) -> bool:
    return (source / MANIFEST_NAME).is_file()


def _whole(source: Path, error: VoiceError, report: Report) -> Found:
    """A graph that could not be cut correctly still runs whole; weights that were not understood do not run at all."""
    voice = read_source(source)
    if not voice.manifest.opaque:
        raise error
    prove_source(source, report)
    return voice, str(source), _not_prepared(error)


def _opaque(voice: Voice) -> str:
    return localized(
        f"声「{voice.manifest.name}」は分割できない構造のため、文ごとに合成します（再生が始まるまで長くなります）。",
        f"The voice “{voice.manifest.name}” cannot be split and is synthesised sentence by sentence; playback starts later.",
    )


def _kept_nothing(error: OutputFileError) -> str:
    return localized(
        f"準備した声を保存できないため、元の形式のまま使います。{error.message}",
        f"The prepared voice could not be saved; the original is used. {error.message}",
    )


def _not_prepared(error: VoiceError) -> str:
    return localized(
        f"声を準備できないため、元の形式のまま使います。{error.message}",
        f"The voice could not be prepared; the original is used. {error.message}",
    )
