"""What is done to a data folder while it is killed or raced: each deed with what must hold before, after a kill, and after its end."""

import json
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from onnx import helper

from app.common.files.paths import find_resources_dir
from app.core.text.dictionary_entries import make_entry
from app.core.text.dictionary_formats import format_exchange_json
from app.settings.user_settings import load_settings
from app.voices.prepared_voice import read_manifest, write_manifest
from app.voices.voice_card_data import VoiceCardData, write_card
from tests.campaigns.attack import checks
from tests.campaigns.attack.area import Case
from tests.campaigns.attack.hostile import graphs
from tests.campaigns.attack.lived_in import STARTER_BERT
from tests.campaigns.attack.place import Place
from tests.conftest import SHARED
from tests.voices.fuzz.archive_cases import beside
from tests.voices.prepare.bert.deberta_files import write_published

LONG_TEXT = "今日はとてもいい天気なので、駅前の公園まで歩いて行きました。" * 8
KANA = "アイウエオカキクケコサシスセソタチツテト"


@dataclass(frozen=True, slots=True)
class Operation:
    """A command that changes something.

    Attributes:
        name: for the table.
        arguments: of the command line.
        seconds: about how long it takes on a quiet machine.
        check: what must hold at any time, whether it is done or was never begun.
        done: what must hold when it ended well.
    """

    name: str
    arguments: tuple[str, ...]
    seconds: float
    check: Callable[[Case], object] = lambda _case: None
    done: Callable[[Case], object] = lambda _case: None


class Materials:
    """Voices, BERTs and words to be added, made once."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.prepared = _prepared_voice(place.source / "prepared")
        model = helper.make_model(graphs.graph(graphs.calm(0), 0.3), opset_imports=[helper.make_opsetid("", 18)])
        (place.source / "graph").mkdir()
        self.graph = beside(place.source / "graph", model.SerializeToString())
        reference = SHARED / "reference" / "jp-extra-tiny" / "model.aivmx"
        self.voice = reference if reference.is_file() else self.graph
        self._berts = 0

    def bert(self) -> Path:
        """A small BERT of the right width, another one each time."""
        self._berts += 1
        return write_published(self._place.source / "wide", hidden=1024, heads=16, inner=64, seed=self._berts).parent

    def words(self, draw: random.Random, count: int) -> Path:
        """A dictionary of other programs with so many words."""
        entries = [make_entry(f"語{draw.randrange(10**9)}号", "".join(draw.choices(KANA, k=4)), 1) for _ in range(count)]
        path = self._place.source / "words.json"
        path.write_text(format_exchange_json(entries), encoding="utf-8")
        return path

    def operations(self, case: Case) -> dict[str, tuple[int, Callable[[], Operation]]]:
        """Ways to a deed, with how often each is wanted."""
        return {
            "dict add": (6, lambda: self.add_word(case)),
            "dict import": (4, lambda: self.import_words(case)),
            "speak": (6, lambda: self.speak(case)),
            "voices add": (5, lambda: self.add_voice(case, self.prepared)),
            "voices add graph": (2, lambda: self.add_voice(case, self.graph)),
            "voices add real": (1, lambda: self.add_voice(case, self.voice)),
            "bert add": (1, self.add_bert),
            "bert use": (2, self.use_bert),
            "export": (1, self.export),
        }

    def add_word(self, case: Case) -> Operation:
        """One word beside those that are there."""
        known, word = checks.words_of(self._place.home), f"新語{case.number}"
        arguments = ("dict", "add", word, "".join(case.draw.choices(KANA, k=3)))
        return self._words("dict add", arguments, known, {word}, 0.9)

    def import_words(self, case: Case) -> Operation:
        """Many words at once."""
        known, file = checks.words_of(self._place.home), self.words(case.draw, case.draw.choice((5, 300)))
        added = {item["surface"] for item in json.loads(file.read_bytes()).values()}
        return self._words("dict import", ("dict", "import", str(file)), known, added, 1.0)

    def _words(self, name: str, arguments: tuple[str, ...], known: set[str], added: set[str], seconds: float) -> Operation:
        home = self._place.home

        def check(case: Case) -> None:
            checks.check_words(case, home, known)
            if extra := checks.words_of(home) - known - added:
                case.complain("wrong", f"words from nowhere: {sorted(extra)[:5]}", "words from nowhere")
            if 0 < len((checks.words_of(home) - known) & added) < len(added - known):
                case.complain("half", f"{name}: some of the words only", "half the words")

        return Operation(name, arguments, seconds, check, lambda case: checks.check_words(case, home, known | added))

    def speak(self, case: Case) -> Operation:
        """A sound file, which may replace another one."""
        path = self._place.out / f"a{case.draw.choice(checks.SOUNDS)}"
        was_there = path.exists()

        def check(inner: Case) -> None:
            if path.exists():
                checks.check_sound(inner, path)
            elif was_there:
                inner.complain("lost", f"{path.name} was there and is gone", "the file before")

        return Operation(
            "speak",
            ("speak", LONG_TEXT, "--voice", "mei", "-o", str(path)),
            1.2,
            check,
            lambda inner: checks.check_sound(inner, _there(inner, path)),
        )

    def add_voice(self, case: Case, source: Path) -> Operation:
        """A voice, or the same one again in its place."""
        voices = self._place.home / "voices"
        known = {item.name for item in voices.glob("[!.]*")}
        update = ("--update",) if case.draw.random() < 0.5 else ()

        def check(inner: Case) -> None:
            there = {item.name.removeprefix(".").removesuffix(".old") for item in voices.glob("*")} - {"moving"}
            if missing := known - there:
                inner.complain("lost", f"voices that are gone: {sorted(missing)}, there are {sorted(there)}", "a voice")

        def done(inner: Case) -> None:
            if not any(voices.glob("[!.]*")):
                inner.complain("lost", "the voice that was added is not there", "the voice that was added")

        name = {self.prepared: "voices add", self.graph: "voices add graph"}.get(source, "voices add real")
        return Operation(name, ("voices", "add", str(source), "--accept-licence", *update), 2.0, check, done)

    def add_bert(self) -> Operation:
        """A BERT, another one each time."""
        return Operation("bert add", ("bert", "add", str(self.bert())), 6.0)

    def use_bert(self) -> Operation:
        """The settings, written by the command line."""
        path = self._place.home / "settings.json"

        def check(case: Case) -> None:
            found, error = load_settings(path)
            if error is not None or found.bert not in ("", STARTER_BERT):
                case.complain("half", f"settings: {error}", "the settings")

        return Operation("bert use", ("bert", "use", STARTER_BERT), 1.0, check)

    def export(self) -> Operation:
        """A voice as a zip."""
        target = self._place.out / "voice.zip"
        return Operation("export", ("voices", "export", "mei", str(target), "--replace"), 1.0, done=lambda case: _there(case, target))


def _there(case: Case, path: Path) -> Path:
    if not path.exists():
        case.complain("lost", f"{path.name} is not there", "the file")
    return path


def _prepared_voice(folder: Path) -> Path:
    """The voice we ship, as another one that somebody exported."""
    shipped = find_resources_dir() / "voices" / "mei"
    shutil.copytree(shipped, folder)
    manifest = read_manifest(shipped)
    write_manifest(
        type(manifest)(**{name: getattr(manifest, name) for name in manifest.__dataclass_fields__} | {"id": "another", "name": "別の声"}),
        folder,
    )
    write_card(VoiceCardData(source_sha256="1" * 64), folder)
    return folder
