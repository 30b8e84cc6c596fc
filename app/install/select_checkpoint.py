"""Selects one of the voices in a source."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.common.errors import VoiceError
from app.common.language import choose_by_frontend, localize

if TYPE_CHECKING:
    from app.voices.containers.voice_sources import Checkpoint

MAX_LISTED_CHECKPOINTS = 20


class UserDecisionRequiredError(VoiceError):
    """There is nothing wrong with the voice: the user has to say what is to be done with it; `ways` are options of `voices add`."""

    def __init__(self, message: str, hint: str = "", ways: Sequence[str] = ()) -> None:
        super().__init__(message, hint)
        self.ways = tuple(ways)


def choose_checkpoints(checkpoints: Sequence[Checkpoint], requested: str | None, *, all_voices: bool) -> list[Checkpoint]:
    """Return the requested voice, or all of them; raise VoiceError with a list if the choice is not clear."""
    if requested is not None:
        named = [item for item in checkpoints if requested.casefold() in _collect_names(item)]
        if len(named) == 1:
            return named
        raise UserDecisionRequiredError(
            localize(f"「{requested}」という声のファイルは含まれていません。", f"It does not contain a voice file “{requested}”."),
            localize("使用できるもの: ", "Available: ") + _format_list(checkpoints),
        )
    if len(checkpoints) == 1 or all_voices:
        return list(checkpoints)
    raise UserDecisionRequiredError(
        localize(
            f"声のファイルが {len(checkpoints)} 個あります: {_format_list(checkpoints)}",
            f"There are {len(checkpoints)} voice files: {_format_list(checkpoints)}",
        ),
        choose_by_frontend(
            localize("一つを選ぶか、すべて追加してください。", "Choose one, or add all."),
            localize(
                "--checkpoint 名前 で一つを選ぶか、--all ですべて追加してください。",
                "Choose one with --checkpoint NAME, or add all with --all.",
            ),
        ),
        [*(f"--checkpoint={item.label}" for item in checkpoints[:MAX_LISTED_CHECKPOINTS]), "--all"],
    )


def _collect_names(item: Checkpoint) -> set[str]:
    return {name.casefold() for name in (item.label, item.path.name, item.path.stem)}


def _format_list(checkpoints: Sequence[Checkpoint]) -> str:
    return ", ".join(item.label for item in checkpoints[:MAX_LISTED_CHECKPOINTS]) + (
        ", …" if len(checkpoints) > MAX_LISTED_CHECKPOINTS else ""
    )
