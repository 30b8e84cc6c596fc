"""Reads the id, content hash and description of a voice before it is prepared. Cheap, so that known voices are recognised at once."""

import datetime
import re
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from app.common.errors import InputError
from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install.voice_licence import VoiceLicence
from app.voices.containers.voice_descriptions import MAX_SAMPLE_BYTES, build_voice_card
from app.voices.containers.voice_file_sources import PreparedSource, VoiceSource
from app.voices.containers.voice_zip import RESERVED_NAME_PATTERN
from app.voices.file_fact_cache import combine_digests, compute_content_digest, compute_file_digests, sum_file_sizes
from app.voices.pending_refinement import PENDING_FILES
from app.voices.prepared_voice import PrepareVoice, Voice, read_manifest, read_prepared_voice, write_manifest
from app.voices.voice_card_data import VoiceCardData, list_media_files, read_card, write_card

DIGEST_ID_LENGTH = 16
MAX_VOICE_NAME_CHARS = 80  # as in an AIVM manifest
PREPARED_TO_SOURCE_RATIO = 2.2  # weights in float16 double in size, and verifying writes the source once more for a while
_VOICE_ID = re.compile(r"[0-9a-z](?:[0-9a-z-]{0,62}[0-9a-z])?")


@dataclass(frozen=True, slots=True)
class VoiceIdentity:
    """A voice that may be installed."""

    id: str  # the AIVM uuid, or the start of the content's SHA-256
    name: str  # as it says itself, as the version; may be empty
    version: str
    licence: str
    sha256: str  # of its content, as the size
    size_bytes: int
    config: dict[str, Any] = field(default_factory=dict)  # SBV2's `config.json`, and below the AIVM manifest, or {}
    aivm: dict[str, Any] = field(default_factory=dict)
    card: VoiceCardData | None = None  # of a prepared voice; None for others

    def estimate_prepared_bytes(self) -> int:
        """Return the approximate size of the prepared voice in bytes."""
        return round(PREPARED_TO_SOURCE_RATIO * self.size_bytes)

    def create_licence(self, voice_id: str) -> VoiceLicence:
        """Return its licence, for the id that it gets."""
        return VoiceLicence(voice_id, self.name, self.licence)


def identify_voice(source: VoiceSource, report: Report = ignore_report) -> VoiceIdentity:
    """Return the identity of a prepared folder or of the voice of any other source; raise VoiceError if there is none."""
    if isinstance(source, PreparedSource):
        return _identify_prepared_folder(source.path, report)
    files = source.list_files()
    digests = compute_file_digests(files, report)
    facts = source.read_facts()
    licence = facts.aivm_manifest.get("license")
    return VoiceIdentity(
        id=facts.aivm_manifest.get("uuid") or combine_digests(digests)[:DIGEST_ID_LENGTH],
        name=_sanitise_line(facts.aivm_manifest.get("name")) or _sanitise_line(facts.config.get("model_name")) or source.path.stem,
        version=_sanitise_line(facts.aivm_manifest.get("version")),
        licence=sanitise_long_text(licence) if isinstance(licence, str) else "",
        sha256=compute_content_digest(digests),
        size_bytes=sum_file_sizes(files),
        config=facts.config,
        aivm=facts.aivm_manifest,
    )


def compute_source_digest(source: VoiceSource, report: Report = ignore_report) -> str:
    """Return the digest of a source without parsing its content; remembered until a file changes."""
    return compute_content_digest(compute_file_digests(source.list_files(), report))


def _identify_prepared_folder(folder: Path, report: Report) -> VoiceIdentity:
    manifest, card = read_manifest(folder), read_card(folder)
    files = list_prepared_files(folder, card)
    sha256 = compute_prepared_digest(folder, card, report)
    usable = _VOICE_ID.fullmatch(manifest.id) and not RESERVED_NAME_PATTERN.match(manifest.id)
    return VoiceIdentity(
        id=manifest.id if usable else sha256[:DIGEST_ID_LENGTH],
        name=manifest.name,
        version=card.version,
        licence=manifest.licence,
        sha256=sha256,
        size_bytes=sum_file_sizes(files),
        card=card,
    )


def validate_voice_name(name: str) -> str:
    """Return a name in the form that is kept: one line, up to 80 letters. Raise InputError if it is not valid."""
    clean_name = " ".join(name.split())
    if not clean_name or len(clean_name) > MAX_VOICE_NAME_CHARS or not clean_name.isprintable():
        raise InputError(
            localize("この名前は使えません。", "This name cannot be used."),
            localize(
                f"1〜{MAX_VOICE_NAME_CHARS} 文字の名前を入力してください。", f"Choose a name of 1 to {MAX_VOICE_NAME_CHARS} characters."
            ),
        )
    return clean_name


def list_prepared_files(folder: Path, card: VoiceCardData) -> list[Path]:
    """Return every file of a prepared voice: those in its folder but for what only refining needs, and the media that its card names."""
    beside = sorted(
        item for item in folder.iterdir() if item.is_file() and not item.name.startswith(".") and item.name not in PENDING_FILES
    )
    media = (folder / name for name in list_media_files(card))
    return [*beside, *(item for item in media if item.is_file())]


def copy_voice_files(voice: Voice, target: Path, report: Report = ignore_report) -> None:
    """Copy a prepared voice with its card into an existing, empty folder; raise OSError if the disk refuses it."""
    files = list_prepared_files(voice.path, read_card(voice.path))
    for index, path in enumerate(files):
        report("storing", index / len(files))
        copy = target / path.relative_to(voice.path)
        copy.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, copy)


def compute_prepared_digest(folder: Path, card: VoiceCardData, report: Report = ignore_report) -> str:
    """Return the digest of the source of a prepared voice, or of its own files if that is not known."""
    return card.source_sha256 or compute_content_digest(compute_file_digests(list_prepared_files(folder, card), report))


def _sanitise_line(value: Any) -> str:
    return sanitise_short_text(value) if isinstance(value, str) else ""


def build_voice_folder(
    folder: Path,
    source: VoiceSource,
    identity: VoiceIdentity,
    report: Report,
    prepare: PrepareVoice,
    *,
    name: str | None = None,
    source_name: str = "",
) -> None:
    """Prepare a voice under the id of its identity in an empty folder; raise VoiceError, also if the source was changed since, and OSError.

    Args:
        name: instead of the voice's own.
        source_name: what the card calls the source, where that is not the name of the file.
    """
    source.require_unchanged()
    prepared = prepare(source.path, folder, report)
    source.require_unchanged()
    write_manifest(replace(prepared.manifest, id=identity.id, name=name or prepared.manifest.name), folder)
    if identity.card is None:
        card = build_voice_card(identity.config, identity.aivm, folder, emoji=prepared.manifest.emoji)
        card = replace(card, source_name=source_name or source.path.name, source_sha256=identity.sha256, source_bytes=identity.size_bytes)
    else:
        card = _copy_card(identity.card, source.path, folder)
    difference = card.max_abs_diff if prepared.max_abs_diff is None else prepared.max_abs_diff
    size, now = sum_file_sizes(list_prepared_files(folder, card)), datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    write_card(replace(card, prepared_bytes=size, installed_at=now, max_abs_diff=difference, opaque_reason=prepared.reason or ""), folder)
    # Reading the folder back refuses a voice that could not be opened later.
    read_prepared_voice(folder)


def _copy_card(card: VoiceCardData, source: Path, folder: Path) -> VoiceCardData:
    """Copy the card of a voice that was prepared before, with its media; without any of them if one is no plain file of a fair size."""
    for name in list_media_files(card):
        path = source / name
        if not path.is_file() or path.is_symlink() or path.stat().st_size > MAX_SAMPLE_BYTES:
            return replace(card, speakers=())
    for name in list_media_files(card):
        (folder / name).parent.mkdir(exist_ok=True)
        shutil.copyfile(source / name, folder / name)
    return card
