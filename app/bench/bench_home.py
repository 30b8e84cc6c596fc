"""A data folder of the benchmark's own, inside the cache: what is compared there is prepared as a user's would be, and no user's is touched."""

import hashlib
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from app.common.errors import InputError
from app.common.files import paths
from app.common.language import localize
from app.common.progress import Report, build_part_report
from app.install.duration_check import measure_missing_agreements
from app.install.install_bert import add_bert
from app.install.refinement_runs import refine_installed
from app.install.voice_import import ImportOptions, add_voice
from app.install.voice_licence import AskLicence
from app.voices import prepare
from app.voices.bert_models import read_bert
from app.voices.containers.container_recognition import recognise_container
from app.voices.pending_refinement import is_refinement_pending
from app.voices.voice_card_data import read_card

FLOAT16_NAME, FLOAT32_NAME = "model_fp16.onnx", "model.onnx"


@dataclass(frozen=True, slots=True)
class OriginalFiles:
    """The files that are compared, as published: a voice in one graph, the float16 BERT, if any, and its float32 file, if any."""

    voice: Path
    bert: Path
    exported: Path | None


@dataclass(frozen=True, slots=True)
class PreparedFiles:
    """The same files prepared: ids in the benchmark's own home, and notes why they are not as fast as they might be."""

    home: Path
    voice: str
    bert: str
    notes: tuple[str, ...] = ()


def find_originals(voice: str | None, bert: str | None) -> OriginalFiles:
    """Return the files that `--voice` and `--bert` name; raise InputError if they name none."""
    graph = _find_file(voice, (FLOAT32_NAME,))
    model = _find_file(bert, (FLOAT16_NAME, FLOAT32_NAME))
    if graph is None or model is None:
        raise InputError(
            localize("比較する元のファイルが見つかりません。", "The original files to compare with were not found."),
            localize(
                "--voice に model.onnx のあるフォルダーか声のファイルを、--bert に model_fp16.onnx のあるフォルダーを指定してください。",
                "Set --voice to a voice file or a folder with model.onnx, and --bert to a folder with model_fp16.onnx.",
            ),
        )
    if recognise_container(graph) == "safetensors":
        # Reported before minutes of work, not after them.
        raise create_no_graph_error(graph)
    exported = model.parent / FLOAT32_NAME
    return OriginalFiles(graph, model, exported if exported.is_file() and exported != model else None)


def create_no_graph_error(voice: Path) -> InputError:
    """Return the error for a voice of weights: only our own program makes graphs of them."""
    return InputError(
        localize(f"この声には比較できるグラフがありません: {voice}", f"This voice has no graph to compare with: {voice}"),
        localize("ONNX 形式の声（.onnx、.aivmx、.sbv2）を指定してください。", "Specify a voice in ONNX format (.onnx, .aivmx, .sbv2)."),
    )


def _find_file(name_or_path: str | None, names: tuple[str, ...]) -> Path | None:
    if name_or_path is None:
        return None
    path = Path(name_or_path)
    candidates = [path] if path.is_file() else [path / name for name in names if (path / name).is_file()]
    return next(iter(candidates), None)


@contextmanager
def use_bench_home() -> Iterator[Path]:
    """Keep all data in a folder of the benchmark's own until the block ends; models that an older program prepared there are removed."""
    root = paths.find_data_dir() / "cache" / "bench"
    home = root / _identify_program()
    for folder in paths.list_subfolders(root):
        if folder != home:
            shutil.rmtree(folder, ignore_errors=True)
    before = os.environ.get(paths.HOME_VARIABLE)
    os.environ[paths.HOME_VARIABLE] = str(home)
    try:
        yield home
    finally:
        if before is None:
            del os.environ[paths.HOME_VARIABLE]
        else:
            os.environ[paths.HOME_VARIABLE] = before


def _identify_program() -> str:
    """Return a name for the program that prepares: models prepared by other code would be measured in vain."""
    folder = Path(prepare.__file__).parent
    sources = sorted(folder.rglob("*.py"))
    return hashlib.sha256(b"".join(item.read_bytes() for item in sources)).hexdigest()[:12]


def prepare_files(originals: OriginalFiles, home: Path, confirm: AskLicence, report: Report) -> PreparedFiles:
    """Prepare voice and BERT to the end, unless an earlier run did; raise VoiceError if that is not possible.

    What is refined in the background for a user is finished here, or the figures would be those of the first minutes with a voice.
    """
    bert = add_bert(originals.bert, build_part_report(report, 0.0, 0.2)).bert
    voice = add_voice(originals.voice, ImportOptions(confirm, should_keep_both=True), build_part_report(report, 0.2, 0.3)).voice
    if is_refinement_pending(bert.folder):
        refine_installed(bert, build_part_report(report, 0.3, 0.5))
    if is_refinement_pending(voice.path):
        refine_installed(voice, build_part_report(report, 0.5, 0.95))
    measure_missing_agreements(build_part_report(report, 0.95, 1.0))
    notes = (read_bert(bert.folder).note, *read_card(voice.path).notes)
    return PreparedFiles(home, voice.path.name, bert.id, tuple(filter(None, notes)))
