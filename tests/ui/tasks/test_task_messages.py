"""What a child prints is read line by line; a line that makes no sense is nobody's error."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.common.errors import AppError
from app.ui.tasks.process_task import TaskProgress, parse_message

ODD = st.sampled_from([None, True, -1, 1.5, 1e308, 10**25, "", "x", [], {}, [None], {"a": 1}])


@pytest.mark.parametrize(
    "line", ["", "x", "[" * 100_000, '{"a":' * 100_000, "[]", "1", '{"type": "progress", "percent": 1e999}', '{"a": NaN}', "\0"]
)
def test_lines_that_make_no_sense(line: str) -> None:
    assert parse_message(line) is None


@given(
    st.sampled_from(["progress", "licence", "voice", None]),
    st.dictionaries(
        st.sampled_from(["percent", "received", "total", "bytes_per_s", "seconds_left", "step", "id", "name", "text", "ways"]), ODD
    ),
    ODD | st.dictionaries(st.sampled_from(["message", "hint", "ways"]), ODD),
)
def test_any_value_in_any_place(kind: object, values: dict[str, object], error: object) -> None:
    found = parse_message(json.dumps({"type": kind, "error": error} | values))
    if kind == "progress" and found is not None:
        assert isinstance(found, TaskProgress)
    elif isinstance(error, dict) and found is not None:
        assert isinstance(found, AppError)
        assert all(isinstance(way, str) for way in found.ways)
