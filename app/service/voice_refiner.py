"""Finishes pending voices and BERTs, and renews voices of an older recipe, in processes of its own while the service has nothing to say."""

import logging
import os
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from app.adapters.speech_activity import IDLE_AFTER_S, is_speaking
from app.common.files import paths
from app.common.processes.launch import start_own_program
from app.install.refinement_work import RefinementWork, list_outdated_voices, list_pending_berts, list_pending_voices
from app.voices.installed_voices import list_installed_voices
from app.voices.voice_labels import NATURAL_VOICE_ID

_log = logging.getLogger("koebako")


class VoiceRefiner:
    """A thread that refines pending voices and BERTs one after the other, once nothing is heard; its program ends with it.

    Should this process be killed, that program ends as it next reports its progress, which nobody reads.

    Args:
        on_refined: called in the thread with the id of a voice whose files, or whose BERT's files, have changed.
    """

    def __init__(self, on_refined: Callable[[str], None], poll_s: float = IDLE_AFTER_S) -> None:
        self._on_refined, self._poll_s = on_refined, poll_s
        # Voices of an older recipe; one that is added later gets this version's.
        self._renewals: list[RefinementWork] | None = None
        self.failed: set[Path] = set()  # folders that stayed pending, which are not tried again until the next start
        self._child: subprocess.Popen[bytes] | None = None
        self._close_event = threading.Event()
        self._thread = threading.Thread(target=self._refine_voices, name="refinement", daemon=True)
        self._thread.start()

    def stop_program(self) -> None:
        """Kill the running program, if there is one, without a wait or a lock: a handler of signals may call this."""
        self._close_event.set()
        child = self._child
        if child is not None:
            with suppress(OSError):
                child.kill()

    def close(self) -> None:
        """Kill the running program and end the thread."""
        self.stop_program()
        self._thread.join()

    def _refine_voices(self) -> None:
        while not self._close_event.wait(self._poll_s):
            work = None if is_speaking() else self.find_next_work()
            if work is not None:
                self._do_work(work)

    def find_next_work(self) -> RefinementWork | None:
        """Return what is to be done next, or None."""
        if self._renewals is None:
            outdated = [voice for voice in list_outdated_voices() if voice.manifest.id != NATURAL_VOICE_ID]  # that was tried at the start
            self._renewals = [RefinementWork("renewal", voice.manifest.id, voice.manifest.name, voice.path) for voice in outdated]
        renewals = (work for work in self._renewals if work.is_waiting())
        voices = (RefinementWork("voice", voice.manifest.id, voice.manifest.name, voice.path) for voice in list_pending_voices())
        berts = (RefinementWork("bert", bert.id, bert.id, bert.folder) for bert in list_pending_berts())
        return next((work for works in (renewals, voices, berts) for work in works if work.folder not in self.failed), None)

    def _do_work(self, work: RefinementWork) -> None:
        try:
            self._run_program(work)
        except OSError as exc:
            _log.warning("no program to refine %s: %s", work.id, exc)
        if self._close_event.is_set():
            return
        if work.is_waiting():
            self.failed.add(work.folder)
            return
        installed = list_installed_voices(paths.list_voice_dirs()) if work.kind == "bert" else []
        speaking_differently = [voice.manifest.id for voice in installed if voice.manifest.bert == work.id]
        for voice_id in speaking_differently if work.kind == "bert" else [work.id]:
            self._on_refined(voice_id)

    def _run_program(self, work: RefinementWork) -> None:
        *command, separator, name = work.arguments
        with start_own_program(os.environ, *command, "--json", separator, name) as child:
            self._child = child
            # Asked again: it may have been set before there was a child to kill.
            if self._close_event.is_set():
                child.kill()
            assert child.stdin is not None
            assert child.stdout is not None
            child.stdin.close()
            for _line in child.stdout:
                pass
        self._child = None
        if child.returncode and not self._close_event.is_set():
            _log.warning("refining %s ended with exit code %s", work.id, child.returncode)
