"""The settings of the export page and of `koebako export`, frozen, and as checked plain data."""

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from app.adapters.sound.sound_formats import HIGHEST_RATE, LOWEST_RATE, SOUND_FORMATS, SOUND_QUALITIES, SoundQuality

LineSelection = Literal["all", "selection", "starred"]
FileGrouping = Literal["lines", "speaker_folders", "character_folders", "speakers", "characters", "joined"]
TimingUnit = Literal["line", "sentence", "phrase", "mora"]
ExistingFilePolicy = Literal["ask", "skip", "number", "replace"]
GameEngine = Literal["", "renpy", "yarn", "wwise", "csv"]
TextEncoding = Literal["utf-8", "shift_jis"]
SidecarKind = Literal["txt", "lab", "textgrid", "srt", "vtt", "ass", "json"]
LINE_SELECTIONS: tuple[LineSelection, ...] = get_args(LineSelection)
FILE_GROUPINGS: tuple[FileGrouping, ...] = get_args(FileGrouping)
TIMING_UNITS: tuple[TimingUnit, ...] = get_args(TimingUnit)
EXISTING_FILE_POLICIES: tuple[ExistingFilePolicy, ...] = get_args(ExistingFilePolicy)
TEXT_ENCODINGS: tuple[TextEncoding, ...] = get_args(TextEncoding)
GAME_ENGINES: tuple[GameEngine, ...] = get_args(GameEngine)
SIDECAR_KINDS: tuple[SidecarKind, ...] = get_args(SidecarKind)
EXPORT_SOUND_FORMATS = tuple(suffix[1:] for suffix in SOUND_FORMATS)
LOWEST_LUFS, HIGHEST_LUFS = -40.0, -10.0
_MAX_EXPORT_TEXT_CHARS = {"folder": 4_000, "pattern": 400, "subtype": 10}
_EXPORT_CHOICES: dict[str, tuple[str, ...]] = {
    "what": LINE_SELECTIONS, "files": FILE_GROUPINGS, "sound": EXPORT_SOUND_FORMATS, "quality": SOUND_QUALITIES, "unit": TIMING_UNITS,
    "existing": EXISTING_FILE_POLICIES, "game": GAME_ENGINES, "encoding": TEXT_ENCODINGS,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """Everything but the script and its voices."""

    what: LineSelection = "all"  # which lines; `selection` and `starred`, which is takes with a star, count in the window only
    # One a line; the same in a folder a speaker or a character; one a speaker or a character; one in all. Where characters divide, a line
    # without one counts by its speaker.
    files: FileGrouping = "lines"
    folder: str = ""  # where they go; empty where nobody has chosen yet
    pattern: str = ""  # of names, see `app.export.safe_file_names`; empty is the usual one
    sound: str = "wav"  # format, as its suffix without the dot
    subtype: str = ""  # as `SOUND_FORMATS` has them; empty is the format's first
    quality: SoundQuality = "standard"
    rate: int = 0  # of the files in Hz; 0 is the voice's
    stereo: bool = False
    sidecars: tuple[SidecarKind, ...] = ()  # what is written with each sound; `unit` is what their cues hold
    unit: TimingUnit = "line"
    existing: ExistingFilePolicy = "ask"
    loudness: float | None = None  # LUFS of the files; None leaves them as they are
    loudness_each: bool = False  # each file by itself, not one gain for all
    game: GameEngine = ""  # for which engine names and lists are made; empty for none
    only_changed: bool = False  # files that would come out the same stay, and get another name where theirs has changed
    encoding: TextEncoding = "utf-8"  # of the sidecars; what Shift_JIS does not have becomes a question mark

    @property
    def suffix(self) -> str:
        """Return the suffix of the sound files, with the dot."""
        return f".{self.sound}"

    @property
    def channels(self) -> int:
        return 2 if self.stereo else 1


def convert_settings_to_data(settings: ExportSettings) -> dict[str, Any]:
    """Return the data that `parse_settings_data` reads: only differences from the defaults."""
    values = {item.name: getattr(settings, item.name) for item in fields(settings) if getattr(settings, item.name) != item.default}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def parse_settings_data(data: object) -> ExportSettings:
    """Parse settings; raise ValueError for values that no version could have written, and leave out names of a later version."""
    if not isinstance(data, dict):
        raise ValueError("export settings")
    names = [item.name for item in fields(ExportSettings) if item.name in data]
    return ExportSettings(**{name: _validate_setting(name, data[name]) for name in names})


def _validate_setting(name: str, value: Any) -> Any:
    if name in _EXPORT_CHOICES:
        right = value in _EXPORT_CHOICES[name]
    elif name == "rate":
        right = type(value) is int and (value == 0 or LOWEST_RATE <= value <= HIGHEST_RATE)
    elif name == "loudness":
        right = value is None or (type(value) in (int, float) and LOWEST_LUFS <= value <= HIGHEST_LUFS)
    elif name == "sidecars":
        right = isinstance(value, list) and all(item in SIDECAR_KINDS for item in value)
        value = tuple(item for item in SIDECAR_KINDS if right and item in value)
    elif isinstance(getattr(ExportSettings(), name), bool):
        right = isinstance(value, bool)
    else:
        right = isinstance(value, str) and len(value) <= _MAX_EXPORT_TEXT_CHARS[name] and "\0" not in value
    if not right:
        raise ValueError(name)
    return value
