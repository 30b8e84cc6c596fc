"""Sources from strangers added by the program itself: it proves them, or refuses them, within limits that it keeps, and leaves nothing half."""

import shutil
from pathlib import Path

from tests.campaigns.attack import checks
from tests.campaigns.attack.area import Case
from tests.campaigns.attack.hostile.graphs import greedy_voice
from tests.campaigns.attack.place import Place, clear
from tests.campaigns.attack.program import Ran, run
from tests.conftest import SHARED
from tests.voices.fuzz import prepared_cases

PROOF_S, PROOF_BYTES = 300.0, 6 << 30  # a graph is run while it is proved: that may take what a real voice needs three times over


class Adding:
    """Each deed ends with an empty library."""

    def __init__(self, place: Place) -> None:
        self._place = place

    def add(self, case: Case, path: Path) -> str:
        """Any source, added or spoken with where it lies."""
        sound = str(self._place.out / "a.wav")
        speak = ("speak", "はい。", "--voice", str(path), "--accept-licence", "--force-bert", "-o", sound)
        self._run(case, *case.draw.choice((("voices", "add", str(path), "--accept-licence", "--json"), speak)))
        return "added"

    def add_bert(self, case: Case, path: Path) -> None:
        """A BERT."""
        self._run(case, "bert", "add", str(path), "--json")

    def add_damaged_graph(self, case: Case) -> str:
        """A graph of a real structure, damaged where the reference material is at hand."""
        source = SHARED / "reference" / "jp-extra-tiny" / "model.onnx"
        if not source.is_file():
            return self.add_greedy_graph(case)
        return self._prove(case, prepared_cases.make(f"{case.seed} {case.number}", source, clear(self._place.source / "case")))

    def add_greedy_graph(self, case: Case) -> str:
        """A graph that wants everything."""
        return self._prove(case, greedy_voice(case.draw, clear(self._place.source / "case")))

    def _prove(self, case: Case, path: Path) -> str:
        case.allow(PROOF_S, PROOF_BYTES)
        ran = self._run(case, "voices", "add", str(path), "--accept-licence", "--json")
        return "proved" if ran.code == 0 else "not proved"

    def _run(self, case: Case, *arguments: str) -> Ran:
        ran = run(case, self._place, *arguments, limit_s=PROOF_S, silence_s=PROOF_S)
        checks.check_home(case, self._place.home)
        if left := checks.leftovers(self._place.home, self._place.out):
            case.complain("half", f"left behind: {left}", "leftovers")
        for name in ("voices", "cache", "bert", "staging"):
            shutil.rmtree(self._place.home / name, ignore_errors=True)
        return ran
