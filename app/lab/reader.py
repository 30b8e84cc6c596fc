"""Whose features a voice is given, where that is not the BERT that it was trained with."""

from __future__ import annotations

from app import paths
from app.lab.rows import Row
from app.lab.subject import Subject
from app.language import localized
from app.settings import known_settings
from app.voices.bert import find_bert


def reader_row(subject: Subject) -> Row | None:
    """A note that another BERT reads; None where there is nothing to say. VoiceError where there is no BERT at all."""
    if subject.voice is None:
        return None
    needed = subject.voice.manifest.bert
    found = find_bert(needed, paths.bert_dirs(), force=True, preferred=known_settings().bert)
    if found.id == needed:
        return None
    words = localized(
        f"この声が使う BERT「{needed}」がないため、代わりに「{found.id}」で読み取りました。BERT の時間と声の比較は、元の BERT では異なります。",
        f"The BERT “{needed}” of this voice is not installed; “{found.id}” read in its place. Its times, and what depends on what was read, "
        "differ with the voice's own.",
    )
    return {"type": "note", "note": words}
