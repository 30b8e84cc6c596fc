"""Does for a prepared BERT what adding it left undone: the comparison with its source in full, and the int8 graph.

Runs in the sandbox; `app.install.pending_berts` starts it, and adopts what it makes.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from app.common.errors import InternalError
from app.common.progress import Report, ignore_report
from app.core.synthesis_types import BERT_WIDTH
from app.install.bert_preparation import compare_and_quantise, open_original_weights
from app.install.preparation_results import BertPreparationResult
from app.voices.bert_models import BERT_GRAPH_NAME, VOCABULARY_NAME
from app.voices.pending_refinement import find_original_bert

# What is read beside what is written.
SHARED_NAMES = (VOCABULARY_NAME, BERT_GRAPH_NAME, str(Path(BERT_GRAPH_NAME).with_suffix(".data")))


def compute_bert_refinement(
    folder: Path, results: Path, report: Report = ignore_report, *, width: int = BERT_WIDTH
) -> BertPreparationResult:
    """Compare the BERT in a folder with its original in full, and write into another folder the graphs that it lacks.

    Raises:
        VoiceError: it does not compute what its original does, and nothing else does.
        OSError: the results cannot be written.
    """
    original = find_original_bert(folder)
    if original is None:
        raise InternalError(f"{folder}: no original")
    report("reading", 0.0)
    source = open_original_weights(original, width)
    for name in SHARED_NAMES:
        _link_file(folder / name, results / name)
    refined = compare_and_quantise(original, source, results, report, width=width)
    for name in SHARED_NAMES:
        (results / name).unlink(missing_ok=True)
    return refined


def _link_file(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where the disk has no second names: a graph can only read weights beside it."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
