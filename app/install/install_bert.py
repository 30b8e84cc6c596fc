"""Adds BERTs to the library and removes them. One is complete and proved in the staging folder before it takes its place there.

Finds out, too, which voices keep their durations with their BERT in int8; `app.install.calibration_runs` measures, in a child with limits.
"""

import logging
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from app.adapters.files.free_space import check_free_space
from app.common.errors import InputError, VoiceError
from app.common.files import paths
from app.common.files.untrusted_json import sanitise_long_text
from app.common.language import localize
from app.common.progress import Report, build_part_report, ignore_report
from app.install.sandboxed_import import UnsafeFileError, prepare_bert_in_sandbox, run_in_sandbox
from app.install.staging_folders import create_staging_folder, move_into_place, read_in_place, recover_interrupted_moves, remove_folder
from app.voices import bert_models
from app.voices.file_fact_cache import compute_content_digest, compute_file_digests, sum_file_sizes
from app.voices.installed_voices import list_installed_voices
from app.voices.pending_refinement import find_original_bert, mark_refinement_pending
from app.voices.prepared_voice import Voice
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_LICENCE

STANDARD_VOCABULARY_SHA256 = "902cbd7e218aaf23a72955533293ceac12fcc4e010ad98c0c14757b94ce7abb6"
STANDARD_BERT_SIZES = (22, 16, 1024, 4096)  # layers in use, heads, hidden, inner
STANDARD_BERT_NAME = "DeBERTa V2 large Japanese (character)"
# Float16 weights are written in float32, in float32 again for the full comparison, and in int8; the original is kept until then.
NEEDED_BYTES_PER_SOURCE_BYTE = 5


@dataclass(frozen=True, slots=True)
class AddBertResult:
    """A BERT that was added; `was_installed` says that it was there before, and nothing was changed."""

    bert: bert_models.BertModel
    was_installed: bool = False


def add_bert(source: Path, report: Report = ignore_report, *, id: str | None = None) -> AddBertResult:  # noqa: A002
    """Install the BERT of a file or folder, in place of one of the same id, so far that it can be used; `refine_installed` finishes it.

    Args:
        source: a model or its folder, which also has the vocabulary.
        id: what voices call it; None is derived from its content.

    Raises:
        VoiceError: it is no BERT that Style-Bert-VITS2 voices could use, or its vocabulary is missing.
        InputError: the id cannot be one.
        OutputFileError: the disk is full or cannot be written.
    """
    from app.voices.prepare.bert.open_weights import find_bert_file

    if id is not None and not bert_models.is_bert_id(id):
        raise InputError(
            localize(f"使用できない BERT の ID です: {id}", f"This is not a valid BERT ID: {id}"),
            localize("半角の小文字、数字、ハイフンで 64 文字まで使えます。", "Use up to 64 lower-case letters, digits and hyphens."),
        )
    model = find_bert_file(source)
    # A bad vocabulary is reported before minutes of work, not after them.
    bert_models.read_vocabulary(model.parent)
    files = [model, *sorted(item for item in model.parent.glob(f"{model.name}*") if item != model and "data" in item.suffix)]
    sha256 = compute_content_digest(compute_file_digests(files, build_part_report(report, 0.0, 0.03)))
    for bert in bert_models.list_installed_berts(paths.list_bert_dirs()):
        if bert.source_sha256 == sha256 and id in (None, bert.id) and not bert.is_abandoned:
            return AddBertResult(bert, was_installed=True)
    home = paths.find_data_dir() / "bert"
    check_free_space(home, NEEDED_BYTES_PER_SOURCE_BYTE * sum_file_sizes(files))
    recover_interrupted_moves(home)
    with create_staging_folder() as folder:
        prepared = prepare_bert_in_sandbox(model, folder, build_part_report(report, 0.03, 0.97), is_quick=True)
        bert = _write_description(model, folder, prepared, sha256, id)
        if find_original_bert(folder) is not None:
            mark_refinement_pending(folder)
        report("storing", 0.98)
        move_into_place(folder, home / bert.id)
    report("storing", 1.0)
    return AddBertResult(read_in_place(home / bert.id, bert_models.read_bert))


def remove_bert(bert: bert_models.BertModel) -> None:
    """Remove an installed BERT, at once or not at all; raise the errors of `require_user_bert`."""
    require_user_bert(bert)
    remove_folder(bert.folder)


def require_user_bert(bert: bert_models.BertModel) -> None:
    """Raise VoiceError if the BERT ships with the program."""
    if not bert.folder.is_relative_to(paths.find_data_dir()):
        raise VoiceError(
            localize(
                f"BERT「{bert.id}」は Koebako に付属しているため、変更も削除もできません。",
                f"The BERT “{bert.id}” comes with Koebako and cannot be changed or deleted.",
            ),
            localize("変更や削除ができるのは、自分で追加した BERT だけです。", "You can only change or delete BERTs that you added."),
        )


def find_installed_bert(bert_id: str) -> bert_models.BertModel:
    """Return the installed BERT of this id, users' own first; raise VoiceError with the known ones if there is none."""
    berts = bert_models.list_installed_berts(paths.list_bert_dirs())
    for bert in berts:
        if bert.id == bert_id:
            return bert
    raise VoiceError(
        localize(f"BERT「{bert_id[:80]}」が見つかりません。", f"There is no BERT “{bert_id[:80]}”."),
        localize("使用できるもの: ", "Available: ") + ", ".join(bert.id for bert in berts),
    )


def _write_description(
    model: Path, folder: Path, prepared: bert_models.BertPreparationResult, sha256: str, wanted_id: str | None
) -> bert_models.BertModel:
    sizes = prepared.architecture
    vocabulary = bert_models.compute_vocabulary_sha256(bert_models.read_vocabulary(folder))
    standard = vocabulary == STANDARD_VOCABULARY_SHA256 and (sizes.layers, sizes.heads, sizes.hidden, sizes.inner) == STANDARD_BERT_SIZES
    values = {
        "id": wanted_id or (SBV2_BERT_ID if standard else f"bert-{sha256[:16]}"),
        "name": STANDARD_BERT_NAME if standard else model.parent.name or model.stem,
        "licence": STANDARD_LICENCE if standard else "",
        "source": model.name,
        "source_sha256": sha256,
        "vocabulary_sha256": vocabulary,
    }
    return bert_models.write_bert(folder, values | prepared.build_description())


_log = logging.getLogger("koebako")


def measure_missing_agreements(report: Report = ignore_report, *, is_paused: Callable[[], bool] | None = None) -> int:
    """Measure every installed voice with its BERT unless that was done before; return how many were measured.

    One that cannot be measured keeps the exact features, and is tried again the next time. With `is_paused`, it runs with the lowest priority.
    """
    berts = {bert.id: bert for bert in reversed(bert_models.list_installed_berts(paths.list_bert_dirs())) if "int8" in bert.graphs}
    pairs = [
        (voice, berts[voice.manifest.bert]) for voice in list_installed_voices(paths.list_voice_dirs()) if voice.manifest.bert in berts
    ]
    waiting = [
        (voice, bert)
        for voice, bert in pairs
        if not voice.manifest.is_single_graph and bert_models.find_equal_duration_share(voice, bert) is None
    ]
    measured = 0
    for bert in {bert.id: bert for _, bert in waiting}.values():
        voices = [voice for voice, own in waiting if own is bert]
        with closing(measure_agreements(bert, voices, is_paused)) as shares:
            for voice, share in zip(voices, shares, strict=False):
                report("checking", measured / len(waiting))
                if share is not None:
                    bert_models.remember_equal_duration_share(voice, bert, share)
                    measured += 1
    return measured


def measure_agreements(
    bert: bert_models.BertModel, voices: Sequence[Voice], is_paused: Callable[[], bool] | None = None
) -> Generator[float | None, None, None]:
    """Yield for each voice the share of symbols that keep their length in int8; None if it cannot be measured now.

    A voice that takes more than any voice needs has 0: it gets the exact features, and is not tried again. A BERT that does ends it all.
    """
    waiting = list(voices)
    while waiting:
        is_bert_read = False
        try:
            for row in run_in_sandbox(
                "bert", "shares", [bert.folder, [str(item.path.absolute()) for item in waiting]], is_paused=is_paused
            ):
                if is_bert_read and waiting:
                    voice = waiting.pop(0)
                    share = parse_agreement(row)
                    if share is None:
                        _log.info("no precision measured for %s: %.500s", voice.manifest.id, sanitise_long_text(str(row.get("why"))))
                    yield share
                is_bert_read = True
            return
        except UnsafeFileError as exc:
            if waiting:
                _log.info("no precision measured for %s with %s: %s", waiting.pop(0).manifest.id, bert.id, exc)
                yield 0.0 if is_bert_read else None
            if not is_bert_read:
                return


def parse_agreement(row: Mapping[str, Any]) -> float | None:
    """Return a measured share, 0..1, or None if there is none."""
    share = row.get("share")
    return share if isinstance(share, float) and 0 <= share <= 1 else None
