"""Servers that lie, stop, drip and lead elsewhere: here with short patience, and a share through the program itself."""

import hashlib
import os
import time
from collections.abc import Callable
from typing import Any

from app.adapters.download.resumable_download import download_file
from app.adapters.http.http_request import RetryPolicy
from app.adapters.http.hub_files import build_hf_url, convert_to_hf_file_url, fetch_aivishub_voice, fetch_hf_file_info
from app.install.download_sources import DownloadMonitor, discard_download, fetch_hub_voice, fetch_url
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.hostile.answers import FILE, LOCATIONS, hostile_answer, redirect
from tests.campaigns.attack.hostile.server import Answer, HostileServer, reply
from tests.campaigns.attack.place import clear
from tests.campaigns.attack.program import Program, judge, run, run_inside

SECRET = "hf_attack_secret"
UUID = "a59cb814-0083-4369-8542-f51a29e72af7"
QUICK = RetryPolicy(retries=2, first_delay_s=0.01, max_delay_s=0.02, max_retry_after_s=0.05, connect_timeout_s=1.0, silence_timeout_s=0.15)
SILENT_S = 30.0  # so long a program may wait without a word


class Servers(Area):
    """One conversation a try."""

    def prepare(self) -> None:
        """The hub, to which the login belongs, and a stranger."""
        self._hub, self._other = HostileServer(), HostileServer()
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"):
            os.environ.pop(name, None)
        self._env = {"HF_ENDPOINT": self._hub.url(""), "HF_TOKEN": SECRET, "KOEBAKO_AIVISHUB": self._hub.url("/v1")}
        os.environ |= self._env

    def attempt(self, case: Case) -> str:
        """Sets both servers up, asks, and looks where the login went."""
        self._hub.heads.clear()
        self._other.heads.clear()
        self._hub.answer, self._other.answer = self._script(case), lambda _head: [reply("200 OK", body=FILE)]
        kind = case.draw.random()
        outcome = self._really(case) if kind < 0.006 else self._ask(case)
        for head in self._other.heads:
            if SECRET.encode() in head:
                case.complain("token", f"the login came to a stranger: {head[:500]!r}", "the login")
        return outcome

    def _script(self, case: Case) -> Callable[[bytes], Answer]:
        """Answers of the hub in their order; the last one is repeated."""
        draw, ports = case.draw, (self._hub.port, self._other.port)
        answers: list[Answer] = [
            [redirect(draw, *ports)] if draw.random() < 0.3 else hostile_answer(draw) for _ in range(draw.choice((1, 1, 2, 4)))
        ]

        def answer(_head: bytes) -> Answer:
            return answers.pop(0) if len(answers) > 1 else answers[0]

        return answer

    def _ask(self, case: Case) -> str:
        draw, watch = case.draw, DownloadMonitor(retry_policy=QUICK)
        address = draw.choice((self._hub.url("/a/b/resolve/main/x.onnx"), self._odd_address(case), self._hub.url("/x.aivmx")))
        ways: dict[str, Callable[[], Any]] = {
            "hub voice": lambda: fetch_aivishub_voice(UUID, retry_policy=QUICK),
            "hub file": lambda: fetch_hf_file_info(build_hf_url("a/b", "x.onnx", "main"), retry_policy=QUICK),
            "address": lambda: fetch_hf_file_info(found, retry_policy=QUICK) if (found := convert_to_hf_file_url(address)) else None,
            "fetch": lambda: fetch_url(address, watch),
            "fetch voice": lambda: fetch_hub_voice(UUID, watch),
            "download": lambda: self._download(case),
        }
        name = draw.choice(list(ways))
        found = case.call(f"{name} {address!a}", ways[name])
        if name.startswith("fetch") and found is not None:
            if self.place.home not in found.parents or not found.is_file():
                case.complain("outside", f"brought to {found}")
            discard_download(found)
        if case.once_in(200):
            clear(self.place.home / "downloads")
        return name if found is not None else "refused"

    def _odd_address(self, case: Case) -> str:
        """As a stranger may have written it for the user to paste."""
        address = case.draw.choice(LOCATIONS).replace("{hub}", str(self._hub.port)).replace("{other}", str(self._other.port))
        return address.replace("/x", "/a/b/resolve/main/x.onnx")

    def _download(self, case: Case) -> object:
        """Brings a file that is known beforehand, or is not; what is told as brought must be it."""
        known = case.draw.random() < 0.5
        target = self.place.home / "downloads" / "target.bin"
        target.unlink(missing_ok=True)
        sha256 = hashlib.sha256(FILE).hexdigest() if known else None
        secrets = {"Authorization": SECRET}
        address = case.draw.choice((self._hub.url(f"/x?{case.draw.randrange(3)}"), self._hub.url("/x")))
        done = download_file(
            address, target, sha256=sha256, size=case.draw.choice((None, None, len(FILE))), secrets=secrets, retry_policy=QUICK
        )
        if sha256 and hashlib.sha256(done.path.read_bytes()).hexdigest() != sha256:
            case.complain("wrong", "a file of another checksum was taken")
        return done

    def _really(self, case: Case) -> str:
        """The program itself, with its own patience."""
        draw = case.draw
        commands = (
            ("voices", "add", "--hub", UUID, "--accept-licence", "--json"),
            ("voices", "add", "--hub", UUID, "--accept-licence"),
            ("voices", "add", "--url", self._hub.url("/a/b/resolve/main/x.onnx"), "--accept-licence"),
            ("voices", "add", "--url", self._odd_address(case), "--accept-licence"),
            ("bert", "add", "--hub", "--json"),
            ("bert", "add", "--url", self._hub.url("/model.onnx")),
        )
        command = tuple(item.replace("\0", "") for item in draw.choice(commands))
        if draw.random() < 0.1:
            return self._silence(case, command)
        if draw.random() < 0.3:
            case.allow(limit_s=120)
            run_inside(case, self.place, *command)
        else:
            run(case, self.place, *command, env=self._env, limit_s=120)
        return "real"

    def _silence(self, case: Case, command: tuple[str, ...]) -> str:
        """A server that takes the question and says nothing: the program may wait, but not without a word."""
        self._hub.answer = lambda _head: [120.0]
        case.allow(limit_s=2 * SILENT_S + 30)
        program = Program(self.place, command, env=self._env)
        while program.runs() and time.monotonic() < program.began + SILENT_S and not program.printed(2) + program.printed():
            time.sleep(0.1)
        if program.runs() and not program.printed(2) + program.printed():
            case.complain("hang", f"koebako {' '.join(command)}: no word within {SILENT_S:.0f} s of a silent server", "silence")
        if program.runs():
            program.kill(all_of_it=True)
        else:
            judge(case, program.finish(case))
        return "silence"


ATTACKS = Servers
