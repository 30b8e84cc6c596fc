"""Licences are shown before a voice is used first; what was accepted is remembered by voice and text, so a changed text is shown again."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.adapters.files.lock import sole_use
from app.data_file import load_data, save_data
from app.errors import OutputFileError
from app.install.choice import UndecidedError
from app.language import by_frontend, localized
from app.notices import notify
from app.paths import data_dir, resources_dir
from app.voices.voice import Voice


@dataclass(frozen=True, slots=True)
class Licence:
    """The licence of a voice; `text` is empty where it has none."""

    voice_id: str
    name: str
    text: str

    def entry(self) -> dict[str, str]:
        """What is remembered of it."""
        return {"id": self.voice_id, "sha256": hashlib.sha256(self.text.strip().encode("utf-8", "replace")).hexdigest()}


Ask = Callable[[Licence], bool]
"""Shows a licence to the user; whether it was accepted."""


def accepted_path() -> Path:
    """Where accepted licences are remembered."""
    return data_dir() / "accepted.json"


def licence_of(voice: Voice) -> Licence:
    """The licence of a voice; the one we ship counts as accepted with the program and has none to ask for."""
    shipped = voice.path.is_relative_to(resources_dir())
    return Licence(voice.manifest.id, voice.manifest.name, "" if shipped else voice.manifest.licence)


def licence_to_accept(voice: Voice) -> str | None:
    """The text that the user has to accept before this voice is used; None when there is none, or it was accepted."""
    licence = licence_of(voice)
    return None if is_accepted(licence) else licence.text.strip()


def is_accepted(licence: Licence) -> bool:
    """Whether it may be used without asking."""
    return not licence.text.strip() or any(licence.entry().items() <= item.items() for item in _read())


def accept(voice: Voice) -> None:
    """Remembers that the user accepted the licence of a voice. Raises OutputFileError."""
    remember(licence_of(voice))


def remember(licence: Licence) -> None:
    """As `accept`, for a voice that is not installed yet."""
    if is_accepted(licence):
        return
    date = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    with sole_use(accepted_path()):
        accepted = [*_read(), licence.entry() | {"date": date}]
        save_data(accepted_path(), accepted, localized("利用規約への同意を記録できません", "The accepted licence could not be recorded"))


def require_licence(licence: Licence, ask: Ask) -> None:
    """Asks for a licence that was not accepted yet; an UndecidedError when it is declined."""
    if is_accepted(licence):
        return
    if not ask(licence):
        raise UndecidedError(
            localized(
                f"声「{licence.name}」の利用規約にまだ同意していません。",
                f"The licence of the voice “{licence.name}” has not been accepted yet.",
            ),
            by_frontend(
                localized("声のカードで確認できます。", "You can read it on the voice's card."),
                localized(
                    "koebako voices info で確認し、同意する場合は --accept-licence を付けてください。",
                    "Read it with `koebako voices info`; if you agree, add --accept-licence.",
                ),
            ),
        )
    with contextlib.suppress(OutputFileError):  # what cannot be remembered is asked again
        remember(licence)


def _read() -> list[dict[str, Any]]:
    """What was accepted; a damaged file means that licences are shown again, and the user sees why."""
    failed = localized(
        "利用規約への同意の記録を読み込めないため、もう一度確認します。",
        "The record of accepted licences could not be read, so you will be asked again.",
    )
    accepted, unread = load_data(accepted_path(), _entries, failed)
    notify(unread)
    return accepted or []


def _entries(data: Any) -> list[dict[str, Any]]:
    if not isinstance(data, list):
        raise ValueError("no list")
    return [item for item in data if isinstance(item, dict)]
