"""Scripts and dictionaries of strangers, of every format that is imported: repeated, referring to themselves, of other types, in any encoding."""

import base64
import hashlib
import io
import json
import random
from typing import Any

import numpy as np
import soundfile

from app.cli.commands.project.run import apply_readings
from app.common.files.untrusted_json import DISTURBING_CHARS
from app.core.script.project import MAX_SCRIPT_LINES, LinePreset, LineTake, Project, VoiceReference
from app.core.script.project_data import convert_project_to_data
from app.core.script.script import Line, LineSettings, Script
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride, ReadingOverride
from app.core.text.dictionary_entries import make_entry, merge_entries
from app.core.text.dictionary_formats import MAX_DICTIONARY_ENTRIES, format_entries_csv, format_exchange_json, parse_dictionary_text
from app.core.text.text_lines import MAX_LINE_CHARACTERS, decode_text
from app.interchange.imported_script import MAX_IMPORTED_MORAS, MAX_IMPORTED_PHRASES, ImportedScript
from app.interchange.koebako_files import write_project
from app.interchange.script_import import IMPORT_SUFFIXES, read_script_file
from app.interchange.script_writers import write_script
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.hostile.json_damage import VALUES
from tests.campaigns.attack.hostile.repetition import JSON_MUTATORS, repeated_text
from tests.campaigns.attack.hostile.texts import hostile_text
from tests.campaigns.attack.program import run_inside
from tests.interchange.peers import aisp, phrase, query, vvproj
from tests.voices.fuzz.mutations import BLIND, edited_text

ENCODINGS = ("utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp932", "euc_jp", "iso2022_jp")
DICTIONARIES = ("words.json", "words.csv", "mecab.csv")
SETTLED_LINES = 50  # more take long to be read, which is no fault
MECAB = "檜箱庵,,,0,名詞,固有名詞,一般,*,*,*,檜箱庵,ヒノバコアン,ヒノバコアン,3/6,*\n"


class Scripts(Area):
    """One file a try."""

    def prepare(self) -> None:
        """A good file of each format."""
        said = query(phrase(["キョ", "オ", "ワ"], 1, 0.4), phrase(["ハ", "レ"], 2), speedScale=1.2)
        lines = [("今日は、晴れ。", 3, said), ("はい。", 3, None)]
        table = "id,text,speaker,style,speed,pause,memo\nl1,今日は、晴れ。,花子,喜び,1.2,、=0.2,x\nl2,=1+1,,,,,\n"
        texts = "花子（喜び）,今日は、晴れ。\n花子（普通）,はい。\n"
        self._good: dict[str, str] = {
            ".vvproj": vvproj("0.25.0", lines).decode(),
            ".aisp": aisp("1.2.0", lines).decode(),
            ".koebako": json.dumps(_project(), ensure_ascii=False),
            ".csv": table,
            ".tsv": table.replace(",", "\t"),
            ".tab": "Identifier\tCharacter\tDialogue\nstart_1\tEileen\tはい。\n",
            ".rpy": """define e = Character("花子")
label start:
    e happy "{rb}今日{/rb}{rt}きょう{/rt}は、\\"晴れ\\"。" id l1
    menu:
        "はい" if x:
            '''[x]\n\nはい。'''
""",
            ".yarn": "title: a\n---\n花子: 今日は、[b]晴れ[/b]。 #line:l1\n-> はい\n    {$x}です。 // x\n===\n",
            ".txt": texts,
            ".md": "# 題\n\n- 今日は、晴れ。\n",
            "words.json": format_exchange_json([make_entry("声箱", "こえばこ", 3), make_entry("雨", "あめ", 1)]),
            "words.csv": format_entries_csv([make_entry("声箱", "こえばこ", 3), make_entry("=", "いこーる")]),
            "mecab.csv": MECAB * 3,
        }

    def attempt(self, case: Case) -> str:
        """Reads a file that somebody has made worse."""
        name = case.draw.choice((*IMPORT_SUFFIXES, *DICTIONARIES))
        content = self._worse(case.draw, name)
        case.doing(f"{name}: {content[:200]!r} … {len(content)} bytes")
        if name in DICTIONARIES:
            self._read_entries(case, content)
        else:
            self._read_script(case, name, content)
        return name

    def _worse(self, draw: random.Random, name: str) -> bytes:
        text = self._good[name]
        for _ in range(draw.choice((1, 1, 2, 3))):
            text = self._once_worse(draw, text, is_json=text.startswith(("{", "[")))
        return _encoded(draw, text)

    def _once_worse(self, draw: random.Random, text: str, *, is_json: bool) -> str:
        kind = draw.random()
        if kind < 0.1:
            text = draw.choice(BLIND)(draw, text.encode("utf-8", "surrogatepass")).decode("utf-8", "replace")
        elif kind < 0.2:
            place = draw.randrange(len(text) + 1)
            text = text[:place] + draw.choice((hostile_text(draw), *VALUES[:36])) + text[place:]
        elif not is_json:
            text = repeated_text(draw, text)
        else:
            try:
                value: Any = json.loads(text)
                text = edited_text(draw, value) if kind < 0.4 else json.dumps(draw.choice(JSON_MUTATORS)(draw, value), ensure_ascii=False)
            except (ValueError, RecursionError):
                pass
        return text

    def _read_script(self, case: Case, suffix: str, content: bytes) -> None:
        file = self.place.source / f"script{suffix}"
        file.write_bytes(content)
        imported: ImportedScript | None = case.call(f"read {suffix}", lambda: read_script_file(file))
        if imported is None:
            return
        _look(case, imported)
        lines = imported.project.script.lines
        if len(lines) <= SETTLED_LINES:
            settled = case.call(f"settle {suffix}", lambda: apply_readings(imported))
            imported = imported if settled is None else settled
        for target in (".csv", ".koebako"):
            again = self._written(case, imported.project, target)
            if again is not None and target == ".koebako" and again.project.script.lines != imported.project.script.lines:
                case.complain("lost", f"lines that do not come back from {target}", f"round trip of {target}")
            if again is not None and [line.text for line in again.project.script.lines] != [
                " ".join(line.text.split("\n")) for line in lines
            ]:
                case.complain("lost", f"texts that do not come back from {target}", f"texts of {target}")
        if case.once_in(40):
            run_inside(
                case, self.place, "project", "convert", str(file), "-o", str(self.place.out / "a.csv"), "--replace", "--voice", "mei"
            )

    def _written(self, case: Case, project: Project, suffix: str) -> ImportedScript | None:
        file = self.place.out / f"again{suffix}"

        def write() -> None:
            if suffix == ".koebako":
                write_project(file, project)
            else:
                write_script(file, project.script)

        case.call(f"write {suffix}", write)
        return case.call(f"read {suffix} again", lambda: read_script_file(file)) if project.script.lines else None

    def _read_entries(self, case: Case, content: bytes) -> None:
        found = case.call("words", lambda: parse_dictionary_text(decode_text("words", content)))
        if found is None:
            return
        entries, wrong = found
        if len(entries) > MAX_DICTIONARY_ENTRIES or any(len(error.message) > 1_000 for error in wrong):
            case.complain("wrong", f"{len(entries)} words, {len(wrong)} wrong ones")
        few = list(merge_entries((), entries[:100]))
        for write in (format_entries_csv, format_exchange_json):
            if parse_dictionary_text(write(few)) != (few, []):
                case.complain("lost", f"words that do not come back: {few!r}", "a dictionary")


def _look(case: Case, imported: ImportedScript) -> None:
    """What may be in the window: so much, and nothing that nobody sees."""
    project = imported.project
    lines = project.script.lines
    shown = [project.script.title, *(voice.name for voice in project.voices), *(one.name for one in project.script.cast)]
    if len(lines) > MAX_SCRIPT_LINES or len({line.id for line in lines}) != len(lines):
        case.complain("wrong", f"{len(lines)} lines, or equal ids")
    if any(len(line.text) > MAX_LINE_CHARACTERS for line in lines) or any(
        DISTURBING_CHARS.search(text) for text in (*shown, *(line.text for line in lines))
    ):
        case.complain("wrong", "a line that is too long, or letters that nobody sees")
    phrases = [item for found in imported.phrases_by_line.values() for item in found]
    if len(phrases) > MAX_IMPORTED_PHRASES or sum(len(item.moras) for item in phrases) > MAX_IMPORTED_MORAS:
        case.complain("wrong", f"{len(phrases)} phrases")
    if len(imported.losses) > 60 or any(len(sentence) > 1_000 or DISTURBING_CHARS.search(sentence) for sentence in imported.losses):
        case.complain("wrong", f"sentences: {len(imported.losses)}, {[sentence[:100] for sentence in imported.losses[:5]]!a}")


def _encoded(draw: random.Random, text: str) -> bytes:
    encoding = draw.choice(ENCODINGS)
    try:
        return text.encode(encoding, "surrogatepass" if encoding.startswith("utf") else "replace")
    except UnicodeError:
        return text.encode("utf-8", "replace")


def _project() -> dict[str, Any]:
    """One with something of everything, the sound of ten minutes of silence among it."""
    file = io.BytesIO()
    soundfile.write(file, np.zeros(48_000 * 600, np.int16), 48_000, "PCM_16", format="FLAC")
    name = hashlib.sha256(file.getvalue()).hexdigest()
    edits = Overrides((ReadingOverride("今日", "キョー", 1, 0),), (MoraOverride(0, 1, 0.1),), (PauseOverride(0, 0.2),))
    lines = (Line("今日は、晴れ。", LineSettings("花子", style="喜び", speed=1.2, pauses=((",", 0.2),)), edits), Line("はい。"))
    project = Project(
        Script(lines, "題"),
        current=lines[0].id,
        voices=(VoiceReference("花子", "花子", "u", "https://example.com/"),),
        dictionary=(make_entry("声箱", "こえばこ", 3),),
        export={"format": "wav"},
        takes=(LineTake(lines[0].id, "今日は、晴れ。", sound=name),),
        presets={"p": LinePreset(LineSettings(speed=1.2))},
        tests=({"version": 1},),
        embeds=True,
    )
    return convert_project_to_data(project) | {"sounds": {name: base64.b64encode(file.getvalue()).decode()}}


ATTACKS = Scripts
