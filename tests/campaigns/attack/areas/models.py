"""Model files and archives of every container from strangers: through the readers here, and a share through the program itself."""

import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from app.install.voice_identity import identify_voice
from app.voices.containers.voice_sources import find_checkpoints, open_voice_source, read_voice_source
from app.voices.voice_card_data import read_card
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.areas.adding import Adding
from tests.campaigns.attack.hostile.berts import BertFolder
from tests.campaigns.attack.hostile.json_damage import Damages
from tests.campaigns.attack.hostile.pickles import PICKLES
from tests.campaigns.attack.hostile.special_files import SPECIAL, put_special
from tests.campaigns.attack.hostile.zips import RARE_ZIPS, ZIPS
from tests.campaigns.attack.lived_in import make_voice
from tests.campaigns.attack.place import clear
from tests.campaigns.attack.program import run_inside
from tests.lab.odd_graphs import odd_graph
from tests.voices.fuzz import cases, small_voices
from tests.voices.fuzz.campaign import try_case
from tests.voices.fuzz.reference_cases import reference_families

SOURCES: dict[str, Mapping[str, cases.Case]] = {"zip": ZIPS, "usual": cases.FAMILIES, "pickle": PICKLES}


class Models(Area):
    """One source a try."""

    def prepare(self) -> None:
        """Folders that are damaged and mended again and again."""
        self._home = self.place.source / "fuzz"
        (self._home / "temp").mkdir(parents=True)
        self._references = reference_families(self.place.source)
        self._prepared = make_voice("stranger").rename(self.place.source / "stranger")
        self._damages = {name: Damages((self._prepared / name).read_bytes()) for name in ("voice.json", "card.json")}
        self._bert = BertFolder(self.place.source / "bert")
        self._adding = Adding(self.place)

    def attempt(self, case: Case) -> str:
        """Mostly reads; sometimes asks the program itself."""
        kind = case.draw.random()
        ways: tuple[tuple[float, Callable[[Case], str]], ...] = (
            (0.0015, lambda case: self._adding.add(case, self._source(case))),
            (0.0008, self._adding.add_damaged_graph),
            (0.0004, self._adding.add_greedy_graph),
            (0.0015, self._bert_really),
            (0.001, self._odd_graph),
            (0.002, self._special),
            (0.001, self._rare),
            (0.06, self._inside),
            (0.1, self._stranger),
            (0.08, self._read_bert),
            (1.0, self._read),
        )
        for share, way in ways:
            if kind < share:
                return way(case)
            kind -= share
        raise AssertionError

    def _made(self, case: Case) -> tuple[str, cases.Case]:
        family = case.draw.choice(("usual", "usual", "usual", "zip", "pickle"))
        name = case.draw.choice(list(SOURCES[family]))
        return name, SOURCES[family][name]

    def _source(self, case: Case) -> Path:
        """A hostile source in an empty folder."""
        name, make = self._made(case)
        path = make(case.draw, clear(self.place.source / "case"))
        case.doing(f"{name}: {path}")
        return path

    def _read(self, case: Case) -> str:
        name, make = self._made(case)
        if self._references and case.once_in(150):
            name = case.draw.choice(list(self._references))
            make = self._references[name]
        return self._try(case, name, make)

    def _rare(self, case: Case) -> str:
        rare = RARE_ZIPS | cases.RARE
        name = case.draw.choice(list(rare))
        return self._try(case, name, rare[name])

    def _try(self, case: Case, name: str, make: cases.Case) -> str:
        """As the fuzzer of the readers does it, which also looks at the time, at what is left behind and at the words."""
        case.doing(name)
        before, tempfile.tempdir = tempfile.tempdir, str(self._home / "temp")
        try:
            opened, wrong = try_case(make, f"{case.seed} {case.number}", self._home)
        finally:
            tempfile.tempdir = before
        for text in wrong:
            case.complain("traceback" if "Traceback" in text else "memory" if "memory" in text else "wrong", f"{name}: {text}")
        return "opened" if opened else "refused"

    def _stranger(self, case: Case) -> str:
        """A folder as of a prepared voice, whose descriptions were written by somebody else."""
        name = case.draw.choice(list(self._damages))
        damages, path = self._damages[name], self._prepared / name
        what, content = damages[case.draw.randrange(len(damages))] if case.draw.random() < 0.7 else damages.drawn(case.draw)
        path.write_bytes(content)
        try:
            self._look(case, f"stranger's {name}: {what}", self._prepared)
        finally:
            path.write_bytes(damages.content)
        return "stranger"

    def _special(self, case: Case) -> str:
        """Something in the place of a file that is no file."""
        folder, kind = clear(self.place.source / "case"), case.draw.choice(list(SPECIAL))
        prepared = case.draw.random() < 0.5
        files = {item.name: item.read_bytes() for item in self._prepared.iterdir()} if prepared else dict(small_voices.folder())
        for name, content in files.items():
            (folder / name).write_bytes(content)
        path = folder / case.draw.choice(("media/x.png", "voice.json", "config.json", "card.json", *files))
        path.parent.mkdir(exist_ok=True)
        put_special(path, kind)
        self._look(case, f"{path.name}: {kind}", case.draw.choice((folder, path)))
        return "special"

    def _odd_graph(self, case: Case) -> str:
        """A graph that states what none has, looked into by the lab."""
        path = odd_graph(case.draw, clear(self.place.source / "case"))
        part = case.draw.choice((("inspect",), ("expect", "--runs", "1", "--warmup", "0", "--seconds", "0"), ("place",)))
        run_inside(case, self.place, "lab", part[0], str(path), *part[1:], *case.draw.choice(((), ("--json",))))
        return "odd graph"

    def _look(self, case: Case, what: str, path: Path) -> None:
        scratch = clear(self.place.source / "scratch")
        case.call(f"{what}: checkpoints", lambda: find_checkpoints(path, scratch))
        case.call(f"{what}: identify", lambda: identify_voice(open_voice_source(path)))
        case.call(f"{what}: read_source", lambda: read_voice_source(path))
        case.call(f"{what}: read_card", lambda: read_card(path))
        if case.once_in(4):
            run_inside(case, self.place, "voices", "info", str(path), *case.draw.choice(((), ("--json",))))

    def _inside(self, case: Case) -> str:
        """What the program prints of it."""
        path = self._source(case)
        expected = self.place.source / "expected.npz"
        expected.write_bytes(
            case.draw.choice((b"", b"PK\5\6" + bytes(18), small_voices.npy(), small_voices.zipped({"case1.x_tst.npy": b"\x93NUMPY"})))
        )
        command = case.draw.choice(
            (("voices", "info", str(path)), ("voices", "check", str(path), "--expected", str(expected)), ("bert", "add", str(path)))
        )
        run_inside(case, self.place, *command, *case.draw.choice(((), ("--json",))))
        return "printed"

    def _read_bert(self, case: Case) -> str:
        what, path = self._bert.damaged(case.draw)
        try:
            self._bert.look(case, what, path)
        finally:
            self._bert.mend()
        return "bert"

    def _bert_really(self, case: Case) -> str:
        what, path = self._bert.damaged(case.draw)
        case.doing(what)
        try:
            self._adding.add_bert(case, path)
        finally:
            self._bert.mend()
        return "bert added"


ATTACKS = Models
