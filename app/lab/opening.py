"""Finds what a user names to the lab, and prepares what was not prepared before."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from app import paths
from app.errors import AppError, VoiceError
from app.install.confined import prepare_bert_confined
from app.install.licence import Ask
from app.install.proof_limits import UnsafeError
from app.install.ready import ready_voice
from app.lab.scratch import scratch_folder
from app.lab.subject import Subject, of_bert, of_voice
from app.progress import Report, unreported
from app.voices.bert import BERT_MANIFEST_NAME, Bert, installed_berts, read_bert, write_bert
from app.voices.containers.external_data import external_files
from app.voices.containers.onnx_metadata import read_onnx
from app.voices.containers.recognition import container_of
from app.voices.containers.sources import read_source
from app.voices.library import find_installed, is_path
from app.voices.manifest import MANIFEST_NAME
from app.voices.untrusted.regular_file import is_folder

BERT_INPUTS = {"input_ids", "attention_mask"}


@contextmanager
def subject_of(wanted: str | None, ask: Ask, report: Report = unreported, announce: Callable[[str], object] = print) -> Iterator[Subject]:
    """The voice or BERT of this id, name or path; what was not prepared before is prepared for as long as the block runs.

    Args:
        wanted: None is the first voice.
        ask: shows a licence that was not accepted yet.
        announce: called with what the user should know.

    Raises:
        VoiceError: there is none of that name, or it is neither a voice nor a BERT.
    """
    with ExitStack() as kept:
        bert = _installed_bert(wanted)
        if bert is not None:
            yield replace(of_bert(bert), installed=bert.folder.absolute().parent in paths.bert_dirs())
            return
        installed = wanted is None or find_installed(wanted, paths.voice_dirs()) is not None
        if wanted is None or installed or not is_path(wanted):
            ready = ready_voice(wanted, ask, report, announce=announce)
            yield replace(of_voice(ready.voice, {}, ready.note or ""), installed=installed)
            return
        path = Path(wanted)
        if (path / MANIFEST_NAME).is_file():
            yield of_voice(read_source(path), {})
            return
        folder = kept.enter_context(scratch_folder())
        yield _from_source(path, folder, ask, report, announce)


def _installed_bert(wanted: str | None) -> Bert | None:
    if wanted is None:
        return None
    if (Path(wanted) / BERT_MANIFEST_NAME).is_file():
        return read_bert(Path(wanted))
    return next((bert for bert in installed_berts(paths.bert_dirs()) if bert.id == wanted), None)


def _from_source(path: Path, folder: Path, ask: Ask, report: Report, announce: Callable[[str], object]) -> Subject:
    """A file as it comes, prepared into a folder; where it is no voice it may be a BERT, or any graph."""
    try:
        source = read_source(path)
    except VoiceError as error:
        return _other_than_a_voice(path, folder, report, error)
    graphs = source.graphs if source.manifest.opaque else {}
    ready = ready_voice(str(path), ask, report, announce=announce)
    weights = None if graphs or is_folder(path) or container_of(path) != "safetensors" else path
    return replace(of_voice(ready.voice, graphs, ready.note or ""), weights=weights)


def _other_than_a_voice(path: Path, folder: Path, report: Report, why_no_voice: VoiceError) -> Subject:
    """A BERT, or a graph with the reason why it is none; raises `why_no_voice` where there is no graph."""
    from app.voices.prepare.bert.open import find_model

    try:
        model = find_model(path)
    except VoiceError as error:
        raise why_no_voice from error
    if model.suffix != ".onnx":
        return _of_bert_file(model, folder, report)
    outline = read_onnx(model).outline
    external_files(model, outline)
    if not set(outline.inputs) >= BERT_INPUTS:
        return Subject(path.name, {"graph": model}, reason=why_no_voice.message)
    try:
        return replace(_of_bert_file(model, folder, report), source={"bert": model})
    except UnsafeError:
        raise
    except AppError as error:
        return Subject(path.name, {"bert": model}, reason=f"{error.message} {error.hint}".strip())


def _of_bert_file(model: Path, folder: Path, report: Report) -> Subject:
    prepared = prepare_bert_confined(model, folder, report)
    bert = write_bert(folder, {"id": "bert", "name": model.name} | prepared.values())
    return replace(of_bert(bert), weights=model if model.suffix == ".safetensors" else None)
