"""Reads the id, content hash and description of a voice before it is prepared. Cheap, so that known voices are recognised at once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.common.files.untrusted_json import sanitise_long_text, sanitise_short_text
from app.common.progress import Report, ignore_report
from app.install.voice_licence import VoiceLicence
from app.voices.containers.voice_file_sources import PreparedSource, VoiceSource
from app.voices.containers.voice_zip import RESERVED_NAME_PATTERN
from app.voices.file_fact_cache import combine_digests, compute_content_digest, compute_file_digests, sum_file_sizes
from app.voices.pending_refinement import PENDING_FILES
from app.voices.voice_card_data import VoiceCardData, list_media_files, read_card
from app.voices.voice_manifest import read_manifest

DIGEST_ID_LENGTH = 16
# Weights in float16 double in size, and verifying writes the source once more for a while.
PREPARED_TO_SOURCE_RATIO = 2.2
_VOICE_ID = re.compile(r"[0-9a-z](?:[0-9a-z-]{0,62}[0-9a-z])?")


@dataclass(frozen=True, slots=True)
class VoiceIdentity:
    """A voice that may be installed.

    Attributes:
        id: the AIVM uuid, or the start of the content's SHA-256.
        name, version: as it says itself; may be empty.
        sha256, size_bytes: of its content.
        config, aivm: SBV2's `config.json` and the AIVM manifest, or {}.
        card: of a prepared voice; None for others.
    """

    id: str
    name: str
    version: str
    licence: str
    sha256: str
    size_bytes: int
    config: dict[str, Any] = field(default_factory=dict)
    aivm: dict[str, Any] = field(default_factory=dict)
    card: VoiceCardData | None = None

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
    return VoiceIdentity(
        id=facts.aivm_manifest.get("uuid") or combine_digests(digests)[:DIGEST_ID_LENGTH],
        name=_sanitise_line(facts.aivm_manifest.get("name")) or _sanitise_line(facts.config.get("model_name")) or source.path.stem,
        version=_sanitise_line(facts.aivm_manifest.get("version")),
        licence=_sanitise_text(facts.aivm_manifest.get("license")),
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


def list_prepared_files(folder: Path, card: VoiceCardData) -> list[Path]:
    """Return every file of a prepared voice: those in its folder but for what only refining needs, and the media that its card names."""
    beside = sorted(
        item for item in folder.iterdir() if item.is_file() and not item.name.startswith(".") and item.name not in PENDING_FILES
    )
    media = (folder / name for name in list_media_files(card))
    return [*beside, *(item for item in media if item.is_file())]


def compute_prepared_digest(folder: Path, card: VoiceCardData, report: Report = ignore_report) -> str:
    """Return the digest of the source of a prepared voice, or of its own files if that is not known."""
    return card.source_sha256 or compute_content_digest(compute_file_digests(list_prepared_files(folder, card), report))


def _sanitise_line(value: Any) -> str:
    return sanitise_short_text(value) if isinstance(value, str) else ""


def _sanitise_text(value: Any) -> str:
    return sanitise_long_text(value) if isinstance(value, str) else ""
