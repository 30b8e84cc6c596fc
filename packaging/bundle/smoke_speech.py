"""Checks of the built program: it starts, speaks, plays, reads, and says what is wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import soundfile
import soxr
from bundle.command import PROJECT
from bundle.expectations import CUT, SHARED, SPEAK, TEXT, difference, ended, sentence
from bundle.program import Program
from bundle.sound_server import RATE, likeness, missing, sound_server
from swiftshader import find as find_software_adapter

BUSY = 2  # programs waiting for each processor
PLAY = ["speak", TEXT, "--voice", "mei", "--seed", "7", "--play", "--json"]
SHORT_TEXT = "はい。"
LIKE = 0.99
# Wine buffers only some 10 ms in PulseAudio. On a busy machine they run dry, for up to half a second of a line in all, and PortAudio never hears of it.
PATIENT = {"PULSE_LATENCY_MSEC": "300"}
PIECE_S = 0.25  # one stumble spoils one piece of what is compared, not a second of it
PLAYINGS = 5
NATURAL_RATE = 24_000  # Hz; no other voice in the bundle has it
QUIET = 0.01  # a piece without anything louder is a pause
NO_SOUND_SERVER = {"PULSE_SERVER": "unix:/nonexistent", "PIPEWIRE_REMOTE": "/nonexistent"}
GOLDEN = PROJECT / "tests" / "golden" / "g2p_rohan_300.jsonl"
FULL_GOLDEN = SHARED / "golden" / "g2p_rohan.jsonl"


def starts(program: Program, folder: Path) -> str:
    """The command line starts."""
    times = [ended(program.run("koebako-cli", "--version")).seconds for _ in range(3)]
    return f"{min(times):.2f} s"


def speaks(program: Program, folder: Path) -> str:
    """It speaks the same samples as the checkout, within 1e-3."""
    ours, theirs = folder / "bundle.wav", folder / "checkout.wav"
    finished = ended(program.run("koebako-cli", *SPEAK, "-o", ours, "--json", env={"KOEBAKO_HOME": str(folder / "home")}))
    command = [sys.executable, str(PROJECT / "main.py"), *SPEAK, "-o", str(theirs)]
    subprocess.run(command, check=True, env=os.environ | {"KOEBAKO_HOME": str(folder / "home")}, stdout=subprocess.DEVNULL)
    apart = difference(ours, theirs)
    report = finished.report()
    return (
        f"largest difference {apart:.1e}; {report['audio_s']:.1f} s of sound, {finished.seconds:.1f} s with the start, "
        f"first audio {report['first_audio_ms']:.0f} ms"
    )


def natural(program: Program, folder: Path) -> str:
    """Without a named voice it speaks with the natural one, where it carries it."""
    if not any(program.folder.rglob("voices/kokoro/voice.json")):
        return "skipped: a bundle without it"
    output = folder / "natural.wav"
    finished = ended(program.run("koebako-cli", "speak", TEXT, "-o", output, "--json", env={"KOEBAKO_HOME": str(folder / "natural home")}))
    samples, rate = soundfile.read(output, dtype="float32")
    assert rate == NATURAL_RATE, f"{rate} Hz"
    assert float(np.abs(samples).max()) > QUIET, "silence"
    return f"{len(samples) / rate:.1f} s of sound, first audio {finished.report()['first_audio_ms']:.0f} ms"


def pitched(program: Program, folder: Path) -> str:
    """It speaks at another pitch, for as long."""
    plain, higher = folder / "bundle.wav", folder / "higher.wav"
    ended(program.run("koebako-cli", *SPEAK, "--pitch", "3", "-o", higher, env={"KOEBAKO_HOME": str(folder / "home")}))
    (one, rate), (other, other_rate) = soundfile.read(plain, dtype="float32"), soundfile.read(higher, dtype="float32")
    assert (rate, one.shape) == (other_rate, other.shape), f"{one.shape} at {rate} Hz against {other.shape} at {other_rate} Hz"
    apart = float(np.abs(one - other).max())
    assert apart > QUIET, "the pitch is the same"
    return f"{len(other) / rate:.1f} s of sound, largest difference {apart:.1f}"


def doctor(program: Program, folder: Path) -> str:
    """The doctor finds nothing broken."""
    report = ended(program.run("koebako-cli", "doctor", "--json", env={"KOEBAKO_HOME": str(folder / "home")})).report()
    return ", ".join(f"{item['id']} {item['status']}" for item in report["checks"])


def plays(program: Program, folder: Path) -> str:
    """What it plays is what it writes, recorded from a sound server."""
    if sys.platform == "win32" or missing():
        return "skipped: needs PulseAudio"
    written, rate = soundfile.read(folder / "bundle.wav", dtype="float32")
    expected = soxr.resample(written, rate, RATE)
    size = int(PIECE_S * RATE)
    pieces = [expected[start : start + size] for start in range(0, len(expected), size)]
    unheard = {number for number, piece in enumerate(pieces) if np.abs(piece).max() > QUIET}
    attempts = []
    for attempt in range(1, PLAYINGS + 1):  # a busy machine may stumble, but not every time at the same place
        with sound_server() as server, server.recording() as heard:
            report = ended(
                program.run("koebako-cli", *PLAY, env=server.environment | PATIENT | {"KOEBAKO_HOME": str(folder / "home")})
            ).report()
        alike = {number: likeness(heard[0], pieces[number]) for number in sorted(unheard)}
        unheard = {number for number in unheard if alike[number] < LIKE}
        if not unheard:
            return f"every {PIECE_S:g} s of {len(expected) / RATE:.1f} s, played {attempt} times"
        sounding_s = np.count_nonzero(np.abs(heard[0]) > QUIET) / RATE
        attempts.append(
            f"{len(unheard)} unheard, at best {max(alike[number] for number in unheard):.3f} alike, {report['underruns']} gaps told, "
            f"{sounding_s:.1f} s above silence of {len(heard[0]) / RATE:.1f} s recorded"
        )
    places = [f"{number * PIECE_S:g}" for number in sorted(unheard)]
    problem = f"not heard as written, from second {', '.join(places)} of {len(expected) / RATE:.1f}: {'; '.join(attempts)}"
    if os.getloadavg()[0] > BUSY * (os.cpu_count() or 1):  # sound waits for nobody
        return f"skipped: this machine is too busy to play in time (load {os.getloadavg()[0]:.0f}); {problem}"
    raise AssertionError(problem)


def no_sound(program: Program, folder: Path) -> str:
    """Without a sound device it says so and ends with 5."""
    if ended(program.run("koebako-cli", "doctor", "--json", env=NO_SOUND_SERVER)).report()["audio_devices"]:
        return "skipped: this machine has a sound device that cannot be taken away"
    finished = ended(program.run("koebako-cli", "speak", "はい。", "--play", env=NO_SOUND_SERVER), 5)
    return sentence(finished)


def fallback(program: Program, folder: Path) -> str:
    """DirectML is used, or its refusal is reported and the CPU speaks."""
    output = folder / "directml.wav"
    report = ended(program.run("koebako-cli", *SPEAK, "-o", output, "--backend", "directml", "--json")).report()
    used = set(report["backend"].values())
    assert report["fallback"] or used == {"directml"}, report
    outcome = " ".join((report["fallback"] or "DirectML").split())[:160]
    return f"{outcome}; {difference(output, folder / 'bundle.wav'):.0e} from the CPU"


def webgpu(program: Program, folder: Path) -> str:
    """Where it carries the WebGPU plug-in, that computes on a software adapter what the CPU does, or says what it lacks."""
    if not any(program.folder.rglob("*onnxruntime_providers_webgpu*")):
        return "skipped: a bundle without the plug-in"
    adapter = find_software_adapter() or {}
    outputs = {name: folder / f"short {name}.wav" for name in ("cpu", "webgpu")}
    for name, output in outputs.items():
        command: list[str | Path] = ["speak", SHORT_TEXT, *SPEAK[2:], "-o", output, "--backend", name, "--json"]
        report = ended(program.run("koebako-cli", *command, env=adapter | {"KOEBAKO_HOME": str(folder / "home")})).report()
    apart = difference(outputs["webgpu"], outputs["cpu"])
    if not adapter:
        assert report["fallback"], report
        assert "not installed" not in report["fallback"], report
        return f"no software adapter (packaging/swiftshader.py), so the CPU spoke: {' '.join(report['fallback'].split())[:160]}"
    assert (report["backend"]["decode"], report["fallback"]) == ("webgpu", None), report
    return f"largest difference {apart:.0e} from the CPU; first audio {report['first_audio_ms']:.0f} ms on a software adapter"


def teaches(program: Program, folder: Path) -> str:
    """A word of the user's dictionary is compiled and read, from a folder with a Japanese name and spaces."""
    home = {"KOEBAKO_HOME": str(folder / "辞書 の フォルダー")}
    ended(program.run("koebako-cli", "dict", "add", "檜箱庵", "ひのばこあん", "--accent", "3", env=home))
    read = ended(program.run("koebako-cli", "g2p", text="檜箱庵に行く。\n", env=home)).report()
    assert read["reading"] == "ヒノバコアンニイク", read
    return str(read["reading"])


def mistakes(program: Program, folder: Path) -> str:
    """Mistakes get a sentence and their exit code."""
    sentences = []
    for arguments, code in (
        (["speak", ""], 2),
        (["speak", "はい。", "--voice", "nobody"], 3),
        (["speak", "はい。", "-o", str(folder / "no" / "a.wav")], 7),
    ):
        sentences.append(sentence(ended(program.run("koebako-cli", *arguments), code)))
    return "; ".join(sentences)


def readings(program: Program, folder: Path) -> str:
    """It reads text as the checkout does, with the smaller dictionary."""
    golden = FULL_GOLDEN if FULL_GOLDEN.exists() else GOLDEN
    texts = [json.loads(line)["text"] for line in golden.read_text(encoding="utf-8").splitlines()]
    asked = "\n".join([*texts, "風の㐂びは№1"]) + "\n"
    ours = ended(program.run("koebako-cli", "g2p", text=asked, timeout_s=300)).stdout.splitlines()
    command = [sys.executable, str(PROJECT / "main.py"), "g2p"]
    own = os.environ | {"KOEBAKO_HOME": str(folder / "home")}
    theirs = subprocess.run(command, input=asked, env=own, check=True, capture_output=True, encoding="utf-8").stdout.splitlines()
    assert len(ours) == len(theirs) == len(texts) + 1, f"{len(ours)} lines for {len(texts) + 1} texts: {ours[-1:]}"
    different = [pair for pair in zip(ours, theirs, strict=True) if json.loads(pair[0]) != json.loads(pair[1])]
    assert not different, f"{len(different)} differ, as {different[0]}"[:CUT]
    return f"{len(ours)} lines"
