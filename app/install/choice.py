"""Which of the voices in a source is meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from app.errors import VoiceError
from app.language import by_frontend, localized

if TYPE_CHECKING:
    from app.voices.containers.checkpoints import Checkpoint

MOST_NAMES = 20


class UndecidedError(VoiceError):
    """There is nothing wrong with the voice: the user has to say what is to be done with it; `ways` are options of `voices add`."""

    def __init__(self, message: str, hint: str = "", ways: Sequence[str] = ()) -> None:
        super().__init__(message, hint)
        self.ways = tuple(ways)


def choose(found: Sequence[Checkpoint], wanted: str | None, *, every: bool) -> list[Checkpoint]:
    """The voice that is meant, or all of them; a VoiceError lists them when that is not clear."""
    if wanted is not None:
        named = [item for item in found if wanted.casefold() in _names(item)]
        if len(named) == 1:
            return named
        raise UndecidedError(
            localized(f"「{wanted}」という声のファイルは含まれていません。", f"It does not contain a voice file “{wanted}”."),
            localized("使用できるもの: ", "Available: ") + _listed(found),
        )
    if len(found) == 1 or every:
        return list(found)
    raise UndecidedError(
        localized(f"声のファイルが {len(found)} 個あります: {_listed(found)}", f"There are {len(found)} voice files: {_listed(found)}"),
        by_frontend(
            localized("一つを選ぶか、すべて追加してください。", "Choose one, or add all."),
            localized(
                "--checkpoint 名前 で一つを選ぶか、--all ですべて追加してください。",
                "Choose one with --checkpoint NAME, or add all with --all.",
            ),
        ),
        [*(f"--checkpoint={item.label}" for item in found[:MOST_NAMES]), "--all"],
    )


def _names(item: Checkpoint) -> set[str]:
    return {name.casefold() for name in (item.label, item.path.name, item.path.stem)}


def _listed(found: Sequence[Checkpoint]) -> str:
    return ", ".join(item.label for item in found[:MOST_NAMES]) + (", …" if len(found) > MOST_NAMES else "")
