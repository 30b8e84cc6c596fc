"""Gets the voice a user asks for ready to be opened, whatever it is: installed, AivisSpeech's, or a file somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app import paths
from app.errors import OutputFileError, VoiceError
from app.install.confined import UnsafeError, prepare_voice_confined, prove_source
from app.install.identity import Identity, identify
from app.install.licence import Ask, licence_of, require_licence
from app.install.prepared import Prepare
from app.install.prepared_cache import cache_dir, keep_voice, kept_voice
from app.language import localized
from app.progress import Report, part, unreported
from app.voices.aivisspeech import aivisspeech_folder, aivisspeech_voices
from app.voices.containers.sources import SBV2_BERT, read_source
from app.voices.library import find_among, find_installed, find_voice, installed_voices, is_path, unknown_voice
from app.voices.manifest import MANIFEST_NAME, read_manifest
from app.voices.voice import Voice


@dataclass(frozen=True, slots=True)
class Ready:
    """A voice that can be opened now.

    Attributes:
        wanted: what `open_speaker` takes for it.
        note: what the user should know, such as that it could not be prepared; or None.
    """

    voice: Voice
    wanted: str | None
    note: str | None = None


def ready_voice(
    wanted: str | None,
    ask: Ask,
    report: Report = unreported,
    *,
    announce: Callable[[str], object] = lambda _text: None,
    need_bert: Callable[[str], object] = lambda _id: None,
    prepare: Prepare = prepare_voice_confined,
) -> Ready:
    """The voice of this id, name or path; one that is not prepared is prepared now, unless it was before.

    Args:
        ask: shows a licence that was not accepted yet; whether it is.
        announce: called, in the language of the user, with what takes long.
        need_bert: called with the BERT of a voice that is to be prepared, to raise where it is missing: before the user waits.

    Raises:
        VoiceError: there is none, it cannot speak, or its licence was declined.
    """
    voice = find_voice(None, paths.voice_dirs()) if wanted is None else find_installed(wanted, paths.voice_dirs())
    if voice is None:
        assert wanted is not None
        ready = _from_source(_source(wanted), report, _Before(ask, need_bert, announce), prepare)
    else:
        ready = Ready(voice, wanted)
    require_licence(licence_of(ready.voice), ask)
    return ready


def found_voice(wanted: str) -> Voice:
    """The voice of this id, name or path as it is; nothing is prepared and no licence asked for."""
    return find_installed(wanted, paths.voice_dirs()) or read_source(_source(wanted))


@dataclass(frozen=True, slots=True)
class _Before:
    """What is settled before the user waits, not after it."""

    ask: Ask
    need_bert: Callable[[str], object]
    announce: Callable[[str], object]

    def __call__(self, source: Path, identity: Identity) -> None:
        require_licence(identity.licence_for(identity.id), self.ask)
        self.need_bert(read_manifest(source).bert if _is_prepared(source) else SBV2_BERT)
        name = identity.name
        self.announce(localized(f"声「{name}」を準備しています（初回のみ）。", f"Preparing the voice “{name}” (first time only)."))


def _from_source(source: Path, report: Report, before: _Before, prepare: Prepare) -> Ready:
    if _is_prepared(source) and source.absolute().parent in [*paths.voice_dirs(), cache_dir()]:
        return Ready(read_source(source), str(source))  # it was proved when it came there
    voice = kept_voice(source, part(report, 0.0, 0.1))
    if voice is None:
        identity = identify(source)
        before(source, identity)
        try:
            voice = keep_voice(source, identity, part(report, 0.1, 0.9), prepare)
        except OutputFileError as error:
            prove_source(source, part(report, 0.9, 1.0))
            return Ready(read_source(source), str(source), _kept_nothing(error))
        except UnsafeError:
            raise
        except VoiceError as error:
            return _whole(source, error, part(report, 0.9, 1.0))
    return Ready(voice, str(voice.path), _opaque(voice) if voice.manifest.opaque else None)


def _source(wanted: str) -> Path:
    """Where an unprepared voice lies: in AivisSpeech's folder, or where the user says."""
    found = aivisspeech_voices(aivisspeech_folder())
    voice = find_among(wanted, found)
    if voice is not None:
        return voice.path
    if is_path(wanted):
        return Path(wanted)
    installed = [item.manifest for item in installed_voices(paths.voice_dirs())]
    raise unknown_voice(wanted, [*installed, *(item.manifest for item in found)])


def _is_prepared(source: Path) -> bool:
    return (source / MANIFEST_NAME).is_file()


def _whole(source: Path, error: VoiceError, report: Report) -> Ready:
    """A graph that could not be cut correctly still runs whole; weights that were not understood do not run at all."""
    voice = read_source(source)
    if not voice.manifest.opaque:
        raise error
    prove_source(source, report)
    return Ready(voice, str(source), _not_prepared(error))


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
