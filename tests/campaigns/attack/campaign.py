"""All areas in turn, each for its share of the time, on as many cores as wanted."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from tests.campaigns.attack import crew
from tests.campaigns.attack.area import Complaint
from tests.campaigns.attack.crew import Errand

LONGEST_COUNTED_S = 600.0  # that a turn of counted tries may take
SHORTEST_S, LONGEST_S = 4.0, 60.0  # of a turn; a worker needs a second or two until it is ready


@dataclass(frozen=True, slots=True)
class Finding:
    """One complaint, and how it is met again."""

    area: str
    seed: str
    number: int
    complaint: Complaint

    @property
    def again(self) -> str:
        """A line for the shell."""
        return f"python -m tests.campaigns.attack --area {self.area} --seed {self.seed} --only {self.number}"


@dataclass(slots=True)
class Tally:
    """What was done in one area."""

    tries: int = 0
    seconds: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    findings: list[Finding] = field(default_factory=list)


OnFinding = Callable[[Finding, bool], None]
OnTurn = Callable[[str, Tally], None]


class Campaign:
    """Turns of areas until the time is up, or one turn of so many tries for each.

    Args:
        shares: of the time, by area.
        tries: of each area, however long they take, instead of the minutes; 0 for none.
        on_finding: told of each finding, and whether it is the first of its kind.
        on_turn: told of an area when its turn is over.
    """

    def __init__(
        self, shares: Mapping[str, float], seed: str, minutes: float, jobs: int, on_finding: OnFinding, on_turn: OnTurn, *, tries: int = 0
    ) -> None:
        self.tallies = {name: Tally() for name in shares}
        self._shares, self._seed, self._jobs, self._on_finding = shares, seed, jobs, on_finding
        self._on_turn, self._most = on_turn, tries or Errand.most
        self._is_counted = bool(tries)
        self._ends = time.monotonic() + 60 * minutes
        self._turn_s = min(LONGEST_S, max(SHORTEST_S, 60 * minutes * jobs / sum(shares.values())))
        self._next = {(name, job): job for name in shares for job in range(jobs)}
        self._lock = threading.Lock()
        self._known: set[tuple[str, str]] = set()
        self._failures: list[BaseException] = []

    def run(self) -> None:
        """All of it. Raises what kept an area from beginning."""
        threads = [threading.Thread(target=self._work, args=(job,)) for job in range(self._jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self._failures:
            raise self._failures[0]

    def only(self, number: int) -> None:
        """One try of the first area."""
        area = next(iter(self._shares))
        crew.run(Errand(area, self._seed, number, 1, self._ends, self._listener(area, 0), most=1))

    def _work(self, job: int) -> None:
        while not self._failures and (turn := self._choose()) is not None:
            area, turn_s = turn
            began = time.monotonic()
            try:
                errand = Errand(area, self._seed, self._next[area, job], self._jobs, began + turn_s, self._listener(area, job), self._most)
                crew.run(errand)
            except BaseException as exc:
                self._failures.append(exc)
                raise
            with self._lock:
                self.tallies[area].seconds += time.monotonic() - began - turn_s
                self._on_turn(area, self.tallies[area])

    def _choose(self) -> tuple[str, float] | None:
        """The area that has had the least of its share, and for how long; its turn is counted at once, so that others take another.

        None when the time is up and every area has had a turn, however long tries of others took.
        """
        with self._lock:
            area = min(self.tallies, key=lambda name: self.tallies[name].seconds / self._shares[name])
            if self._is_counted:
                self.tallies[area].seconds += LONGEST_COUNTED_S
                return (area, LONGEST_COUNTED_S) if self.tallies[area].seconds == LONGEST_COUNTED_S else None
            left_s = self._ends - time.monotonic()
            if left_s <= SHORTEST_S / 2 and self.tallies[area].seconds > 0:
                return None
            turn_s = max(SHORTEST_S, min(left_s, self._turn_s * self._shares[area]))
            self.tallies[area].seconds += turn_s
            return area, turn_s

    def _listener(self, area: str, job: int) -> crew.OnTry:
        def tell(number: int, outcome: str, complaints: list[Complaint]) -> None:
            with self._lock:
                tally = self.tallies[area]
                self._next[area, job] = number + self._jobs
                tally.tries += 1
                tally.outcomes[outcome] += 1
                for complaint in complaints:
                    finding = Finding(area, self._seed, number, complaint)
                    tally.findings.append(finding)
                    new = (area, complaint.signature()) not in self._known
                    self._known.add((area, complaint.signature()))
                    self._on_finding(finding, new)

        return tell
