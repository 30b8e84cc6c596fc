"""`--prove`: what opens or runs a stranger's graph, done in a child that keeps to limits. Its parent is `app.install.confined`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple
from pathlib import Path

from app.adapters.confined.worker import Channel, serve
from app.errors import AppError

# A task imports what it needs when it is called: the limits hold then, and libraries are slow to import.


def _voice(channel: Channel, source: str, folder: str, int8: bool) -> None:
    """Prepares a voice."""
    from app.install.prepare import prepare_voice

    prepared = prepare_voice(Path(source), Path(folder), channel.report, int8=int8)
    channel.found(max_abs_diff=prepared.max_abs_diff, reason=prepared.reason)


def _bert(channel: Channel, model: str, folder: str) -> None:
    """Prepares a BERT."""
    from app.install.bert_prepare import prepare_bert

    prepared = prepare_bert(Path(model), Path(folder), channel.report)
    channel.found(**asdict(prepared) | {"architecture": astuple(prepared.architecture)})


def _source(channel: Channel, source: str) -> None:
    """Lets a voice speak that is used as it is."""
    from app.install.verify import speak_whole, verify_prepared
    from app.voices.containers.sources import read_source

    voice = read_source(Path(source))
    if voice.manifest.opaque:
        speak_whole(voice, channel.report)
    else:
        verify_prepared(voice, None, channel.report)


def _check(channel: Channel, source: str, expected: str) -> None:
    """Compares a voice with expected outputs."""
    from app.install.prepare import prepared_copy
    from app.parity import runner_of
    from app.voices.check import check_case, input_not_taken, read_cases

    cases = read_cases(Path(expected))
    with prepared_copy(Path(source), channel.report) as voice:
        run = runner_of(voice)
        for number, case in enumerate(cases):
            if skipped := input_not_taken(case, run):
                channel.found(case=number, skipped=skipped)
            else:
                channel.found(**asdict(check_case(number, case, run, voice.manifest.hop_length)), opaque=voice.manifest.opaque)


def _shares(channel: Channel, bert: str, voices: Sequence[str]) -> None:
    """Measures voices with a BERT in int8; reports first that the BERT itself has run."""
    from app.install.equal_share import equal_share, read_by
    from app.voices.bert import read_bert
    from app.voices.voice import read_prepared

    reading = read_by(read_bert(Path(bert)))
    channel.found(read=True)
    for folder in voices:
        try:
            channel.found(share=equal_share(read_prepared(Path(folder)), reading))
        except AppError as exc:
            channel.found(share=None, why=f"{exc.message} {exc.hint}")


def main() -> int:
    """Does what the parent asks for."""
    return serve({"voice": _voice, "bert": _bert, "source": _source, "check": _check, "shares": _shares})
