"""What is said of a project that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.errors import InputError
from app.interchange.koebako import LARGEST_BYTES, read_project


def test_why_it_cannot_be_read_is_said(tmp_path: Path) -> None:
    large, damaged = tmp_path / "large.koebako", tmp_path / "damaged.koebako"
    with large.open("wb") as file:
        file.truncate(LARGEST_BYTES + 1)  # a hole, which takes no room
    damaged.write_bytes(b"{")
    for path, message, hint in (
        (tmp_path / "none.koebako", "“none.koebako” cannot be opened.", "Check the path."),
        (tmp_path / "a\0b.koebako", "cannot be opened.", "the name is not valid"),
        (large, "“large.koebako” is too large.", "The limit is 128 MB."),
        (damaged, "“damaged.koebako” cannot be opened.", "damaged"),
    ):
        with pytest.raises(InputError) as refused:
            read_project(path)
        assert message in refused.value.message
        assert hint in refused.value.hint
