"""Our own JSON files, cut anywhere and with another type anywhere: the program starts, speaks, and loses nothing of the user's."""

import math
import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from app.compose.text_front_end import forget_readings
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.hostile.json_damage import Damages
from tests.campaigns.attack.hostile.special_files import SPECIAL, put_special, remove
from tests.campaigns.attack.lived_in import BERT, VOICE, WEIGHTS, OwnFile, make_home
from tests.campaigns.attack.program import run, run_inside

Do = Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Target:
    file: OwnFile
    content: bytes
    damages: Damages

    @property
    def copy(self) -> Path:
        """Where a file that cannot be read is kept."""
        return self.file.path.with_name(self.file.path.name + ".unreadable")


class OwnJson(Area):
    """One damage a try; every one of them once in an order of the seed's, then more at random."""

    def prepare(self) -> None:
        """A folder that was lived in."""
        self._targets = []
        for file in make_home():
            content = file.path.read_bytes()
            self._targets.append(_Target(file, content, Damages(content)))
        self._total = sum(len(target.damages) for target in self._targets)

    def attempt(self, case: Case) -> str:
        """Damages a file, looks, and puts it back."""
        if case.once_in(1500):
            return self._many(case)
        if case.once_in(300):
            return self._swap_weights(case)
        put: Callable[[], object]
        if case.once_in(800):
            target, kind = case.draw.choice(self._targets), case.draw.choice(list(SPECIAL))
            what, put = f"{target.file.name}: {kind}", partial(put_special, target.file.path, kind)
        else:
            target, what, content = self._damaged(case)
            put = partial(target.file.path.write_bytes, content)
        case.doing(what)
        try:
            put()
            self._look(case, target, what)
        finally:
            self._restore(target)
        return target.file.name

    def _damaged(self, case: Case) -> tuple[_Target, str, bytes]:
        if case.number >= self._total:
            target = case.draw.choice(self._targets)
            what, content = target.damages.drawn(case.draw)
            return target, f"{target.file.name}: {what}: {content[:300]!r}", content
        number = _shuffled(case.number, self._total, case.seed)
        for target in self._targets:
            if number < len(target.damages):
                what, content = target.damages[number]
                return target, f"{target.file.name}: {what}", content
            number -= len(target.damages)
        raise AssertionError

    def _look(self, case: Case, target: _Target, what: str) -> None:
        path = target.file.path
        before = path.read_bytes() if path.is_file() and path.stat().st_size < 1 << 30 and not path.is_symlink() else None
        found = case.call(what, target.file.load)
        if target.file.save is not None and before is not None:
            self._look_for_losses(case, target, what, before, told=isinstance(found, tuple) and found[1] is not None)
        self._look_at_commands(case, target, what)

    def _look_for_losses(self, case: Case, target: _Target, what: str, before: bytes, *, told: bool) -> None:
        path, copy = target.file.path, target.copy
        if path.read_bytes() != before:
            case.complain("lost", f"{what}: reading changed the file")
        if told and (not copy.is_file() or copy.read_bytes() != before):
            case.complain("lost", f"{what}: no copy was kept", f"{target.file.name}: no copy")
        if told and case.once_in(20):
            assert target.file.save is not None
            case.call(f"{what}, then saved", target.file.save)
            if copy.read_bytes() != before:
                case.complain("lost", f"{what}: saving changed the copy")
            path.write_bytes(b"{ other damage")
            case.call(f"{what}, then damaged again", target.file.load)
            if before not in [item.read_bytes() for item in path.parent.glob(f"{path.name}*")]:
                case.complain("lost", f"{target.file.name}: the copy kept first is overwritten by the next", "the first copy")

    def _look_at_commands(self, case: Case, target: _Target, what: str) -> None:
        name, draw = target.file.name, case.draw
        if name == "dictionary" and draw.random() < 0.3:
            forget_readings(None)
            ran = run_inside(case, self.place, "g2p", stdin="檜箱庵の雨。\n".encode())
            if ran.code or not ran.lines() or "error" in ran.lines()[0]:
                case.complain("wrong", f"{what}: nothing can be read any more\n{ran.told()}", "a damaged dictionary")
        if name in ("voice", "card", "bert") and draw.random() < 0.2:
            run_inside(case, self.place, *draw.choice((("voices", "list"), ("voices", "list", "--json"), ("bert", "list", "--json"))))
            run_inside(case, self.place, "voices", "info", VOICE, *draw.choice(((), ("--json",))))
        if name in ("settings", "bert", "voice", "probe", "dictionary") and draw.random() < 0.01:
            forget_readings(None)
            ran = run_inside(case, self.place, "speak", "はい。", "--voice", "mei", "-o", str(self.place.out / "a.wav"))
            if ran.code:
                case.complain("wrong", f"{what}: it does not speak any more\n{ran.told()}", f"damaged {name}")

    def _many(self, case: Case) -> str:
        """Several files at once, before the program itself."""
        chosen = case.draw.sample(self._targets, 4)
        try:
            for target in chosen:
                what, content = target.damages[case.draw.randrange(len(target.damages))]
                case.doing(f"{target.file.name}: {what}")
                target.file.path.write_bytes(content)
            given = case.draw.choice(
                (
                    ("speak", "はい。", "--voice", "mei", "-o", str(self.place.out / "a.wav")),
                    ("doctor", "--json"),
                    ("dict", "list", "--json"),
                )
            )
            names = ", ".join(target.file.name for target in chosen)
            ran = run(case, self.place, *given)
            if ran.code and given[0] == "speak":
                case.complain("wrong", f"{names} damaged: it does not speak any more\n{ran.told()}", "several damaged")
            run(case, self.place, "bert", "use", BERT, "--json", limit_s=60)
        finally:
            for target in self._targets:
                self._restore(target)
        return "several"

    def _swap_weights(self, case: Case) -> str:
        """A copy of a graph whose weights are all there, in another order: no copy of ours."""
        target = next(item for item in self._targets if item.file.name == "graph copy")
        path, swapped = target.file.path.with_name("weights.bin"), WEIGHTS[8:16] + WEIGHTS[:8] + WEIGHTS[16:]
        path.write_bytes(swapped)
        found = case.call("swapped weights", target.file.load)
        if found is not None and path.read_bytes() == swapped:
            case.complain("wrong", "a copy of a graph whose weights were exchanged with each other is taken for whole", "swapped weights")
        self._restore(target)
        path.write_bytes(WEIGHTS)
        return "swapped"

    def _restore(self, target: _Target) -> None:
        path = target.file.path
        if not path.parent.is_dir():  # a damaged copy of a graph is removed with its folder
            path.parent.mkdir(parents=True)
            for name in ("graph.onnx", "weights.bin"):
                (path.parent / name).write_bytes(WEIGHTS)
        remove(path)
        path.write_bytes(target.content)
        for item in path.parent.glob(f"{path.name}.*"):
            shutil.rmtree(item) if item.is_dir() and not item.is_symlink() else item.unlink()


def _shuffled(number: int, total: int, seed: str) -> int:
    """Every number below `total` once, in an order of the seed's own."""
    draw = random.Random(f"order {seed}")
    step = next(item for item in iter(lambda: draw.randrange(1, total), None) if math.gcd(item, total) == 1)
    return (draw.randrange(total) + number * step) % total


ATTACKS = OwnJson
