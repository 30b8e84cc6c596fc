"""Two programs at once on one data folder: both do what they were asked to or say why not, and nothing of either is lost."""

import sys
import time
from collections.abc import Callable

from app.core.script.project import Project
from app.core.script.script import Line, Script
from app.interchange.koebako_files import read_project, write_project
from app.settings.user_settings import load_settings
from tests.campaigns.attack import checks
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.lived_in import STARTER_BERT
from tests.campaigns.attack.operations import Materials, Operation
from tests.campaigns.attack.place import ROOT, clear
from tests.campaigns.attack.program import Program, Ran, judge
from tests.test_two_programs import CHOOSE, SAVE

LIMIT_S, TRY_S = 60.0, 300.0
MOST_APART_S, CHOICES = 1.2, 8
FROM_HERE = f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n"
Pair = tuple[Operation, Operation, set[int]]


class Races(Area):
    """One pair a try."""

    def prepare(self) -> None:
        """Something to add."""
        self._materials = Materials(self.place)
        self._done = 0

    def attempt(self, case: Case) -> str:
        """Starts both, the second a moment later, and looks at what came of it."""
        case.allow(limit_s=TRY_S)
        self._done += 1
        if self._done % 10 == 0:
            clear(self.place.home)
            clear(self.place.out)
        pairs = self._pairs(case)
        name = case.draw.choice(list(pairs))
        first, second, codes = pairs[name]()
        case.doing(f"{name}: {first.arguments} beside {second.arguments}")
        programs = [Program(self.place, first.arguments)]
        time.sleep(case.draw.choice((0.0, case.draw.random() * MOST_APART_S)))
        programs.append(Program(self.place, second.arguments))
        ran = [program.finish(case, LIMIT_S) for program in programs]
        self._look(case, name, (first, second), ran, codes)
        return name

    def _pairs(self, case: Case) -> dict[str, Callable[[], Pair]]:
        """Both operations, and with which codes they may end besides 0: 3 where a voice is gone meanwhile, 7 where a target is there."""
        make, speak = self._materials, self._speak
        home = self.place.home
        removal = Operation("remove", ("voices", "remove", "another"), 1.0)
        listing = Operation("list", ("voices", "list", "--json"), 1.0)
        measuring = Operation("check", ("bert", "check", "--json"), 2.0, lambda inner: checks.check_home(inner, home))
        return {
            "add, add": lambda: (make.add_voice(case, make.prepared), make.add_voice(case, make.prepared), set()),
            "add graph, add graph": lambda: (make.add_voice(case, make.graph), make.add_voice(case, make.graph), set()),
            "add, remove": lambda: (self._bare(make.add_voice(case, make.prepared)), removal, {3}),
            "add, list": lambda: (make.add_voice(case, make.prepared), listing, set()),
            "add, speak": lambda: (make.add_voice(case, make.prepared), speak("b"), set()),
            "remove, speak": lambda: (removal, speak("b", "--voice", "another"), {3}),
            "word, word": lambda: self._two_words(case),
            "import, word": lambda: self._import_and_word(case),
            "word, speak": lambda: (self._bare(make.add_word(case)), speak("b"), set()),
            "prepare, prepare": lambda: (speak("a", "--voice", str(make.graph)), speak("b", "--voice", str(make.graph)), set()),
            "use, use": lambda: (make.use_bert(), Operation("use", ("bert", "use", STARTER_BERT, "--precision", "float32"), 1.0), set()),
            "choices, choices": lambda: self._two_choosers(case),
            "bert, precision": lambda: self._bert_and_precision(),
            "export, export": lambda: (make.export(), make.export(), {7}),
            "one file": lambda: (make.speak(case), make.speak(case), set()),
            "save, save": lambda: (self._save(case, "1"), self._save(case, "2"), set()),
            "save, export": lambda: self._save_and_export(case),
            "check, add": lambda: (measuring, make.add_voice(case, make.prepared), set()),
        }

    def _bare(self, operation: Operation) -> Operation:
        """Without what must hold when nothing else goes on."""
        return Operation(operation.name, operation.arguments, operation.seconds)

    def _speak(self, name: str, *options: str) -> Operation:
        path = self.place.out / f"{name}.wav"
        path.unlink(missing_ok=True)
        given = ("speak", "雨が降る。", "-o", str(path), "--accept-licence", "--force-bert", *(options or ("--voice", "mei")))
        return Operation("speak", given, 1.0, lambda case: checks.check_sound(case, path) if path.exists() else None)

    def _two_words(self, case: Case) -> Pair:
        known = checks.words_of(self.place.home)
        words = [f"競{case.number}{letter}" for letter in "甲乙"]
        first, second = (
            Operation(
                "word", ("dict", "add", word, "ア"), 1.0, done=lambda inner: checks.check_words(inner, self.place.home, known | {*words})
            )
            for word in words
        )
        return first, second, set()

    def _import_and_word(self, case: Case) -> Pair:
        first = self._materials.import_words(case)
        known, word = checks.words_of(self.place.home), f"競{case.number}"
        second = Operation(
            "word", ("dict", "add", word, "ア"), 1.0, done=lambda inner: checks.check_words(inner, self.place.home, known | {word})
        )
        return Operation(first.name, first.arguments, first.seconds, done=first.done), second, set()

    def _two_choosers(self, case: Case) -> Pair:
        """All that two programs choose is there in the end."""
        wanted = {f"{name}{case.number}-{number}" for name in (1, 2) for number in range(CHOICES)}

        def done(inner: Case) -> None:
            settings, error = load_settings(self.place.home / "settings.json")
            for kept in (settings.fast_voices, settings.favourite_voices):
                if error is not None or not wanted <= {*kept}:
                    inner.complain("lost", f"choices that are gone: {sorted(wanted - {*kept})}, {error}", "choices")

        first, second = (
            Operation("choices", (sys.executable, "-c", FROM_HERE + CHOOSE, f"{name}{case.number}", str(CHOICES)), 2.0, done=done)
            for name in (1, 2)
        )
        return first, second, set()

    def _save(self, case: Case, name: str) -> Operation:
        """A window that keeps adding lines to a project and saving it; it learns of the other window's saves, and no line of either is lost."""
        project = self.place.out / f"競{case.number}.koebako"
        if not project.exists():
            write_project(project, Project(Script((Line("はい。"),))))
        wanted = {f"{name} の {number}" for number in range(CHOICES)}

        def done(inner: Case) -> None:
            found = inner.call("the project", lambda: read_project(project))
            if found is not None and (gone := wanted - {line.text for line in found.script.lines}):
                inner.complain("lost", f"lines that were saved: {sorted(gone)}", "a save of a project")
            if left := sorted(item.name for item in self.place.out.glob(".*.lock")):
                inner.complain("half", f"locks: {left}", "locks beside a project")

        return Operation("save", (sys.executable, "-c", FROM_HERE + SAVE, name, str(CHOICES), str(project)), 1.0, done=done)

    def _save_and_export(self, case: Case) -> Pair:
        saving = self._save(case, "1")
        folder = self.place.out / f"競{case.number}"
        export = ("export", saving.arguments[-1], "-o", str(folder), "--existing", "skip", "--sidecars", "txt", "--force-bert")

        def check(inner: Case) -> None:
            for sound in folder.glob("*.wav"):
                checks.check_sound(inner, sound)

        return saving, Operation("export", export, 2.0, check), set()

    def _bert_and_precision(self) -> Pair:
        path = self.place.home / "settings.json"

        def use_done(case: Case) -> None:
            if (found := load_settings(path)[0].bert) != STARTER_BERT:
                case.complain("lost", f"the BERT that was chosen: {found!r}", "the BERT that was chosen")

        def precision_done(case: Case) -> None:
            if "mei" not in load_settings(path)[0].exact_voices:
                case.complain("lost", "the precision that was chosen", "the precision that was chosen")

        path.unlink(missing_ok=True)
        use = Operation("use", ("bert", "use", STARTER_BERT, "--precision", "float32"), 1.0, done=use_done)
        return use, Operation("precision", ("voices", "precision", "mei", "exact"), 1.0, done=precision_done), set()

    def _look(self, case: Case, name: str, operations: tuple[Operation, Operation], ran: list[Ran], codes: set[int]) -> None:
        for operation, item in zip(operations, ran, strict=True):
            judge(case, item)
            if item.code not in {0, *codes}:
                case.complain("wrong", f"{name}: {item.told()}", f"{name}: {operation.name} ended with {item.code}")
        checks.check_home(case, self.place.home)
        for operation, item in zip(operations, ran, strict=True):
            operation.check(case)
            if item.code == 0:
                operation.done(case)
        if left := checks.leftovers(self.place.home, self.place.out):
            case.complain("half", f"{name}: left behind: {left}", f"{name}: leftovers")


ATTACKS = Races
