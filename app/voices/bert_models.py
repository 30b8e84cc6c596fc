"""The installed BERT models. A voice names the one it was trained with; features of another make speech that is silently wrong.

A BERT runs in int8 where it is known to change no durations, else the exact one. Whether it does is measured when a BERT or a voice is added
(`app.install.install_bert`), for it takes seconds, and remembered in the cache. Where nothing is known, the exact graph runs.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from app.common.errors import VoiceError
from app.common.files.paths import list_subfolders
from app.common.files.untrusted_json import (
    parse_object,
    require_file_name,
    require_int,
    require_number,
    sanitise_long_text,
    sanitise_short_text,
)
from app.common.files.whole_files import read_bounded, write_json
from app.common.language import choose_by_frontend, localize
from app.settings.user_settings import GraphPrecision, PrecisionChoice
from app.voices.file_fact_cache import FileFactCache
from app.voices.int8_result import MIN_FRAMES_EQUAL
from app.voices.prepare.bert.deberta_weights import DebertaSizes
from app.voices.prepared_voice import GraphSources, Voice, map_int8_files
from app.voices.required_bert import SBV2_BERT_ID, STANDARD_DOWNLOAD_MB, MissingBertError
from app.voices.untrusted.voice_limits import MAX_BERT_JSON_BYTES, MAX_VOCABULARY_BYTES

BERT_MANIFEST_NAME = "bert.json"
BERT_GRAPH_NAME = "bert.onnx"

BertPrecision = Literal["float32", "int8"]
BERT_PRECISIONS: tuple[BertPrecision, ...] = ("float32", "int8")

VOCABULARY_NAME = "vocab.txt"
TOKENIZER_NAME = "tokenizer.json"
REQUIRED_TOKENS = {"[UNK]", "[CLS]", "[SEP]"}


@dataclass(frozen=True, slots=True)
class BertModel:
    """One BERT: its id and the files it is made of."""

    id: str
    name: str
    graphs: Mapping[BertPrecision, Path]  # file of the graph by precision; float32 is always there
    vocabulary: Path
    licence: str = ""
    source_sha256: str = ""
    int8_cosine: float | None = None  # how alike the features of a token are in int8 and float32, at worst; None without int8
    kept_whole: str = ""  # why the graph is the one it came with; empty when it is the lean one
    note: str = ""  # what users should know about how it was prepared; usually empty
    is_abandoned: bool = False  # the user stopped its refinement; adding it again begins it again

    @property
    def exact_graph(self) -> Path:
        """Return the path of the float32 graph."""
        return self.graphs["float32"]

    @property
    def size_bytes(self) -> int:
        """Return the size of all files in bytes, including weights stored outside the graph."""
        return sum(path.stat().st_size for path in self.folder.iterdir())

    @property
    def folder(self) -> Path:
        """Return the folder that holds the files of the model."""
        return self.vocabulary.parent


@dataclass(frozen=True, slots=True)
class BertPreparationResult:
    """The result of preparing a BERT file."""

    architecture: DebertaSizes
    files: dict[BertPrecision, str]  # name of the graph by precision
    max_rel_diff: float  # from the source, relative to the largest feature
    int8_cosine: float | None = None  # of int8 and float32 features, at worst; None where int8 did not pass
    int8_block: int | None = None  # how many numbers share a scale in int8; None where a column does, or int8 did not pass
    kept_whole: str | None = None  # why the source's own graph is used; None when the lean one is

    def build_description(self) -> dict[str, Any]:
        """Return the results as `bert.json` has them."""
        values = {
            "hidden_size": self.architecture.hidden,
            "layers": self.architecture.layers,
            "files": self.files,
            "max_rel_diff": self.max_rel_diff,
            "int8_cosine": self.int8_cosine,
            "int8_block": self.int8_block,
            "kept_whole": self.kept_whole,
        }
        return {key: value for key, value in values.items() if value is not None}


def find_bert(
    required_id: str, folders: Sequence[Path], *, chosen_id: str | None = None, allow_mismatch: bool = False, preferred_id: str = ""
) -> BertModel:
    """Return the BERT that a voice needs; raise VoiceError if it is not installed, damaged, or not the one the voice needs.

    Args:
        required_id: id of the BERT the voice was trained with.
        chosen_id: id or folder of the one to use instead.
        allow_mismatch: take `chosen_id`, or else `preferred_id`, or else whatever is there, although the voice needs another one.
    """
    if chosen_id and Path(chosen_id).is_dir():
        folders = [Path(chosen_id).parent]
        chosen_id = read_bert(Path(chosen_id)).id
    wanted = chosen_id or required_id
    if wanted != required_id and not allow_mismatch:
        raise _build_mismatch_error(required_id, wanted)
    installed = [bert for root in folders for bert in _iterate_installed(root, wanted)]
    by_id = {bert.id: bert for bert in reversed(installed)}
    if wanted in by_id:
        return by_id[wanted]
    if allow_mismatch and installed:
        return by_id.get(preferred_id, installed[0])
    raise _build_missing_bert_error(wanted, folders)


def list_installed_berts(folders: Sequence[Path]) -> list[BertModel]:
    """Return all models in the given folders, in order; damaged ones are left out."""
    return [bert for root in folders for bert in _iterate_installed(root, None)]


def read_vocabulary(folder: Path) -> list[str]:
    """Return the tokens by id from `vocab.txt` or `tokenizer.json`; raise VoiceError if neither is there, or it is none of a character BERT."""
    for name, read in ((VOCABULARY_NAME, _split_lines), (TOKENIZER_NAME, _parse_tokenizer_json)):
        path = folder / name
        if not path.is_file():
            continue
        try:
            tokens = read(read_bounded(path, MAX_VOCABULARY_BYTES).decode("utf-8"))
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
            raise _build_unusable_vocabulary_error(path) from exc
        if not set(tokens) >= REQUIRED_TOKENS or any("\n" in token for token in tokens):
            raise _build_unusable_vocabulary_error(path)
        return tokens
    raise VoiceError(
        localize(f"BERT の語彙がありません: {folder}", f"The vocabulary of this BERT is missing: {folder}"),
        localize(
            f"モデルと同じフォルダーに {TOKENIZER_NAME} または {VOCABULARY_NAME} を置いてください。",
            f"Put {TOKENIZER_NAME} or {VOCABULARY_NAME} beside the model.",
        ),
    )


def format_vocabulary(tokens: Sequence[str]) -> str:
    """Return the content of a `vocab.txt`: a token a line."""
    return "\n".join(tokens) + "\n"


def compute_vocabulary_sha256(tokens: Sequence[str]) -> str:
    """Return the hexadecimal SHA-256 of the `vocab.txt` with these tokens."""
    # Imported here, as it takes 3 ms and the window needs only the names above.
    import hashlib

    return hashlib.sha256(format_vocabulary(tokens).encode("utf-8", "surrogatepass")).hexdigest()


def _split_lines(text: str) -> list[str]:
    """Split a vocabulary into lines; a file with other line ends means the same."""
    return text.replace("\r\n", "\n").removesuffix("\n").split("\n")


def _parse_tokenizer_json(text: str) -> list[str]:
    ids = parse_object(text)["model"]["vocab"]
    if sorted(require_int(number, 0, len(ids) - 1) for number in ids.values()) != list(range(len(ids))):
        raise ValueError("ids have gaps")
    return sorted(ids, key=ids.__getitem__)


def _build_unusable_vocabulary_error(path: Path) -> VoiceError:
    return VoiceError(
        localize(f"BERT の語彙ファイルを読み込めません: {path}", f"The BERT vocabulary cannot be read: {path}"),
        localize("モデルと同じ配布元からもう一度ダウンロードしてください。", "Download it again from the source of the model."),
    )


def read_bert(folder: Path) -> BertModel:
    """Return the BERT of a folder; raise VoiceError when it is damaged."""
    try:
        data = _read_manifest(folder)
        names = data.get("files", {"float32": BERT_GRAPH_NAME})
        cosine = data.get("int8_cosine")
        bert = BertModel(
            id=sanitise_short_text(data["id"]),
            name=sanitise_short_text(data["name"]),
            graphs={precision: folder / require_file_name(names[precision]) for precision in BERT_PRECISIONS if precision in names},
            vocabulary=folder / VOCABULARY_NAME,
            licence=sanitise_long_text(data.get("licence", "")),
            source_sha256=sanitise_short_text(data.get("source_sha256", "")),
            int8_cosine=None if cosine is None else require_number(cosine),
            kept_whole=sanitise_long_text(data.get("kept_whole", "")),
            note=sanitise_long_text(data.get("note", "")),
            is_abandoned=data.get("abandoned") is True,
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as exc:
        raise _build_damaged_bert_error(folder) from exc
    if "float32" not in bert.graphs or not all(path.is_file() for path in (*bert.graphs.values(), bert.vocabulary)):
        raise _build_damaged_bert_error(folder)
    return bert


def write_bert(folder: Path, values: Mapping[str, Any]) -> BertModel:
    """Write the description of a BERT whose files are in the folder, and return the BERT read back."""
    write_json(folder / BERT_MANIFEST_NAME, dict(values), errors="replace")
    return read_bert(folder)


def rewrite_bert(folder: Path, values: Mapping[str, Any]) -> None:
    """Replace values in the description of the BERT in a folder; None removes one. Raises OSError or ValueError if it cannot be read."""
    described = {name: value for name, value in (_read_manifest(folder) | dict(values)).items() if value is not None}
    write_json(folder / BERT_MANIFEST_NAME, described, errors="replace")


def is_bert_id(text: str) -> bool:
    """Return whether a text can be an id: ids are names of folders, of small letters, digits and hyphens."""
    return re.fullmatch(r"[0-9a-z][0-9a-z-]{0,63}", text) is not None


def _read_manifest(folder: Path) -> dict[str, Any]:
    return parse_object(read_bounded(folder / BERT_MANIFEST_NAME, MAX_BERT_JSON_BYTES))


def _iterate_installed(root: Path, wanted_id: str | None) -> Iterator[BertModel]:
    """Yield the models in a folder; raise VoiceError for a damaged one only when it may be the wanted one."""
    for folder in list_subfolders(root):
        if not (folder / BERT_MANIFEST_NAME).is_file():
            continue
        try:
            yield read_bert(folder)
        except VoiceError:
            own_id = None
            with suppress(OSError, ValueError, KeyError):
                own_id = sanitise_short_text(_read_manifest(folder)["id"])
            if wanted_id is not None and wanted_id in (folder.name, own_id):
                raise


def _build_missing_bert_error(wanted_id: str, folders: Sequence[Path]) -> MissingBertError:
    forced_ja = "--force-bert を付けると別の BERT で代用できますが、抑揚が不自然になります。"
    forced_en = "Or use another BERT with --force-bert; intonation will be off."
    menu = localize("「ファイル」メニューの「BERT のファイルを追加…」から追加できます。", "Add it with “Add BERT file…” in the File menu.")
    if wanted_id == SBV2_BERT_ID:
        command = localize(
            f"koebako bert add --hub でダウンロードできます（{STANDARD_DOWNLOAD_MB} MB）。ファイルがある場合は koebako bert add ファイル で追加してください。{forced_ja}",
            f"Download it with `koebako bert add --hub` ({STANDARD_DOWNLOAD_MB} MB), or add a file with `koebako bert add FILE`. {forced_en}",
        )
    else:
        command = localize(
            f"koebako bert add ファイル --id {wanted_id} で {folders[0]} に追加してください。{forced_ja}",
            f"Add it to {folders[0]} with `koebako bert add FILE --id {wanted_id}`. {forced_en}",
        )
    message = localize(f"この声に必要な BERT「{wanted_id}」がありません。", f"The BERT this voice requires is missing: “{wanted_id}”.")
    return MissingBertError(wanted_id, message, choose_by_frontend(menu, command))


def _build_mismatch_error(required_id: str, wanted_id: str) -> VoiceError:
    return VoiceError(
        localize(
            f"この声は BERT「{required_id}」で学習されています。「{wanted_id}」では正しく合成できません。",
            f"This voice was trained with the BERT “{required_id}”, not “{wanted_id}”.",
        ),
        choose_by_frontend(
            localize(
                "この声に対応する BERT を追加するか、別の BERT で代用してください。", "Add its own BERT, or choose to use another one."
            ),
            localize(
                "別の BERT で代用する場合は --force-bert を付けてください。", "To use it anyway, add --force-bert; intonation will be off."
            ),
        ),
    )


def _build_damaged_bert_error(folder: Path) -> VoiceError:
    return VoiceError(
        localize(f"BERT のファイルが不足しているか、壊れています: {folder}", f"The BERT is incomplete or damaged: {folder}"),
        localize("この BERT をもう一度追加するか、Koebako を再インストールしてください。", "Add this BERT again, or reinstall Koebako."),
    )


PRECISION_CACHE_NAME = "precision.json"


def choose_bert_precision(voice: Voice, bert: BertModel, wanted: PrecisionChoice, backend: str) -> BertPrecision:
    """Return the precision to open a BERT in.

    Args:
        wanted: "auto" takes int8 on the CPU, elsewhere it is no faster, when this voice is known to speak the same with it. "int8" takes it where there is one.
    """
    if "int8" not in bert.graphs or wanted == "float32":
        return "float32"
    if wanted == "int8":
        return "int8"
    share = find_equal_duration_share(voice, bert) if backend in ("auto", "cpu") else None
    return "int8" if share is not None and share >= MIN_FRAMES_EQUAL else "float32"


def apply_graph_precision(voice: Voice, wanted: GraphPrecision, backends: Mapping[str, str]) -> Voice:
    """Return the voice with the graphs to open: "fast" takes its int8 graphs, for the CPU only. Nothing takes them unasked: they are faster, and it is another sound."""
    if wanted != "fast":
        return voice
    files = {
        name: voice.path / file for name, file in map_int8_files(voice.manifest).items() if backends.get(name, "cpu") in ("auto", "cpu")
    }
    fitting: GraphSources = {name: file for name, file in files.items() if file.is_file()}
    return replace(voice, graphs=voice.graphs | fitting)


def find_equal_duration_share(voice: Voice, bert: BertModel) -> float | None:
    """Return the share of symbols that keep their length in int8, or None if it was not measured yet."""
    shares = FileFactCache(PRECISION_CACHE_NAME).find_value(bert.graphs["int8"])
    share = shares.get(_build_cache_key(voice)) if isinstance(shares, dict) else None
    return share if isinstance(share, float) and 0 <= share <= 1 else None


def remember_equal_duration_share(voice: Voice, bert: BertModel, share: float) -> None:
    """Keep a measured share until the voice or the BERT changes."""
    cache = FileFactCache(PRECISION_CACHE_NAME)
    shares = cache.find_value(bert.graphs["int8"])
    cache.store_value(bert.graphs["int8"], (shares if isinstance(shares, dict) else {}) | {_build_cache_key(voice): float(share)})
    cache.save_cache()


def _build_cache_key(voice: Voice) -> str:
    """Return a key that changes with the voice's prosody graph, the only graph that sees the features before durations are made."""
    graph = voice.graphs.get("prosody")
    if graph is None or isinstance(graph, bytes):
        return voice.manifest.id
    facts = graph.stat()
    return f"{voice.manifest.id} {facts.st_size} {facts.st_mtime_ns}"
