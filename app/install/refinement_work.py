"""Knows what is left to do for voices and BERTs that work already: to refine them, and to prepare again those of an older recipe.

The window and the service run it in child processes, one at a time. Every start asks, so this imports little.
"""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.common.errors import AppError, VoiceError
from app.common.files.paths import find_data_dir, list_voice_dirs
from app.common.language import localize
from app.core.sound.voice_traits import ARCHITECTURES
from app.install.voice_licence import find_unaccepted_licence
from app.voices.bert_models import BertModel, list_installed_berts
from app.voices.installed_voices import list_installed_voices
from app.voices.pending_refinement import PENDING_NAME, is_refinement_pending
from app.voices.prepared_voice import Voice, read_manifest
from app.voices.voice_labels import NATURAL_VOICE_ID

NATURAL_VOICE_VARIABLE = "KOEBAKO_NATURAL_VOICE"  # with the value `off` the voice is prepared by request alone
RefinementKind = Literal["renewal", "voice", "bert"]
# Voices come before BERTs: they gain more, and most where another recipe makes them. `--outdated` leaves alone what another program renewed meanwhile.
REFINEMENT_ARGUMENTS: dict[RefinementKind, tuple[str, ...]] = {
    "renewal": ("voices", "renew", "--outdated"),
    "voice": ("voices", "add", "--wait"),
    "bert": ("bert", "add", "--wait"),
}


@dataclass(frozen=True, slots=True)
class RefinementWork:
    """A voice or BERT that is to be finished, or a voice of an older recipe to prepare again, with a name for people and its folder."""

    kind: RefinementKind
    id: str
    name: str
    folder: Path

    @property
    def arguments(self) -> tuple[str, ...]:
        """Return the arguments of our command line that do it."""
        return (*REFINEMENT_ARGUMENTS[self.kind], "--", self.id)

    def is_waiting(self) -> bool:
        """Return whether there is still something to do, as the disk says; False for a voice that is gone or damaged."""
        if self.kind != "renewal":
            return is_refinement_pending(self.folder)
        try:
            return read_manifest(self.folder).is_outdated
        except VoiceError:
            return False


def list_pending_voices() -> list[Voice]:
    """Return the user's voices that are still to be refined."""
    folder = find_data_dir() / "voices"
    return [voice for voice in list_installed_voices([folder]) if is_refinement_pending(voice.path)] if _has_marks(folder) else []


def list_pending_berts() -> list[BertModel]:
    """Return the user's BERTs that are still to be refined."""
    folder = find_data_dir() / "bert"
    return [bert for bert in list_installed_berts([folder]) if is_refinement_pending(bert.folder)] if _has_marks(folder) else []


def _has_marks(folder: Path) -> bool:
    """Return whether anything is to be refined there: asked every few seconds for hours, without a mark nothing is read."""
    return next(folder.glob(f"*/{PENDING_NAME}"), None) is not None


def is_prepared_by_request_alone() -> bool:
    """Return whether the environment forbids to prepare the voice with nobody asking for it."""
    return os.environ.get(NATURAL_VOICE_VARIABLE, "").casefold() == "off"


def is_renewal_due(voice: Voice) -> bool:
    """Return whether an installed voice is to be prepared again by itself: the natural voice wherever it is, or one of the user's.

    One that is still to be refined is refined first, as that compares it with its source; one whose licence nobody has accepted waits.
    """
    if not voice.manifest.is_outdated:
        return False
    if voice.manifest.id == NATURAL_VOICE_ID:
        return not is_prepared_by_request_alone()
    return (
        ARCHITECTURES[voice.manifest.architecture].is_renewed_from_itself
        and voice.path.parent == find_data_dir() / "voices"
        and not is_refinement_pending(voice.path)
        and find_unaccepted_licence(voice) is None
    )


def list_outdated_voices() -> list[Voice]:
    """Return the installed voices that are to be prepared again by themselves."""
    return [voice for voice in list_installed_voices(list_voice_dirs()) if is_renewal_due(voice)]


def explain_failed_renewal(name: str, error: AppError) -> AppError:
    """Return an error that says of the voice of this name why it was not prepared again, and that it speaks as before."""
    return AppError(
        localize(
            f"「{name}」を新しい形に準備し直せなかったため、これまでの形で話します。{error.message}",
            f"“{name}” could not be prepared again and speaks in its earlier form. {error.message}",
        ),
        error.hint,
    )
