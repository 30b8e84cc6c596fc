"""`koebako project info`: what is in a project, and which of its voices are not here."""

from __future__ import annotations

import argparse
from collections import Counter
from pathlib import Path
from typing import Any

from app.cli.output import json_line, note, result
from app.core.project import Project
from app.interchange.koebako import open_project
from app.language import localized
from app.paths import voice_dirs
from app.voices.aivisspeech import aivisspeech_folder, aivisspeech_voices
from app.voices.library import installed_voices


def info(options: argparse.Namespace) -> int:
    """One object, or a line each for people."""
    opened = open_project(Path(options.file))
    for sentence in opened.dropped:
        note(sentence)
    found = _described(opened.project)
    if options.json:
        json_line(found)
        return 0
    names = {
        "title": localized("題名", "title"),
        "lines": localized("行", "lines"),
        "letters": localized("文字数", "letters"),
        "words": localized("プロジェクトの単語", "words in the project's dictionary"),
        "takes": localized("テイク", "takes"),
        "sounds": localized("ファイルに含まれる音声", "sounds in the file"),
    }
    for name, shown in names.items():
        result(f"{shown}\t{found[name]}")
    for voice in found["voices"]:
        missing = localized("（見つかりません）", " (missing)") if voice["missing"] else ""
        result(f"{localized('声', 'voice')}\t{voice['name'] or voice['id']}{missing}\t{voice['lines']}")
    return 0


def _described(project: Project) -> dict[str, Any]:
    """As the command-line contract has it; how long it will sound is not known before it is spoken."""
    lines = project.script.lines
    kept = {reference.id: reference for reference in project.voices}
    here = _names()
    counted = Counter(line.settings.voice for line in lines)
    voices = [
        {
            "id": voice,
            "name": here.get(voice) or (kept[voice].name if voice in kept else ""),
            "lines": count,
            "missing": bool(voice) and voice not in here,
            "address": kept[voice].address if voice in kept else "",
        }
        for voice, count in counted.items()
    ]
    return {
        "title": project.script.title,
        "lines": len(lines),
        "letters": sum(len(line.text) for line in lines),
        "voices": voices,
        "missing": [voice["id"] for voice in voices if voice["missing"]],
        "characters": [character.name for character in project.characters],
        "words": len(project.dictionary),
        "takes": len(project.takes),
        "sounds": len(project.sounds),
        "seconds": None,
    }


def _names() -> dict[str, str]:
    """Of all voices that are here, by what lines call them; the empty id is the first one's."""
    names = {voice.manifest.id: voice.manifest.name for voice in installed_voices(voice_dirs())}
    names |= {item.manifest.id: item.manifest.name for item in aivisspeech_voices(aivisspeech_folder())}
    return {"": next(iter(names.values()), "")} | names
