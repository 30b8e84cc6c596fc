"""Files of a voice that has no BERT: the times beside the sound are exact, and another pitch moves none of them."""

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import soundfile

from app.compose.speaker import Speaker
from app.compose.speaker_opening import open_speaker
from app.core.script.script import Line, LineSettings
from app.core.sound.line_sound import PEAK_BIN_S
from app.core.synthesis_types import MoraOverride, Overrides, PauseOverride
from tests.export.test_sidecars import beside, tiles, write
from tests.tiny_models.kokoro_voice import RATE, STEP, make_kokoro_voice

UNIT = 10_000_000  # of HTS labels, in a second
EDGE = STEP // 3  # the sound leads its frames by whole steps, the times by what the architecture says
LINE = Line("雨が降る、飴を食べる。", LineSettings(), id="a")


@pytest.fixture(scope="module")
def speaker(tmp_path_factory: pytest.TempPathFactory) -> Speaker:
    return open_speaker(str(make_kokoro_voice(tmp_path_factory.mktemp("voices") / "tiny-kokoro")))


def test_labels_tile_the_sound_and_tell_where_it_is_silent(speaker: Speaker, tmp_path: Path) -> None:
    written = write(speaker, tmp_path / "a.wav", LINE, subtype="float")
    found, (samples, rate) = tiles(beside(written, ".lab")), soundfile.read(written.file, dtype="float32")
    assert rate == RATE
    assert found[0][0] == 0
    assert found[-1][1] == round(len(samples) * UNIT / RATE)
    assert all(before[1] == after[0] for before, after in pairwise(found))
    for start, end, phone in found:
        part = samples[round(start * RATE / UNIT) + EDGE : round(end * RATE / UNIT) - EDGE]
        # The space behind a phrase belongs to its last phone and is silent.
        heard = np.abs(part).max()
        assert heard < 1e-4 if phone == "pau" else heard > 0.1, (start, phone)


def test_lengths_by_hand_are_exact(speaker: Speaker, tmp_path: Path) -> None:
    edits = Overrides(moras=(MoraOverride(1, length_s=0.5),), pauses=(PauseOverride(0, 0.75),))
    found = tiles(beside(write(speaker, tmp_path / "a.wav", replace(LINE, overrides=edits)), ".lab"))
    spoken = [row for row in found if row[2] != "pau"]
    assert spoken[2][1] - spoken[1][0] == UNIT // 2, "m and e"
    pauses = [end - start for start, end, phone in found[1:-1] if phone == "pau"]
    assert pauses == pytest.approx([UNIT * 3 / 4], abs=2 * PEAK_BIN_S * UNIT)


@pytest.mark.parametrize("changes", [{"pitch": 3.0}, {"intonation": 0.0}, {"accent_fidelity": 0.0}, {"seed": 8}], ids=str)
def test_what_changes_the_melody_moves_no_time(speaker: Speaker, tmp_path: Path, changes: dict[str, float]) -> None:
    plain, changed = (
        write(speaker, tmp_path / f"{name}.wav", replace(LINE, settings=settings), subtype="float")
        for name, settings in (("plain", LineSettings()), ("changed", LineSettings(**changes)))  # type: ignore[arg-type]
    )
    assert tiles(beside(plain, ".lab")) == tiles(beside(changed, ".lab"))
    one, other = (soundfile.read(written.file)[0] for written in (plain, changed))
    assert np.array_equal(one, other) == ("seed" in changes)


def test_labels_name_the_syllables_of_english_words(speaker: Speaker, tmp_path: Path) -> None:
    english = Line("Hello、雨。", LineSettings(latin="english"), id="a")
    written = write(speaker, tmp_path / "a.wav", english)
    assert [phone for *_, phone in tiles(beside(written, ".lab")) if phone != "pau"] == ["hə", "ˈloʊ", "a", "m", "e"]
    assert json.loads(beside(written, ".json").read_text(encoding="utf-8"))["reading"] == "həˈloʊアメ"
