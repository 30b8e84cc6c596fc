"""The third-party packages that Koebako uses, with their licences."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from app.common.files.paths import find_resources_dir, is_frozen
from app.common.files.untrusted_json import parse_object
from app.common.language import get_language

LICENCE_NAMES = ("licen", "copying", "notice", "thirdparty", "authors")
LICENCE_SUFFIXES = ("", ".txt", ".md", ".rst")
# Code inside a package that its metadata does not name.
BUNDLED_LICENCES = {
    "pyopenjtalk-plus": "Open JTalk, hts_engine, NAIST-jdic: BSD-3-Clause",
    "sounddevice": "PortAudio: MIT",
    "soundfile": "libsndfile: LGPL-2.1-or-later; FLAC, Ogg, Vorbis, Opus: BSD-3-Clause; LAME, mpg123: LGPL",
    "pyside6-essentials": "Qt 6: LGPL-3.0-only; in it zlib, libpng: Zlib; libjpeg-turbo: IJG, BSD-3-Clause; FreeType: FTL; "
    "HarfBuzz, MD4C, TinyCBOR: MIT; PCRE2, double-conversion: BSD-3-Clause",
    "sudachipy": "Rust crates: Apache-2.0, MIT, ISC, Unlicense",
    "kanalizer": "Rust crates: Apache-2.0, MIT, BSD-3-Clause, ISC, MPL-2.0, Unicode-3.0",
    "onnxruntime-directml": "DirectML and Visual C++ runtime: Microsoft",
}


@dataclass(frozen=True, slots=True)
class ThirdParty:
    """A third-party package.

    Attributes:
        licence_files: Files with the full terms.
    """

    name: str
    version: str
    licence: str
    licence_files: tuple[Path, ...] = ()


def find_bundled_notice() -> Path | None:
    """Return NOTICE.txt beside a built program's executable; None in a checkout or a wheel."""
    notice = Path(sys.executable).parent / "NOTICE.txt"
    return notice if is_frozen() and notice.is_file() else None


def list_third_parties(root: str = "koebako") -> list[ThirdParty]:
    """Return the packages that `root` requires on this machine, directly or indirectly and without extras, sorted by name."""
    found: dict[str, ThirdParty] = {}
    waiting = _list_requirements(root)
    while waiting:
        name = waiting.pop()
        # Package names are compared normalised: requirements spell them with dashes, underscores or dots.
        key = re.sub(r"[-_.]+", "-", name).lower()
        if key in found:
            continue
        try:
            item = metadata.distribution(name)
        except metadata.PackageNotFoundError:
            # Requirements for other platforms are listed too, but not installed here.
            continue
        texts = [Path(str(item.locate_file(file))) for file in item.files or [] if _is_licence(Path(str(file)))]
        found[key] = ThirdParty(item.name, item.version, _find_licence(item), tuple(text for text in texts if text.is_file()))
        waiting += _list_requirements(name)
    return [found[key] for key in sorted(found)]


def list_model_cards() -> list[tuple[str, str]]:
    """Return name and model card (Markdown) of each voice and BERT that ships with the program."""
    cards = []
    for card in sorted(find_resources_dir().glob("voices/*/MODEL_CARD.md")):
        manifest = parse_object((card.parent / "voice.json").read_bytes())
        japanese = card.with_name("MODEL_CARD.ja.md")
        shown = japanese if get_language() == "ja" and japanese.is_file() else card
        cards.append((str(manifest["name"]), shown.read_text(encoding="utf-8")))
    for facts in sorted(find_resources_dir().glob("bert/*/bert.json")):
        bert = parse_object(facts.read_bytes())
        cards.append((str(bert["name"]), f"# {bert['name']}\n\n{bert['licence']}\n"))
    return cards


def _list_requirements(name: str) -> list[str]:
    try:
        needed = metadata.requires(name) or []
    except metadata.PackageNotFoundError:
        return []
    return [found.group() for item in needed if "extra ==" not in item and (found := re.match(r"[A-Za-z0-9._-]+", item))]


def _is_licence(path: Path) -> bool:
    return path.name.lower().startswith(LICENCE_NAMES) and path.suffix.lower() in LICENCE_SUFFIXES


def _find_licence(item: metadata.Distribution) -> str:
    fields = item.metadata
    short = next((value for key in ("License-Expression", "License") for value in fields.get_all(key) or []), "")
    classifiers = [value.rsplit(" :: ", 1)[-1] for value in fields.get_all("Classifier") or [] if value.startswith("License ::")]
    # Some packages put the whole licence text into the "License" field; the classifiers are shorter.
    own = short if 0 < len(short) < 80 else ", ".join(classifiers)
    within = BUNDLED_LICENCES.get(re.sub(r"[-_.]+", "-", item.name).lower(), "")
    return "; ".join(part for part in (own, within) if part)
