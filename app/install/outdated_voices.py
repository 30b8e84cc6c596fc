"""Knows which voices an earlier version prepared by an older recipe, and this one prepares again with nobody asking for it.

Every start asks, so it imports little; `app.install.reprepare` does it.
"""

from __future__ import annotations

from app.common.errors import AppError
from app.common.files.paths import find_data_dir, list_voice_dirs
from app.common.language import localize
from app.core.sound.voice_traits import ARCHITECTURES
from app.install.natural_voice_presence import is_prepared_by_request_alone
from app.install.voice_licence import find_unaccepted_licence
from app.voices.installed_voices import list_installed_voices
from app.voices.pending_refinement import is_refinement_pending
from app.voices.prepared_voice import Voice
from app.voices.voice_labels import NATURAL_VOICE_ID


def is_renewal_due(voice: Voice) -> bool:
    """Return whether an installed voice is to be prepared again by itself: the natural voice wherever it lies, or one of the user's.

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
