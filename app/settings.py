"""What Koebako remembers between starts: typed, within bounds, never lost to a crash."""

from __future__ import annotations

import contextlib
import json
import math
import os
import shutil
import tempfile
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal

from app.core.limits import BOUNDS, SEED_BOUNDS
from app.errors import AppError, InputError, OutputFileError
from app.language import say
from app.paths import data_dir

HIGHEST_SEED = int(SEED_BOUNDS.high)
LONGEST_TEXT = 1_000_000
SETTINGS_VERSION = 1

ThemeChoice = Literal["system", "light", "dark"]
THEMES: tuple[ThemeChoice, ...] = ("system", "light", "dark")


def _number(name: str) -> Any:
    """A field with the bounds and the default that the request has."""
    bounds = BOUNDS[name]
    return field(default=bounds.default, metadata={"low": bounds.low, "high": bounds.high})


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything remembered.

    Attributes:
        text: what stands in the text box; None before the first start.
        backend: a key of `app.adapters.ort_session.NAMES`.
        device: label of the audio output; empty follows the system.
        speaker, style: by name, so that they fit the next voice too.
        geometry, layout: Qt's own bytes of window and docks, in base64.
    """

    text: str | None = field(default=None, metadata={"longest": LONGEST_TEXT})
    backend: str = "auto"
    device: str = ""
    speaker: str = ""
    style: str = ""
    style_weight: float = _number("style_weight")
    speed: float = _number("speed")
    sdp_ratio: float = _number("sdp_ratio")
    noise: float = _number("noise")
    noise_w: float = _number("noise_w")
    bert_weight: float = _number("bert_weight")
    volume: float = _number("volume")
    seed: int = field(default=0, metadata={"low": 0, "high": HIGHEST_SEED})
    expression_open: bool = False
    save_folder: str = ""
    theme: ThemeChoice = field(default="system", metadata={"choices": THEMES})
    geometry: str = ""
    layout: str = ""


def settings_path() -> Path:
    """Where the settings are kept."""
    return data_dir() / "settings.json"


def load_settings(path: Path | None = None) -> tuple[Settings, AppError | None]:
    """The remembered settings; what cannot be used is replaced by its default, kept in a copy beside, and told in the second value."""
    path = path or settings_path()
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(data, dict):
            raise ValueError("not an object")
    except FileNotFoundError:
        return Settings(), None
    except (OSError, ValueError, RecursionError) as exc:
        return Settings(), _unusable(path, str(exc))
    values = {name: data[name] for name in (item.name for item in fields(Settings)) if name in data}
    wrong = [name for name, value in values.items() if not _fits(name, value)]
    good = Settings(**{name: value for name, value in values.items() if name not in wrong})
    return good, _unusable(path, ", ".join(wrong)) if wrong else None


def save_settings(settings: Settings, path: Path | None = None) -> None:
    """Writes all settings at once: the old file stays until the new one is complete. Raises OutputFileError."""
    path = path or settings_path()
    text = json.dumps({"version": SETTINGS_VERSION} | asdict(settings), indent=1)
    part = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("wb", dir=path.parent, prefix=path.name, suffix=".part", delete=False) as file:
            part = Path(file.name)
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as exc:
        if part is not None:
            with contextlib.suppress(OSError):
                part.unlink()
        raise OutputFileError(
            say(f"設定を保存できません: {path}", f"The settings cannot be saved: {path}"),
            say(f"フォルダーに書き込めるか確かめてください。（{exc.strerror}）", f"Check that the folder is writable. ({exc.strerror})"),
        ) from exc


def _fits(name: str, value: Any) -> bool:
    item = next(item for item in fields(Settings) if item.name == name)
    rules = item.metadata
    if value is None:
        return item.default is None
    if "choices" in rules:
        return value in rules["choices"]
    if "low" in rules:
        whole = isinstance(item.default, int)
        return _is_number(value, whole) and rules["low"] <= value <= rules["high"]
    if isinstance(item.default, bool):
        return isinstance(value, bool)
    return isinstance(value, str) and len(value) <= rules.get("longest", 65_536)


def _is_number(value: Any, whole: bool) -> bool:
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (not whole and isinstance(value, float) and math.isfinite(value))


def _unusable(path: Path, reason: str) -> AppError:
    """Keeps a copy of the file, for the next save would overwrite it."""
    copy = path.with_name(path.name + ".unreadable")
    kept = False
    with contextlib.suppress(OSError):
        shutil.copyfile(path, copy)
        kept = True
    return InputError(
        say(
            f"設定の一部を読めなかったため、初期値に戻しました。（{reason}）",
            f"Some settings could not be read and are back at their defaults. ({reason})",
        ),
        say(f"元のファイルは {copy} に残してあります。", f"The file as it was is kept as {copy}.") if kept else "",
    )
