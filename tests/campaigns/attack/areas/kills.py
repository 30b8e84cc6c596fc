"""The program killed at any moment of anything that writes: what was there is there, nothing is half, and the next run works and sweeps."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import suppress

from app.ui.script.autosave import load_autosave
from tests.campaigns.attack import checks, watch
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.areas.sound_servers import kill_sound_server
from tests.campaigns.attack.operations import Materials, Operation
from tests.campaigns.attack.place import clear
from tests.campaigns.attack.program import Program, judge
from tests.campaigns.attack.window import open_and_speak, window

LIMIT_S, TRY_S = 60.0, 400.0
WINDOW_SHARE, SOUND_SHARE = 0.12, 0.05
KEPT_S = 5.0  # of what is typed no more may be lost; the window promises two seconds on a machine that is not busy
ORPHAN_S = 20.0
TRIES_OF_A_HOME = 15


class Kills(Area):
    """One kill a try."""

    def prepare(self) -> None:
        """Something to add."""
        self._materials = Materials(self.place)
        self._seconds: dict[str, float] = {}
        self._done = 0

    def attempt(self, case: Case) -> str:
        """Begins, kills, looks, and does it again."""
        case.allow(limit_s=TRY_S)
        self._done += 1
        if self._done % TRIES_OF_A_HOME == 0:
            clear(self.place.home)
            clear(self.place.out)
        kind = case.draw.random()
        if kind < WINDOW_SHARE + SOUND_SHARE:
            return self._kill_window(case) if kind < WINDOW_SHARE else kill_sound_server(case, self.place)
        ways = self._materials.operations(case)
        name = case.draw.choices(list(ways), [weight for weight, _ in ways.values()])[0]
        return self._kill(case, ways[name][1]())

    def _kill(self, case: Case, operation: Operation) -> str:
        case.doing(f"{operation.name}, to be killed")
        program = Program(self.place, operation.arguments)
        for _ in self._moment(case, program, operation):
            pass
        killed = program.runs()
        after = time.monotonic() - program.began
        if killed:
            program.kill(all_of_it=case.draw.random() < 0.5)
        case.doing(f"{operation.name}, killed after {after:.2f} s")
        self._wait_for_orphans(case)
        self._look(case, operation)
        self._again(case, operation)
        return f"{operation.name} killed" if killed else "too late"

    def _moment(self, case: Case, program: Program, operation: Operation) -> Iterator[None]:
        """Waits until any moment of its run, half of the time a moment after it has begun to write."""
        draw = case.draw
        if draw.random() < 0.5:
            ends = program.began + draw.random() * self._seconds.get(operation.name, operation.seconds)
        else:
            before = self._traces()
            while program.runs() and self._traces() == before:
                yield time.sleep(0.0005)
            ends = time.monotonic() + draw.choice((0.0, draw.random() * 0.01, draw.random() * 0.1, draw.random()))
        while program.runs() and time.monotonic() < ends:
            yield time.sleep(0.0005)

    def _traces(self) -> list[tuple[str, int]]:
        """Changes whenever something is written, made or renamed."""
        found = []
        for folder in (self.place.home, self.place.out, *self.place.home.glob("*")):
            with suppress(OSError), os.scandir(folder) as entries:
                found += [(entry.name, entry.stat(follow_symlinks=False).st_size) for entry in entries]
        return found

    def _wait_for_orphans(self, case: Case) -> None:
        """Its children may finish what they do, but not live on."""
        left = [pid for pid in watch.belonging(self.place.root) if pid != os.getpid()]
        if not watch.gone(left, ORPHAN_S):
            case.complain("hang", f"children that go on after their parent was killed: {left}", "orphans")
            watch.kill(left)

    def _look(self, case: Case, operation: Operation) -> None:
        checks.check_home(case, self.place.home)
        operation.check(case)

    def _again(self, case: Case, operation: Operation) -> None:
        """The same to its end: it works, and sweeps what the dead one left."""
        left = checks.leftovers(self.place.home, self.place.out)
        checks.age(left)
        program = Program(self.place, operation.arguments)
        ran = program.finish(case, LIMIT_S)
        self._seconds[operation.name] = time.monotonic() - program.began
        judge(case, ran)
        if ran.code:
            case.complain("wrong", f"after a kill it does not work: {ran.told()}", f"{operation.name} after a kill")
        self._look(case, operation)
        operation.done(case)
        checks.check_swept(case, left, self.place)

    def _kill_window(self, case: Case) -> str:
        """While somebody types: at most the last seconds are gone."""
        case.doing("a window, to be killed")
        program = window(self.place, "type")
        ends = time.monotonic() + LIMIT_S
        while not (typed := _typed(program)) and program.runs() and time.monotonic() < ends:
            time.sleep(0.02)
        lives = time.monotonic() + case.draw.choice((0.1, 3.0, 9.0)) * case.draw.random()
        while program.runs() and time.monotonic() < lives:
            time.sleep(0.001)
        if not program.runs() or not typed:
            judge(case, program.finish(case, 0.1))
            case.complain("wrong", f"the window did not open, or ended by itself: {program.printed(2)[-1500:]!r}", "the window")
            return "window failed"
        killed_at = time.monotonic()
        program.kill(all_of_it=case.draw.random() < 0.5)
        typed = _typed(program)
        self._wait_for_orphans(case)
        checks.check_home(case, self.place.home)
        script, _, _, error = load_autosave()
        kept = max((len(line.text) for line in script.lines if not line.text.strip("x")), default=0) if script is not None else 0
        promised = max((count for at, count in typed if at < killed_at - KEPT_S), default=0)
        if error is not None or kept < promised:
            case.complain("lost", f"{kept} letters of {promised} that were typed {KEPT_S} s before the kill; {error}", "the script")
        if case.draw.random() < 0.4:
            left = checks.leftovers(self.place.home)
            checks.age(left)
            open_and_speak(case, self.place, kept="x" * kept)
            checks.check_swept(case, left, self.place)
        return "window killed"


def _typed(program: Program) -> list[tuple[float, int]]:
    """When how many letters had been typed."""
    found = []
    for line in program.printed().splitlines():
        with suppress(ValueError, KeyError):
            item = json.loads(line)
            found.append((item["at"], item["typed"]))
    return found


ATTACKS = Kills
