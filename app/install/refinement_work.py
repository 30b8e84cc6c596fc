"""Unfinished work on voices and BERTs that are already usable. The window and the service each run it in child processes, one at a time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from app.common.errors import VoiceError
from app.voices.pending_refinement import is_refinement_pending
from app.voices.voice_manifest import read_manifest

RefinementKind = Literal["renewal", "voice", "bert"]
# Voices come before BERTs: they gain more, and most where another recipe makes them. `--outdated` leaves alone what another program renewed meanwhile.
REFINEMENT_ARGUMENTS: dict[RefinementKind, tuple[str, ...]] = {
    "renewal": ("voices", "renew", "--outdated"),
    "voice": ("voices", "add", "--wait"),
    "bert": ("bert", "add", "--wait"),
}


@dataclass(frozen=True, slots=True)
class RefinementWork:
    """A voice or BERT that is to be finished, or a voice of an older recipe that is to be prepared again.

    Attributes:
        name: for people.
        folder: where it lies.
    """

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
