"""Finishes voices and BERTs that can be used already while the service has nothing to say, and prepares voices of an older recipe again,
each in a program of ours: what that takes never counts here.
"""

from __future__ import annotations

import logging
import os
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from app.adapters.speech_activity import IDLE_AFTER_S, is_speaking
from app.common.errors import VoiceError
from app.common.files import paths
from app.common.processes.self_launch import start_own_program
from app.install.outdated_voices import list_outdated_voices
from app.install.pending_berts import list_pending_berts
from app.install.pending_voices import list_pending_voices
from app.voices.installed_voices import list_installed_voices
from app.voices.pending_refinement import is_refinement_pending
from app.voices.voice_labels import NATURAL_VOICE_ID
from app.voices.voice_manifest import read_manifest

_log = logging.getLogger("koebako")
_REFINE, _RENEW = ("add", "--wait"), ("voices", "renew", "--outdated")


@dataclass(frozen=True, slots=True)
class _PendingFolder:
    """A voice or BERT that is to be refined, or a voice that is to be prepared again.

    Attributes:
        command: of the command line: "voices add --wait", "bert add --wait" or "voices renew --outdated".
        is_pending: asks whether there is still something to do for it.
    """

    command: tuple[str, ...]
    id: str
    path: Path
    is_pending: Callable[[Path], bool] = is_refinement_pending


class VoiceRefiner:
    """A thread that refines pending voices and BERTs one after the other, once nothing is heard; its program ends with it.

    Should this process be killed, that program ends as it next reports its progress, which nobody reads.

    Attributes:
        failed: folders that stayed pending, which are not tried again until the next start.

    Args:
        on_refined: called in the thread with the id of a voice whose files, or whose BERT's files, have changed.
        poll_s: how often pending voices and BERTs are looked for.
    """

    def __init__(self, on_refined: Callable[[str], None], poll_s: float = IDLE_AFTER_S) -> None:
        self._on_refined, self._poll_s = on_refined, poll_s
        # Voices of an older recipe; one that is added later gets this version's.
        self._outdated: list[_PendingFolder] | None = None
        self.failed: set[Path] = set()
        self._child: subprocess.Popen[bytes] | None = None
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._refine_voices, name="refinement", daemon=True)
        self._thread.start()

    def stop_program(self) -> None:
        """Kill the running program, if there is one, without a wait or a lock: a handler of signals may call this."""
        self._closing.set()
        child = self._child
        if child is not None:
            with suppress(OSError):
                child.kill()

    def close(self) -> None:
        """Kill the running program and end the thread."""
        self.stop_program()
        self._thread.join()

    def _refine_voices(self) -> None:
        while not self._closing.wait(self._poll_s):
            found = None if is_speaking() else self.find_next_folder()
            if found is not None:
                self._refine_folder(found)

    def find_next_folder(self) -> _PendingFolder | None:
        """Return a voice before any BERT: it gains more, and most where another recipe makes it."""
        if self._outdated is None:
            found = [voice for voice in list_outdated_voices() if voice.manifest.id != NATURAL_VOICE_ID]  # that was tried at the start
            self._outdated = [_PendingFolder(_RENEW, voice.manifest.id, voice.path, _is_outdated) for voice in found]
        outdated = (item for item in self._outdated if item.is_pending(item.path))
        voices = (_PendingFolder(("voices", *_REFINE), voice.manifest.id, voice.path) for voice in list_pending_voices())
        berts = (_PendingFolder(("bert", *_REFINE), bert.id, bert.folder) for bert in list_pending_berts())
        return next((item for items in (outdated, voices, berts) for item in items if item.path not in self.failed), None)

    def _refine_folder(self, pending: _PendingFolder) -> None:
        try:
            self._run_program(pending)
        except OSError as exc:
            _log.warning("no program to refine %s: %s", pending.id, exc)
        if self._closing.is_set():
            return
        if pending.is_pending(pending.path):
            self.failed.add(pending.path)
        else:
            for voice in _list_changed_voices(pending):
                self._on_refined(voice)

    def _run_program(self, pending: _PendingFolder) -> None:
        """Run the program to its end; raise OSError if it cannot be started."""
        with start_own_program(os.environ, *pending.command, "--json", "--", pending.id) as child:
            self._child = child
            # Asked again: it may have been set before there was a child to kill.
            if self._closing.is_set():
                child.kill()
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.close()
            for _line in child.stdout:
                pass
        self._child = None
        if child.returncode and not self._closing.is_set():
            _log.warning("refining %s ended with exit code %s", pending.id, child.returncode)


def _is_outdated(folder: Path) -> bool:
    """Return whether the voice in a folder has an older recipe; False for one that is gone or damaged."""
    try:
        return read_manifest(folder).is_outdated
    except VoiceError:
        return False


def _list_changed_voices(refined: _PendingFolder) -> list[str]:
    """Return the ids of the voices that speak differently from now on."""
    if refined.command[0] == "voices":
        return [refined.id]
    return [voice.manifest.id for voice in list_installed_voices(paths.list_voice_dirs()) if voice.manifest.bert == refined.id]
