"""Rows before those of a part: the machine that a report was made on, and the BERT that read in place of another."""

from __future__ import annotations

import psutil

from app.adapters.ort.graph_session import ORT_VERSION
from app.adapters.ort.session_options import count_intra_threads
from app.bench.machine_facts import find_cpu_name
from app.common.files import paths
from app.common.language import localize
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row, make_row
from app.settings.user_settings import load_usable_settings
from app.voices.bert_models import find_bert

# Of the processor taken by others: figures of time are no longer worth much.
BUSY_SHARE = 0.25
BUSY_SAMPLE_S = 0.2


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
    found = find_bert(needed, paths.list_bert_dirs(), allow_mismatch=True, preferred_id=load_usable_settings().bert)
    if found.id == needed:
        return None
    words = localize(
        f"この声が使う BERT「{needed}」がないため、代わりに「{found.id}」で読み取りました。BERT の時間と声の比較は、元の BERT では異なります。",
        f"The BERT “{needed}” of this voice is not installed; “{found.id}” read in its place. Its times, and what depends on what was read, "
        "differ with the voice's own.",
    )
    return make_row("note", note=words)
