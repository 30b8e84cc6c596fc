"""Licences are shown before a voice is used first; what was accepted is remembered by voice and text, so a changed text is shown again."""

import contextlib
import datetime
import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import lock_path_for_change
from app.common.errors import OutputFileError, UserDecisionRequiredError
from app.common.files.paths import find_data_dir, find_resources_dir
from app.common.files.whole_files import load_data, save_data
from app.common.language import choose_by_frontend, localize
from app.common.user_notices import show_notice
from app.voices.prepared_voice import Voice


@dataclass(frozen=True, slots=True)
class VoiceLicence:
    """The licence of a voice; `text` is empty where it has none."""

    voice_id: str
    name: str
    text: str

    def build_acceptance_record(self) -> dict[str, str]:
        return {"id": self.voice_id, "sha256": hashlib.sha256(self.text.strip().encode("utf-8", "replace")).hexdigest()}


AskLicence = Callable[[VoiceLicence], bool]  # shows a licence to the user; whether it was accepted


def find_acceptance_file() -> Path:
    """Return the file that records accepted licences."""
    return find_data_dir() / "accepted.json"


def read_licence(voice: Voice) -> VoiceLicence:
    """Return the licence of a voice; that of the voice that ships is accepted with the program and need not be asked for."""
    shipped = voice.path.is_relative_to(find_resources_dir())
    return VoiceLicence(voice.manifest.id, voice.manifest.name, "" if shipped else voice.manifest.licence)


def find_unaccepted_licence(voice: Voice) -> str | None:
    """Return the text that the user has to accept before this voice is used; None if there is none, or if it was accepted."""
    licence = read_licence(voice)
    return None if is_accepted(licence) else licence.text.strip()


def is_accepted(licence: VoiceLicence) -> bool:
    """Return whether the voice may be used without a question about its licence."""
    return not licence.text.strip() or any(licence.build_acceptance_record().items() <= item.items() for item in _read_acceptances())


def accept_licence(voice: Voice) -> None:
    """Record that the user accepted the licence of a voice; raise OutputFileError if the disk refuses it."""
    record_acceptance(read_licence(voice))


def record_acceptance(licence: VoiceLicence) -> None:
    """Record the acceptance for a voice that is not installed yet, as `accept_licence` does."""
    if is_accepted(licence):
        return
    date = datetime.datetime.now().astimezone().isoformat(timespec="seconds")
    with lock_path_for_change(find_acceptance_file()):
        accepted = [*_read_acceptances(), licence.build_acceptance_record() | {"date": date}]
        save_data(
            find_acceptance_file(), accepted, localize("利用規約への同意を記録できません", "The accepted licence could not be recorded")
        )


def require_licence(licence: VoiceLicence, ask_licence: AskLicence) -> None:
    """Ask for a licence that was not accepted yet; raise an UndecidedError if it is declined."""
    if is_accepted(licence):
        return
    if not ask_licence(licence):
        raise UserDecisionRequiredError(
            localize(
                f"声「{licence.name}」の利用規約にまだ同意していません。",
                f"The licence of the voice “{licence.name}” has not been accepted yet.",
            ),
            choose_by_frontend(
                localize("声のカードで確認できます。", "You can read it on the voice's card."),
                localize(
                    "koebako voices info で確認し、同意する場合は --accept-licence を付けてください。",
                    "Read it with `koebako voices info`; if you agree, add --accept-licence.",
                ),
            ),
        )
    # A licence that cannot be recorded is shown again next time.
    with contextlib.suppress(OutputFileError):
        record_acceptance(licence)


def _read_acceptances() -> list[dict[str, Any]]:
    """Read the accepted licences; a damaged file means that licences are shown again, and the user sees why."""
    failed = localize(
        "利用規約への同意の記録を読み込めないため、もう一度確認します。",
        "The record of accepted licences could not be read, so you will be asked again.",
    )
    accepted, unread = load_data(find_acceptance_file(), _parse_acceptances, failed)
    show_notice(unread)
    return accepted or []


def _parse_acceptances(data: Any) -> list[dict[str, Any]]:
    if not isinstance(data, list):
        raise ValueError("no list")
    return [item for item in data if isinstance(item, dict)]
