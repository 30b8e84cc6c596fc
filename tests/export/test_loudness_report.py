"""What is said of a target of loudness that was met, and of one that was not."""

from pathlib import Path
from typing import Any

import pytest

from app.core.script.script import Line
from app.export.export_plan import PlannedFile
from app.export.export_settings import ExportSettings
from app.export.loudness import FileGains, LoudnessReport, WrittenLoudness, convert_written_to_data, parse_written_data

FIRST, SECOND, WORD = (PlannedFile(Path(f"{name}.wav"), (Line("あ"),)) for name in ("001", "002", "word"))
GAINS = {FIRST: 5.0, SECOND: 5.0}


def report(gains: FileGains, **chosen: Any) -> LoudnessReport:
    return LoudnessReport(ExportSettings(loudness=-16.0, **chosen), gains)


def test_one_gain_for_all_is_judged_by_all() -> None:
    met = report(FileGains(GAINS, -16.4, SECOND))
    assert met.add_file(FIRST, WrittenLoudness(-21.0, 3.04), 4.0) is None
    assert met.add_file(SECOND, WrittenLoudness(-14.0, 0.0), 4.0) is None
    assert met.build_row() == {"limited_db": 3.04, "loudness_lufs": -16.4}
    assert (met.describe_limiter(), met.describe_missed()) == ("The limiter lowered peaks by up to 3.0 dB.", "")
    missed = report(FileGains(GAINS, -17.25, SECOND))
    assert missed.build_row() == {"limited_db": 0.0, "loudness_lufs": -17.25, "missed_lu": 1.25}
    assert missed.describe_limiter() == ""
    assert missed.describe_missed() == "All files together are at -17.2 LUFS instead of -16: the peaks of 002.wav allow no more."


def test_each_file_is_judged_by_itself_and_a_word_by_the_others() -> None:
    each = report(FileGains({**GAINS, WORD: 2.0}, lags_lu={WORD: 3.0}), loudness_each=True)
    assert each.add_file(FIRST, WrittenLoudness(-17.25, 6.0), 4.0) == 1.25
    assert each.add_file(SECOND, WrittenLoudness(-16.5, 6.0), 4.0) is None
    assert each.add_file(WORD, WrittenLoudness(None, 6.0), 0.3) == 3.0
    assert each.build_row() == {"limited_db": 6.0}
    assert each.describe_missed() == "Below -16 LUFS, as the peaks allow no more: word.wav (by 3.0 LU) and 1 more."


def test_a_single_file_is_judged_by_what_was_written() -> None:
    joined = report(FileGains({FIRST: 5.0}, -16.0, FIRST), files="joined")
    assert joined.add_file(FIRST, WrittenLoudness(-16.75, 6.0), 60.0) == 0.75
    assert "001.wav (by 0.8 LU)." in joined.describe_missed()


def test_without_a_target_nothing_is_said() -> None:
    plain = LoudnessReport(ExportSettings(), FileGains())
    assert plain.add_file(FIRST, None, 4.0) is None
    assert (plain.build_row(), plain.describe_limiter(), plain.describe_missed()) == ({}, "", "")


def test_a_row_of_a_worker_is_read_back_or_refused() -> None:
    for loudness in (WrittenLoudness(-16.25, 3.5), WrittenLoudness(None, 0.0)):
        assert parse_written_data(convert_written_to_data(loudness)) == loudness
    assert parse_written_data({"file": "a.wav"}) is None
    for row in ({"limited_db": "1"}, {"limited_db": float("nan")}, {"limited_db": 1, "loudness_lufs": [1]}):
        with pytest.raises(ValueError, match="no number"):
            parse_written_data(row)
