"""What the export page and `koebako export` are set to: frozen, and as checked plain data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from app.adapters.sound.formats import FORMATS, HIGHEST_RATE, LOWEST_RATE, QUALITIES, Quality

What = Literal["all", "selection", "starred"]
Files = Literal["lines", "speaker_folders", "speakers", "joined"]
Unit = Literal["line", "sentence", "phrase", "mora"]
Existing = Literal["ask", "skip", "number", "replace"]
Game = Literal["", "renpy", "yarn", "wwise", "csv"]
Sidecar = Literal["txt", "lab", "textgrid", "srt", "vtt", "ass", "json"]
WHATS: tuple[What, ...] = get_args(What)
FILES: tuple[Files, ...] = get_args(Files)
UNITS: tuple[Unit, ...] = get_args(Unit)
EXISTING: tuple[Existing, ...] = get_args(Existing)
GAMES: tuple[Game, ...] = get_args(Game)
SIDECARS: tuple[Sidecar, ...] = get_args(Sidecar)
SOUNDS = tuple(suffix[1:] for suffix in FORMATS)
USUAL_PATTERN = "$連番$_$キャラ$（$スタイル$）_$テキスト$"
USUAL_PATTERN_ENGLISH = "$number$_$speaker$_$style$_$text$"
LOWEST_LUFS, HIGHEST_LUFS = -40.0, -10.0
_LONGEST = {"folder": 4_000, "pattern": 400, "subtype": 10}
_CHOICES: dict[str, tuple[str, ...]] = {
    "what": WHATS,
    "files": FILES,
    "sound": SOUNDS,
    "quality": QUALITIES,
    "unit": UNITS,
    "existing": EXISTING,
    "game": GAMES,
}


@dataclass(frozen=True, slots=True)
class ExportSettings:
    """Everything but the script and its voices.

    Attributes:
        what: which lines; `selection` and `starred`, which is takes with a star, count in the window only.
        files: one a line; the same in a folder a speaker; one a speaker; one in all.
        folder: where they go; empty where nobody has chosen yet.
        pattern: of names, see `app.export.pattern`; empty is the usual one.
        sound: format, as its suffix without the dot.
        subtype: as `FORMATS` has them; empty is the format's first.
        rate: of the files in Hz; 0 is the voice's.
        sidecars: what is written beside each sound; `unit` is what their cues hold.
        loudness: LUFS of the files; None leaves them as they are.
        loudness_each: each file by itself, not one gain for all.
        game: for which engine names and lists are made; empty for none.
    """

    what: What = "all"
    files: Files = "lines"
    folder: str = ""
    pattern: str = ""
    sound: str = "wav"
    subtype: str = ""
    quality: Quality = "standard"
    rate: int = 0
    stereo: bool = False
    sidecars: tuple[Sidecar, ...] = ()
    unit: Unit = "line"
    existing: Existing = "ask"
    loudness: float | None = None
    loudness_each: bool = False
    game: Game = ""

    @property
    def suffix(self) -> str:
        """Of the sound files, with the dot."""
        return f".{self.sound}"

    @property
    def channels(self) -> int:
        """Of the sound files."""
        return 2 if self.stereo else 1


def settings_to_data(settings: ExportSettings) -> dict[str, Any]:
    """What `settings_from_data` reads: only what differs from the defaults."""
    plain = ExportSettings()
    values = {
        item.name: getattr(settings, item.name) for item in fields(settings) if getattr(settings, item.name) != getattr(plain, item.name)
    }
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def settings_from_data(data: object) -> ExportSettings:
    """Raises ValueError for what no version could have written; names of a later version are left out."""
    if not isinstance(data, dict):
        raise ValueError("export settings")
    return ExportSettings(**{item.name: _checked(item.name, data[item.name]) for item in fields(ExportSettings) if item.name in data})


def _checked(name: str, value: Any) -> Any:
    if name in _CHOICES:
        right = value in _CHOICES[name]
    elif name == "rate":
        right = type(value) is int and (value == 0 or LOWEST_RATE <= value <= HIGHEST_RATE)
    elif name == "loudness":
        right = value is None or (type(value) in (int, float) and LOWEST_LUFS <= value <= HIGHEST_LUFS)
    elif name == "sidecars":
        right = isinstance(value, list) and all(item in SIDECARS for item in value)
        value = tuple(item for item in SIDECARS if right and item in value)
    elif isinstance(getattr(ExportSettings(), name), bool):
        right = isinstance(value, bool)
    else:
        right = isinstance(value, str) and len(value) <= _LONGEST[name] and "\0" not in value
    if not right:
        raise ValueError(name)
    return value
