"""The installed BERT models. A voice names the one it was trained with; features of another make speech that is silently wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from app.data_file import write_json
from app.errors import VoiceError
from app.json_text import file_name, finite, long_text, parse_object, short_text
from app.language import by_frontend, localized
from app.paths import folders_in
from app.small_file import read_small
from app.voices.untrusted.limits import LARGEST_BERT_JSON_BYTES
from app.voices.vocabulary import VOCABULARY_NAME
from app.voices.wanted_bert import SBV2_BERT, STANDARD_DOWNLOAD_MB, MissingBertError

BERT_MANIFEST_NAME = "bert.json"
GRAPH_NAME = "bert.onnx"

Precision = Literal["float32", "int8"]
PRECISIONS: tuple[Precision, ...] = ("float32", "int8")


@dataclass(frozen=True, slots=True)
class Bert:
    """One BERT: its id and the files it is made of.

    Attributes:
        graphs: file of the graph by precision; float32 is always there.
        vocabulary: a token a line.
        licence: what its makers ask for.
        source_sha256: of the file it was made from.
        int8_cosine: how alike the features of a token are in int8 and float32, at worst; None without int8.
        kept_whole: why the graph is the one it came with; empty when it is the lean one.
    """

    id: str
    name: str
    graphs: Mapping[Precision, Path]
    vocabulary: Path
    licence: str = ""
    source_sha256: str = ""
    int8_cosine: float | None = None
    kept_whole: str = ""

    @property
    def graph(self) -> Path:
        """The exact graph."""
        return self.graphs["float32"]

    @property
    def size_bytes(self) -> int:
        """What the files take, weights beside their graph included."""
        return sum(path.stat().st_size for path in self.folder.iterdir())

    @property
    def folder(self) -> Path:
        """Where its files are."""
        return self.vocabulary.parent


def find_bert(needed: str, folders: Sequence[Path], *, chosen: str | None = None, force: bool = False, preferred: str = "") -> Bert:
    """The BERT a voice needs, by id.

    Args:
        needed: id of the BERT the voice was trained with.
        folders: where to look.
        chosen: id or folder of the one to use instead.
        force: take `chosen`, or else `preferred`, or else whatever is there, although the voice needs another one.
        preferred: id of the one taken where the voice's own is missing and `force` is given.

    Raises:
        VoiceError: it is not installed, damaged, or not the one the voice needs.
    """
    if chosen and Path(chosen).is_dir():
        folders = [Path(chosen).parent]
        chosen = read_bert(Path(chosen)).id
    wanted = chosen or needed
    if wanted != needed and not force:
        raise _wrong(needed, wanted)
    known = [bert for root in folders for bert in _installed(root, wanted)]
    for bert in known:
        if bert.id == wanted:
            return bert
    if force and known:
        return next((bert for bert in known if bert.id == preferred), known[0])
    raise _missing(wanted, folders)


def installed_berts(folders: Sequence[Path]) -> list[Bert]:
    """All models in the given folders, in order; damaged ones are left out."""
    return [bert for root in folders for bert in _installed(root, None)]


def read_bert(folder: Path) -> Bert:
    """The BERT of a folder; a VoiceError when it is damaged."""
    try:
        data = _manifest(folder)
        names = data.get("files", {"float32": GRAPH_NAME})
        cosine = data.get("int8_cosine")
        bert = Bert(
            id=short_text(data["id"]),
            name=short_text(data["name"]),
            graphs={precision: folder / file_name(names[precision]) for precision in PRECISIONS if precision in names},
            vocabulary=folder / VOCABULARY_NAME,
            licence=long_text(data.get("licence", "")),
            source_sha256=short_text(data.get("source_sha256", "")),
            int8_cosine=None if cosine is None else finite(cosine),
            kept_whole=long_text(data.get("kept_whole", "")),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise _damaged(folder) from exc
    if "float32" not in bert.graphs or not all(path.is_file() for path in (*bert.graphs.values(), bert.vocabulary)):
        raise _damaged(folder)
    return bert


def write_bert(folder: Path, values: Mapping[str, Any]) -> Bert:
    """Writes the description of a BERT whose files are in the folder, and reads it back."""
    write_json(folder / BERT_MANIFEST_NAME, dict(values), errors="replace")
    return read_bert(folder)


def is_bert_id(text: str) -> bool:
    """Ids are names of folders: small letters, digits and hyphens."""
    return re.fullmatch(r"[0-9a-z][0-9a-z-]{0,63}", text) is not None


def _manifest(folder: Path) -> dict[str, Any]:
    return parse_object(read_small(folder / BERT_MANIFEST_NAME, LARGEST_BERT_JSON_BYTES))


def _installed(root: Path, wanted: str | None) -> Iterator[Bert]:
    """The models in a folder; a damaged one only matters when it may be the wanted one."""
    for folder in folders_in(root):
        if not (folder / BERT_MANIFEST_NAME).is_file():
            continue
        try:
            yield read_bert(folder)
        except VoiceError:
            if wanted is not None and wanted in (folder.name, _id(folder)):
                raise


def _id(folder: Path) -> str | None:
    try:
        return short_text(_manifest(folder)["id"])
    except (OSError, ValueError, KeyError):
        return None


def _missing(wanted: str, folders: Sequence[Path]) -> MissingBertError:
    forced_ja = "--force-bert を付けると別の BERT で代用できますが、抑揚が不自然になります。"
    forced_en = "Or use another BERT with --force-bert; intonation will be off."
    menu = localized("「ファイル」メニューの「BERT のファイルを追加…」から追加できます。", "Add it with “Add BERT file…” in the File menu.")
    if wanted == SBV2_BERT:
        command = localized(
            f"koebako bert add --hub でダウンロードできます（{STANDARD_DOWNLOAD_MB} MB）。ファイルがある場合は koebako bert add ファイル で追加してください。{forced_ja}",
            f"Download it with `koebako bert add --hub` ({STANDARD_DOWNLOAD_MB} MB), or add a file with `koebako bert add FILE`. {forced_en}",
        )
    else:
        command = localized(
            f"koebako bert add ファイル --id {wanted} で {folders[0]} に追加してください。{forced_ja}",
            f"Add it to {folders[0]} with `koebako bert add FILE --id {wanted}`. {forced_en}",
        )
    message = localized(f"この声に必要な BERT「{wanted}」がありません。", f"The BERT this voice requires is missing: “{wanted}”.")
    return MissingBertError(wanted, message, by_frontend(menu, command))


def _wrong(needed: str, wanted: str) -> VoiceError:
    return VoiceError(
        localized(
            f"この声は BERT「{needed}」で学習されています。「{wanted}」では正しく合成できません。",
            f"This voice was trained with the BERT “{needed}”, not “{wanted}”.",
        ),
        by_frontend(
            localized(
                "この声に対応する BERT を追加するか、別の BERT で代用してください。",
                "Add its own BERT, or choose to use another one.",
            ),
            localized(
                "別の BERT で代用する場合は --force-bert を付けてください。",
                "To use it anyway, add --force-bert; intonation will be off.",
            ),
        ),
    )


def _damaged(folder: Path) -> VoiceError:
    return VoiceError(
        localized(f"BERT のファイルが不足しているか、壊れています: {folder}", f"The BERT is incomplete or damaged: {folder}"),
        localized(
            "この BERT をもう一度追加するか、Koebako を再インストールしてください。",
            "Add this BERT again, or reinstall Koebako.",
        ),
    )
