"""A voice of AivisHub and the BERT that it needs, as one download: one length, one time left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app import paths
from app.install import fetch
from app.install.fetch import Watch, fetch_described, fetch_standard_bert, hub_voice, shifted
from app.install.library import Installed, known_by_content
from app.progress import part
from app.voices.bert import installed_berts
from app.voices.wanted_bert import SBV2_BERT


@dataclass(frozen=True, slots=True)
class Brought:
    """What lies in the downloads folder now.

    Attributes:
        voice: its file; the voice itself where it was installed before, and not brought again.
        bert: the folder of the BERT; None where it is installed.
    """

    voice: Path | Installed
    bert: Path | None


def fetch_with_bert(uuid: str, watch: Watch, on_voice: Callable[[Path], object]) -> Brought:
    """Brings what is missing, from where an earlier try stopped.

    Args:
        uuid: of the voice, or the address of its page.
        on_voice: called with the voice's file as soon as it is there, before the BERT, which is far larger.

    Raises:
        InputError: not an id.
        DownloadError: what happened, and what the user can do.
    """
    described = hub_voice(uuid, watch)
    known = known_by_content(described.file.sha256) if described.file.sha256 else None
    voice_bytes = 0 if known is not None else described.about_bytes
    bert_bytes = 0 if _has_bert() else sum(known.size or 0 for known in fetch.BERT_FILES.values())
    total = max(voice_bytes + bert_bytes, 1)
    voice: Path | Installed
    if known is not None:
        voice = known
    else:
        voice = fetch_described(described, _share(watch, 0, voice_bytes, total))
        on_voice(voice)
    bert = fetch_standard_bert(_share(watch, voice_bytes, bert_bytes, total)) if bert_bytes else None
    return Brought(voice, bert)


def _share(watch: Watch, before: int, own: int, total: int) -> Watch:
    """Follows one of the downloads as its part of the whole."""
    report = part(watch.report, before / total, (before + own) / total)
    return replace(watch, report=report, on_progress=shifted(watch.on_progress, before, total))


def _has_bert() -> bool:
    return any(bert.id == SBV2_BERT for bert in installed_berts(paths.bert_dirs()))
