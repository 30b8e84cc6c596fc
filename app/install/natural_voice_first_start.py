"""Prepares the natural voice before the first sentence, where its parts are installed and the included voice would speak instead."""

from __future__ import annotations

import os
from collections.abc import Callable

from app.common.errors import AppError
from app.common.files import paths
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install.natural_voice_parts import find_installed_parts
from app.install.natural_voice_presence import find_natural_voice, is_natural_voice_removed
from app.voices.installed_voices import BertRequirement, choose_default_voice

NATURAL_VOICE_VARIABLE = "KOEBAKO_NATURAL_VOICE"
"""With the value `off` the voice is prepared by request alone."""


def is_natural_voice_waiting() -> bool:
    """Return whether the voice could be prepared at once, is not there yet, and was not removed by the user."""
    return (
        os.environ.get(NATURAL_VOICE_VARIABLE, "").casefold() != "off"
        and not is_natural_voice_removed()
        and find_installed_parts() is not None
        and find_natural_voice() is None
    )


def prepare_waiting_voice(
    announce: Callable[[str], object] = lambda _text: None,
    report: Report = ignore_report,
    *,
    require_bert: BertRequirement | None = None,
) -> None:
    """Prepare the natural voice if it is waiting and no voice of the user's speaks first; where that fails, say so and leave the rest as it is.

    Args:
        announce: called, in the language of the user, with what is done or why it failed.
        require_bert: says which voices can speak.
    """
    try:
        if not is_natural_voice_waiting():
            return
        first = choose_default_voice(paths.list_voice_dirs(), require_bert).voice
        if not first.path.is_relative_to(paths.find_resources_dir()):
            return
        announce(localize("自然な声「Kokoro」を準備しています（初回のみ）。", "Preparing the natural voice “Kokoro”, which is done once."))
        # Brings what makes voices, which no later start needs.
        from app.install.natural_voice_install import install_natural_voice

        install_natural_voice(None, report)
    except AppError as error:
        name = localize("自然な声を準備できませんでした。", "The natural voice could not be prepared. ")
        announce(f"{name}{error.message}")
