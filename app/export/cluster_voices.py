"""Voices of a batch that other machines speak: named by their content, and opened there as they are opened here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.common.errors import AppError
from app.common.files.paths import list_voice_dirs
from app.export.export_tasks import VoiceOpening
from app.export.sound_conditions import compute_voice_fingerprint
from app.install.voice_identity import compute_prepared_digest
from app.settings.graph_precision import PrecisionPreference
from app.settings.user_settings import PrecisionChoice, Settings, load_usable_settings
from app.voices.content_digest import compute_content_digest, compute_file_digests
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice
from app.voices.voice_card_data import read_card

if TYPE_CHECKING:
    from app.compose.speaker_plan import SpeakerPlan


@dataclass(frozen=True, slots=True)
class WantedVoice:
    """A voice as it is here.

    Attributes:
        digest: of its content, which is the same wherever it is installed.
        fingerprint: of all that it brings to samples, ONNX Runtime, precision and device included.
        opening: how it is to be opened.
    """

    digest: str
    fingerprint: str
    opening: VoiceOpening

    def convert_to_data(self) -> dict[str, Any]:
        """Return the data that `from_data` reads."""
        return asdict(self)

    @staticmethod
    def from_data(data: Mapping[str, Any]) -> WantedVoice:
        """Parse a voice; raise ValueError or KeyError."""
        return WantedVoice(str(data["digest"]), str(data["fingerprint"]), VoiceOpening.from_data(data["opening"]))


@dataclass(frozen=True, slots=True)
class FoundVoice:
    """A voice that is installed where it is asked for; `reference` is what `open_speaker` takes there."""

    reference: str
    fingerprint: str


def describe_wanted_voice(wanted: str | None, settings: Settings, backend: str, *, force_bert: bool = False) -> WantedVoice:
    """Return what names a voice elsewhere, as it would be opened here; raise AppError, OSError.

    Args:
        settings: with the precisions in which graphs are opened here.
        backend: as `open_speaker` takes it; what it leaves open is decided here for all machines.
    """
    from app.adapters.ort.device_placement import parse_placement
    from app.compose.speaker_plan import plan_speaker

    plan = plan_speaker(wanted, parse_placement(backend), settings, None, force_bert)
    graph = settings.precision_preference.find_precision(plan.voice.manifest.id)
    opening = VoiceOpening(str(plan.placement), graph, _find_bert_precision(plan))
    return WantedVoice(_compute_voice_digest(plan.voice), compute_voice_fingerprint(plan), opening)


def find_wanted_voice(wanted: WantedVoice, voices_folder: str = "", *, force_bert: bool = False) -> FoundVoice | None:
    """Return the voice of that content that can speak on this machine; None where there is none, or its BERT is missing.

    Args:
        voices_folder: a folder of prepared voices beside those of this installation.
    """
    own = list_voice_dirs()
    for voice in list_installed_voices([*own, *([Path(voices_folder)] if voices_folder else [])]):
        try:
            if _compute_voice_digest(voice) == wanted.digest:
                reference = voice.manifest.id if voice.path.parent in own else str(voice.path)
                return FoundVoice(reference, _compute_fingerprint_here(reference, wanted.opening, force_bert=force_bert))
        except (AppError, OSError):
            continue
    return None


def _compute_fingerprint_here(reference: str, opening: VoiceOpening, *, force_bert: bool) -> str:
    from app.adapters.ort.device_placement import parse_placement
    from app.compose.speaker_plan import plan_speaker

    kept = replace(load_usable_settings(), bert_precision=opening.bert_precision)
    settings = kept.replace_precision(PrecisionPreference(opening.graph_precision))
    return compute_voice_fingerprint(plan_speaker(reference, parse_placement(opening.backend), settings, None, force_bert))


def _find_bert_precision(plan: SpeakerPlan) -> PrecisionChoice:
    if plan.bert is None or plan.bert_graph is None:
        return "auto"
    return next(name for name, graph in plan.bert.graphs.items() if graph == plan.bert_graph)


def _compute_voice_digest(voice: Voice) -> str:
    if voice.path.is_dir():
        return compute_prepared_digest(voice.path, read_card(voice.path))
    return compute_content_digest(compute_file_digests([voice.path]))
