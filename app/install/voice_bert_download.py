"""A voice of AivisHub and the BERT that it needs, as one download: one length, one time left."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from app.common.files import paths
from app.install import download_sources
from app.install.download_sources import DownloadMonitor, fetch_hub_description, fetch_listed_voice, fetch_standard_bert
from app.install.voice_import import InstallResult, find_voice_by_content
from app.voices.bert_models import list_installed_berts
from app.voices.required_bert import SBV2_BERT_ID


@dataclass(frozen=True, slots=True)
class FetchedPair:
    """The file of the voice, or the voice itself if it was installed before, and the folder of the BERT, or None where it is installed."""

    voice: Path | InstallResult
    bert: Path | None


def fetch_voice_with_bert(uuid: str, monitor: DownloadMonitor, on_voice: Callable[[Path], object]) -> FetchedPair:
    """Fetch the missing files, continuing an earlier try; raise InputError if `uuid` is neither id nor page, DownloadError.

    Args:
        on_voice: called with the voice's file as soon as it is there, before the BERT, which is far larger.
    """
    described = fetch_hub_description(uuid, monitor)
    installed = find_voice_by_content(described.file.sha256) if described.file.sha256 else None
    voice_bytes = 0 if installed is not None else described.approximate_bytes
    has_bert = any(bert.id == SBV2_BERT_ID for bert in list_installed_berts(paths.list_bert_dirs()))
    bert_bytes = 0 if has_bert else sum(file.size or 0 for file in download_sources.STANDARD_BERT_FILES.values())
    total = max(voice_bytes + bert_bytes, 1)
    voice: Path | InstallResult | None = installed
    if voice is None:
        voice = fetch_listed_voice(described, monitor.limit_to_part(0, voice_bytes, total))
        on_voice(voice)
    bert = fetch_standard_bert(monitor.limit_to_part(voice_bytes, bert_bytes, total)) if bert_bytes else None
    return FetchedPair(voice, bert)
