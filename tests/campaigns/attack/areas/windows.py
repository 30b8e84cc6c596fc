"""The real window over a damaged data folder: it opens, says what is wrong, speaks, closes, and has lost nothing."""

import json
from pathlib import Path

from app.adapters.window_requests import find_requests_dir
from tests.campaigns.attack import checks
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.hostile.json_damage import WHOLE, Damages
from tests.campaigns.attack.hostile.special_files import SPECIAL, put_special
from tests.campaigns.attack.lived_in import make_home
from tests.campaigns.attack.place import clear
from tests.campaigns.attack.window import open_and_speak

TRY_S = 120.0
OURS = ("settings", "autosave", "presets", "shortcuts", "dictionary")
FOLDERS = ("voices", "bert", "cache", "staging", "downloads", "requests", "logs", "cache/graphs", "cache/dictionary")


class Windows(Area):
    """One start a try."""

    def prepare(self) -> None:
        """What a folder holds, so that it can be made again."""
        self._files = {file.name: (file.path, file.path.read_bytes()) for file in make_home()}

    def attempt(self, case: Case) -> str:
        """Damages, opens, speaks, closes."""
        case.allow(limit_s=TRY_S)
        clear(self.place.home)
        make_home()
        kind = case.draw.random()
        if kind < 0.6:
            outcome = self._damage_files(case)
        elif kind < 0.75:
            outcome = self._damage_folders(case)
        elif kind < 0.9:
            outcome = self._requests(case)
        else:
            outcome = self._special(case)
        self._look_at_rights(case)
        before = {path: path.read_bytes() for name, (path, _) in self._files.items() if name in OURS and _is_plain(path)}
        open_and_speak(case, self.place)
        self._look_for_losses(case, before)
        return outcome

    def _damage_files(self, case: Case) -> str:
        told = []
        for name in case.draw.sample(list(self._files), case.draw.choice((1, 2, 3, 6))):
            path, content = self._files[name]
            damages = Damages(content)
            what, damaged = damages[case.draw.randrange(len(damages))] if case.draw.random() < 0.7 else damages.drawn(case.draw)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(damaged)
            told.append(f"{name}: {what}")
        case.doing("; ".join(told))
        return "damaged"

    def _damage_folders(self, case: Case) -> str:
        """Folders that are files, are missing, or are full of rubbish."""
        name = case.draw.choice(FOLDERS)
        path = self.place.home / name
        clear(path)
        if case.draw.random() < 0.5:
            path.rmdir()
            path.write_bytes(b"x")
            case.doing(f"{name} is a file")
        else:
            for number, content in enumerate(WHOLE[:12]):
                (path / f"{number}{case.draw.choice(('.json', '.part', '.lock', '.dic', '', '.onnx', '.old'))}").write_bytes(content)
            (path / ".x-01234567.part").write_bytes(b"x")
            (path / "folder").mkdir()
            case.doing(f"{name} is full of rubbish")
        return "folder"

    def _requests(self, case: Case) -> str:
        """Other starts that want files opened, which are anything."""
        hostile = self.place.source / "hostile.txt"
        hostile.write_bytes(
            case.draw.choice((b"\xff\xfe\x00", "一行目。\n二行目。".encode(), b"\0" * 1000, "あ\u202e\x1b[31m\n".encode() * 200))
        )
        names = [
            str(hostile),
            str(self.place.source / "missing.aivmx"),
            str(self.place.canary),
            "/dev/null",
            "\x1b[31m",
            "x" * 5000,
            str(self.place.source / "hostile.csv"),
        ]
        damages = Damages(
            str([case.draw.choice(names) for _ in range(3)]).replace("'", '"').encode("unicode_escape").replace(b"\\x", b"\\u00")
        )
        for number in range(case.draw.choice((1, 20))):
            what, content = damages[case.draw.randrange(len(damages))]
            (find_requests_dir() / f"{number:02}.json").write_bytes(content)
            case.doing(f"request {what}")
        return "requests"

    def _special(self, case: Case) -> str:
        name, kind = case.draw.choice(list(self._files)), case.draw.choice(list(SPECIAL))
        path = self._files[name][0]
        path.parent.mkdir(parents=True, exist_ok=True)  # the home is new
        put_special(path, kind)
        case.doing(f"{name} is a {kind}")
        return "special"

    def _look_at_rights(self, case: Case) -> None:
        """What the user made, and what other starts hand over, is for nobody else to read."""
        if find_requests_dir().is_dir() and find_requests_dir().stat().st_mode & 0o077 and case.once_in(4):
            case.complain("wrong", f"others may look into {find_requests_dir().name}", "rights of requests")

    def _look_for_losses(self, case: Case, before: dict[Path, bytes]) -> None:
        """What the user made is where it was, or kept beside it, or was written on by the window after it was read."""
        checks.check_sound(case, self.place.out / "window.wav") if (self.place.out / "window.wav").exists() else None
        for path, content in before.items():
            there = [item.read_bytes() for item in path.parent.glob(f"{path.name}*") if _is_plain(item)]
            if content not in there and content.strip() and not _read_and_rewritten(path, content):
                case.complain("lost", f"{path.name} was overwritten without a copy: {content[:200]!r}", f"{path.name} overwritten")


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink() and path.stat().st_size < 1 << 24


def _read_and_rewritten(path: Path, content: bytes) -> bool:
    """The window writes settings and script anew at its end: that is right where it could read them."""
    if path.name not in ("settings.json", "autosave.json") or not _is_plain(path):
        return False
    try:
        return isinstance(json.loads(content), dict)
    except (ValueError, RecursionError):
        return False


ATTACKS = Windows
