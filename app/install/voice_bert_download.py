"""A voice of AivisHub and the BERT that it needs, as one download: one length, one time left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from app.common.files import paths
from app.common.progress import build_part_report
from app.install import download_sources
from app.install.download_sources import DownloadMonitor, fetch_hub_description, fetch_listed_voice, fetch_standard_bert, shift_progress
from app.install.voice_import import InstallResult, find_voice_by_content
from app.voices.bert_models import list_installed_berts
from app.voices.required_bert import SBV2_BERT_ID


@dataclass(frozen=True, slots=True)
class FetchedPair:
    """The voice and the BERT that are now in the downloads folder.

    Attributes:
        voice: its file; the voice itself where it was installed before, and not brought again.
        bert: the folder of the BERT; None where it is installed.
    """

    voice: Path | InstallResult
    bert: Path | None


def fetch_voice_with_bert(uuid: str, monitor: DownloadMonitor, on_voice: Callable[[Path], object]) -> FetchedPair:
    """Fetch the missing files, continuing an earlier try.

    Args:
        uuid: of the voice, or the address of its page.
        on_voice: called with the voice's file as soon as it is there, before the BERT, which is far larger.

    Raises:
        InputError: not an id.
        DownloadError: what happened, and what the user can do.
    """
    described = fetch_hub_description(uuid, monitor)
    known = find_voice_by_content(described.file.sha256) if described.file.sha256 else None
    voice_bytes = 0 if known is not None else described.approximate_bytes
    bert_bytes = 0 if _has_bert() else sum(known.size or 0 for known in download_sources.STANDARD_BERT_FILES.values())
    total = max(voice_bytes + bert_bytes, 1)
    voice: Path | InstallResult
    if known is not None:
        voice = known
    else:
        voice = fetch_listed_voice(described, _create_partial_monitor(monitor, 0, voice_bytes, total))
        on_voice(voice)
    bert = fetch_standard_bert(_create_partial_monitor(monitor, voice_bytes, bert_bytes, total)) if bert_bytes else None
    return FetchedPair(voice, bert)


def _create_partial_monitor(monitor: DownloadMonitor, bytes_before: int, own_bytes: int, total: int) -> DownloadMonitor:
    """Return a monitor that shows one of the downloads as its part of the whole."""
    report = build_part_report(monitor.report, bytes_before / total, (bytes_before + own_bytes) / total)
    return replace(monitor, report=report, on_progress=shift_progress(monitor.on_progress, bytes_before, total))


def _has_bert() -> bool:
    return any(bert.id == SBV2_BERT_ID for bert in list_installed_berts(paths.list_bert_dirs()))
