"""Every option of every command, every field of a request and of a line, and every surrounding that the program looks at."""

import argparse
import json
import os
import random
import socket
from dataclasses import fields, replace
from typing import Any

import numpy as np

from app.cli.main import build_parser
from app.compose.speaker_opening import open_speaker
from app.core.script.script import Line, LineSettings, build_request
from app.core.script.script_data import convert_settings_to_data, parse_settings
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride, ReadingOverride, SynthesisRequest, check_request
from tests.campaigns.attack.area import Area, Case
from tests.campaigns.attack.areas.surroundings import try_home, try_surroundings
from tests.campaigns.attack.checks import check_sound
from tests.campaigns.attack.hostile import values
from tests.campaigns.attack.hostile.json_damage import VALUES
from tests.campaigns.attack.lived_in import STARTER_BERT
from tests.campaigns.attack.place import clear
from tests.campaigns.attack.program import run, run_inside

FLOATS = (0.0, -0.0, 1.0, 0.5, -1.0, 5e-324, 1e-30, 1e30, 1e308, float("nan"), float("inf"), float("-inf"), 2.0, 10.0, 1e9)
INTEGERS = (0, 1, -1, 4, 99, 2**31 - 1, 2**31, 2**63, 10**400, -(10**400))
LEFT_OUT = {"selftest", "--probe", "--play", "--trial", "--memory-of", "--reference"}  # they take minutes, or are for our own children
MEASURING = ("bench", "lab")
OUTPUTS = {"output", "target", "plot"}
UNPROXIED = "http://127.0.0.1:9"  # nobody listens there: whatever asks the network is refused at once
Leaf = tuple[tuple[str, ...], list[argparse.Action]]


def leaves(parser: argparse.ArgumentParser, path: tuple[str, ...] = ()) -> list[Leaf]:
    """Every command with its actions."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            return [leaf for name, inner in action.choices.items() if name not in LEFT_OUT for leaf in leaves(inner, (*path, name))]
    return [(path, [item for item in parser._actions if not LEFT_OUT & {*item.option_strings}])]


class Parameters(Area):
    """One odd value a try, sometimes several."""

    def prepare(self) -> None:
        """A speaker, and every command with its options."""
        os.environ |= dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"), UNPROXIED)
        self._leaves = leaves(build_parser())
        self._pipeline = open_speaker(None, "cpu").pipeline
        self._files = {
            "npz": self.place.source / "expected.npz",
            "words": self.place.source / "words.json",
            "text": self.place.source / "a.txt",
        }
        self._files["npz"].write_bytes(b"PK\5\6" + bytes(18))
        self._files["words"].write_text('{"entries": [{"surface": "檜", "reading": "ヒノキ"}]}', encoding="utf-8")
        self._files["text"].write_text("はい。", encoding="utf-8")
        # A service whose options are all good would run until somebody ends it; area "services" has that.
        self._taken = socket.create_server(("", 0), family=socket.AF_INET6, dualstack_ipv6=True)
        os.chdir(self.place.out)

    def attempt(self, case: Case) -> str:
        """Mostly within this process."""
        kind = case.draw.random()
        if kind < 0.007:
            return try_home(case, self.place)
        if kind < 0.01:
            return try_surroundings(case, self.place)
        arguments = self._command(case.draw)
        if kind < 0.014:
            arguments = [values.on_a_command_line(item) for item in arguments]
            run(case, self.place, *arguments, stdin=b"x\n", env={"http_proxy": UNPROXIED, "https_proxy": UNPROXIED}, limit_s=60)
            return self._looked(case, arguments)
        if kind < 0.2:
            run_inside(case, self.place, *arguments, stdin="はい。\n".encode())
            return self._looked(case, arguments)
        return self._line(case) if kind < 0.6 else self._request(case)

    def _looked(self, case: Case, arguments: list[str]) -> str:
        """Every sound that was written is whole."""
        for path in self.place.out.iterdir():
            if path.is_file() and not path.is_symlink() and arguments[0] == "speak":
                check_sound(case, path)
        clear(self.place.out)
        os.chdir(self.place.out)
        return arguments[0]

    def _command(self, draw: random.Random) -> list[str]:
        path, actions = draw.choice(self._leaves)
        if path[0] in ("bench", "backends", "doctor") and draw.random() < 0.8:
            path, actions = next(item for item in self._leaves if item[0] == ("speak",))
        arguments = list(path) + _soonest(path, actions)
        odd = draw.sample(actions, min(len(actions), draw.choice((1, 1, 1, 2))))
        for action in actions:
            if action in odd:
                arguments += self._given(draw, action, path)
            elif not action.option_strings:
                arguments.append(self._usual(action, path))
            elif action.dest == "expected":
                arguments += ["--expected", str(self._files["npz"])]
        if path[0] in MEASURING:
            arguments = ["4" if item == "99" else item for item in arguments]  # so many turns are right, and take minutes
        if path == ("serve",):
            arguments.append(f"--port={self._taken.getsockname()[1]}")
        if path == ("speak",) and not any(item.startswith(("-o", "--output")) for item in arguments):
            arguments += ["-o", str(self.place.out / "a.wav")]
        return arguments

    def _given(self, draw: random.Random, action: argparse.Action, path: tuple[str, ...]) -> list[str]:
        if action.dest in OUTPUTS or (path, action.dest) == (("dict", "export"), "file"):
            given = str(self.place.out / (draw.choice(values.NAMES) + draw.choice(values.SUFFIXES)))
        elif draw.random() < 0.02:
            given = values.special_path(draw, self.place.source)
        else:
            given = values.value(draw)
        if not action.option_strings:
            return [given]
        option = draw.choice(action.option_strings)
        if action.nargs == 0:
            return draw.choice(([option], [option], [f"{option}={given}"]))
        return draw.choice(
            ([option, given], [option, given], [f"{option}={given}"], [f"{option}={given}"], [option], [option, given, option, given])
        )

    def _usual(self, action: argparse.Action, path: tuple[str, ...]) -> str:
        usual = {
            "text": "はい。",
            "voice": "mei",
            "bert": STARTER_BERT,
            "name": "x",
            "surface": "檜",
            "reading": "ヒノキ",
            "source": "mei",
            "sources": "mei",
        }
        if action.dest == "file":
            return str(self.place.out / "words.csv" if path == ("dict", "export") else self._files["words"])
        return str(self.place.out / "target.zip") if action.dest in OUTPUTS else usual.get(action.dest, "x")

    def _line(self, case: Case) -> str:
        """A line's settings as a file may have them."""
        draw = case.draw
        text = (
            "{"
            + ", ".join(f'"{item.name}": {draw.choice(VALUES[:36])}' for item in draw.sample(fields(LineSettings), draw.choice((1, 1, 3))))
            + "}"
        )
        case.doing(f"settings {text[:500]}")
        found: Any = case.call(f"settings {text[:300]}", lambda: parse_settings(json.loads(text)), ValueError)
        if found is None:
            return "refused"
        if parse_settings(json.loads(json.dumps(convert_settings_to_data(found)))) != found:
            case.complain("lost", f"settings that do not come back: {text[:500]}")
        check_request(build_request(Line("はい。", found)))
        return "line"

    def _request(self, case: Case) -> str:
        """A request as other parts of the program may make it; sound is made of one in five."""
        draw, changes = case.draw, dict[str, Any]()
        for item in draw.sample(fields(SynthesisRequest), draw.choice((1, 1, 2, 4))):
            kind = str(item.type)
            if kind in ("float", "int"):
                changes[item.name] = draw.choice((*FLOATS, *INTEGERS) if kind == "float" else INTEGERS)
        changes["pauses"] = draw.choice(({}, {draw.choice((",", ".", "x", "")): draw.choice(FLOATS)}))
        changes["overrides"] = draw.choice((Overrides(), Overrides(), _overrides(draw)))
        request = replace(SynthesisRequest("雨が、降る。"), **changes)
        case.doing(f"request {request}"[:1500])
        check_request(request)
        if draw.random() < 0.2 and request.pre_silence_s + request.post_silence_s <= 20:
            chunks = list(self._pipeline.synthesize(request))
            if not all(np.isfinite(chunk.samples).all() for chunk in chunks) or sum(len(chunk.samples) for chunk in chunks) > 60 * 44_100:
                case.complain("wrong", f"no sound, or far too much: {request}")
            return "spoken"
        return "request"


def _soonest(path: tuple[str, ...], actions: list[argparse.Action]) -> list[str]:
    """Options with which a command that measures ends within seconds."""
    if path[0] not in MEASURING:
        return []
    least = {"--tokens": "5", "--runs": "1", "--turns": "1", "--warmup": "0", "--seconds": "0"}
    known = {name for action in actions for name in action.option_strings}
    return [f"{name}={value}" for name, value in least.items() if name in known]


def _overrides(draw: random.Random) -> Overrides:
    return Overrides(
        (
            ReadingOverride(
                draw.choice(("雨", "", "雨が、")),
                draw.choice(("アマ", "", "x")),
                draw.choice((None, 0, -1, 10**30)),
                draw.choice((None, 0, -1, 10**9)),
            ),
        ),
        (MoraOverride(draw.choice((*INTEGERS[:8],)), draw.choice((None, 0, 1, 7, -1)), draw.choice((None, *FLOATS))),),
        (PauseOverride(draw.choice(INTEGERS[:8]), draw.choice(FLOATS)),),
        text=draw.choice(("", "雨が、降る。", "別の文", "\ud800")),
    )


ATTACKS = Parameters
