"""Gets a voice ready that is not installed: AivisSpeech's, or a file somewhere. An installed voice needs none of it.

Voice files that are used in place are prepared once, into `<data>/cache/prepared`, and found there at the next start.
"""

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.adapters.files.free_space import check_free_space
from app.common.errors import AppError, OutputFileError, VoiceError
from app.common.files import paths
from app.common.files.paths import find_data_dir, list_subfolders
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.install.sandboxed_import import UnsafeFileError, prepare_voice_in_sandbox, verify_source
from app.install.staging_folders import remove_folder, replace_folder
from app.install.voice_identity import VoiceIdentity, build_voice_folder, compute_source_digest, identify_voice
from app.install.voice_licence import AskLicence, require_licence
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices
from app.voices.containers.voice_file_sources import PreparedSource, VoiceSource
from app.voices.containers.voice_sources import open_voice_source
from app.voices.installed_voices import build_unknown_voice_error, find_voice_among, is_path_text, list_installed_voices
from app.voices.prepared_voice import MANIFEST_NAME, PrepareVoice, Voice, read_manifest, read_prepared_voice
from app.voices.required_bert import SBV2_BERT_ID

MAX_CACHED_VOICES = 5
CACHE_KEY_LENGTH = 32  # the key is short because Windows limits the length of paths
MAX_VOICE_CACHE_BYTES = 3 << 30


def find_cache_dir() -> Path:
    """Return the folder of prepared voices; it may be deleted at any time."""
    return find_data_dir() / "cache" / "prepared"


def find_cached_voice(source: VoiceSource, report: Report = ignore_report) -> Voice | None:
    """Return the prepared voice of a file from an earlier start; raise VoiceError if the file is no voice or holds several."""
    folder = _choose_cache_folder(compute_source_digest(source, report))
    if not folder.is_dir():
        return None
    try:
        voice = read_prepared_voice(folder)
    except VoiceError:  # damaged: made again
        with contextlib.suppress(AppError):
            remove_folder(folder)
        return None
    with contextlib.suppress(OSError):
        os.utime(folder / MANIFEST_NAME)  # used just now
    return voice


def cache_voice(
    source: VoiceSource, identity: VoiceIdentity, report: Report = ignore_report, prepare: PrepareVoice = prepare_voice_in_sandbox
) -> Voice:
    """Prepare the voice of a file and keep it; raise VoiceError if it is none, or speaks otherwise then, OutputFileError for the disk."""
    folder = _choose_cache_folder(identity.sha256)
    check_free_space(folder, identity.estimate_prepared_bytes())
    with replace_folder(folder) as staged:
        build_voice_folder(staged, source, identity, report, prepare)
    shrink_cache(folder)
    return read_prepared_voice(folder)


def _choose_cache_folder(sha256: str) -> Path:
    return find_cache_dir() / sha256[:CACHE_KEY_LENGTH]


def shrink_cache(kept_folder: Path | None = None) -> None:
    """Remove the voices not used for longest, until their number and size are within the limits."""
    with contextlib.suppress(OSError):
        bytes_left = MAX_VOICE_CACHE_BYTES
        newest = sorted(list_subfolders(find_cache_dir()), key=_read_last_use, reverse=True)
        for index, folder in enumerate(newest):
            bytes_left -= sum(item.stat().st_size for item in folder.rglob("*") if item.is_file())
            if folder != kept_folder and (index >= MAX_CACHED_VOICES or bytes_left < 0):
                with contextlib.suppress(AppError):  # in use: next time
                    remove_folder(folder)


def _read_last_use(folder: Path) -> float:
    manifest = folder / MANIFEST_NAME
    return manifest.stat().st_mtime if manifest.is_file() else 0.0


ResolvedParts = tuple[Voice, str, str | None]


@dataclass(frozen=True, slots=True)
class PriorConsent:
    """The questions of licence and BERT, settled before the user waits, not after it."""

    ask_licence: AskLicence
    require_bert: Callable[[str], object]
    announce: Callable[[str], object]

    def __call__(self, source: VoiceSource, identity: VoiceIdentity) -> None:
        require_licence(identity.create_licence(identity.id), self.ask_licence)
        self.require_bert(read_manifest(source.path).bert if isinstance(source, PreparedSource) else SBV2_BERT_ID)
        name = identity.name
        self.announce(localize(f"声「{name}」を準備しています（初回のみ）。", f"Preparing the voice “{name}” (first time only)."))


def prepare_source(path: Path, report: Report, consent: PriorConsent, prepare: PrepareVoice) -> ResolvedParts:
    """Return the voice of a source, prepared unless it was before, as the values of a `ResolvedVoice`; raise VoiceError if it cannot speak."""
    source = open_voice_source(path)
    if isinstance(source, PreparedSource) and path.absolute().parent in [*paths.list_voice_dirs(), find_cache_dir()]:
        # A voice in these folders was verified when it came there.
        return source.load_voice(), str(path), None
    voice = find_cached_voice(source, build_part_report(report, 0.0, 0.1))
    if voice is None:
        identity = identify_voice(source)
        consent(source, identity)
        try:
            voice = cache_voice(source, identity, build_part_report(report, 0.1, 0.9), prepare)
        except OutputFileError as error:
            _verify_as_it_is(source, build_part_report(report, 0.9, 1.0))
            note = localize(
                f"準備した声を保存できないため、元の形式のまま使います。{error.message}",
                f"The prepared voice could not be saved; the original is used. {error.message}",
            )
            return source.load_voice(), str(path), note
        except UnsafeFileError:
            raise
        except VoiceError as error:
            return _open_single_graph(source, error, build_part_report(report, 0.9, 1.0))
    if not voice.manifest.is_single_graph:
        return voice, str(voice.path), None
    name = voice.manifest.name
    note = localize(
        f"声「{name}」は分割できない構造のため、文ごとに合成します（再生が始まるまで長くなります）。",
        f"The voice “{name}” cannot be split and is synthesised sentence by sentence; playback starts later.",
    )
    return voice, str(voice.path), note


def find_source(reference: str, *, may_be_path: bool = True) -> Path:
    """Find an unprepared voice in AivisSpeech's folder, or at the user's path."""
    unprepared = list_aivisspeech_voices(find_aivisspeech_folder())
    voice = find_voice_among(reference, unprepared)
    if voice is not None:
        return voice.path
    if may_be_path and is_path_text(reference):
        return Path(reference)
    installed = [item.manifest for item in list_installed_voices(paths.list_voice_dirs())]
    raise build_unknown_voice_error(reference, [*installed, *(item.manifest for item in unprepared)])


def _open_single_graph(source: VoiceSource, error: VoiceError, report: Report) -> ResolvedParts:
    """Open a graph that could not be cut correctly, which still runs whole; weights that were not understood do not run at all."""
    voice = source.load_voice()
    if not voice.manifest.is_single_graph:
        raise error
    _verify_as_it_is(source, report)
    note = localize(
        f"声を準備できないため、元の形式のまま使います。{error.message}",
        f"The voice could not be prepared; the original is used. {error.message}",
    )
    return voice, str(source.path), note


def _verify_as_it_is(source: VoiceSource, report: Report) -> None:
    """Let a voice speak in the sandbox; raise VoiceError if it must not be used, or has changed since it was verified."""
    verify_source(source.path, report)
    source.require_unchanged()
