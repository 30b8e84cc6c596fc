"""Exports into folders where other things have the names: files, links, folders, the script itself. What is not ours is there afterwards."""

import json
import random
import threading
import time
from collections.abc import Collection, Mapping
from collections.abc import Set as AbstractSet
from contextlib import suppress
from pathlib import Path

from app.export.manifest_store import JOURNAL_NAME, MANIFEST_NAME
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.place import clear
from tests.campaigns.attack.program import run_inside

IDS = ("a1", "a2", "story", "package", "CMakeLists", ".a1", "A1", "a1.txt", "../a1", "a1/b", "=a1", "con")
STEMS = ("a1", "a2", "A1", "story", "package", "001", "voice_lines", "a1 2")
SUFFIXES = (".wav", ".txt", ".srt", ".json", ".csv")
POLICIES = ("ask", "skip", "number", "replace")
KINDS = frozenset((*SUFFIXES, ".flac", ".koebako"))
FORBIDDEN = frozenset(("package.json", "cmakelists.txt", "requirements.txt", "desktop.ini"))
TEXTS = ("はい。", "雨。", "雪。")
LATEST_S = 0.6
COMMANDS = (
    ("project", "convert", "{source}", "-o", "{target}"),
    ("project", "new", "{target}", "-f", "{source}"),
    ("dict", "export", "{target}"),
)


class Exports(Area):
    """One folder a try, with one or two exports into it."""

    def attempt(self, case: Case) -> str:
        """Exports, puts things into the way, exports again, and looks."""
        draw = case.draw
        self._folder, self._kept = clear(self.place.out) / "out", clear(self.place.source) / "kept.txt"
        self._folder.mkdir()
        self._kept.write_text("kept\n", encoding="utf-8")
        script = self._write_script(draw, self._choose_script(draw))
        if draw.random() < 0.1:
            return self._try_command(case, script)
        options = self._choose_options(draw)
        if draw.random() < 0.6:
            run_inside(case, self.place, "export", str(script), "-o", str(self._folder), *options, "--existing", "skip")
            script = self._write_script(draw, script)
        self._put_things(draw)
        return self._export(
            case, script, [*options, *draw.choice(((), (), ("--only", "changed"), ("--only", "changed", "--remove-orphans")))]
        )

    def _export(self, case: Case, script: Path, options: Collection[str]) -> str:
        policy = case.draw.choice(POLICIES)
        before = look(self._folder, self._planted) | look(script.parent, {script}) | look(self._kept.parent, {self._kept})
        late = threading.Thread(target=self._put_late, args=(random.Random(case.draw.random()), before))
        late.start()
        ran = run_inside(case, self.place, "export", str(script), "-o", str(self._folder), *options, "--existing", policy)
        late.join()
        for what in find_destroyed(before, may_replace=policy == "replace", spared={script, self._kept}):
            case.complain("lost", f"{what}: {options} {policy}", "an export destroys what is not its own")
        for name in find_strange(self._folder, self._planted):
            case.complain("wrong", f"{name}: {options} {policy}", "a file of a kind that no export writes")
        return f"{policy} {ran.code}"

    def _try_command(self, case: Case, script: Path) -> str:
        """A command that writes one file, where something has its name."""
        self._planted: set[Path] = set()
        words = case.draw.choice(COMMANDS)
        target = self._folder / ("a.koebako" if words[0] == "project" else "a.json")
        self._put(case.draw, target)
        before = look(self._folder, self._planted) | look(script.parent, {script}) | look(self._kept.parent, {self._kept})
        run_inside(case, self.place, *(word.format(source=script, target=target) for word in words))
        for what in find_destroyed(before, may_replace=False, spared={script, self._kept}):
            case.complain("lost", f"{what}: {words}", "a command destroys what it was not told to")
        return words[1]

    def _choose_script(self, draw: random.Random) -> Path:
        """Where the script lies: elsewhere, or among the files that are made of it."""
        return draw.choice((self.place.source, self._folder)) / draw.choice(("story.txt", "a1.txt", "voice_lines.csv", "a1.csv"))

    def _write_script(self, draw: random.Random, file: Path) -> Path:
        lines = [(draw.choice(IDS), draw.choice(TEXTS)) for _ in range(draw.randrange(1, 4))]
        table = "\n".join(("id,text", *(f"{name},{text}" for name, text in lines)))
        file.write_text("\n".join(text for _, text in lines) if file.suffix == ".txt" else table, encoding="utf-8")
        return file

    def _choose_options(self, draw: random.Random) -> list[str]:
        options = [
            "--pattern",
            draw.choice(("$id$", "$number$", "story", "$take$")),
            "--sidecars",
            draw.choice(("", "txt", "txt,srt", "json,txt")),
        ]
        options += draw.choice(([], [], ["--joined"], ["--by", "speaker"], ["--game", "csv"], ["--game", "csv"]))
        return options + draw.choice(([], [], ["--format", "flac"]))

    def _put_things(self, draw: random.Random) -> None:
        """Puts things under names that the export may want, those of its own earlier files among them."""
        self._planted = set()
        for _ in range(draw.randrange(4)):
            there = sorted(item for item in self._folder.iterdir() if item.is_file() and item.name not in (MANIFEST_NAME, JOURNAL_NAME))
            named = self._folder / (draw.choice(STEMS) + draw.choice(SUFFIXES))
            target = draw.choice([*there, self._folder / "Mei"]) if draw.random() < 0.4 else named
            if not target.is_dir() and target.name not in ("story.txt", "a1.txt", "voice_lines.csv", "a1.csv"):
                self._put(draw, target)

    def _put_late(self, draw: random.Random, before: dict[Path, str]) -> None:
        """Puts a file under a name that nothing has, while the export runs."""
        time.sleep(draw.random() * LATEST_S)
        target = self._folder / (draw.choice(STEMS) + draw.choice(SUFFIXES))
        with suppress(FileExistsError), target.open("x", encoding="utf-8") as file:
            file.write("late\n")
            self._planted.add(target)
            before[target] = "late\n"

    def _put(self, draw: random.Random, target: Path) -> None:
        target.unlink(missing_ok=True)
        kind = draw.choice(("file", "file", "link", "link to nowhere", "folder"))
        if kind == "file":
            target.write_text(f"mine {target.name}\n", encoding="utf-8")
        elif kind == "folder":
            target.mkdir()
            (target / "mine.txt").write_text("mine\n", encoding="utf-8")
        else:
            target.symlink_to(self._kept if kind == "link" else self._kept.with_name("nowhere"))
        self._planted.add(target)


def look(folder: Path, paths: Collection[Path]) -> dict[Path, str]:
    """What these paths are: where a link leads, what a folder of one file holds, what a file says."""
    return {path: _describe(path) for path in paths if path.is_relative_to(folder)}


def _describe(path: Path) -> str:
    if path.is_symlink():
        return f"link {path.readlink()}"
    if path.is_dir():
        return json.dumps(sorted(item.read_text(encoding="utf-8") for item in path.iterdir() if item.name == "mine.txt"))
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else "nothing"


def find_destroyed(before: Mapping[Path, str], *, may_replace: bool, spared: Collection[Path]) -> list[str]:
    """What is no longer as it was, but for files and links that were allowed to give way; a folder and those of `spared` never are."""
    found = []
    for path, was in before.items():
        gives_way = may_replace and path not in spared and not was.startswith("[")
        if (now := _describe(path)) != was and not gives_way:
            found.append(f"{path.name} was {was[:80]!r} and is {now[:80]!r}")
    nowhere = next((path for path in spared if path.with_name("nowhere").exists()), None)
    return [*found, *(["something is where a link leads"] if nowhere is not None else [])]


def find_strange(folder: Path, planted: AbstractSet[Path]) -> list[str]:
    """Names that no export makes: hidden ones but for its record, those that other programs act on, other kinds."""
    names = [item for item in folder.rglob("*") if item not in planted and planted.isdisjoint(item.parents) and not item.is_dir()]
    return [
        item.name
        for item in names
        if item.name not in (MANIFEST_NAME, JOURNAL_NAME)
        and (item.name.casefold() in FORBIDDEN or item.name.startswith(".") or item.suffix not in KINDS)
    ]


ATTACKS = Exports
