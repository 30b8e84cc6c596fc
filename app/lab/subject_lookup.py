"""Finds what a user names to the lab, and prepares what was not prepared before; and the rows before those of a part: the machine, another BERT."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

import psutil

from app.adapters.ort.graph_session import ORT_VERSION
from app.adapters.ort.session_options import count_intra_threads
from app.bench.multiply_adds import find_cpu_name
from app.common.errors import AppError, VoiceError
from app.common.files import paths
from app.common.language import localize
from app.common.progress import Report, ignore_report
from app.install.resolve_voice import resolve_ready_voice
from app.install.sandboxed_import import UnsafeFileError, prepare_bert_in_sandbox
from app.install.voice_licence import AskLicence
from app.lab.lab_subject import LabSubject, create_bert_subject, create_scratch_folder, create_voice_subject
from app.lab.report_rows import Row, make_row
from app.settings.user_settings import load_usable_settings
from app.voices.bert_models import BERT_MANIFEST_NAME, BertModel, find_bert, list_installed_berts, read_bert, write_bert
from app.voices.containers.container_recognition import recognise_container
from app.voices.containers.onnx_metadata import list_external_files, read_onnx_info
from app.voices.containers.voice_sources import read_voice_source
from app.voices.installed_voices import find_installed_voice, is_path_text
from app.voices.prepared_voice import MANIFEST_NAME
from app.voices.untrusted.regular_file import is_folder

BERT_INPUTS = {"input_ids", "attention_mask"}

BUSY_SHARE = 0.25  # of the processor taken by others: figures of time are no longer worth much
BUSY_SAMPLE_S = 0.2


@contextmanager
def open_subject_by_name(
    name: str | None, ask: AskLicence, report: Report = ignore_report, announce: Callable[[str], object] = print
) -> Iterator[LabSubject]:
    """Open a voice (None: the first) or BERT, prepared for as long as the block runs; raise VoiceError if there is none, or it is neither."""
    with ExitStack() as folders:
        bert = _find_installed_bert(name)
        if bert is not None:
            yield replace(create_bert_subject(bert), installed=bert.folder.absolute().parent in paths.list_bert_dirs())
            return
        installed = name is None or find_installed_voice(name, paths.list_voice_dirs()) is not None
        if name is None or installed or not is_path_text(name):
            ready = resolve_ready_voice(name, ask, report, announce=announce)
            yield replace(create_voice_subject(ready.voice, {}, ready.note or ""), installed=installed)
            return
        path = Path(name)
        if (path / MANIFEST_NAME).is_file():
            yield create_voice_subject(read_voice_source(path), {})
            return
        folder = folders.enter_context(create_scratch_folder())
        yield _prepare_source(path, folder, ask, report, announce)


def _find_installed_bert(bert_name: str | None) -> BertModel | None:
    if bert_name is None:
        return None
    if (Path(bert_name) / BERT_MANIFEST_NAME).is_file():
        return read_bert(Path(bert_name))
    return next((bert for bert in list_installed_berts(paths.list_bert_dirs()) if bert.id == bert_name), None)


def _prepare_source(path: Path, folder: Path, ask: AskLicence, report: Report, announce: Callable[[str], object]) -> LabSubject:
    """Prepare an original file into a folder; a file that is no voice may be a BERT, or any graph."""
    try:
        source = read_voice_source(path)
    except VoiceError as error:
        return _prepare_other_graph(path, folder, report, error)
    graphs = source.graphs if source.manifest.is_single_graph else {}
    ready = resolve_ready_voice(str(path), ask, report, announce=announce)
    weights = None if graphs or is_folder(path) or recognise_container(path) != "safetensors" else path
    return replace(create_voice_subject(ready.voice, graphs, ready.note or ""), weights=weights)


def _prepare_other_graph(path: Path, folder: Path, report: Report, voice_error: VoiceError) -> LabSubject:
    """Prepare a BERT, or a graph with the reason why it is none; raise `voice_error` if there is no graph."""
    from app.voices.prepare.bert.open_weights import find_bert_file

    try:
        model = find_bert_file(path)
    except VoiceError as error:
        raise voice_error from error
    if model.suffix != ".onnx":
        return _prepare_bert_file(model, folder, report)
    outline = read_onnx_info(model).outline
    list_external_files(model, outline)
    if not set(outline.inputs) >= BERT_INPUTS:
        return LabSubject(path.name, {"graph": model}, reason=voice_error.message)
    try:
        return replace(_prepare_bert_file(model, folder, report), source={"bert": model})
    except UnsafeFileError:
        raise
    except AppError as error:
        return LabSubject(path.name, {"bert": model}, reason=f"{error.message} {error.hint}".strip())


def _prepare_bert_file(model: Path, folder: Path, report: Report) -> LabSubject:
    prepared = prepare_bert_in_sandbox(model, folder, report)
    bert = write_bert(folder, {"id": "bert", "name": model.name} | prepared.build_description())
    return replace(create_bert_subject(bert), weights=model if model.suffix == ".safetensors" else None)


def build_machine_row(backend: str) -> Row:
    """Build the first row of every report."""
    return make_row(
        "machine",
        ort=ORT_VERSION.removeprefix("onnxruntime "),
        cpu=find_cpu_name(),
        threads=count_intra_threads(),
        busy=psutil.cpu_percent(BUSY_SAMPLE_S) > 100 * BUSY_SHARE,
        backend=backend,
    )


def build_substitute_note(subject: LabSubject) -> Row | None:
    """Return a note that another BERT reads, or None if the voice's own does; raise VoiceError if there is no BERT at all."""
    if subject.voice is None or not subject.voice.manifest.bert:
        return None
    needed = subject.voice.manifest.bert
    substitute = find_bert(needed, paths.list_bert_dirs(), allow_mismatch=True, preferred_id=load_usable_settings().bert)
    if substitute.id == needed:
        return None
    words = localize(
        f"この声が使う BERT「{needed}」がないため、代わりに「{substitute.id}」で読み取りました。BERT の時間と声の比較は、元の BERT では異なります。",
        f"The BERT “{needed}” of this voice is not installed; “{substitute.id}” read in its place. Its times, and what depends on what was read, "
        "differ with the voice's own.",
    )
    return make_row("note", note=words)
