"""`koebako project`: which action does what; `cast` lists the characters and how much each of them says."""

import argparse
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.adapters.files.file_lock import lock_user_file
from app.audition.embedded_sounds import copy_sounds_beside
from app.cli.command_files import decode_text, read_named_input, read_piped_input, refuse_existing_file
from app.cli.commands.project.options import parse_columns
from app.cli.console_output import print_done, print_json, print_note, print_result
from app.cli.project_voices import match_local_voices
from app.common.errors import InputError
from app.common.files.paths import list_voice_dirs
from app.common.language import localize
from app.compose.text_front_end import open_g2p
from app.core.script.characters import change_all_settings, replace_voices
from app.core.script.project import PROJECT_SUFFIX, Project, sanitise_project
from app.core.script.script import Line, LineSettings, Script, estimate_line_duration
from app.core.sound.line_reading import LineReading, read_line
from app.core.synthesis_types import ReadingOverride
from app.core.text.text_lines import split_lines
from app.install.known_voices import list_known_voices
from app.install.natural_voice_first_start import find_default_voice_id
from app.install.resolve_voice import find_unprepared_voice
from app.interchange.character_assignment import AssignableVoice, clear_shipped_voice
from app.interchange.imported_script import ImportedScript
from app.interchange.koebako_files import open_project, write_project
from app.interchange.reading_diff import apply_spoken_phrases
from app.interchange.script_import import read_script_file
from app.interchange.script_writers import NAMED_SUFFIXES, NameSpeaker, write_script
from app.voices.aivisspeech_voices import find_aivisspeech_folder, list_aivisspeech_voices
from app.voices.installed_voices import find_shipped_voice_id, list_installed_voices


def run_info(options: argparse.Namespace) -> int:
    """Print one object, or a line each for people."""
    opened = open_project(Path(options.file))
    for sentence in opened.losses:
        print_note(sentence)
    facts = _describe_project(opened.project)
    if options.json:
        print_json(facts)
        return 0
    names = {
        "title": localize("題名", "title"),
        "lines": localize("行", "lines"),
        "letters": localize("文字数", "letters"),
        "words": localize("プロジェクトの単語", "words in the project's dictionary"),
        "takes": localize("テイク", "takes"),
        "sounds": localize("ファイルに含まれる音声", "sounds in the file"),
    }
    for name, shown in names.items():
        print_result(f"{shown}\t{facts[name]}")
    counted = Counter(line.character for line in opened.project.script.lines)
    for character in opened.project.script.cast:
        print_result(f"{localize('登場人物', 'character')}\t{character.name}\t{counted[character.id]}")
    for voice in facts["voices"]:
        missing = localize("（見つかりません）", " (missing)") if voice["missing"] else ""
        print_result(f"{localize('声', 'voice')}\t{voice['name'] or voice['id']}{missing}\t{voice['lines']}")
    return 0


def _describe_project(project: Project) -> dict[str, Any]:
    """Describe a project as the command-line contract has it; its duration is not known before it is spoken."""
    lines = project.script.lines
    references = {reference.id: reference for reference in project.voices}
    local_names = _load_voice_names()
    voices = [
        {
            "id": voice,
            "name": local_names.get(voice) or (references[voice].name if voice in references else ""),
            "lines": count,
            "missing": bool(voice) and voice not in local_names,
            "address": references[voice].address if voice in references else "",
        }
        for voice, count in Counter(line.settings.voice for line in lines).items()
    ]
    return {
        "title": project.script.title,
        "lines": len(lines),
        "letters": sum(len(line.text) for line in lines),
        "voices": voices,
        "missing": [voice["id"] for voice in voices if voice["missing"]],
        "characters": [character.name for character in project.script.cast],
        "words": len(project.dictionary),
        "takes": len(project.takes),
        "sounds": len(project.sounds),
        "seconds": None,
    }


def _load_voice_names() -> dict[str, str]:
    """Return the names of all voices here, by the ids that lines use; the empty id is the first voice's."""
    names = {voice.manifest.id: voice.manifest.name for voice in list_installed_voices(list_voice_dirs())}
    names |= {item.manifest.id: item.manifest.name for item in list_aivisspeech_voices(find_aivisspeech_folder())}
    return {"": next(iter(names.values()), "")} | names


def run_new(options: argparse.Namespace) -> int:
    """Write the project; an existing one stays unless it is to be replaced."""
    target = Path(options.file)
    if target.suffix.lower() != PROJECT_SUFFIX:
        raise InputError(
            localize(f"プロジェクトのファイル名ではありません: {target.name}", f"This is not the name of a project: {target.name}"),
            localize(f"{PROJECT_SUFFIX} で終わる名前にしてください。", f"Use a name that ends in {PROJECT_SUFFIX}."),
        )
    refuse_existing_file(target, may_replace=options.replace, sources=[options.text])
    texts = []
    if options.text is not None:
        content = read_piped_input() if options.text == "-" else (read_named_input(Path(options.text)), Path(options.text).name)
        texts = split_lines(decode_text(*content))
    voice = LineSettings(voice=find_default_voice_id())
    script = clear_shipped_voice(
        Script(tuple(Line(text, voice) for text in texts), options.title or target.stem), find_shipped_voice_id() or ""
    )
    project = sanitise_project(Project(script=_choose_latin_reading(script, options)))
    with lock_user_file(target):
        # The text may have been waited for.
        refuse_existing_file(target, may_replace=options.replace)
        write_project(target, project)
    lines = len(project.script.lines)
    print_done(
        {"made": str(target), "lines": lines},
        f"{target} を作成しました（{lines:,} 行）。",
        f"Created {target} (lines: {lines:,}).",
        as_json=options.json,
    )
    return 0


def run_cast(options: argparse.Namespace) -> int:
    """Print one object for each character, or a line each for people."""
    for row in list_characters(read_script(Path(options.file))):
        if options.json:
            print_json(row)
            continue
        speaker = " / ".join(part for part in (row["voice"], row["speaker"], row["style"]) if part)
        lines = localize(f"{row['lines']} 行", f"lines: {row['lines']}")
        print_result(f"{row['character']}\t{speaker}\t{lines}\t{row['seconds']:.0f} s")
    return 0


def read_script(file: Path) -> Script:
    """Read the script of a project or of another program's file; print what was lost. Raises InputError if it cannot be read."""
    if file.suffix.lower() == PROJECT_SUFFIX:
        opened = open_project(file)
        losses, project = opened.losses, opened.project
    else:
        imported = read_script_file(file, parse_columns(""))
        losses, project = imported.losses, match_local_voices(imported.project, file)
    for sentence in losses:
        print_note(sentence)
    return project.script


def list_characters(script: Script) -> Iterator[dict[str, Any]]:
    """Yield each character as the command-line contract has it; the seconds are estimated from the texts."""
    counts, seconds, shipped = (
        Counter(line.character for line in script.lines),
        defaultdict[str, float](float),
        find_shipped_voice_id() or "",
    )
    for line in script.lines:
        seconds[line.character] += estimate_line_duration(line)
    for character in script.cast:
        yield {
            "character": character.name,
            "color": character.colour,
            # One whom nobody has cast yet has a name in the place of a voice.
            "voice": "" if character.settings.voice in character.names else character.settings.voice or shipped,
            "speaker": character.settings.speaker,
            "style": character.settings.style,
            "lines": counts[character.id],
            "seconds": round(seconds[character.id], 3),
        }


def run_convert(options: argparse.Namespace) -> int:
    """Read the script, find voices and write it; print each loss on stderr, in a line of its own."""
    target = Path(options.output)
    with lock_user_file(target):
        refuse_existing_file(target, may_replace=options.replace, sources=[options.source])
        project, dropped = _write_converted_script(target, options)
    for sentence in dropped:
        print_note(sentence)
    lines = len(project.script.lines)
    print_done(
        {"converted": str(target), "lines": lines, "not_taken_over": list(dropped)},
        f"{lines:,} 行を {target} に書き出しました。",
        f"Lines written to {target}: {lines:,}.",
        as_json=options.json,
    )
    return 0


def _write_converted_script(target: Path, options: argparse.Namespace) -> tuple[Project, tuple[str, ...]]:
    """Return what was written, and what was lost, a sentence each."""
    source = Path(options.source)
    imported = read_script_file(source, parse_columns(options.columns))
    imported = replace(imported, project=replace(imported.project, script=_choose_latin_reading(imported.project.script, options)))
    voice = find_unprepared_voice(options.voice, may_be_path=False).manifest.id if options.voice else ""
    if target.suffix.lower() == PROJECT_SUFFIX:
        imported = apply_readings(imported)
        project = match_local_voices(imported.project, source, voice)
        script = replace_voices(project.script, {"": _find_meant_voice(source)})
        project = replace(project, script=clear_shipped_voice(script, find_shipped_voice_id() or ""))
        if project.takes or project.tests:
            copy_sounds_beside(project, target, source)
        write_project(target, project)
        return project, imported.losses
    project = match_local_voices(imported.project, source, voice)
    is_named = options.characters or options.dialogue or target.suffix.lower() in NAMED_SUFFIXES
    find_names = _create_name_finder(list_known_voices(), project, _find_meant_voice(source)) if is_named else None
    return project, imported.losses + write_script(target, project.script, find_names, as_dialogue=options.dialogue)


def _choose_latin_reading(script: Script, options: argparse.Namespace) -> Script:
    """Return the script with the reading of Latin letters that the user wants for all of it, if any."""
    return change_all_settings(script, latin=options.latin) if options.latin else script


def apply_readings(imported: ImportedScript) -> ImportedScript:
    """Return the script with accents and readings as edits. Open JTalk takes a second to load, and is not needed for tables and texts."""
    if not imported.phrases_by_line:
        return imported
    g2p = open_g2p()

    def read_text(text: str, readings: tuple[ReadingOverride, ...], emoji: bool, memos: bool, english: bool) -> LineReading:
        return read_line(text, readings, g2p, emoji=emoji, memos=memos, english=english)

    return apply_spoken_phrases(imported, read_text)


def _find_meant_voice(source: Path) -> str:
    """Return the voice that lines of a file without one mean: in our own projects the one that ships."""
    return (find_shipped_voice_id() or "") if source.suffix.lower() == PROJECT_SUFFIX else find_default_voice_id()


def _create_name_finder(voices: list[AssignableVoice], project: Project, first: str) -> NameSpeaker:
    """Return a function that names a line's speaker for people: a speaker where a voice has several, else the voice; `first` is that of lines without one."""
    names = {reference.id: reference.name for reference in project.voices} | {voice.id: voice.name for voice in voices}
    styles = {voice.id: voice.styles for voice in voices}

    def find_names(settings: LineSettings) -> tuple[str, str]:
        voice = settings.voice or first
        return settings.speaker or names.get(voice, voice), settings.style or next(iter(styles.get(voice, ())), "")

    return find_names


def run(options: argparse.Namespace) -> int:
    actions = {"new": run_new, "info": run_info, "cast": run_cast, "convert": run_convert}
    return actions[options.action](options)
