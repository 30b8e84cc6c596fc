"""Who a voice is before it is prepared: its id, its content and what it says of itself. Cheap, so that known voices are recognised at once."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.install.licence import Licence
from app.json_text import long_text, short_text
from app.progress import Report, unreported
from app.voices.card import Card, media_files, read_card
from app.voices.containers.sources import read_facts, source_files
from app.voices.digest import combined, content_digest, file_digests, total_bytes
from app.voices.manifest import MANIFEST_NAME, read_manifest
from app.voices.untrusted.zip_names import RESERVED

DIGEST_ID_LETTERS = 16
PREPARED_TO_SOURCE = 2.2  # float16 weights double; verifying writes the source once more for a while
_ID = re.compile(r"[0-9a-z](?:[0-9a-z-]{0,62}[0-9a-z])?")


@dataclass(frozen=True, slots=True)
class Identity:
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
    card: Card | None = None

    def prepared_bytes(self) -> int:
        """About how much it takes when it is prepared."""
        return round(PREPARED_TO_SOURCE * self.size_bytes)

    def licence_for(self, voice_id: str) -> Licence:
        """Its licence, for the id it gets."""
        return Licence(voice_id, self.name, self.licence)


def identify(path: Path, report: Report = unreported) -> Identity:
    """Identity of a prepared folder or of any file that `read_source` opens; VoiceError when it is none."""
    if (path / MANIFEST_NAME).is_file():
        return _prepared(path, report)
    files = source_files(path)
    digests = file_digests(files, report)
    facts = read_facts(path)
    return Identity(
        id=facts.aivm.get("uuid") or combined(digests)[:DIGEST_ID_LETTERS],
        name=_text(facts.aivm.get("name")) or _text(facts.config.get("model_name")) or path.stem,
        version=_text(facts.aivm.get("version")),
        licence=_long(facts.aivm.get("license")),
        sha256=content_digest(digests),
        size_bytes=total_bytes(files),
        config=facts.config,
        aivm=facts.aivm,
    )


def digest_of(path: Path, report: Report = unreported) -> str:
    """Digest of any file that `read_source` opens, without a look at what it says."""
    return content_digest(file_digests(source_files(path), report))


def _prepared(folder: Path, report: Report) -> Identity:
    manifest, card = read_manifest(folder), read_card(folder)
    files = prepared_files(folder, card)
    sha256 = prepared_digest(folder, card, report)
    usable = _ID.fullmatch(manifest.id) and not RESERVED.match(manifest.id)
    return Identity(
        id=manifest.id if usable else sha256[:DIGEST_ID_LETTERS],
        name=manifest.name,
        version=card.version,
        licence=manifest.licence,
        sha256=sha256,
        size_bytes=total_bytes(files),
        card=card,
    )


def prepared_files(folder: Path, card: Card) -> list[Path]:
    """Every file of a prepared voice: what lies in its folder, and the media its card names."""
    beside = sorted(item for item in folder.iterdir() if item.is_file() and not item.name.startswith("."))
    media = (folder / name for name in media_files(card))
    return [*beside, *(item for item in media if item.is_file())]


def prepared_digest(folder: Path, card: Card, report: Report = unreported) -> str:
    """Digest of what a prepared voice was made from; where that is not known, of its own files."""
    return card.source_sha256 or content_digest(file_digests(prepared_files(folder, card), report))


def _text(value: Any) -> str:
    return short_text(value) if isinstance(value, str) else ""


def _long(value: Any) -> str:
    return long_text(value) if isinstance(value, str) else ""
