"""Adds BERTs to the library and removes them. One is complete and proved in the staging folder before it takes its place there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from app import paths
from app.adapters.files.disk_room import check_room
from app.errors import InputError, VoiceError
from app.install.confined import prepare_bert_confined
from app.install.prepared import PreparedBert
from app.install.staging import mend, put_in_place, remove_folder, staged_folder
from app.language import localized
from app.progress import Report, part, unreported
from app.voices.bert import Bert, installed_berts, is_bert_id, read_bert, write_bert
from app.voices.digest import content_digest, file_digests, total_bytes
from app.voices.vocabulary import read_vocabulary, vocabulary_sha256
from app.voices.wanted_bert import SBV2_BERT, STANDARD_LICENCE

STANDARD_VOCABULARY = "902cbd7e218aaf23a72955533293ceac12fcc4e010ad98c0c14757b94ce7abb6"
STANDARD_SIZES = (22, 16, 1024, 4096)  # layers in use, heads, hidden, inner
STANDARD_NAME = "DeBERTa V2 large Japanese (character)"
NEEDED_BYTES_EACH = 5  # float16 weights in float32, in float32 again for the comparison, and in int8


@dataclass(frozen=True, slots=True)
class AddedBert:
    """What came of a source.

    Attributes:
        already: this very BERT was there before; nothing was changed.
    """

    bert: Bert
    already: bool = False


def add_bert(source: Path, report: Report = unreported, *, id: str | None = None) -> AddedBert:  # noqa: A002
    """Installs the BERT of a file or folder, in place of one of the same id.

    Args:
        source: `model_fp16.onnx`, `model.onnx` or `model.safetensors`, or the folder it lies in, with the vocabulary beside it.
        id: what voices call it; None is derived from its content.

    Raises:
        VoiceError: it is no BERT that Style-Bert-VITS2 voices could use, or its vocabulary is missing.
        InputError: the id cannot be one.
        OutputFileError: the disk is full or cannot be written.
    """
    from app.voices.prepare.bert.open import find_model

    if id is not None and not is_bert_id(id):
        raise InputError(
            localized(f"使用できない BERT の ID です: {id}", f"This is not a valid BERT ID: {id}"),
            localized("半角の小文字、数字、ハイフンで 64 文字まで使えます。", "Use up to 64 lower-case letters, digits and hyphens."),
        )
    model = find_model(source)
    read_vocabulary(model.parent)  # reported before minutes of work, not after them
    files = [model, *sorted(item for item in model.parent.glob(f"{model.name}*") if item != model and "data" in item.suffix)]
    sha256 = content_digest(file_digests(files, part(report, 0.0, 0.03)))
    for bert in installed_berts(paths.bert_dirs()):
        if bert.source_sha256 == sha256 and id in (None, bert.id):
            return AddedBert(bert, already=True)
    home = paths.data_dir() / "bert"
    check_room(home, NEEDED_BYTES_EACH * total_bytes(files))
    mend(home)
    with staged_folder() as folder:
        prepared = prepare_bert_confined(model, folder, part(report, 0.03, 0.97))
        bert = _described(model, folder, prepared, sha256, id)
        report("storing", 0.98)
        put_in_place(folder, home / bert.id)
    report("storing", 1.0)
    return AddedBert(read_bert(home / bert.id))


def remove_bert(bert: Bert) -> None:
    """Removes an installed BERT, at once or not at all. Errors as `require_own`."""
    require_own(bert)
    remove_folder(bert.folder)


def require_own(bert: Bert) -> None:
    """A VoiceError where the BERT ships with the program."""
    if not bert.folder.is_relative_to(paths.data_dir()):
        raise VoiceError(
            localized(
                f"BERT「{bert.id}」は Koebako に付属しているため、変更も削除もできません。",
                f"The BERT “{bert.id}” comes with Koebako and cannot be changed or deleted.",
            ),
            localized("変更や削除ができるのは、自分で追加した BERT だけです。", "You can only change or delete BERTs that you added."),
        )


def find_installed_bert(wanted: str) -> Bert:
    """The installed BERT of this id, users' own first; a VoiceError names those there are."""
    known = installed_berts(paths.bert_dirs())
    for bert in known:
        if bert.id == wanted:
            return bert
    raise VoiceError(
        localized(f"BERT「{wanted[:80]}」が見つかりません。", f"There is no BERT “{wanted[:80]}”."),
        localized("使用できるもの: ", "Available: ") + ", ".join(bert.id for bert in known),
    )


def _described(model: Path, folder: Path, prepared: PreparedBert, sha256: str, wanted_id: str | None) -> Bert:
    """Writes `bert.json`."""
    sizes = prepared.architecture
    vocabulary = vocabulary_sha256(read_vocabulary(folder))
    standard = vocabulary == STANDARD_VOCABULARY and (sizes.layers, sizes.heads, sizes.hidden, sizes.inner) == STANDARD_SIZES
    values = {
        "id": wanted_id or (SBV2_BERT if standard else f"bert-{sha256[:16]}"),
        "name": STANDARD_NAME if standard else model.parent.name or model.stem,
        "licence": STANDARD_LICENCE if standard else "",
        "source": model.name,
        "source_sha256": sha256,
        "vocabulary_sha256": vocabulary,
    }
    return write_bert(folder, values | prepared.values())
