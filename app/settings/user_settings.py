"""The settings that Koebako remembers between starts: typed, within bounds, never lost to a crash."""

from __future__ import annotations

import math
import re
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, get_args

from app.common.errors import AppError
from app.common.files.paths import find_data_dir
from app.common.files.release_file import has_update_notices
from app.common.files.whole_files import LARGEST_BYTES, back_up_corrupt_file, load_data, save_data
from app.common.language import localize
from app.common.user_notices import show_notice
from app.core.delivery import Delivery
from app.core.synthesis_types import BOUNDS, SEED_BOUNDS
from app.core.text.link_reading import LINK_READINGS, LinkReading

# As browsers send them: scheme, host and perhaps a port, all in ASCII.
_ORIGIN_PATTERN = re.compile(r"[a-z][a-z0-9+.-]*://(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])(?::\d{1,5})?", re.ASCII)


def parse_origins(text: str) -> frozenset[str]:
    """Return the valid origins of a text, which are separated by spaces or commas."""
    return frozenset(origin for origin in _split_origins(text) if _ORIGIN_PATTERN.fullmatch(origin))


def find_origin_mistake(text: str) -> str:
    """Return a sentence about the first origin that is none, in the language of the user, or an empty text."""
    wrong = next((origin for origin in _split_origins(text) if not _ORIGIN_PATTERN.fullmatch(origin)), "")
    if not wrong:
        return ""
    return localize(
        f"「{wrong}」はオリジンではありません。例: https://example.com、http://localhost:3000",
        f"“{wrong}” is not an origin, such as https://example.com or http://localhost:3000.",
    )


def normalise_origin(origin: str) -> str:
    """Return an origin as origins are compared."""
    return origin.rstrip("/").lower()


def _split_origins(text: str) -> list[str]:
    return [normalise_origin(origin) for origin in re.split(r"[\s,、，]+", text) if origin]


GraphPrecision = Literal["exact", "fast"]
GRAPH_PRECISIONS: tuple[GraphPrecision, ...] = ("exact", "fast")
MAX_VOICE_CHOICES = 500


@dataclass(frozen=True, slots=True)
class PrecisionPreference:
    """The user's choice of precision; a voice that has no int8 graphs is exact all the same."""

    default: GraphPrecision = "exact"  # of voices that are in neither list
    exact: tuple[str, ...] = ()  # exact, fast: ids of voices as their manifests have them, the one chosen last at the end
    fast: tuple[str, ...] = ()

    def find_precision(self, voice: str) -> GraphPrecision:
        if voice in self.fast:
            return "fast"
        return "exact" if voice in self.exact else self.default

    def replace_voice_precision(self, voice: str, precision: GraphPrecision) -> PrecisionPreference:
        """Return the preference with a choice for one voice, which then no longer follows the default."""
        rest = self._remove_voice(voice)
        if precision == "fast":
            return PrecisionPreference(self.default, rest.exact, (*rest.fast, voice)[-MAX_VOICE_CHOICES:])
        return PrecisionPreference(self.default, (*rest.exact, voice)[-MAX_VOICE_CHOICES:], rest.fast)

    def merge_changes(self, before: PrecisionPreference, after: PrecisionPreference) -> PrecisionPreference:
        """Return the preference with the changes between two others applied, voice by voice."""
        result = PrecisionPreference(after.default if before.default != after.default else self.default, self.exact, self.fast)
        for voice in dict.fromkeys((*before.exact, *before.fast, *after.exact, *after.fast)):
            if before._find_own_precision(voice) != (choice := after._find_own_precision(voice)):
                result = result.replace_voice_precision(voice, choice) if choice else result._remove_voice(voice)
        return result

    def _find_own_precision(self, voice: str) -> GraphPrecision | None:
        return self.find_precision(voice) if voice in (*self.exact, *self.fast) else None

    def _remove_voice(self, voice: str) -> PrecisionPreference:
        return PrecisionPreference(self.default, *(tuple(item for item in ids if item != voice) for ids in (self.exact, self.fast)))


MAX_SEED = int(SEED_BOUNDS.high)
MAX_REMEMBERED_TEXT_CHARS = 1_000_000
SETTINGS_VERSION = 1

MAX_IDLE_MIN = 24 * 60
ReadSourceChoice = Literal["clipboard", "selection"]
MAX_KEY_CHARS = 100
MAX_WATCHED_CHARS = 100_000
LoadChoice = Literal["at_start", "first_use"]
ThemeChoice = Literal["system", "light", "dark"]
THEMES: tuple[ThemeChoice, ...] = get_args(ThemeChoice)
TextSize = Literal["small", "usual", "large", "largest"]
TEXT_SIZES: tuple[TextSize, ...] = get_args(TextSize)
PrecisionChoice = Literal["auto", "float32", "int8"]
PRECISION_CHOICES: tuple[PrecisionChoice, ...] = get_args(PrecisionChoice)
LanguageChoice = Literal["system", "ja", "en"]
DraggedTexts = Literal["none", "txt", "txt_lab"]
DraggedEncoding = Literal["utf-8", "shift_jis"]
MAX_CACHE_MIB = 4096
MOST_RECENT, MOST_FAVOURITES = 10, 500
MAX_CHAT_WAITING, MAX_CHAT_VOICES_CHARS, MOST_MUTED_WRITERS, MOST_AGENT_VOICES = 500, 4096, 500, 100
MAX_PATH_CHARS = 32_767  # characters that Windows takes
StripChoice = Literal["auto", "open", "folded"]
MAX_DAY = 1_000_000
MAX_RELEASE_CHARS = 100_000
MAX_SIDE_WIDTH = 4096
SAVE_SUFFIXES = (".wav", ".flac", ".ogg", ".opus", ".mp3")


def define_setting(default: Any, **rules: Any) -> Any:
    """Return a field of the settings with its default and what limits it."""
    return field(default=default, metadata=rules)


@dataclass(frozen=True, slots=True)
class Settings(Delivery):
    """Everything remembered; what the dialog explains (`settings_labels.py`) is not explained here again.
    speaker, style and the numbers that shape the sound: of the line that was selected last; an empty script begins with them.
    voice: of the line that was selected last; empty is the voice we ship.
    default_voice: id, as its manifest has it, of the voice that the user made the default; empty is Koebako's choice, see
        `app.voices.installed_voices.choose_default_voice`.
    bert: id of the one that `--force-bert` takes; empty is any.
    bert_precision: "auto" is int8 where it is known to change no durations.
    sound_precision: "fast" takes the int8 graphs of voices that have them; of voices without a choice of their own.
    exact_voices, fast_voices: ids, as their manifests have them, of voices for which the user has chosen.
    load_voice: "first_use" only looks at the voice when the window opens, and takes memory when it first speaks.
    unload_after_min: minutes without work after which the voice gives its memory back; 0 is never.
    aivisspeech_folder: where AivisSpeech keeps its voices; empty is its usual place, "off" leaves them out.
    strip: "auto" folds reading and accent away where a low window has no room for them and the lines.
    melody: the same for the lane of the melody under them.
    latency: the same for the measurements, which are folded at first: most people never need them.
    update_notices: the program asks once a week whether there is a newer version; offered only in builds that can.
    update_checked_day: when it last asked, in days since 1970.
    update_found: the newer version that it found then, as `app.adapters.http.release_feed` packs it; empty for none.
    chat_waiting, chat_latest, chat_links, chat_repeats, chat_names, chat_muted: the rules of `app.service.chat.chat_queue`.
    chat_voices: voices by the numbers that viewers send and by names of writers, as in `1=Mei; Taro=Rin/Happy`.
    chat_caption_folder: where `app.service.chat.chat_captions` keeps its file; empty for none.
    agent_voices: the voice that each agent chose last, `NAME=VOICE`; the last used comes last.
    service_origins: web pages that may use service and chat reader, see `app.settings.user_settings`.
    read_voice, read_speaker, read_speed: of the reading; an empty voice is that of the selected line, an empty speaker the voice's first.
    recent_projects: files, the last one first.
    favourite_voices: ids, as their manifests have them; they come first in lists.
    export: what the export page was set to last, as JSON.
    side_width: pixels of the column at the right; 0 is the usual.
    geometry, layout: Qt's own bytes of window and docks, in base64.
    """

    # The text in the window of older versions; it becomes a line where there is no script yet. None before the first start.
    text: str | None = define_setting(None, longest=MAX_REMEMBERED_TEXT_CHARS)
    backend: str = "auto"  # what `--backend` takes, see `app.adapters.ort.device_placement`
    voice: str = ""
    default_voice: str = ""
    speaker: str = ""
    style: str = ""
    seed: int = define_setting(0, low=0, high=MAX_SEED)
    expression_open: bool = False
    loop: bool = False
    live: bool = False
    follow: bool = False
    takes_open: bool = False
    strip: StripChoice = define_setting("auto", choices=get_args(StripChoice))
    melody: StripChoice = define_setting("auto", choices=get_args(StripChoice))
    latency: StripChoice = define_setting("folded", choices=get_args(StripChoice))
    save_folder: str = ""
    save_suffix: str = define_setting(".wav", choices=SAVE_SUFFIXES)
    language: LanguageChoice = define_setting("system", choices=get_args(LanguageChoice))
    theme: ThemeChoice = define_setting("system", choices=THEMES)
    text_size: TextSize = define_setting("usual", choices=TEXT_SIZES)
    device: str = ""  # label of the audio output; empty follows the system
    bert: str = ""
    force_bert: bool = False
    bert_precision: PrecisionChoice = define_setting("auto", choices=PRECISION_CHOICES)
    sound_precision: GraphPrecision = define_setting("exact", choices=GRAPH_PRECISIONS)
    load_voice: LoadChoice = define_setting("at_start", choices=get_args(LoadChoice))
    prepare_first: bool = False
    unload_after_min: int = define_setting(0, low=0, high=MAX_IDLE_MIN)
    disk_cache_mib: int = define_setting(200, low=0, high=MAX_CACHE_MIB)
    aivisspeech_folder: str = ""
    built_in_words: bool = True
    memos_everywhere: bool = False
    links: LinkReading = define_setting("host", choices=LINK_READINGS)
    update_notices: bool = define_setting(False, is_offered=has_update_notices)
    update_checked_day: int = define_setting(0, low=0, high=MAX_DAY)
    update_found: str = define_setting("", longest=MAX_RELEASE_CHARS)
    log_words: bool = False
    service: bool = False
    service_port: int = define_setting(25850, low=1024, high=65535)
    service_changes: bool = False
    chat_reader: bool = False
    chat_port: int = define_setting(50001, low=1024, high=65535)
    chat_http_port: int = define_setting(50080, low=1024, high=65535)
    chat_waiting: int = define_setting(20, low=1, high=MAX_CHAT_WAITING)
    chat_latest: bool = False
    chat_links: bool = True
    chat_repeats: bool = True
    chat_names: bool = True
    chat_voices: str = define_setting("", longest=MAX_CHAT_VOICES_CHARS)
    chat_muted: tuple[str, ...] = define_setting((), most=MOST_MUTED_WRITERS)
    chat_captions: bool = False
    chat_caption_folder: str = ""
    service_origins: str = define_setting("", longest=4096, find_mistake=find_origin_mistake)
    agent_voices: tuple[str, ...] = define_setting((), most=MOST_AGENT_VOICES, are_pairs=True)
    drag_texts: DraggedTexts = define_setting("none", choices=get_args(DraggedTexts))
    drag_encoding: DraggedEncoding = define_setting("utf-8", choices=get_args(DraggedEncoding))
    read_tray: bool = False
    read_close_to_tray: bool = define_setting(False, requires="read_tray")
    read_hotkey: str = define_setting("", longest=MAX_KEY_CHARS)
    read_source: ReadSourceChoice = define_setting("clipboard", choices=get_args(ReadSourceChoice))
    read_copy: bool = False
    read_player: bool = True
    read_watch: bool = False
    read_shortest: int = define_setting(2, low=1, high=MAX_WATCHED_CHARS)
    read_longest: int = define_setting(1000, low=1, high=MAX_WATCHED_CHARS)
    read_skip_links: bool = True
    read_skipped_programs: str = define_setting("", longest=2000)
    read_voice: str = ""
    read_speaker: str = ""
    read_speed: float = define_setting(1.0, low=BOUNDS["speed"].low, high=BOUNDS["speed"].high)
    read_player_place: str = ""
    always_on_top: bool = False
    recent_projects: tuple[str, ...] = define_setting((), most=MOST_RECENT)
    favourite_voices: tuple[str, ...] = define_setting((), most=MOST_FAVOURITES)
    exact_voices: tuple[str, ...] = define_setting((), most=MAX_VOICE_CHOICES)
    fast_voices: tuple[str, ...] = define_setting((), most=MAX_VOICE_CHOICES)
    export: str = ""
    side_width: int = define_setting(0, low=0, high=MAX_SIDE_WIDTH)
    geometry: str = ""
    layout: str = ""

    @property
    def precision_preference(self) -> PrecisionPreference:
        """Return how exactly voices speak."""
        return PrecisionPreference(self.sound_precision, self.exact_voices, self.fast_voices)

    def replace_precision(self, choice: PrecisionPreference) -> Settings:
        return replace(self, sound_precision=choice.default, exact_voices=choice.exact, fast_voices=choice.fast)


_REMEMBERED_FIELDS = tuple(item for item in fields(Settings) if item.metadata.get("remembered", True))
REMEMBERED_NAMES = tuple(item.name for item in _REMEMBERED_FIELDS)
"""Names of what is kept; the assist text and the silences belong to one line, so that no other begins with them."""


def find_settings_path() -> Path:
    """Return where the settings are kept."""
    return find_data_dir() / "settings.json"


def load_settings(path: Path | None = None) -> tuple[Settings, AppError | None]:
    """Return the remembered settings, and an error if unusable values were replaced by their defaults; a copy of the file keeps them."""
    path = path or find_settings_path()
    failed = localize(
        "一部の設定を読み込めなかったため、初期値に戻しました。", "Some settings could not be read and were reset to their defaults."
    )
    found, error = load_data(path, _parse_settings, failed)
    if found is None:
        return Settings(), error
    settings, wrong = found
    return settings, back_up_corrupt_file(path, failed, ", ".join(wrong), LARGEST_BYTES) if wrong else None


def load_usable_settings() -> Settings:
    """Return the remembered settings, for callers that continue without the unusable ones; the user is notified once."""
    settings, error = load_settings()
    show_notice(error)
    return settings


def save_settings(settings: Settings, path: Path | None = None) -> None:
    """Write all settings at once: the old file stays until the new one is complete. Raise OutputFileError if that fails."""
    values = asdict(settings)
    data = {"version": SETTINGS_VERSION} | {name: values[name] for name in REMEMBERED_NAMES}
    save_data(path or find_settings_path(), data, localize("設定を保存できません", "The settings could not be saved"))


def read_settings_file(path: Path) -> Settings | None:
    """Return the usable settings of a file; None if there is no file, or nothing in it can be used."""
    found, _error = load_data(path, _parse_settings, "")
    return found[0] if found else None


def merge_settings(before: Settings, after: Settings, on_disk: Settings) -> Settings:
    """Return the settings on the disk with the changes between two others applied; in lists, added items are added and removed ones removed."""
    changed: dict[str, Any] = {}
    for item in fields(Settings):
        old, new = getattr(before, item.name), getattr(after, item.name)
        if old != new:
            changed[item.name] = (
                _merge_lists(old, new, getattr(on_disk, item.name), item.metadata["most"]) if "most" in item.metadata else new
            )
    return replace(on_disk, **changed).replace_precision(
        on_disk.precision_preference.merge_changes(before.precision_preference, after.precision_preference)
    )


def _merge_lists(before: tuple[str, ...], after: tuple[str, ...], on_disk: tuple[str, ...], max_items: int) -> tuple[str, ...]:
    """Return a list in the order of `after`; items that others added follow, and items that they removed are gone."""
    ours = [item for item in after if item in on_disk or item not in before]
    other_items = [item for item in on_disk if item not in after and item not in before]
    return (*ours, *other_items)[:max_items]


def _parse_settings(data: Any) -> tuple[Settings, list[str]]:
    """Return what can be used, and the names of what cannot."""
    if not isinstance(data, dict):
        raise ValueError("not an object")
    values = {item.name: data[item.name] for item in _REMEMBERED_FIELDS if item.name in data}
    # JSON has no tuples.
    values |= {
        item.name: tuple(values[item.name])
        for item in _REMEMBERED_FIELDS
        if isinstance(item.default, tuple) and isinstance(values.get(item.name), list)
    }
    # The name of the choice while the decoder was all that it changed.
    if data.get("decoder_precision") == "int8":
        values.setdefault("sound_precision", "fast")
    wrong = [name for name, value in values.items() if not _is_in_bounds(name, value)]
    return Settings(**{name: value for name, value in values.items() if name not in wrong}), wrong


def _is_in_bounds(name: str, value: Any) -> bool:
    item = next(item for item in fields(Settings) if item.name == name)
    rules = item.metadata
    if value is None:
        return item.default is None
    if "most" in rules:
        texts = isinstance(value, tuple) and all(isinstance(text, str) and len(text) <= MAX_PATH_CHARS for text in value)
        return texts and len(value) <= rules["most"]
    if "choices" in rules:
        return value in rules["choices"]
    if "low" in rules:
        is_number = type(value) is int or (type(value) is float and not isinstance(item.default, int) and math.isfinite(value))
        return is_number and rules["low"] <= value <= rules["high"]
    if isinstance(item.default, bool):
        return isinstance(value, bool)
    return isinstance(value, str) and len(value) <= rules.get("longest", 65_536)
