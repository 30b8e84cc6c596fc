"""Gets the voice a user asks for ready to be opened, whatever it is: installed, AivisSpeech's, or a file somewhere."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.common.files import paths
from app.common.progress import Report, ignore_report
from app.install.natural_voice_first_start import prepare_if_waiting, prepare_waiting_voice, renew_before_speaking
from app.install.voice_licence import AskLicence, read_licence, require_licence
from app.voices.installed_voices import BertRequirement, choose_default_voice, describe_skipped_voices, find_installed_voice
from app.voices.prepared_voice import Voice

if TYPE_CHECKING:
    from app.voices.prepared_voice import PrepareVoice


@dataclass(frozen=True, slots=True)
class ResolvedVoice:
    """A voice that can be opened now, by the reference that `open_speaker` takes; the note says why it could not be prepared, for example."""

    voice: Voice
    reference: str | None
    note: str | None = None


def resolve_ready_voice(
    reference: str | None,
    ask_licence: AskLicence,
    report: Report = ignore_report,
    *,
    announce: Callable[[str], object] = lambda _text: None,
    require_bert: BertRequirement | None = None,
    prepare: PrepareVoice | None = None,
    may_be_path: bool = True,
    renews_first: bool = True,
) -> ResolvedVoice:
    """Return the voice of this id, name or path, or else the first that can speak; an unprepared one is prepared now, unless it was before.

    Args:
        may_be_path: a path is one; not where a stranger's project may have named the voice.
        renews_first: the natural voice is prepared again now if its recipe is older; not where that is done in the background.
        announce: called, in the language of the user, with what takes long, and where another voice speaks than the first one.
        require_bert: called with the BERT of a voice that is to be prepared, to raise where it is missing: before the user waits. Also says
            which voices can speak.

    Raises:
        VoiceError: there is none, it cannot speak, or its licence was declined.
    """
    if reference is None:
        prepare_waiting_voice(announce, report, require_bert=require_bert)
        first = choose_default_voice(paths.list_voice_dirs(), require_bert)
        voice: Voice | None = first.voice
        if first.skipped:
            announce(describe_skipped_voices(first.skipped, first.voice.manifest))
    else:
        prepare_if_waiting(reference, announce, report)
        voice = find_installed_voice(reference, paths.list_voice_dirs())
    if voice is None:
        assert reference is not None

        # Both bring all readers of sources, which an installed voice does not need.
        from app.install.resolve_source import PriorConsent, find_source, prepare_source
        from app.install.sandboxed_import import prepare_voice_in_sandbox

        ready = ResolvedVoice(
            *prepare_source(
                find_source(reference, may_be_path=may_be_path),
                report,
                PriorConsent(ask_licence, require_bert or (lambda _id: None), announce),
                prepare or prepare_voice_in_sandbox,
            )
        )
    else:
        ready = ResolvedVoice(renew_before_speaking(voice, announce, report) if renews_first else voice, reference)
    require_licence(read_licence(ready.voice), ask_licence)
    return ready


def find_unprepared_voice(reference: str, *, may_be_path: bool = True) -> Voice:
    """Return the voice of this id, name or path as it is, without preparing it or asking for a licence."""
    from app.install.resolve_source import find_source
    from app.voices.containers.voice_sources import read_voice_source

    return find_installed_voice(reference, paths.list_voice_dirs()) or read_voice_source(find_source(reference, may_be_path=may_be_path))
