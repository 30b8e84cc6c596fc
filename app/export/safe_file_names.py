"""Names that every file system takes, and that nothing else has: neither files that are not ours to replace, nor those that the export reads.

Names come from a pattern: `$連番$_$話者$` or, the same, `$number$_$speaker$`. Every token has a name in both languages, which both know.
"""

import os
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from itertools import count
from pathlib import Path

from app.common.errors import InputError
from app.common.files.untrusted_json import DISTURBING_CHARS
from app.common.language import get_language, localize
from app.core.script.script import Line, LineSettings, choose_known_name
from app.core.text.notation.explicit_notation import strip_notation
from app.voices.prepared_voice import VoiceManifest
from app.voices.voice_labels import format_style, format_usual_speaker

TEXT_LENGTH, NUMBER_WIDTH = 10, 3
FORBIDDEN_FILE_NAME_CHARS = re.compile(r'[\x00-\x1f"*/:<>?\\|\x7f]')  # what Windows refuses in a name, and control characters

_PATTERN_TOKEN = re.compile(r"\$([^$]*)\$")
COUNTER_TOKEN = "take"
_JAPANESE_TOKENS = {
    "number": "連番", "character": "登場人物", "speaker": "話者", "style": "スタイル", "voice": "声", "text": "テキスト", "date": "日付",
    "project": "プロジェクト名", "id": "行ID", "seed": "シード", COUNTER_TOKEN: "枝番",
}  # fmt: skip
# VOICEVOX has a token for who speaks; its others have the names that ours have.
_TOKENS = {"キャラ": "speaker"} | {name: name for name in _JAPANESE_TOKENS} | {word: name for name, word in _JAPANESE_TOKENS.items()}
_CHARACTER = r"\$(?:character|登場人物)\$"
_ENCLOSED_CHARACTER = re.compile(rf"\({_CHARACTER}\)|（{_CHARACTER}）|\[{_CHARACTER}\]|［{_CHARACTER}］|【{_CHARACTER}】|{_CHARACTER}")
_SEPARATORS = " _-.・＿－　"

MAX_FS_NAME_BYTES = 255
_RESERVED_SUFFIX_BYTES = 24  # These bytes of a name are reserved for the longest suffix and a number
_WINDOWS_DEVICE_NAME = re.compile(r"(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)", re.IGNORECASE)
# Of names that other programs act on by themselves where they find them; with one of our suffixes each would be such a file.
_STEMS_OF_OTHER_PROGRAMS = frozenset(
    [
        "package",
        "package-lock",
        "composer",
        "bower",
        "deno",
        "tsconfig",
        "jsconfig",
        "requirements",
        "constraints",
        "cmakelists",
        "robots",
        "desktop",
        "autorun",
    ]
)
_TAKE_TOKEN = f"${COUNTER_TOKEN}$"


@dataclass(frozen=True, slots=True)
class SpeakerNames:
    """The displayed names of a line's voice, speaker and style, and of its character; empty where it has none."""

    voice: str = ""
    speaker: str = ""
    style: str = ""
    character: str = ""


def name_line_speaker(settings: LineSettings, info: VoiceManifest | None) -> SpeakerNames:
    """Return the names of a line's voice, speaker and style for people; those of the line for a voice that is not installed."""
    if info is None:
        return SpeakerNames(settings.voice, format_usual_speaker(settings.speaker), format_style(settings.style))
    speaker = info.choose_speaker(settings.speaker, settings.style)
    style = choose_known_name(settings.style, [item.name for item in info.styles])
    # A blend is nobody of the voice's speakers.
    return SpeakerNames(info.name, format_usual_speaker(speaker) or info.name, format_style(style))


def list_tokens() -> list[tuple[str, str]]:
    """Return all tokens as they are written in the language of the user, and what they stand for, in the order of a menu."""
    meanings = {
        "number": localize("行の番号（3桁）", "line number, three digits"),
        "character": localize("登場人物", "character"),
        "speaker": localize("話者", "speaker"),
        "style": localize("スタイル", "style"),
        "voice": localize("声", "voice"),
        "text": localize("テキストの先頭10文字", "first ten characters of the text"),
        "date": localize("日付", "date, as in 20260131"),
        "project": localize("プロジェクト名", "project name"),
        "id": localize("行の ID", "line ID"),
        "seed": localize("シード", "seed"),
        COUNTER_TOKEN: localize("同じ名前を避ける番号", "number that makes the name unique"),
    }
    return [(translate_pattern(f"${name}$"), meaning) for name, meaning in meanings.items()]


def translate_pattern(pattern: str) -> str:
    """Return a pattern with the names that its tokens have in the language of the user."""
    is_japanese = get_language() == "ja"

    def translate_token(match: re.Match[str]) -> str:
        name = _TOKENS.get(match[1])
        return match[0] if name is None else f"${_JAPANESE_TOKENS[name] if is_japanese else name}$"

    return _PATTERN_TOKEN.sub(translate_token, pattern)


def describe_pattern_problem(pattern: str) -> str:
    """Return a pattern's problem as a sentence for the user; empty where it has none."""
    if not pattern.strip():
        return localize("ファイル名を入力してください。", "Enter a file name.")
    for name in _PATTERN_TOKEN.findall(pattern):
        if name not in _TOKENS:
            return localize(f"「${name}$」という項目はありません。", f"There is no item “${name}$”.")
    literal = _PATTERN_TOKEN.sub("", pattern)
    if "$" in literal:
        return localize("「$」が対になっていません。", "A “$” has no closing “$”.")
    if (match := FORBIDDEN_FILE_NAME_CHARS.search(literal)) is not None:
        letter = match[0] if match[0].isprintable() else repr(match[0])
        return localize(f"ファイル名に「{letter}」は使えません。", f"A file name cannot contain “{letter}”.")
    return ""


def build_token_values(line: Line, number: int, names: SpeakerNames, project: str, day: date) -> dict[str, str]:
    """Build the tokens' values; `take` is decided where the other names are known."""
    first = " ".join(FORBIDDEN_FILE_NAME_CHARS.sub(" ", strip_notation(line.text, memos=line.settings.memos)).split())
    return {
        "number": f"{number:0{NUMBER_WIDTH}d}",
        "voice": names.voice,
        "speaker": names.speaker or names.voice,
        "character": names.character,
        "style": names.style,
        "text": first[:TEXT_LENGTH],
        "date": f"{day:%Y%m%d}",
        "project": project,
        "id": line.id,
        "seed": str(line.settings.seed),
    }


def fill_pattern(pattern: str, values: Mapping[str, str]) -> str:
    """Fill in the values, without characters that a name cannot have; `$take$` stays without a value, a missing character takes a separator along."""
    if not values.get("character"):
        pattern = _remove_character_token(pattern)

    def replace_token(match: re.Match[str]) -> str:
        name = _TOKENS.get(match[1], match[1])
        return FORBIDDEN_FILE_NAME_CHARS.sub("", values[name]) if name in values else f"${name}$"

    return _PATTERN_TOKEN.sub(replace_token, pattern)


def _remove_character_token(pattern: str) -> str:
    """Return the pattern without the token of the character, the brackets around it and one separator next to it."""
    while (match := _ENCLOSED_CHARACTER.search(pattern)) is not None:
        start, end = match.span()
        if start and pattern[start - 1] in _SEPARATORS:
            start -= 1
        elif not start and pattern[end : end + 1] and pattern[end] in _SEPARATORS:
            end += 1
        pattern = pattern[:start] + pattern[end:]
    return pattern


def sanitise_stem(stem: str, default: str = "koebako") -> str:
    """Return a name that every file system takes, without its suffix, and none that Windows or another program, as `package.json`, acts on."""
    clean = FORBIDDEN_FILE_NAME_CHARS.sub("", DISTURBING_CHARS.sub("", unicodedata.normalize("NFC", stem)))
    cut = clean.encode()[: MAX_FS_NAME_BYTES - _RESERVED_SUFFIX_BYTES].decode(errors="ignore")
    cut = cut.strip().lstrip(".").rstrip(". ").lstrip()
    first, dot, extension = cut.partition(".")
    if _WINDOWS_DEVICE_NAME.fullmatch(first.strip()):
        cut = f"{first.strip()}_{dot}{extension}"
    if fold_file_name(cut) in _STEMS_OF_OTHER_PROGRAMS:
        cut += "_"
    return cut or default


def fold_file_name(name: str) -> str:
    """Return a key that is equal for names that some file system takes for one."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", name).casefold())


def find_free_stem(stem: str, default: str, batch_names: Collection[str], is_existing: Callable[[str], bool]) -> str:
    """Return a safe name that is neither taken in this batch (folded) nor existing; `$take$` in it is counted up, or else a number is appended."""
    return next(name for name in _iterate_names(stem, default) if fold_file_name(name) not in batch_names and not is_existing(name))


def _iterate_names(stem: str, default: str) -> Iterator[str]:
    first = sanitise_stem(stem.replace(_TAKE_TOKEN, "1"), default)
    yield first
    for number in count(2):
        name = sanitise_stem(stem.replace(_TAKE_TOKEN, str(number)), default)
        yield name if name != first else f"{first} {number}"


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """The files of earlier exports that may be replaced."""

    replaced: Collection[Path] = frozenset()  # by the files of this export, whichever of them are there
    # Returns whether a file is as we wrote it; asked of the sidecars of sounds that are gone.
    is_remnant: Callable[[Path], bool] = lambda _file: False


NO_OWN_FILES = OwnFiles()


class SourceFiles:
    """The files that an export reads: none that it writes, renames or removes is ever one of them, whatever the user answers."""

    def __init__(self, files: Iterable[Path] = ()) -> None:
        # A link in an export folder is as much a name of the source as what it leads to.
        self._places = frozenset(_locate_file(name) for file in files for name in (file, Path(os.path.realpath(file))))
        self._names = frozenset(name for _, name in self._places)

    def list_names(self, folder: Path) -> frozenset[str]:
        """Return the folded names of the sources in a folder."""
        folder_key = _fold_folder(folder)
        return frozenset(name for parent, name in self._places if parent == folder_key)

    def __contains__(self, file: Path) -> bool:
        # Most names say already that they are none, without a look at the disk.
        return fold_file_name(file.name) in self._names and _locate_file(file) in self._places


NO_SOURCES = SourceFiles()


def _locate_file(file: Path) -> tuple[str, str]:
    return _fold_folder(file.parent), fold_file_name(file.name)


def _fold_folder(folder: Path) -> str:
    return fold_file_name(os.path.realpath(folder))


class TakenNames:
    """The names in folders, each listed once, because a network disk is slow at every query."""

    def __init__(self, own_files: OwnFiles, sources: SourceFiles) -> None:
        self._own_files, self._sources = own_files, sources
        # Of each folder: all names, those that are taken, those of sources.
        self._all_names, self._taken_names, self._source_names = (dict[Path, frozenset[str]]() for _ in range(3))

    def find_taken(self, folder: Path, stem: str, suffixes: Collection[str]) -> tuple[str, ...]:
        """Return the names of a set, the sound's first, that are taken on any file system, by whatever has them: files, folders, links to nowhere."""
        names, taken_names = [stem + suffix for suffix in suffixes], _find_names(self._list_there(folder), stem, suffixes)
        if taken_names and taken_names[0] != names[0]:
            taken_names = tuple(name for name in taken_names if not self._own_files.is_remnant(folder / name))
        return tuple(dict.fromkeys((*taken_names, *self.find_sources(folder, names))))

    def list_present(self, folder: Path, stem: str, suffixes: Collection[str]) -> tuple[str, ...]:
        """Return those names of a set that anything has, our own files among them."""
        self._list_there(folder)
        return _find_names(self._all_names[folder], stem, suffixes)

    def has_set(self, folder: Path, suffixes: Collection[str], stem: str) -> bool:
        """Return whether any name of a set is taken."""
        return bool(self.find_taken(folder, stem, suffixes))

    def find_sources(self, folder: Path, names: Collection[str]) -> list[str]:
        """Return those names that belong to a file that the export reads."""
        if folder not in self._source_names:
            self._source_names[folder] = self._sources.list_names(folder)
        source_names = self._source_names[folder]
        return [name for name in names if fold_file_name(name) in source_names] if source_names else []

    def _list_there(self, folder: Path) -> frozenset[str]:
        if folder not in self._taken_names:
            try:
                names = os.listdir(folder)  # noqa: PTH208 — names are enough
            except OSError:
                names = []
            replaced = self._own_files.replaced
            self._all_names[folder] = self._taken_names[folder] = frozenset(map(fold_file_name, names))
            if replaced:
                self._taken_names[folder] = frozenset(fold_file_name(name) for name in names if folder / name not in replaced)
        return self._taken_names[folder]


def _find_names(folder_names: frozenset[str], stem: str, suffixes: Collection[str]) -> tuple[str, ...]:
    # Only the stem is folded: ten thousand lines with seven files each are seventy thousand names.
    key = fold_file_name(stem)
    return tuple(stem + suffix for suffix in suffixes if key + suffix.casefold() in folder_names)


def build_source_error(name: str) -> InputError:
    """Return the error for a file that would take the place of what it is made of, or of anything else that is read for it."""
    return InputError(
        localize(f"「{name}」は元のファイルなので、上書きできません。", f"“{name}” is the source itself and cannot be replaced."),
        localize("別のフォルダーかファイル名を指定してください。", "Choose another folder or another name."),
    )
