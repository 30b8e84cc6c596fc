"""Settings that name a backend which is none, such as one of a later version."""

from __future__ import annotations

from dataclasses import replace

from app.adapters.ort.device_placement import AUTO, parse_placement
from app.common.errors import AppError, BackendError
from app.common.language import localize
from app.settings.user_settings import Settings


def replace_unknown_backend(settings: Settings, notice: AppError | None) -> tuple[Settings, AppError | None]:
    """Return the settings, with "auto" and a notice in place of an unknown backend, lest no voice opens before the user chooses another; an earlier notice stays."""
    try:
        parse_placement(settings.backend)
    except BackendError:
        words = localize(
            f"バックエンド「{settings.backend}」はないため、Auto に戻しました。",
            f"There is no backend “{settings.backend}”; it was reset to Auto.",
        )
        return replace(settings, backend=AUTO), notice or BackendError(words, "")
    return settings, notice
