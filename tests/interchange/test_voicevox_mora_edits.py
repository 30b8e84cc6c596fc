"""Pitches and lengths of single morae in projects of VOICEVOX: what was set by hand comes in, what its voice said does not."""

import json
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.cli.main import main
from app.common.language import set_language
from app.core.script.script import build_request
from app.core.synthesis_types import MoraOverride
from app.interchange.imported_script import ImportedPhrase, ImportedScript
from app.interchange.koebako_files import read_project
from app.interchange.voicevox_projects import GivenMora, find_length_edits, find_pitch_offsets, read_vvproj
from app.service.voicevox_query import HIGH, LOW
from tests.interchange.peers import phrase, query, vvproj

SEMITONE = math.log(2) / 12
TONES = (0, 1, 1, 1, 0, 0, 1, 1, 1, 1)


def predict(tones: Sequence[int], seed: int) -> list[GivenMora]:
    """A line as a voice of VOICEVOX says it: levels of tones that decline, each mora a little off, numbers of many digits."""
    noise = np.random.default_rng(seed)
    return [
        GivenMora(
            place // 5,
            tone,
            5.5 + 0.3 * tone - 0.01 * place + float(noise.normal(0, 0.04)),
            (float(noise.uniform(0.03, 0.1)), float(noise.uniform(0.05, 0.2))),
        )
        for place, tone in enumerate(tones)
    ]


def change(mora: GivenMora, **changes: Any) -> GivenMora:
    values = {name: getattr(mora, name) for name in ("phrase", "tone", "pitch", "lengths_s")}
    return GivenMora(**values | changes)


@given(st.integers(0, 999), st.dictionaries(st.integers(0, 9), st.floats(-14, 14).filter(lambda x: abs(x) > 3.5), max_size=4))
def test_a_pitch_that_was_set_by_hand_is_an_offset(seed: int, wanted: dict[int, float]) -> None:
    line = predict(TONES, seed)
    for place, semitones in wanted.items():
        line[place] = change(line[place], pitch=round(line[place].pitch + semitones * SEMITONE, 2))
    found = find_pitch_offsets(line)
    assert {place for place, offset in enumerate(found) if offset is not None} == wanted.keys()
    for place, semitones in wanted.items():
        offset = found[place]
        assert offset is not None
        # What the voice itself said is guessed from the other morae. Its own noise, which no guess can know, reaches 3 semitones here.
        assert offset == pytest.approx(max(-12, min(12, semitones)), abs=4.5)
        assert -12 <= offset <= 12


def test_what_a_voice_said_is_no_edit_however_far_it_strays() -> None:
    """And a mora without a pitch, or one that was put where it was, is none either."""
    line = [
        change(mora, pitch=pitch) for mora, pitch in zip(predict(TONES, 1), (5.773037, 6.108947, 6.097431, *[5.7455217] * 7), strict=True)
    ]
    line[4] = change(line[4], pitch=0.0)
    line[5] = change(line[5], pitch=round(line[5].pitch, 2))
    assert find_pitch_offsets(line) == [None] * 10
    assert find_length_edits(line, 1.0) == [None] * 10


def test_pitches_that_picture_accents_are_compared_with_their_tone() -> None:
    """As our own service, among others, writes them: all of them are steps of the editor."""
    line = [change(mora, pitch=HIGH if mora.tone else LOW) for mora in predict(TONES, 1)]
    assert find_pitch_offsets(line) == [None] * 10
    line[2] = change(line[2], pitch=HIGH + 0.17)
    line[5] = change(line[5], pitch=LOW + 0.03)
    assert find_pitch_offsets(line) == [None, None, pytest.approx(0.17 / SEMITONE, abs=0.01), *[None] * 7]


def test_lengths_that_were_set_by_hand() -> None:
    """In seconds of the sound, whichever part of the mora was set; where all are steps, nobody knows."""
    line = predict(TONES, 3)
    line[1] = change(line[1], lengths_s=(0.061234567, 0.3))
    line[2] = change(line[2], lengths_s=(0.0, 0.0))
    assert find_length_edits(line, 2.0) == [None, pytest.approx(0.1806, abs=0.001), 0.02, *[None] * 7]
    assert find_length_edits([change(mora, lengths_s=(0.1,)) for mora in line], 1.0) == [None] * 10


def test_a_line_of_many_morae_takes_no_time() -> None:
    noise = np.random.default_rng(0)
    line = [GivenMora(place % 977, place % 2, float(noise.choice((5.5, 5.71234567))), (0.1,)) for place in range(16_000)]
    began = time.perf_counter()
    find_pitch_offsets(line)
    assert time.perf_counter() - began < 2


SAID = [[5.61234567, 5.91234567, 5.87654321], [5.55123456, 5.50123456, 5.45123456]]


def ask(*places: tuple[int, int, str, Any]) -> dict[str, Any]:
    """A query of 空は青い with these values of morae: phrase, mora, name, value."""
    phrases = [phrase(["ソ", "ラ", "ワ"], 3, length=0.12345678), phrase(["ア", "オ", "イ"], 2, length=0.11223344)]
    for one, pitches in zip(phrases, SAID, strict=True):
        for mora, pitch in zip(one["moras"], pitches, strict=True):
            mora["pitch"] = pitch
    for index, mora, name, value in places:
        phrases[index]["moras"][mora][name] = value
    return query(*phrases, speedScale=1.5)


def read(asked: dict[str, Any]) -> ImportedScript:
    set_language("en")
    return read_vvproj("a.vvproj", ".vvproj", vvproj("0.25.0", [("空は青い", 3, asked)]))


def test_a_line_that_nobody_tuned_loses_nothing() -> None:
    imported = read(ask())
    assert imported.losses == ()
    assert imported.phrases_by_line["key-0"] == (ImportedPhrase(("ソ", "ラ", "ワ"), 3), ImportedPhrase(("ア", "オ", "イ"), 2))


@pytest.mark.parametrize("value", ["5.5", True, [5.5], 1e308, -1e308, float("nan"), 21, {}], ids=repr)
@pytest.mark.parametrize("name", ["pitch", "vowelLength"])
def test_a_value_that_no_editor_writes_costs_the_edits_of_its_line(name: str, value: Any) -> None:
    imported = read(ask((0, 1, name, value if name == "pitch" or value != 21 else 31), (1, 2, "pitch", 6.2)))
    assert imported.losses == ("Not imported: values that cannot be used (pitch and length of single morae) (line 1).",)
    assert imported.phrases_by_line["key-0"] == (ImportedPhrase(("ソ", "ラ", "ワ"), 3), ImportedPhrase(("ア", "オ", "イ"), 2))


def test_edits_of_morae_arrive_in_the_project_and_in_its_requests(tmp_path: Path) -> None:
    (tmp_path / "a.vvproj").write_bytes(vvproj("0.25.0", [("空は青い", 3, ask((0, 2, "pitch", 6.3), (1, 1, "vowelLength", 0.27)))]))
    assert main(["project", "convert", str(tmp_path / "a.vvproj"), "-o", str(tmp_path / "a.koebako")]) == 0
    (line,) = read_project(tmp_path / "a.koebako").script.lines
    edits = {edit.mora: edit for edit in line.overrides.moras}
    assert {mora for mora, edit in edits.items() if edit.pitch is not None} == {2}
    assert edits[2].pitch == pytest.approx((6.3 - SAID[0][1]) / SEMITONE, abs=0.1)
    assert {mora: edit.length_s for mora, edit in edits.items() if edit.length_s is not None} == {4: 0.18}
    assert edits[2].tone == 1  # beside the accent
    assert build_request(line).overrides == line.overrides
    written = json.loads((tmp_path / "a.koebako").read_text("utf-8"))["script"]["lines"][0]["overrides"]["moras"]
    assert written[2] == {"mora": 2, "tone": 1, "pitch": edits[2].pitch}
    assert MoraOverride(**written[2]) == edits[2]
