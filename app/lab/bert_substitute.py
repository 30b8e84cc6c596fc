"""Names the BERT whose features a voice is given, where that is not the BERT that it was trained with."""

from __future__ import annotations

from app.common.files import paths
from app.common.language import localize
from app.lab.lab_subject import LabSubject
from app.lab.report_rows import Row
from app.settings.user_settings import load_usable_settings
from app.voices.bert_models import find_bert


def build_substitute_note(subject: LabSubject) -> Row | None:
    """Return a note that another BERT reads, or None if the voice's own does; raise VoiceError if there is no BERT at all."""
    if subject.voice is None:
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
    return {"type": "note", "note": words}
