"""Prepares the natural voice before the first sentence: where the included voice would speak instead, or it has an older recipe."""

from collections.abc import Callable

from app.common.errors import AppError
from app.common.files import paths
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install import natural_voice
from app.install.refinement_work import explain_failed_renewal, is_prepared_by_request_alone, is_renewal_due
from app.settings.user_settings import load_usable_settings
from app.voices.installed_voices import BertRequirement, choose_default_voice
from app.voices.prepared_voice import Voice
from app.voices.voice_labels import NATURAL_VOICE_ID, NATURAL_VOICE_WORD


def is_natural_voice_waiting() -> bool:
    """Return whether the voice could be prepared at once, is not there yet, and was not removed by the user."""
    return (
        not is_prepared_by_request_alone()
        and not natural_voice.is_natural_voice_removed()
        and natural_voice.find_installed_parts() is not None
        and natural_voice.find_natural_voice() is None
    )


def find_default_voice_id() -> str:
    """Return the id of the voice that speaks where none is asked for; the natural voice counts where it only waits to be prepared."""
    first = choose_default_voice(paths.list_voice_dirs()).voice
    return NATURAL_VOICE_ID if not _is_chosen(first) and is_natural_voice_waiting() else first.manifest.id


def _is_chosen(voice: Voice) -> bool:
    return voice.manifest.id == load_usable_settings().default_voice


def prepare_waiting_voice(
    announce: Callable[[str], object] = lambda _text: None,
    report: Report = ignore_report,
    *,
    require_bert: BertRequirement | None = None,
) -> None:
    """Prepare the natural voice if it is waiting and the user's default does not speak first; announce it, or why it failed."""
    try:
        if is_natural_voice_waiting() and not _is_chosen(choose_default_voice(paths.list_voice_dirs(), require_bert).voice):
            _prepare_voice(announce, report)
    except AppError as error:
        name = localize("自然な声を準備できませんでした。", "The natural voice could not be prepared. ")
        announce(f"{name}{error.message}")


def prepare_if_waiting(reference: str, announce: Callable[[str], object] = lambda _text: None, report: Report = ignore_report) -> None:
    """Prepare the natural voice if it is waiting and this is its id or its word; raise AppError if it cannot be prepared."""
    if reference in (NATURAL_VOICE_ID, NATURAL_VOICE_WORD) and is_natural_voice_waiting():
        _prepare_voice(announce, report)


def _prepare_voice(announce: Callable[[str], object], report: Report) -> None:
    announce(localize("自然な声「Kokoro」を準備しています（初回のみ）。", "Preparing the natural voice “Kokoro”, which is done once."))
    # Brings what makes voices, which no later start needs.
    from app.install.natural_voice_install import install_natural_voice

    install_natural_voice(None, report)


def renew_before_speaking(voice: Voice, announce: Callable[[str], object] = lambda _text: None, report: Report = ignore_report) -> Voice:
    """Return the natural voice prepared again if its recipe is older, any other as it is; where that fails, say so and return the old one."""
    if voice.manifest.id != NATURAL_VOICE_ID or not is_renewal_due(voice):
        return voice
    name = voice.manifest.name
    if natural_voice.find_shipped_natural_voice() is not None or natural_voice.find_installed_parts() is not None:
        announce(
            localize(
                f"「{name}」をこのバージョンの形に準備し直しています（初回のみ）。",
                f"Preparing “{name}” again, as this version makes it; this is done once.",
            )
        )
    try:
        # Brings what makes voices, which no later start needs.
        from app.install.natural_voice_install import install_natural_voice

        return install_natural_voice(None, report, may_download=False).voice
    except AppError as error:
        failed = explain_failed_renewal(name, error)
        announce(f"{failed.message}{localize('', ' ')}{failed.hint}")
        return voice
