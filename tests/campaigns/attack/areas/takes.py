"""Takes that are made, saved, deleted and moved at random, in a process that is killed: no sound is lost that anything names."""

from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.place import clear
from tests.campaigns.takes.rounds import SCENE_ROUNDS, Scene

TRY_S = 240.0


class Takes(Area):
    """One process a try; each begins with what the one before has left."""

    def prepare(self) -> None:
        """An empty folder."""
        self._done = 0

    def attempt(self, case: Case) -> str:
        """Kills it, or has it closed, and looks."""
        case.allow(limit_s=TRY_S)
        if self._done % SCENE_ROUNDS == 0:
            clear(self.place.home)
            self._scene = Scene(clear(self.place.out) / "projects", self.place.home)
        self._done += 1
        case.doing(f"round {self._done}")
        before = self._scene.made
        self._scene.round(case.draw)
        for item in self._scene.lost:
            case.complain("lost" if "names" in item or "nowhere" in item else "wrong", item)
        if self._scene.lost:
            self._done = 0
        return "takes" if self._scene.made > before else "killed before a take"


ATTACKS = Takes
