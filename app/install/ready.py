"""Gets the voice a user asks for ready to be opened, whatever it is: installed, AivisSpeech's, or a file somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app import paths
from app.install.licence import Ask, licence_of, require_licence
from app.progress import Report, unreported
from app.voices.library import NeedBert, find_installed, first_voice, silent_words
from app.voices.voice import Voice

if TYPE_CHECKING:
    from app.install.prepared import Prepare


@dataclass(frozen=True, slots=True)
class Ready:
    """A voice that can be opened now.

    Attributes:
        wanted: what `open_speaker` takes for it.
        note: what the user should know, such as that it could not be prepared; or None.
    """

    voice: Voice
    wanted: str | None
    note: str | None = None


def ready_voice(
    wanted: str | None,
    ask: Ask,
    report: Report = unreported,
    *,
    announce: Callable[[str], object] = lambda _text: None,
    need_bert: NeedBert | None = None,
    prepare: Prepare | None = None,
    by_path: bool = True,
) -> Ready:
    """The voice of this id, name or path, else the first that can speak; one that is not prepared is prepared now, unless it was before.

    Args:
        by_path: a path is one; not where a stranger's project may have named the voice.
        ask: shows a licence that was not accepted yet; whether it is.
        announce: called, in the language of the user, with what takes long, and where another voice speaks than the first one.
        prepare: in place of `app.install.confined.prepare_voice_confined`.
        need_bert: called with the BERT of a voice that is to be prepared, to raise where it is missing: before the user waits. Also says
            which voices can speak.

    Raises:
        VoiceError: there is none, it cannot speak, or its licence was declined.
    """
    if wanted is None:
        first = first_voice(paths.voice_dirs(), need_bert)
        voice: Voice | None = first.voice
        if first.silent:
            announce(silent_words(first.silent, first.voice.manifest))
    else:
        voice = find_installed(wanted, paths.voice_dirs())
    if voice is None:
        assert wanted is not None
        from app.install.confined import prepare_voice_confined  # with all that reads sources, which an installed voice does not need
        from app.install.ready_source import Before, ready_source, source_of

        ready = Ready(
            *ready_source(
                source_of(wanted, by_path=by_path),
                report,
                Before(ask, need_bert or (lambda _id: None), announce),
                prepare or prepare_voice_confined,
            )
        )
    else:
        ready = Ready(voice, wanted)
    require_licence(licence_of(ready.voice), ask)
    return ready


def found_voice(wanted: str, *, by_path: bool = True) -> Voice:
    """The voice of this id, name or path as it is; nothing is prepared and no licence asked for."""
    from app.install.ready_source import source_of
    from app.voices.containers.sources import read_source

    return find_installed(wanted, paths.voice_dirs()) or read_source(source_of(wanted, by_path=by_path))
