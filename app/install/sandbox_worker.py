"""`--prove`: what opens or runs a stranger's graph, done in a child that keeps to limits. Its parent is `app.install.sandboxed_import`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, astuple
from pathlib import Path
from typing import TYPE_CHECKING

from app.adapters.sandbox.sandbox_child import SandboxChannel, serve_task
from app.common.errors import AppError

if TYPE_CHECKING:
    from app.voices.bert_models import BertPreparationResult

# A task imports what it needs when it is called: the limits hold then, and libraries are slow to import.


def _prepare_voice(channel: SandboxChannel, source: str, folder: str) -> None:
    from app.install.voice_preparation import prepare_voice

    prepared = prepare_voice(Path(source), Path(folder), channel.report_progress, is_quick=True)
    channel.send_result(max_abs_diff=prepared.max_abs_diff, reason=prepared.reason)


def _refine_voice(channel: SandboxChannel, folder: str, results: str) -> None:
    from app.install.voice_preparation import compute_refinement

    channel.send_result(max_abs_diff=compute_refinement(Path(folder), Path(results), channel.report_progress))


def _prepare_bert(channel: SandboxChannel, model: str, folder: str, is_quick: bool) -> None:
    from app.install.bert_preparation import prepare_bert

    _send_bert(channel, prepare_bert(Path(model), Path(folder), channel.report_progress, is_quick=is_quick))


def _refine_bert(channel: SandboxChannel, folder: str, results: str) -> None:
    from app.install.bert_preparation import compute_bert_refinement

    _send_bert(channel, compute_bert_refinement(Path(folder), Path(results), channel.report_progress))


def _send_bert(channel: SandboxChannel, prepared: BertPreparationResult) -> None:
    channel.send_result(**asdict(prepared) | {"architecture": astuple(prepared.architecture)})


def _verify_source(channel: SandboxChannel, source: str) -> None:
    from app.install.verify_voice import speak_single_graph, verify_prepared_voice
    from app.voices.containers.voice_sources import read_voice_source

    voice = read_voice_source(Path(source))
    if voice.manifest.is_single_graph:
        speak_single_graph(voice, channel.report_progress)
    else:
        verify_prepared_voice(voice, None, channel.report_progress)


def _check_voice(channel: SandboxChannel, source: str, expected: str) -> None:
    from app.compose.graph_runner import create_graph_runner
    from app.install.voice_preparation import open_prepared_copy
    from app.voices.expected_outputs import find_unused_input, read_cases, verify_case

    cases = read_cases(Path(expected))
    with open_prepared_copy(Path(source), channel.report_progress) as voice:
        run = create_graph_runner(voice)
        for number, case in enumerate(cases):
            if skipped := find_unused_input(case, run):
                channel.send_result(case=number, skipped=skipped)
            else:
                channel.send_result(
                    **asdict(verify_case(number, case, run, voice.manifest.hop_length)), opaque=voice.manifest.is_single_graph
                )


def _measure_agreements(channel: SandboxChannel, bert: str, voices: Sequence[str]) -> None:
    """Measure voices with a BERT in int8; report first that the BERT itself has run."""
    from app.install.calibration_runs import measure_duration_agreement, read_with_bert
    from app.voices.bert_models import read_bert
    from app.voices.prepared_voice import read_prepared_voice

    reading = read_with_bert(read_bert(Path(bert)))
    channel.send_result(read=True)
    for folder in voices:
        try:
            channel.send_result(share=measure_duration_agreement(read_prepared_voice(Path(folder)), reading))
        except AppError as exc:
            channel.send_result(share=None, why=f"{exc.message} {exc.hint}")


def main() -> int:
    """Run the task that the parent requests."""
    return serve_task(
        {
            "voice": _prepare_voice,
            "refine": _refine_voice,
            "bert": _prepare_bert,
            "refine-bert": _refine_bert,
            "source": _verify_source,
            "check": _check_voice,
            "shares": _measure_agreements,
        }
    )
