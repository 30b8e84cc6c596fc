"""The smoke test itself: it must fail on a program that is broken."""

import sys
import time
from pathlib import Path

import numpy as np
import pytest
import soundfile
from bundle import smoke
from bundle.expectations import difference
from bundle.program import Program

RATE = 44_100
SOUND = (0.3 * np.sin(np.arange(RATE) * 0.05)).astype(np.float32)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """A program that says something and fails."""
    folder = tmp_path / "Koebako"
    folder.mkdir()
    script = folder / "koebako-cli"
    script.write_text("#!/bin/sh\necho 'koebako: no' >&2\nexit 3\n", encoding="ascii")
    script.chmod(0o755)
    return Program(folder)


@pytest.mark.skipif(sys.platform == "win32", reason="the broken program is a shell script")
def test_a_program_that_does_not_start_ends_the_build(program: Program) -> None:
    with pytest.raises(SystemExit, match="FAILED  The command line starts: exit code 3 instead of 0: koebako: no"):
        smoke.smoke_test(program)


def test_a_program_that_writes_into_its_folder_ends_the_build(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    def writes(program: Program, folder: Path) -> str:
        """It writes."""
        (program.folder / "cache").write_text("x", encoding="ascii")
        return "done"

    monkeypatch.setattr(smoke, "CHECKS", [writes])
    with pytest.raises(SystemExit, match="wrote into its own folder"):
        smoke.smoke_test(program)


def test_checks_without_time_are_told(program: Program, capsys: pytest.CaptureFixture[str]) -> None:
    smoke.smoke_test(program, until=time.time() + smoke.CHECK_S - 1)
    told = capsys.readouterr().out
    assert "SKIPPED  The command line starts: no time left" in told
    assert told.count("SKIPPED") == len(smoke.CHECKS)


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
@pytest.mark.parametrize("named", ["", "another"])
def test_the_callers_data_are_not_looked_at(program: Program, named: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program.folder / "koebako-cli").write_text('#!/bin/sh\necho "$KOEBAKO_HOME"\n', encoding="ascii")
    monkeypatch.setenv("KOEBAKO_HOME", str(tmp_path / "of the caller"))
    seen: list[str] = []

    def looks(program: Program, folder: Path) -> str:
        """It looks."""
        seen.append(program.run("koebako-cli", env={"KOEBAKO_HOME": named} if named else None).stdout.strip())
        seen.append(str(folder / "home"))
        return "done"

    monkeypatch.setattr(smoke, "CHECKS", [looks])
    smoke.smoke_test(program)
    assert seen[0] == (named or seen[1]), "a check may name its own"


def test_what_runs_of_the_checkout_has_the_tests_data() -> None:
    """Every program that a check starts beside the built one is told where its data are."""
    for path in sorted(Path(smoke.__file__).parent.glob("smoke*.py")):
        for call in path.read_text(encoding="utf-8").split("subprocess.run(")[1:]:
            assert "env=" in call.split("\n")[0] or "as_other" in call, f"{path.name}: {call[:80]}"


@pytest.mark.parametrize(
    ("other", "rate", "complaint"),
    [
        (SOUND[:-1], RATE, "against"),
        (SOUND, 48_000, "against"),
        (SOUND + np.float32(2e-3), RATE, "largest difference 0.002"),
        (np.zeros(RATE, np.float32), RATE, "silence"),
    ],
)
def test_sounds_that_differ_are_told(tmp_path: Path, other: np.ndarray, rate: int, complaint: str) -> None:
    soundfile.write(tmp_path / "a.wav", SOUND, RATE, subtype="FLOAT")
    soundfile.write(tmp_path / "b.wav", other, rate, subtype="FLOAT")
    with pytest.raises(AssertionError, match=complaint):
        difference(tmp_path / "a.wav", tmp_path / "b.wav")


def test_equal_sounds_pass(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", SOUND, RATE, subtype="FLOAT")
    soundfile.write(tmp_path / "b.wav", SOUND + np.float32(5e-4), RATE, subtype="FLOAT")
    assert difference(tmp_path / "a.wav", tmp_path / "b.wav") == pytest.approx(5e-4, abs=1e-6)
