"""`koebako mcp` over its pipes: lines that are no message, wrong arguments, names that are paths, cancelled calls, clients that leave."""

import json
import os
import random
import shutil
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from app.cli.commands.mcp.run import MAX_LINE_BYTES
from app.common.errors import InputError
from app.core.script.project import PROJECT_SUFFIX
from app.export.manifest_store import MANIFEST_NAME
from app.interchange.koebako_files import read_project
from app.service.agents.agent_session import INTERNAL_ERROR
from app.service.agents.agent_tools import TOOLS
from app.service.agents.tool_arguments import FILE_FORMATS
from tests.campaigns.attack import watch
from tests.campaigns.attack.area import LIMIT_S, Area, Case
from tests.campaigns.attack.checks import leftovers
from tests.campaigns.attack.hostile.json_damage import Damages
from tests.campaigns.attack.hostile.texts import hostile_text
from tests.campaigns.attack.place import clear, command
from tests.campaigns.attack.worker import ESCAPES

MEMORY_BYTES = 1 << 30
LONG_TEXT = "とても長い文です。" * 500
NAMES = (
    *(
        "../x",
        "/tmp/x.wav",
        "a/b",
        "a\\b",
        "C:x",
        "..",
        ".",
        "~",
        "~root/x",
        " . ",
        "x\0.wav",
        "x.wav/",
        "-o",
        "|x",
        "CON",
        "nul.wav",
        "x. ",
    ),
    *(
        "a" * 199,
        "あ" * 199,
        "👨‍👩‍👧‍👦" * 20,
        "\u202ex",
        "\x1b[31mx",
        "x\ny",
        "\ud800",
        "linked",
        "linked.wav",
        "linked 2",
        "loop",
        ".hidden",
        "x.exe",
    ),
    *("%2e%2e%2fx", "..％2fx", "．．／x", "file:x", "//server/x", "$HOME", "*", "?"),
)
VALUES = (None, True, -1, 0, 1e308, 10**400, [], {}, [[]], "", "x", "\ud800", "あ" * 10_001, {"x": {}})
METHODS = ("", "x", "tools/call/", "resources/read", "prompts/list", "completion/complete", "logging/setLevel", "shutdown", "\ud800")
CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "speak", "arguments": {"text": "はい。", "file": "x", "speed": 1}},
}


class Agents(Area):
    """One program that lives for many tries; each sends a few lines, and asks whether it is still there."""

    def prepare(self) -> None:
        """The folder, with links in it that lead out of it; the program over it starts with the first try, which may take its time."""
        self._folder = clear(self.place.out / "agent")
        (self._folder / "linked.wav").symlink_to(self.place.canary / "secret.txt")
        (self._folder / "linked 2.wav").symlink_to(self.place.canary / "new.wav")
        (self._folder / "loop.wav").symlink_to("loop.wav")
        self._damages = Damages(json.dumps(CALL, ensure_ascii=False).encode())
        self._numbers = 0
        self._is_started = False

    def attempt(self, case: Case) -> str:
        """Sends, and looks whether the program lives, answers, and wrote nothing but sound files of its own."""
        if not self._is_started:
            case.allow(LIMIT_S * 3)
            self._start_program()
            self._is_started = True
        kind = case.draw.random()
        if kind < 0.04:
            outcome = self._leave(case)
        elif kind < 0.1:
            outcome = self._cancel(case)
        else:
            outcome = self._send(case, [self._build_line(case.draw) for _ in range(case.draw.choice((1, 1, 3, 20)))])
        self._judge_folder(case)
        if watch.memory_bytes([self._program.pid]) > MEMORY_BYTES:
            case.complain("memory", f"{watch.memory_bytes([self._program.pid]) >> 20} MB", "mcp")
        return outcome

    def _start_program(self) -> None:
        self._errors = (self.place.system / "mcp.txt").open("w+b")
        arguments = command("mcp", "--folder", str(self._folder), "--backend", "cpu", "--voice", "mei")
        self._program = subprocess.Popen(
            arguments, stdin=-1, stdout=-1, stderr=self._errors, env=self.place.environment(), cwd=self.place.canary
        )
        self._write(json.dumps(CALL | {"method": "initialize", "params": {"protocolVersion": "", "clientInfo": {"name": "x"}}}).encode())
        self._read_line()

    def _write(self, line: bytes) -> None:
        assert self._program.stdin is not None
        self._program.stdin.write(line + b"\n")
        self._program.stdin.flush()

    def _read_line(self) -> bytes:
        assert self._program.stdout is not None
        return self._program.stdout.readline()

    def _send(self, case: Case, lines: list[bytes]) -> str:
        """Sends lines from a thread of its own, since the program may stop reading while nobody reads its answers."""
        self._numbers += 1
        case.allow(LIMIT_S * 2)
        case.doing(f"{len(lines)} lines to an agent's program, one of them {case.draw.choice(lines)[:1000]!a}")
        ping, last = (
            _dump({"jsonrpc": "2.0", "id": f"{what} {self._numbers}", "method": what}) for what in ("ping", "tools/list")
        )  # a ping is answered at once, the other one in its turn
        sender = threading.Thread(target=self._send_all, args=([*lines, ping, last],), daemon=True)
        sender.start()
        if case.once_in(10):
            time.sleep(0.2)  # answers fill the pipe meanwhile
        is_pinged = False
        while self._judge_answer(case, line := self._read_line()):
            is_pinged |= f'"ping {self._numbers}"'.encode() in line
            if f'"tools/list {self._numbers}"'.encode() in line:
                sender.join()
                if not is_pinged:
                    case.complain("hang", "a ping was not answered before what came after it", "a ping")
                return "lines"
        self._restart(case, f"it ended with {self._program.wait()} after {[line[:300] for line in lines]!r}")
        return "ended"

    def _send_all(self, lines: list[bytes]) -> None:
        with suppress(OSError):
            for line in lines:
                self._write(line)

    def _judge_answer(self, case: Case, line: bytes) -> bool:
        """Complains of an answer that is none; False at the end of the stream."""
        if not line:
            return False
        try:
            answer = json.loads(line)
        except ValueError:
            case.complain("wrong", f"no JSON: {line[:300]!r}", "an answer")
            return True
        for one in answer if isinstance(answer, list) else [answer]:
            if one.get("jsonrpc") != "2.0" or ("result" in one) == ("error" in one) or "id" not in one:
                case.complain("wrong", f"no answer: {line[:300]!r}", "an answer")
            elif one.get("error", {}).get("code") == INTERNAL_ERROR:
                case.complain("internal", f"{line[:300]!r}\n{self._read_errors()[-2000:]}", "an answer")
            shown = json.dumps(one.get("result", {}).get("content", ""), ensure_ascii=False) if isinstance(one.get("result"), dict) else ""
            if str(self.place.root) in shown or "Traceback" in shown:
                case.complain("wrong", f"an agent sees: {shown[:500]}", "the text of an answer")
        if ESCAPES.search(line.decode("utf-8", "replace")):
            case.complain("escape", f"{line[:300]!r}", "an answer")
        return True

    def _read_errors(self) -> str:
        if sys.platform != "linux":
            raise NotImplementedError("the attack is Linux's alone")
        size = os.fstat(self._errors.fileno()).st_size
        return os.pread(self._errors.fileno(), size, 0).decode("utf-8", "replace")

    def _restart(self, case: Case, why: str) -> None:
        case.complain("signal" if (self._program.returncode or 0) < 0 else "wrong", f"{why}\n{self._read_errors()[-2000:]}", "mcp ended")
        self._start_program()

    def _cancel(self, case: Case) -> str:
        """A long call, which is cancelled somewhere in its middle; it must leave no file, and no answer."""
        self._numbers += 1
        number = f"call {self._numbers}"
        called = {"name": "speak", "arguments": {"text": LONG_TEXT, "file": f"cancelled{self._numbers}"}}
        self._write(json.dumps(CALL | {"id": number, "params": called}).encode())
        time.sleep(case.draw.random())
        cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}}
        self._send(case, [json.dumps(cancel).encode()])
        if left := list(self._folder.glob(f"cancelled{self._numbers}*")):
            case.complain("half", f"after a cancelled call: {left}", "a cancelled call")
        return "cancelled"

    def _leave(self, case: Case) -> str:
        """The agent goes, in the middle of a line, of a call, or of an answer; the program must end by itself, without a word."""
        how = case.draw.choice(("a line", "a call", "an answer", "a call, killed"))
        case.doing(f"an agent leaves in the middle of {how}")
        case.allow(LIMIT_S * 2)
        program = self._program
        assert program.stdin is not None
        assert program.stdout is not None
        called = {"name": "speak", "arguments": {"text": LONG_TEXT if "killed" in how else "はい。" * 20, "file": f"left{self._numbers}"}}
        with suppress(OSError):
            if how == "an answer":
                program.stdout.close()
            content = json.dumps(CALL | {"params": called}).encode()
            program.stdin.write(content[:50] if how == "a line" else content + b"\n")
            program.stdin.flush()
        if "killed" in how:
            time.sleep(case.draw.random())
            program.kill()
        with suppress(OSError):
            program.stdin.close()
        try:
            code = program.wait(LIMIT_S)
        except subprocess.TimeoutExpired:
            case.complain("hang", f"no end after an agent left in the middle of {how}", "mcp does not end")
            program.kill()
            code = program.wait()
        for part in leftovers(self._folder) if "killed" in how else ():
            part.unlink()
        said = self._read_errors()
        if "Traceback" in said or (code not in (0, 7) and "killed" not in how):
            case.complain("traceback", f"ended with {code} after {how}: {said[-2000:]}", "mcp ends")
        self._start_program()
        return "left"

    def _judge_folder(self, case: Case) -> None:
        allowed = {f".{form}" for form in FILE_FORMATS}
        for path in self._folder.iterdir():
            if path.is_symlink():
                if path.name not in ("linked.wav", "linked 2.wav", "loop.wav"):
                    case.complain("wrong", f"a link: {path}", "a link")
            elif path.is_dir():
                self._judge_export(case, path, allowed)
            elif path.suffix in (PROJECT_SUFFIX, ".lock"):
                self._judge_project(case, path)
            elif not path.is_file() or path.suffix not in allowed:
                case.complain("half", f"{path.name!a}", "no sound file")
            else:
                self._judge_sound(case, path)
        if strays := [path for path in self.place.out.iterdir() if path != self._folder]:
            case.complain("outside", strays)

    def _judge_project(self, case: Case, path: Path) -> None:
        """A project can be opened, if it is one and not its lock."""
        if path.suffix == PROJECT_SUFFIX:
            try:
                read_project(path)
            except InputError as error:
                case.complain("half", f"{path.name!a}: {error.message}", "a project")
        path.unlink()

    def _judge_export(self, case: Case, folder: Path, allowed: set[str]) -> None:
        """An export holds sounds and the record of them."""
        for path in folder.iterdir():
            if path.suffix not in allowed and path.name != MANIFEST_NAME:
                case.complain("half", f"{folder.name!a}/{path.name!a}", "no sound file")
        shutil.rmtree(folder)

    def _judge_sound(self, case: Case, path: Path) -> None:
        if not path.stat().st_size:
            case.complain("half", f"{path.name!a} is empty", "an empty file")
        path.unlink()

    def _build_line(self, draw: random.Random) -> bytes:
        kind = draw.random()
        if kind < 0.3:
            return self._damages[draw.randrange(len(self._damages))][1].replace(b"\n", b" ")
        if kind < 0.4:
            return self._damages.drawn(draw)[1].replace(b"\n", b" ")
        if kind < 0.5:
            return self._build_odd_bytes(draw)
        if kind < 0.6:
            params = draw.choice(({}, None, [], {"name": None}, {"name": hostile_text(draw)}, {"requestId": 1}))
            return _dump(CALL | {"id": draw.choice(VALUES), "method": draw.choice(METHODS), "params": params})
        message = CALL | {"params": {"name": (tool := draw.choice(TOOLS))["name"], "arguments": self._build_arguments(draw, tool)}}
        return _dump(message if draw.random() < 0.9 else [message] * draw.choice((1, 3, 33)))

    def _build_arguments(self, draw: random.Random, tool: dict[str, Any]) -> dict[str, Any]:
        known: dict[str, Any] = {
            "text": hostile_text(draw)[:100],
            "file": draw.choice(NAMES),
            "name": draw.choice(NAMES),
            "format": draw.choice(FILE_FORMATS),
            "voice": draw.choice(("", "Mei", hostile_text(draw)[:100])),
            "style": draw.choice(("", "ノーマル", hostile_text(draw)[:100])),
            "speed": draw.choice((0.5, 2, 1e9, -1)),
        }
        properties = tool["inputSchema"]["properties"]
        wanted = [name for name in properties if name in tool["inputSchema"]["required"] or draw.random() < 0.4]
        chosen = {
            name: draw.choice(VALUES) if draw.random() < 0.1 else known.get(name, draw_by_schema(draw, properties[name])) for name in wanted
        }
        return chosen | ({draw.choice(("path", "__proto__", "x" * 9999)): 1} if draw.random() < 0.05 else {})

    def _build_odd_bytes(self, draw: random.Random) -> bytes:
        match draw.randrange(6):
            case 0:
                return draw.randbytes(draw.randrange(200)).replace(b"\n", b"")
            case 1:
                return b'{"jsonrpc":"2.0","id":1,"method":"' + draw.choice((b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\0")) + b'"}'
            case 2:
                return b"x" * draw.choice((MAX_LINE_BYTES, MAX_LINE_BYTES + 1, 3 * MAX_LINE_BYTES, 20 * MAX_LINE_BYTES))
            case 3:
                return _dump(CALL | {"id": "x" * (MAX_LINE_BYTES // 2), "method": "ping"})
            case 4:
                return draw.choice((b"\r", b" \t ", b"\xef\xbb\xbf{}", b"Content-Length: 2\r", b"\x1b[31m", "\u2028".encode()))
            case _:
                return b"[" * draw.choice((10, 5000, MAX_LINE_BYTES - 1))


def draw_by_schema(draw: random.Random, schema: dict[str, Any]) -> Any:
    """A value that a schema allows, or is just beyond what it allows."""
    match schema["type"]:
        case "object":
            return {
                name: draw_by_schema(draw, one)
                for name, one in schema["properties"].items()
                if draw.random() < 0.5 or name in schema["required"]
            }
        case "array":
            return [draw_by_schema(draw, schema["items"]) for _ in range(draw.choice((1, 1, 2, 3, 0, schema["maxItems"] + 1)))]
        case "string":
            return draw.choice(("アキ", "はい", "", hostile_text(draw)[:60]))
        case "boolean":
            return draw.random() < 0.5
        case kind:
            small = (schema["minimum"], schema["minimum"] + 1, schema["maximum"], schema["minimum"] - 1, 1, 2)
            return draw.choice(small if kind == "integer" else (*small, 0.5))


def _dump(value: Any) -> bytes:
    return json.dumps(value).encode()


ATTACKS = Agents
